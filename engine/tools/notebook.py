"""What a notebook shows beside positions and analyses: the log of a search's prunings, and the laboratory."""

from __future__ import annotations

import importlib.util
import io
from dataclasses import dataclass, fields
from html import escape
from typing import Any

import click

from quietmove.engine.api import Position
from quietmove.engine.errors import OptionError, PositionError
from quietmove.engine.games.base import Game
from quietmove.engine.protocol.table_html import score_text, table_html
from quietmove.engine.search.node import ALGORITHMS, INFINITE, MAX_DEPTH
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.traced_search import TracedSearch
from quietmove.engine.tools.lab.command import EXPERIMENTS
from quietmove.engine.tools.lab.command import lab as laboratory
from quietmove.engine.tools.lab.experiment import Experiment
from quietmove.engine.tools.lab.plot import draw_as
from quietmove.engine.tools.lab.report import Report
from quietmove.engine.tools.lab.work import full_depth
from quietmove.engine.tools.prunings import Pruning, PruningLog, require_traceable
from quietmove.engine.values import Bound, Settings

__all__ = ["Cutoff", "Found", "LabReport", "Trace", "lab", "trace"]

SHOWN = 100  # cutoffs in the table of a notebook


@dataclass(frozen=True, slots=True)
class Cutoff:
    """A cutoff of a search; values are the first player's, in hundredths.

    :param node: the moves from the root to the position.
    :param alpha, beta: the window there, None where it is open.
    :param move: the move that refutes; ``value`` what it is worth.
    :param skipped: the moves that are not tried; ``leaves`` how many leaves lie behind them.
    """

    node: tuple[str, ...]
    alpha: int | None
    beta: int | None
    move: str
    value: int
    skipped: tuple[str, ...]
    leaves: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found out about a move of the root; ``bound`` says whether ``value`` is exact."""

    move: str
    value: int
    bound: Bound


@dataclass(frozen=True, slots=True)
class Trace:
    """A search to its end; values are the first player's, in hundredths.

    :param moves: the moves of the root, in the order in which they were tried.
    :param positions, leaves: how often the search came to a position below the root, and to a leaf.
    :param saved: the leaves behind all that was skipped.
    """

    value: int
    moves: tuple[Found, ...]
    cutoffs: tuple[Cutoff, ...]
    positions: int
    leaves: int
    saved: int

    def _repr_html_(self) -> str:
        totals = (
            f"value {score_text(self.value)}: {self.positions:,} positions below the root,"
            f" {self.leaves:,} leaves visited, {len(self.cutoffs):,} cutoffs, {self.saved:,} leaves saved"
        )
        moves = table_html(("move", "value"), [(each.move, score_text(each.value, each.bound)) for each in self.moves])
        rows = [
            (
                " ".join(each.node) or "root",
                *map(score_text, (each.alpha, each.beta)),
                f"{each.move}: {score_text(each.value)}",
                " ".join(each.skipped),
                each.leaves,
            )
            for each in self.cutoffs[:SHOWN]
        ]
        head = ("node", "alpha", "beta", "refuted by", "not tried", "leaves")
        caption = f"the first {SHOWN} cutoffs" if len(self.cutoffs) > SHOWN else "cutoffs"
        return f"<p>{totals}</p>{moves}{table_html(head, rows, caption)}"


def trace(
    position: Position, depth: int | None = None, algorithm: str = "alphabeta", ordering: str = "static"
) -> Trace:
    """Search a position once, without a table, and return what was cut off.

    :param depth: plies; None to the end of the game.
    :raises OptionError: if there is no such algorithm or ordering.
    :raises PositionError: if the game has dice or hidden cards, or is over.
    :raises LimitsError: if the tree has more than 10 million positions before anything is pruned.
    """
    for name, value, allowed in (("algorithm", algorithm, ALGORITHMS), ("ordering", ordering, ORDERINGS)):
        if value not in allowed:
            raise OptionError(f"{name}: must be one of {', '.join(allowed)}, not {value!r}")
    if depth is not None and not 1 <= depth <= MAX_DEPTH:
        raise OptionError(f"depth: must be a whole number from 1 to {MAX_DEPTH}, not {depth!r}")
    game, root = position._game, position._position.copy()
    if game.kind != "perfect":
        raise PositionError(f"game: must be one without dice and hidden cards, not {game.name}")
    if root.is_over():
        raise PositionError("position: must have a move to search, not be the end of the game")
    settings, plies = Settings(algorithm, ordering), full_depth(root, depth or MAX_DEPTH)
    require_traceable(root, plies, settings)
    log, cutoffs = PruningLog(), list[Cutoff]()

    def note(pruning: Pruning | None) -> None:
        if pruning is not None:
            cutoffs.append(in_words(pruning, game))

    search = TracedSearch(root, None, settings, lambda: False, lambda event: note(log.take(event)))
    search.run(plies, -INFINITE, INFINITE, root.legal_moves(), whole=True)
    assert log.value is not None
    moves = tuple(Found(game.format_move(each.move), each.value, each.bound) for each in log.root_moves)
    return Trace(log.value, moves, tuple(cutoffs), log.positions, log.leaves, log.saved)


def in_words(pruning: Pruning, game: Game) -> Cutoff:
    """Return a pruning with its moves as text."""
    node, skipped = (tuple(map(game.format_move, moves)) for moves in (pruning.node, pruning.skipped))
    move = game.format_move(pruning.move)
    return Cutoff(node, pruning.alpha, pruning.beta, move, pruning.value, skipped, pruning.leaves)


@dataclass(frozen=True, slots=True)
class LabReport(Report):
    """What an experiment of the laboratory found: ``columns``, ``rows``, ``notes``, and ``column(name)``."""

    def svg(self) -> str:
        """Return the figure as a picture in SVG.

        :raises OptionError: if matplotlib is not installed.
        """
        if importlib.util.find_spec("matplotlib") is None:
            raise OptionError("matplotlib: must be installed; pip install 'quietmove[plots]' brings it")
        file = io.BytesIO()
        draw_as(self, file, "svg")
        return file.getvalue().decode()

    def _repr_html_(self) -> str:
        rows = [[column.text(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]
        table = table_html([column.name for column in self.columns], rows, self.title)
        has_plots = bool(self.figures) and importlib.util.find_spec("matplotlib") is not None
        picture = self.svg().partition("<svg")[2] if has_plots else ""
        return table + (f"<svg{picture}" if picture else "") + "".join(f"<p>{escape(note)}</p>" for note in self.notes)


def lab(experiment: str, **parameters: Any) -> LabReport:
    """Run an experiment of ``quietmove lab`` with the parameters of its command: ``lab("pruning", depth=6)``.

    :raises OptionError: if there is no such experiment or parameter, or one is not allowed.
    """
    names = [name for name in EXPERIMENTS if name != "trace"]
    command = laboratory.get_command(click.Context(laboratory), experiment) if experiment in names else None
    if not isinstance(command, Experiment):
        raise OptionError(f"experiment: must be one of {', '.join(names)}, not {experiment!r}")
    allowed = [str(option.name) for option in command.params if option.name not in ("as_json", "plot")]
    for name in parameters:
        if name not in allowed:
            raise OptionError(f"lab {experiment}: must have parameters among {', '.join(allowed)}, not {name!r}")
    try:
        report = command.measure(**parameters)
    except click.UsageError as error:
        raise OptionError(error.message) from None
    return LabReport(**{each.name: getattr(report, each.name) for each in fields(report)} | {"parameters": parameters})
