"""An engine that speaks the UCI-style protocol of protocol.md."""

from __future__ import annotations

import time
from typing import ClassVar

from quietmove.engine.protocol.coordinates import PROJECT
from quietmove.engine.protocol.lines import GoLine, InfoLine, format_go, parse_bestmove, parse_info
from quietmove.referee.players.base import Answer, Failure, Player, Turn

__all__ = ["UciPlayer"]


class UciPlayer(Player):
    """Lines that are neither ``info`` nor ``bestmove`` are skipped while the engine thinks, as the protocol says.

    :ivar declared_options: the names in the engine's ``option`` lines, known once it has been started.
    :ivar complaints: the errors that it reported when its options were set.
    """

    farewell = "quit"
    can_resign = True
    default_game: ClassVar[str] = "othello"  # the game an engine plays without being told

    declared_options: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()

    async def _greet(self) -> Failure | None:
        self.process.send("uci")
        failure = await self._await_word("uciok")
        if failure:
            return failure
        game = () if self.game == self.default_game else (("Game", self.game),)
        options = [f"setoption name {name} value {value}" for name, value in (*game, *self.config.options)]
        self.process.send(*options, "ucinewgame", "isready")
        return await self._await_word("readyok")

    async def think(self, turn: Turn) -> Answer:
        """Send the whole game, or what may be known of it, and the limits, and read on until `bestmove`."""
        self.process.begin_turn(forget=True)
        started = time.monotonic()
        self.process.send(self._position_line(turn), self._go_line(turn))
        report = ""
        while line := await self.process.read_line(started + self._patience(turn)):
            text = line.text.strip()
            if text.startswith("info") and " score " in text and " string " not in text:
                if " multipv " not in text or " multipv 1 " in text:
                    report = text
            elif text.startswith("bestmove") and (best := parse_bestmove(text)):
                move = PROJECT.read(self.grid, best.move) or best.move
                return self._answer(line, move, started, _claim(report))
        return self._answer(None, None, started, _claim(report))

    async def _await_word(self, word: str) -> Failure | None:
        """Wait for the line ``word``; keep the names of the options that are declared on the way."""
        self.process.begin_turn(forget=False)
        deadline = time.monotonic() + self.config.start_timeout_ms / 1000
        while line := await self.process.read_line(deadline):
            tokens = line.text.split()
            if tokens == [word]:
                return None
            if tokens[:2] == ["option", "name"]:
                end = tokens.index("type") if "type" in tokens else len(tokens)
                self.declared_options += (" ".join(tokens[2:end]),)
            elif tokens[:3] == ["info", "string", "error:"]:
                self.complaints += (" ".join(tokens[3:]),)
        return await self._failure(word)

    def _position_line(self, turn: Turn) -> str:
        if turn.view is not None:
            return f"position fen {turn.view}"
        moves = [PROJECT.write(self.grid, move) for move in turn.moves]
        return " ".join(("position startpos", "moves", *moves) if moves else ("position startpos",))

    def _go_line(self, turn: Turn) -> str:
        limit = self.config.limit
        if limit.base_ms is None:
            return format_go(GoLine(depth=limit.depth, nodes=limit.nodes, movetime=limit.movetime_ms))
        black, white = turn.clocks["black"], turn.clocks["white"]
        return format_go(
            GoLine(
                btime=_whole(black.remaining_ms),
                wtime=_whole(white.remaining_ms),
                binc=black.control.increment_ms or None,
                winc=white.control.increment_ms or None,
                movestogo=turn.clocks[self.color].movestogo,
            )
        )


def _whole(milliseconds: float | None) -> int | None:
    """Return what is left on a clock as it is told to the engine: never nothing, while the margin still runs."""
    return None if milliseconds is None else max(1, int(milliseconds))


def _claim(report: str) -> InfoLine | None:
    return parse_info(report) if report else None
