"""``quietmove book build``: an opening book from the engine's own searches.

The most important positions are expanded batch by batch, and the positions after their moves are searched. A batch
depends only on the batches before it, so a build produces the same bytes with any number of processes, even if it is
interrupted and resumed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import click

from quietmove.addons.library.book.graph import Batch, Graph, SearchedValue
from quietmove.addons.shared.search_depth import SearchDepth, made_by, processes_option
from quietmove.addons.shared.work_file import WorkFile
from quietmove.addons.shared.workers import Workers
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.errors import BookError
from quietmove.engine.files import write_whole
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.book import pack_book
from quietmove.engine.games.othello.symmetry import Board, board_of
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Goal, Info, Limits, Settings

BATCH = 64  # positions expanded together
SIEVE_DEPTH = 8
SIEVE_MEGABYTES = 1
SIEVE_MARGIN = 400  # hundredths of a disc; moves that lose more are skipped
MEGABYTES = 4
SELECTIVITY = 5


@click.command(
    epilog=examples("quietmove book build my.book --positions 20000 --depth 14"),
)
@click.argument("output", type=click.Path(path_type=Path))
@number_option("--positions", 20_000, "Minimum number of positions.", high=80_000)
@number_option("--depth", 14, "Search depth in plies.", high=40)
@number_option("--exact", 20, "Solve positions with at most this many empty squares; the book ends there.", 0, 30)
@click.option(
    "--work",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File for intermediate results.  [default: OUTPUT.work]",
)
@processes_option
def build(output: Path, positions: int, depth: int, exact: int, work: Path | None, processes: int) -> None:
    """Build an Othello opening book and write it to OUTPUT.

    Positions reached after few plies and with small losses are expanded first. Moves that lose too much in a short
    search are skipped.

    Results are saved in the work file, batch by batch. Repeat the command to continue an interrupted build; the output
    is the same, even with a different number of processes. A larger build with the same depth can continue the work
    file of a smaller one.
    """
    began = time.perf_counter()
    work = work or output.with_name(f"{output.name}.work")

    def show(count: int) -> None:
        click.echo(f"{count:,} of {positions:,} positions", err=True)

    count = build_book(SearchDepth(depth, exact), positions, output, work, processes, show)
    seconds = time.perf_counter() - began
    click.echo(f"{output}: {count:,} positions, {output.stat().st_size:,} bytes; {seconds:.0f} seconds")


def build_book(
    effort: SearchDepth, positions: int, output: Path, work: Path, processes: int, show: Callable[[int], None]
) -> int:
    """Build or resume a book, and return its number of positions.

    :param positions: the number of positions to reach, if that many exist; the last batch may exceed it.
    :param output: the book file, which is written atomically at the end.
    :param work: the work file, which a later, larger build can continue.
    :param show: called with the number of positions after each batch.
    :raises BookError: if a file cannot be read or written, or ``work`` was created with different parameters.
    :raises WorkerError: if a worker process exits before its work is done.
    """
    if output.is_dir() or not output.parent.is_dir():  # fail before doing all the work
        raise BookError(f"book: {output}: must be a file in an existing folder")
    graph = Graph()
    with (
        WorkFile(work, "book work", {**made_by(effort), "batch": BATCH}, BookError) as file,
        Workers(processes) as workers,
    ):
        for piece in file:
            graph.add(unpacked(*json.loads(piece)))
            if len(graph) >= positions:
                break
        show(len(graph))
        graph.settle()
        while len(graph) < positions and (boards := graph.next_boards(BATCH)):
            batch = expand(effort, boards, graph, workers)
            file.append(packed(batch))
            graph.add(batch)
            graph.settle()
            show(len(graph))
    try:
        write_whole(output, pack_book(graph.entries(), effort.depth, effort.exact))
    except OSError as error:
        raise BookError(f"book: {output}: {error.strerror}") from None
    return len(graph)


def expand(effort: SearchDepth, boards: Sequence[Board], graph: Graph, workers: Workers) -> Batch:
    """Find the promising moves on each board, search the new positions after them, and return both."""
    followers = dict(zip(boards, workers.compute(partial(promising, effort), boards), strict=True))
    new = sorted({board for after in followers.values() for board, _ in after if board not in graph})
    return Batch(followers, dict(zip(new, workers.compute(partial(judge, effort), new), strict=True)))


def packed(batch: Batch) -> bytes:
    """Return a batch in the format of a work file: a JSON array of the expanded positions and the searches."""
    moves = [[*board, [[*each, int(passed)] for each, passed in after]] for board, after in batch.followers.items()]
    searches = [[*board, each.value, each.depth, int(each.exact)] for board, each in batch.searched.items()]
    return json.dumps([moves, searches], separators=(",", ":")).encode()


def unpacked(moves: Iterable[tuple[int, int, list[Sequence[int]]]], searches: Iterable[Sequence[int]]) -> Batch:
    followers = {(own, opp): [((a, b), bool(passed)) for a, b, passed in after] for own, opp, after in moves}
    searched = {(own, opp): SearchedValue(value, depth, bool(exact)) for own, opp, value, depth, exact in searches}
    return Batch(followers, searched)


def promising(effort: SearchDepth, board: Board) -> list[tuple[Board, bool]]:
    """Return the positions after moves that a short search considers close to the best.

    Each position is canonical and paired with whether the same player moves again.
    """
    position = OthelloPosition(*board, 0)
    lines = search(position, Limits(depth=min(SIEVE_DEPTH, effort.depth)), SIEVE_MEGABYTES, multipv=64)
    best = max(line.score.value for line in lines)
    found = [after(position, line.pv[0]) for line in lines if best - line.score.value <= SIEVE_MARGIN]
    return sorted(set(found))


def after(position: OthelloPosition, move: int) -> tuple[Board, bool]:
    """Return the board after a move and any forced pass, and whether the opponent had to pass."""
    child = position.copy()
    child.play(move)
    passed = child.legal_moves() == [PASS]
    if passed:
        child.play(PASS)
    return board_of(child), passed


def judge(effort: SearchDepth, board: Board) -> SearchedValue:
    """Solve a position if it has few empty squares; otherwise search it to the given depth."""
    position = OthelloPosition(*board, 0)
    empties = position.moves_left()
    if position.is_over():
        return SearchedValue(position.result(), empties, exact=True)
    exact = empties <= max(effort.exact, effort.depth)
    goal: Goal = "solve" if exact else "move"
    depth = empties if exact else effort.depth
    last = search(position, Limits(depth=None if exact else depth, goal=goal), MEGABYTES)[0]
    return SearchedValue(last.score.value, depth, exact)


def search(position: OthelloPosition, limits: Limits, megabytes: int, multipv: int = 1) -> list[Info[int]]:
    """Return the lines of the last iteration of a search with a fresh table."""
    settings = Settings(selectivity=SELECTIVITY, multipv=multipv)
    last: list[Info[int]] = []
    for info in Deepening(position.copy(), Table(megabytes), settings, limits).iterations():
        if info.rank == 1:
            last = []
        last.append(info)
    return last
