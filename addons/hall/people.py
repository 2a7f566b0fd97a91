"""The people of a class and their keys. Only hashes of keys are saved, so each key is shown only once."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import random
import re
import secrets
import sqlite3
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count, islice
from typing import NamedTuple

from quietmove.addons.hall.settings import ANCHORS
from quietmove.addons.web.database import transaction
from quietmove.engine.common.text import printable
from quietmove.referee.errors import SetupError

STUDENT = "student"
ASSISTANT = "assistant"  # sees what a teacher sees, but cannot add, remove or block people
TEACHER = "teacher"  # a role, and the default teacher's name
ROLES = (STUDENT, ASSISTANT, TEACHER)
KEY_BYTES = 15  # 120 random bits, so no slow hash is needed; they are 24 characters in base 32
GROUP = 4  # characters between hyphens in a key
LONGEST_NAME = 40
LONGEST_REASON = 200
# the participants who have handed in something or got points
ACTIVE = "SELECT person FROM entry UNION SELECT person FROM paper UNION SELECT person FROM hand_mark"
FORMULA = ("=", "+", "-", "@")  # spreadsheets treat a cell with one of these prefixes as a formula
# Characters with a matching Unicode name are invisible, although Python calls them printable.
INVISIBLE = re.compile("FILLER|BLANK|VARIATION SELECTOR|JOINER|OBJECT REPLACEMENT|VOWEL INHERENT|NULL NOTEHEAD")
UNSAFE = re.compile(r'[%/\\:*?"<>|]|^[.~-]|\.$')  # characters of a name that a file name cannot have on some system
ANY_SCRIPT = ("DIGIT", "MODIFIER")  # characters whose Unicode names start with these words fit any script
EAST_ASIAN = ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")  # scripts that may be mixed
LOOKALIKES = str.maketrans(  # Cyrillic, Greek and small capitals, and the Latin letters they resemble
    "аαɑвьβсϲԁеεɡнһηјкκ1i|ıǀіӏιмμν0оοрρԛѕтτԝхχуυζᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aaabbbccdeeghhhjkkllllllllmmnoooppqsttwxxyyzabcdeghljklmnoprstuvwyz",
)
ANIMALS = (  # for pseudonyms
    "ant badger bat bear beaver bee bison boar camel cat crab crane crow deer dove duck eagle eel elk falcon finch fox "
    "frog gecko goat goose gull hare hawk heron horse ibex jay koala lark lemur lion lizard llama lynx mole moose moth "
    "mouse newt otter owl panda puma quail rabbit ram raven robin seal shark sloth snail stork swan tiger toad trout "
    "turtle viper vole walrus wasp whale wolf wombat wren yak zebra"
)


class Newcomer(NamedTuple):
    """A person to add to a class.

    :ivar id: the person's ID at the university; may be empty.
    :ivar team: the team that the person joins, or "" if the person takes part alone.
    """

    name: str
    role: str = STUDENT
    id: str = ""
    email: str = ""
    team: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """A participant: a person, or a team whose members each have a key.

    :ivar shown: the name on the public board.
    :ivar reason: the teacher's reason for blocking the participant.
    :ivar deadlines: the participant's own deadlines by assignment, in seconds since 1970.
    :ivar blocks: the assignments in which the participant is blocked, with the reasons.
    :ivar member: the name of the key's owner, which differs from ``name`` in a team, or "" if the participant was not
        looked up by key.
    """

    name: str
    shown: str
    role: str
    blocked: bool = False
    reason: str = ""
    deadlines: Mapping[str, float] = field(default_factory=dict)
    blocks: Mapping[str, str] = field(default_factory=dict)
    member: str = ""

    @property
    def is_teacher(self) -> bool:
        """Whether this person has a teacher's rights."""
        return self.role == TEACHER and not self.blocked

    @property
    def sees_all(self) -> bool:
        """Whether this person sees the data of all people."""
        return self.role in (TEACHER, ASSISTANT) and not self.blocked


@dataclass(frozen=True, slots=True)
class Member:
    """A person with a key: a member of a team, or someone who takes part alone.

    :ivar person: the participant's name.
    """

    name: str
    person: str
    id: str
    email: str


def name_refusal(name: str) -> str:
    """Return the reason why a text cannot be a person's name or board name, or "" if it can.

    Unprintable characters are rejected, including marks that change the text direction.
    """
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"must have 1 to {LONGEST_NAME} characters, not {len(name)}"
    hidden = [f"U+{ord(each):04X}" for each in name if INVISIBLE.search(unicodedata.name(each, ""))]
    if hidden:
        return f"must not contain invisible characters such as {hidden[0]}"
    return "" if name.isprintable() and name == name.strip() else f"must be printable, not {printable(name)!r}"


def file_name(name: str) -> str:
    """Return a file name for a person. Each unsafe character becomes its code, so no two people have the same one."""
    return UNSAFE.sub(lambda unsafe: f"%{ord(unsafe[0]):02X}", name)


def scripts_of(name: str) -> set[str]:
    """Return the scripts of a name's letters and digits, taken from their Unicode names."""
    words = {re.split("[ -]", unicodedata.name(each, "?"))[0] for each in name if each.isalnum()}
    return {"CJK" if word in EAST_ASIAN else word for word in words} - set(ANY_SCRIPT)


def folded(name: str) -> str:
    """Normalize a name so that different spellings (case, letter forms, spaces) compare equal."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def skeleton(name: str) -> str:
    """Return a text that is equal for names that look alike, ignoring punctuation and spaces."""
    text = folded(name).translate(LOOKALIKES)
    return "".join(each for each in text if unicodedata.category(each)[0] not in "PZ") or text


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Format a table as CSV, escaping texts that a spreadsheet would treat as formulas."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> object:
    """Escape formulas in a cell, including after ``;``, which some spreadsheets treat as a separator."""
    if not isinstance(value, str):
        return value
    return ";".join(f"'{part}" if _begins_formula(part) else part for part in value.split(";"))


def _begins_formula(text: str) -> bool:
    return unicodedata.normalize("NFKC", text.lstrip(' "')[:1]).startswith(FORMULA)


def new_key() -> str:
    """Return a random key that cannot be guessed: ``k7qm-4d2x-…``."""
    letters = base64.b32encode(secrets.token_bytes(KEY_BYTES)).decode().lower()
    return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))


def key_hash(key: str) -> bytes:
    """Return the hash under which a key is saved, ignoring case, hyphens and surrounding spaces."""
    return hashlib.sha256(key.strip().lower().replace("-", "").encode("utf-8", "replace")).digest()


class People:
    """The database tables of participants, key owners and events."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, people: Sequence[Newcomer], *, shown_by_name: bool, asked_by: str = TEACHER) -> dict[str, str]:
        """Add people, and return their keys by name. People with the same team become members of one participant.

        :param shown_by_name: whether the board shows real names instead of pseudonyms until a person chooses.
        :raises SetupError: if a name is taken; in that case, no one is added.
        """
        keys = {each.name: new_key() for each in people}
        with transaction(self._connection) as connection:
            known = self.all()
            teams = self._teams()
            self._check_new(people, teams)
            taken = {folded(text) for each in known for text in (each.name, each.shown)} | set(map(folded, keys))
            for each in people:
                name = teams.get(folded(each.team), each.team or each.name)
                if not each.team or folded(each.team) not in teams:
                    shown = name if shown_by_name or each.role != STUDENT else pseudonym(taken)
                    connection.execute(
                        "INSERT INTO person (name, shown, role) VALUES (?, ?, ?) "
                        "ON CONFLICT (name) DO UPDATE SET role = excluded.role, blocked = 0, reason = ''",
                        (name, shown, each.role),
                    )
                if each.team:
                    teams[folded(each.team)] = name
                values = (each.name, name, key_hash(keys[each.name]), each.id, each.email)
                connection.execute("INSERT INTO member VALUES (?, ?, ?, ?, ?)", values)
            if known:
                self.note(asked_by, "add", ", ".join(keys))
        return keys

    def _teams(self) -> dict[str, str]:
        """Return the teams' names, keyed by normalized name."""
        return {folded(each.person): each.person for each in self.members() if each.name != each.person}

    def _check_new(self, people: Sequence[Newcomer], teams: Mapping[str, str]) -> None:
        """Check that the names and IDs of people, and the names of new teams, are free.

        :raises SetupError: listing all that are taken.
        """
        known = {folded(name) for each in self.members() for name in (each.name, each.person)}
        new = {folded(each.name) for each in people}
        problems = [f"name: {each.name!r} is already in this class" for each in people if folded(each.name) in known]
        owners = {folded(each.id): each.name for each in self.members() if each.id}
        problems += [
            f"id: {each.id!r} of {each.name!r} is already the ID of {owners[folded(each.id)]!r}"
            for each in people
            if folded(each.id) in owners
        ]
        for team in dict.fromkeys(each.team for each in people if each.team):
            if folded(team) in new or (folded(team) in known and folded(team) not in teams):
                problems.append(f"team: {team!r} is the name of a person")
        if problems:
            raise SetupError(problems)

    def make_teams(self, size: int, seed: int, asked_by: str, *, shown_by_name: bool) -> dict[str, list[str]]:
        """Put all students who take part alone into random teams, and return the members by team.

        The numbers of members differ by at most one. A team keeps its members' latest extensions.

        :param size: the usual number of members.
        :raises SetupError: if one of the students is blocked, or has handed in something or got points already.
        """
        with transaction(self._connection) as connection:
            students = {each.name: each for each in self.all() if each.role == STUDENT}
            alone = [each.name for each in self.members() if each.name == each.person and each.person in students]
            begun = {row["person"] for row in connection.execute(ACTIVE)}
            if late := [name for name in alone if name in begun or students[name].blocked or students[name].blocks]:
                raise SetupError(f"teams: {', '.join(late)} handed in something, got points or are blocked already")
            random.Random(seed).shuffle(alone)
            taken = {folded(text) for each in self.all() for text in (each.name, each.shown)}
            groups = round(len(alone) / size) or min(1, len(alone))
            free = (name for number in count(1) if folded(name := f"Team {number}") not in taken)
            teams = {name: sorted(alone[place::groups]) for place, name in enumerate(islice(free, groups))}
            for name, members in teams.items():
                deadlines = Counter[str]()
                for member in members:
                    deadlines |= Counter(students[member].deadlines)
                shown = name if shown_by_name else pseudonym(taken)
                values = (name, shown, STUDENT, json.dumps(deadlines))
                connection.execute("INSERT INTO person (name, shown, role, deadlines) VALUES (?, ?, ?, ?)", values)
                for member in members:
                    connection.execute("UPDATE member SET person = ? WHERE name = ?", (name, member))
                    connection.execute("DELETE FROM person WHERE name = ?", (member,))
            self.note(asked_by, "teams", f"{groups} teams of {size}, seed {seed}")
        return teams

    def remove(self, name: str, asked_by: str) -> None:
        """Remove a person: the key stops working, and a participant with no members left stops taking part.

        The versions of a participant stay, since their games belong to the ladder.

        :raises SetupError: if there is no such person, or the person is ``asked_by`` or the last teacher.
        """
        with transaction(self._connection) as connection:
            member = self.member(name)
            person = self.by_name(member.person)
            self._check_dispensable(person, asked_by)
            connection.execute("DELETE FROM member WHERE name = ?", (name,))
            if all(each.person != person.name for each in self.members()):
                connection.execute("UPDATE person SET blocked = 1, reason = 'removed' WHERE name = ?", (person.name,))
                connection.execute(f"DELETE FROM person WHERE name = ? AND name NOT IN ({ACTIVE})", (person.name,))
            self.note(asked_by, "remove", name)

    def extend(self, name: str, deadline: datetime | None, asked_by: str, assignment: str = "") -> None:
        """Set a participant's own deadline for an assignment.

        :param deadline: in the class's time zone; None restores the deadline of the class.
        :raises SetupError: if there is no such participant.
        """
        with transaction(self._connection) as connection:
            deadlines = {**self.by_name(name).deadlines, assignment: deadline and deadline.timestamp()}
            text = json.dumps({key: moment for key, moment in deadlines.items() if moment is not None})
            connection.execute("UPDATE person SET deadlines = ? WHERE name = ?", (text, name))
            until = "as for the class" if deadline is None else f"{deadline:%Y-%m-%d %H:%M}"
            self.note(asked_by, "deadline", f"{name}: {assignment} {until}")

    def all(self) -> list[Person]:
        """Return all participants, sorted by name."""
        return [_person(row) for row in self._connection.execute("SELECT * FROM person ORDER BY name")]

    def members(self) -> list[Member]:
        """Return everyone with a key, sorted by name."""
        rows = self._connection.execute("SELECT name, person, id, email FROM member ORDER BY name")
        return [Member(*row) for row in rows]

    def member(self, name: str) -> Member:
        """Return the person with this name.

        :raises SetupError: if no one with this name has a key.
        """
        query = "SELECT name, person, id, email FROM member WHERE name = ?"
        row = self._connection.execute(query, (name,)).fetchone()
        if row is None:
            raise SetupError(f"name: this class has no {printable(name, 60)!r}")
        return Member(*row)

    def by_key(self, key: str) -> Person | None:
        """Return the participant with this key, or None. Keys are found by hash, so timing reveals nothing."""
        query = (
            "SELECT person.*, member.name AS member FROM member JOIN person ON person.name = member.person "
            "WHERE member.key_hash = ?"
        )
        row = self._connection.execute(query, (key_hash(key),)).fetchone()
        return _person(row) if row else None

    def by_name(self, name: str) -> Person:
        """Return the participant with this name.

        :raises SetupError: if there is no such participant.
        """
        row = self._connection.execute("SELECT * FROM person WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise SetupError(f"name: this class has no {printable(name, 60)!r}")
        return _person(row)

    def give_key(self, name: str, asked_by: str) -> str:
        """Issue a new key for a person, revoke the old one, and return the new one.

        :raises SetupError: if no one with this name has a key.
        """
        key = new_key()
        with transaction(self._connection):
            self.member(name)
            self._connection.execute("UPDATE member SET key_hash = ? WHERE name = ?", (key_hash(key), name))
            self.note(asked_by, "key", f"a new key for {name}")
        return key

    def show_as(self, name: str, shown: str, players: Iterable[str] = ()) -> None:
        """Set a person's name on the board, which must be unique.

        :param players: the names of anchors from earlier classes.
        :raises SetupError: if the name is invalid or taken.
        """
        shown = re.sub(" +", " ", unicodedata.normalize("NFKC", shown)).strip(" ")
        wrong = name_refusal(shown)
        if len(scripts_of(shown)) > 1 and folded(shown) != folded(name):
            wrong = wrong or f"must use a single script, or be your own name, not {shown!r}"
        with transaction(self._connection):
            others = (each for each in self.all() if each.name != name)
            taken = {*ANCHORS, *players, *(text for each in others for text in (each.name, each.shown))}
            if skeleton(shown) in map(skeleton, taken):
                wrong = f"{shown!r} is already taken"
            if wrong:
                raise SetupError(f"display name: {wrong}")
            self._connection.execute("UPDATE person SET shown = ? WHERE name = ?", (shown, name))

    def block(self, name: str, asked_by: str, *, blocked: bool, reason: str = "", assignment: str | None = None) -> int:
        """Block or unblock a person, in all assignments or in one. Return the number of the event.

        :param reason: shown to the person.
        :raises SetupError: if there is no such person, the person to block is ``asked_by`` or the last teacher, or the
            reason is too long or not printable.
        """
        if len(reason) > LONGEST_REASON or not reason.isprintable():
            raise SetupError(
                f"reason: must be one line of at most {LONGEST_REASON} characters, not {printable(reason, 60)!r}"
            )
        with transaction(self._connection):
            person = self.by_name(name)
            if blocked:
                self._check_dispensable(person, asked_by)
            if assignment is None:
                query, values = "blocked = ?, reason = ?", [blocked, reason if blocked else ""]
            else:
                others = {key: text for key, text in person.blocks.items() if key != assignment}
                query, values = "blocks = ?", [json.dumps(others | ({assignment: reason} if blocked else {}))]
            self._connection.execute(f"UPDATE person SET {query} WHERE name = ?", (*values, name))
            what = f"{name} in {assignment}" if assignment else name
            return self.note(asked_by, "block" if blocked else "unblock", f"{what}: {reason}" if reason else what)

    def _check_dispensable(self, person: Person, asked_by: str) -> None:
        """Check that a participant may be blocked or removed.

        :raises SetupError: if the participant is ``asked_by`` or the last teacher.
        """
        if person.name == asked_by:
            raise SetupError("name: you cannot block or remove yourself")
        if person.is_teacher and not any(each.is_teacher and each.name != person.name for each in self.all()):
            raise SetupError(f"name: {person.name} is the last teacher who is not blocked")

    def note(self, person: str, what: str, text: str) -> int:
        """Log an event for the teacher, and return its number."""
        values = (time.time(), person, what, printable(text, 400))
        query = "INSERT INTO event (at, person, what, text) VALUES (?, ?, ?, ?)"
        return int(self._connection.execute(query, values).lastrowid or 0)

    def events(self, most: int) -> list[dict[str, object]]:
        """Return the latest events, newest first."""
        rows = self._connection.execute("SELECT * FROM event ORDER BY number DESC LIMIT ?", (most,))
        return [dict(row) for row in rows]


def _person(row: sqlite3.Row) -> Person:
    parsed = {key: json.loads(row[key]) for key in ("deadlines", "blocks")}
    return Person(**{**dict(row), "blocked": bool(row["blocked"]), **parsed})


def pseudonym(taken: set[str]) -> str:
    """Return an unused pseudonym, which stays recognizable when a page cuts it, and add it to ``taken``."""
    suffixes = ("" if number == 1 else f" {number}" for number in count(1))
    tries = ([f"{animal.title()}{suffix}" for animal in ANIMALS.split()] for suffix in suffixes)
    free = next(free for names in tries if (free := [name for name in names if folded(name) not in taken]))
    chosen = secrets.choice(free)
    taken.add(folded(chosen))
    return chosen
