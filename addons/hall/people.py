"""The people of a class and their keys. Only hashes of keys are saved; a key is shown once."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import secrets
import sqlite3
import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quietmove.addons.hall.settings import ANCHORS
from quietmove.addons.web.database import transaction
from quietmove.engine.common.text import explain, printable
from quietmove.referee.errors import SetupError

TEACHER = "teacher"  # a role, and the default teacher's name
ROLES = ("student", TEACHER)
KEY_BYTES = 15  # 120 random bits need no slow hash, and take 24 letters in base 32
GROUP = 4  # letters between hyphens in a key
MOST_PEOPLE = 2000
LONGEST_NAME = 40
LONGEST_REASON = 200
FORMULA = ("=", "+", "-", "@")  # spreadsheets treat a cell with this prefix as a formula
# Characters with a matching Unicode name are invisible, although Python calls them printable.
INVISIBLE = re.compile("FILLER|BLANK|VARIATION SELECTOR|JOINER|OBJECT REPLACEMENT|VOWEL INHERENT|NULL NOTEHEAD")
ANY_SCRIPT = ("DIGIT", "MODIFIER")  # first words of Unicode names that are allowed in any script
EAST_ASIAN = ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")  # scripts that are mixed
LOOKALIKES = str.maketrans(  # Cyrillic and Greek, Cherokee, Lisu, small capitals; then the Latin letters they resemble
    "аαɑвьβсϲԁеεɡнһηјкκ1i|ıǀіӏιмμν0оοрρԛѕтτԝхχуυζ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏆᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏴ"
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
    "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aaabbbccdeeghhhjkkllllllllmmnoooppqsttwxxyyz"
    "drtlyajewmhyghzlbrwsvslcpkdb"
    "bpdtgkjczfmnlsrvhwxyaelou"
    "abcdeghljklmnoprstuvwyz",
)
ANIMALS = (  # for pseudonyms
    "ant badger bat bear beaver bee bison boar camel cat crab crane crow deer dove duck eagle eel elk falcon finch fox "
    "frog gecko goat goose gull hare hawk heron horse ibex jay koala lark lemur lion lizard llama lynx mole moose moth "
    "mouse newt otter owl panda puma quail rabbit ram raven robin seal shark sloth snail stork swan tiger toad trout "
    "turtle viper vole walrus wasp whale wolf wombat wren yak zebra"
)


@dataclass(frozen=True, slots=True)
class Person:
    """A person with a key.

    :param shown: the name on the public board.
    :param reason: the teacher's reason for blocking the person, or "".
    """

    name: str
    shown: str
    role: str
    blocked: bool = False
    reason: str = ""

    @property
    def is_teacher(self) -> bool:
        """Whether this person has a teacher's rights."""
        return self.role == TEACHER and not self.blocked


def read_people(path: Path) -> list[tuple[str, str]]:
    """Return the names in a CSV file, each with a role.

    A header may name the columns ``name`` and ``role`` (student, the default, or teacher). Columns are separated by
    commas, or by semicolons, as spreadsheets write them in many countries.

    :raises SetupError: listing everything that is wrong, with line numbers.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SetupError(f"--people: {explain(error)}") from None
    except UnicodeDecodeError:
        raise SetupError(f"--people: {path}: must be UTF-8") from None
    head = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text), delimiter=";" if ";" in head and "," not in head else ",")
    rows = [(number, row) for number, row in enumerate(lines, 1) if any(map(str.strip, row))]
    columns = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    if "name" in columns:
        rows = rows[1:]
    else:
        columns = ["name", "role"]
    found = []
    problems = []
    seen = dict[str, int]()
    for number, row in rows:
        cells = dict(zip(columns, map(str.strip, row), strict=False))
        name = cells.get("name", "")
        role = cells.get("role", "") or ROLES[0]
        where = f"--people: {path}:{number}"
        if wrong := name_refusal(name):
            problems.append(f"{where}: name: {wrong}")
        elif (first := seen.setdefault(folded(name), number)) != number:
            problems.append(f"{where}: name: {name!r} is already in line {first}")
        if role not in ROLES:
            problems.append(f"{where}: role: must be one of {', '.join(ROLES)}, not {printable(role, 60)!r}")
        found.append((name, role))
    if not 1 <= len(found) <= MOST_PEOPLE:
        problems.append(f"--people: {path}: must have from 1 to {MOST_PEOPLE} names, not {len(found)}")
    if problems:
        raise SetupError(problems)
    return found


def name_refusal(name: str) -> str:
    """Return why a text cannot be a person's name or board name, or "" if it can.

    Characters that are not printable are rejected, including marks that change the direction of a line.
    """
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"must have from 1 to {LONGEST_NAME} letters, not {len(name)}"
    hidden = [f"U+{ord(each):04X}" for each in name if INVISIBLE.search(unicodedata.name(each, ""))]
    if hidden:
        return f"must have no invisible characters, unlike {hidden[0]}"
    return "" if name.isprintable() and name == name.strip() else f"must be printable, not {printable(name)!r}"


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
    """Escape formulas in a cell, also after ``;``, which some spreadsheets treat as a separator."""
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
    """Return the hash of a key to save, ignoring case, hyphens and surrounding spaces."""
    return hashlib.sha256(key.strip().lower().replace("-", "").encode("utf-8", "replace")).digest()


class People:
    """The database table of people."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, people: Sequence[tuple[str, str]], *, shown_by_name: bool) -> dict[str, str]:
        """Add people, and return each one's key.

        :param shown_by_name: whether the board shows real names instead of pseudonyms until a person chooses.
        """
        taken = {folded(name) for name, _ in people}
        keys = {name: new_key() for name, _ in people}
        with transaction(self._connection) as connection:
            for name, role in people:
                shown = name if shown_by_name or role == TEACHER else _pseudonym(taken)
                values = (name, shown, role, key_hash(keys[name]))
                connection.execute("INSERT INTO person VALUES (?, ?, ?, ?, 0, '')", values)
        return keys

    def all(self) -> list[Person]:
        """Return all people, sorted by name."""
        return [_person(row) for row in self._connection.execute("SELECT * FROM person ORDER BY name")]

    def by_key(self, key: str) -> Person | None:
        """Return the key's owner, or None. The lookup is by hash, so timing reveals nothing about a key."""
        row = self._connection.execute("SELECT * FROM person WHERE key_hash = ?", (key_hash(key),)).fetchone()
        return _person(row) if row else None

    def by_name(self, name: str) -> Person:
        """Return the person with this name.

        :raises SetupError: if there is no such person.
        """
        row = self._connection.execute("SELECT * FROM person WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise SetupError(f"name: this class has no {printable(name, 60)!r}")
        return _person(row)

    def give_key(self, name: str, asked_by: str) -> str:
        """Issue a new key for a person and revoke the old one.

        :raises SetupError: if there is no such person.
        """
        key = new_key()
        with transaction(self._connection):
            self.by_name(name)
            self._connection.execute("UPDATE person SET key_hash = ? WHERE name = ?", (key_hash(key), name))
            self.note(asked_by, "key", f"a new key for {name}")
        return key

    def show_as(self, name: str, shown: str) -> None:
        """Set a person's name on the board, which must be unique.

        :raises SetupError: if the name is invalid or taken.
        """
        shown = re.sub(" +", " ", unicodedata.normalize("NFKC", shown)).strip(" ")
        wrong = name_refusal(shown)
        if len(scripts_of(shown)) > 1 and folded(shown) != folded(name):
            wrong = wrong or f"must use a single script, or be your own name, not {shown!r}"
        with transaction(self._connection):
            others = (each for each in self.all() if each.name != name)
            taken = {*ANCHORS, *(text for each in others for text in (each.name, each.shown))}
            if skeleton(shown) in map(skeleton, taken):
                wrong = f"{shown!r} is already taken"
            if wrong:
                raise SetupError(f"display name: {wrong}")
            self._connection.execute("UPDATE person SET shown = ? WHERE name = ?", (shown, name))

    def block(self, name: str, asked_by: str, *, blocked: bool, reason: str = "") -> None:
        """Block or unblock a person.

        :param reason: shown to the person.
        :raises SetupError: if there is no such person, they block themselves or the last teacher, or the reason is too
            long.
        """
        if len(reason) > LONGEST_REASON or not reason.isprintable():
            raise SetupError(
                f"reason: must be one line of at most {LONGEST_REASON} characters, not {printable(reason, 60)!r}"
            )
        with transaction(self._connection):
            person = self.by_name(name)
            if blocked and name == asked_by:
                raise SetupError("name: you cannot block yourself")
            if (
                blocked
                and person.is_teacher
                and not any(each.is_teacher and not each.blocked and each.name != name for each in self.all())
            ):
                raise SetupError(f"name: {name} is the last teacher who is not blocked")
            self._connection.execute(
                "UPDATE person SET blocked = ?, reason = ? WHERE name = ?", (blocked, reason if blocked else "", name)
            )
            self.note(asked_by, "block" if blocked else "unblock", f"{name}: {reason}" if reason else name)

    def note(self, person: str, what: str, text: str) -> None:
        """Log an event for the teacher."""
        values = (time.time(), person, what, printable(text, 400))
        self._connection.execute("INSERT INTO event (at, person, what, text) VALUES (?, ?, ?, ?)", values)

    def events(self, most: int) -> list[dict[str, object]]:
        """Return the latest events, newest first."""
        rows = self._connection.execute("SELECT * FROM event ORDER BY number DESC LIMIT ?", (most,))
        return [dict(row) for row in rows]


def _person(row: sqlite3.Row) -> Person:
    return Person(row["name"], row["shown"], row["role"], bool(row["blocked"]), row["reason"])


def _pseudonym(taken: set[str]) -> str:
    """Return an unused pseudonym, and add it to ``taken``."""
    free = [name for name in (f"Anonymous {animal}" for animal in ANIMALS.split()) if folded(name) not in taken]
    number = 2
    while not free:
        names: Iterable[str] = (f"Anonymous {animal} {number}" for animal in ANIMALS.split())
        free = [name for name in names if folded(name) not in taken]
        number += 1
    found = secrets.choice(free)
    taken.add(folded(found))
    return found
