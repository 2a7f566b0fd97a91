"""The state of a class while it is served (settings, people, entries), and the handling of uploads."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from quietmove.addons.hall.alike import Likeness
from quietmove.addons.hall.building import (
    PACKAGES,
    PlayerFile,
    hide_other_packages,
    missing_program,
    read_player,
    shown_text,
)
from quietmove.addons.hall.entries import HOUR, Entries, Entry, sizes
from quietmove.addons.hall.examiner import Examiners
from quietmove.addons.hall.finals import FINAL, REHEARSAL, Finals, Presenter, final_of, finals_of, name_of, newest_final
from quietmove.addons.hall.hand_marks import HandMarks, save_pdf
from quietmove.addons.hall.key_access import MOST_TRIES
from quietmove.addons.hall.people import People, Person
from quietmove.addons.hall.player import STARTERS, ClassRuns
from quietmove.addons.hall.reviews import Reviews
from quietmove.addons.hall.rows import LadderRows
from quietmove.addons.hall.settings import CLASS_FILE, Assignment, ClassSettings, read_settings
from quietmove.addons.hall.unpack import unpack
from quietmove.addons.web.database import HALL_FILE, LOOP_SECONDS, WriteTurn, open_hall
from quietmove.addons.web.passwords import Tries
from quietmove.addons.web.requests import GameRequest, PlayerRequest
from quietmove.addons.web.sessions import GameSessions
from quietmove.engine.common.text import printable
from quietmove.referee.config.model import Color
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import ConfigFileError, RefusedError
from quietmove.tournament.store.store import Store

if TYPE_CHECKING:
    from starlette.datastructures import UploadFile
    from starlette.requests import Request

OTHER: dict[Color, Color] = {"black": "white", "white": "black"}
MOST_FAULTS = 0.1  # maximum share of games lost by crashes, timeouts or illegal moves; a few may be the machine's fault
LEAST_FREE = 500_000_000  # minimum free disk space for accepting uploads, bytes
UNKNOWN_ENTRY = f"{HALL_FILE} does not know this entry and may be an older copy, so the folder was moved here"
PART = 1 << 20  # maximum size of a form part in memory, bytes


class Hall:
    """The state of a class server. The class folder is the process's working directory.

    :param refusal: why this machine cannot accept entries, or "" if it can.
    """

    def __init__(self, folder: Path, settings: ClassSettings, refusal: str) -> None:
        self.folder = folder
        hide_other_packages(folder)
        self.refusal = refusal
        self._settings = settings
        self._read_at = _changed(folder)
        self.problem = ""  # the error in the changed settings file, or ""
        self._connection = open_hall(folder, timeout=LOOP_SECONDS)
        self.turn = WriteTurn(folder)
        self.people = People(self._connection)
        self.entries = Entries(self._connection, folder)
        self.hand_marks = HandMarks(self._connection, folder)
        self.finals = Finals()
        self.presenter = Presenter(folder, self._connection, self.finals)
        self.sessions = GameSessions([])
        self.reviews = Reviews(self._connection, self.turn)
        self._refused_finals: set[object] = set()  # finals that could not start and are not retried
        self._seen = ("", 0.0)  # the final whose table is on display, and since when (monotonic time)
        # Person and time of each upload in the last hour that was rejected or is being unpacked.
        self._refused: list[tuple[str, float]] = []
        self._by_hand: dict[str, str] = {}  # each person's manual game
        self.tries = Tries(MOST_TRIES)
        self.examiners = Examiners(self.entries, lambda: self.settings, self.turn)
        self.runs = ClassRuns(folder)
        self.ladder = LadderRows(folder, self.entries, lambda: self.settings)
        self.moved = self.entries.recover(self.ladder.highest_number())
        for path in self.moved:
            self.people.note("server", "aside", f"{path}: {UNKNOWN_ENTRY}")
        self.likeness = Likeness(folder, sorted(STARTERS.iterdir()))

    @property
    def settings(self) -> ClassSettings:
        """The settings in class.toml. If the file is invalid, the previous settings stay in force; see ``problem``."""
        if (changed := _changed(self.folder)) != self._read_at:
            self._read_at = changed
            try:
                self._settings, self.problem = read_settings(self.folder), ""
            except ConfigFileError as error:
                self.problem = str(error)
        return self._settings

    def shown_names(self) -> dict[str, str]:
        """Return each person's name on the board."""
        return {each.name: each.shown for each in self.people.all()}

    def shown_players(self) -> dict[str, str]:
        """Return each version's name on the board, keyed by its name in a store."""
        shown = self.shown_names()
        return {each.name: f"{shown[each.person]} v{each.version}" for each in self.entries.all()}

    def late_hours(self, entry: Entry) -> float:
        """Return by how many hours an entry is late, counting the participant's own deadline; 0 in time."""
        settings = self.settings.of(entry.assignment)
        extension = self.people.by_name(entry.person).deadlines.get(entry.assignment)
        return settings.late_hours(extension, entry.received_at) if settings else 0.0

    # ---- the final

    def begin_final(self, form: str, seed: int | None, first: int, asked_by: str, settings: Assignment) -> str:
        """Start a final between the counting versions, seeded in ladder order, and return its name.

        A knockout that follows a final in another format is seeded by that final's table. Before the deadline, the
        final is a rehearsal, which counts for nothing.

        :param first: the number of players, from the top of the ladder; 0 for all.
        :raises RefusedError: if a final is in progress, or a version is waiting to be checked.
        :raises SetupError: if such a final is not possible.
        """
        last = newest_final(self.folder)
        if last is not None and not self._is_done(last):
            raise RefusedError(409, f"{last.stem}: must be over, or deleted, before another final starts")
        if waiting := self.waiting(settings):
            who = "1 version is" if len(waiting) == 1 else f"{len(waiting)} versions are"
            raise RefusedError(409, f"{who} waiting to be checked; start the final after that")
        players = self.seeding(settings)
        kind = REHEARSAL if settings.rehearses else FINAL
        earlier = finals_of(self.folder, settings, kind)
        if form == "knockout" and earlier and (before := self.finals.read(earlier[-1])).tournament.format != form:
            places = {name: place for place, name in enumerate(before.places)}
            players.sort(key=lambda entry: places.get(entry.name, len(places)))
        engines = [replace(each.engine, clock=self.settings.clock) for each in players]
        tournament = final_of(engines[: first or None], form, seed, settings.titled(kind))
        number = int(last.stem.partition("-")[2]) + 1 if last else 1
        path = self.folder / f"final-{number}.sqlite"
        Store.create(path, tournament).close()
        self.presenter.start_over(path)
        self.runs.want(path.name, "running", first=True)
        self.people.note(asked_by, kind, f"{path.stem}: {tournament.format}, seed {tournament.seed}")
        return path.stem

    def begin_when_due(self, shown: str) -> None:
        """Start the next final in class.toml if its deadline has passed and no check or final is pending.

        :param shown: the final that was shown to its end, or "".
        """
        last = newest_final(self.folder)
        if last and shown != last.stem and not self._is_dropped(last):
            return
        if shown != self._seen[0]:
            self._seen = (shown, time.monotonic())
        if shown and time.monotonic() < self._seen[1] + self.settings.final_seconds:
            return
        for settings in self.settings.assignments:
            able = [each for each in self.people.all() if not each.blocked]
            latest = max((each.deadlines.get(settings.name, 0) for each in able), default=0)
            if not settings.finals or not settings.is_over_for(latest):
                continue
            number = len(finals_of(self.folder, settings))
            due = (settings, number)
            if number >= len(settings.finals) or self.waiting(settings) or due in self._refused_finals:
                continue
            form, _, first = settings.finals[number].partition(" ")
            try:
                self.begin_final(form, None, int(first or 0), "deadline", settings)
                return
            except (RefusedError, SetupError) as error:  # for example a final without players
                self._refused_finals.add(due)
                self.people.note(
                    "deadline", settings.titled("final"), f"{settings.finals[number]} cannot start: {error}"
                )

    def _is_done(self, final: Path) -> bool:
        """Return whether another final can start."""
        row = self.runs.requested().get(final.name)
        return row is not None and (row.wanted == "over" or self._is_dropped(final))

    def _is_dropped(self, final: Path) -> bool:
        """Return whether a final is a stopped rehearsal, which nothing has to wait for."""
        row = self.runs.requested().get(final.name)
        return row is not None and row.wanted == "stopped" and name_of(final).startswith(REHEARSAL)

    def waiting(self, settings: Assignment) -> list[Entry]:
        """Return an assignment's versions that are being checked or waiting to be."""
        return [each for each in self.entries.waiting() if each.assignment == settings.name]

    def assignment(self, name: str | None) -> Assignment:
        """Return an assignment, by default the one whose ladder the board shows.

        :raises RefusedError: if there is no such assignment.
        """
        found = self.settings.current_ladder if name is None else self.settings.of(name)
        if found is None:
            known = ", ".join(each.name for each in self.settings.assignments)
            raise RefusedError(404, f"assignment: must be one of {known}, not {printable(name or '', 60)!r}")
        return found

    def seeding(self, settings: Assignment) -> list[Entry]:
        """Return the counting versions of an assignment in ladder order.

        Versions that have not played follow, and those that lose many games through their own fault come last.
        """
        table = self.ladder.table(settings)
        places = {row["name"]: place for place, row in enumerate(table)}
        places |= {row["name"]: 2 * len(table) for row in table if row["faults"] > MOST_FAULTS * row["games"]}
        counting = self.entries.newest_passed(settings.name).values()
        return sorted(counting, key=lambda entry: (places.get(entry.name, len(places)), entry.number))

    # ---- manual games

    def play_by_hand(self, person: Person, entry: Entry, color: Color) -> str:
        """Start a manual game of a person against an entry, and return its name. The person's previous game ends."""
        self.end_by_hand(person.name)
        opponent = replace(entry.engine, name=self.shown_names()[entry.person])
        self.sessions.engines = {opponent.name: opponent}
        players = {color: PlayerRequest(person=True), OTHER[color]: PlayerRequest(engine=opponent.name)}
        session = self.sessions.open(GameRequest(black=players["black"], white=players["white"]))
        session.shown_text = partial(shown_text, folder=self.folder.absolute())
        self._by_hand[person.name] = session.name
        return session.name

    def end_by_hand(self, name: str) -> None:
        """End a person's manual game, if there is one."""
        self.sessions.close(self._by_hand.pop(name, ""))

    # ---- uploads

    async def hand_in(self, request: Request, person: Person) -> dict[str, Any]:
        """Accept a version, and return its numbers, state, URL and place in the queue.

        :raises RefusedError, SetupError: if it is rejected; nothing is saved.
        """
        if self.refusal:
            raise RefusedError(503, self.refusal)
        settings = self.settings
        incoming = self.folder / "incoming" / os.urandom(8).hex()
        try:
            async with self._upload(person, request) as (assignment, file, _):
                _check_size(file, self.most_bytes())
                player = await asyncio.to_thread(_unpacked, file.file, file.filename or "", incoming, settings)
                if missing := missing_program(settings, player.language or ""):
                    raise RefusedError(503, f"{player.language}: this machine has no {missing!r}; tell your teacher")
                if player.language == "python" and settings.packages and not (self.folder / PACKAGES).is_dir():
                    raise RefusedError(503, "python: its packages are not installed yet; tell your teacher")
                await self.turn.come()
                entry = self.entries.receive(person.name, incoming, player, settings, assignment)
        finally:
            await asyncio.to_thread(shutil.rmtree, incoming, ignore_errors=True)
        self.examiners.wake()
        place = next((place for place, each in enumerate(self.entries.waiting(), 1) if each.number == entry.number), 0)
        url = f"/api/entries/{entry.number}"
        return {"entry": entry.number, "version": entry.version, "state": entry.state, "place": place, "url": url}

    async def hand_in_paper(self, request: Request, person: Person) -> dict[str, Any]:
        """Accept a file for a part that is marked by hand, and return its number.

        :raises RefusedError, SetupError: if it is rejected; nothing is saved.
        """
        async with self._upload(person, request) as (assignment, file, name):
            parts = {each.name: each for each in assignment.parsed_marks if each.megabytes}
            if (part := parts.get(name)) is None:
                raise RefusedError(404, f"part: must be one of {', '.join(parts) or 'none'}: a part with a PDF")
            _check_size(file, part.megabytes * 1_000_000)
            incoming = self.folder / "incoming" / os.urandom(8).hex()
            try:
                await asyncio.to_thread(save_pdf, file.file, incoming)
                await self.turn.come()
                number = self.hand_marks.receive(incoming, person.name, assignment.name, part.name, person.member)
            finally:
                incoming.unlink(missing_ok=True)
        return {"paper": number}

    def most_bytes(self) -> int:
        """Return the size limit of a version, in bytes."""
        return self.settings.upload_kilobytes * 1000

    def most_paper_bytes(self) -> int:
        """Return the size limit of a file for any part that is marked by hand, in bytes."""
        parts = (part.megabytes for each in self.settings.assignments for part in each.parsed_marks)
        return max([1, *parts]) * 1_000_000

    @asynccontextmanager
    async def _upload(self, person: Person, request: Request) -> AsyncIterator[tuple[Assignment, UploadFile, str]]:
        """Read a form, and yield its assignment, file and part.

        Unless the block ends without an error, the upload counts as rejected.

        :raises RefusedError: if the person may not hand in anything now, or the form is invalid.
        """
        self._check_may_hand_in(person)
        try:
            form = await request.form(max_files=1, max_fields=3, max_part_size=PART)
        except (MultiPartException, HTTPException) as error:
            text = getattr(error, "message", "") or getattr(error, "detail", "")
            raise RefusedError(400, f"file: expected a form with one file: {printable(text, 200)}") from None
        arrived = (person.name, time.time())
        try:
            person = self.people.by_name(person.name)  # the upload may have taken a long time, so check again
            self._check_may_hand_in(person)
            self._refused.append(arrived)
            chosen = form.get("assignment")
            assignment = self._accepting(person, chosen if chosen is None else str(chosen))
            upload = form.get("file")
            if upload is None or isinstance(upload, str):
                raise RefusedError(400, "file: expected a form with a file, as sent by 'curl -F file=@player.py'")
            yield assignment, upload, str(form.get("part", ""))
            self._refused.remove(arrived)
        finally:
            await form.close()

    def _accepting(self, person: Person, name: str | None) -> Assignment:
        """Return the assignment that an upload is for: the named one, or else the person's current one.

        :raises RefusedError: if it accepts nothing from this person now.
        """
        settings = self.settings.current(person.deadlines) if name is None else self.assignment(name)
        own = person.deadlines.get(settings.name)
        what = f"{settings.name}: " if settings.name else ""
        if settings.name in person.blocks:
            raise RefusedError(403, f"{what}your teacher has blocked you: {person.blocks[settings.name] or 'ask why'}")
        if settings.opens and not settings.has_opened:
            when = f"{settings.local(settings.seconds(settings.opens)):%Y-%m-%d %H:%M %Z}"
            raise RefusedError(409, f"{what}nothing is accepted before {when}")
        if settings.is_over_for(own) and (deadline := settings.deadline_for(own)):
            late = f", plus {days} late days" if (days := settings.late_rule.days) else ""
            when = f"{settings.local(deadline):%Y-%m-%d %H:%M %Z}"
            raise RefusedError(409, f"{what}the deadline was {when}{late}; nothing is accepted any more")
        return settings

    def _check_may_hand_in(self, person: Person) -> None:
        """Check that a person may hand in something now.

        :raises RefusedError: if they may not.
        """
        settings = self.settings
        if person.blocked:  # blocked during the request
            raise RefusedError(
                403, f"your teacher has blocked you{f': {person.reason}' if person.reason else '; ask why'}"
            )
        if not person.blocks:  # else it depends on the assignment, which the form names
            self._accepting(person, None)
        now = time.time()
        self._refused = [each for each in self._refused if each[1] > now - HOUR]
        refused = [at for name, at in self._refused if name == person.name]
        uploads = sorted(self.entries.uploads_since(person.name, now - HOUR) + refused)
        uploads = [at for at in uploads if at <= now]  # if the clock was set back, some times are in the future
        if len(uploads) >= settings.uploads_an_hour:
            wait = uploads[-settings.uploads_an_hour] + HOUR - now
            wrong = f"you can hand in {settings.uploads_an_hour} versions an hour; wait {wait / 60:.0f} min"
            raise RefusedError(429, wrong, wait)
        if shutil.disk_usage(self.folder).free < LEAST_FREE:
            raise RefusedError(507, "the server's disk is nearly full; tell your teacher")
        if sum(sizes(self.folder)) > settings.folder_megabytes * 1_000_000:
            raise RefusedError(
                507, f"the class's space is used up (folder_megabytes in {CLASS_FILE}); tell your teacher"
            )


def _check_size(file: UploadFile, most: int) -> None:
    if (file.size or 0) > most:
        allowed = f"{most // 1_000_000} MB" if most % 1_000_000 == 0 else f"{most // 1000} kB"
        raise RefusedError(413, f"file: must have at most {allowed}, not {file.size:,} bytes")


def _unpacked(file: IO[bytes], name: str, incoming: Path, settings: ClassSettings) -> PlayerFile:
    """Unpack an upload into a new folder and return its player settings. Does not touch the database."""
    incoming.mkdir(mode=0o700)
    unpack(file, name, incoming / "source")
    return read_player(incoming / "source", settings.languages)


def _changed(folder: Path) -> float:
    try:
        return (folder / CLASS_FILE).stat().st_mtime
    except OSError:
        return 0.0
