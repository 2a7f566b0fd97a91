"""A tournament's configuration: from TOML, with every error at once, to one frozen value, and that value as JSON.

Which keys there are, and what they take, is in :mod:`quietmove.tournament.toml_keys`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.text import read_bytes
from quietmove.referee.adjudication import ADJUDICATION_SETTINGS, Adjudication
from quietmove.referee.config import EngineConfig, split_opening
from quietmove.referee.errors import RefereeError
from quietmove.referee.openings import OPENING_SETTINGS, read_openings
from quietmove.referee.programs import OWN_ENGINE
from quietmove.referee.seats import get_seat, named_protocol, seat_settings
from quietmove.referee.settings import SettingValue
from quietmove.tournament import toml_lines
from quietmove.tournament.errors import ConfigFileError, OpeningsError
from quietmove.tournament.formats import DEFAULT_FORMAT, Format, get_format
from quietmove.tournament.openings import random_openings
from quietmove.tournament.overrides import apply_overrides
from quietmove.tournament.preview import too_many_games
from quietmove.tournament.programs import objections
from quietmove.tournament.toml_keys import (
    DEFAULT_GAME,
    EngineKeys,
    EngineTable,
    FixedDocument,
    FixedEngineKeys,
    Model,
    document_model,
    explain,
)

__all__ = ["DEFAULT_CONFIG", "Tournament", "load_config", "read_tournament"]

DEFAULT_CONFIG = Path(__file__).parent / "data" / "default.toml"
BUILT_IN_OPENINGS = Path(__file__).parent / "data" / "openings.txt"


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is to be played; all of it, so that a store that holds this value needs no other file.

    :param name: part of the identity of every game.
    :param openings: as :mod:`quietmove.referee.openings` reads them; they are checked.
    :param openings_order: ``random`` or ``sequential``, in which order a pair of engines meets over them.
    :param format: the name of the format, which decides who meets whom.
    :param settings: names and values of the format's own settings.
    :param concurrency: games played at once, unless the command line says otherwise; ``None`` for one per processor.
    :param keep_dialogue: store what was said with every game.
    :param adjudication: when the referee ends a game before the board does.
    """

    name: str
    game: str
    seed: int
    openings: tuple[tuple[str, ...], ...]
    engines: tuple[EngineConfig, ...]
    format: str = DEFAULT_FORMAT
    settings: tuple[tuple[str, SettingValue], ...] = ()
    concurrency: int | None = None
    keep_dialogue: bool = False
    adjudication: Adjudication = field(default_factory=Adjudication)
    openings_order: str = "random"

    @property
    def names(self) -> tuple[str, ...]:
        """The engines' names, in the order of the configuration."""
        return tuple(engine.name for engine in self.engines)

    def in_sandboxes(self) -> Tournament:
        """Return the same tournament with every engine in a sandbox."""
        return replace(self, engines=tuple(replace(engine, sandbox=True) for engine in self.engines))

    def plan(self) -> Format:
        """Return the tournament's format, which says what is to be played.

        :raises UnknownFormatError: if this program does not know the format.
        """
        return get_format(self.format)(self)

    def to_json(self) -> str:
        """Return the value as one line of JSON."""
        return _tournament_json().dump_json(self).decode()

    @classmethod
    def from_json(cls, text: str) -> Tournament:
        """Return the value that :meth:`to_json` wrote."""
        data = json.loads(text)
        engines = tuple(EngineConfig.from_dict(engine) for engine in data["engines"])
        return _tournament_json().validate_python({**data, "engines": engines})


def _tournament_json() -> TypeAdapter[Tournament]:
    return TypeAdapter(Tournament)


def load_config(path: Path = DEFAULT_CONFIG, seed: int | None = None, settings: Sequence[str] = ()) -> Tournament:
    """Read a configuration.

    :param seed: overrides the file's.
    :param settings: further overrides, as :mod:`quietmove.tournament.overrides` reads them.
    :raises ConfigFileError: listing everything that is wrong, each with file, line and key.
    """
    try:
        source = read_bytes(path).decode()
    except OSError as error:
        raise ConfigFileError([f"{path}: cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigFileError([f"{path}:{line}: not UTF-8"]) from None
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise ConfigFileError([_syntax_problem(path, source, str(error))]) from None
    except RecursionError:
        raise ConfigFileError([f"{path}: nested too deeply"]) from None
    if seed is not None:
        data["seed"] = seed
    data, overrides = apply_overrides(data, settings)
    return _Reader(path, data, toml_lines.key_lines(source), overrides).tournament()


def read_tournament(data: dict[str, Any], settings: Sequence[str] = ()) -> Tournament:
    """Return the tournament that a configuration describes which is in no file; its paths begin here.

    :raises ConfigFileError: as :func:`load_config`.
    """
    changed, overrides = apply_overrides(data, settings)
    return _Reader(Path("no file"), changed, None, overrides).tournament()


class _Reader:
    """One reading of one file; it collects the problems and raises them together at the end."""

    def __init__(
        self,
        path: Path,
        data: dict[str, Any],
        lines: dict[toml_lines.Path, int] | None,
        overrides: dict[toml_lines.Path, str],
    ) -> None:
        self.path = path
        self.data = data
        self.is_file = lines is not None
        self.lines = lines or {}
        self.overrides = overrides
        self.problems: list[tuple[int, str]] = []
        word, blank, parameters = str(data.get("game", "")).partition(" ")
        if (file := GameFile.read(word, str(path.parent))) is not None:  # paths begin at the configuration's folder
            self.data = {**data, "game": f"{file.value}{blank}{parameters}"}

    def tournament(self) -> Tournament:
        document = self._check(document_model(self.data.get("format", DEFAULT_FORMAT)), self.data, ())
        defaults = self._check(EngineKeys, self.data.get("defaults", {}), ("defaults",))
        tables = self.data.get("engine")
        tables = tables if isinstance(tables, list) else []
        engines = [self._engine(table, defaults, index) for index, table in enumerate(tables)]
        self._check_names(tables)
        openings: tuple[tuple[str, ...], ...] = ()
        game = self.data.get("game", DEFAULT_GAME)
        self._check_engines(engines, game if is_game(game) else DEFAULT_GAME)
        if is_game(game):
            openings = self._openings(game, self.data.get("openings"))
            self._check_seats(engines, game, openings)
            self._check_adjudication(document, game, openings)
        if self.problems or document is None:
            raise self._error()
        tournament = Tournament(
            name=document.name,
            game=document.game,
            seed=document.seed,
            openings=openings,
            engines=tuple(engine for engine in engines if engine),
            format=document.format,
            settings=tuple((row.name, getattr(document, row.name)) for row in get_format(document.format).settings),
            concurrency=document.concurrency,
            keep_dialogue=document.keep_dialogue,
            adjudication=_adjudication(document),
            openings_order=str(dict(document)["openings_order"]),
        )
        for key, text in tournament.plan().problems() or too_many_games(tournament):
            self._problem((key,), text)
        if self.problems:
            raise self._error()
        return tournament

    def _error(self) -> ConfigFileError:
        return ConfigFileError([text for _, text in sorted(dict.fromkeys(self.problems))])

    def _problem(self, path: toml_lines.Path, text: str) -> None:
        if setting := next((self.overrides[each] for each in (path, path[:3], path[:1]) if each in self.overrides), ""):
            self.problems.append((0, f"--set {setting}: {text}"))
            return
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
        line = toml_lines.line_of(self.lines, path)
        self.problems.append((line, (f"{self.path}:{line}: " if self.is_file else "") + f"{where}: {text}"))

    def _check(self, model: type[Model], data: Any, path: toml_lines.Path, **stand_ins: Any) -> Model | None:
        """Return what ``data`` says, without what is wrong in it; ``stand_ins`` replace what is wrong or missing."""
        try:
            return model.model_validate(data)
        except ValidationError as error:
            for details in error.errors():
                self._problem((*path, *details["loc"]), explain(details, model))
            if not isinstance(data, dict):
                return None
            sound = _without(data, [details["loc"] for details in error.errors()])
        try:
            return model.model_validate({**stand_ins, **sound})
        except ValidationError:
            return None

    def _engine(self, data: Any, defaults: FixedEngineKeys | None, index: int) -> EngineConfig | None:
        """Return an engine that fits; mistakes in ``[defaults]`` are not reported for it again."""
        table = self._check(EngineTable, data, ("engine", index), name=f"engine[{index}]")
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
        if "limit" not in given and "limit" not in lost:
            self._problem(("engine", index), "limit is missing, here and in [defaults]")
        try:
            return EngineConfig(**given)
        except RefereeError as error:
            self._problem(("engine", index), str(error))
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
                    self._problem(
                        ("engine", index, row.name),
                        f"protocol {protocol!r} has no such key; {' and '.join(owners)} only",
                    )
        return tuple(settings)

    def _command(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return ``words`` with a program that is given by a relative path taken from the configuration's folder."""
        return (self._from_here(words[0]), *words[1:]) if "/" in words[0] else words

    def _from_here(self, path: str) -> str:
        """Return ``path``, which begins at the configuration's folder."""
        return str(self.path.absolute().parent / _with_home(path))

    def _check_names(self, tables: list[Any]) -> None:
        seen: dict[str, int] = {}
        for index, table in enumerate(tables):
            name = table.get("name") if isinstance(table, dict) else None
            if not isinstance(name, str):
                continue
            if name in seen:
                self._problem(("engine", index, "name"), f"{name!r} is the name of engine[{seen[name]}] already")
            seen.setdefault(name, index)

    def _check_engines(self, engines: list[EngineConfig | None], game: str) -> None:
        """Ask the engines whether they accept their configuration."""
        playable = [(index, engine) for index, engine in enumerate(engines) if engine]
        reported = set()
        for objection in objections([engine for _, engine in playable], game):
            index = playable[objection.engine][0]
            path: toml_lines.Path = ("engine", index, "command" if objection.option is None else "options")
            if objection.option:
                path = (*path, objection.option)
            if path not in {**self.lines, **self.overrides} and ("defaults", *path[2:]) in self.lines:
                path = ("defaults", *path[2:])
            if path not in reported:  # a mistake in [defaults] is reported once
                self._problem(path, objection.text)
            reported.add(path)

    def _openings(self, game: str, source: Any) -> tuple[tuple[str, ...], ...]:
        """Return the openings; none of them if there was a problem with one. The built-in ones are of one game."""
        if wanted := self._number("openings_random"):
            return self._random_openings(game, wanted)
        if source is False or (source is None and game != DEFAULT_GAME):
            return ((),)
        if isinstance(source, str) and not source.isprintable():
            return ()  # which is reported with the keys
        path = self.path.parent / _with_home(source) if isinstance(source, str) else BUILT_IN_OPENINGS
        try:
            return read_openings(path, game, self._number("openings_plies"))
        except RefereeError as error:
            self._problem(("openings",), str(error).removeprefix("openings: "))
        return ()

    def _random_openings(self, game: str, count: int) -> tuple[tuple[str, ...], ...]:
        seed = self.data.get("seed", 1)
        try:
            if "openings" in self.data:
                raise OpeningsError("openings are given too; one of them is allowed")
            return random_openings(game, count, self._number("openings_plies"), seed if isinstance(seed, int) else 1)
        except OpeningsError as error:
            self._problem(("openings_random",), str(error))
        return ()

    def _number(self, key: str) -> int:
        """Return one of the settings of openings; what is wrong with it is reported elsewhere, and it counts as 0."""
        number = self.data.get(key, 0)
        row = next(row for row in OPENING_SETTINGS if row.name == key)
        return number if isinstance(number, int) and row.least <= number <= row.most else 0

    def _check_adjudication(
        self, document: FixedDocument | None, game: str, openings: tuple[tuple[str, ...], ...]
    ) -> None:
        """Ask whether games of this kind can be ended so, from the longest of the openings."""
        if document is not None:
            for text in _adjudication(document).refusals(game, max(openings, key=len, default=())):
                key, _, what = text.partition(": ")
                self._problem((key,), what)

    def _check_seats(
        self, engines: list[EngineConfig | None], game: str, openings: tuple[tuple[str, ...], ...]
    ) -> None:
        """Ask each engine's seat whether it plays this game from openings of moves and from positions."""
        samples = [next(filter(None, openings), ()), next((each for each in openings if split_opening(each)[0]), ())]
        for index, engine in enumerate(engines):
            if engine:
                seat = get_seat(engine.protocol)
                refused = next((each for each in samples if any(seat.refusals(game, each))), ())
                only_moves = not any(seat.refusals(game, ())) and not split_opening(refused)[0]
                hint = "; it needs openings = false" if only_moves else ""
                for text in seat.refusals(game, refused):
                    self._problem(("engine", index), text + hint)


def _adjudication(document: FixedDocument) -> Adjudication:
    return Adjudication(**{row.name: getattr(document, row.name) for row in ADJUDICATION_SETTINGS})


def _with_home(path: str) -> Path:
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


def is_game(name: object) -> bool:
    """Tell whether there is a game of this name and parameters."""
    try:
        get_game(str(name))
    except UnknownGameError:
        return False
    return True


def _syntax_problem(path: Path, source: str, message: str) -> str:
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if found is None:
        return f"{path}: not TOML: {message}"
    line = found[1] or str(source.count("\n") + 1)
    column = f" (column {found[2]})" if found[2] else ""
    return f"{path}:{line}: not TOML: {message[: found.start()]}{column}"
