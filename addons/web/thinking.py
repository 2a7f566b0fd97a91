"""Progress reports of a running search, throttled to what a page can show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import islice

from quietmove.addons.web.boards import Json, describe_move
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import DECISIVE, Game, Position
from quietmove.engine.games.optional import Pictured
from quietmove.engine.protocol.notation import written_moves
from quietmove.engine.values import Info

REPORT_SECONDS = 0.05  # minimum time between messages about a running search; the last report is always sent
LONG_LINES = 4  # number of best lines to send in full; for the others, only the first move is sent
DRAWN_MOVES = 3  # number of a line's moves shown in a picture


class Thinking:
    """The latest report on each line of a search. Use it from one event loop."""

    def __init__(self, show: Callable[[], None]) -> None:
        """Start without reports.

        :param show: called shortly after a report; reports in quick succession share a call.
        """
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._reports: dict[int, Info[str]] = {}  # by rank of the line
        self._due: asyncio.TimerHandle | None = None

    @property
    def reports(self) -> list[Info[str]]:
        """The latest report on each line, best line first."""
        return [info for _, info in sorted(self._reports.items())]

    def clear(self) -> None:
        """Discard the reports of the previous search."""
        self._reports.clear()

    def add(self, info: Info[str]) -> None:
        """Store a report, and schedule a message. Engines in this process call it from their own thread."""
        self._reports[info.rank] = info
        self._loop.call_soon_threadsafe(self._schedule)

    def lines(self, game: Game, position: Position) -> list[Json]:
        """Return the lines of a search of ``position``, best first."""
        return [
            {
                "depth": info.depth,
                "exact": is_exact(info, position) or is_proven(info.score.value),
                "score": info.score.value,
                "nps": info.nps,
                "pv": moves_of(game, position, info.pv, None if rank < LONG_LINES else 1),
            }
            for rank, info in enumerate(self.reports)
        ]

    def _schedule(self) -> None:
        if self._due is None:
            self._due = self._loop.call_later(REPORT_SECONDS, self._tell)

    def _tell(self) -> None:
        self._due = None
        self._show()


def is_exact(info: Info[str], position: Position) -> bool:
    """Return whether a search has reached the end of the game without selective pruning, so that its value is exact."""
    return info.depth >= position.moves_left() and info.confidence == 100


def is_proven(score: int | None) -> bool:
    """Return whether a score is a proven win or loss."""
    return bool(abs(score or 0) > DECISIVE)


def moves_of(game: Game, position: Position, words: tuple[str, ...], most: int | None = None) -> list[Json]:
    """Return at most ``most`` moves of a line with their squares. The result ends before the first illegal move."""
    ahead = position.copy()
    found = list[Json]()
    with suppress(GameError):
        for move in islice(written_moves(game, ahead, words), most):
            name = item_of(game, ahead, move) if most is None and len(found) < DRAWN_MOVES else None
            found.append(describe_move(game, ahead, move) | ({"item": name} if name else {}))
            ahead.play(move)
    return found


def item_of(game: Game, position: Position, move: int) -> str | None:
    """Return the name of the picture item that plays ``move``, or None if no item does."""
    if not isinstance(game, Pictured):
        return None
    text = game.format_move(move)
    return next((item.name for item in game.picture(position).items if item.move == text), None)
