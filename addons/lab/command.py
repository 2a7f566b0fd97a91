"""``quietmove lab``: the group of experiments with the search."""

from __future__ import annotations

from quietmove.engine.common.command_line import LazyGroup, examples

EXPERIMENTS = {  # in lecture order
    "branching": "Mean branching factor of a game or a position.",
    "pruning": "Value, nodes and seconds of minimax, alpha-beta, table and PVS.",
    "ordering": "Move orderings: the same value, falling node counts.",
    "knuth-moore": "Leaves of uniform trees in worst, random and perfect order.",
    "table": "Nodes per iteration with and without the table.",
    "budget": "Depth and move for each node budget.",
    "pvs": "Null-window searches, re-searches, and the nodes saved.",
    "evaluation": "Static values of positions, compared with your own program's.",
    "horizon": "Random positions that a depth limit misvalues.",
    "nim": "XOR rule, Grundy values, brute force and search compared; winning moves.",
    "subtraction": "Wins and Grundy values of each heap, and their period.",
    "dice": "Expectiminimax, Star1 and Star2: the same value, fewer nodes.",
    "deals": "Monte Carlo error against the number of deals.",
    "mcts": "Monte Carlo tree search compared with exact values.",
    "trace": "Print a search as it runs: its tree, or the log of its cutoffs.",
    "lecture": "Show a lecture in ten steps in the browser.",
}

FILES = {"table": "comparison:table", "pvs": "comparison:pvs"}  # two modules hold two experiments each
FILES |= {"nim": "impartial:nim", "subtraction": "impartial:subtraction"}

lab = LazyGroup(
    "lab",
    places={
        name: (f"quietmove.addons.lab.{FILES.get(name, name.replace('-', '_') + ':command')}", text)
        for name, text in EXPERIMENTS.items()
    },
    help="Experiments with the search. All but trace and lecture print a table; --json prints its data, and --plot FILE"
    " draws it.",
    epilog=examples("quietmove lab pruning", "quietmove lab ordering --plot ordering.svg"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
