"""``quietmove classify``: which technique fits a game, by the few facts that decide it and the positions they cost.

Numbers are kept as logarithms to the base ten, since those of real games do not fit a float. Costs: minimax looks at
b^d leaves, alpha-beta with the best move first at the square root of that (Knuth and Moore 1975), a chance node
multiplies by its outcomes (Michie 1966), and hidden information by the deals that it leaves possible. Where even one
deal is too large to be searched, whole games are sampled (information-set Monte Carlo tree search: Cowling 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any

import click

from quietmove.engine.common.command_line import Number, examples, number_option

USEFUL_DEPTH = 8  # a search of fewer plies has been beaten by a guided sample of whole games, as in Go
USEFUL_CHANCE_DEPTH = 2  # a search of so many plies pays where there is chance, as in backgammon
USEFUL_DEALS = 20  # a mean over fewer deals, drawn at random, says little
NOT_APPLICABLE = "not applicable"
STRATEGY_FUSION = (
    "strategy fusion: it plans a move for each deal, but the player, who does not know the deal, makes one for all"
)
INFORMATION_SETS = "information-set Monte Carlo tree search"
USED_BY = {  # each technique with the command by which this engine uses it
    "minimax": "setoption name Algorithm value minimax",
    "alpha-beta": "setoption name Algorithm value pvs",
    "expectiminimax": "setoption name Algorithm value pvs",
    "Monte Carlo tree search": "setoption name Algorithm value mcts",
    "minimax over all deals": "setoption name Deals value 0",
    "Monte Carlo over sampled deals": "setoption name Deals value 20",
    "Sprague-Grundy": "quietmove lab nim",
    INFORMATION_SETS: "this engine does not have it",
}


@click.command(
    epilog=examples("quietmove classify -b 4 -d 9", "quietmove classify --branching 20 --depth 55 --chance 21")
)
@click.option(
    "--branching",
    "-b",
    type=Number(1, 1e6),
    required=True,
    metavar="N",
    help="Legal moves in an average position.",
)
@click.option("--depth", "-d", type=click.IntRange(1, 100_000), required=True, metavar="N", help="Plies of a game.")
@number_option("--players", 2, "Who play.", high=100)
@click.option(
    "--zero-sum/--no-zero-sum", default=True, help="Whether one's gain is the other's loss.  [default: zero-sum]"
)
@click.option("--simultaneous", is_flag=True, help="The sides move at once, not in turn.")
@number_option("--chance", 1, "Outcomes of the die or card before a move; 1: no chance.", 1, 1e6, "outcomes", Number)
@number_option(
    "--hidden", 1, "Hidden states that fit what a player knows; 1: nothing is hidden.", 1, 1e300, "deals", Number
)
@click.option(
    "--closed-form", is_flag=True, help="Both sides have the same moves, who cannot move loses, parts do not interact."
)
@click.option(
    "--evaluation/--no-evaluation",
    default=True,
    help="Whether a position can be judged without search.  [default: evaluation]",
)
@number_option("--nodes", 100_000_000, "Positions that a search can afford.", 1, 1e30, kind=Number)
def classify(**facts: Any) -> None:
    """Say which search technique fits a game, why, and what it costs.

    Examples: tic-tac-toe is -b 4 -d 9, chess -b 35 -d 80, Go -b 250 -d 150, backgammon -b 20 -d 55 --chance 21.
    """
    click.echo("\n".join(report(recommend(GameFacts(**facts)))))


@dataclass(frozen=True, slots=True)
class GameFacts:
    """A game, as far as the choice depends on it; the options of the command say what each field means."""

    branching: float
    depth: int
    players: int = 2
    zero_sum: bool = True
    simultaneous: bool = False
    outcomes: float = 1
    deals: float = 1
    closed_form: bool = False
    evaluation: bool = True
    nodes: float = 1e8


@dataclass(frozen=True, slots=True)
class Cost:
    """How many positions a technique looks at.

    :param name: the technique.
    :param formula: the count in the field's letters; ``numbers`` is the same with the problem's numbers.
    :param log10: the decimal logarithm of the count.
    """

    name: str
    formula: str
    numbers: str
    log10: float


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The answer.

    :param technique: its name; :data:`NOT_APPLICABLE` if adversarial search has no remedy for what is broken.
    :param why: sentences without their full stops.
    :param costs: the counts that decide, the deciding one last; empty if nothing applies.
    :param broken: the assumptions of minimax that do not hold; the first of them decides on the technique.
    :param minimax_fails: why minimax is not applicable, where something is hidden; else empty.
    """

    technique: str
    why: tuple[str, ...]
    costs: tuple[Cost, ...]
    broken: tuple[str, ...] = ()
    minimax_fails: str = ""


def recommend(problem: GameFacts) -> Recommendation:
    """Return the technique for a game."""
    obstacles = obstacles_to_search(problem)
    unknown = {"perfect information": problem.deals > 1, "determinism": problem.outcomes > 1}
    broken = (*obstacles, *(name for name, is_broken in unknown.items() if is_broken))
    if obstacles:
        return Recommendation(NOT_APPLICABLE, tuple(obstacles.values()), (), broken)
    if problem.closed_form and not broken:
        return grundy(problem)
    advice = hidden(problem) if problem.deals > 1 else chance(problem) if problem.outcomes > 1 else perfect(problem)
    if problem.closed_form:
        reason = "its closed form is of no use, for Sprague-Grundy assumes that nothing is hidden or left to chance"
        advice = replace(advice, why=(reason, *advice.why))
    return replace(advice, broken=broken)


def obstacles_to_search(problem: GameFacts) -> dict[str, str]:
    """Return each broken assumption for which search has no remedy, with what to do instead."""
    if problem.players < 2:
        reason = "with one player nobody works against it: this is path search (A*, IDA*), not a game"
        return {"an opponent": reason}
    found = {}
    if problem.players > 2:
        found["exactly two players"] = (
            f"with {problem.players} players a value is a vector, and a move that is bad for one opponent may be good "
            "for another: max^n or a paranoid search is needed, which hardly prune"
        )
    if not problem.zero_sum:
        found["zero sum"] = "the opponent does not simply minimise one's own value: game theory's equilibria are needed"
    if problem.simultaneous:
        found["alternating moves"] = (
            "with moves made at once a mixed strategy may be best: a matrix game is to be solved"
        )
    return found


def grundy(problem: GameFacts) -> Recommendation:
    numbers = f"{problem.depth}·{short(problem.branching)}"
    steps = Cost("Sprague-Grundy", "d·b", numbers, log10(problem.depth) + log10(problem.branching))
    why = "the parts' values come from a table, one mex for each size, and their XOR decides: no tree is searched"
    return Recommendation("Sprague-Grundy", (why,), (full_width(problem), steps))


def hidden(problem: GameFacts) -> Recommendation:
    """Return the answer where something is hidden: minimax over the deals that are possible, or over some of them."""
    tree = chance(problem).costs[-1] if problem.outcomes > 1 else alpha_beta(problem)
    every = Cost(
        "minimax over all deals",
        f"deals·{tree.formula}",
        f"{short(problem.deals)}·{tree.numbers}",
        log10(problem.deals) + tree.log10,
    )
    technique, *why = over_deals(problem, tree, log10(problem.nodes))
    if technique != INFORMATION_SETS:
        why.append("each deal is searched as if it were known, so bluffing and gaining information count for nothing")
    return Recommendation(technique, tuple(why), (every,), minimax_fails=STRATEGY_FUSION)


def over_deals(problem: GameFacts, tree: Cost, budget: float) -> tuple[str, ...]:
    """Return the technique and the reasons for it; searches to the end of the game come before a depth limit.

    :param tree: what one deal costs to the end of the game.
    :param budget: the decimal logarithm of the positions that a search can afford.
    """
    every = log10(problem.deals)
    some = log10(min(problem.deals, USEFUL_DEALS))
    known = f"{short(problem.deals)} deals fit what is known; {magnitude(budget)} positions"
    error = "as many deals as time allows are drawn: the error falls with the square root of their number"
    if every + tree.log10 <= budget:
        return "minimax over all deals", f"{known} are enough to search all of them to the end"
    if some + tree.log10 <= budget:
        drawn = f"about {magnitude(budget - tree.log10)} of them"
        return "Monte Carlo over sampled deals", f"{known} are enough to search {drawn} to the end", error
    for technique, deals, searched in (
        (("minimax over all deals",), every, "each"),
        (("Monte Carlo over sampled deals", error), some, str(USEFUL_DEALS)),
    ):
        plies = reach(problem, budget - deals)
        if problem.evaluation and plies >= useful_depth(problem):
            limit = f"{plies} of {problem.depth} plies, where an evaluation takes over, in {searched} of them"
            return technique[0], f"{known} reach {limit}", *technique[1:]
    return (
        INFORMATION_SETS,
        f"{known} are too few for a search of each, to the end or to a depth that pays",
        "games are played out to the end, a deal drawn for each, ever more of them along the best moves (UCB)",
    )


def chance(problem: GameFacts) -> Recommendation:
    """Return the answer where chance decides, but everything is seen."""
    exponent = problem.depth * (log10(problem.branching) + log10(problem.outcomes))
    numbers = f"({short(problem.branching)}·{short(problem.outcomes)})^{problem.depth}"
    why = "a chance node is worth the mean of its outcomes, weighted by their odds; Star1 and Star2 prune around it"
    return decide(problem, Cost("expectiminimax", "(b·n)^d", numbers, exponent), "expectiminimax", why)


def perfect(problem: GameFacts) -> Recommendation:
    """Return the answer for two players, zero sum, no chance, nothing hidden."""
    plain = full_width(problem)
    budget = log10(problem.nodes)
    if plain.log10 <= budget:
        why = f"the whole tree is within {magnitude(budget)} positions: nothing need be pruned to solve it"
        return Recommendation("minimax", (why,), (plain,))
    why = "pruning leaves the value as it is, and with the best move first twice the depth costs the same"
    advice = decide(problem, alpha_beta(problem), "alpha-beta", why)
    return replace(advice, costs=(plain, *advice.costs))


def decide(problem: GameFacts, cost: Cost, technique: str, why: str) -> Recommendation:
    """Return ``technique`` to the end of the game, to a depth, or, where that depth is too little, sampling."""
    budget = log10(problem.nodes)
    useful = useful_depth(problem)
    if cost.log10 <= budget:
        return Recommendation(technique, (why, f"the end is within {magnitude(budget)} positions"), (cost,))
    plies = reach(problem, budget)
    reached = f"{magnitude(budget)} positions reach {plies} of {problem.depth} plies"
    if problem.evaluation and plies >= useful:
        return Recommendation(technique, (why, f"{reached}, where an evaluation takes over"), (cost,))
    lack = (
        f"fewer than the {useful} that pay" if problem.evaluation else "and there is no evaluation to take over there"
    )
    sampling = "games played out to the end, ever more of them along the best moves (UCB), estimate the value instead"
    return Recommendation("Monte Carlo tree search", (f"{reached}, {lack}", sampling), (cost,))


def reach(problem: GameFacts, budget: float) -> int:
    """Return the plies that a search of one known game goes through, by alpha-beta or by expectiminimax.

    :param budget: the decimal logarithm of the positions that it can afford; less than one position reaches nothing.
    """
    branching = log10(problem.branching)
    per_ply = branching + log10(problem.outcomes) if problem.outcomes > 1 else branching / 2
    return floor(budget / per_ply + 1e-9) if per_ply > 0 and budget > 0 else 0


def useful_depth(problem: GameFacts) -> int:
    """Return the plies that must be within reach for a search to a depth to pay."""
    return USEFUL_CHANCE_DEPTH if problem.outcomes > 1 else USEFUL_DEPTH


def full_width(problem: GameFacts) -> Cost:
    exponent = problem.depth * log10(problem.branching)
    return Cost("minimax", "b^d", f"{short(problem.branching)}^{problem.depth}", exponent)


def alpha_beta(problem: GameFacts) -> Cost:
    """Return the leaves of alpha-beta with the best move first."""
    numbers = f"{short(problem.branching)}^({problem.depth}/2)"
    return Cost("alpha-beta, best move first", "b^(d/2)", numbers, problem.depth * log10(problem.branching) / 2)


def short(number: float) -> str:
    """Return a number as a person writes it."""
    return f"{number:.12g}"


def magnitude(exponent: float) -> str:
    """Return ten to the power of ``exponent``: in full up to a million, else as ``3.1e35``."""
    if exponent <= 6:
        return f"{round(10**exponent)}"
    whole = floor(exponent)
    digits = f"{10 ** (exponent - whole):.2g}"
    return f"1e{whole + 1}" if digits == "10" else f"{digits}e{whole}"


def report(advice: Recommendation) -> list[str]:
    """Return the answer as lines for a person: first the assumptions that fail, then the remedy."""
    *others, last = advice.broken or ("",)
    named = f"the assumptions of {', '.join(others)} and {last}" if others else f"the assumption of {last}"
    lines = labelled("broken", [named] if advice.broken else [])
    uses_it = advice.minimax_fails and advice.technique != INFORMATION_SETS
    lines += labelled("technique", [advice.technique + (", nevertheless" if uses_it else "")])
    lines += labelled("minimax", [f"{NOT_APPLICABLE}: {advice.minimax_fails}"] if advice.minimax_fails else [])
    lines += labelled("here", [USED_BY[advice.technique]] if advice.technique in USED_BY else [])
    lines += labelled("why", advice.why)
    costs = [
        f"{each.name}: {each.formula} = {each.numbers} = {magnitude(each.log10)} positions" for each in advice.costs
    ]
    return lines + labelled("cost", costs)


def labelled(label: str, texts: Sequence[str]) -> list[str]:
    """Return one line for each text, the label before the first."""
    return [f"{label if index == 0 else '':<10} {text}" for index, text in enumerate(texts)]
