"""Watching a game while it runs."""

from __future__ import annotations

import time

from quietmove.engine.protocol.lines import InfoLine
from quietmove.referee.config.model import Color, GameSpec
from quietmove.referee.game.record import GameRecord, MoveRecord

MAX_DIALOGUE_LINES = 20_000
MAX_DIALOGUE_WIDTH = 1000

Clocks = dict[Color, int | None]  # milliseconds left for the game; None where no such clock runs


class Observer:
    """Its methods are called for each event of a running game; this base class does nothing.

    The methods are called in the thread that plays the games, so they should be quick: while one runs, no engine's
    answer is read. An exception in one ends the game and is raised by ``play_game``. Lines and reports are read for
    those classes alone that define :meth:`line_passed` and :meth:`search_reported`.
    """

    def game_started(self, spec: GameSpec, clocks: Clocks) -> None:
        """Both players are ready; the moves of the opening follow, and those before an interruption."""

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        """``color`` is asked for a move, and its clock runs from now on."""

    def search_reported(self, color: Color, info: InfoLine) -> None:
        """``color`` reports on its search; the moves in ``info.pv`` are spelled as they came."""

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        """Take a move that was played; ``ply`` counts from 1, ``clocks`` are those after it."""

    def line_passed(self, color: Color, direction: str, line: str) -> None:
        """Take a line that came from ``color`` (``<``) or went to it (``>``)."""

    def game_ended(self, record: GameRecord) -> None:
        """Take the record of the game, which has its verdict."""


class DialogueLog(Observer):
    """Keeps the lines to and from both players with the seconds since the game began.

    :ivar lines: at most :data:`MAX_DIALOGUE_LINES`, each of at most :data:`MAX_DIALOGUE_WIDTH` characters of dialogue.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._began = time.monotonic()

    def line_passed(self, color: Color, direction: str, line: str) -> None:
        if len(self.lines) < MAX_DIALOGUE_LINES:
            seconds = time.monotonic() - self._began
            self.lines.append(f"{seconds:9.3f} {color} {direction} {line[:MAX_DIALOGUE_WIDTH]}")
        elif len(self.lines) == MAX_DIALOGUE_LINES:
            self.lines.append("[... further lines were not kept]")
