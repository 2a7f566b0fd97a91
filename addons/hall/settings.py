"""The file ``class.toml`` of a class: what its teacher decides."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from quietmove.addons.check.examination import PROTOCOLS
from quietmove.addons.check.talk import name_of
from quietmove.addons.shared.toml_text import toml_value
from quietmove.referee.config.model import Limit, TimeControl
from quietmove.referee.config.toml_file import TomlFile
from quietmove.referee.config.validation import Printable, model, requirement_text
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import ConfigFileError

CLASS_FILE = "class.toml"
MOST_GOAL_GAMES = 100
RANDOM = "random"  # the anchor that moves at random
HIGHEST_LEVEL = 20
ANCHORS = (RANDOM, *(f"level {number}" for number in range(HIGHEST_LEVEL + 1)))  # names of all possible anchors
YEARS = range(1970, 9999)  # of a deadline, so that it does not leave the calendar in another time zone
FINAL_FORMATS = ("auto", "swiss", "round-robin", "knockout")

Language = Literal["python", "c", "java", "command"]
Text = Annotated[Printable, Field(min_length=1, max_length=100)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class ParsedGoal:
    """Points that a version is to score against an anchor.

    :param least: points of the last ``games`` games.
    """

    text: str
    anchor: str
    least: int
    games: int

    @classmethod
    def read(cls, text: str) -> ParsedGoal:
        """Return the goal that ``random 24-0`` spells: 24 points, and the opponent none.

        :raises ValueError: if it spells none.
        """
        found = re.fullmatch(r"(.+) (\d{1,3})-(\d{1,3})", text)
        if found is None or not 0 < int(found[2]) + int(found[3]) <= MOST_GOAL_GAMES:
            raise ValueError(f"must be ANCHOR POINTS-POINTS, such as 'random 24-0', of {MOST_GOAL_GAMES} at most")
        return cls(text, found[1], int(found[2]), int(found[2]) + int(found[3]))


def _goal(text: str) -> str:
    ParsedGoal.read(text)
    return text


def _examination(text: str) -> str:
    known = {name_of(each): None for protocol in PROTOCOLS.values() for each in protocol.examinations}
    if text not in known:
        raise ValueError(f"must be one of {', '.join(known)}")
    return text


def _final(text: str) -> str:
    if re.fullmatch(rf"({'|'.join(FINAL_FORMATS)})( [1-9]\d{{0,3}})?", text) is None:
        raise ValueError(f"must be one of {', '.join(FINAL_FORMATS)}, and how many take part, such as 'knockout 4'")
    return text


def _moment(value: datetime | None) -> datetime | None:
    if value and value.year not in YEARS:
        raise ValueError(f"must be a time from {YEARS[0]} to {YEARS[-1]}")
    return value


Goal = Annotated[Text, AfterValidator(_goal)]


@model
class ClassSettings:
    """What a class plays, and what its people may do."""

    title: Annotated[Text, Field(description="what the pages are headed with")] = "Othello"
    limit: Annotated[Limit, Field(description="how long a player may think, the same for all")] = TimeControl(
        movetime_ms=300
    )
    memory: Annotated[Annotated[int, Field(ge=16, le=65536)], Field(description="MiB that a player may hold")] = 256
    languages: Annotated[
        tuple[Language, ...],
        Field(description="what may be handed in; command is a program or script that player.toml names"),
    ] = ("python", "c", "java", "command")
    required: Annotated[
        tuple[Annotated[Text, AfterValidator(_examination)], ...],
        Field(
            description="the examinations that a version must pass, where protocol and limit have them; others advise"
        ),
    ] = (
        *("first-move", "handshake", "only-moves", "no-limit", "legal-moves", "forced-pass", "whole-games"),
        *("move-time", "game-time"),
    )
    openings: Annotated[
        Literal["none", "line"],
        Field(
            description="line: programs read an opening as a sixth word of line one, unless their player.toml says no"
        ),
    ] = "none"
    deadline: Annotated[
        datetime | None, AfterValidator(_moment), Field(description="a time of TOML, after which nothing is taken")
    ] = None
    check_seconds: Annotated[Count, Field(description="seconds for all examinations of a version")] = 60
    build_seconds: Annotated[Count, Field(description="seconds for its compiler")] = 30
    uploads_an_hour: Annotated[Count, Field(description="versions that a person may hand in within an hour")] = 12
    upload_kilobytes: Annotated[Count, Field(description="the most that a file or zip may have")] = 2000
    folder_megabytes: Annotated[Count, Field(description="the most that all versions together may take")] = 4000
    board: Annotated[Literal["open", "keys"], Field(description="who sees the board: everybody, or who has a key")] = (
        "open"
    )
    python: Annotated[Text, Field(description="the interpreter of Python programs")] = "python3"
    cc: Annotated[Text, Field(description="the compiler of C programs")] = "cc"
    javac: Annotated[Text, Field(description="the compiler of Java programs")] = "javac"
    java: Annotated[Text, Field(description="the machine of Java programs")] = "java"
    finals: Annotated[
        tuple[Annotated[Text, AfterValidator(_final)], ...],
        Field(
            description="finals that begin by themselves after the deadline, each once the projector has shown the one "
            "before, such as 'swiss', 'knockout 4'"
        ),
    ] = ()
    final_seconds: Annotated[Count, Field(description="seconds for which the projector shows a game of the final")] = 20
    cores: Annotated[
        Annotated[int, Field(ge=0, le=4096)],
        Field(description="processors for games and examinations; 0: all, from four on all but one"),
    ] = 0
    ladder: Annotated[bool, Field(description="whether the ladder is played from the start")] = True
    anchors: Annotated[
        tuple[Annotated[int, Field(ge=0, le=HIGHEST_LEVEL)], ...],
        Field(description="levels of this engine that all meet on the ladder, beside a player that moves at random"),
    ] = (1, 3, 5)
    quiet_elo: Annotated[
        Annotated[float, Field(ge=1, le=10_000)],
        Field(description="half the width of the 95 % interval at which a version's place is known"),
    ] = 100.0
    most_pairs: Annotated[Count, Field(description="pairs of games after which it is taken to be known")] = 30
    goals: Annotated[
        tuple[Goal, ...],
        Field(description="points that a version is to score against an anchor, such as 'random 24-0'"),
    ] = ()
    examiners: Annotated[
        Annotated[int, Field(ge=0, le=256)], Field(description="versions that are examined at once; 0: half the cores")
    ] = 0

    @property
    def parsed_goals(self) -> list[ParsedGoal]:
        """The goals, read."""
        return [ParsedGoal.read(goal) for goal in self.goals]

    @property
    def needed(self) -> set[str]:
        """The examinations that a version must pass: of :attr:`required`, those of times only if the limit has such."""
        others = {"move-time": self.limit.movetime_ms, "game-time": self.limit.base_ms}
        return {name for name in self.required if others.get(name, True) is not None}

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and datetime.now().timestamp() >= self.deadline.timestamp()


def read_settings(folder: Path) -> ClassSettings:
    """Return what the file in a class's folder says.

    :raises ConfigFileError: with everything that is wrong, each with its line.
    """
    try:
        file = TomlFile(folder / CLASS_FILE)
    except SetupError as error:
        raise ConfigFileError(error.problems) from None
    found = file.read(ClassSettings, list(file.data))
    anchors = [RANDOM, *(f"level {level}" for level in found.anchors)] if found else []
    if found and not found.languages:
        file.mistake(("languages",), requirement_text(f"must be one or more of {', '.join(get_args(Language))}", []))
    for index, goal in enumerate(found.parsed_goals if found else ()):
        if goal.anchor not in anchors:
            file.mistake(("goals", index), requirement_text(f"must be against one of {', '.join(anchors)}", goal.text))
    if found is None or file.problems:
        raise ConfigFileError(file.problems)
    return found


def default_text(title: str) -> str:
    """Return a new file: each key with its meaning and its default, behind a comment sign."""
    lines = [f"title = {toml_value(title)}", ""]
    defaults = replace(ClassSettings(), deadline=datetime(2027, 1, 31, 18))
    for key, info in ClassSettings.__pydantic_fields__.items():  # type: ignore[attr-defined]
        if key != "title":
            value = getattr(defaults, key)
            text = toml_value(str(value) if isinstance(value, TimeControl) else value)
            lines += [f"# {info.description}", f"# {key} = {text}", ""]
    return "\n".join(lines)
