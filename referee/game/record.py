"""A finished game with its moves, clocks and verdict. It can be converted to JSON, text or a transcript."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from html import escape
from typing import Any

from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameError, UnknownGameError
from quietmove.engine.games.base import Grid
from quietmove.engine.games.registry import known_game
from quietmove.engine.protocol.notation import ALGEBRAIC, NOTATIONS, PROGRAMS, PROJECT, ZERO, Coordinates
from quietmove.engine.values import Info, Score
from quietmove.referee.config.model import COLORS, Color, EngineConfig, GameSpec, Reason
from quietmove.referee.game.transcript import MarginPoints, Mover, MoveRecord, Points, Transcript, result_text

__all__ = ["GameRecord", "MoveRecord", "Mover", "fields_of", "wire_coordinates"]

ENGINE_COLUMNS = ("seconds", "clock", "score", "depth", "nodes")


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game.

    :param reason: why the game ended; one of the referee's verdicts.
    :param loser: the player at fault, or None if there is none (``finished``, ``adjudicated``).
    :param points_black: 1, 0.5 or 0.
    :param margin_black: the number of points by which Black won, negative if White won. In Othello this is the disc
        difference, with empty squares given to the winner; a forfeited game counts as the whole board for the winner.
    :param detail: the verdict as a readable sentence.
    :param black_stderr, white_stderr: the last part of each engine's standard error.
    :param dialogue: the first 20,000 lines to and from the engines, with their times, if the specification asks for it.
    :param answer: the line judged ``illegal``, as received but shortened, or "".
    :param started: False if ``loser`` failed to start, that is, failed its handshake or exited without any output.
    """

    spec: GameSpec
    moves: tuple[MoveRecord, ...]
    reason: Reason
    loser: Color | None
    points_black: Points
    margin_black: MarginPoints
    detail: str
    black_stderr: str = ""
    white_stderr: str = ""
    dialogue: tuple[str, ...] = ()
    answer: str = ""
    started: bool = True

    @property
    def result(self) -> str:
        """``1-0``, ``1/2-1/2`` or ``0-1``, Black's points first."""
        return result_text(self.points_black)

    def points(self, color: Color) -> float:
        """Return the points that ``color`` scored."""
        return self.points_black if color == "black" else 1 - self.points_black

    def time_used(self, color: Color) -> float | None:
        """Return the fraction of its game clock, including increments, that ``color`` used.

        The result is None if the player made no move, has no game clock, or has a clock with refills. It exceeds 1 if a
        reply arrived after the clock had run out, but within the margin.
        """
        limit = self.spec.player(color).limit
        spent = [move.elapsed_ms or 0 for move in self.moves if move.by == color]
        if not spent or limit.base_ms is None or limit.moves is not None:
            return None
        return sum(spent) / (limit.base_ms + limit.increment_ms * (len(spent) - 1))

    def as_dict(self) -> dict[str, Any]:
        """Return the contents of :meth:`to_json` as a dictionary."""
        data: dict[str, Any] = json.loads(self.to_json())
        return data

    def to_json(self) -> str:
        """Return the record as one line of JSON, with the conventional result and any non-standard start position.

        A move whose score is a proven win or loss also has ``proven``: ``win N`` or ``loss N``, in plies.
        """
        summary = {"result": self.result, **({"start": self.spec.position} if self.spec.position else {})}
        return json.dumps({**summary, **fields_of(self)}, default=_json_fields, separators=(",", ":"))

    @property
    def transcript(self) -> Transcript:
        """The game without its specification. In a card game, its start position is the deal."""
        game = known_game(self.spec.game)
        dealt = game.format_position(self.spec.begin()) if game.kind == "hidden" else ""
        return Transcript(
            self.spec.game,
            self.moves,
            self.spec.black.name,
            self.spec.white.name,
            dealt or self.spec.position,
            self.points_black,
            self.margin_black,
        )

    def svg(self, plies: int | None = None) -> str | None:
        """Return a picture of the board, as :meth:`Transcript.svg` does."""
        return self.transcript.svg(plies)

    def _repr_html_(self) -> str:
        return f"{self.transcript._repr_html_()}<p>{escape(printable(f'{self.reason}: {self.detail}'))}</p>"

    def in_notation(self, name: str) -> GameRecord:
        """Return this record with its moves in a notation from :data:`NOTATIONS`; stored records are algebraic."""
        spell = spelling(self.spec.game, NOTATIONS[name])
        return replace(self, moves=tuple(replace(record, move=spell(record.move)) for record in self.moves))

    def text(self, notations: Sequence[str] = (ALGEBRAIC.name, PROJECT.name)) -> str:
        """Return the game as readable text, with a trailing newline.

        :param notations: one or two names from :data:`NOTATIONS` in which moves are written, ``d3 (4 6)``. For a game
            that ended with an illegal move, the offender's own numbers replace those of ``project``.
        """
        coordinates = [NOTATIONS[name] for name in notations]
        if self.answer and self.loser is not None and wire_coordinates(self.spec.player(self.loser)) is ZERO:
            coordinates = [ZERO if each is PROJECT else each for each in coordinates]
        spell = spelling(self.spec.game, *coordinates)
        return "\n".join(map(printable, self._text_lines(spell, 12 if self.answer or len(notations) > 1 else 7))) + "\n"

    def _text_lines(self, spell: Callable[[str], str], width: int) -> Iterator[str]:
        yield f"Game     {self.spec.game}"
        for title, config in (("Black", self.spec.black), ("White", self.spec.white)):
            yield f"{title}    {config.name}  {config.limit}  {' '.join(config.command)}"
            yield from (f"         option {name} = {value}" for name, value in config.options)
        if self.spec.position:
            yield f"Begins   {self.spec.position}"
        yield f"Result   {self.result}  {self.margin_black:+d} for Black"
        yield f"Verdict  {self.reason}: {self.detail}"
        yield ""
        yield from self._move_lines(spell, width)
        if self.answer:
            yield from self._refused_lines(spell)
        for title, stderr in (("Black", self.black_stderr), ("White", self.white_stderr)):
            if stderr:
                yield from ("", f"Standard error of {title}", *stderr.splitlines())
        if self.dialogue:
            yield from ("", "Dialogue", *self.dialogue)

    def _move_lines(self, spell: Callable[[str], str], width: int) -> Iterator[str]:
        yield f"{'ply':>4} {'by':8}{'move':{width}}" + "".join(f"{title:>10}" for title in ENGINE_COLUMNS)
        for ply, record in enumerate(self.moves, 1):
            row = f"{ply:4} {record.by:8}{spell(record.move):{width}}"
            if record.by in COLORS:
                times = (_decimal(record.elapsed_ms, 1000, 3), _decimal(record.clock_ms, 1000, 3))
                claims = (_score(record.score), _number(record.depth), _number(record.nodes))
                row += "".join(f"{text:>10}" for text in (*times, *claims))
            yield row.rstrip()

    def _refused_lines(self, spell: Callable[[str], str]) -> Iterator[str]:
        """Yield the illegal move as received, and the position with its legal moves."""
        yield f"{len(self.moves) + 1:4} {self.loser or '-':8}{self.answer:12}  not played"
        game = known_game(self.spec.game)
        with suppress(GameError):  # a record from another program may not be replayable
            position = self.transcript.position()._position
            legal = (spell(game.format_move(move)) for move in sorted(position.legal_moves()))
            yield from ("", f"Legal    {', '.join(legal)}", *game.draw(position).splitlines())


def spelling(game: str, *notations: Coordinates) -> Callable[[str], str]:
    """Return a function that writes a stored move in one notation or two, ``d3 (4 6)``, or once if they agree.

    Moves of a user-written game that is not loaded stay as they are.
    """
    grid: Grid | None = None
    with suppress(UnknownGameError):
        grid = known_game(game).grid

    def spell(move: str) -> str:
        first, *others = dict.fromkeys(each.write(grid, move) for each in notations)
        return f"{first} ({others[0]})" if others else first

    return spell


def wire_coordinates(config: EngineConfig) -> Coordinates:
    """Return the notation in which an engine writes its moves."""
    numbers = PROGRAMS.get(str(dict(config.settings).get("coordinates")), PROJECT)
    return {"uci": PROJECT, "project": numbers}.get(config.protocol, ALGEBRAIC)


def fields_of(value: Any) -> dict[str, Any]:
    """Return a dataclass's fields by name. Unlike ``asdict``, this copies no values and is ten times faster."""
    return {name: getattr(value, name) for name in _names(value.__class__)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _json_fields(value: Any) -> dict[str, Any]:
    is_proven = isinstance(value, MoveRecord) and value.score is not None and Score(value.score).wins_in is not None
    return {**fields_of(value), **({"proven": str(Score(value.score))} if is_proven else {})}


def _score(value: int | None) -> str:
    return _decimal(value, 100, 2) if value is None or Score(value).wins_in is None else str(Score(value))


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _decimal(value: int | None, unit: int, digits: int) -> str:
    return "-" if value is None else f"{value / unit:.{digits}f}"


MAX_DIALOGUE_LINES = 20_000
MAX_DIALOGUE_WIDTH = 1000

Clocks = dict[Color, int | None]  # milliseconds left in the game; None without a game clock


class Observer:
    """Base class for observers of a running game; its methods do nothing.

    The methods are called in the thread that plays the games and must return quickly, because while one runs, no engine
    output is read. An exception in a method ends the game and is raised by ``play_game``. Lines and search reports are
    passed on only if the class overrides :meth:`line_passed` or :meth:`search_reported`.
    """

    def game_started(self, spec: GameSpec, clocks: Clocks) -> None:
        """Handle the start of a game. The opening moves follow, then the moves before an interruption."""

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        """Handle the request for a move from ``color``, whose clock starts now."""

    def search_reported(self, color: Color, info: Info[str]) -> None:
        """Handle a search report from ``color``; the moves in ``info.pv`` are spelled as received."""

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        """Handle a move; ``ply`` counts from 1, and ``clocks`` are the clocks after the move."""

    def line_passed(self, color: Color, direction: str, line: str) -> None:
        """Handle a line from ``color`` (``<``) or to it (``>``)."""

    def game_ended(self, record: GameRecord) -> None:
        """Handle the end of a game; its record contains the verdict."""


class DialogueLog(Observer):
    """An observer that records the lines to and from both players, with the seconds since the game started.

    :ivar lines: at most :data:`MAX_DIALOGUE_LINES` lines, each cut to :data:`MAX_DIALOGUE_WIDTH` characters.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._began = time.monotonic()

    def line_passed(self, color: Color, direction: str, line: str) -> None:
        if len(self.lines) < MAX_DIALOGUE_LINES:
            seconds = time.monotonic() - self._began
            self.lines.append(f"{seconds:9.3f} {color} {direction} {line[:MAX_DIALOGUE_WIDTH]}")
        elif len(self.lines) == MAX_DIALOGUE_LINES:
            self.lines.append("[... further lines were dropped]")
