"""A tournament store for web pages, reloaded when another process has written to it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from quietmove.addons.web.boards import Json, Steps, describe_end, describe_game
from quietmove.addons.web.replays import listed, steps_of
from quietmove.addons.web.routes import json_text
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.files import read_bytes
from quietmove.engine.games.base import Game
from quietmove.engine.games.registry import known_game
from quietmove.referee.config.model import COLORS
from quietmove.referee.errors import SetupError
from quietmove.referee.game.record import GameRecord
from quietmove.referee.game.transcript import MoveRecord
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import MissingStoreError, StoreError
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.playing.snapshot import STALE_SECONDS, snapshot_path
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store

MOST_LISTED = 25  # games per response
CountPlies = Callable[[Iterable[int]], Mapping[int, int]]  # returns numbers of moves by game number
NO_GAMES = '{"count":0,"games":[]}'
OUTCOMES = ("won", "drawn", "lost")
# The keys of a step that a small board needs.
STEP_KEYS = ("board", "picture", "text", "caption", "placed", "changed", "toMove", "counts")


def store_id(path: Path) -> str:
    """Return a store's short name for addresses, derived from its path."""
    return hashlib.blake2b(bytes(path.absolute()), digest_size=6).hexdigest()


class Reader:
    """A tournament store that is open only while it is read.

    :ivar results: the finished games' results at the last :meth:`refresh`.
    :ivar tournament: the tournament at that time, or None before the first :meth:`refresh`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: Sequence[Result] = ()
        self.tournament: Tournament | None = None
        self._text = ""

    def refresh(self) -> str:
        """Return the tournament's current document as JSON, rebuilt if games have finished.

        :raises StoreError: if the store cannot be read; a retry may succeed.
        """
        with self._open() as store:
            if store.tournament != self.tournament:  # a different store has replaced the file
                self.tournament, self._text = store.tournament, ""
            if not self._text or store.count() != len(self.results):
                self.results = store.results()
                made = document(store.tournament, self.results, store.times())
                self._text = json_text({**made, "over": made["planned"] == len(self.results)})
        return self._text

    def _open(self) -> Store:
        """Open the store.

        :raises StoreError: if the store cannot be read. Unlike :meth:`Store.open_to_read`, the message for a missing
            store does not suggest a command to create it.
        """
        try:
            return Store.open_to_read(self.path)
        except MissingStoreError:
            wrong = f"store: {self.path} does not exist; it is shown as soon as it does"
            raise StoreError(wrong) from None

    def running(self) -> str:
        """Return the running games as JSON. Before the first :meth:`refresh`, the list is empty."""
        found = running_games(self.path, self.tournament) if self.tournament else {}
        return json_text(found) if found.get("games") else NO_GAMES

    def headline(self) -> Json:
        """Return the store's list entry, without statistics, or the error if the store cannot be read."""
        try:
            with self._open() as store:
                tournament = store.tournament
                games = store.count()
        except QuietmoveError as error:
            return {"error": str(error)}
        return {
            "tournament": tournament.name,
            "game": tournament.game,
            "format": tournament.format,
            "engines": len(tournament.names),
            "games": games,
        }

    def game(self, number: int) -> tuple[ScheduledGame, GameRecord]:
        """Return one complete game.

        :raises StoreError: if there is no such game, or it is damaged.
        """
        with self._open() as store:
            return store.game(number)

    def count_plies(self, numbers: Iterable[int]) -> dict[int, int]:
        """Return how many moves each of these finished games has; see :meth:`Store.count_plies`.

        :raises StoreError: if the store cannot be read.
        """
        with self._open() as store:
            return store.count_plies(numbers)


def listed_games(results: Sequence[Result], query: Mapping[str, str], count_plies: CountPlies) -> Json:
    """Return up to MOST_LISTED selected games, newest first; with ``sort=lost``, the engine's losses come first.

    :param query: the filters: ``engine`` and ``against`` are players, ``reason`` is a verdict, and ``outcome`` (won,
        drawn, lost) is the result for ``engine`` or, without it, for Black; empty values do not filter. ``from`` is the
        number of games to skip.
    :param count_plies: a function such as :meth:`Store.count_plies`. If it omits a game, because another store has
        replaced the file, the game counts as empty.
    :raises SetupError: if ``outcome`` or ``from`` is invalid.
    """
    engine, against, reason, outcome = (query.get(key, "") for key in ("engine", "against", "reason", "outcome"))
    if outcome not in ("", *OUTCOMES):
        raise SetupError(f"outcome: must be won, drawn or lost, not {printable(outcome, 60)!r}")
    try:
        first = int(query.get("from") or "0")
        if first < 0:
            raise ValueError
    except ValueError:
        raise SetupError(f"from: expected a number of games, not {printable(query['from'], 60)!r}") from None
    chosen = [
        result
        for result in reversed(results)
        if (not engine or engine in result.id.pair)
        and (not against or (against in result.id.pair and against != engine))
        and reason in ("", result.reason)
        and outcome in ("", _outcome(result, engine))
    ]
    if query.get("sort") == "lost":
        chosen.sort(key=lambda result: OUTCOMES[::-1].index(_outcome(result, engine)))
    page = chosen[first : first + MOST_LISTED]
    plies = count_plies(result.number for result in page)
    games = [listed(result, plies.get(result.number, 0)) for result in page]
    return {"count": len(chosen), "from": first, "games": games}


def game_document(number: int, record: GameRecord) -> Json:
    """Return a stored game for the play page: its positions, the engines' scores and its verdict.

    :raises GameError: if a move is illegal.
    """
    players = [record.spec.player(color) for color in COLORS]
    return {
        **describe_game(known_game(record.spec.game)),
        "title": f"game {number}",
        "seats": [{"name": each.name, "person": False, "limit": str(each.limit)} for each in players],
        "steps": steps_of(record),
        "verdict": describe_end(record.reason, record.detail, record.margin_black),
    }


def running_games(store: Path, tournament: Tournament) -> Json:
    """Return the running games of ``store``, as described in the run's snapshot.

    ``count`` is their number; only the first few are described.

    :raises QuietmoveError: if a move in the snapshot is illegal. Any other exception means that the file is not a
        snapshot.
    """
    path = snapshot_path(store)
    if not path.exists() or time.time() - path.stat().st_mtime > STALE_SECONDS:
        return {"count": 0, "games": []}
    found = parse_json(read_bytes(path))
    game = known_game(tournament.game)
    if not found["count"]:
        return {"count": 0, "games": []}
    return {"count": found["count"], **describe_game(game), "games": [_drawn(game, each) for each in found["games"]]}


def _outcome(result: Result, engine: str) -> str:
    """Return a game's outcome for an engine, or for Black if none is given."""
    points = 1 - result.points_black if engine == result.id.white else result.points_black
    return "won" if points == 1 else "lost" if points == 0 else "drawn"


def _drawn(game: Game, told: Json) -> Json:
    """Return a game for a small board: its position, with the changes made by the last move."""
    *before, last = told["moves"] or [None]
    position = game.parse_position(told["start"].split()) if told["start"] else game.initial()
    for move in before:
        position.play(game.parse_move(position, move))
    steps = Steps(game, position)
    step = steps.after(MoveRecord(last, "opening")) if last else steps.first()
    return {
        "number": told["number"],
        "players": [told["black"], told["white"]],
        "clocks": [told["clocks"].get(color) for color in COLORS],
        "scores": [told["scores"].get(color) for color in COLORS],
        "output": [[printable(line) for line in told["output"].get(color, ())] for color in COLORS],
        "asked": told["asked"] or time.time(),
        **{key: step[key] for key in STEP_KEYS},
        "move": last,
        "plies": len(told["moves"]),
    }
