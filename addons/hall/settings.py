"""The teacher's settings file, ``class.toml``."""

from __future__ import annotations

import math
import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from quietmove.addons.check.examination import PROTOCOLS
from quietmove.addons.check.talk import name_of
from quietmove.addons.hall.tasks import TASKS
from quietmove.addons.shared.toml_text import toml_value
from quietmove.referee.arguments.toml_file import TomlFile
from quietmove.referee.config.model import EngineConfig, Limit, TimeControl
from quietmove.referee.config.validation import (
    KeyPath,
    Printable,
    adapter,
    model,
    names,
    read,
    requirement_text,
    unknown_key,
)
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import ConfigFileError

CLASS_FILE = "class.toml"
ANCHORS_FILE = "anchors.json"  # the best players of earlier classes; written by `class next`
MOST_GOAL_GAMES = 100
RANDOM = "random"  # the anchor that moves at random
HIGHEST_LEVEL = 20
CHECK, FINAL, SOLVED, VALUES = "check", "final", "tasks", "values"  # parts of a mark, besides the goals
ANCHORS = (RANDOM, *(f"level {number}" for number in range(HIGHEST_LEVEL + 1)))  # all possible anchor names
YEARS = range(1970, 9999)  # years allowed in dates, so that they can be converted to any time zone
FINAL_FORMATS = ("auto", "swiss", "round-robin", "knockout")
ASSIGNMENT = "assignment"
PLAYING = {"limit", "ladder", "finals", "goals", "evaluator"}  # keys not allowed in an assignment of tasks
EXAMPLE = """
# One assignment for each phase of a term; keys missing here have the values above
# [[assignment]]
# name = "I"
# limit = "depth=4"
# deadline = 2027-01-31T18:00:00
# late = "10% a day, at most 3 days"
# ladder = false
"""

Language = Literal["python", "c", "cpp", "java", "rust", "javascript", "go", "command"]
Text = Annotated[Printable, Field(min_length=1, max_length=100)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class ParsedGoal:
    """A goal: a number of points for a version to score against an anchor.

    :param least: minimum points in the last ``games`` games.
    """

    text: str
    anchor: str
    least: int
    games: int

    @classmethod
    def read(cls, text: str) -> ParsedGoal:
        """Parse a goal such as ``random 18-6``: at least 18 points in the last 24 games against ``random``.

        :raises ValueError: if the text is not a goal.
        """
        found = re.fullmatch(r"(.+) (\d{1,3})-(\d{1,3})", text)
        if found is None or not 0 < int(found[2]) + int(found[3]) <= MOST_GOAL_GAMES:
            raise ValueError(
                f"expected ANCHOR POINTS-POINTS, such as 'random 24-0', with at most {MOST_GOAL_GAMES} games"
            )
        return cls(text, found[1], int(found[2]), int(found[2]) + int(found[3]))


def _parsed_by(parse: Callable[[str], object]) -> AfterValidator:
    """Return a validator that accepts the texts that ``parse`` accepts."""

    def check(text: str) -> str:
        parse(text)
        return text

    return AfterValidator(check)


def _command(text: str) -> str:
    if not shlex.split(text) and text:
        raise ValueError(f"must be a command, not {text!r}")
    return text


def _examination(text: str) -> str:
    known = {name_of(each): None for protocol in PROTOCOLS.values() for each in protocol.examinations}
    if text not in known:
        raise ValueError(f"must be one of {', '.join(known)}")
    return text


@dataclass(frozen=True, slots=True)
class MarkPart:
    """A part of a mark.

    :param weight: its percentage, which is also its maximum number of points.
    :param by_hand: whether assistants enter the points.
    :param megabytes: size limit of the PDF that people hand in for it; 0 if they hand in none.
    """

    name: str
    weight: int
    by_hand: bool = False
    megabytes: int = 0

    @classmethod
    def read(cls, text: str) -> MarkPart:
        """Parse a text such as ``check 40`` or ``write-up 25 by hand, PDF 5 MB``.

        :raises ValueError: if the text has another format.
        """
        found = re.fullmatch(r"(.+?) (\d{1,3})( by hand(?:, PDF (\d{1,2}) MB)?)?", text, re.ASCII)
        if found is None:
            raise ValueError(
                "must be a part and its percentage, such as 'check 40', 'final 30' or 'write-up 25 by hand, PDF 5 MB'"
            )
        return cls(found[1], int(found[2]), bool(found[3]), int(found[4] or 0))


@dataclass(frozen=True, slots=True)
class LateRule:
    """What happens to late work.

    :param days: the days after the deadline during which it is accepted.
    :param percent: the share of the points that each day begun costs.
    :param part: the part of the mark that loses points, or "" for all parts.
    """

    days: int = 0
    percent: int = 0
    part: str = ""

    def __str__(self) -> str:
        part = f" for {self.part}" if self.part else ""
        return f"each late day begun costs {self.percent} % of the points{part}" if self.percent else ""

    @classmethod
    def read(cls, text: str) -> LateRule:
        """Parse a text such as ``10% a day, at most 3 days``; see :attr:`Assignment.late`.

        :raises ValueError: if the text has another format.
        """
        found = re.fullmatch(r"(?:(\d{1,3}) ?% a day(?: of (.+))?, )?at most (\d{1,2}) days?", text, re.ASCII)
        if found is None and text:
            raise ValueError(
                "must be a rule such as 'at most 3 days' or '10% a day of write-up, at most 3 days', up to 99 days"
            )
        return cls(int(found[3]), int(found[1] or 0), found[2] or "") if found else cls()


def _final(text: str) -> str:
    if re.fullmatch(rf"({'|'.join(FINAL_FORMATS)})( [1-9]\d{{0,3}})?", text) is None:
        raise ValueError(
            f"must be one of {', '.join(FINAL_FORMATS)}, optionally with the number of players, such as 'knockout 4'"
        )
    return text


def checked_time(value: datetime | None) -> datetime | None:
    """Return a time unchanged.

    :raises ValueError: if its year is not in :data:`YEARS`.
    """
    if value and value.year not in YEARS:
        raise ValueError(f"must be a time from {YEARS[0]} to {YEARS[-1]}")
    return value


def _time_zone(text: str) -> str:
    try:
        return text and ZoneInfo(text).key
    except (KeyError, ValueError, OSError):
        raise ValueError("must be a time zone of this machine, such as Europe/Berlin") from None


def _task(text: str) -> str:
    if text not in TASKS:
        raise ValueError(f"must be one of {', '.join(TASKS)}")
    return text


Goal = Annotated[Text, _parsed_by(ParsedGoal.read)]
Moment = Annotated[datetime | None, AfterValidator(checked_time)]


@model
class Assignment:
    """The settings that each assignment can have of its own; those above the tables are their defaults.

    A class without assignments counts as one assignment without a name.
    """

    name: Annotated[Printable, Field(max_length=40, pattern=r"^([\w-][\w .-]*)?$")] = ""
    limit: Annotated[Limit, Field(description="time limit, the same for all players")] = TimeControl(movetime_ms=300)
    opens: Annotated[Moment, Field(description="a TOML date and time, before which nothing is accepted")] = None
    deadline: Annotated[Moment, Field(description="a TOML date and time, after which nothing is accepted")] = None
    late: Annotated[
        Annotated[Printable, Field(max_length=100), _parsed_by(LateRule.read)],
        Field(
            description="how long late work is accepted and, optionally, what share of the points each day costs: "
            "'at most 3 days', '10% a day, at most 3 days', '10% a day of write-up, at most 3 days'"
        ),
    ] = ""
    ladder: Annotated[bool, Field(description="whether the ladder starts automatically")] = True
    finals: Annotated[
        tuple[Annotated[Text, AfterValidator(_final)], ...],
        Field(
            description="finals that start automatically after the deadline, such as 'swiss', 'knockout 4'; each one "
            "starts once the projector has shown the previous one"
        ),
    ] = ()
    goals: Annotated[
        tuple[Goal, ...],
        Field(description="points for a version to score against an anchor, such as 'random 24-0'"),
    ] = ()
    marks: Annotated[
        tuple[Annotated[Text, _parsed_by(MarkPart.read)], ...],
        Field(
            description="the parts of a mark (check, goals, tasks, values, final, or any name 'by hand') with their "
            "percentages, such as 'check 40', 'random 24-0 35', 'write-up 25 by hand, PDF 5 MB'"
        ),
    ] = ()
    evaluator: Annotated[
        Printable,
        AfterValidator(_command),
        Field(
            max_length=1000,
            description="command that evaluates positions, run in the class's folder; with a depth limit, the values "
            "that programs print after their moves are compared with minimax",
        ),
    ] = ""
    tasks: Annotated[
        tuple[Annotated[Text, AfterValidator(_task)], ...],
        Field(description="in an assignment: tasks that programs solve instead of playing, such as 'winner', 'nodes'"),
    ] = ()
    time_zone: Annotated[
        Printable,
        AfterValidator(_time_zone),
        Field(description="time zone of deadlines and exports, such as 'Europe/Berlin'; empty: the server's"),
    ] = ""

    def titled(self, what: str) -> str:
        """Return ``what``, followed by the assignment's name: ``ladder II``."""
        return f"{what} {self.name}".rstrip()

    @property
    def has_opened(self) -> bool:
        """Whether :attr:`opens` is not set or has passed."""
        return self.opens is None or time.time() >= self.seconds(self.opens)

    @property
    def parsed_goals(self) -> list[ParsedGoal]:
        """The parsed goals."""
        return [ParsedGoal.read(goal) for goal in self.goals]

    @property
    def parsed_marks(self) -> list[MarkPart]:
        """The parts of a mark."""
        return list(map(MarkPart.read, self.marks))

    @property
    def late_rule(self) -> LateRule:
        """The parsed rule about late work."""
        return LateRule.read(self.late)

    def part(self, name: str) -> MarkPart | None:
        """Return the part by hand with this name, or None if there is none."""
        return next((each for each in self.parsed_marks if each.by_hand and each.name == name), None)

    def seconds(self, moment: datetime) -> float:
        """Return a time in seconds since 1970. A time without an offset is in the class's time zone."""
        return (moment if moment.tzinfo else moment.replace(tzinfo=self._zone)).timestamp()

    def local(self, seconds: float) -> datetime:
        """Return a time in the class's time zone.

        :param seconds: since 1970.
        """
        moment = datetime.fromtimestamp(seconds, self._zone)
        return moment if moment.tzinfo else moment.astimezone()

    @property
    def _zone(self) -> ZoneInfo | None:
        """The class's time zone, or None for the server's."""
        return ZoneInfo(self.time_zone) if self.time_zone else None

    def deadline_for(self, extension: float | None = None) -> float | None:
        """Return a participant's deadline in seconds since 1970, or None if there is no deadline.

        :param extension: the participant's own deadline in seconds since 1970; only a later one counts.
        """
        return None if self.deadline is None else max(self.seconds(self.deadline), extension or 0)

    def closes_for(self, extension: float | None = None) -> float | None:
        """Return the end of the late days, in seconds since 1970, or None if there is no deadline.

        They are days of the calendar, so they end at the same time of day as the deadline.
        """
        deadline = self.deadline_for(extension)
        if deadline is None:
            return None
        return (datetime.fromtimestamp(deadline, self._zone) + timedelta(days=self.late_rule.days)).timestamp()

    def late_hours(self, extension: float | None, moment: float) -> float:
        """Return how many hours after a participant's deadline a moment is, rounded up for display; 0 in time."""
        return math.ceil(max(0.0, moment - (self.deadline_for(extension) or moment)) / 360) / 10

    def days_late(self, extension: float | None, moment: float) -> int:
        """Return the number of late days begun by a moment, by the calendar as in :meth:`closes_for`; 0 in time."""
        deadline = self.deadline_for(extension)
        if deadline is None or moment < deadline:
            return 0
        start, end = (datetime.fromtimestamp(each, self._zone).replace(tzinfo=None) for each in (deadline, moment))
        return (end - start).days + 1

    def penalty(self, part: str, extension: float | None, moment: float) -> int:
        """Return the share of a part's points, in percent, that work handed in at a moment loses."""
        rule = self.late_rule
        return min(100, rule.percent * self.days_late(extension, moment)) if rule.part in ("", part) else 0

    def is_late_for(self, extension: float | None) -> bool:
        """Return whether a version handed in now is late."""
        return self.days_late(extension, time.time()) > 0

    @property
    def rehearses(self) -> bool:
        """Whether it is still before the deadline, when a final is only a rehearsal."""
        return self.deadline is not None and not self.is_late_for(None)

    def is_over_for(self, extension: float | None) -> bool:
        """Return whether even late work is no longer accepted."""
        closes = self.closes_for(extension)
        return closes is not None and time.time() >= closes


@model
class ClassSettings:
    """The settings of a class: title, programs, checks, uploads and the ladder's rules."""

    title: Annotated[Text, Field(description="title of the pages")] = "Othello"
    clock: Annotated[
        Literal["wall", "processor"],
        Field(
            description="clock for games and checks; processor: the program's processor time counts, so that a busy "
            "server costs nobody a game, and the wall clock allows ten times the limit"
        ),
    ] = "wall"
    memory: Annotated[Annotated[int, Field(ge=16, le=65536)], Field(description="memory limit of a player in MiB")] = (
        256
    )
    languages: Annotated[
        tuple[Language, ...],
        Field(description="languages that can be handed in; command: a program or script named in player.toml"),
    ] = ("python", "c", "cpp", "java", "rust", "javascript", "go", "command")
    required: Annotated[
        tuple[Annotated[Text, AfterValidator(_examination)], ...],
        Field(
            description="checks that a version must pass if they apply to its protocol and limit; all others are advice"
        ),
    ] = (
        *("first-move", "handshake", "only-moves", "no-limit", "legal-moves", "forced-pass", "whole-games"),
        *("move-time", "game-time"),
    )
    openings: Annotated[
        Literal["none", "line"],
        Field(
            description="line: programs read an opening as the sixth word of line one unless player.toml disables it"
        ),
    ] = "none"
    check_seconds: Annotated[Count, Field(description="time limit for all checks of a version, in seconds")] = 60
    build_seconds: Annotated[Count, Field(description="time limit for compiling a version, in seconds")] = 30
    uploads_an_hour: Annotated[Count, Field(description="versions a person can hand in per hour")] = 12
    upload_kilobytes: Annotated[Count, Field(description="size limit of an uploaded file or zip, in kB")] = 2000
    folder_megabytes: Annotated[Count, Field(description="size limit of all versions together, in MB")] = 4000
    names: Annotated[
        Literal["pseudonyms", "names"], Field(description="how the board shows people until they choose a name")
    ] = "pseudonyms"
    board: Annotated[
        Literal["open", "keys"], Field(description="who can see the board: everyone, or only people with a key")
    ] = "open"
    coordinates: Annotated[
        Literal["letters", "numbers"],
        Field(
            description="how the pages write squares: letters (d3) or numbers (4 6: column, row from the bottom); they "
            "show the other notation next to it"
        ),
    ] = "letters"
    python: Annotated[Text, Field(description="interpreter of Python programs")] = "python3"
    cc: Annotated[Text, Field(description="compiler of C programs")] = "cc"
    cxx: Annotated[Text, Field(description="compiler of C++ programs")] = "c++"
    javac: Annotated[Text, Field(description="compiler of Java programs")] = "javac"
    java: Annotated[Text, Field(description="virtual machine of Java programs")] = "java"
    rustc: Annotated[Text, Field(description="compiler of Rust programs")] = "rustc"
    node: Annotated[Text, Field(description="interpreter of JavaScript programs")] = "node"
    go: Annotated[Text, Field(description="compiler of Go programs")] = "go"
    packages: Annotated[
        tuple[Annotated[Text, Field(pattern=r"^[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?([=<>!~]=?[\w.*,=<>!~]+)?$")], ...],
        Field(description="packages that Python programs may use, such as 'numpy'; 'class install' installs them"),
    ] = ()
    final_seconds: Annotated[Count, Field(description="display time of each game of a final, in seconds")] = 20
    cores: Annotated[
        Annotated[int, Field(ge=0, le=4096)],
        Field(description="processors for games and checks; 0: all, or all but one on a machine with four or more"),
    ] = 0
    anchors: Annotated[
        tuple[Annotated[int, Field(ge=0, le=HIGHEST_LEVEL)], ...],
        Field(
            min_length=1,
            description="levels of this engine that everyone plays on the ladder, besides a player with random moves",
        ),
    ] = (1, 3, 5)
    quiet_elo: Annotated[
        Annotated[float, Field(ge=1, le=10_000)],
        Field(description="half-width of the 95 % interval at which a version's rating is settled, in Elo"),
    ] = 100.0
    most_pairs: Annotated[Count, Field(description="pairs of games after which a rating counts as settled")] = 30
    examiners: Annotated[
        Annotated[int, Field(ge=0, le=256)], Field(description="versions checked in parallel; 0: half the processors")
    ] = 0
    assignments: tuple[Assignment, ...] = (Assignment(),)
    players: tuple[EngineConfig, ...] = ()  # anchors from earlier classes

    def of(self, name: str) -> Assignment | None:
        """Return the assignment with this name, or None if there is none."""
        return next((each for each in self.assignments if each.name == name), None)

    def current(self, deadlines: Mapping[str, float] | None = None) -> Assignment:
        """Return the assignment that people work on: the first open one whose deadline has not passed.

        If there is none, it is the first that accepts late work, else the last that has opened, else the first of all.

        :param deadlines: a participant's own deadlines by assignment, in seconds since 1970.
        """
        own = deadlines or {}
        opened = [each for each in self.assignments if each.has_opened]
        in_time = (each for each in opened if not each.is_late_for(own.get(each.name)))
        late = (each for each in opened if not each.is_over_for(own.get(each.name)))
        return [*in_time, *late, *opened[::-1], *self.assignments][0]

    @property
    def ladders(self) -> tuple[Assignment, ...]:
        """The assignments with a ladder. Without assignments, the class has a ladder, even if ``ladder`` is false."""
        return tuple(each for each in self.assignments if each.ladder or not each.name)

    @property
    def current_ladder(self) -> Assignment:
        """The assignment whose ladder the board shows: the current one, or else the last opened one with a ladder."""
        current = self.current()
        opened = [each for each in self.ladders if each.has_opened]
        return current if current in opened or not opened else opened[-1]

    @property
    def next_final(self) -> Assignment:
        """The assignment whose final the projector announces: the first one with finals, or :attr:`current_ladder`."""
        return next((each for each in self.assignments if each.finals), self.current_ladder)

    @property
    def played(self) -> set[str]:
        """The names of the assignments whose programs play Othello."""
        return {each.name for each in self.assignments if not each.tasks}

    def needed_for(self, limit: TimeControl) -> set[str]:
        """Return the required checks, without checks of times that ``limit`` does not set."""
        others = {"move-time": limit.movetime_ms, "game-time": limit.base_ms}
        return {name for name in self.required if others.get(name, True) is not None}


TABLE_KEYS = [key for key in names(Assignment) if key != "time_zone"]  # keys of an [[assignment]]
KEYS = [key for key in (*names(Assignment), *names(ClassSettings)) if key not in ("name", "assignments", "players")]


def read_settings(folder: Path) -> ClassSettings:
    """Read the settings file in a class folder.

    :raises ConfigFileError: listing all errors, with line numbers.
    """
    try:
        file = TomlFile(folder / CLASS_FILE)
    except SetupError as error:
        raise ConfigFileError(error.problems) from None
    tables = file.data.pop(ASSIGNMENT, None)
    for key in set(file.data) - set(KEYS):
        file.mistake((key,), unknown_key(key, KEYS))
    found = file.read(ClassSettings, names(ClassSettings)) or ClassSettings()
    common = file.read(Assignment, names(Assignment)) or Assignment()
    players = read_players(folder)
    anchors = [RANDOM, *(f"level {level}" for level in found.anchors), *(each.name for each in players)]
    if not found.languages:
        file.mistake(("languages",), requirement_text(f"must be one or more of {', '.join(get_args(Language))}", []))
    if tables is None:
        _check(file, (), common, anchors)
    elif common.marks:
        file.mistake(("marks",), "must be given in the assignments")
    own = [common] if tables is None else _read_assignments(file, tables, anchors)
    marks = [mark for each in own for mark in each.parsed_marks]
    if not file.problems and marks and (percent := sum(each.weight for each in marks)) != 100:
        last = max(index for index, each in enumerate(own) if each.marks)
        place = ("marks",) if tables is None else (ASSIGNMENT, last, "marks")
        file.mistake(place, requirement_text("must add up to 100", percent))
    if file.problems:
        named = [each for each in tables if isinstance(each, dict)] if isinstance(tables, list) else []
        called = [str(each.get("name", "")) for each in named]
        raise ConfigFileError([_with_names(problem, called) for problem in file.problems])
    return replace(found, assignments=tuple(own), players=players)


def read_players(folder: Path) -> tuple[EngineConfig, ...]:
    """Return the anchors from earlier classes.

    :raises ConfigFileError: if their file is damaged.
    """
    try:
        data = (folder / ANCHORS_FILE).read_bytes()
        return adapter(tuple[EngineConfig, ...]).validate_json(data)  # type: ignore[no-any-return]
    except FileNotFoundError:
        return ()
    except (OSError, ValueError):
        raise ConfigFileError([f"{folder / ANCHORS_FILE}: must be a file that 'class next' has written"]) from None


def _with_names(problem: str, names: list[str]) -> str:
    """Return an error with the name of its assignment, and with other positions counted from 1."""

    def assignment(found: re.Match[str]) -> str:
        index = int(found[1])
        return f" assignment {repr(names[index]) if names[index:] and names[index] else index + 1}: "

    return re.sub(
        r"\.(\d+):", lambda found: f" {int(found[1]) + 1}:", re.sub(r" assignment\.(\d+)\.", assignment, problem)
    )


def _read_assignments(file: TomlFile, tables: object, anchors: Sequence[str]) -> list[Assignment]:
    """Return the assignments, whose settings default to those above the tables, and report errors to ``file``."""
    if not (isinstance(tables, list) and tables and all(isinstance(each, dict) for each in tables)):
        file.mistake((ASSIGNMENT,), "must be tables, each headed by [[assignment]]")
        return []
    shared = {key: value for key, value in file.data.items() if key in names(Assignment) and key != "marks"}
    assignments = list[Assignment]()
    for index, table in enumerate(tables):
        place = (ASSIGNMENT, index)
        for key in set(table) - set(TABLE_KEYS):
            file.mistake((*place, key), unknown_key(key, TABLE_KEYS))
        known = {key: value for key, value in table.items() if key in TABLE_KEYS}
        if known.get("tasks"):  # an assignment of tasks has no games
            for key in known.keys() & PLAYING:
                file.mistake((*place, key), "must not be given with tasks")
            known |= {"ladder": False, "finals": [], "goals": [], "evaluator": ""}
        found, mistakes = read(Assignment, {**shared, **known})
        for path, text in mistakes:
            if path[0] in known:
                file.mistake((*place, *path), text)
        if not known.get("name"):
            file.mistake((*place, "name"), "must be given")
        elif found and found.name.casefold() in (each.name.casefold() for each in assignments):
            file.mistake((*place, "name"), f"{found.name!r} is already the name of an assignment")
        if found:
            _check(file, place, found, anchors)
            assignments.append(found)
    return assignments


def _check(file: TomlFile, place: KeyPath, found: Assignment, anchors: Sequence[str]) -> None:
    """Report contradictory settings of an assignment.

    :param place: the path of its table.
    :param anchors: the names of the ladder's anchors.
    """
    for index, goal in enumerate(found.parsed_goals):
        if goal.anchor not in anchors:
            text = requirement_text(f"must be against one of {', '.join(anchors)}", goal.text)
            file.mistake((*place, "goals", index), text)
    if found.tasks and not place:
        file.mistake(("tasks",), "must be given in an assignment")
    if found.evaluator and found.limit.depth is None:
        file.mistake((*place, "limit"), requirement_text("must be depth=N with an evaluator", str(found.limit)))
    automatic = [CHECK, SOLVED] if found.tasks else [CHECK, *found.goals, FINAL, *([VALUES] if found.evaluator else [])]
    parts = [each.name for each in found.parsed_marks]
    for index, part in enumerate(found.parsed_marks):
        if not part.by_hand and part.name not in automatic:
            text = f"must be one of {', '.join(automatic)}, followed by a percentage, or end in 'by hand'"
            file.mistake((*place, "marks", index), requirement_text(text, part.name))
        elif part.by_hand and (part.name in automatic or part.name in parts[:index]):
            file.mistake((*place, "marks", index), requirement_text("must have a name of its own", part.name))
    if (late := found.late_rule).part and late.part not in parts:
        text = f"must name one of {', '.join(parts) or 'the parts in marks'}"
        file.mistake((*place, "late"), requirement_text(text, late.part))
    if found.opens and found.deadline and found.seconds(found.deadline) <= found.seconds(found.opens):
        text = requirement_text(f"must be later than opens ({found.opens})", str(found.deadline))
        file.mistake((*place, "deadline"), text)


def default_text(title: str, *, shown_by_name: bool = False) -> str:
    """Return the text of a new settings file: the title, and each other key as a comment with meaning and default."""
    lines = [f"title = {toml_value(title)}", ""]
    dated = Assignment(opens=datetime(2027, 1, 1, 8), deadline=datetime(2027, 1, 31, 18))
    for kind, defaults in ((Assignment, dated), (ClassSettings, ClassSettings())):
        for key, info in kind.__pydantic_fields__.items():  # type: ignore[union-attr]
            if key not in ("title", "name", "tasks", "assignments", "players"):
                value = getattr(defaults, key)
                text = toml_value(str(value) if isinstance(value, TimeControl) else value)
                lines += [f"# {info.description}", f"# {key} = {text}", ""]
                if key == "names" and shown_by_name:
                    lines.insert(-1, 'names = "names"')
    return "\n".join(lines) + EXAMPLE
