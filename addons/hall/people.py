"""The people of a class, and their keys. Of a key only the hash is kept; it is printed once."""

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

TEACHER = "teacher"  # a role, and the name of the teacher that a class has if its file names none
ROLES = ("student", TEACHER)
KEY_BYTES = 15  # 120 random bits need no slow hash, and are 24 letters in base 32
GROUP = 4  # letters of a key between two hyphens
MOST_PEOPLE = 2000
LONGEST_NAME = 40
LONGEST_REASON = 200
FORMULA = ("=", "+", "-", "@")  # a spreadsheet takes a cell that begins so for a formula
# Characters whose Unicode names match draw nothing although Python calls them printable.
INVISIBLE = re.compile("FILLER|BLANK|VARIATION SELECTOR|JOINER|OBJECT REPLACEMENT|VOWEL INHERENT|NULL NOTEHEAD")
ANY_SCRIPT = ("DIGIT", "MODIFIER")  # first words of the Unicode names of characters that go with every script
EAST_ASIAN = ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")  # scripts written together
LOOKALIKES = str.maketrans(  # Cyrillic and Greek characters, Cherokee, Lisu, small capitals; below them, Latin letters
    "аαɑвьβсϲԁеεɡнһηјкκ1i|ıǀіӏιмμν0оοрρԛѕтτԝхχуυζ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏆᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏴ"
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
    "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aaabbbccdeeghhhjkkllllllllmmnoooppqsttwxxyyz"
    "drtlyajewmhyghzlbrwsvslcpkdb"
    "bpdtgkjczfmnlsrvhwxyaelou"
    "abcdeghljklmnoprstuvwyz",
)
ANIMALS = (  # the pseudonyms
    "ant badger bat bear beaver bee bison boar camel cat crab crane crow deer dove duck eagle eel elk falcon finch fox "
    "frog gecko goat goose gull hare hawk heron horse ibex jay koala lark lemur lion lizard llama lynx mole moose moth "
    "mouse newt otter owl panda puma quail rabbit ram raven robin seal shark sloth snail stork swan tiger toad trout "
    "turtle viper vole walrus wasp whale wolf wombat wren yak zebra"
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a key.

    :param shown: the name on the public board.
    :param reason: why the person is blocked, as the teacher says it.
    """

    name: str
    shown: str
    role: str
    blocked: bool = False
    reason: str = ""

    @property
    def is_teacher(self) -> bool:
        """Whether this person sees all."""
        return self.role == TEACHER and not self.blocked


def read_people(path: Path) -> list[tuple[str, str]]:
    """Return the names of a CSV file, each with its role.

    The first line may name the columns: ``name``, and ``role`` (student or teacher) where it is not student. Columns
    stand between commas, or between semicolons, as spreadsheets of many countries write them.

    :raises SetupError: with everything that is wrong, each with its line.
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
    found, problems, seen = [], [], dict[str, int]()
    for number, row in rows:
        cells = dict(zip(columns, map(str.strip, row), strict=False))
        name, role = cells.get("name", ""), cells.get("role", "") or ROLES[0]
        where = f"--people: {path}:{number}"
        if wrong := name_refusal(name):
            problems.append(f"{where}: name: {wrong}")
        elif (first := seen.setdefault(folded(name), number)) != number:
            problems.append(f"{where}: name: must differ from that of line {first}, not {name!r}")
        if role not in ROLES:
            problems.append(f"{where}: role: must be one of {', '.join(ROLES)}, not {printable(role, 60)!r}")
        found.append((name, role))
    if not 1 <= len(found) <= MOST_PEOPLE:
        problems.append(f"--people: {path}: must have from 1 to {MOST_PEOPLE} names, not {len(found)}")
    if problems:
        raise SetupError(problems)
    return found


def name_refusal(name: str) -> str:
    """Return why something cannot be a person's name, or the name that a board shows; empty if it can.

    Characters that are not printable are refused; the marks that change the direction of a line are among them.
    """
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"must have from 1 to {LONGEST_NAME} letters, not {len(name)}"
    hidden = [f"U+{ord(each):04X}" for each in name if INVISIBLE.search(unicodedata.name(each, ""))]
    if hidden:
        return f"must have no invisible character, not {hidden[0]}"
    return "" if name.isprintable() and name == name.strip() else f"must be printable, not {printable(name)!r}"


def scripts_of(name: str) -> set[str]:
    """Return the scripts of a name's letters and digits, by the first words of their Unicode names."""
    words = {re.split("[ -]", unicodedata.name(each, "?"))[0] for each in name if each.isalnum()}
    return {"CJK" if word in EAST_ASIAN else word for word in words} - set(ANY_SCRIPT)


def folded(name: str) -> str:
    """Return a text that is equal for one name typed in several ways: in case, forms of letters and blanks."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def skeleton(name: str) -> str:
    """Return a text that is equal for names that look alike; punctuation and blanks do not count."""
    text = folded(name).translate(LOOKALIKES)
    return "".join(each for each in text if unicodedata.category(each)[0] not in "PZ") or text


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV, in which no text of a person is a formula to a spreadsheet."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> object:
    """Return a value in which no cell begins a formula, not even where a spreadsheet takes ``;`` for a separator."""
    if not isinstance(value, str):
        return value
    return ";".join(f"'{part}" if _begins_formula(part) else part for part in value.split(";"))


def _begins_formula(text: str) -> bool:
    return unicodedata.normalize("NFKC", text.lstrip(' "')[:1]).startswith(FORMULA)


def new_key() -> str:
    """Return a key that nobody can guess: ``k7qm-4d2x-…``."""
    letters = base64.b32encode(secrets.token_bytes(KEY_BYTES)).decode().lower()
    return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))


def key_hash(key: str) -> bytes:
    """Return what is kept of a key; blanks around it, hyphens and case do not count."""
    return hashlib.sha256(key.strip().lower().replace("-", "").encode("utf-8", "replace")).digest()


class People:
    """The table of people."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, people: Sequence[tuple[str, str]], *, shown_by_name: bool) -> dict[str, str]:
        """Take people in, and return the key of each.

        :param shown_by_name: whether the board shows their names, and no pseudonyms, until they choose.
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
        """Return everybody, by name."""
        return [_person(row) for row in self._connection.execute("SELECT * FROM person ORDER BY name")]

    def by_key(self, key: str) -> Person | None:
        """Return whose key it is. It is found by its hash, so no comparison tells how much of it is right."""
        row = self._connection.execute("SELECT * FROM person WHERE key_hash = ?", (key_hash(key),)).fetchone()
        return _person(row) if row else None

    def by_name(self, name: str) -> Person:
        """Return the person with a name.

        :raises SetupError: if there is none.
        """
        row = self._connection.execute("SELECT * FROM person WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise SetupError(f"name: must be a person of this class, not {printable(name, 60)!r}")
        return _person(row)

    def give_key(self, name: str, asked_by: str) -> str:
        """Return a new key for a person; the old one opens nothing from now on.

        :raises SetupError: if there is no such person.
        """
        key = new_key()
        with transaction(self._connection):
            self.by_name(name)
            self._connection.execute("UPDATE person SET key_hash = ? WHERE name = ?", (key_hash(key), name))
            self.note(asked_by, "key", f"a new key for {name}")
        return key

    def show_as(self, name: str, shown: str) -> None:
        """Let the board show a person by a name that is nobody else's.

        :raises SetupError: if it cannot.
        """
        shown = re.sub(" +", " ", unicodedata.normalize("NFKC", shown)).strip(" ")
        wrong = name_refusal(shown)
        if len(scripts_of(shown)) > 1 and folded(shown) != folded(name):
            wrong = wrong or f"must be of one script, or your own name, not {shown!r}"
        with transaction(self._connection):
            others = (each for each in self.all() if each.name != name)
            taken = {*ANCHORS, *(text for each in others for text in (each.name, each.shown))}
            if skeleton(shown) in map(skeleton, taken):
                wrong = f"must be nobody else's, not {shown!r}"
            if wrong:
                raise SetupError(f"shown: {wrong}")
            self._connection.execute("UPDATE person SET shown = ? WHERE name = ?", (shown, name))

    def block(self, name: str, asked_by: str, *, blocked: bool, reason: str = "") -> None:
        """Let a person take part no more, or again.

        :param reason: it is told to the person.
        :raises SetupError: if there is no such person, it is who asks, or the last teacher, or the reason is too long.
        """
        if len(reason) > LONGEST_REASON or not reason.isprintable():
            raise SetupError(
                f"reason: must be a line of at most {LONGEST_REASON} letters, not {printable(reason, 60)!r}"
            )
        with transaction(self._connection):
            person = self.by_name(name)
            if blocked and name == asked_by:
                raise SetupError("name: must be somebody else; you cannot block yourself")
            if (
                blocked
                and person.is_teacher
                and not any(each.is_teacher and not each.blocked and each.name != name for each in self.all())
            ):
                raise SetupError(f"name: must leave a teacher; {name} is the last one who is not blocked")
            self._connection.execute(
                "UPDATE person SET blocked = ?, reason = ? WHERE name = ?", (blocked, reason if blocked else "", name)
            )
            self.note(asked_by, "block" if blocked else "unblock", f"{name}: {reason}" if reason else name)

    def note(self, person: str, what: str, text: str) -> None:
        """Note what a teacher may want to know later."""
        values = (time.time(), person, what, printable(text, 400))
        self._connection.execute("INSERT INTO event (at, person, what, text) VALUES (?, ?, ?, ?)", values)

    def events(self, most: int) -> list[dict[str, object]]:
        """Return the last notes, the newest first."""
        rows = self._connection.execute("SELECT * FROM event ORDER BY number DESC LIMIT ?", (most,))
        return [dict(row) for row in rows]


def _person(row: sqlite3.Row) -> Person:
    return Person(row["name"], row["shown"], row["role"], bool(row["blocked"]), row["reason"])


def _pseudonym(taken: set[str]) -> str:
    """Return a name that nobody has, and add it to those that are taken."""
    free = [name for name in (f"Anonymous {animal}" for animal in ANIMALS.split()) if folded(name) not in taken]
    number = 2
    while not free:
        names: Iterable[str] = (f"Anonymous {animal} {number}" for animal in ANIMALS.split())
        free = [name for name in names if folded(name) not in taken]
        number += 1
    found = secrets.choice(free)
    taken.add(folded(found))
    return found
