"""Searches whose nodes and values the experiments compare, and their starting positions."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.node import INFINITE, MAX_DEPTH, Search
from quietmove.engine.search.root_search import full_depth
from quietmove.engine.search.table import Table
from quietmove.engine.search.traced_search import require_small
from quietmove.engine.values import Settings

TRIES = 100  # number of random games to try per position
AFFORDABLE = 1_000_000  # nodes that minimax searches in about a second in any game


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of one iteration. The counts exclude earlier iterations.

    :param value: in hundredths of a point, from the side to move's point of view.
    """

    depth: int
    value: int
    seconds: float
    nodes: int
    probes: int
    hits: int
    null_windows: int
    researches: int


def start_position(game: str, fields: str | None = None) -> Position:
    """Return the position described by ``fields``, or the initial one. It always has a legal move.

    :raises click.UsageError: if the game is already over, or has dice or hidden cards.
    :raises GameError: if there is no such game or position.
    """
    rules = get_game(game)
    if rules.kind != "perfect":
        raise click.UsageError(
            f"--game: must not have dice or hidden cards, as {game} does; see 'lab dice' and 'lab deals'"
        )
    position = rules.initial() if fields is None else rules.parse_position(fields.split())
    if position.is_over():
        raise click.UsageError("the position: the game is already over; choose one with a legal move")
    return position


def wander(position: Position, plies: int, choices: random.Random) -> Position:
    """Return the position after ``plies`` random moves, or fewer if the game ends. Modifies ``position``."""
    for _ in range(plies):
        if moves := sorted(position.legal_moves()):
            position.play(choices.choice(moves))
    return position.copy()


def random_positions(game: str, count: int, seed: int, plies: tuple[int, int]) -> list[Position]:
    """Return distinct positions in which the game is not over.

    :param plies: the minimum and maximum number of random moves before a position.
    :raises click.UsageError: if too few are found.
    """
    choices = random.Random(seed)
    found = dict[int, Position]()
    for _ in range(TRIES * count):
        position = wander(start_position(game), choices.randint(*plies), choices)
        if not position.is_over():
            found.setdefault(position.key, position)
        if len(found) == count:
            return list(found.values())
    raise click.UsageError(f"--positions: must be at most {len(found)} in this game, not {count}")


def affordable_depth(positions: Sequence[Position]) -> int:
    """Return the depth in plies, at least 1, that minimax reaches in all positions within :data:`AFFORDABLE` nodes."""
    last = min(MAX_DEPTH, max(position.moves_left() for position in positions))
    for depth in range(2, last + 1):
        room = AFFORDABLE
        try:
            for each in positions:
                room -= require_small(each, full_depth(each, depth), False, each.legal_moves(), room)
        except LimitsError:
            return depth - 1
    return last


def depth_note(positions: Sequence[Position], asked: int | None, plies: int) -> Iterator[str]:
    """Yield a note on the default depth, unless the user ``asked`` for another or the game ends within it."""
    if asked is None and any(plies < position.moves_left() for position in positions):
        yield f"Depth {plies} is the deepest that minimax searches in {AFFORDABLE:,} nodes; change it with --depth."


def deepen(
    position: Position, depth: int, settings: Settings, megabytes: int = 0, recursion: type[Search] = Search
) -> list[Iteration]:
    """Search by iterative deepening to ``depth``, or to the end of the game if that is nearer; return the iterations.

    All iterations share one table and one ordering history.

    :param recursion: the search class for this kind of game.
    """
    search = recursion(position, Table(megabytes) if megabytes else None, settings, lambda: False)
    return [iteration(search, position, each) for each in range(1, last_depth(position, depth) + 1)]


def search_once(position: Position, depth: int, settings: Settings, megabytes: int = 0) -> Iteration:
    """Search directly to ``depth`` (or the end of the game), without iterative deepening, and return the result."""
    search = Search(position, Table(megabytes) if megabytes else None, settings, lambda: False)
    return iteration(search, position, last_depth(position, depth))


def last_depth(position: Position, depth: int) -> int:
    """Return ``depth``, or the number of plies to the end of the game if that is smaller."""
    return min(depth, MAX_DEPTH, position.moves_left())


def iteration(search: Search, position: Position, depth: int) -> Iteration:
    before = counts(search)
    began = time.perf_counter()
    value = search.run(full_depth(position, depth), -INFINITE, INFINITE, position.legal_moves(), whole=True)
    seconds = time.perf_counter() - began
    return Iteration(depth, value, seconds, *(now - then for now, then in zip(counts(search), before, strict=True)))


def counts(search: Search) -> tuple[int, int, int, int, int]:
    """Return the search's counters, in the order of :class:`Iteration`."""
    return search.nodes, search.probes, search.hits, search.null_windows, search.researches


def saved(fewer: float, all_nodes: float) -> float:
    return round(100 - share(fewer, all_nodes), 2)


def share(part: float, whole: float) -> float:
    """Return ``part`` as a percentage of ``whole``, or 0 if ``whole`` is 0."""
    return 100 * part / whole if whole else 0.0
