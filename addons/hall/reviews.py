"""Reviews the games of a class, one at a time with the lowest priority, and saves the reviews."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Sequence

from quietmove.addons.web.analysis import describe_review, reviewed_moves
from quietmove.addons.web.boards import Json
from quietmove.addons.web.database import WriteTurn
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import Searches
from quietmove.referee.config.model import TimeControl
from quietmove.referee.errors import SetupError
from quietmove.tournament.definition import DEFAULT_GAME

LIMIT = TimeControl(movetime_ms=200)  # same time per position as on the play page; a game takes 5 to 20 s
LONGEST = 300.0  # timeout of a review in seconds, for a machine that is too busy


class Reviews:
    """The database table of reviews, and the reviews in progress. Use it from one event loop.

    A review depends only on the moves, so identical games share it.
    """

    def __init__(self, connection: sqlite3.Connection, turn: WriteTurn) -> None:
        self._connection = connection
        self._turn = turn
        self._lock = asyncio.Lock()
        self._tasks: dict[str, asyncio.Task[None]] = {}  # each person's running review, by name
        self._done: dict[str, int] = {}  # number of moves reviewed so far in each running review, by the game's moves
        self._errors: dict[str, str] = {}

    def look(self, moves: Sequence[str]) -> Json:
        """Return a game's review (null if there is none yet), its progress, and its error if it failed."""
        text = " ".join(moves)
        row = self._connection.execute("SELECT found FROM review WHERE moves = ?", (text,)).fetchone()
        found = json.loads(row["found"]) if row else None
        return {"moves": found, "of": len(moves), "done": self._done.get(text), "error": self._errors.get(text, "")}

    def begin(self, moves: Sequence[str], asked_by: str) -> bool:
        """Start the review of a game unless there is one. Return False if another review of the person is in progress.

        :raises SetupError: if the game has no moves.
        """
        if not moves:
            raise SetupError("game: must have moves to review")
        text = " ".join(moves)
        if text in self._done or self.look(moves)["moves"] is not None:
            return True
        if (last := self._tasks.get(asked_by)) is not None and not last.done():
            return False
        self._done[text] = 0
        self._errors.pop(text, None)
        self._tasks[asked_by] = asyncio.create_task(self._make(text))
        return True

    async def close(self) -> None:
        """Cancel running reviews."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _make(self, text: str) -> None:
        try:
            async with self._lock, asyncio.timeout(LONGEST):
                found = await self._reviewed(text)
                await self._turn.come()
                self._connection.execute("INSERT OR REPLACE INTO review VALUES (?, ?)", (text, json.dumps(found)))
        except (TimeoutError, QuietmoveError, sqlite3.Error) as error:
            self._errors[text] = str(error) or "the machine is too busy; try again later"
        finally:
            del self._done[text]

    async def _reviewed(self, text: str) -> list[Json]:
        """Return the review of each move, in order."""
        game = get_game(DEFAULT_GAME)
        moves = play_moves(game, game.initial(), [text])
        record = ReviewedGame("game", game, game.initial(), moves)
        found: list[Json] = []
        async for number, position, move in reviewed_moves(record, LIMIT, Searches()):
            found.insert(0, {"ply": number, **describe_review(game, position, move)})
            self._done[text] = len(found)
        return found
