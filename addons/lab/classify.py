"""``quietmove classify``: recommends a search technique for a game from a few facts, and estimates its cost.

Numbers are stored as base-ten logarithms, since the counts of real games overflow a float. Costs: minimax visits b^d
leaves, and alpha-beta with the best move first visits the square root of that number (Knuth and Moore 1975). A chance
node multiplies the cost by the number of its outcomes (Michie 1966), and hidden information by the number of possible
deals. If even one deal is too large to search, whole games are sampled (information-set Monte Carlo tree search:
Cowling 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any

import click

from quietmove.engine.common.command_line import Number, examples, number_option

USEFUL_DEPTH = 8  # shallower searches lose to guided sampling of whole games, as in Go
USEFUL_CHANCE_DEPTH = 2  # with chance, even this depth pays off, as in backgammon
USEFUL_DEALS = 20  # the mean over fewer random deals is unreliable
NOT_APPLICABLE = "not applicable"
STRATEGY_FUSION = (
    "strategy fusion: it plans a move per deal, but the player, who does not know the deal, needs one move for all"
)
INFORMATION_SETS = "information-set Monte Carlo tree search"
USED_BY = {  # the command that selects each technique in this engine
    "minimax": "setoption name Algorithm value minimax",
    "alpha-beta": "setoption name Algorithm value pvs",
    "expectiminimax": "setoption name Algorithm value pvs",
    "Monte Carlo tree search": "setoption name Algorithm value mcts",
    "minimax over all deals": "setoption name Deals value 0",
    "Monte Carlo over sampled deals": "setoption name Deals value 20",
    "Sprague-Grundy": "quietmove lab nim",
    INFORMATION_SETS: "not in this engine",
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
    help="Average number of legal moves.",
)
@click.option(
    "--depth", "-d", type=click.IntRange(1, 100_000), required=True, metavar="N", help="Length of a game in plies."
)
@number_option("--players", 2, "Number of players.", high=100)
@click.option(
    "--zero-sum/--no-zero-sum", default=True, help="Whether one player's gain is the other's loss.  [default: zero-sum]"
)
@click.option("--simultaneous", is_flag=True, help="The players move simultaneously, not in turn.")
@number_option(
    "--chance",
    1,
    "Number of outcomes of a die or card before each move; 1 means no chance.",
    1,
    1e6,
    "outcomes",
    Number,
)
@number_option(
    "--hidden",
    1,
    "Number of hidden states consistent with a player's knowledge; 1 means nothing is hidden.",
    1,
    1e300,
    "deals",
    Number,
)
@click.option(
    "--closed-form",
    is_flag=True,
    help="Both sides have the same moves, a player who cannot move loses, and parts do not interact.",
)
@click.option(
    "--evaluation/--no-evaluation",
    default=True,
    help="Whether a position can be evaluated without search.  [default: evaluation]",
)
@number_option("--nodes", 100_000_000, "Positions a search can visit.", 1, 1e30, kind=Number)
def classify(**facts: Any) -> None:
    """Recommend a search technique for a game, and explain why and what it costs.

    Examples: tic-tac-toe is -b 4 -d 9, chess -b 35 -d 80, Go -b 250 -d 150, backgammon -b 20 -d 55 --chance 21.
    """
    click.echo("\n".join(report(recommend(GameFacts(**facts)))))


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The facts about a game that determine the technique. The command's options document each field."""

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
    """The number of positions a technique visits.

    :param name: the technique.
    :param formula: the count as a formula; ``numbers`` is the formula with the problem's numbers filled in.
    :param log10: the base-ten logarithm of the count.
    """

    name: str
    formula: str
    numbers: str
    log10: float


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A recommended technique, with reasons and costs.

    :param technique: its name, or :data:`NOT_APPLICABLE` if no adversarial search handles the broken assumptions.
    :param why: reasons, as sentences without full stops.
    :param costs: the relevant counts, the deciding one last; empty if nothing applies.
    :param broken: the assumptions of minimax that do not hold; the first one decides the technique.
    :param minimax_fails: the reason why minimax is not applicable to hidden information, or "".
    """

    technique: str
    why: tuple[str, ...]
    costs: tuple[Cost, ...]
    broken: tuple[str, ...] = ()
    minimax_fails: str = ""


def recommend(problem: GameFacts) -> Recommendation:
    """Recommend a technique for a game."""
    obstacles = obstacles_to_search(problem)
    unknown = {"perfect information": problem.deals > 1, "determinism": problem.outcomes > 1}
    broken = (*obstacles, *(name for name, is_broken in unknown.items() if is_broken))
    if obstacles:
        return Recommendation(NOT_APPLICABLE, tuple(obstacles.values()), (), broken)
    if problem.closed_form and not broken:
        return grundy(problem)
    advice = hidden(problem) if problem.deals > 1 else chance(problem) if problem.outcomes > 1 else perfect(problem)
    if problem.closed_form:
        reason = "its closed form does not help: Sprague-Grundy assumes no hidden information and no chance"
        advice = replace(advice, why=(reason, *advice.why))
    return replace(advice, broken=broken)


def obstacles_to_search(problem: GameFacts) -> dict[str, str]:
    """Return the broken assumptions that no search handles, each with a recommendation."""
    if problem.players < 2:
        reason = "with one player there is no opponent: this is path search (A*, IDA*), not a game"
        return {"an opponent": reason}
    found = {}
    if problem.players > 2:
        found["exactly two players"] = (
            f"with {problem.players} players a value is a vector, and a move that hurts one opponent may help another: "
            "use max^n or a paranoid search, which hardly prune"
        )
    if not problem.zero_sum:
        found["zero sum"] = "the opponent does not simply minimise your value: compute a game-theoretic equilibrium"
    if problem.simultaneous:
        found["alternating moves"] = "with simultaneous moves a mixed strategy may be best: solve a matrix game"
    return found


def grundy(problem: GameFacts) -> Recommendation:
    numbers = f"{problem.depth}·{short(problem.branching)}"
    steps = Cost("Sprague-Grundy", "d·b", numbers, log10(problem.depth) + log10(problem.branching))
    why = "a table gives each part's value, with one mex per size, and their XOR decides: no tree search"
    return Recommendation("Sprague-Grundy", (why,), (full_width(problem), steps))


def hidden(problem: GameFacts) -> Recommendation:
    """Return the recommendation for hidden information: minimax over all possible deals, or over a sample."""
    tree = chance(problem).costs[-1] if problem.outcomes > 1 else alpha_beta(problem)
    every = Cost(
        "minimax over all deals",
        f"deals·{tree.formula}",
        f"{short(problem.deals)}·{tree.numbers}",
        log10(problem.deals) + tree.log10,
    )
    technique, *why = over_deals(problem, tree, log10(problem.nodes))
    if technique != INFORMATION_SETS:
        why.append("each deal is searched as if it were known, so bluffing and gaining information have no value")
    return Recommendation(technique, tuple(why), (every,), minimax_fails=STRATEGY_FUSION)


def over_deals(problem: GameFacts, tree: Cost, budget: float) -> tuple[str, ...]:
    """Return the technique and its reasons. Searches to the end of the game are preferred to a depth limit.

    :param tree: the cost of searching one deal to the end of the game.
    :param budget: the base-ten logarithm of the number of affordable positions.
    """
    every = log10(problem.deals)
    some = log10(min(problem.deals, USEFUL_DEALS))
    known = f"{short(problem.deals)} deals are consistent with what is known; {magnitude(budget)} positions"
    error = "draw as many deals as time allows: the error falls with the square root of their number"
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
            limit = f"{plies} of {problem.depth} plies, then evaluation, in {searched} of them"
            return technique[0], f"{known} reach {limit}", *technique[1:]
    return (
        INFORMATION_SETS,
        f"{known} are too few to search each of them to the end or to a useful depth",
        "play sampled games to the end, with a random deal for each, and favour the best moves more and more (UCB)",
    )


def chance(problem: GameFacts) -> Recommendation:
    """Return the recommendation for a game of chance without hidden information."""
    exponent = problem.depth * (log10(problem.branching) + log10(problem.outcomes))
    numbers = f"({short(problem.branching)}·{short(problem.outcomes)})^{problem.depth}"
    why = "a chance node's value is the mean of its outcomes, weighted by probability; Star1 and Star2 prune around it"
    return decide(problem, Cost("expectiminimax", "(b·n)^d", numbers, exponent), "expectiminimax", why)


def perfect(problem: GameFacts) -> Recommendation:
    """Return the recommendation for a two-player zero-sum game without chance or hidden information."""
    plain = full_width(problem)
    budget = log10(problem.nodes)
    if plain.log10 <= budget:
        why = f"the whole tree fits in {magnitude(budget)} positions, so it can be solved without pruning"
        return Recommendation("minimax", (why,), (plain,))
    why = "pruning keeps the value, and with the best move first it doubles the depth at the same cost"
    advice = decide(problem, alpha_beta(problem), "alpha-beta", why)
    return replace(advice, costs=(plain, *advice.costs))


def decide(problem: GameFacts, cost: Cost, technique: str, why: str) -> Recommendation:
    """Recommend ``technique`` if it reaches the end of the game or a useful depth, else Monte Carlo tree search."""
    budget = log10(problem.nodes)
    useful = useful_depth(problem)
    if cost.log10 <= budget:
        return Recommendation(technique, (why, f"the end of the game is within {magnitude(budget)} positions"), (cost,))
    plies = reach(problem, budget)
    reached = f"{magnitude(budget)} positions reach {plies} of {problem.depth} plies"
    if problem.evaluation and plies >= useful:
        return Recommendation(technique, (why, f"{reached}, where the evaluation takes over"), (cost,))
    lack = (
        f"fewer than the useful minimum of {useful}"
        if problem.evaluation
        else "and there is no evaluation to use there"
    )
    sampling = "instead, estimate the value from games played to the end, favouring the best moves more and more (UCB)"
    return Recommendation("Monte Carlo tree search", (f"{reached}, {lack}", sampling), (cost,))


def reach(problem: GameFacts, budget: float) -> int:
    """Return the depth in plies that alpha-beta or expectiminimax can reach if nothing is hidden.

    :param budget: the base-ten logarithm of the number of affordable positions; below one position, the depth is 0.
    """
    branching = log10(problem.branching)
    per_ply = branching + log10(problem.outcomes) if problem.outcomes > 1 else branching / 2
    return floor(budget / per_ply + 1e-9) if per_ply > 0 and budget > 0 else 0


def useful_depth(problem: GameFacts) -> int:
    """Return the minimum depth in plies at which a depth-limited search pays off."""
    return USEFUL_CHANCE_DEPTH if problem.outcomes > 1 else USEFUL_DEPTH


def full_width(problem: GameFacts) -> Cost:
    exponent = problem.depth * log10(problem.branching)
    return Cost("minimax", "b^d", f"{short(problem.branching)}^{problem.depth}", exponent)


def alpha_beta(problem: GameFacts) -> Cost:
    """Return the number of leaves of alpha-beta with the best move first."""
    numbers = f"{short(problem.branching)}^({problem.depth}/2)"
    return Cost("alpha-beta, best move first", "b^(d/2)", numbers, problem.depth * log10(problem.branching) / 2)


def short(number: float) -> str:
    """Format a number with up to 12 significant digits."""
    return f"{number:.12g}"


def magnitude(exponent: float) -> str:
    """Format ten to the power of ``exponent``: in full up to a million, then like ``3.1e35``."""
    if exponent <= 6:
        return f"{round(10**exponent)}"
    whole = floor(exponent)
    digits = f"{10 ** (exponent - whole):.2g}"
    return f"1e{whole + 1}" if digits == "10" else f"{digits}e{whole}"


def report(advice: Recommendation) -> list[str]:
    """Format the recommendation as lines: broken assumptions first, then the technique."""
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
    """Return one line per text, with the label before the first."""
    return [f"{label if index == 0 else '':<10} {text}" for index, text in enumerate(texts)]
