"""The engine register of a folder, ``engines.toml``: edited by hand, or one table at a time by a form.

The file is reloaded for every request, so you can switch between the two. A change by the form replaces the file
atomically and keeps all other lines, including comments, as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quietmove.addons.shared.toml_text import toml_text
from quietmove.engine.common.untrusted import parse_toml
from quietmove.engine.files import locked, write_whole
from quietmove.referee.arguments.engine_args import Table
from quietmove.referee.arguments.toml_file import TABLES, TomlFile
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import unknown_key
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import RefusedError

REGISTER = "engines.toml"
HEADING = "# The engines of this folder. The page edits single tables; you can also edit this file by hand.\n"
HEADER = re.compile(r"\s*\[")  # the first line of a table, or of an array of tables
ENGINE = re.compile(r"\s*\[\[\s*engine\s*\]\]")
PART = re.compile(r"\s*\[+\s*engine\s*\.")  # the header of a subtable, such as [engine.options]
ASIDE = re.compile(r"\s*(#.*)?$")  # an empty line or a comment


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered engine.

    :param table: its table in the file.
    :param config: the engine's configuration, or None if the table is invalid.
    """

    name: str
    table: Table
    config: EngineConfig | None


class Register:
    """The engines of one folder, as of the moment this object was created.

    :ivar defaults: the table ``[defaults]``.
    :ivar problems: all errors in the file, with line numbers; valid engines can be used regardless.
    """

    def __init__(self, folder: Path) -> None:
        """Read the file; a missing file is an empty register.

        :raises SetupError: if it cannot be read, or is not valid TOML.
        """
        self.path = folder / REGISTER
        self._read()

    def _read(self) -> None:
        file = TomlFile(self.path) if self.path.exists() else TomlFile(self.path, {})
        for key in file.data:
            if key not in TABLES:
                file.mistake((key,), unknown_key(key, TABLES))
        configs = file.engines()
        self.problems = file.problems
        tables = file.data.get("engine", [])
        self.engines = [
            Registered(str(table["name"]), table, config)
            for table, config in zip(tables if isinstance(tables, list) else [], configs, strict=True)
            if isinstance(table, dict) and "name" in table
        ]
        defaults = file.data.get("defaults", {})
        self.defaults: Table = defaults if isinstance(defaults, dict) else {}

    def engine(self, name: str) -> Registered:
        """Return the engine with this name.

        :raises RefusedError: if there is none.
        """
        for engine in self.engines:
            if engine.name == name:
                return engine
        names = ", ".join(each.name for each in self.engines)
        raise RefusedError(404, f"engine: must be one of {names}, not {name!r}")

    def described(self, table: Table) -> EngineConfig:
        """Return the engine that a table would define in this file.

        :raises SetupError: listing all errors in the table.
        """
        file = TomlFile(self.path, {"defaults": dict(self.defaults), "engine": [dict(table)]})
        (config,) = file.engines()
        if file.problems or config is None:
            raise SetupError([text.removeprefix("engine.0.") for text in file.problems])
        return config

    def put(self, table: Table, replaces: str = "") -> None:
        """Write an engine's table to the end of the file, or in place of the engine that it ``replaces``.

        :raises SetupError: if the table is invalid, the name is taken, or the file's formatting allows only manual
            edits.
        """
        with locked(self.path, SetupError):
            self._read()
            self.described(table)
            name = str(table["name"])
            if name != replaces and any(each.name == name for each in self.engines):
                raise SetupError(f"name: {name!r} is already registered")
            self._write(replaces, table)

    def remove(self, name: str) -> None:
        """Remove an engine's table from the file; see :meth:`put`."""
        with locked(self.path, SetupError):
            self._read()
            self._write(self.engine(name).name, None)

    def _write(self, replaces: str, table: Table | None) -> None:
        """Replace an engine's table, remove it, or append one; everything else must stay as it is."""
        source = self.path.read_text(encoding="utf-8") if self.path.exists() else HEADING
        lines = source.splitlines(keepends=True)
        wanted = parse_toml(source)
        tables = wanted.setdefault("engine", [])
        written = f"[[engine]]\n{toml_text(table)}" if table is not None else ""
        if replaces:
            name = self.engine(replaces).name
            index = [str(each.get("name")) for each in tables].index(name)  # a table may lack its name
            first, last = self._span(lines, index)
            lines[first:last] = [written]
            tables[index : index + 1] = [table] if table is not None else []
        else:
            lines.append(f"\n{written}" if source.endswith("\n") else f"\n\n{written}")
            tables.append(table)
        text = "".join(lines)
        try:
            is_same = ({"engine": []} | parse_toml(text)) == wanted
        except ValueError:
            is_same = False
        if not is_same:
            raise SetupError(f"{self.path}: because of its formatting, this engine must be edited by hand")
        try:
            write_whole(self.path, text.encode())
        except OSError as error:
            raise SetupError(f"{self.path}: cannot be written: {error.strerror}") from None

    def _span(self, lines: Sequence[str], index: int) -> tuple[int, int]:
        """Return the index of the first line of an engine's table, and the index after its last line."""
        headers = [number for number, line in enumerate(lines) if HEADER.match(line)]
        own = [number for number in headers if ENGINE.match(lines[number])]
        if index >= len(own):
            return len(lines), len(lines)  # the engines are not written as separate tables
        first = own[index]
        last = next((each for each in headers if each > first and not PART.match(lines[each])), len(lines))
        while ASIDE.match(lines[last - 1]):  # comments and empty lines belong to the table after them
            last -= 1
        return first, last
