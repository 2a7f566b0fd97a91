"""``quietmove bench``: a fixed workload. Its node count is a signature of the search, its time a measure of speed.

The search is deterministic: programs with different counts search differently, and a commit that keeps the count very
likely changes only the speed. In real games, searches are selective, and half of their static evaluations are
repeated, compared to one in ten here; the second line shows the speed of such searches.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.root_search import RootSearch
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, SearchResult, Settings

DEPTH = 11
AS_PLAYED = Settings(selectivity=5)  # the engine's default selectivity
DEPTH_AS_PLAYED = 17  # about the depth that a search reaches in 50 ms
MEGABYTES = 16

# The initial position, and positions with 53 to 9 empty squares from self-play games with some random moves.
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
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="Search to depth N.")
@click.option(
    "--orderings", is_flag=True, help="Compare the move orderings on the initial position (default depth: 10)."
)
def bench(depth: int | None, orderings: bool) -> None:
    """Search a fixed set of positions; the node count is a signature of the search."""
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
    """Format the node count and the nodes per second."""
    return f"{nodes} nodes, {round(nodes / max(seconds, 1e-9))} nodes a second"


def run(
    depth: int = DEPTH, settings: Settings | None = None, positions: Sequence[str] = POSITIONS
) -> tuple[int, float]:
    """Search each position to ``depth`` with an empty table, and return the total nodes and seconds."""
    game = get_game("othello")
    nodes, seconds = 0, 0.0
    for text in positions:
        table = Table(MEGABYTES)
        search = Deepening(game.parse_position(text.split()), table, settings or Settings(), Limits(depth=depth))
        began = time.perf_counter()
        nodes += finish(search).nodes
        seconds += time.perf_counter() - began
    return nodes, seconds


def finish(search: RootSearch) -> SearchResult:
    """Run a search to its end and return its result."""
    for _ in search.iterations():
        pass
    return search.result()
