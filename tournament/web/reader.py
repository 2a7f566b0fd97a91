"""One store as the pages see it: read again when another process has written to it, and computed from its games."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from quietmove.engine.games.registry import get_game
from quietmove.engine.printable import printable
from quietmove.referee.config.config import COLORS
from quietmove.referee.errors import SetupError
from quietmove.referee.game.record import GameRecord
from quietmove.referee.game.transcript import result_text
from quietmove.referee.web.boards import Json, Steps, describe_game
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import MissingStoreError, StoreError
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.statistics.summary import document
from quietmove.tournament.store.database import logs
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import Timing
from quietmove.tournament.web.running import running_games

__all__ = ["MOST_LISTED", "NO_GAMES", "Reader", "game_document", "listed_games", "shown"]

MOST_LISTED = 25  # games in one answer
NO_GAMES = '{"count":0,"games":[]}'
STEADY_SECONDS = 2.0  # a file that was written later than this before it was read is read once more
LONGEST_NUMBER = 9  # digits
OUTCOMES = ("won", "drawn", "lost")

Signature = tuple[tuple[int, int, int, int] | None, ...]


class Reader:
    """A store, which is opened for the time of reading alone: SQLite files should not be moved while they are open.

    :ivar results: of the games that had ended at the last :meth:`refresh`.
    :ivar tournament: what was being played then; None before the first.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: Sequence[Result] = ()
        self.tournament: Tournament | None = None
        self._timings: dict[int, Timing] = {}
        self._file: tuple[int, int] | None = None
        self._signature: Signature | None = None
        self._text = ""
        self._headline: tuple[Signature, Json] | None = None

    def is_stale(self) -> bool:
        """Tell whether the file has changed since it was read; that costs microseconds."""
        return self._signature is None or self._signature != _signature(self.path)

    def refresh(self) -> str:
        """Return the document of the tournament as it stands now, as JSON.

        :raises StoreError: if the store cannot be read; another try may succeed.
        """
        if not self.is_stale():
            return self._text
        signature, started = _signature(self.path), time.time_ns()
        self._signature = None
        if self._file != (file := signature[0] and signature[0][:2]):  # another file has the name now
            self._file, self._text, self._timings = file, "", {}
        with self._open() as store:
            results = store.results()
            if not self._text or results != self.results:
                made = document(store.tournament, results, store.timings(self._timings))
                self._text = shown({**made, "over": made["planned"] == len(results)})
            self.results, self.tournament = results, store.tournament
        newest = max((times[3] for times in signature if times), default=0)
        if started - newest > STEADY_SECONDS * 1e9:  # what is written in the same instant leaves no trace in the times
            self._signature = signature
        return self._text

    def _open(self) -> Store:
        """Return the store, open.

        :raises StoreError: if it cannot be read; who looks at a page begins no tournament, and is not told how.
        """
        try:
            return Store.open_to_read(self.path)
        except MissingStoreError:
            raise StoreError(
                f"store: there is no file {self.path} yet, or no longer; when it is there, it is shown"
            ) from None

    def running(self) -> str:
        """Return the games that are being played now, as JSON; none before the first :meth:`refresh`."""
        found = running_games(self.path, self.tournament) if self.tournament else {}
        return shown(found) if found.get("games") else NO_GAMES

    def headline(self) -> Json:
        """Return what a list says of it; nothing is computed for that.

        :raises StoreError: if the store cannot be read.
        """
        signature = _signature(self.path)
        if self._headline is None or self._headline[0] != signature:
            with self._open() as store:
                tournament = store.tournament
                found = {
                    "tournament": tournament.name,
                    "game": tournament.game,
                    "format": tournament.format,
                    "engines": len(tournament.names),
                    "games": store.count(),
                }
            self._headline = signature, found
        return self._headline[1]

    def game(self, number: int) -> tuple[ScheduledGame, GameRecord]:
        """Return one game whole.

        :raises StoreError: if there is none, or it is damaged.
        """
        with self._open() as store:
            return store.game(number)


def listed_games(results: Sequence[Result], wish: Mapping[str, str]) -> Json:
    """Return some of the games, the newest first.

    :param wish: ``engine`` and ``against`` name players, ``reason`` is a verdict, ``outcome`` (won, drawn, lost) is
        that of the engine; what is empty chooses nothing. ``from`` counts the games to be left out, from 0.
    :raises SetupError: if one of these is not allowed.
    """
    engine, against, reason, outcome = (wish.get(key, "") for key in ("engine", "against", "reason", "outcome"))
    if outcome not in ("", *OUTCOMES):
        raise SetupError(f"outcome: allowed: {', '.join(OUTCOMES)}; {printable(outcome, 60)!r} came")
    start = wish.get("from", "") or "0"
    if not (start.isascii() and start.isdecimal() and len(start) <= LONGEST_NUMBER):
        raise SetupError(f"from: a number of games is allowed; {printable(start, 60)!r} came")
    chosen = [
        result
        for result in reversed(results)
        if (not engine or engine in result.id.pair)
        and (not against or (against in result.id.pair and against != engine))
        and reason in ("", result.reason)
        and outcome in ("", _outcome(result, engine))
    ]
    first = int(start)
    return {"count": len(chosen), "from": first, "games": list(map(_row, chosen[first : first + MOST_LISTED]))}


def game_document(number: int, record: GameRecord) -> Json:
    """Return a stored game as the page for play shows it: its positions, what was said of the moves, its verdict.

    :raises GameError: if a move of it cannot be played.
    """
    game = get_game(record.spec.game)
    steps = Steps(game, record.spec.begin())
    found = [steps.first(), *map(steps.after, record.moves)]
    players = [record.spec.player(color) for color in COLORS]
    return {
        **describe_game(game),
        "title": f"game {number}",
        "seats": [{"name": each.name, "person": False, "limit": str(each.limit)} for each in players],
        "steps": found,
        "verdict": {
            "reason": record.reason,
            "detail": record.detail,
            "result": record.result,
            "margin": record.margin_black,
        },
    }


def shown(document: object) -> str:
    """Return JSON for a page; whatever stands in a store, such as half a surrogate, can be sent."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def _signature(path: Path) -> Signature:
    """Return what changes when a database is written or replaced."""
    found: list[tuple[int, int, int, int] | None] = []
    for file in (path, *logs(path)):
        try:
            status = file.stat()
        except OSError:
            found.append(None)
        else:
            found.append((status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _outcome(result: Result, engine: str) -> str:
    """Return how a game ended for an engine; for the first of the pair where none is chosen."""
    points = 1 - result.points_first() if engine == result.id.pair[1] else result.points_first()
    return "won" if points == 1 else "lost" if points == 0 else "drawn"


def _row(result: Result) -> Json:
    return {
        "number": result.number,
        "round": result.id.round,
        "black": result.id.black,
        "white": result.id.white,
        "result": result_text(result.points_black),
        "margin": result.margin_black,
        "reason": result.reason,
        "charged": result.forfeited_by,
        "plies": result.moves.count(",") + 1 if result.moves else 0,
    }
