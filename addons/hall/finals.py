"""The final of a class: an ordinary tournament with its own store, replayed to an audience as if live.

The games are played as fast as the machine allows. The projector lags behind: it shows the finished games of a round,
from the bottom of the table to the top, a few boards at a time. The public table counts only the games shown, whose
number is saved in the table ``run`` of ``hall.sqlite``. After a crash the server shows the last boards again.
"""

from __future__ import annotations

import math
import re
import secrets
import sqlite3
import time
from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from quietmove.addons.hall.settings import FINAL_FORMATS, Assignment
from quietmove.addons.web.boards import Json, describe_game
from quietmove.addons.web.replays import steps_of
from quietmove.addons.web.store_reader import running_games
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.openings import random_openings
from quietmove.referee.errors import SetupError
from quietmove.referee.seats import get_seat
from quietmove.tournament.definition import DEFAULT_GAME, Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.formats.base import first_missing
from quietmove.tournament.games import Result
from quietmove.tournament.reporting.document import document
from quietmove.tournament.statistics.standings import shared_places
from quietmove.tournament.store.store import Store

MIN_PLAYERS = 2
MOST_ROUND_ROBIN = 12  # with more players, "auto" is a Swiss tournament
OPENINGS = 500
OPENING_PLIES = 8
MOST_BOARDS = 4  # maximum number of boards shown simultaneously
ANNOUNCEMENT_SECONDS = 10.0  # seconds for which the first games, and the last one, are announced
PAUSE = 0.2  # a finished game stays on display for this share of its display time
MOST_SEED = 2**31
FINAL, REHEARSAL = "final", "rehearsal"  # the beginnings of a tournament's name
STEP_KEYS = ("board", "placed", "changed", "toMove", "counts")
LAST = 6  # number of games in the list of latest results
# Columns by which the table of a round robin is sorted; other formats have their own.
ROUND_ROBIN_COLUMNS = [
    {"title": "Points", "key": "points", "help": "a win is a point, a draw half a point"},
    {"title": "Discs", "key": "discs", "help": "own discs minus the opponents\u2019, over all games"},
]


def final_of(engines: Sequence[EngineConfig], form: str, seed: int | None, name: str = "final") -> Tournament:
    """Return a final between ``engines``, which are in seeding order.

    If all engines accept openings, random openings are derived from the seed. Otherwise all games start from the
    initial position.

    :param seed: the random seed, which makes the final reproducible; drawn at random if None.
    :raises SetupError: if such a final is not possible.
    """
    if form not in FINAL_FORMATS:
        raise SetupError(f"format: must be one of {', '.join(FINAL_FORMATS)}, not {form!r}")
    count = len(engines)
    if count < MIN_PLAYERS:
        raise SetupError(f"final: needs at least {MIN_PLAYERS} players, not {count}")
    form = ("round-robin" if count <= MOST_ROUND_ROBIN else "swiss") if form == "auto" else form
    seed = secrets.randbelow(MOST_SEED) if seed is None else seed
    takes_openings = not any(
        any(get_seat(each.protocol).game_problems_for(each, DEFAULT_GAME, ("d3",))) for each in engines
    )
    openings = random_openings(DEFAULT_GAME, OPENINGS, OPENING_PLIES, seed) if takes_openings else ((),)
    openings = tuple(each for each in openings if "pass" not in each)  # protocol ``project`` cannot give such openings
    meetings = 2 if takes_openings else 1  # without openings most pairs would repeat their games
    rounds = min(max(1, count - 1), math.ceil(math.log2(max(2, count))) + 2)
    settings: dict[str, Any] = {
        "swiss": {"rounds": rounds, "match_pairs": meetings},
        "round-robin": {"rounds": meetings},
        "knockout": {"match_pairs": meetings},
    }[form]
    found = Tournament(name, DEFAULT_GAME, seed, openings, tuple(engines), form, tuple(settings.items()))
    if problems := [f"final: {key}: {text}" for key, text in plan_of(found).problems()]:
        raise SetupError(problems)
    return found


def final_stores(folder: Path) -> list[Path]:
    """Return the stores of all finals, oldest first."""
    stores = [path for path in folder.iterdir() if re.fullmatch(r"final-[1-9][0-9]{0,8}\.sqlite", path.name)]
    return sorted(stores, key=lambda path: int(path.stem.partition("-")[2]))


def newest_final(folder: Path) -> Path | None:
    """Return the store of the latest final, or None before the first."""
    return next(reversed(final_stores(folder)), None)


def final_document(tournament: Tournament, results: Sequence[Result]) -> Json:
    """Return a final's :func:`document`, with the standings sorted by its ``columns``.

    Each row also has ``discs``. A round robin is sorted by points and then by discs, not by Elo.
    """
    found = document(tournament, results)
    rows = found["standings"]
    for row in rows:
        row["discs"] = sum(margin * games for margin, games in row["margins"])
    if tournament.format == "round-robin":
        found["columns"] = ROUND_ROBIN_COLUMNS
        rows.sort(key=lambda row: (-row["points"], -row["discs"]))
        for place, row in zip(shared_places([(row["points"], row["discs"]) for row in rows]), rows, strict=True):
            row["place"] = place
    return found


def reveal_order(
    tournament: Tournament, results: Sequence[Result], *, is_over: bool, known: Sequence[Result] = ()
) -> list[Result]:
    """Return the games of the completed rounds, in display order.

    Rounds are shown in order. Within a round, the games of the highest-ranked player come last, and among these the
    game against the highest-ranked opponent. The order depends only on the rounds before, so it does not change as
    later games end.

    :param results: ordered by number.
    :param known: the order of an earlier call, with fewer results of the same tournament.
    """
    rounds: dict[int, list[Result]] = defaultdict(list)
    complete = results if is_over else results[: first_missing(results) - 1]
    for result in complete:
        rounds[stage_of(tournament, result)].append(result)
    ended = sorted(rounds) if is_over else sorted(rounds)[:-1]
    shown = list(known)
    for number in ended[bisect(ended, stage_of(tournament, shown[-1])) if shown else 0 :]:
        before = sorted(shown, key=lambda result: result.number)
        table = final_document(tournament, before)["standings"]
        order = [row["name"] for row in table] if shown else list(tournament.names)
        places = {name: place for place, name in enumerate(order)}

        def key(result: Result, places: dict[str, int] = places) -> tuple[int, ...]:
            best, other = sorted(places[name] for name in result.id.pair)
            return -best, -other, result.number

        shown += sorted(rounds[number], key=key)
    return shown


def stage_of(tournament: Tournament, result: Result) -> int:
    """Return the round of the final, from 1, in which a game was played.

    In a Swiss tournament, a match may have several pairs of games, which the store counts as rounds of their own.
    """
    pairs = dict(tournament.settings)["match_pairs"] if tournament.format == "swiss" else 1
    return (result.id.round - 1) // int(pairs) + 1


@dataclass(frozen=True)
class Final:
    """A final, as far as it has been played.

    :param known: the display order of an earlier state.
    """

    path: Path
    tournament: Tournament
    results: Sequence[Result]
    is_over: bool
    known: Sequence[Result] = ()

    @cached_property
    def order(self) -> Sequence[Result]:
        """The games that may be shown, in display order."""
        return reveal_order(self.tournament, self.results, is_over=self.is_over, known=self.known)

    @cached_property
    def places(self) -> dict[str, int]:
        """Each engine's place, in table order."""
        return {row["name"]: row["place"] for row in final_document(self.tournament, self.results)["standings"]}

    def batch(self, shown: int) -> Sequence[Result]:
        """Return the games to show together after the first ``shown``.

        These are at most MOST_BOARDS games of one round, or the last game alone.
        """
        end = len(self.order)
        if self.is_over and shown < end - 1:
            end -= 1
        waiting = self.order[shown : min(end, shown + MOST_BOARDS)]
        stages = [stage_of(self.tournament, each) for each in waiting]
        return waiting[: stages.count(stages[0])] if stages else waiting

    def announcement(self, shown: int) -> str | None:
        """Return the announcement due after ``shown`` games: "first", "last" (before the last game), or None."""
        if self.is_over and shown == len(self.order) - 1:
            return "last"
        return None if shown else "first"


class Finals:
    """The finals of a class. Each is reloaded only when it has new games, since its table takes long to compute."""

    def __init__(self) -> None:
        self._known: dict[Path, Final] = {}

    def read(self, path: Path) -> Final:
        """Read a store.

        :raises StoreError: if it cannot be read at the moment.
        """
        with Store.open_to_read(path) as store:
            tournament = store.tournament
            known = self._known.get(path)
            if known and known.tournament != tournament:
                known = None
            if known is None or len(known.results) != store.count():
                results = store.results()
                is_over = plan_of(tournament).has_ended(results)
                known = Final(path, tournament, results, is_over, known.order if known else ())
        self._known[path] = known
        return known


def finals_of(folder: Path, settings: Assignment, kind: str = FINAL) -> list[Path]:
    """Return the stores of an assignment's finals, or of its rehearsals, oldest first.

    :raises StoreError: if one cannot be read at the moment.
    """
    return [path for path in final_stores(folder) if name_of(path) == settings.titled(kind)]


def name_of(path: Path) -> str:
    """Return the name of a final, which begins with ``final`` or ``rehearsal``.

    :raises StoreError: see :func:`finals_of`.
    """
    with Store.open_to_read(path) as store:
        return store.tournament.name


class Presenter:
    """The audience's view of the newest final. Call :meth:`look` repeatedly, from one thread."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, finals: Finals) -> None:
        self._folder = folder
        self._connection = connection
        self._finals = finals
        self._final: Final | None = None
        self._batch: Sequence[Result] = []
        self._began_at = 0.0
        self._document: Json = {}
        self._key: tuple[object, ...] = ()

    def look(self, seconds: float, names: dict[str, str]) -> Json:
        """Advance the display and return it.

        :param seconds: display time per game.
        :param names: board names by person.
        """
        path = newest_final(self._folder)
        if path is None:
            self._final, self._key = None, ()  # a deleted final's successor may have the same path
            return {"final": None}
        self._refresh(path)
        final = self._final
        shown = self._shown(path)
        now = time.time()
        if final is None:
            return {"final": None}
        from_announcement = now - self._began_at + ANNOUNCEMENT_SECONDS  # negative if the clock was set back
        is_running = 0 <= from_announcement < ANNOUNCEMENT_SECONDS + (1 + PAUSE) * seconds
        if self._batch and not is_running:
            shown += len(self._batch)
            self._connection.execute("UPDATE run SET shown = ? WHERE store = ?", (shown, path.name))
            self._batch = []
        if not self._batch:
            self._batch = final.batch(shown)
            self._began_at = now + min(ANNOUNCEMENT_SECONDS, seconds) * bool(final.announcement(shown))
        key = (path, shown, len(self._batch), len(final.results), final.is_over, tuple(names.items()))
        if key != self._key:
            self._key, self._document = key, self._describe(final, shown, seconds, names)
        return self._document if self._batch or final.is_over else {**self._document, "playing": _playing(final, names)}

    def start_over(self, path: Path) -> None:
        """Show a new final from its first game, even if a deleted final had the same name."""
        self._connection.execute("UPDATE run SET shown = 0 WHERE store = ?", (path.name,))

    def _refresh(self, path: Path) -> None:
        try:
            final = self._finals.read(path)
        except QuietmoveError:  # the store is just being created; the next call succeeds
            return
        if self._final is None or self._final.path != path:
            self._batch = []
        self._final = final

    def _shown(self, path: Path) -> int:
        row = self._connection.execute("SELECT shown FROM run WHERE store = ?", (path.name,)).fetchone()
        return int(row["shown"]) if row else 0

    def _describe(self, final: Final, shown: int, seconds: float, names: dict[str, str]) -> Json:
        counted = sorted(final.order[:shown], key=lambda result: result.number)
        made = final_document(final.tournament, counted)
        over = final.is_over and shown == len(final.results)
        rows = [
            {
                "place": row["place"],
                "name": _shown(names, row["name"]),
                "points": row["points"],
                "games": row["games"],
                "margin": row["discs"],
                "ranked_by": [row[column["key"]] for column in made["columns"]],
                "rounds": _marks(row["name"], counted),
            }
            for row in made["standings"]
        ]
        return {
            "final": final.path.stem,
            "name": final.tournament.name,
            "format": final.tournament.format,
            "seed": final.tournament.seed,
            "over": over,
            "winner": " and ".join(row["name"] for row in rows if row["place"] == 1) if over else None,
            "players": len(rows),
            "games": len(final.results),
            "shown": shown,
            "planned": made["planned"],
            "round": stage_of(final.tournament, self._batch[0]) if self._batch else None,
            "columns": made["columns"][: _columns_needed(rows)],
            "rows": rows,
            "announcement": final.announcement(shown),
            "next": [_pair(each, names) for each in final.batch(shown + len(self._batch))],
            "game": describe_game(get_game(DEFAULT_GAME)),
            "boards": self._boards(final, names),
            "began_at": self._began_at,
            "seconds": seconds,
            "last": [_line(each, names) for each in reversed(final.order[max(0, shown - LAST) : shown])],
        }

    def _boards(self, final: Final, names: dict[str, str]) -> list[Json]:
        """Return the boards shown now, with the highest-ranked pair last."""
        boards = []
        with Store.open_to_read(final.path) as store:
            for each in self._batch:
                record = store.game(each.number)[1]
                steps = [{key: step[key] for key in STEP_KEYS} for step in steps_of(record)]
                players = _pair(each, names)
                boards.append({"number": each.number, "players": players, "steps": steps, "end": _line(each, names)})
        return boards


def _shown(names: dict[str, str], engine: str) -> str:
    """Return the board name of an engine's author, or the engine's name if no author is known."""
    person, _, version = engine.rpartition(".")
    return names.get(person, engine) if version.isdigit() else engine


def _columns_needed(rows: Sequence[Json]) -> int:
    """Return the number of leading columns needed to order the table without ties."""
    ranks = [row["ranked_by"] for row in rows]
    most = len(ranks[0]) if ranks else 0
    return next((count for count in range(1, most) if len({tuple(rank[:count]) for rank in ranks}) == len(ranks)), most)


def _pair(result: Result, names: dict[str, str]) -> list[str]:
    """Return the players' names on the board, Black first."""
    return [_shown(names, result.id.black), _shown(names, result.id.white)]


def _playing(final: Final, names: dict[str, str]) -> list[Json]:
    """Return the players of each running game, Black first, and its number of moves."""
    with suppress(OSError, ValueError, QuietmoveError):  # the process that plays the games is starting or ending
        return [
            {"players": [_shown(names, name) for name in game["players"]], "plies": game["plies"]}
            for game in running_games(final.path, final.tournament)["games"]
        ]
    return []


def _line(result: Result, names: dict[str, str]) -> str:
    """Return a short description of a game's result."""
    black, white = _pair(result, names)
    why = "" if result.reason in ("finished", "adjudicated") else f" ({result.reason})"
    return f"{black} {32 + result.margin_black // 2}\u2013{32 - result.margin_black // 2} {white}{why}"


def _marks(name: str, results: Sequence[Result]) -> str:
    """Return one mark per pair of games: won, drawn or lost."""
    points: dict[int, list[float]] = defaultdict(list)
    for result in results:
        if name in result.id.pair:
            points[result.id.round].append(result.points_of(name))
    means = (sum(each) / len(each) for _, each in sorted(points.items()))
    return "".join("\u25cf" if mean > 0.5 else "\u25d0" if mean == 0.5 else "\u25cb" for mean in means)
