"""An Othello engine that speaks GTP, the Go Text Protocol, version 2: moves like ``d3``, row 1 at the top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quietmove.referee.config.model import Color, EngineConfig, split_opening
from quietmove.referee.process.inbox import Line
from quietmove.referee.seats.base import Answer, Failure, Objection, Turn
from quietmove.referee.seats.process_seat import KEEP_SECONDS, RESTART, ProcessSeat

__all__ = ["GtpSeat"]


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a command.

    :param line: its first line as it came, with its time of arrival.
    :param text: what it says behind ``=``; None if the command was refused by ``?``.
    """

    line: Line
    text: str | None


class GtpSeat(ProcessSeat):
    """The engine keeps the board: it is told the opponent's moves and asked for its own.

    GTP has a clock for a game and one for a move, both in whole seconds, and no depth or nodes: by those an engine is
    limited by its own command, and the referee only waits.
    """

    quit_line = "quit"
    can_resign = True
    settings = (RESTART,)

    _known: tuple[str, ...] = ()  # the moves of the game that the engine has been told or has made

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        """Refuse what the protocol cannot say."""
        yield from super().problems(config)
        limit = config.limit
        if config.options:
            yield "protocol=gtp has no options; put them into the command"
        if limit.increment_ms or (limit.movetime_ms or limit.base_ms or 0) % 1000:
            yield f"limit: must be depth=N, nodes=N (neither is sent) or whole seconds for protocol=gtp, not {limit}"

    @classmethod
    def refusals(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Refuse every game but Othello, and openings that begin in another position than usual."""
        if game != "othello":
            yield f"protocol=gtp plays othello, not {game}"
        elif split_opening(opening)[0]:
            yield "protocol=gtp cannot set up a position; only openings of moves can be played"

    async def objections(self) -> list[Objection]:
        """Ask whether the engine plays Othello, if it says that it plays several games."""
        if await self.launch() or await self._ask_all("protocol_version"):
            return []
        refusal = await self._choose_game()
        return [Objection(None, refusal)] if refusal else []

    async def _begin_first_game(self) -> Failure | None:
        if failure := await self._ask_all("protocol_version"):
            return failure
        if refusal := await self._choose_game():
            return Failure("illegal", refusal)
        return await self._ask_all("boardsize 8") or await self._begin_next_game()

    async def _begin_next_game(self) -> Failure | None:
        self._known = ()
        return await self._ask_all("clear_board", *self._time_settings())

    async def _answers_between_games(self) -> bool:
        return await self._ask_all("name", seconds=KEEP_SECONDS) is None

    async def think(self, turn: Turn) -> Answer:
        """Tell the moves that the engine does not know yet, and what is left on its clock; ask for its move.

        A pass may be refused: some engines know one only as an answer, and go by the color that they are asked for.
        """
        self.process.begin_turn(forget=True)
        started = self._now()
        deadline = started + self._patience(turn)
        taken_back = turn.moves[: len(self._known)] != self._known
        if taken_back:
            self._known = ()
        news = enumerate(turn.moves[len(self._known) :], len(self._known))
        commands = ["clear_board"] * taken_back
        commands += [f"play {self._color_of(turn, index)} {move}" for index, move in news]
        for command in (*commands, *self._time_left(turn)):
            response = await self._ask(command, deadline)
            if response is None or (response.text is None and not command.endswith(" pass")):
                return self._answer(response.line if response else None, None, started)
        response = await self._ask(f"genmove {self.color}", deadline)
        if response is None:
            return self._answer(None, None, started)
        move = response.text.strip().lower() if response.text is not None else None
        self._known = (*turn.moves, move or "")
        return self._answer(response.line, move, started)

    def _color_of(self, turn: Turn, index: int) -> Color:
        """Return who made a move: the players take turns, and the player to move is this one."""
        own = (len(turn.moves) - index) % 2 == 0
        return self.color if own else ("white" if self.color == "black" else "black")

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

    async def _choose_game(self) -> str:
        """Choose Othello if the engine says that it plays several games; return why it cannot, or nothing."""
        deadline = self._deadline()
        known = await self._ask("known_command set_game", deadline)
        if known is None or (known.text or "").strip() != "true":
            return ""
        chosen = await self._ask("set_game Othello", deadline)
        return "" if chosen is not None and chosen.text is not None else "does not play Othello (set_game)"

    def _deadline(self) -> float:
        return self._now() + self.config.start_timeout_ms / 1000

    async def _ask_all(self, *commands: str, seconds: float | None = None) -> Failure | None:
        """Send commands that must be answered, each in the time of a step of the handshake; return what went wrong."""
        for command in commands:
            self.process.begin_turn(forget=True)
            deadline = self._deadline() if seconds is None else self._now() + seconds
            response = await self._ask(command, deadline)
            if response is None:
                return await self._failure(f"the answer to {command!r}")
            if response.text is None:
                return Failure("illegal", f"refused {command!r}: {response.line.text.strip()}")
        return None

    async def _ask(self, command: str, deadline: float) -> Response | None:
        """Send a command and return the answer, which an empty line ends; None if none came in time."""
        self.process.send(command)
        first: Line | None = None
        while line := await self.process.read_line(deadline):
            text = line.text.strip()
            if first is None and text[:1] in ("=", "?"):
                first = line
            elif first is not None and not text:
                said = first.text.strip()
                return Response(first, said[1:].strip() if said[0] == "=" else None)
        return None
