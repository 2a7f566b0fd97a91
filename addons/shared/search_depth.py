"""What several of the commands of ``quietmove train`` have in common: options, and the value that a search finds."""

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
from quietmove.engine.games.othello.evaluators import (
    chosen_evaluator,
    kind_of,
    make_evaluator,
    network_weights,
    weights,
)
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.search.table import Table
from quietmove.engine.values import Settings

Command = Callable[..., Any]
SHIPPED = {"learnt": weights.SHIPPED, "network": network_weights.SHIPPED}  # the files of the evaluators that have one

SELECTIVE_FROM = 6  # plies from which on a search is selective, follows shallower ones and has a table
SELECTIVITY = 4  # such a search labels 3 times the positions of depth 6 a second, 8 times those of depth 8
STEP = 2  # plies between the searches of one position: values at even and odd depths differ on the whole
MEGABYTES = 2  # a table of this size lies in a level-2 cache
SOLVED_AT_ONCE = 12  # moves left at most of a search to the end that no shallower search goes before


@dataclass(frozen=True, slots=True)
class SearchDepth:
    """How far a position is searched, and by which evaluation.

    :param depth: plies; from :data:`SELECTIVE_FROM` on the search is selective, unless it goes to the end of the game.
    :param exact: with at most this many empty squares the search goes to the end of the game.
    :param evaluation: the name of an evaluator.
    :param weights: the path of its weights, "" for those of the package.
    """

    depth: int
    exact: int
    evaluation: str = "learnt"
    weights: str = ""


class Judge:
    """A position and a search of it. It forgets nothing between positions: one judge for each block of work.

    :ivar position: play on it, or set it up.
    """

    def __init__(self, effort: SearchDepth) -> None:
        self.effort = effort
        self.position = OthelloPosition(0x810000000, 0x1008000000, 0)
        settings = Settings(evaluation=effort.evaluation, evaluation_file=effort.weights)
        self._table = Table(MEGABYTES) if effort.depth >= SELECTIVE_FROM else None
        self._search = Search(self.position, self._table, settings, lambda: False)

    def is_exact(self) -> bool:
        """Tell whether the position is searched to the end of the game."""
        return self.position.moves_left() <= self.effort.exact

    def value(self, low: int = -INFINITE, high: int = INFINITE) -> tuple[int, int]:
        """Return the value in hundredths of a disc, from the side to move, and the best move.

        The window must hold the value. The game must not be over.
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
    """Return the discs of the side to move, and those of the other side."""
    return (position.white, position.black) if position.side_to_move else (position.black, position.white)


processes_option = click.option(
    "--processes",
    type=click.IntRange(1, 1024),
    default=os.cpu_count() or 1,
    metavar="N",
    help="Processes that share the work.  [default: one for each core]",
)


def depth_option(default: int) -> Callable[[Command], Command]:
    """Return the option ``--depth``."""
    return number_option("--depth", default, "Plies that a position is searched.", high=20)


def exact_option(default: int) -> Callable[[Command], Command]:
    """Return the option ``--exact``."""
    text = "Empty squares from which on it is searched to the end of the game."
    return number_option("--exact", default, text, 0, 24)


def effort_options(depth: int, exact: int) -> Callable[[Command], Command]:
    """Return the options that say how a position is searched, with these defaults; the command takes ``effort``."""

    def decorate(command: Command) -> Command:
        @depth_option(depth)
        @exact_option(exact)
        @click.option(
            "--evaluation",
            default="",
            metavar="NAME",
            help="The evaluator of the search.  [default: the one that reads --weights, else network]",
        )
        @click.option(
            "--weights",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Weights of a network or of the learnt evaluation.  [default: those of the package]",
        )
        @wraps(command)
        def with_effort(depth: int, exact: int, evaluation: str, weights: Path | None, **others: Any) -> Any:
            path = str(weights) if weights is not None else ""
            evaluation = chosen_evaluator(evaluation, path, 8)
            make_evaluator(evaluation, path)  # raises an error where the file is wrong
            return command(effort=SearchDepth(depth, exact, evaluation, path), **others)

        return with_effort

    return decorate


def made_by(effort: SearchDepth) -> dict[str, object]:
    """Return what the values of an effort follow from: the checksum of its weights stands for their path."""
    path = (effort.weights or SHIPPED[effort.evaluation]) if effort.evaluation in SHIPPED else None
    checksum = zlib.crc32(read_bytes(path)) if path else None
    return {"depth": effort.depth, "exact": effort.exact, "evaluation": effort.evaluation, "weights": checksum}


def write_output(path: Path, data: bytes) -> None:
    """Write a file whole.

    :raises click.UsageError: if it cannot be written.
    """
    try:
        write_whole(path, data)
    except OSError as error:
        raise click.UsageError(f"OUTPUT: {path}: {error.strerror}") from None


def check_output(output: Path, files: Sequence[Path]) -> None:
    """Check that weights may be written to ``output``: no other work is lost, and the fit is not in vain.

    :raises click.UsageError: if they may not.
    """
    if not os.access(output.parent, os.W_OK):
        raise click.UsageError(f"OUTPUT: must be in a folder that can be written to, not in {str(output.parent)!r}")
    if output.resolve() in {file.resolve() for file in files}:
        raise click.UsageError(f"OUTPUT: must be a file of its own, not {output}, which is read")
    if output.exists() and not (output.is_file() and kind_of(str(output))):
        raise click.UsageError(f"OUTPUT: must be new or a file of weights, not {output}")
