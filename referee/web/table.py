"""One game at a table: what the referee reports of it, kept so that a page that comes late sees all of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.lines import InfoLine
from quietmove.referee.config.config import COLORS, Color, EngineConfig, GameSpec
from quietmove.referee.game.observer import Clocks, Observer
from quietmove.referee.game.record import GameRecord
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.web.boards import Json, Steps, describe_game
from quietmove.referee.web.person import PERSON, PersonSeat
from quietmove.referee.web.thinking import Thinking

__all__ = ["Table", "Watcher"]

MOST_WAITING = 1000  # messages that a page may leave unread before it is let go

Watcher = asyncio.Queue[Json | None]


class Table(Observer):
    """A game, with the pages that watch it. All methods but those of :class:`Observer` belong to the page's loop.

    Where cards are hidden and a person plays, nothing is told before the end that this person does not know.

    :ivar steps: the positions of the game so far, as the page draws them.
    :ivar watchers: a queue of messages for each page; None ends it.
    :ivar left_at: when the last page left, in seconds of :func:`time.monotonic`; None while there is one.
    """

    def __init__(self, number: str, spec: GameSpec, wishes: Mapping[Color, Json]) -> None:
        """Wait for the referee; ``wishes`` are what the page asked for as players.

        :raises GameError: if a game of one's own cannot be drawn.
        """
        self._wishes = wishes
        self.number = number
        self.spec = spec
        self.seats: dict[Color, PersonSeat] = {}
        self.watchers: set[Watcher] = set()
        self.left_at: float | None = time.monotonic()
        self.verdict: Json | None = None
        self._viewer = _viewer(spec)
        game = get_game(spec.game)
        self._described = describe_game(game)
        self._steps = Steps(game, spec.begin(), self._viewer)
        self.steps: list[Json] = [self._steps.first()]
        self._moves: list[MoveRecord] = []
        self._turn: Json | None = None
        self._thinking = Thinking(self._show_thinking)
        self._loop = asyncio.get_running_loop()

    # ---- for the page

    def snapshot(self) -> Json:
        """Return all that a page needs to show the game as it stands."""
        return {
            "type": "snapshot",
            "id": self.number,
            **self._described,
            "seats": [self._seat(self.spec.player(color), self._wishes[color]) for color in COLORS],
            "steps": list(self.steps),  # as they are now: it is sent later, before the messages of what comes
            "turn": self._turn,
            "thinking": self._lines(),
            "verdict": self.verdict,
        }

    def watch(self) -> Watcher:
        """Return a queue that gets every message from now on, a snapshot first."""
        watcher: Watcher = asyncio.Queue()
        watcher.put_nowait(self.snapshot())
        self.watchers.add(watcher)
        self.left_at = None
        return watcher

    def leave(self, watcher: Watcher) -> None:
        """Send no more messages to a page."""
        self.watchers.discard(watcher)
        if not self.watchers and self.left_at is None:
            self.left_at = time.monotonic()

    def dismiss(self) -> None:
        """Send away all pages that watch."""
        for watcher in self.watchers:
            watcher.put_nowait(None)

    def answer(self, ply: int, move: str) -> str:
        """Play a person's move; return what is wrong with it, or an empty text.

        :param ply: the number of moves before it, so that a message that comes late plays nothing.
        """
        if self.verdict is not None:
            return "the game is over"
        color = None if self._turn is None else self._turn["color"]
        seat = None if color is None else self.seats.get(color)
        if seat is None:
            return "it is not your turn"
        if ply != len(self.steps) - 1:
            return f"a move after {len(self.steps) - 1} moves is asked for; one after {ply} came"
        legal = [each["move"] for each in self.steps[-1]["legal"]]
        if move != "resign" and move not in legal:
            return f"{move[:20]!r} is not legal here; legal: {' '.join(legal)}"
        seat.answer(move)
        return ""

    # ---- what the referee reports, in threads of its own

    def broke(self, text: str) -> None:
        """End the game for a reason that is no player's fault."""
        self._tell(lambda: self._end({"reason": "error", "detail": text, "result": "*", "margin": None}))

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        """Say whose turn it is."""
        self._tell(lambda: self._begin_turn({"color": color, "clocks": clocks}))

    def search_reported(self, color: Color, info: InfoLine) -> None:
        """Keep what a search says, and tell it after a moment."""
        self._tell(lambda: self._report(color, info))

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        """Draw the position after a move."""
        self._tell(lambda: self._step(move))

    def game_ended(self, record: GameRecord) -> None:
        """Say how the game ended."""
        self._tell(
            lambda: self._end(
                {
                    "reason": record.reason,
                    "detail": record.detail,
                    "result": record.result,
                    "margin": record.margin_black,
                }
            )
        )

    # ---- inside, in the page's loop

    def _tell(self, work: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the page's loop is closed: nobody watches any more
            self._loop.call_soon_threadsafe(work)

    def _send(self, message: Json) -> None:
        for watcher in list(self.watchers):
            if watcher.qsize() > MOST_WAITING:
                watcher.put_nowait(None)
                self.leave(watcher)
            else:
                watcher.put_nowait(message)

    def _begin_turn(self, turn: Json) -> None:
        self._turn = turn
        self._thinking.clear()
        self._send({"type": "turn", "turn": turn})

    def _step(self, move: MoveRecord) -> None:
        if self.verdict is not None:
            return
        try:
            step = self._steps.after(move)
        except GameError as error:  # a game of one's own has no board
            self.broke(str(error))
            return
        self._moves.append(move)
        self.steps.append(step)
        self._turn = None
        self._thinking.clear()
        self._send({"type": "step", "ply": len(self.steps) - 1, "step": step})

    def _end(self, verdict: Json) -> None:
        if self.verdict is None:
            self._turn = None
            self.verdict = verdict
            self._send({"type": "end", "verdict": verdict, **self._uncovered()})

    def _uncovered(self) -> Json:
        """Return all steps as they were, if they have not been told like that before."""
        if self._viewer is None:
            return {}
        self._steps = Steps(self._steps.game, self.spec.begin())
        self.steps = [self._steps.first(), *map(self._steps.after, self._moves)]
        return {"steps": list(self.steps)}

    def _report(self, color: Color, info: InfoLine) -> None:
        if self._viewer is None and self._turn is not None and self._turn["color"] == color:
            self._thinking.add(info)

    def _show_thinking(self) -> None:
        self._send({"type": "thinking", "thinking": self._lines()})

    def _lines(self) -> list[Json]:
        return self._thinking.lines(self._steps.game, self._steps.position)

    @staticmethod
    def _seat(config: EngineConfig, wish: Json) -> Json:
        person = config.protocol == PERSON
        return {"name": config.name, "person": person, "limit": None if person else str(config.limit), "wish": wish}


def _viewer(spec: GameSpec) -> int | None:
    """Return the side of the person who plays a game with hidden information; None if there is none."""
    if get_game(spec.game).kind != "hidden":
        return None
    return next((side for side, color in enumerate(COLORS) if spec.player(color).protocol == PERSON), None)
