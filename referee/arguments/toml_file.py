"""A TOML file with engine tables: its values, and all its errors, each with its key and approximate line.

The configurations of tournaments and of the web page share the tables ``[defaults]`` and ``[[engine]]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from quietmove.engine.common.untrusted import parse_toml
from quietmove.engine.files import read_bytes
from quietmove.referee.arguments.engine_args import command_words, read_table
from quietmove.referee.config.model import OWN_ENGINE, EngineConfig
from quietmove.referee.config.validation import KeyPath, read, requirement_text, spell_problem
from quietmove.referee.errors import SetupError
from quietmove.referee.seats.pool import Ask, check_engines, objections

T = TypeVar("T")

TABLES = ("defaults", "engine")
COMMAND_LINE = 0  # the line number of mistakes on the command line, which are reported first


class TomlFile:
    """The contents of a TOML file, and all mistakes in it.

    :ivar data: the values, by key.
    :ivar folder: the base folder of its relative paths.
    """

    def __init__(self, path: Path, data: dict[str, Any] | None = None) -> None:
        """Read a file, or use ``data`` as the contents of a file at ``path``.

        :raises SetupError: if the file cannot be read or is not TOML.
        """
        self.folder = path.absolute().parent
        self.overrides: Mapping[KeyPath, str] = {}
        self._path = path
        self._inherited: set[KeyPath] = set()  # keys of [defaults] with a mistake, each reported once
        self._mistakes: set[tuple[int, str]] = set()  # line numbers and messages
        self._is_file = data is None
        self._source, self.data = _read_toml(path) if data is None else ("", data)

    @property
    def problems(self) -> list[str]:
        """The error messages, in file order."""
        return [text for _, text in sorted(self._mistakes)]

    def mistake(self, path: KeyPath, text: str) -> None:
        """Record a mistake at ``path``. A value set by --set is reported under the name used there."""
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
        """Return a model built from the top-level keys that are valid, or None if these are not enough for a model.

        :param keys: the keys to read; by default all except the engine tables.
        """
        table = {key: self.data[key] for key in self.data if (key in keys if keys else key not in TABLES)}
        parsed, mistakes = read(kind, table)
        for path, text in mistakes:
            self.mistake(path, text)
        wrong = {path[0] for path, _ in mistakes if path}  # a mistake without a key concerns the whole table
        return parsed or read(kind, {key: value for key, value in table.items() if key not in wrong})[0]

    def engines(self, *, needs_limit: bool = False) -> list[EngineConfig | None]:
        """Return the engines, with None for each invalid one.

        :param needs_limit: whether each engine must specify a limit.
        """
        defaults = self.data.get("defaults", {})
        tables = self.data.get("engine", [])
        if not isinstance(defaults, dict):
            self.mistake(("defaults",), requirement_text("must be a table", defaults))
            defaults = {}
        if "name" in defaults:
            self.mistake(("defaults", "name"), "can be given only in [[engine]]")
        if not isinstance(tables, list):
            self.mistake(("engine",), requirement_text("must be an array of tables", tables))
            tables = []
        engines = [self._engine(table, defaults, index, needs_limit) for index, table in enumerate(tables)]
        called: dict[object, int] = {}
        for index, table in enumerate(tables):
            name = table.get("name") if isinstance(table, dict) else None
            if isinstance(name, str) and called.setdefault(name, index) != index:
                text = requirement_text(f"must differ from the name of engine.{called[name]}", name)
                self.mistake(("engine", index, "name"), text)
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
        resolved = dict(table)
        if (words := command_words(table.get("command"))) and "/" in words[0]:
            resolved["command"] = [self.path(words[0]), *words[1:]]
        if isinstance(cwd := table.get("cwd"), str) and cwd:
            resolved["cwd"] = self.path(cwd)
        if isinstance(binds := table.get("sandbox_bind"), list):
            resolved["sandbox_bind"] = [self.path(each) if isinstance(each, str) else each for each in binds]
        return resolved

    def path(self, text: str) -> str:
        """Resolve a path relative to the file's folder, after expanding a leading ``~``."""
        return str(self.folder / with_home(text))

    def ask(self, engines: list[EngineConfig | None], game: str, ask: Ask = check_engines) -> None:
        playable = [(index, engine) for index, engine in enumerate(engines) if engine]
        for objection in objections([engine for _, engine in playable], game, ask):
            index = playable[objection.engine][0]
            key: KeyPath = ("command",) if objection.option is None else ("options", objection.option)
            self.mistake(("engine", index, *key), objection.text)


def with_home(path: str) -> Path:
    """Expand a leading ``~`` to the user's home folder; if the user has no home folder, return the path unchanged."""
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
    """Return the line number of the key at ``path``, found by searching for its name below its table's header.

    Every mistake in a file is reported with it, and tomllib tells no positions. A wrong line is possible in unusual
    files, such as one with inline tables over several lines.
    """
    lines = source.splitlines()
    headers = [number for number, line in enumerate(lines) if re.match(r"\s*\[", line)]
    first = 0
    last = min(headers, default=len(lines))
    keys = path
    header = re.compile(rf"\s*\[+\s*{re.escape(str(path[0]))}\s*\]") if path else None
    if header and (same := [number for number in headers if header.match(lines[number])]):
        index = path[1] if len(path) > 1 and isinstance(path[1], int) else 0
        if index < len(same):
            first = same[index]
            last = next((number for number in headers if number > first and number not in same[:index]), len(lines))
            keys = path[2:] if path[1:2] == (index,) else path[1:]
    at = first
    for key in keys:
        word = re.compile(rf"(^|[\s.,{{\"']){re.escape(str(key))}[\"']?\s*[=.]")
        at = next((number for number in range(at, last) if word.search(lines[number].partition("#")[0])), at)
    return at + 1


def _read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        source = read_bytes(path).decode()
        return source, parse_toml(source)
    except OSError as error:
        raise SetupError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SetupError(f"{path}:{line}: must be UTF-8") from None
    except ValueError as error:  # the message contains the line and the column
        raise SetupError(f"{path}: must be TOML: {error}") from None
