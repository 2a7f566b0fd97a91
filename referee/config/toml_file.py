"""A TOML file with tables of engines: its values, every error at once, each with its key and about where it stands.

A tournament's configuration and that of the page have the same tables ``[defaults]`` and ``[[engine]]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from quietmove.engine.common.untrusted import parse_toml
from quietmove.engine.files import read_bytes
from quietmove.referee.config.engine_args import command_words, read_table
from quietmove.referee.config.model import OWN_ENGINE, EngineConfig
from quietmove.referee.config.validation import KeyPath, read, requirement_text, spell_problem
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.pool import Ask, check_engines, objections

T = TypeVar("T")

TABLES = ("defaults", "engine")
COMMAND_LINE = 0  # the line number of a mistake on the command line, which is reported before all others


class TomlFile:
    """What one file says; its mistakes are collected.

    :ivar data: the values of its keys.
    :ivar folder: the folder in which its relative paths begin.
    """

    def __init__(self, path: Path, data: dict[str, Any] | None = None) -> None:
        """Read a file, or take ``data`` for what one might say that would lie at ``path``.

        :raises SetupError: if it cannot be read, or is no TOML.
        """
        self.folder = path.absolute().parent
        self.overrides: Mapping[KeyPath, str] = {}
        self._path = path
        self._inherited: set[KeyPath] = set()  # mistakes in [defaults], each of which is reported once
        self._mistakes: set[tuple[int, str]] = set()  # the number of a line, and what is wrong there
        self._is_file = data is None
        self._source, self.data = _read_toml(path) if data is None else ("", data)

    @property
    def problems(self) -> list[str]:
        """What was wrong, in the order of the file."""
        return [text for _, text in sorted(self._mistakes)]

    def mistake(self, path: KeyPath, text: str) -> None:
        """Note what must be at ``path``; what the command line has set there is named as it was set."""
        inherited = ("defaults", *path[2:])
        override = next((self.overrides[each] for each in (path, path[:3], path[:1]) if each in self.overrides), None)
        if override is not None:
            self._mistakes.add((COMMAND_LINE, f"--set {override}: {text}"))
            return
        if len(path) > 2 and path[0] == "engine" and not _holds(self.data, path) and _holds(self.data, inherited):
            if inherited in self._inherited:
                return
            path = inherited
            self._inherited.add(path)
        line = _line(self._source, path)
        where = f"{self._path}:{line}: " if self._is_file else ""
        self._mistakes.add((line, where + spell_problem(path, text)))

    def read(self, kind: type[T], keys: Sequence[str] | None = None) -> T | None:
        """Return what is right at the top of the file as a model, whose fields are the file's keys.

        :param keys: the keys that are read; by default all but the tables of engines.
        """
        table = {key: self.data[key] for key in self.data if (key in keys if keys else key not in TABLES)}
        found, mistakes = read(kind, table)
        for path, text in mistakes:
            self.mistake(path, text)
        wrong = {path[0] for path, _ in mistakes if path}  # a mistake without a key is one of the whole table
        return found or read(kind, {key: value for key, value in table.items() if key not in wrong})[0]

    def engines(self, *, needs_limit: bool = False) -> list[EngineConfig | None]:
        """Return the engines; None for one that is described wrongly.

        :param needs_limit: whether each must say how long it may think.
        """
        defaults = self.data.get("defaults", {})
        tables = self.data.get("engine", [])
        if not isinstance(defaults, dict):
            self.mistake(("defaults",), requirement_text("must be a table", defaults))
            defaults = {}
        if "name" in defaults:
            self.mistake(("defaults", "name"), "must be given in [[engine]] alone")
        if not isinstance(tables, list):
            self.mistake(("engine",), requirement_text("must be an array of tables", tables))
            tables = []
        engines = [self._engine(table, defaults, index, needs_limit) for index, table in enumerate(tables)]
        called: dict[object, int] = {}
        for index, table in enumerate(tables):
            name = table.get("name") if isinstance(table, dict) else None
            if isinstance(name, str) and called.setdefault(name, index) != index:
                self.mistake(
                    ("engine", index, "name"), requirement_text(f"must differ from that of engine.{called[name]}", name)
                )
        return engines

    def _engine(self, table: Any, defaults: dict[str, Any], index: int, needs_limit: bool) -> EngineConfig | None:
        place: KeyPath = ("engine", index)
        if not isinstance(table, dict):
            self.mistake(place, requirement_text("must be a table", table))
            return None
        if needs_limit and "limit" not in {**defaults, **table}:
            self.mistake((*place, "limit"), "must be given, here or in [defaults]")
        config, mistakes = read_table(self._with_paths(table), self._with_paths({"command": [OWN_ENGINE], **defaults}))
        for path, text in mistakes:
            self.mistake((*place, *path), text)
        return config

    def _with_paths(self, table: dict[str, Any]) -> dict[str, Any]:
        found = dict(table)
        if (words := command_words(table.get("command"))) and "/" in words[0]:
            found["command"] = [self.path(words[0]), *words[1:]]
        if isinstance(cwd := table.get("cwd"), str) and cwd:
            found["cwd"] = self.path(cwd)
        if isinstance(binds := table.get("sandbox_bind"), list):
            found["sandbox_bind"] = [self.path(each) if isinstance(each, str) else each for each in binds]
        return found

    def path(self, text: str) -> str:
        """Return a path, which begins at the folder of the file."""
        return str(self.folder / with_home(text))

    def ask(self, engines: list[EngineConfig | None], game: str, ask: Ask = check_engines) -> None:
        playable = [(index, engine) for index, engine in enumerate(engines) if engine]
        for objection in objections([engine for _, engine in playable], game, ask):
            index = playable[objection.engine][0]
            key: KeyPath = ("command",) if objection.option is None else ("options", objection.option)
            self.mistake(("engine", index, *key), objection.text)


def with_home(path: str) -> Path:
    """Return ``path`` with the folder of the user that it begins with (``~``), or as it is where there is none."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def _holds(data: Any, path: KeyPath) -> bool:
    for part in path:
        if isinstance(part, int) and isinstance(data, list) and part < len(data):
            data = data[part]
        elif isinstance(data, dict) and part in data:
            data = data[str(part)]
        else:
            return False
    return True


def _line(source: str, path: KeyPath) -> int:
    """Return the line on which the key at ``path`` stands, found by its name: below the header of its table."""
    lines = source.splitlines()
    headers = [number for number, line in enumerate(lines) if re.match(r"\s*\[", line)]
    first = 0
    last = min(headers, default=len(lines))
    keys = path
    if path[:1] in (("defaults",), ("engine",)):
        same = [number for number in headers if re.match(rf"\s*\[+\s*{path[0]}\s*\]", lines[number])]
        index = path[1] if len(path) > 1 and isinstance(path[1], int) else 0
        if index < len(same):
            first = same[index]
            last = next((number for number in headers if number > first and number not in same[:index]), len(lines))
            keys = path[2:] if path[0] == "engine" else path[1:]
    found = first
    for key in keys:
        word = re.compile(rf"(^|[\s.,{{\"']){re.escape(str(key))}[\"']?\s*[=.]")
        found = next((number for number in range(found, last) if word.search(lines[number].partition("#")[0])), found)
    return found + 1


def _read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a file, and what it says."""
    try:
        source = read_bytes(path).decode()
        return source, parse_toml(source)
    except OSError as error:
        raise SetupError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SetupError(f"{path}:{line}: must be UTF-8") from None
    except ValueError as error:  # its message says the line and the column
        raise SetupError(f"{path}: must be TOML: {error}") from None
