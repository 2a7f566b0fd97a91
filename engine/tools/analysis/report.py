"""The report of an analysed game as text, as a JSON document and as a figure.

The JSON document is an object with ``parameters`` (the arguments of the analysis) and ``games``, a list of objects:

- ``place``: the file and the location in it; ``game``: its name; ``players``: two names, empty if unknown.
- ``moves``: a list of objects, one for each move including passes:
  ``number`` (from 1), ``side`` (the player's name), ``move``, ``best``, ``value`` and ``best_value`` (points from the
  mover's point of view), ``loss`` (points, at least 0; null if a proven win or loss makes it meaningless), ``mark``
  ("", "?!", "?" or "??"), ``choices`` (number of legal moves), ``depth`` (plies), ``confidence`` (percent), ``exact``
  (whether all values are exact results at the end of the game), ``second`` (the value of the second-best move, null if
  it was not searched), ``nodes``, ``line`` and ``best_line`` (the move played
  and the best move, each with its continuation, as text), ``why`` (reasons why the best move was better, as texts, for
  a marked move; may be empty).
- ``totals``: an object for each side, keyed by its name: ``moves`` (the number of non-forced moves), ``best`` (best
  moves), ``accurate`` (moves that lost less than a point), ``accuracy`` (their share in percent, null if all moves were
  forced), ``loss`` (total loss in points), ``inaccuracies``, ``mistakes``, ``blunders``, ``worst`` (move numbers).

In games without points, a proven value is text: ``win N`` or ``loss N``, N plies before the end.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quietmove.engine.games.base import DECISIVE, WIN, Game
from quietmove.engine.protocol.describe import BLUNDER, ERROR, INACCURACY, MISTAKE, pluralize
from quietmove.engine.tools.analysis.reasons import reasons
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import MoveReview, ReviewEffort, totals
from quietmove.engine.tools.plot import figure_in

BLOCKS = "▁▂▃▄▅▆▇█"
WIDTH = 72  # characters per line of the sparkline
LEGEND = (
    f"?! loses {INACCURACY // 100} {{points}} or more; ? loses {MISTAKE // 100}, a win or a draw; ?? loses "
    f"{BLUNDER // 100} or turns a win into a loss. Values are from the mover's point of view; ~ means about: the exact "
    f"value is rarely more than {ERROR // 100} {{points}} away. Accuracy: the share of non-forced moves that lost less "
    "than one {point}."
)


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """An analysed game: the review of each of its moves."""

    record: ReviewedGame
    reviews: Sequence[MoveReview]
    effort: ReviewEffort

    @property
    def title(self) -> str:
        """A title: the game's location, the players, the number of moves, and the search effort."""
        record, sides = self.record, self.record.game.players
        pairs = zip(record.players, sides, strict=True)
        named = " - ".join(f"{name} ({side})" if name else side for name, side in pairs)
        return f"{record.place}: {named}, {pluralize(len(record.moves), 'move')}; {self.effort}"

    def largest_value(self, least: int) -> int:
        """Return the largest absolute value, ignoring proven wins and losses, but at least ``least``."""
        return max([least, *(abs(each.value) for each in self.reviews if abs(each.value) <= DECISIVE)])


class Writer:
    """A writer of the report for people: lines of up to 80 characters, each move as soon as it is reviewed.

    :param write: called with each line.
    """

    def __init__(self, record: ReviewedGame, write: Callable[[str], object]) -> None:
        game = record.game
        self._game = game
        self._write = write
        self._sides = max(4, *map(len, game.players))
        self._wide = max([4, *(len(game.format_move(move)) for move in record.moves)])

    def begin(self, analysis: GameAnalysis) -> None:
        sides, wide = self._sides, self._wide
        values = f"{'move':<{wide}} {'value':>8}  {'best':<{wide}} {'value':>8} {'loss':>7}"
        self._lines(*textwrap.wrap(analysis.title, 80), "", f" no  {'side':<{sides}}  {values}     depth")

    def move(self, each: MoveReview) -> None:
        game, wide = self._game, self._wide
        value = value_text(each.value, each.exact)
        best_value = value_text(each.best_value, each.exact)
        loss = "" if each.loss is None or each.choices == 1 else points_text(each.loss, each.exact).replace("+", "")
        depth = "exact" if each.exact else str(each.depth)
        self._write(
            f"{each.number:3}  {game.players[each.side]:<{self._sides}}  {game.format_move(each.move):<{wide}} "
            f"{value:>8}  {game.format_move(each.best):<{wide}} {best_value:>8} {loss:>7} {each.mark:<2}  {depth:>5}"
        )

    def end(self, analysis: GameAnalysis) -> None:
        """Write the totals, the sparkline and the legend."""
        points = f"{self._game.point}s"
        legend = textwrap.wrap(LEGEND.format(points=points, point=self._game.point), 80)
        self._lines("", *totals_lines(analysis), "", *sparkline(analysis), "", *legend)

    def _lines(self, *lines: str) -> None:
        for line in lines:
            self._write(line)


def totals_lines(analysis: GameAnalysis) -> Iterator[str]:
    game = analysis.record.game
    width = max(map(len, game.players))
    yield f"{'':<{width}}  choices  best  accuracy     lost  a move  ?!   ?  ??"
    worst: list[str] = []
    for side, name in enumerate(game.players):
        sums = totals(analysis.reviews, side)
        count = max(1, sums.moves)
        yield (
            f"{name:<{width}}  {sums.moves:7} {sums.best:5}     {100 * sums.accurate / count:3.0f} % "
            f"{sums.loss / 100:8.2f} {sums.loss / 100 / count:7.2f} {sums.inaccuracies:3} {sums.mistakes:3} "
            f"{sums.blunders:3}"
        )
        shown = [
            f"{each.number} {game.format_move(each.move)}"
            + ("" if each.loss is None else f" ({points_text(each.loss, each.exact).replace('+', '')})")
            for each in sums.worst
        ]
        worst += [f"Worst of {name}: {', '.join(shown)}"] if shown else []
        for each in sums.worst:
            worst += textwrap.wrap(why_better(analysis, each), 80, initial_indent="  ", subsequent_indent="    ")
    yield from worst


def why_better(analysis: GameAnalysis, each: MoveReview) -> str:
    """Return a sentence that explains why the best move was better, or "" if no reason was found."""
    reasons = reasons_for(analysis, each)
    best = analysis.record.game.format_move(each.best)
    return f"{each.number}: {best} was better, because {reasons[0]}." if reasons else ""


def reasons_for(analysis: GameAnalysis, each: MoveReview) -> list[str]:
    """Return the reasons why the best move was better, or [] if it was played."""
    if each.move == each.best:
        return []
    position = analysis.record.start.copy()
    for move in analysis.record.moves[: each.number - 1]:
        position.play(move)
    return [reason.text for reason in reasons(position, each.line, each.best_line)]


def sparkline(analysis: GameAnalysis) -> Iterator[str]:
    """Yield a bar chart of the game's values from the first player's point of view: a line with the scale, then bars.

    Proven wins and losses get the highest and lowest bars.
    """
    most = analysis.largest_value(BLUNDER)
    bars = ""
    for each in analysis.reviews:
        value = max(-most, min(most, -each.value if each.side else each.value))
        share = (value + most) / (2 * most)
        bars += BLOCKS[min(len(BLOCKS) - 1, int(share * len(BLOCKS)))]
    first = analysis.record.game.players[0]
    yield f"Value for {first}, {BLOCKS[0]} {-most / 100:+g} to {BLOCKS[-1]} {most / 100:+g}:"
    for start in range(0, len(bars), WIDTH):
        yield f"  {bars[start : start + WIDTH]}"


def points_text(value: int, exact: bool) -> str:
    """Format a value in points, with ``~`` and two decimals unless it is exact."""
    return f"{value / 100:+g}" if exact else f"~{value / 100:+.2f}"


def value_text(value: int, exact: bool) -> str:
    """Format a value in points, or as a win or loss in N plies."""
    if abs(value) <= DECISIVE:
        return points_text(value, exact)
    return f"{'win' if value > 0 else 'loss'} {WIN - abs(value)}"


def as_json(analyses: Sequence[GameAnalysis], parameters: Mapping[str, Any]) -> str:
    """Return all analyses as one JSON document, in the format described in the module's docstring."""
    return json.dumps({"parameters": parameters, "games": [as_object(each) for each in analyses]}, indent=2)


def as_object(analysis: GameAnalysis) -> dict[str, Any]:
    record = analysis.record
    players = record.game.players
    return {
        "place": record.place,
        "game": record.game.name,
        "players": list(record.players),
        "moves": [move_object(analysis, each) for each in analysis.reviews],
        "totals": {
            name: asdict(found)
            | {
                "accuracy": found.accuracy,
                "loss": found.loss / 100,
                "worst": [each.number for each in found.worst],
            }
            for name, found in ((name, totals(analysis.reviews, side)) for side, name in enumerate(players))
        },
    }


def move_object(analysis: GameAnalysis, each: MoveReview) -> dict[str, Any]:
    record = analysis.record
    return asdict(each) | {
        "side": record.game.players[each.side],
        "move": record.game.format_move(each.move),
        "best": record.game.format_move(each.best),
        "value": value_json(each.value),
        "best_value": value_json(each.best_value),
        "second": None if each.second is None else value_json(each.second),
        "loss": None if each.loss is None else each.loss / 100,
        "mark": each.mark,
        "line": line_text(record.game, each.line),
        "best_line": line_text(record.game, each.best_line),
        "why": reasons_for(analysis, each) if each.mark else [],
    }


def line_text(game: Game, line: Sequence[int]) -> str:
    return " ".join(map(game.format_move, line))


def value_json(value: int) -> float | str:
    """Return a value in points, or as text if it is a proven win or loss."""
    return value / 100 if abs(value) <= DECISIVE else value_text(value, True)


def draw(analysis: GameAnalysis, path: Path) -> None:
    """Draw the values of the moves played and of the best moves, from the first player's point of view.

    :raises click.UsageError: if the file cannot be written.
    """
    game = analysis.record.game
    most = analysis.largest_value(100)

    def points(each: MoveReview, value: int) -> float:
        """Return a value in points for the first player. Proven wins and losses are clipped to the largest value."""
        value = -value if each.side else value
        return max(-most, min(most, value)) / 100 if abs(value) > DECISIVE else value / 100

    moves = [each.number for each in analysis.reviews]
    with figure_in(path, "analyze", analysis.title) as canvas:
        axes = canvas.add_subplot()
        axes.plot(moves, [points(each, each.best_value) for each in analysis.reviews], "o-", lw=4, label="best")
        axes.plot(moves, [points(each, each.value) for each in analysis.reviews], "s-", mfc="none", label="played")
        axes.set_xlabel("move")
        axes.set_ylabel(f"value for {game.players[0]} ({game.point}s)")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, ncols=2)
