"""``quietmove classify``: which technique fits a game, by the few facts that decide it and the positions they cost.

Numbers are kept as logarithms to the base ten, since those of real games do not fit a float. Costs: minimax looks at
b^d leaves, alpha-beta with the best move first at the square root of that (Knuth and Moore 1975), a chance node
multiplies by its outcomes (Michie 1966), and hidden information by the deals that it leaves possible. Where even one
deal is too large to be searched, whole games are sampled (information-set Monte Carlo tree search: Cowling 2012).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any

import click

from quietmove.common.command_line import Number, examples, number_option

__all__ = [
    "HERE",
    "NOT_APPLICABLE",
    "Cost",
    "Problem",
    "Recommendation",
    "classify",
    "magnitude",
    "recommend",
    "report",
]

USEFUL_DEPTH = 8  # plies below which a guided sample of whole games has beaten full width, as in Go
USEFUL_CHANCE_DEPTH = 2  # plies that pay where there is chance, as in backgammon
USEFUL_DEALS = 20  # deals, drawn at random, below which a mean over them says little
NOT_APPLICABLE = "not applicable"
STRATEGY_FUSION = (
    "strategy fusion: it plans a move for each deal, but the player, who does not know the deal, makes one for all"
)
INFORMATION_SETS = "information-set Monte Carlo tree search"
HERE = {  # how this engine uses a technique
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
    click.echo("\n".join(report(recommend(Problem(**facts)))))


@dataclass(frozen=True, slots=True)
class Problem:
    """A game, as far as the choice depends on it.

    :param branching: legal moves in an average position, at least 1.
    :param depth: plies of a game, at least 1.
    :param players: how many play; 2 unless said otherwise.
    :param zero_sum: what one side wins, the other loses.
    :param simultaneous: the sides move at once and not one after another.
    :param outcomes: of the chance event before a move, 1 if there is none.
    :param deals: hidden states that fit what a player knows, 1 if nothing is hidden.
    :param closed_form: both sides have the same moves, who cannot move loses, and the position is a sum of parts.
    :param evaluation: a position can be judged well without searching it.
    :param nodes: positions that a search can afford.
    """

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

    :param name: of the technique.
    :param formula: the count in the field's letters.
    :param numbers: the formula with the problem's numbers.
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
    :param broken: the assumptions of minimax that do not hold, the one that decides on the technique first.
    :param why: sentences without their full stops.
    :param costs: the counts that decide, the deciding one last; empty if nothing applies.
    :param minimax_fails: why minimax is not applicable, where ``technique`` uses it nevertheless; else empty.
    """

    technique: str
    broken: tuple[str, ...]
    why: tuple[str, ...]
    costs: tuple[Cost, ...]
    minimax_fails: str = ""

    @property
    def here(self) -> str:
        """What makes this engine use the technique; empty if nothing applies."""
        return HERE.get(self.technique, "")


def recommend(problem: Problem) -> Recommendation:
    """Return the technique for a game."""
    obstacles = dict(obstacles_to_search(problem))
    unknown = {"perfect information": problem.deals > 1, "determinism": problem.outcomes > 1}
    broken = (*obstacles, *(name for name, is_broken in unknown.items() if is_broken))
    if obstacles:
        return Recommendation(NOT_APPLICABLE, broken, tuple(obstacles.values()), ())
    if problem.closed_form and problem.outcomes <= 1 and problem.deals <= 1:
        return grundy(problem)
    advice = hidden(problem) if problem.deals > 1 else chance(problem) if problem.outcomes > 1 else perfect(problem)
    if problem.closed_form:
        reason = "its closed form is of no use, for Sprague-Grundy assumes that nothing is hidden or left to chance"
        advice = replace(advice, why=(reason, *advice.why))
    return replace(advice, broken=broken)


def obstacles_to_search(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield each assumption that does not hold and for which search has no remedy, and what to do instead."""
    if problem.players < 2:
        yield "an opponent", "with one player nobody works against it: this is path search (A*, IDA*), not a game"
        return
    if problem.players > 2:
        yield (
            "exactly two players",
            f"with {problem.players} players a value is a vector, and a move that is bad for one opponent may be good "
            "for another: max^n or a paranoid search is needed, which hardly prune",
        )
    if not problem.zero_sum:
        yield (
            "zero sum",
            "the opponent does not simply minimise one's own value: game theory's equilibria are needed",
        )
    if problem.simultaneous:
        yield (
            "alternating moves",
            "with moves made at once a mixed strategy may be best: a matrix game is to be solved",
        )


def grundy(problem: Problem) -> Recommendation:
    """Return the answer for a sum of impartial games."""
    steps = Cost(
        "Sprague-Grundy",
        "d·b",
        f"{problem.depth}·{short(problem.branching)}",
        log10(problem.depth) + log10(problem.branching),
    )
    why = "the parts' values come from a table, one mex for each size, and their XOR decides: no tree is searched"
    return Recommendation("Sprague-Grundy", (), (why,), (full_width(problem), steps))


def hidden(problem: Problem) -> Recommendation:
    """Return the answer where something is hidden: minimax over the deals that are possible, or over some of them."""
    tree, budget = tree_cost(problem), log10(problem.nodes)
    every = Cost(
        "minimax over all deals",
        f"deals·{tree.formula}",
        f"{short(problem.deals)}·{tree.numbers}",
        log10(problem.deals) + tree.log10,
    )
    technique, *why = over_deals(problem, tree, budget)
    if technique == INFORMATION_SETS:
        return Recommendation(technique, (), tuple(why), (every,))
    why.append("each deal is searched as if it were known, so bluffing and gaining information count for nothing")
    return Recommendation(technique, (), tuple(why), (every,), STRATEGY_FUSION)


def over_deals(problem: Problem, tree: Cost, budget: float) -> tuple[str, ...]:
    """Return the technique and the reasons for it; searches to the end of the game come before a depth limit.

    :param tree: what one deal costs to the end of the game.
    :param budget: the decimal logarithm of the positions that a search can afford.
    """
    every, some = log10(problem.deals), log10(min(problem.deals, USEFUL_DEALS))
    known = f"{short(problem.deals)} deals fit what is known; {magnitude(budget)} positions"
    error = "as many deals as time allows are drawn: the error falls with the square root of their number"
    if every + tree.log10 <= budget:
        return "minimax over all deals", f"{known} are enough to search all of them to the end"
    if some + tree.log10 <= budget:
        drawn = f"about {magnitude(budget - tree.log10)} of them"
        return "Monte Carlo over sampled deals", f"{known} are enough to search {drawn} to the end", error
    if problem.evaluation and (plies := reach(problem, budget - every)) >= useful_depth(problem):
        limit = f"{plies} of {problem.depth} plies, where an evaluation takes over"
        return "minimax over all deals", f"{known} reach {limit}, in each of them"
    if problem.evaluation and (plies := reach(problem, budget - some)) >= useful_depth(problem):
        limit = f"{plies} of {problem.depth} plies, where an evaluation takes over"
        return "Monte Carlo over sampled deals", f"{known} reach {limit}, in {USEFUL_DEALS} of them", error
    return (
        INFORMATION_SETS,
        f"{known} are too few for a search of each, to the end or to a depth that pays",
        "games are played out to the end, a deal drawn for each, ever more of them along the best moves (UCB)",
    )


def chance(problem: Problem) -> Recommendation:
    """Return the answer where chance decides, but everything is seen."""
    plain = Cost(
        "expectiminimax",
        "(b·n)^d",
        f"({short(problem.branching)}·{short(problem.outcomes)})^{problem.depth}",
        problem.depth * (log10(problem.branching) + log10(problem.outcomes)),
    )
    why = "a chance node is worth the mean of its outcomes, weighted by their odds; Star1 and Star2 prune around it"
    return decide(problem, plain, "expectiminimax", why)


def perfect(problem: Problem) -> Recommendation:
    """Return the answer for two players, zero sum, no chance, nothing hidden."""
    plain = full_width(problem)
    if plain.log10 <= log10(problem.nodes):
        why = (
            f"the whole tree is within {magnitude(log10(problem.nodes))} positions: nothing need be pruned to solve it"
        )
        return Recommendation("minimax", (), (why,), (plain,))
    why = "pruning leaves the value as it is, and with the best move first twice the depth costs the same"
    pruned = alpha_beta(problem)
    advice = decide(problem, pruned, "alpha-beta", why)
    return replace(advice, costs=(plain, *advice.costs))


def decide(problem: Problem, cost: Cost, technique: str, why: str) -> Recommendation:
    """Return ``technique`` to the end of the game, to a depth, or, where that depth is too little, sampling."""
    budget, useful = log10(problem.nodes), useful_depth(problem)
    if cost.log10 <= budget:
        return Recommendation(technique, (), (why, f"the end is within {magnitude(budget)} positions"), (cost,))
    plies = reach(problem, budget)
    reached = f"{magnitude(budget)} positions reach {plies} of {problem.depth} plies"
    if problem.evaluation and plies >= useful:
        return Recommendation(technique, (), (why, f"{reached}, where an evaluation takes over"), (cost,))
    if problem.evaluation:
        reason = f"{reached}, fewer than the {useful} that pay"
    else:
        reason = f"{reached}, and there is no evaluation to take over there"
    sampling = "games played out to the end, ever more of them along the best moves (UCB), estimate the value instead"
    return Recommendation("Monte Carlo tree search", (), (reason, sampling), (cost,))


def reach(problem: Problem, budget: float) -> int:
    """Return the plies that a search of one known game goes through, by alpha-beta or by expectiminimax.

    :param budget: the decimal logarithm of the positions that it can afford; less than one position reaches nothing.
    """
    branching = log10(problem.branching)
    per_ply = branching + log10(problem.outcomes) if problem.outcomes > 1 else branching / 2
    return floor(budget / per_ply + 1e-9) if per_ply > 0 and budget > 0 else 0


def useful_depth(problem: Problem) -> int:
    """Return the plies that must be within reach for a search to a depth to pay."""
    return USEFUL_CHANCE_DEPTH if problem.outcomes > 1 else USEFUL_DEPTH


def tree_cost(problem: Problem) -> Cost:
    """Return what one known deal costs: alpha-beta, or expectiminimax where there is chance too."""
    if problem.outcomes <= 1:
        return alpha_beta(problem)
    return chance(problem).costs[-1]


def full_width(problem: Problem) -> Cost:
    """Return the leaves of plain minimax."""
    return Cost(
        "minimax", "b^d", f"{short(problem.branching)}^{problem.depth}", problem.depth * log10(problem.branching)
    )


def alpha_beta(problem: Problem) -> Cost:
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
    if digits == "10":
        whole, digits = whole + 1, "1"
    return f"{digits}e{whole}"


def report(advice: Recommendation) -> list[str]:
    """Return the answer as lines for a person: first the assumptions that fail, then the remedy."""
    *others, last = advice.broken or ("",)
    named = f"the assumptions of {', '.join(others)} and {last}" if others else f"the assumption of {last}"
    lines = [f"broken     {named}"] if advice.broken else []
    lines.append(f"technique  {advice.technique}{', nevertheless' if advice.minimax_fails else ''}")
    lines += [f"minimax    {NOT_APPLICABLE}: {advice.minimax_fails}"] if advice.minimax_fails else []
    lines += [f"here       {advice.here}"] if advice.here else []
    lines += labelled("why", advice.why)
    costs = [
        f"{cost.name}: {cost.formula} = {cost.numbers} = {magnitude(cost.log10)} positions" for cost in advice.costs
    ]
    return lines + labelled("cost", costs)


def labelled(label: str, texts: Sequence[str]) -> list[str]:
    """Return one line for each text, the label before the first."""
    return [f"{label if index == 0 else '':<10} {text}" for index, text in enumerate(texts)]
