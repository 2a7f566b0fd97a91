"""Building a book: batch by batch, the positions that count most are gone into, and what follows them is searched.

A batch depends on the batches before it and on nothing else, so that a build that was killed goes on to the same bytes,
on any number of processes.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from quietmove.engine.errors import BookError
from quietmove.engine.games.othello.book import pack_book
from quietmove.engine.games.othello.evaluators.weights import SHIPPED
from quietmove.engine.games.othello.symmetry import Board
from quietmove.engine.tools.book.graph import Batch, Graph
from quietmove.engine.tools.book.values import Effort, judge, promising
from quietmove.engine.tools.book.work_file import WorkFile
from quietmove.engine.tools.workers import Workers

__all__ = ["BATCH", "Plan", "build", "expand"]

BATCH = 64  # positions that are gone into at once


@dataclass(frozen=True, slots=True)
class Plan:
    """What a book follows from.

    :param positions: how many it has at least, if there are so many; the last batch may bring more.
    """

    positions: int
    effort: Effort

    def parameters(self) -> dict[str, int]:
        """Return what a work file is made with: ``positions`` is not part of it, so that a book can grow."""
        weights = zlib.crc32(Path(SHIPPED).read_bytes())
        return {"depth": self.effort.depth, "exact": self.effort.exact, "batch": BATCH, "weights": weights}


def build(plan: Plan, output: Path, work: Path, processes: int, show: Callable[[int], None]) -> int:
    """Build a book, or finish one, and return how many positions it has.

    :param output: is written whole at the end, or not at all.
    :param work: the file of the work, which a later build of more positions may continue.
    :param show: is told the number of positions after each batch.
    :raises BookError: if a file cannot be read or written, or ``work`` was made otherwise.
    :raises WorkerError: if a worker process ends before its work is done.
    """
    if output.is_dir() or not output.parent.is_dir():  # else all the work would be done first
        raise BookError(f"book: {output}: a file in a folder that is there is allowed")
    graph = Graph()
    with WorkFile(work, plan.parameters()) as file, Workers(processes) as workers:
        for batch in file.batches():
            graph.add(batch)
            if len(graph) >= plan.positions:
                break
        show(len(graph))
        graph.settle()
        while len(graph) < plan.positions and (boards := graph.next_boards(BATCH)):
            batch = expand(plan.effort, boards, graph, workers)
            file.append(batch)
            graph.add(batch)
            graph.settle()
            show(len(graph))
    write_whole(output, pack_book(graph.entries(), plan.effort.depth, plan.effort.exact))
    return len(graph)


def expand(effort: Effort, boards: Sequence[Board], graph: Graph, workers: Workers) -> Batch:
    """Go into the boards; what follows them and is not in the graph yet is searched, each position once."""
    followers = dict(zip(boards, workers.compute(partial(promising, effort), boards), strict=True))
    new = sorted({board for after in followers.values() for board, _ in after if board not in graph})
    return Batch(followers, dict(zip(new, workers.compute(partial(judge, effort), new), strict=True)))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never there in part.

    :raises BookError: if it cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise BookError(f"book: {path}: {error.strerror}") from None
