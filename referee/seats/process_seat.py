"""The base class of seats for engine processes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import PurePath

from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameError, IllegalMoveError
from quietmove.engine.games.base import Grid, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.lines import OptionLine
from quietmove.engine.protocol.notation import ALGEBRAIC, Coordinates, Numbers, both_notations, forced_pass
from quietmove.engine.values import Info
from quietmove.referee.config.model import Color, EngineConfig
from quietmove.referee.config.validation import Setting
from quietmove.referee.errors import SetupError
from quietmove.referee.process.launch import launch_of
from quietmove.referee.process.line_process import LineProcess, OutputLine
from quietmove.referee.process.loop import now
from quietmove.referee.process.sandbox import hint_at_links
from quietmove.referee.process.shortage import shortage_of
from quietmove.referee.seats.base import (
    Answer,
    Failure,
    Listener,
    Seat,
    Turn,
    shortened,
)

MAX_LEGAL = 400  # maximum length of the list of legal moves in a verdict, in characters; enough for Othello
LINE_SECONDS = 0.3  # seconds for a program that waited for a line to answer it
KEEP_SECONDS = 1.0  # time limit in seconds for an idle engine to answer and to stop pondering
UNFLUSHED = "; nothing has come from it: it must flush its output after each line, "
COMPUTING = "; it was still computing and had written nothing: look for an endless loop, or a search that takes long"
WAITING = "; it had read its input and was waiting for another line, which does not come before its answer"
OR_WAITED = "or it waited for another line, which does not come before its answer"
ELSEWHERE = "; it neither computed nor waited for input, but for something else, such as a sleep or a window"
CALLS = {  # how to flush, and how to write to standard error, by the name of the program that runs the engine
    "python": ("in Python print(..., flush=True)", "in Python print(..., file=sys.stderr)"),
    "java": ("in Java System.out.flush()", "in Java System.err.println(...)"),
    "node": ("in JavaScript process.stdout.write(...)", "in JavaScript console.error(...)"),
}
COMPILED_CALLS = ("in C fflush(stdout), in C++ std::cout << std::flush", "in C fprintf(stderr, ...), in C++ std::cerr")
WALL_FACTOR = 10  # if a clock counts processor time, wall time is limited to this multiple of it
RESTART = Setting("restart", False, "whether the engine is restarted for each game")


def flush_call(command: Sequence[str]) -> str:
    """Return how a program flushes its output, in its language as far as the command shows it."""
    return _calls(command)[0]


def debug_hint(command: Sequence[str]) -> str:
    """Return a hint for a program that writes other lines than moves."""
    return f"; debug output belongs on standard error, {_calls(command)[1]}"


def _calls(command: Sequence[str]) -> tuple[str, str]:
    is_python = any(word.endswith(".py") for word in command)
    name = PurePath(command[0]).name.rstrip("0123456789.")
    return CALLS.get("python" if is_python else name, COMPILED_CALLS)


class ProcessSeat(Seat):
    """A seat for an engine process.

    :cvar quit_line: the line that asks the engine to exit, or "" if the protocol has none.
    :cvar coordinates: the notation of moves in the protocol.
    :cvar only_othello: whether the protocol supports only Othello, and no options.
    :cvar passing: what the engine must do to pass, for error messages.
    """

    quit_line = ""
    coordinates: Coordinates = ALGEBRAIC
    only_othello = False
    passing = "pass"

    _process: LineProcess | None = None
    _start_failure: Failure | None = None  # the failure of the last start for a check
    _was_late = False  # whether the process has not replied in time, so that its reply may still arrive

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        if not config.command or not config.command[0]:
            yield "command: must be given"
        if config.options and cls.only_othello:
            yield f"options: must not be given with protocol={config.protocol}; put them into the command"

    @classmethod
    def game_problems(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        if cls.only_othello and game != "othello":
            yield f"game: must be othello in this protocol, not {game}"

    async def start_to_check(self) -> Failure | None:
        """Start the engine and do the handshake, unless a started engine still replies; return the failure, or None."""
        if self._process is not None and (self._was_late or await self.has_left(0)):
            await self.end(patient=False)
            self._process = None
        if self._process is None:
            self._was_late = False
            self._start_failure = await self.launch() or await self.introduce()
        return self._start_failure

    async def offered(self) -> list[OptionLine]:
        if failure := await self.start_to_check():
            raise SetupError(f"engine {self.config.name}: it {failure.detail}")
        return []

    @property
    def process(self) -> LineProcess:
        """The engine's process, available once :meth:`start` has succeeded."""
        assert self._process is not None, "the seat was not started"
        return self._process

    @property
    def stderr(self) -> str:
        return self._process.stderr if self._process else ""

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        self.color, self.listener = color, listener
        if self._process is not None:
            self.process.begin_game(listener.line)
            return await self._begin_next_game()
        return await self.launch() or await self.introduce() or await self._begin_first_game()

    @property
    def is_silent(self) -> bool:
        return not self.process.has_written

    def hint_at_silence(self, position: Position | None = None) -> str:
        if self.is_silent:
            return f"{UNFLUSHED}{flush_call(self.config.command)}"
        return f"; it had no move, and had to {self.passing}" if position and self.must_pass(position) else ""

    def must_pass(self, position: Position) -> bool:
        return forced_pass(get_game(self.game), position) is not None

    def objection(self, position: Position, answer: Answer, error: GameError | None) -> str:
        if self.must_pass(position):
            return f"which is not legal here: it had no move, and had to {self.passing}"
        if isinstance(error, IllegalMoveError):
            legal = both_notations(get_game(self.game), sorted(position.legal_moves()), ALGEBRAIC, self.coordinates)
            return f"which is not legal here; legal: {printable(legal, MAX_LEGAL)}"
        return super().objection(position, answer, error)

    def leave_game(self) -> None:
        super().leave_game()
        self.process.begin_game(None)

    async def has_left(self, seconds: float) -> bool:
        return await self.process.wait_closed(seconds)

    async def describe_end(self, when: str = "") -> str:
        config = self.config
        text = await self.process.describe_end(when)
        if config.sandbox and self.is_silent:
            text += await asyncio.to_thread(hint_at_links, config.command[0], config.cwd, config.sandbox_bind)
        return text

    async def end(self, *, patient: bool = True) -> None:
        if self._process is not None:
            await self._process.end(self.quit_line, patient=patient)

    async def keep(self) -> bool:
        plays_on = RESTART in self.settings and not self.setting(RESTART.name)
        return plays_on and self._process is not None and await self._answers_between_games()

    async def _answers_between_games(self) -> bool:
        """Return whether an engine that plays several games is ready for the next one."""
        return False

    async def introduce(self) -> Failure | None:
        """Do the handshake; return the failure (``illegal`` if the engine cannot play this game) or None."""
        return None

    async def _begin_first_game(self) -> Failure | None:
        return await self._begin_next_game()

    async def _begin_next_game(self) -> Failure | None:
        """Prepare for another game, if the engine can play several; return the failure, or None."""
        return None

    async def launch(self) -> Failure | None:
        """Start the engine's process; return the failure, or None."""
        try:
            with shortage_of("another engine"):
                launch = launch_of(self.config, self.game)
                starting = asyncio.ensure_future(LineProcess.start(launch, self.listener.line))
                self._process = await asyncio.shield(starting)
        except OSError as error:
            what = f"{error.filename}: " if error.filename else ""
            return Failure("crash", f"cannot be started: {what}{error.strerror}")
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):  # wait for the process to exist, so that it can be ended
                self._process = await starting
            raise
        return None

    def _start_clock(self, turn: Turn, started: float) -> float:
        """Start the engine's clock; return the latest arrival time of its answer, in seconds of the loop's clock.

        A clock that counts processor time starts now, slightly after ``started``.
        """
        patience = self._patience(turn)
        if self.config.clock == "wall" or turn.clocks[self.color].patience_ms is None:
            return started + patience
        self.process.count_processor_time(patience)
        return started + WALL_FACTOR * patience

    def _answer(
        self,
        line: OutputLine | None,
        move: str | None,
        started: float,
        claim: Info[str] | None = None,
        expected: str | None = None,
    ) -> Answer:
        """Return ``line`` as an answer. Too much output counts as an answer without a move."""
        elapsed = (line.at if line is not None else now()) - started
        counted, self.process.processor_time = self.process.processor_time, None
        if counted is not None:
            elapsed = min(elapsed, counted.used())
        if line is not None and (counted is None or elapsed <= counted.most):
            return Answer(line.text, move, max(0.0, elapsed) * 1000, claim, expected)
        flood = f"({self.process.inbox.flood})" if self.process.inbox.flood else None
        return Answer(flood, None, elapsed * 1000, claim)

    async def failure(self, waited_for: str, seconds: float | None = None) -> Failure:
        """Return the failure of an engine that did not send ``waited_for``.

        :param seconds: the time that the engine had; by default the time limit of a handshake step.
        """
        if self.process.is_closed:
            return Failure("crash", await self.describe_end(f" before {waited_for}"))
        if self.process.inbox.flood:
            return Failure("stall", f"sent {self.process.inbox.flood} before {waited_for}")
        patience_ms = self.config.start_timeout_ms if seconds is None else 1000 * seconds
        why = await self._explain_silence(patience_ms / 1000)
        return Failure("stall", f"did not send {waited_for} within {patience_ms:.0f} ms{why}")

    async def _explain_silence(self, seconds: float) -> str:
        """Return a hint about why no line has come within ``seconds``. This closes the engine's input."""
        process = self.process
        if process.inbox.tail:
            return f"; it wrote {shortened(process.inbox.tail.decode('utf-8', 'replace'))!r} without a line end"
        if not self.is_silent:
            return ""
        if process.is_computing(seconds):
            return COMPUTING
        has_read = process.has_read_input()
        if hint := await self._explain_wait():
            return hint
        process.input.close()
        has_ended = await process.wait_closed(KEEP_SECONDS)
        flush = flush_call(self.config.command)
        if process.has_written:  # its buffer was written when it exited
            return f"; it wrote only when its input ended: it must flush its output after each line, {flush}"
        if not has_ended or not has_read:
            return ELSEWHERE
        flushes_at_its_end = flush == CALLS["python"][0]  # even after an exception
        return WAITING if flushes_at_its_end else f"{WAITING}, or did not flush its answer, {flush}"

    async def _explain_wait(self) -> str:
        """Send an empty line to a silent program. Return a hint if it writes something now, else ""."""
        self.process.send("")
        await self.process.wait_closed(LINE_SECONDS)
        if not self.process.has_written:
            return ""
        if not self.process.is_closed:
            return WAITING
        flush = flush_call(self.config.command)  # it may have written its buffer when it exited
        return f"; it wrote only after an empty line: it must flush its output after each line, {flush}, {OR_WAITED}"


def other_reading(own: Numbers, grid: Grid | None, text: str, legal: Sequence[str]) -> str:
    """Return a hint naming the most similar coordinates in which a square is a legal move, or "" without a match.

    :param own: the coordinates in which it is not legal.
    :param text: two numbers.
    """
    for row_first, first, from_bottom in product((False, True), (1, 0), (True, False)):
        if Numbers("", first, from_bottom, row_first).read(grid, text) in legal:
            differences = {
                "the row before the column": row_first,
                f"rows from the {'bottom' if from_bottom else 'top'}": from_bottom != own.from_bottom,
                f"numbers from {first}": first != own.first,
            }
            return "; it would be legal with " + " and ".join(name for name, differs in differences.items() if differs)
    return ""
