"""``quietmove bench``, a fixed piece of work: its node count is the signature of the search, its time the speed.

The search is reproducible, so two programs whose counts differ search differently, and two commits whose counts are the
same have, very likely, changed nothing but the speed. In games a search is selective, and half of the static values
that it asks for are repeats, against one in ten here: a second line tells the speed of such searches.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.node import INFINITE, MAX_DEPTH, Search
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.root_search import RootSearch, full_depth
from quietmove.engine.search.table import Table
from quietmove.engine.search.traced_search import require_small
from quietmove.engine.values import Limits, SearchResult, Settings

TRIES = 100  # random games that are looked at for each position that is wanted
AFFORDABLE = 1_000_000  # nodes of minimax that take a second or so in any game


@dataclass(frozen=True, slots=True)
class Iteration:
    """One search to one depth; all counts are of this search alone.

    :param value: hundredths from the side to move.
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
    """Return the position that ``fields`` describe, or the start of the game; it has a move to make.

    :raises click.UsageError: if the game is over there, or is one of dice or hidden cards.
    :raises GameError: if there is no such game or position.
    """
    rules = get_game(game)
    if rules.kind != "perfect":
        raise click.UsageError(
            f"--game: must be without dice and hidden cards, not {game}; see 'lab dice' and 'lab deals'"
        )
    position = rules.initial() if fields is None else rules.parse_position(fields.split())
    if position.is_over():
        raise click.UsageError("the position: must have a move to search, not be the end of the game")
    return position


def wander(position: Position, plies: int, choices: random.Random) -> Position:
    """Return the position after so many random moves, or after fewer where the game ends; ``position`` is used."""
    for _ in range(plies):
        if moves := sorted(position.legal_moves()):
            position.play(choices.choice(moves))
    return position.copy()


def random_positions(game: str, count: int, seed: int, plies: tuple[int, int]) -> list[Position]:
    """Return different positions in which the game goes on.

    :param plies: the least and the most random moves that lead to one.
    :raises click.UsageError: if the game has not so many.
    """
    choices, found = random.Random(seed), dict[int, Position]()
    for _ in range(TRIES * count):
        position = wander(start_position(game), choices.randint(*plies), choices)
        if not position.is_over():
            found.setdefault(position.key, position)
        if len(found) == count:
            return list(found.values())
    raise click.UsageError(f"--positions: must be at most {len(found)} in this game, not {count}")


def affordable_depth(positions: Sequence[Position]) -> int:
    """Return the plies, at least 1, to which minimax makes at most :data:`AFFORDABLE` nodes in all of the positions."""
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
    """Yield why searches were ``plies`` deep, if nobody has ``asked`` for a depth and the game goes on after one."""
    if asked is None and any(plies < position.moves_left() for position in positions):
        yield f"Depth {plies} is the deepest at which minimax makes at most {AFFORDABLE:,} nodes; --depth sets another."


def deepen(
    position: Position, depth: int, settings: Settings, megabytes: int = 0, recursion: type[Search] = Search
) -> list[Iteration]:
    """Return the iterations to ``depth``, or to the end of the game where that comes sooner.

    All of them have one table and one ordering's memory.

    :param recursion: the class that searches games of this kind.
    """
    search = recursion(position, Table(megabytes) if megabytes else None, settings, lambda: False)
    return [iteration(search, position, each) for each in range(1, last_depth(position, depth) + 1)]


def search_once(position: Position, depth: int, settings: Settings, megabytes: int = 0) -> Iteration:
    """Return one search to ``depth``, or to the end of the game, without the iterations before it."""
    search = Search(position, Table(megabytes) if megabytes else None, settings, lambda: False)
    return iteration(search, position, last_depth(position, depth))


def last_depth(position: Position, depth: int) -> int:
    """Return ``depth``, or the plies to the end of the game where they are fewer."""
    return min(depth, MAX_DEPTH, position.moves_left())


def iteration(search: Search, position: Position, depth: int) -> Iteration:
    before = counts(search)
    began = time.perf_counter()
    value = search.run(full_depth(position, depth), -INFINITE, INFINITE, position.legal_moves(), whole=True)
    seconds = time.perf_counter() - began
    return Iteration(depth, value, seconds, *(now - then for now, then in zip(counts(search), before, strict=True)))


def counts(search: Search) -> tuple[int, int, int, int, int]:
    """Return the counts of a search so far, in the order of :class:`Iteration`."""
    return search.nodes, search.probes, search.hits, search.null_windows, search.researches


def finish(search: RootSearch) -> SearchResult:
    """Run a search to its end and return its answer."""
    for _ in search.iterations():
        pass
    return search.result()


def saved(fewer: float, all_nodes: float) -> float:
    return round(100 - share(fewer, all_nodes), 2)


def share(part: float, whole: float) -> float:
    """Return ``part`` in percent of ``whole``; 0 of nothing."""
    return 100 * part / whole if whole else 0.0


DEPTH = 11
AS_PLAYED = Settings(selectivity=5)  # the engine's default
DEPTH_AS_PLAYED = 17  # about the depth of a move of 50 ms
MEGABYTES = 16

# The start position, and positions from games of the engine against itself with some moves at random, 53 to 9 empties.
POSITIONS = (
    "---------------------------OX------XO--------------------------- X",
    "----------O--X-----OOO-----XO------XX--------X------------------ X",
    "--------X--------X--------XXX----XOOO---XX-O------O------------- O",
    "----------O-------OO--X---OOXXXX---OX------OXXX----------------- X",
    "-------X------X------X-----OXOO---XXXXO----XXX-O--O-XX---------- O",
    "-----------OX------OOOO---XXXOXX-XXXOO----XO-OOO---------------- X",
    "O--------OOXXX----OOXO----XXOO-----XOO----X-OO-----XO-----XXX--- O",
    "---X-------XXO--OXXXOXX-OXXXOX--OXOXX---O-XXXO--O--------------- X",
    "----------XOO----XXXOO--XXXOXXX--XXOOXX--X-OOOXX--OO-O---O------ O",
    "------------X-----XX-X-O--XXXXOO---XOXOO--XXXOXX--XXOOXX--OOOOOO X",
    "------O-----XO-----XXXX---XXXOXX-XXOXOXX--OOXXXX--OOXOXX---XXXXX O",
    "------------OX-O----OXX-OOOXOOXXOOXXOOXXOXOOOOO---XOOO-O-OOOOOO- X",
    "OOOOXXXO-OOOXXXOOOXXXXXOOOOOXX--XOOXXX--OXXXXXX---X------------- O",
    "--------X------OXXOXXXOOXOXXXOOOXXOXOOOOXXOXOOXO-OOOOXOOO-OO-X-O X",
    "---OX---O--OXX-OOOOOXOXOOOXXXOOOOOXOOXOOOOXXOXXOO-XXXO-O--XXX-O- O",
    "-XXX-O----XXOO--OOXOOX-OOOXOXXOXOOOXXOX-OOXXOXOOOXXOXX-O-XXXXXXO X",
    "------XOOX---XOOOXXXXOOOOXOOOXOOOOXOOXXOOOOOOOOOOOXXXXXOOOOOOOOO O",
)


@click.command(epilog=examples("quietmove bench", "quietmove bench --orderings"))
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="Depth of each search.")
@click.option("--orderings", is_flag=True, help="Compare the orderings on the start position instead, to depth 10.")
def bench(depth: int | None, orderings: bool) -> None:
    """Search a fixed set of positions; the node count is the signature of the search."""
    if not orderings:
        nodes, seconds = run(depth or DEPTH)
        click.echo(speed(nodes, seconds))
        if depth is None:
            click.echo(
                f"{speed(*run(DEPTH_AS_PLAYED, AS_PLAYED))} as in games, at Selectivity 5 to depth {DEPTH_AS_PLAYED}"
            )
        click.echo(f"Bench: {nodes}")
        return
    click.echo(f"from the start position to depth {depth or 10}:")
    plain = 0
    for ordering in ORDERINGS:
        nodes, _ = run(depth or 10, Settings(ordering=ordering), POSITIONS[:1])
        plain = plain or nodes
        click.echo(f"{ordering:>10} {nodes:>12} nodes {plain / nodes:>6.1f} times fewer than none")


def speed(nodes: int, seconds: float) -> str:
    """Return the nodes, and how many there were a second."""
    return f"{nodes} nodes, {round(nodes / max(seconds, 1e-9))} nodes a second"


def run(
    depth: int = DEPTH, settings: Settings | None = None, positions: Sequence[str] = POSITIONS
) -> tuple[int, float]:
    """Search every position to ``depth``, each with an empty table; return the nodes and the seconds they took."""
    game = get_game("othello")
    nodes, seconds = 0, 0.0
    for text in positions:
        table = Table(MEGABYTES)
        search = Deepening(game.parse_position(text.split()), table, settings or Settings(), Limits(depth=depth))
        began = time.perf_counter()
        nodes += finish(search).nodes
        seconds += time.perf_counter() - began
    return nodes, seconds
