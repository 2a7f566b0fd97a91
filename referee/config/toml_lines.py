"""On which line of a TOML text a key stands: ``tomllib`` gives values only, and an error message must name the line.

The scanner walks a text that ``tomllib`` has already accepted, so it follows the structure and checks nothing.
"""

from __future__ import annotations

import re
import tomllib

__all__ = ["Path", "key_lines", "line_of"]

Path = tuple[str | int, ...]

BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
SPACE = re.compile(r"[ \t]*")
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL)
SCALAR = re.compile(r"[^,\]}#\n]+")


def key_lines(source: str) -> dict[Path, int]:
    """Return the line, counted from 1, on which each key, table and array element of ``source`` begins.

    :param source: TOML that ``tomllib.loads`` accepts.
    """
    return _Scanner(source.replace("\r\n", "\n")).scan()


def line_of(lines: dict[Path, int], path: Path) -> int:
    """Return the line of ``path``, or of the innermost thing around it that the text spells out; 1 for the text."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Scanner:
    """One walk over one text; ``at`` is the offset of the next character."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.lines: dict[Path, int] = {}
        self.array_sizes: dict[Path, int] = {}

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        self.skip(BLANK)
        while self.at < len(self.source):
            if self.source[self.at] == "[":
                table = self.header()
            else:
                self.key_value(table)
            self.skip(BLANK)
        return self.lines

    def header(self) -> Path:
        """Read ``[a.b]`` or ``[[a.b]]``; names that stand for arrays of tables mean the last element so far."""
        start = self.at
        is_array = self.source.startswith("[[", self.at)
        self.at += 2 if is_array else 1
        *outer, name = self.key()
        self.at += 2 if is_array else 1
        path: Path = ()
        for part in outer:
            path = self.last_element((*path, part))
        path = (*path, name)
        if is_array:
            self.array_sizes[path] = self.array_sizes.get(path, 0) + 1
            self.note(path, start)
            path = self.last_element(path)
        self.note(path, start)
        return path

    def last_element(self, path: Path) -> Path:
        return (*path, self.array_sizes[path] - 1) if path in self.array_sizes else path

    def key_value(self, table: Path) -> None:
        start = self.at
        path = table
        for part in self.key():
            path = (*path, part)
            self.note(path, start)
        self.at += 1  # the equals sign
        self.skip(SPACE)
        self.value(path)

    def key(self) -> list[str]:
        """Read ``a . "b c" . d`` and the blanks around it."""
        parts = []
        while True:
            self.skip(SPACE)
            if self.source[self.at] in "\"'":
                parts.append(tomllib.loads("key = " + self.match(STRING))["key"])
            else:
                parts.append(self.match(BARE_KEY))
            self.skip(SPACE)
            if self.source[self.at] != ".":
                return parts
            self.at += 1

    def value(self, path: Path) -> None:
        match self.source[self.at]:
            case "[":
                self.array(path)
            case "{":
                self.inline_table(path)
            case '"' | "'":
                self.match(STRING)
            case _:
                self.match(SCALAR)

    def array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while True:
            self.skip(BLANK)
            if self.source[self.at] == "]":
                break
            self.note((*path, index), self.at)
            self.value((*path, index))
            self.skip_comma()
            index += 1
        self.at += 1

    def inline_table(self, path: Path) -> None:
        self.at += 1
        while True:
            self.skip(BLANK)
            if self.source[self.at] == "}":
                break
            self.key_value(path)
            self.skip_comma()
        self.at += 1

    def skip_comma(self) -> None:
        self.skip(BLANK)
        if self.source[self.at] == ",":
            self.at += 1

    def note(self, path: Path, offset: int) -> None:
        self.lines.setdefault(path, self.source.count("\n", 0, offset) + 1)

    def skip(self, pattern: re.Pattern[str]) -> None:
        self.match(pattern)

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.source, self.at)
        assert found is not None, f"tomllib accepted what is no TOML at offset {self.at}"
        self.at = found.end()
        return found.group()
