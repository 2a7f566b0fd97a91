"""The register of a folder: ``engines.toml``, which a person writes by hand and a form changes table by table.

It is read anew each time, so both may write it in turn. A change writes a new file in the place of the old one, in
which all other lines, comments too, stand as they stood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quietmove.addons.shared.toml_text import toml_text
from quietmove.engine.common.untrusted import parse_toml
from quietmove.engine.files import write_whole
from quietmove.referee.config.engine_args import Table
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.toml_file import TABLES, TomlFile
from quietmove.referee.config.validation import unknown_key
from quietmove.referee.errors import SetupError
from quietmove.tournament.errors import RefusedError

REGISTER = "engines.toml"
HEADING = "# The engines of this folder. The page changes single tables; everything may be changed by hand too.\n"
HEADER = re.compile(r"\s*\[")  # the first line of a table, or of an array of tables
ENGINE = re.compile(r"\s*\[\[\s*engine\s*\]\]")
PART = re.compile(r"\s*\[+\s*engine\s*\.")  # the header of a table inside an engine's, such as [engine.options]
ASIDE = re.compile(r"\s*(#.*)?$")  # a line that is empty or a comment


@dataclass(frozen=True, slots=True)
class Registered:
    """An engine of the register.

    :param table: its table as the file has it.
    :param config: None if the table is wrong.
    """

    name: str
    table: Table
    config: EngineConfig | None


class Register:
    """The engines of one folder, as they stood when it was made.

    :ivar defaults: the table ``[defaults]``.
    :ivar problems: everything that is wrong with the file, each with its line; what is right can be used all the same.
    """

    def __init__(self, folder: Path) -> None:
        """Read the file; none is an empty register.

        :raises SetupError: if it cannot be read, or is no TOML.
        """
        self.path = folder / REGISTER
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
        """Return the engine that a table would be in this file.

        :raises SetupError: with everything that is wrong.
        """
        file = TomlFile(self.path, {"defaults": dict(self.defaults), "engine": [dict(table)]})
        (config,) = file.engines()
        if file.problems or config is None:
            raise SetupError([text.removeprefix("engine.0.") for text in file.problems])
        return config

    def put(self, table: Table, replaces: str = "") -> None:
        """Write an engine's table into the file: at its end, or in the place of the engine that it ``replaces``.

        :raises SetupError: if the table is wrong, the name taken, or the file is written so that only a person can
            change it.
        """
        self.described(table)
        name = str(table["name"])
        if name != replaces and any(each.name == name for each in self.engines):
            raise SetupError(f"name: must differ from those of the other engines, not {name!r}")
        self._write(replaces, table)

    def remove(self, name: str) -> None:
        """Take an engine's table out of the file; see :meth:`put`."""
        self._write(self.engine(name).name, None)

    def _write(self, replaces: str, table: Table | None) -> None:
        """Put a table, or nothing, in the place of an engine's, or at the end; all else must stay as it is."""
        source = self.path.read_text(encoding="utf-8") if self.path.exists() else HEADING
        lines = source.splitlines(keepends=True)
        wanted = parse_toml(source)
        tables = wanted.setdefault("engine", [])
        written = f"[[engine]]\n{toml_text(table)}" if table is not None else ""
        if replaces:
            index = [each.name for each in self.engines].index(self.engine(replaces).name)
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
            raise SetupError(f"{self.path}: it is written so that this engine must be changed by hand")
        try:
            write_whole(self.path, text.encode())
        except OSError as error:
            raise SetupError(f"{self.path}: cannot be written: {error.strerror}") from None

    def _span(self, lines: Sequence[str], index: int) -> tuple[int, int]:
        """Return the first line of an engine's table, and the line behind its last one."""
        headers = [number for number, line in enumerate(lines) if HEADER.match(line)]
        own = [number for number in headers if ENGINE.match(lines[number])]
        if index >= len(own):
            return len(lines), len(lines)  # the engines are no tables of their own
        first = own[index]
        last = next((each for each in headers if each > first and not PART.match(lines[each])), len(lines))
        while ASIDE.match(lines[last - 1]):  # comments and empty lines before a table belong to it
            last -= 1
        return first, last
