"""One game between two engines, from the first process to the verdict.

The rules are the referee's own; what an engine says counts only as the move it wants to make.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterable, Iterator
from itertools import accumulate

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import MAX_PLY, NATURE, get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.clock import Clock
from quietmove.referee.config import COLORS, Color, GameSpec
from quietmove.referee.errors import GameInterruptedError, SetupError
from quietmove.referee.interrupt import Interrupt
from quietmove.referee.record import GameRecord, MoveRecord, Reason
from quietmove.referee.seats import Answer, Listener, Seat, Turn, create_seat
from quietmove.referee.verdict import REASONS, Observation, Verdict, drawn, finished, forfeited, judge

__all__ = ["play_game"]

SETTLE_SECONDS = 0.1  # an engine that writes nonsense while it dies has crashed: so long may the dying take
MAX_DIALOGUE_LINES = 20_000
MAX_DIALOGUE_WIDTH = 1000
MAX_QUOTED = 80  # characters of an engine's line in the sentence of a verdict


def play_game(spec: GameSpec, interrupt: Interrupt | None = None) -> GameRecord:
    """Play one game with processes of its own and return its record; an engine's fault is a verdict, never an error.

    It may be called from many threads at once, but not from within a running event loop.

    :param interrupt: breaks the game off, from any thread; both engines are then killed.
    :raises UnknownGameError, SetupError: if there is no such game, or its opening cannot be played.
    :raises GameInterruptedError: if ``interrupt`` was thrown.
    """
    return asyncio.run(_Game(spec).run(interrupt or Interrupt()))


class _Game:
    """A game under way: the position, the clocks and the two seats."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        self.started = time.monotonic()
        self.game = get_game(spec.game)
        self.position = self.game.begin(spec.seed)
        self.moves: list[MoveRecord] = []
        self.dialogue: list[str] = []
        self._play_opening()
        self.clocks: dict[Color, Clock] = {}
        self.seats: dict[Color, Seat] = {}
        for color in COLORS:
            config = spec.player(color)
            self.clocks[color] = Clock(config.limit, config.margin_ms)
            self.seats[color] = create_seat(config, spec.game)

    async def run(self, interrupt: Interrupt) -> GameRecord:
        """Play, end both engines and return the record."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        with interrupt.watched_by(lambda: loop.call_soon_threadsafe(task.cancel)):
            try:
                verdict = await self._play_and_end()
            except asyncio.CancelledError:
                if interrupt.is_set():
                    raise GameInterruptedError("the game was broken off") from None
                raise
        return self._record(verdict)

    async def _play_and_end(self) -> Verdict:
        try:
            verdict = await self._play()
            await self._end_seats(patient=True)
        finally:
            await self._end_seats(patient=False)
        return verdict

    async def _play(self) -> Verdict:
        """Start both engines and ask them in turn, with the dice between, until there is a verdict."""
        async with asyncio.TaskGroup() as group:
            starts = {
                color: group.create_task(self.seats[color].start(color, self._listener(color))) for color in COLORS
            }
        failed = [(failure, color) for color, start in starts.items() if (failure := start.result())]
        if failed:  # where both failed alike, Black is charged, which would have had to move first
            failure, color = min(failed, key=lambda pair: REASONS.index(pair[0].reason))
            return self._forfeit(failure.reason, color, failure.detail)
        while not self.position.is_over():
            if len(self.moves) >= MAX_PLY:
                return drawn(f"the game has not ended after {MAX_PLY} plies")
            if self.position.side_to_move == NATURE:
                self._roll()
            elif verdict := await self._play_turn():
                return verdict
        return finished(self.position.result())

    async def _play_turn(self) -> Verdict | None:
        """Ask the side to move, and play its move if nothing speaks against it."""
        color = COLORS[self.position.side_to_move]
        seat = self.seats[color]
        answer = await seat.think(self._turn())
        move, objection = self._legal_move(answer.move)
        seen = Observation(
            crashed=await self._has_crashed(seat, answer, move),
            late=answer.line is None and self.clocks[color].limit_ms is not None,
            answered=answer.line is not None,
            legal=move is not None,
            resigned=seat.can_resign and answer.move == "resign",
        )
        reason = judge(seen)
        if reason is not None:
            return self._forfeit(reason, color, await self._explain(reason, seat, answer, objection))
        assert move is not None
        self._make(move, color, answer)
        return None

    def _turn(self) -> Turn:
        """Return what the side to move is asked, and no more than it may know."""
        moves = tuple(record.move for record in self.moves)
        if self.game.kind != "hidden":
            return Turn(moves, self.clocks)
        return Turn(moves, self.clocks, self.game.view(self.position, self.position.side_to_move))

    def _roll(self) -> None:
        """Make nature's move; it depends on the seed and the number of moves before it alone, on every machine."""
        outcomes = self.position.outcomes()
        digest = hashlib.blake2b(f"{self.spec.seed}/{len(self.moves)}".encode(), digest_size=8).digest()
        lot = int.from_bytes(digest) % sum(weight for _, weight in outcomes)
        move = next(move for (move, _), end in zip(outcomes, _sums(outcomes), strict=True) if lot < end)
        self.position.play(move)
        self.moves.append(MoveRecord(self.game.format_move(move), "chance"))

    def _legal_move(self, text: str | None) -> tuple[int | None, str]:
        """Return the legal move that ``text`` names, or None and what is wrong with it."""
        if text is None:
            return None, "which is no move of its protocol"
        try:
            return self.game.parse_move(self.position, text), ""
        except GameError as error:
            return None, f"which cannot be played: {_shorten(str(error))}"

    async def _has_crashed(self, seat: Seat, answer: Answer, move: int | None) -> bool:
        """Tell whether the engine has gone. After a good answer that is not asked: its next turn will show it."""
        if answer.line is None:
            return await seat.has_left(0)
        if move is not None or (seat.can_resign and answer.move == "resign"):
            return False
        return await seat.has_left(SETTLE_SECONDS)

    async def _explain(self, reason: Reason, seat: Seat, answer: Answer, objection: str) -> str:
        """Return what the engine did, as the rest of a sentence that begins with its name."""
        config, clock = seat.config, self.clocks[seat.color]
        if reason == "crash":
            return await seat.describe_end()
        if reason == "timeout":
            return f"did not answer within {clock.limit_ms:.0f} ms and a margin of {clock.margin_ms} ms"
        if reason == "illegal":
            return f"answered {_shorten(answer.line or '')!r}, {objection}"
        if reason == "stall":
            return f"did not answer within {config.stall_timeout_ms} ms, and no clock runs ({config.limit})"
        return "resigns"

    def _forfeit(self, reason: Reason, color: Color, what: str) -> Verdict:
        detail = f"{self.spec.player(color).name} ({color}) {what}"
        return forfeited(reason, color, detail, self.position.largest_score)

    def _make(self, move: int, color: Color, answer: Answer) -> None:
        """Play a legal move in time, and write down what it cost and what was claimed."""
        clock, claim = self.clocks[color], answer.claim
        clock.charge(answer.elapsed_ms)
        self.position.play(move)
        self.moves.append(
            MoveRecord(
                move=self.game.format_move(move),
                by=color,
                elapsed_ms=round(answer.elapsed_ms),
                clock_ms=None if clock.remaining_ms is None else round(clock.remaining_ms),
                score=claim.score if claim else None,
                depth=claim.depth if claim else None,
                nodes=claim.nodes if claim else None,
            )
        )

    def _play_opening(self) -> None:
        try:
            moves = play_moves(self.game, self.position, self.spec.opening)
        except GameError as error:
            raise SetupError(f"opening {' '.join(self.spec.opening)}: {error}") from None
        self.moves += (MoveRecord(self.game.format_move(move), "opening") for move in moves)

    def _listener(self, color: Color) -> Listener:
        """Return what writes an engine's lines into the dialogue, if it is kept."""
        if not self.spec.keep_dialogue:
            return Listener()

        def listen(direction: str, line: str) -> None:
            if len(self.dialogue) < MAX_DIALOGUE_LINES:
                seconds = time.monotonic() - self.started
                self.dialogue.append(f"{seconds:9.3f} {color} {direction} {line[:MAX_DIALOGUE_WIDTH]}")
            elif len(self.dialogue) == MAX_DIALOGUE_LINES:
                self.dialogue.append("[... further lines were not kept]")

        return Listener(line=listen)

    async def _end_seats(self, *, patient: bool) -> None:
        async with asyncio.TaskGroup() as group:
            for seat in self.seats.values():
                group.create_task(seat.end(patient=patient))

    def _record(self, verdict: Verdict) -> GameRecord:
        return GameRecord(
            spec=self.spec,
            moves=tuple(self.moves),
            reason=verdict.reason,
            loser=verdict.loser,
            points_black=verdict.points_black,
            margin_black=verdict.margin_black,
            detail=verdict.detail,
            black_stderr=self.seats["black"].stderr,
            white_stderr=self.seats["white"].stderr,
            dialogue=tuple(self.dialogue),
        )


def _sums(outcomes: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Return for each of nature's moves the weight of it and of those before it."""
    return accumulate(weight for _, weight in outcomes)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 3] + "..."
