"""The command group ``quietmove lab``: an experiment's module is imported when it is asked for."""

from __future__ import annotations

from quietmove.command_help import examples
from quietmove.lazy_group import LazyGroup

__all__ = ["EXPERIMENTS", "laboratory"]

EXPERIMENTS = (  # in the order of a lecture
    "pruning",
    "ordering",
    "knuth-moore",
    "table",
    "budget",
    "pvs",
    "horizon",
    "nim",
    "dice",
    "deals",
    "mcts",
    "trace",
)


laboratory = LazyGroup(
    "lab",
    places={name: f"quietmove.engine.tools.lab.{name.replace('-', '_')}:command" for name in EXPERIMENTS},
    help="Experiments with the search; each prints a table, its data with --json, and draws it with --plot FILE.",
    short_help="Measure an idea of the search.",
    epilog=examples("quietmove lab pruning", "quietmove lab ordering --plot ordering.svg"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
