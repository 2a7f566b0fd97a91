"""The player process of a class: plays the requested runs, the ladder or a final, until no run is requested.

It adds newly passed versions to the ladder between rounds, and only it writes to the stores. It outlives its server;
after a crash, the next process plays exactly the missing games.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import click

from quietmove.addons.hall.asking import answers_of
from quietmove.addons.hall.building import hide_other_packages
from quietmove.addons.hall.cores import Cores, class_cores
from quietmove.addons.hall.entries import Entries, Entry, is_entry
from quietmove.addons.hall.ladder import Ladder
from quietmove.addons.hall.settings import RANDOM, Assignment, ClassSettings, read_settings
from quietmove.addons.web.database import HALL_FILE, open_hall
from quietmove.addons.web.runs import Runs, WantedRun
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.files import write_whole
from quietmove.referee.config.model import OWN_ENGINE, VARIED, EngineConfig
from quietmove.referee.config.openings import random_openings
from quietmove.referee.match.running import Pool, local_pool
from quietmove.tournament.definition import DEFAULT_GAME, RosterChange, Tournament
from quietmove.tournament.errors import ConfigFileError, StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.playing.commands import interrupts
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.playing.snapshot import Snapshot
from quietmove.tournament.store.store import Store

LADDER = "ladder.sqlite"  # the name of the ladder's run, whichever store it uses
STARTERS = Path(__file__).parent / "data" / "starters"
TEMPLATE = STARTERS / "player.py"
ANCHOR = "anchor.py"  # the ladder's random player, a copy of TEMPLATE: its path is the same on every machine
OPENINGS, OPENING_PLIES = 500, 8
RETRY_SECONDS = 30.0  # delay before restarting a failed player; by then, the disk may have space again
LOOK_SECONDS = 1.0  # seconds between polls of the requested runs


def base_of(settings: ClassSettings, assignment: Assignment) -> Tournament:
    """Return an assignment's ladder before any version has joined. Its anchors never repeat a game."""
    limits: dict[str, Any] = {"limit": assignment.limit, "clock": settings.clock}
    template = (settings.python, ANCHOR, "{seed}")
    lots = EngineConfig(RANDOM, template, "project", settings=(("openings", "line"),), **limits)
    levels = [
        EngineConfig(f"level {level}", (OWN_ENGINE,), options=(("Level", str(level)), *VARIED), **limits)
        for level in settings.anchors
    ]
    values: dict[str, float | int | str] = {
        "quiet_elo": settings.quiet_elo,
        "most_pairs": settings.most_pairs,
        "goals": goals_text(assignment),
    }
    return Tournament(
        assignment.titled("ladder"),
        DEFAULT_GAME,
        1,
        ladder_openings(),
        (lots, *levels, *(replace(each, **limits) for each in settings.players)),
        "ladder",
        tuple(values.items()),
        openings_order="sequential",
    )


@cache
def ladder_openings() -> tuple[tuple[str, ...], ...]:
    """Return the openings of every ladder."""
    return random_openings(DEFAULT_GAME, OPENINGS, OPENING_PLIES, 1)


def goals_text(settings: Assignment) -> str:
    """Return the number of pairs of games that each goal needs, in the format of the ladder's setting ``goals``."""
    return ", ".join(f"{goal.anchor}={-(-goal.games // 2)}" for goal in settings.parsed_goals)


def ladder_path(folder: Path, base: Tournament) -> Path:
    """Return the path of the ladder's store. If its settings have changed, the path is new and the old store stays."""
    number = 1
    while True:
        path = folder / (LADDER if number == 1 else f"ladder-{number}.sqlite")
        if not path.exists() or not path.stat().st_size:  # an empty file: the player was killed while creating it
            return path
        with Store.open_to_read(path) as store:
            known = store.tournament
        if replace(known, engines=known.engines[: len(base.engines)], arrivals=()) == base:
            return path
        number += 1


def arrivals(tournament: Tournament, entries: Sequence[Entry], number: int) -> Tournament:
    """Return the ladder with the current participants from round ``number`` on.

    :param entries: each person's counting version, oldest first.
    """
    plan = Ladder(tournament)
    known = set(tournament.names)
    playing = [name for name in plan.active_engines(number) if name not in plan.anchors]
    current = {name.rpartition(".")[0]: name for name in playing}
    limits = limits_of(tournament.engines[0])
    engines = list(tournament.engines)
    came = list(tournament.arrivals)
    for entry in entries:
        before = current.pop(entry.person, "")
        if before != entry.name:
            came.append(RosterChange(entry.name, number, before))
            engines += [] if entry.name in known else [replace(entry.engine, **limits)]
    came += [RosterChange("", number, name) for name in current.values()]
    return replace(tournament, engines=tuple(engines), arrivals=tuple(came))


def limits_of(engine: EngineConfig) -> dict[str, Any]:
    """Return the fields of an engine that depend on the class settings, not on the version."""
    return {"limit": engine.limit, "clock": engine.clock}


def check_versions(path: Path, tournament: Tournament, entries: Entries) -> None:
    """Check that the versions in a store match the versions of the class.

    :raises StoreError: if one does not, because the store or ``hall.sqlite`` was restored from a different backup.
    """
    known = {each.name: each.engine for each in entries.all()}
    for engine in tournament.engines:
        own = known.get(engine.name)
        if is_entry(engine) and (own is None or replace(own, **limits_of(engine)) != engine):
            raise StoreError(
                f"store: {path}: {printable(engine.name)} in {engine.cwd} does not match a version in {HALL_FILE}; "
                "restore both from one backup, or move the store aside"
            )


class ClassRuns(Runs):
    """The runs of a class. One player process plays them in turn, and polls the requests itself."""

    def command(self, row: WantedRun) -> list[str]:
        return ["class", "play", str(self.folder)]

    def stop(self, rows: dict[str, WantedRun], current: WantedRun | None) -> None:
        """Do nothing: the player stops unwanted runs itself."""

    def is_over(self, store: str) -> bool:
        return False  # the player marks finished runs itself, and a ladder never ends

    def ended(self, row: WantedRun) -> None:
        """Do nothing: the player marks finished runs itself."""

    def failed(self, row: WantedRun, reason: str) -> None:
        self.note(row.store, reason)
        self.not_before = time.monotonic() + RETRY_SECONDS


class Pause(threading.Event):
    """An event that also counts as set once the player is stopping; while it is set, no game should start."""

    def __init__(self, ending: threading.Event) -> None:
        super().__init__()
        self._ending = ending

    def is_set(self) -> bool:
        """Return whether no game should start."""
        return super().is_set() or self._ending.is_set()


class ClassRunner:
    """Plays the runs of one class, in the class folder.

    :param ending: set to stop starting games.
    """

    def __init__(self, folder: Path, ending: threading.Event) -> None:
        self._folder = folder
        self._ending = ending
        self._runs = Runs(folder)
        self._resting: dict[str, Tournament] = {}  # each assignment's ladder when it last had no game to play

    def play(self) -> None:
        """Play until no run is requested."""
        settings = read_settings(self._folder)
        hide_other_packages(self._folder)  # no server may have been started since an upgrade
        self._cores = Cores(self._folder, class_cores(settings), waiting=self._waiting)
        with local_pool(len(class_cores(settings)), self._cores) as pool:
            while not self._ending.is_set() and (row := self._wanted()) is not None:
                if row.store == LADDER:
                    self._play_ladder(pool)
                else:
                    self._play_store(pool, row.store)

    def _wanted(self) -> WantedRun | None:
        """Return the run to play now, or None if no run is requested."""
        return next((row for row in self._runs.requested().values() if row.wanted == "running"), None)

    def _waiting(self) -> int:
        """Return the number of versions that are being checked or waiting to be."""
        with closing(open_hall(self._folder)) as hall:
            return len(Entries(hall, self._folder).waiting())

    def _play_ladder(self, pool: Pool) -> None:
        """Play ladder rounds until another run is requested or class.toml changes.

        The ladders of several assignments are played in turn, the earlier ones first. When there is nothing to play,
        answers are collected for the similarity check.
        """
        settings = read_settings(self._folder)
        write_whole(self._folder / ANCHOR, TEMPLATE.read_bytes())
        with ExitStack() as opened:
            ladders = list[tuple[Assignment, Store, Snapshot]]()
            for each in settings.ladders:
                base = base_of(settings, each)
                path = ladder_path(self._folder, base)
                store = opened.enter_context(Store.create_or_grow(path, base))
                self._check(store)
                ladders.append((each, store, opened.enter_context(Snapshot(path, _notice))))
            while self._goes_on(settings):
                has_played = False
                for each, store, snapshot in ladders:
                    has_played = self._play_rounds(pool, settings, each, store, snapshot) or has_played
                if not (has_played or self._ask_one()):
                    self._ending.wait(LOOK_SECONDS)

    def _play_rounds(
        self, pool: Pool, settings: ClassSettings, own: Assignment, store: Store, snapshot: Snapshot
    ) -> bool:
        """Play the missing games of an assignment's ladder until something changes. Return whether any were played."""
        if self._resting.get(own.name) == self._changed(store.tournament, own):
            return False
        self._update_participants(store, own)
        pause = Pause(self._ending)
        looked = time.monotonic()
        has_played = False
        for _ in play_missing(store, pool, _notice, pause, snapshot.observer):
            has_played = True
            if time.monotonic() - looked > LOOK_SECONDS:
                looked = time.monotonic()
                if not self._goes_on(settings) or self._changed(store.tournament, own) != store.tournament:
                    pause.set()
        if not has_played:
            self._resting[own.name] = store.tournament
        return has_played

    def _goes_on(self, settings: ClassSettings) -> bool:
        """Return whether to keep playing the ladder with these settings."""
        return not self._ending.is_set() and self._is_wanted(LADDER) and self._settings_unchanged(settings)

    def _play_store(self, pool: Pool, name: str) -> None:
        """Play a final until it is over or another run is requested."""
        path = self._folder / name
        if not path.exists():  # the teacher deleted it
            self._runs.want(name, "over")
            return
        pause = Pause(self._ending)
        with Store.open_to_write(path) as store, Snapshot(path, _notice) as snapshot:
            self._check(store)
            for _ in play_missing(store, pool, _notice, pause, snapshot.observer):
                if not self._is_wanted(name):
                    pause.set()
            is_over = plan_of(store.tournament).has_ended(store.results())
        if is_over:
            self._runs.want(name, "over")
        while is_over and not self._ending.is_set() and self._ask_one():
            pass

    def _ask_one(self) -> bool:
        """Collect one version's answers for the similarity check. Return whether there was a version to ask."""
        with closing(open_hall(self._folder)) as hall, self._cores.leased() as core:
            entries = Entries(hall, self._folder)
            entry = entries.unasked(read_settings(self._folder).played) if core is not None else None
            if entry is not None:
                entries.keep_answers(entry.number, answers_of(entry.engine, core))
        return entry is not None

    def _is_wanted(self, name: str) -> bool:
        row = self._wanted()
        return row is not None and row.store == name

    def _settings_unchanged(self, settings: ClassSettings) -> bool:
        """Return whether class.toml still has the same settings. An invalid file counts as unchanged."""
        try:
            return read_settings(self._folder) == settings
        except ConfigFileError:
            return True

    def _update_participants(self, store: Store, settings: Assignment) -> None:
        results = store.results()
        plan = Ladder(store.tournament)
        number = plan.round_number(results)
        rests = not any(True for _ in plan.next_games(results))
        found = self._changed(store.tournament, settings, number if rests else number + 1)
        if found != store.tournament:
            store.enlarge(found)

    def _check(self, store: Store) -> None:
        with closing(open_hall(self._folder)) as hall:
            check_versions(store.path, store.tournament, Entries(hall, self._folder))

    def _changed(self, tournament: Tournament, settings: Assignment, number: int = 1_000_000_000) -> Tournament:
        """Return the ladder of an assignment with its current participants."""
        with closing(open_hall(self._folder)) as hall:
            newest = Entries(hall, self._folder).newest_passed(settings.name).values()
        return arrivals(tournament, sorted(newest, key=lambda entry: entry.number), number)


def play_class(folder: Path) -> int:
    """Play the requested runs of a class folder, and return the exit status."""
    with interrupts(_notice) as ending:
        try:
            ClassRunner(folder, ending).play()
        except KeyboardInterrupt:
            return 130
        except (QuietmoveError, sqlite3.Error, OSError) as error:  # for example a full disk
            click.echo(f"error: {printable(str(error))}", err=True)
            return 1
    return 130 if ending.is_set() else 0


def _notice(text: str) -> None:
    click.echo(f"note: {printable(text)}", err=True)
