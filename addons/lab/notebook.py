"""The laboratory in notebooks: the log of a search's cutoffs, and experiments."""

from __future__ import annotations

from dataclasses import dataclass, fields
from html import escape
from typing import Any

import click

from quietmove.addons.lab.command import EXPERIMENTS
from quietmove.addons.lab.command import lab as laboratory
from quietmove.addons.lab.experiment import Experiment
from quietmove.addons.lab.trace import Pruning, PruningLog, RootMove, search_traced
from quietmove.addons.shared.plot import svg
from quietmove.addons.shared.report import Report
from quietmove.engine.api import Position, as_position
from quietmove.engine.common.origin import install_command
from quietmove.engine.common.text import one_of
from quietmove.engine.errors import OptionError, PositionError
from quietmove.engine.protocol.describe import pluralize, short_score
from quietmove.engine.protocol.pictures import table_html
from quietmove.engine.search.events import Event
from quietmove.engine.search.node import ALGORITHMS, MAX_DEPTH
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.tools.plot import has_matplotlib
from quietmove.engine.values import Settings

__all__ = ["LabReport", "Trace", "lab", "trace"]

CUTOFFS_SHOWN = 100  # row limit of a notebook's table


@dataclass(frozen=True, slots=True)
class Trace:
    """The record of one complete search. Values are from the first player's point of view, in hundredths of a point.

    :param moves: the root moves, in the order they were tried.
    :param positions, leaves: the number of positions visited below the root, and of leaves.
    :param saved: the number of leaves below all skipped moves.
    :param not_searched: leaves below positions skipped because no win there could be quicker than a known one.
    """

    value: int
    moves: tuple[RootMove, ...]
    cutoffs: tuple[Pruning, ...]
    positions: int
    leaves: int
    saved: int
    not_searched: int

    def _repr_html_(self) -> str:
        totals = (
            f"value {short_score(self.value)}: {pluralize(self.positions, 'position')} below the root,"
            f" {pluralize(self.leaves, 'leaf', 'leaves')} visited, {pluralize(len(self.cutoffs), 'cutoff')},"
            f" {pluralize(self.saved, 'leaf', 'leaves')} saved, {self.not_searched:,} not searched"
        )
        moves = table_html(("move", "value"), [(each.move, short_score(each.value, each.bound)) for each in self.moves])
        rows = [
            (
                " ".join(each.node) or "root",
                *map(short_score, (each.alpha, each.beta)),
                f"{each.move}: {short_score(each.value)}",
                " ".join(each.skipped),
                each.leaves,
            )
            for each in self.cutoffs[:CUTOFFS_SHOWN]
        ]
        head = ("node", "alpha", "beta", "refuted by", "not tried", "leaves")
        caption = f"the first {CUTOFFS_SHOWN} cutoffs" if len(self.cutoffs) > CUTOFFS_SHOWN else "cutoffs"
        return f"<p>{totals}</p>{moves}{table_html(head, rows, caption)}"


def trace(
    position: Position, depth: int | None = None, algorithm: str = "alphabeta", ordering: str = "static"
) -> Trace:
    """Search a position once, without a table, and return the search's trace.

    :param depth: in plies; None searches to the end of the game.
    :raises OptionError: if there is no such algorithm or ordering.
    :raises PositionError: if ``position`` is not a position, its game has dice or hidden cards, or the game is over.
    :raises LimitsError: if the full tree has more than 10 million positions.
    """
    position = as_position(position)
    for name, value, allowed in (("algorithm", algorithm, ALGORITHMS), ("ordering", ordering, ORDERINGS)):
        if value not in allowed:
            raise OptionError(one_of(name, allowed, value))
    if depth is not None and not (isinstance(depth, int) and 1 <= depth <= MAX_DEPTH):
        raise OptionError(f"depth: must be a whole number from 1 to {MAX_DEPTH}, not {depth!r}")
    game = position._game
    root = position._position.copy()
    if game.kind != "perfect":
        raise PositionError(f"game: must not have dice or hidden cards, as {game.name} does")
    if root.is_over():
        raise PositionError("position: the game is already over; choose one with a legal move")
    log = PruningLog(game)
    cutoffs = list[Pruning]()

    def note(event: Event) -> None:
        if (pruning := log.take(event)) is not None:
            cutoffs.append(pruning)

    search_traced(root, depth or MAX_DEPTH, Settings(algorithm, ordering), note)
    assert log.value is not None
    return Trace(log.value, log.root_moves, tuple(cutoffs), log.positions, log.leaves, log.saved, log.not_searched)


@dataclass(frozen=True, slots=True)
class LabReport(Report):
    """The result of an experiment: ``columns``, ``rows``, ``notes``, and ``column(name)``."""

    def svg(self) -> str:
        """Return the diagrams as SVG.

        :raises OptionError: if matplotlib is not installed.
        """
        if not has_matplotlib():
            raise OptionError(f"plots need matplotlib: {install_command('plots')}")
        return svg(self)

    def _repr_html_(self) -> str:
        rows = [[column.text(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]
        table = table_html([column.name for column in self.columns], rows, self.title)
        picture = self.svg() if has_matplotlib() else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return table + picture[picture.find("<svg") :] + notes


def lab(experiment: str, **parameters: Any) -> LabReport:
    """Run an experiment of ``quietmove lab`` with its command's options: ``lab("pruning", depth=6)``.

    :raises OptionError: if there is no such experiment or parameter, or a value is invalid.
    """
    names = [name for name in EXPERIMENTS if name != "trace"]
    command = laboratory.get_command(click.Context(laboratory), experiment) if experiment in names else None
    if not isinstance(command, Experiment):
        raise OptionError(one_of("experiment", names, experiment))
    options = [option for option in command.params if option.name not in ("as_json", "plot")]
    allowed = [str(option.name) for option in options]
    for name in parameters:
        if name not in allowed:
            raise OptionError(one_of(f"lab {experiment}: parameter", allowed, name))
    context = click.Context(command)
    try:
        command.parse_args(context, [])  # fills in the command's defaults
        for name, option in zip(allowed, options, strict=True):
            if (given := parameters.get(name)) is not None:
                context.params[name] = option.process_value(context, given)
        report = command.run(**{name: context.params[name] for name in allowed})
    except click.UsageError as error:
        raise OptionError(error.format_message()) from None
    return LabReport(*(getattr(report, each.name) for each in fields(report)))
