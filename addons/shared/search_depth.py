"""Options that several ``quietmove train`` commands share, and the search that computes a position's value."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from quietmove.engine.common.command_line import number_option
from quietmove.engine.files import read_bytes, write_whole
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.evaluators import chosen_evaluator, make_evaluator
from quietmove.engine.games.othello.evaluators.network_weights import SHIPPED, is_network
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.search.table import Table
from quietmove.engine.values import Settings

Command = Callable[..., Any]

SELECTIVE_FROM = 6  # minimum depth in plies of a selective search with iterative deepening and a table
SELECTIVITY = 4  # labels 3 times as many positions per second at depth 6 as a full-width search, and 8 times at depth 8
STEP = 2  # plies per deepening step, because values at even and odd depths differ systematically
MEGABYTES = 2  # table size; fits in a level-2 cache
SOLVED_AT_ONCE = 12  # with at most this many moves left, solve directly, without shallower searches


@dataclass(frozen=True, slots=True)
class SearchDepth:
    """The depth and the evaluation of a search.

    :param depth: in plies; from :data:`SELECTIVE_FROM` on, the search is selective unless it solves the position.
    :param exact: maximum number of empty squares for solving a position exactly.
    :param evaluation: the name of an evaluator.
    :param weights: the path of the evaluator's weights file, or "" for the shipped weights.
    """

    depth: int
    exact: int
    evaluation: str = "network"
    weights: str = ""


class Judge:
    """A position and a search for its value. The table is kept between positions, so use a new object for each batch.

    :ivar position: the position to search. Set it up, or make moves on it, before calling :meth:`value`.
    """

    def __init__(self, effort: SearchDepth) -> None:
        self.effort = effort
        self.position = OthelloPosition(0x810000000, 0x1008000000, 0)
        settings = Settings(evaluation=effort.evaluation, evaluation_file=effort.weights)
        self._table = Table(MEGABYTES) if effort.depth >= SELECTIVE_FROM else None
        self._search = Search(self.position, self._table, settings, lambda: False)

    def is_exact(self) -> bool:
        """Return whether :meth:`value` solves the position exactly."""
        return self.position.moves_left() <= self.effort.exact

    def value(self, low: int = -INFINITE, high: int = INFINITE) -> tuple[int, int]:
        """Return the value in hundredths of a disc, from the side to move's point of view, and the best move.

        The window must contain the value. The game must not be over.
        """
        moves = self.position.legal_moves()
        plies = SOLVED if self.is_exact() else self.effort.depth
        if self._table is not None:
            self._table.new_search()
            self._search.choose_selectivity(SELECTIVITY)
            if plies != SOLVED or self.position.moves_left() > SOLVED_AT_ONCE:
                for depth in range(STEP, self.effort.depth, STEP):
                    self._search.run(depth, -INFINITE, INFINITE, moves, True)
            self._search.choose_selectivity(SELECTIVITY if plies != SOLVED else 0)
        value = self._search.run(plies, low, high, moves, True)
        return value, self._search.line()[0]


def discs(position: OthelloPosition) -> tuple[int, int]:
    """Return the discs of the side to move and of the opponent."""
    return (position.white, position.black) if position.side_to_move else (position.black, position.white)


processes_option = click.option(
    "--processes",
    type=click.IntRange(1, 1024),
    default=os.cpu_count() or 1,
    metavar="N",
    help="Number of worker processes.  [default: one per core]",
)


def depth_option(default: int) -> Callable[[Command], Command]:
    """Return the ``--depth`` option."""
    return number_option("--depth", default, "Search depth in plies.", high=20)


def exact_option(default: int) -> Callable[[Command], Command]:
    """Return the ``--exact`` option."""
    text = "Solve positions with at most this many empty squares exactly."
    return number_option("--exact", default, text, 0, 24)


def effort_options(depth: int, exact: int) -> Callable[[Command], Command]:
    """Return a decorator that adds the search options with these defaults; the command receives ``effort``."""

    def decorate(command: Command) -> Command:
        @depth_option(depth)
        @exact_option(exact)
        @click.option(
            "--evaluation",
            default="",
            metavar="NAME",
            help="Evaluator of the search.  [default: network]",
        )
        @click.option(
            "--weights",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Weights file for the network.  [default: the shipped weights]",
        )
        @wraps(command)
        def with_effort(depth: int, exact: int, evaluation: str, weights: Path | None, **others: Any) -> Any:
            path = str(weights) if weights is not None else ""
            evaluation = chosen_evaluator(evaluation, 8)
            make_evaluator(evaluation, path)  # raises an error if the file is invalid
            return command(effort=SearchDepth(depth, exact, evaluation, path), **others)

        return with_effort

    return decorate


def made_by(effort: SearchDepth) -> dict[str, object]:
    """Return the parameters that determine the values. The weights are identified by a checksum, not by their path."""
    path = (effort.weights or SHIPPED) if effort.evaluation == "network" else None
    checksum = zlib.crc32(read_bytes(path)) if path else None
    return {"depth": effort.depth, "exact": effort.exact, "evaluation": effort.evaluation, "weights": checksum}


def write_output(path: Path, data: bytes) -> None:
    """Write a file atomically.

    :raises click.UsageError: if the file cannot be written.
    """
    try:
        write_whole(path, data)
    except OSError as error:
        raise click.UsageError(f"OUTPUT: {path}: {error.strerror}") from None


def check_output(output: Path, files: Sequence[Path]) -> None:
    """Check before a fit that its weights can be written to ``output``, a new file or an existing weights file.

    :raises click.UsageError: if they cannot.
    """
    if not os.access(output.parent, os.W_OK):
        raise click.UsageError(f"OUTPUT: must be in a writable folder, not in {str(output.parent)!r}")
    if output.resolve() in {file.resolve() for file in files}:
        raise click.UsageError(f"OUTPUT: must not be an input file, but {output} is one")
    if output.exists() and not (output.is_file() and is_network(str(output))):
        raise click.UsageError(f"OUTPUT: must be a new file or a weights file, not {output}")
