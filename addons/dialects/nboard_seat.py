"""Seat for an Othello engine that speaks version 2 of NBoard's protocol."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.games.base import DECISIVE
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.values import Info, Score
from quietmove.referee.process.line_process import OutputLine
from quietmove.referee.process.loop import now
from quietmove.referee.seats.base import Answer, Failure, Turn
from quietmove.referee.seats.process_seat import KEEP_SECONDS, RESTART, ProcessSeat

START = "---------------------------O*------*O--------------------------- *"
PASS = "PA"


class NBoardSeat(ProcessSeat):
    """An NBoard engine. It receives each move, including its own, and is asked for the move it would play.

    The protocol has a depth limit but no time limit, so with any other limit the referee only waits.
    """

    quit_line = "quit"
    only_othello = True
    settings = (RESTART,)

    _told: tuple[str, ...] = ()  # the moves already sent to the engine
    _start = ""  # the start position already sent to the engine
    _pings = 0

    async def introduce(self) -> Failure | None:
        self.process.send("nboard 2")
        return None

    async def _begin_next_game(self) -> Failure | None:
        self._told, self._start = (), ""
        depth = [] if self.config.limit.depth is None else [f"set depth {self.config.limit.depth}"]
        self.process.send(*depth, set_game(""))
        return await self._await_pong(self.config.start_timeout_ms / 1000)

    async def _answers_between_games(self) -> bool:
        return await self._await_pong(KEEP_SECONDS) is None

    async def think(self, turn: Turn) -> Answer:
        self.process.inbox.begin_turn(forget=True)
        started = now()
        deadline = self._start_clock(turn, started)
        taken_back = turn.moves[: len(self._told)] != self._told or turn.start != self._start
        if taken_back:
            self._told, self._start = (), turn.start
        news = turn.moves[len(self._told) :]
        self.process.send(*[set_game(turn.start)] * taken_back, *map(move_line, news), "go")
        self._told = turn.moves
        report: Info[str] | None = None
        while line := await self.process.read_line(deadline):
            words = line.text.split()
            if (move := move_of(words)) is not None:
                return self._answer(line, move, started, report)
            if words[:1] == ["search"]:
                report = read_report(words) or report
                if report and self.listener.info:
                    self.listener.info(report)
        return self._answer(None, None, started, report)

    async def _await_pong(self, seconds: float) -> Failure | None:
        """Send a ping, which the engine answers after reading all earlier lines; return the failure, or None."""
        self._pings += 1
        self.process.inbox.begin_turn(forget=True)
        self.process.send(f"ping {self._pings}")
        deadline = now() + seconds
        line: OutputLine | None
        while line := await self.process.read_line(deadline):
            if line.text.split() == ["pong", str(self._pings)]:
                return None
        return await self.failure("pong")


def set_game(start: str) -> str:
    """Return the line that starts a game at ``start``: squares and side to move, or "" for the initial position."""
    board = start.replace("X", "*") or START
    return f"set game (;GM[Othello]PC[Quietmove]PB[black]PW[white]RE[?]TI[0]TY[8]BO[8 {board}];)"


def move_line(move: str) -> str:
    """Return the line that sends a move to the engine."""
    return f"move {PASS if move == 'pass' else move.upper()}"


def move_of(words: Sequence[str]) -> str | None:
    """Return the move in ``=== MOVE/EVAL/SECONDS``, or None if the line is something else."""
    if words[:1] != ["==="]:
        return None
    return words[1].partition("/")[0].lower() if len(words) > 1 else ""


def read_report(words: Sequence[str]) -> Info[str] | None:
    """Return the depth and score in ``search PV EVAL 0 DEPTH …``, or None if the line has no valid score."""
    if len(words) < 5:
        return None
    try:
        score = 100 * float(words[2])
    except ValueError:
        return None
    if not abs(score) <= DECISIVE:  # infinite, or not a number
        return None
    return Info(Score(round(score)), depth=parse_integer(words[4]) or 0)
