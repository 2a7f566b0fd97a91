"""One store as the pages see it: read again when another process has written to it, and computed from its games."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
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

MOST_LISTED = 25  # games in one answer
NO_GAMES = '{"count":0,"games":[]}'
OUTCOMES = ("won", "drawn", "lost")
# A small board draws these keys of a step.
STEP_KEYS = ("board", "picture", "text", "caption", "placed", "changed", "toMove", "counts")


def store_id(path: Path) -> str:
    """Return the short name of a store for addresses, which follows from its path."""
    return hashlib.blake2b(bytes(path.absolute()), digest_size=6).hexdigest()


class Reader:
    """A store, which is opened for the time of reading alone.

    :ivar results: the results of the games that had ended at the last :meth:`refresh`.
    :ivar tournament: the tournament that was being played then; None before the first :meth:`refresh`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: Sequence[Result] = ()
        self.tournament: Tournament | None = None
        self._text = ""

    def refresh(self) -> str:
        """Return the document of the tournament as it stands now, as JSON; it is made anew if games have ended.

        :raises StoreError: if the store cannot be read; another try may succeed.
        """
        with self._open() as store:
            if store.tournament != self.tournament:  # another store has this name now
                self.tournament, self._text = store.tournament, ""
            if not self._text or store.count() != len(self.results):
                self.results = store.results()
                made = document(store.tournament, self.results, store.times())
                self._text = json_text({**made, "over": made["planned"] == len(self.results)})
        return self._text

    def _open(self) -> Store:
        """Return the store, open.

        :raises StoreError: if it cannot be read; who looks at a page begins no tournament, and is not told how.
        """
        try:
            return Store.open_to_read(self.path)
        except MissingStoreError:
            wrong = f"store: there is no file {self.path} yet, or no longer; when it is there, it is shown"
            raise StoreError(wrong) from None

    def running(self) -> str:
        """Return the games that are being played now, as JSON; none before the first :meth:`refresh`."""
        found = running_games(self.path, self.tournament) if self.tournament else {}
        return json_text(found) if found.get("games") else NO_GAMES

    def headline(self) -> Json:
        """Return what a list says of it, or why it cannot be read; nothing is computed for that."""
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
        """Return one game whole.

        :raises StoreError: if there is none, or it is damaged.
        """
        with self._open() as store:
            return store.game(number)


def listed_games(results: Sequence[Result], query: Mapping[str, str]) -> Json:
    """Return some of the games, the newest first; ``sort`` = ``lost`` puts those before all that the engine has lost.

    :param query: ``engine`` and ``against`` name players, ``reason`` is a verdict, ``outcome`` (won, drawn, lost) is
        that of the engine or of Black; what is empty chooses nothing. ``from`` counts the games to be left out, from 0.
    :raises SetupError: if one of these is not allowed.
    """
    engine, against, reason, outcome = (query.get(key, "") for key in ("engine", "against", "reason", "outcome"))
    if outcome not in ("", *OUTCOMES):
        raise SetupError(f"outcome: must be won, drawn or lost, not {printable(outcome, 60)!r}")
    try:
        first = int(query.get("from") or "0")
        if first < 0:
            raise ValueError
    except ValueError:
        raise SetupError(f"from: must be a number of games, not {printable(query['from'], 60)!r}") from None
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
    return {"count": len(chosen), "from": first, "games": list(map(listed, chosen[first : first + MOST_LISTED]))}


def game_document(number: int, record: GameRecord) -> Json:
    """Return a stored game as the page for play shows it: its positions, what was said of the moves, its verdict.

    :raises GameError: if a move of it cannot be played.
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
    """Return the games that are being played for ``store``, by what the run says of them in its snapshot.

    ``count`` is how many there are; those beyond the first few are not told in detail.

    :raises QuietmoveError: if a move of the snapshot cannot be played; any other exception if it is no snapshot.
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
    """Return how a game ended for an engine; for Black where none is chosen."""
    points = 1 - result.points_black if engine == result.id.white else result.points_black
    return "won" if points == 1 else "lost" if points == 0 else "drawn"


def _drawn(game: Game, told: Json) -> Json:
    """Return a game as a small board draws it: after its moves, with how the last one changed the board."""
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
        "asked": told["asked"] or time.time(),
        **{key: step[key] for key in STEP_KEYS},
        "move": last,
        "plies": len(told["moves"]),
    }
