"""Seat for an Othello engine that speaks GTP, the Go Text Protocol, version 2. Rows are numbered from the top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quietmove.referee.config.model import COLORS, Color, EngineConfig, split_opening
from quietmove.referee.process.line_process import OutputLine
from quietmove.referee.process.loop import now
from quietmove.referee.seats.base import Answer, Failure, Objection, Turn
from quietmove.referee.seats.process_seat import KEEP_SECONDS, RESTART, ProcessSeat


@dataclass(frozen=True, slots=True)
class Response:
    """The response to a command.

    :param line: its first line as received, with its arrival time.
    :param text: the text after ``=``, or None if the engine refused the command with ``?``.
    """

    line: OutputLine
    text: str | None


class GtpSeat(ProcessSeat):
    """A GTP engine, which tracks the board: it receives the opponent's moves and is asked for its own.

    GTP has a game clock and a move clock, both in whole seconds, but no depth or node limit. Set such a limit in the
    engine's own command; the referee only waits.
    """

    quit_line = "quit"
    can_resign = True
    only_othello = True
    settings = (RESTART,)

    _known: tuple[str, ...] = ()  # the moves that the engine has received or made in this game

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        yield from super().problems(config)
        limit = config.limit
        if limit.increment_ms or (limit.movetime_ms or limit.base_ms or 0) % 1000:
            yield f"limit: must be depth=N, nodes=N (neither is sent) or whole seconds for protocol=gtp, not {limit}"

    @classmethod
    def game_problems(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        yield from super().game_problems(game, opening)
        if game == "othello" and split_opening(opening)[0]:
            yield "opening: must contain only moves with protocol=gtp, which cannot set up a position"

    async def objections(self) -> list[Objection]:
        failure = await self.start_to_check()
        return [Objection(None, failure.detail)] if failure and failure.reason == "illegal" else []

    async def introduce(self) -> Failure | None:
        if failure := await self._ask_all("protocol_version"):
            return failure
        known = await self.ask("known_command set_game", self._deadline())
        if known is None or known.text != "true":
            return None
        chosen = await self.ask("set_game Othello", self._deadline())
        refused = chosen is None or chosen.text is None
        return Failure("illegal", "does not play Othello (set_game)") if refused else None

    async def _begin_first_game(self) -> Failure | None:
        return await self._ask_all("boardsize 8") or await self._begin_next_game()

    async def _begin_next_game(self) -> Failure | None:
        self._known = ()
        return await self._ask_all("clear_board", *self._time_settings())

    async def _answers_between_games(self) -> bool:
        return await self._ask_all("name", seconds=KEEP_SECONDS) is None

    async def think(self, turn: Turn) -> Answer:
        """Send the moves that are new to the engine, and its remaining time; request a move and return the answer.

        A pass may be refused: some engines accept only their own and infer the opponent's from the colour to move.
        """
        self.process.inbox.begin_turn(forget=True)
        started = now()
        deadline = self._start_clock(turn, started)
        taken_back = turn.moves[: len(self._known)] != self._known
        if taken_back:
            self._known = ()
        commands = [*["clear_board"] * taken_back, *play_lines(turn.moves, self.color, len(self._known))]
        for command in (*commands, *self._time_left(turn)):
            response = await self.ask(command, deadline)
            if response is None or (response.text is None and not command.endswith(" pass")):
                return self._answer(response.line if response else None, None, started)
        response = await self.ask(f"genmove {self.color}", deadline)
        if response is None:
            return self._answer(None, None, started)
        move = response.text.partition("\n")[0].strip().lower() if response.text is not None else None
        self._known = (*turn.moves, *(move or "").split()[:1])
        return self._answer(response.line, move, started)

    def _time_settings(self) -> list[str]:
        limit = self.config.limit
        if limit.movetime_ms is not None:
            return [f"time_settings 0 {limit.movetime_ms // 1000} 1"]
        if limit.base_ms is not None and limit.moves is not None:
            return [f"time_settings 0 {limit.base_ms // 1000} {limit.moves}"]
        return [] if limit.base_ms is None else [f"time_settings {limit.base_ms // 1000} 0 0"]

    def _time_left(self, turn: Turn) -> list[str]:
        clock = turn.clocks[self.color]
        if clock.remaining_ms is None or self.config.limit.base_ms is None:
            return []
        return [f"time_left {self.color} {max(0, int(clock.remaining_ms)) // 1000} {clock.movestogo or 0}"]

    def _deadline(self) -> float:
        return now() + self.config.start_timeout_ms / 1000

    async def _ask_all(self, *commands: str, seconds: float | None = None) -> Failure | None:
        """Send commands until one fails, and return that failure, or None if all succeed.

        :param seconds: the time limit of each command; by default the time limit of a handshake step.
        """
        for command in commands:
            self.process.inbox.begin_turn(forget=True)
            deadline = self._deadline() if seconds is None else now() + seconds
            response = await self.ask(command, deadline)
            if response is None:
                return await self.failure(f"the answer to {command!r}")
            if response.text is None:
                return Failure("illegal", f"refused {command!r}: {response.line.text.strip()}")
        return None

    async def ask(self, command: str, deadline: float) -> Response | None:
        """Send a command and return the response, which an empty line ends, or None if it does not arrive in time."""
        self.process.send(command)
        lines: list[OutputLine] = []
        while line := await self.process.read_line(deadline):
            text = line.text.strip()
            if lines and not text:
                body = "\n".join(each.text.strip() for each in lines)
                return Response(lines[0], body[1:].strip() if body[0] == "=" else None)
            if lines or text[:1] in ("=", "?"):
                lines.append(line)
        return None


def play_lines(moves: Sequence[str], to_move: Color, start: int = 0) -> list[str]:
    """Return the commands that play ``moves`` from index ``start`` on; colours alternate, and ``to_move`` is next."""
    own = COLORS.index(to_move)
    return [f"play {COLORS[(own + len(moves) - index) % 2]} {moves[index]}" for index in range(start, len(moves))]
