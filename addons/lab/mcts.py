"""Convergence of Monte Carlo tree search to the minimax move and value, compared with alpha-beta."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from statistics import mean

import click

from quietmove.addons.lab.experiment import experiment, numbers_option, seed_option
from quietmove.addons.lab.searches import share, start_position, wander
from quietmove.addons.shared.report import Cell, Figure, Report, columns
from quietmove.engine.common.command_line import number_option
from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.mcts import MonteCarlo
from quietmove.engine.search.table import Table
from quietmove.engine.shared_options import game_option
from quietmove.engine.tools.bench import finish
from quietmove.engine.values import Limits, SearchResult, Settings

BUDGETS = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
LONGEST_OPENING = 8  # maximum number of random moves before a decision
EXACT_NODES = 10_000_000  # node limit for the exact search of one move
TRIES = 100  # random positions to try for each decision requested
MEGABYTES = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """A position in which some moves are mistakes: they change its game-theoretic value.

    :param best: the moves that preserve the value.
    :param value: the exact value in points; 1, 0 or -1 in a game with only wins, draws and losses.
    :param largest: the maximum absolute value of an answer; larger ones are clipped.
    """

    position: Position
    best: frozenset[int]
    value: float
    largest: float

    def error(self, answer: SearchResult) -> float:
        """Return the absolute error of a search result's value. A result without a value counts as 0."""
        value = 0.0 if answer.score is None else points(answer.score.value)
        return abs(max(-self.largest, min(self.largest, value)) - self.value)


def measure(
    game: str = "connect",
    positions: int = 20,
    seeds: int = 10,
    seed: int = 1,
    exploration: int = Settings().exploration,
    nodes: Sequence[int] = (),
) -> Report:
    """Monte Carlo tree search compared with exact values.

    Alpha-beta searches with the same node budgets for comparison.
    """
    drawn = decisions(game, positions, seed)
    chosen = [Settings(seed=number, exploration=exploration) for number in range(seeds)]
    rows: list[tuple[Cell, ...]] = []
    for budget in sorted(set(nodes or BUDGETS)):
        limits = Limits(nodes=budget)
        sampled = [(each, MonteCarlo(each.position, MEGABYTES, how, limits)) for each in drawn for how in chosen]
        pruned = [(each, Deepening(each.position, Table(MEGABYTES), Settings(), limits)) for each in drawn]
        answers = ([(each, finish(search)) for each, search in way] for way in (sampled, pruned))
        rows.append((budget, *(figure for way in answers for figure in judge(way, budget))))
    return Report(
        "mcts",
        f"{game}: {len(drawn)} positions in which the move matters, {seeds} seeds each",
        columns(
            "nodes:,d; mcts right %:.1f; mcts error:.3f; mcts proven %:.1f; alpha-beta right %:.1f; "
            "alpha-beta error:.3f; alpha-beta proven %:.1f"
        ),
        rows,
        tuple(
            Figure(
                "nodes",
                (f"mcts {what}", f"alpha-beta {what}"),
                label,
                log=False,
                log_x=True,
                labels=("Monte Carlo tree search", "alpha-beta"),
            )
            for what, label in (("right %", "best move found (%)"), ("error", "mean error of the value (points)"))
        ),
        (
            "Right: the move keeps the position's exact value, as determined by an exact search of each move.",
            "Error: the distance between the reported and the exact value, in points. In a game with only wins, draws"
            " and losses, a win is 1, and estimates above 1 count as 1.",
            "Proven: the search stopped before its node limit because the position was solved.",
            "A node is one move made, in the tree or in a playout.",
        ),
    )


def decisions(game: str, count: int, seed: int) -> list[Decision]:
    """Return distinct positions of random games in which some moves lose value.

    :raises click.UsageError: if no such position is found.
    """
    choices = random.Random(seed)
    found = dict[int, Decision]()
    for _ in range(TRIES * count):
        position = wander(start_position(game), choices.randint(0, LONGEST_OPENING), choices)
        if position.key not in found and (decision := decide(position)) is not None:
            found[position.key] = decision
        if len(found) == count:
            break
    if not found:
        raise click.UsageError(f"--game: {game}: found no position in which one move is better than another")
    return list(found.values())


def decide(position: Position) -> Decision | None:
    """Return ``position`` as a decision, or None if all its moves are equally good."""
    moves = position.legal_moves()
    if len(moves) < 2:
        return None
    scores = {move: exact(position, move) for move in moves}
    value = max(map(points, scores.values()))
    best = frozenset(move for move in moves if points(scores[move]) == value)
    largest = 1.0 if any(abs(score) > DECISIVE for score in scores.values()) else inf
    return Decision(position, best, value, largest) if len(best) < len(moves) else None


def exact(position: Position, move: int) -> int:
    """Return the exact value of a move in hundredths of a point."""
    limits = Limits(goal="solve", searchmoves=(move,), nodes=EXACT_NODES)
    found = finish(Deepening(position, Table(MEGABYTES), Settings(), limits))
    if found.score is None or found.nodes >= EXACT_NODES:
        raise click.UsageError(f"--game: must be solvable within {EXACT_NODES:,} nodes per move")
    return found.score.value


def points(score: int) -> float:
    """Convert a score to points; a win is 1 and a loss -1."""
    if abs(score) > DECISIVE:
        return 1.0 if score > 0 else -1.0
    return score / 100


def judge(answers: Sequence[tuple[Decision, SearchResult]], nodes: int) -> tuple[float, float, float]:
    """Return the percentage of right moves, the mean error, and the percentage of searches below ``nodes`` nodes."""
    return (
        round(share(sum(answer.move in decision.best for decision, answer in answers), len(answers)), 1),
        round(mean(decision.error(answer) for decision, answer in answers), 4),
        round(share(sum(answer.nodes < nodes for _, answer in answers), len(answers)), 1),
    )


command = experiment(
    "mcts",
    measure,
    game_option("connect", "A game small enough to be solved."),
    number_option("--positions", 20, "Number of positions.", high=1000),
    number_option("--seeds", 10, "Searches per position.", high=1000),
    seed_option("Seed of the positions."),
    number_option("--exploration", Settings().exploration, "Value of the engine's Exploration option.", 0, 1000),
    numbers_option("--nodes", "Node budget"),
)
