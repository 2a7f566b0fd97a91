"""Ladder data for the pages of a class: the table, a version's games, a person's history, and single games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from quietmove.addons.hall.building import shown_to_students
from quietmove.addons.hall.entries import Entries, is_entry
from quietmove.addons.hall.ladder import Ladder
from quietmove.addons.hall.player import base_of, check_versions, ladder_path
from quietmove.addons.hall.settings import Assignment, ClassSettings, ParsedGoal
from quietmove.addons.web.boards import Json
from quietmove.addons.web.store_reader import game_document, listed_games
from quietmove.referee.config.model import COLORS
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import StoreError
from quietmove.tournament.games import Result
from quietmove.tournament.statistics.standings import ratings_of
from quietmove.tournament.store.store import Store


class LadderRows:
    """The ladders of a class's assignments, reloaded when there are new games.

    :param settings: returns the current class settings.
    """

    def __init__(self, folder: Path, entries: Entries, settings: Callable[[], ClassSettings]) -> None:
        self._folder = folder
        self._entries = entries
        self._settings = settings
        self._paths: dict[str, tuple[Tournament, Path]] = {}  # keyed by assignment, like _known
        self._known: dict[str, tuple[object, list[Json]]] = {}

    def table(self, settings: Assignment) -> list[Json]:
        """Return one row per participating version and anchor, best first.

        ``name`` is the name in the store. ``elo`` is relative to the anchors' mean; before the first game it and its
        ``error`` are None.
        """
        known = self._known.setdefault(settings.name, (None, []))
        try:
            with self._open(settings) as store:
                told = (store.tournament, store.count(), settings.goals)
                if told != known[0]:
                    known = (told, _rows(Ladder(store.tournament), store.results(), settings.parsed_goals))
                    self._known[settings.name] = known
        except StoreError:  # no one has joined, so there is no store, or the disk is full
            pass
        return known[1]

    def games(self, settings: Assignment, entry: str, query: Mapping[str, str], shown: Mapping[str, str]) -> Json:
        """Return a version's games, lost games first; see :func:`listed_games`.

        :param shown: names on the board, by name in the store.
        """
        query = {"sort": "lost", **query, "engine": entry}
        try:
            with self._open(settings) as store:
                found = listed_games(store.results(), query, store.count_plies)
        except StoreError:  # there is no store before someone joins
            found = listed_games([], query, lambda numbers: {})
        for game in found["games"]:
            game["is_black"] = game["black"] == entry
            for key in ("black", "white", "charged"):
                game[key] = shown.get(game[key], game[key])
        return found

    def history(self, settings: Assignment, person: str, shown: Mapping[str, str]) -> Json:
        """Return the rating of each of a participant's versions that has played, and the scores by opponent.

        :param shown: people's names on the board; all versions of a person are one opponent.
        """
        names: list[str] = []
        results: list[Result] = []
        zero: list[int] = []
        with suppress(StoreError), self._open(settings) as store:  # there is no store before someone joins
            names, results = list(store.tournament.names), store.results()
            zero = [names.index(name) for name in Ladder(store.tournament).anchors]
        ratings = ratings_of(names, results) if results else None
        versions: list[Json] = []
        scores: dict[str, list[int]] = {}
        for index, name in enumerate(names):
            own = [result for result in results if name in result.id.pair]
            if ratings is None or not own or name.rpartition(".")[0] != person:
                continue
            elo, error = ratings.against(index, zero)
            version = int(name.rpartition(".")[2])
            versions.append({"version": version, "elo": round(elo, 1), "error": round(error, 1), "games": len(own)})
            for result in own:
                other = next(each for each in result.id.pair if each != name)
                who = shown.get(other.rpartition(".")[0], other)
                points = result.points_of(name)
                scores.setdefault(who, [0, 0, 0])[int(2 - 2 * points)] += 1
        opponents: list[Json] = [
            {"name": who, "wins": wins, "draws": draws, "losses": losses, "games": wins + draws + losses}
            for who, (wins, draws, losses) in scores.items()
        ]
        opponents.sort(key=lambda row: ((row["wins"] + row["draws"] / 2) / row["games"], row["name"]))
        return {"versions": sorted(versions, key=lambda row: row["version"]), "opponents": opponents}

    def game(self, settings: Assignment, number: int, shown: Mapping[str, str]) -> tuple[Json, tuple[str, str]]:
        """Return one game as page data, and the players' names in the store, Black first.

        :raises StoreError: if there is no such game.
        """
        with self._open(settings) as store:
            game, record = store.game(number)
        found = game_document(number, record)
        for color, seat in zip(COLORS, found["seats"], strict=True):
            name = record.spec.player(color).name
            seat["name"] = shown.get(name, name)
            if found["verdict"]:
                verdict = _renamed(found["verdict"], name, seat["name"])
                found["verdict"] = shown_to_students(verdict, self._folder.absolute())
        return found, (game.id.black, game.id.white)

    def _open(self, settings: Assignment) -> Store:
        base = base_of(self._settings(), settings)
        before, path = self._paths.get(settings.name, (None, self._folder))
        if before != base:
            path = ladder_path(self._folder, base)
        with ExitStack() as failed:
            store = failed.enter_context(Store.open_to_read(path))
            check_versions(store.path, store.tournament, self._entries)
            failed.pop_all()
        self._paths[settings.name] = (base, path)  # only now, because another ladder may take a free path
        return store

    def highest_number(self) -> int:
        """Return the highest entry number on the ladders of a class, or 0 if they have no entries."""
        numbers = [0]
        for each in self._settings().assignments:
            base = base_of(self._settings(), each)
            with suppress(StoreError), Store.open_to_read(ladder_path(self._folder, base)) as store:
                numbers += [int(engine.cwd.split("/")[1]) for engine in store.tournament.engines if is_entry(engine)]
        return max(numbers)


def _rows(plan: Ladder, results: Sequence[Result], goals: Sequence[ParsedGoal]) -> list[Json]:
    names = list(plan.tournament.names)
    ratings = ratings_of(names, results)
    zero = [names.index(name) for name in plan.anchors]
    rows: list[Json] = []
    for name in plan.active_engines():
        own = [result for result in results if name in result.id.pair]
        elo, error = ratings.against(names.index(name), zero)
        rows.append(
            {
                "name": name,
                "anchor": name in plan.anchors,
                "elo": round(elo, 1) if own else None,
                "error": round(error, 1) if own else None,
                "games": len(own),
                "faults": sum(result.by_fault and result.forfeited_by == name for result in own),
                "points": sum(result.points_of(name) for result in own),
                "goals": [] if name in plan.anchors else [_goal(goal, name, own) for goal in goals],
            }
        )
    return sorted(rows, key=lambda row: (row["elo"] is None, -(row["elo"] or 0)))


def _goal(goal: ParsedGoal, name: str, own: Sequence[Result]) -> Json:
    """Return a version's progress towards a goal, from its latest games against the anchor."""
    games = [result for result in own if goal.anchor in result.id.pair][-goal.games :]
    points = sum(result.points_of(name) for result in games)
    reached = len(games) == goal.games and points >= goal.least
    return {"goal": goal.text, "points": points, "games": len(games), "of": goal.games, "reached": reached}


def _renamed(value: Any, name: str, shown: str) -> Any:
    """Return JSON data with an engine's name in the store replaced by its name on the board."""
    if isinstance(value, str):
        return value.replace(name, shown)
    if isinstance(value, dict):
        return {key: _renamed(each, name, shown) for key, each in value.items()}
    return [_renamed(each, name, shown) for each in value] if isinstance(value, list) else value
