"""From a TOML file with tables of engines to their configurations, with every error at once, each with its line.

A reader of a whole file derives from :class:`TableReader`. Which keys the tables have is in
:mod:`quietmove.referee.config.toml_keys`.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ValidationError

from quietmove.engine.printable import read_bytes
from quietmove.referee.config.config import OWN_ENGINE, EngineConfig
from quietmove.referee.config.toml_keys import EngineKeys, EngineTable, FixedEngineKeys, Model, explain
from quietmove.referee.config.toml_lines import Path as Place
from quietmove.referee.config.toml_lines import key_lines, line_of
from quietmove.referee.errors import RefereeError, SetupError
from quietmove.referee.seats import check_config, named_protocol, seat_settings
from quietmove.referee.seats.preflight import objections

__all__ = ["Place", "TableReader", "read_toml", "with_home"]


def read_toml(path: Path) -> tuple[dict[str, Any], dict[Place, int]]:
    """Return what a file holds, and the line of each key.

    :raises SetupError: if it cannot be read, or is no TOML.
    """
    try:
        source = read_bytes(path).decode()
    except OSError as error:
        raise SetupError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SetupError(f"{path}:{line}: not UTF-8") from None
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise SetupError(_syntax_problem(path, source, str(error))) from None
    except RecursionError:
        raise SetupError(f"{path}: nested too deeply") from None
    return data, key_lines(source)


class TableReader:
    """One reading of one file; it collects the problems.

    :cvar needs_limit: whether each engine must say how long it may think.
    """

    needs_limit: ClassVar[bool] = False

    def __init__(
        self,
        path: Path,
        data: dict[str, Any],
        lines: dict[Place, int] | None,
        overrides: dict[Place, str],
    ) -> None:
        """Read ``data`` of the file ``path``, whose keys stand on ``lines``; None if there is no file.

        :param overrides: the words of the command line that set a key.
        """
        self.path = path
        self.data = data
        self.is_file = lines is not None
        self.lines = lines or {}
        self.overrides = overrides
        self.problems: list[tuple[int, str]] = []

    def all_problems(self) -> list[str]:
        """Return what was wrong, in the order of the file, each once."""
        return [text for _, text in sorted(dict.fromkeys(self.problems))]

    def engines(self) -> list[EngineConfig | None]:
        """Return the engines; None for one that is described wrongly."""
        defaults = self.check(EngineKeys, self.data.get("defaults", {}), ("defaults",))
        tables = self.data.get("engine")
        tables = tables if isinstance(tables, list) else []
        engines = [self._engine(table, defaults, index) for index, table in enumerate(tables)]
        self._check_names(tables)
        return engines

    def problem(self, path: Place, text: str) -> None:
        """Note what is wrong at ``path``."""
        if setting := next((self.overrides[each] for each in (path, path[:3], path[:1]) if each in self.overrides), ""):
            self.problems.append((0, f"--set {setting}: {text}"))
            return
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
        line = line_of(self.lines, path)
        self.problems.append((line, (f"{self.path}:{line}: " if self.is_file else "") + f"{where}: {text}"))

    def check(self, model: type[Model], data: Any, path: Place, **stand_ins: Any) -> Model | None:
        """Return what ``data`` says, without what is wrong in it; ``stand_ins`` replace what is wrong or missing."""
        try:
            return model.model_validate(data)
        except ValidationError as error:
            for details in error.errors():
                self.problem((*path, *details["loc"]), explain(details, model))
            if not isinstance(data, dict):
                return None
            sound = _without(data, [details["loc"] for details in error.errors()])
        try:
            return model.model_validate({**stand_ins, **sound})
        except ValidationError:
            return None

    def _engine(self, data: Any, defaults: FixedEngineKeys | None, index: int) -> EngineConfig | None:
        """Return an engine that fits; mistakes in ``[defaults]`` are not reported for it again."""
        table = self.check(EngineTable, data, ("engine", index), name=f"engine[{index}]")
        if table is None or defaults is None:
            return None
        written = [(self.data.get("defaults", {}), defaults), (data, table)]
        lost = {key for source, checked in written for key in source if key not in checked.model_fields_set}
        if lost & {"command", "protocol"}:  # it is not known which program is to be asked for its options
            return None
        given = {key: getattr(source, key) for source in (defaults, table) for key in source.model_fields_set}
        given["options"] = tuple({**defaults.options, **table.options}.items())
        given["env"] = tuple({**defaults.env, **table.env}.items())
        given["command"] = self._command(given.get("command", (OWN_ENGINE,)))
        if given.get("cwd"):
            given["cwd"] = self._from_here(given["cwd"])
        given["sandbox_bind"] = tuple(map(self._from_here, given.get("sandbox_bind", ())))
        given["protocol"] = given.get("protocol") or named_protocol(given["command"])
        given["settings"] = self._settings(given, table, index)
        if self.needs_limit and "limit" not in given and "limit" not in lost:
            self.problem(("engine", index), "limit is missing, here and in [defaults]")
        try:
            return check_config(EngineConfig(**given))
        except RefereeError as error:
            self.problem(("engine", index), str(error))
            return None

    def _settings(self, given: dict[str, Any], table: FixedEngineKeys, index: int) -> tuple[tuple[str, Any], ...]:
        """Take the settings of seats out of ``given``; return those of this engine's. Only its own may be misplaced."""
        protocol = given["protocol"]
        settings = []
        for row, owners in seat_settings():
            if row.name in given:
                value = given.pop(row.name)
                if protocol in owners:
                    settings.append((row.name, value))
                elif row.name in table.model_fields_set:
                    self.problem(
                        ("engine", index, row.name),
                        f"protocol {protocol!r} has no such key; {' and '.join(owners)} only",
                    )
        return tuple(settings)

    def _command(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return ``words`` with a program that is given by a relative path taken from the configuration's folder."""
        return (self._from_here(words[0]), *words[1:]) if "/" in words[0] else words

    def _from_here(self, path: str) -> str:
        """Return ``path``, which begins at the configuration's folder."""
        return str(self.path.absolute().parent / with_home(path))

    def _check_names(self, tables: list[Any]) -> None:
        seen: dict[str, int] = {}
        for index, table in enumerate(tables):
            name = table.get("name") if isinstance(table, dict) else None
            if not isinstance(name, str):
                continue
            if name in seen:
                self.problem(("engine", index, "name"), f"{name!r} is the name of engine[{seen[name]}] already")
            seen.setdefault(name, index)

    def check_engines(self, engines: list[EngineConfig | None], game: str) -> None:
        """Ask the engines whether they accept their configuration."""
        playable = [(index, engine) for index, engine in enumerate(engines) if engine]
        reported = set()
        for objection in objections([engine for _, engine in playable], game):
            index = playable[objection.engine][0]
            path: Place = ("engine", index, "command" if objection.option is None else "options")
            if objection.option:
                path = (*path, objection.option)
            if path not in {**self.lines, **self.overrides} and ("defaults", *path[2:]) in self.lines:
                path = ("defaults", *path[2:])
            if path not in reported:  # a mistake in [defaults] is reported once
                self.problem(path, objection.text)
            reported.add(path)


def with_home(path: str) -> Path:
    """Return ``path`` with the folder of the user that it begins with (``~``), or as it is where there is none."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def _without(data: dict[str, Any], places: list[tuple[int | str, ...]]) -> dict[str, Any]:
    """Return the table ``data`` without the keys at ``places``, which lie in it or in a table that it holds."""
    kept = {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}
    for outer, *inner in places:
        if inner and isinstance(kept.get(str(outer)), dict):
            kept[str(outer)].pop(inner[0], None)
        else:
            kept.pop(str(outer), None)
    return kept


def _syntax_problem(path: Path, source: str, message: str) -> str:
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if found is None:
        return f"{path}: not TOML: {message}"
    line = found[1] or str(source.count("\n") + 1)
    column = f" (column {found[2]})" if found[2] else ""
    return f"{path}:{line}: not TOML: {message[: found.start()]}{column}"
