"""Read a tournament's configuration from TOML into one frozen value, reporting all errors together."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from quietmove.engine.common.untrusted import parse_toml
from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.referee.arguments.toml_file import TomlFile
from quietmove.referee.config.model import Adjudication, EngineConfig, split_opening
from quietmove.referee.config.openings import BUILT_IN, RANDOM, RANDOM_OPENINGS, random_openings, read_openings
from quietmove.referee.config.validation import KeyPath, Setting, names, read, requirement_text, unknown_key
from quietmove.referee.errors import RefereeError, SetupError
from quietmove.referee.seats import get_seat
from quietmove.referee.seats.pool import Ask, check_engines, objections
from quietmove.tournament.definition import DEFAULT_FORMAT, DEFAULT_GAME, OpeningsKeys, Tournament
from quietmove.tournament.errors import ConfigFileError, TournamentError
from quietmove.tournament.formats import FORMATS, plan_of, requirement_of


def apply_overrides(data: dict[str, Any], settings: Sequence[str]) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """Apply ``settings`` to the configuration ``data``; return the result, and the setting that set each key.

    Later settings win.

    :raises ConfigFileError: for each setting whose key does not exist.
    """
    changed = copy.deepcopy(data)
    places = {}
    problems = []
    for setting in settings:
        key, equals, text = setting.partition("=")
        try:
            if not equals or not key.strip():
                raise ValueError("must be KEY=VALUE")
            for path in _paths(changed, key.strip()):
                _put(changed, path, _value(text))
                places[path] = setting
        except ValueError as error:
            problems.append(f"--set {setting}: {error}")
    if problems:
        raise ConfigFileError(problems)
    return changed, places


def _paths(data: dict[str, Any], key: str) -> Iterator[KeyPath]:
    table, dot, rest = key.partition(".")
    if not dot:
        yield (key,)
    elif table == "defaults":
        yield ("defaults", *_inside(rest))
    elif table in ("each", "engine"):
        engines = data.get("engine")
        tables = engines if isinstance(engines, list) else []
        names = [each.get("name") if isinstance(each, dict) else None for each in tables]
        if table == "each":
            yield from (("engine", index, *_inside(rest)) for index in range(len(names)))
            return
        index, inner = _engine(names, rest)
        yield ("engine", index, *_inside(inner))
    else:
        raise ValueError(f"must be KEY, defaults.KEY, each.KEY or engine.NAME.KEY, not {key!r}")


def _engine(names: Sequence[object], rest: str) -> tuple[int, str]:
    """Return the index of the engine named at the start of ``rest``, and the text after the name."""
    for index, name in sorted(enumerate(names), key=lambda pair: len(str(pair[1])), reverse=True):
        if rest.startswith(f"{name}."):
            return index, rest.removeprefix(f"{name}.")
    raise ValueError(f"must be engine.NAME.KEY with one of {', '.join(map(str, names)) or 'no engines'}, not {rest!r}")


def _inside(key: str) -> KeyPath:
    """Return the path within an engine's table: a key, or an entry of an inner table whose name may contain dots."""
    outer, dot, inner = key.partition(".")
    return (outer, inner) if dot else (outer,)


def _put(data: dict[str, Any], path: KeyPath, value: object) -> None:
    *outer, last = path
    place: Any = data
    for part in outer:
        if isinstance(part, str):
            place = place.setdefault(part, {})
        else:
            place = place[part]
        if not isinstance(place, dict | list):
            raise ValueError(f"{part}: must be a table")
    if isinstance(place, list):
        raise ValueError("must set the whole array")
    place[last] = value


def _value(text: str) -> object:
    try:
        read = parse_toml(f"value = {text}")
    except ValueError:
        return text
    return read["value"] if len(read) == 1 else text


T = TypeVar("T")
Openings = tuple[tuple[str, ...], ...]

DEFAULT_CONFIG = Path(__file__).parents[1] / "data" / "default.toml"
# The fields that are not single keys: they combine several, or depend on the machine or a ladder's participants.
ELSEWHERE = ("openings", "engines", "settings", "adjudication", "time_scale", "arrivals")
HEADING = [name for name in names(Tournament) if name not in ELSEWHERE]  # the fields that are single keys
TABLES = ("defaults", "engine")


def load_config(
    path: Path = DEFAULT_CONFIG, seed: int | None = None, overrides: Sequence[str] = (), ask: Ask = check_engines
) -> Tournament:
    """Return the tournament that a configuration file defines.

    :param seed: a seed that replaces the file's seed.
    :param overrides: settings from ``--set``; see :func:`apply_overrides`.
    :param ask: a function that checks the engines and their options on the machines where they will play.
    :raises ConfigFileError: listing every error with file, line and key.
    """
    try:
        reader = _Reader(path)
    except SetupError as error:
        raise ConfigFileError(error.problems) from None
    if seed is not None:
        reader.data["seed"] = seed
    return reader.tournament(overrides, ask)


def read_tournament(
    data: dict[str, Any], overrides: Sequence[str] = (), ask: Ask = check_engines, folder: Path | None = None
) -> Tournament:
    """Return the tournament described by a configuration that is not in a file.

    :param folder: the base folder of its relative paths; by default the working folder.
    :raises ConfigFileError: as :func:`load_config`.
    """
    return _Reader((folder or Path()) / "no file", data).tournament(overrides, ask)


class _Reader(TomlFile):
    """A reader for one file that collects the mistakes and raises them together at the end."""

    def tournament(self, overrides: Sequence[str], ask: Ask) -> Tournament:
        self.data, self.overrides = apply_overrides(self.data, overrides)
        self._begin_paths_here()
        rows = self._format_settings()
        allowed = [*HEADING, *names(OpeningsKeys), *names(Adjudication), *(row.name for row in rows), *TABLES]
        for key in self.data:
            if key not in allowed:
                owners = [name for name, kind in FORMATS.items() if key in (row.name for row in kind.settings)]
                own = str(self.data.get("format", DEFAULT_FORMAT))
                text = requirement_text(f"applies only to format {' or '.join(owners)}", own)
                self.mistake((key,), text if owners else unknown_key(key, allowed))
        heading = {name: self.data[name] for name in HEADING if name in self.data}
        rules = self.read(Adjudication, names(Adjudication))
        source = self.read(OpeningsKeys, names(OpeningsKeys))
        settings = self._settings(rows)
        self._check_number_of_engines()
        engines = self.engines(needs_limit=True)
        game = heading.setdefault("game", DEFAULT_GAME)
        has_game = self._is_game(game)
        self.ask(engines, game if has_game else DEFAULT_GAME, ask)
        openings: Openings = ()
        if has_game:
            openings = self._openings(game, source) if source else ()
            self._check_seats(engines, game, openings)
            longest = max(openings, key=len, default=())  # max_plies must exceed the length of every opening
            for key, text in rules.problems(game, longest) if rules else ():
                self.mistake((key,), text)
        tables = [asdict(engine) for engine in engines if engine]
        parts = {"openings": openings, "engines": tables, "settings": settings}
        data = {"seed": 1, **heading, **parts, "adjudication": asdict(rules or Adjudication())}
        tournament, mistakes = read(Tournament, data)
        for path, text in mistakes:
            self.mistake(path, text)
        if tournament is None or self.problems:
            raise ConfigFileError(self.problems)
        plan = plan_of(tournament)
        for key, text in plan.problems():
            self.mistake((key,), text)
        if not self.problems:
            for objection in objections(plan.variants(), game, ask):
                self.mistake(("parameters",), objection.text)
        if self.problems:
            raise ConfigFileError(self.problems)
        return tournament

    def _begin_paths_here(self) -> None:
        """Resolve a game file's path relative to the configuration's folder."""
        word, blank, parameters = str(self.data.get("game", "")).partition(" ")
        if (file := GameFile.read(word, str(self.folder))) is not None:
            self.data = {**self.data, "game": f"{file.value}{blank}{parameters}"}

    def _format_settings(self) -> list[Setting]:
        """Return the format's settings, or those of all formats if the format is unknown."""
        name = str(self.data.get("format", DEFAULT_FORMAT))
        if name in FORMATS:
            return list(FORMATS[name].settings)
        self.mistake(("format",), requirement_of(name))
        return [row for each in FORMATS.values() for row in each.settings]

    def _settings(self, rows: Sequence[Setting]) -> dict[str, Any]:
        if self.data.get("format", DEFAULT_FORMAT) not in list(FORMATS):
            return {}
        settings = {}
        for row in rows:
            if row.name not in self.data and row.required:
                self.mistake((row.name,), "must be given")
                continue
            try:
                settings[row.name] = row.check(self.data.get(row.name, row.default))
            except ValueError as error:
                self.mistake((row.name,), str(error))
        return settings

    def _check_number_of_engines(self) -> None:
        tables = self.data.get("engine")
        if tables is None:
            self.mistake(("engine",), "must be given: at least two [[engine]] tables")
        elif isinstance(tables, list) and len(tables) < 2:
            self.mistake(("engine",), f"must be given at least twice, not {len(tables)} times")

    def _is_game(self, name: object) -> bool:
        try:
            get_game(str(name))
        except UnknownGameError as error:
            self.mistake(("game",), str(error).removeprefix("game: "))
            return False
        return True

    def _openings(self, game: str, keys: OpeningsKeys) -> Openings:
        """Return the openings, or () if one is invalid. The built-in openings are only for the default game."""
        seed = self.data.get("seed", 1)
        source = keys.openings
        try:
            if keys.openings_random and source not in (None, RANDOM):
                raise TournamentError("cannot be combined with openings")
            if keys.openings_random or source == RANDOM:
                count = keys.openings_random or RANDOM_OPENINGS
                return random_openings(game, count, keys.openings_plies, seed if isinstance(seed, int) else 1)
            if source is False or (source is None and game != DEFAULT_GAME):
                return ((),)
            path = BUILT_IN if source in (None, BUILT_IN) else self.path(str(source))
            return read_openings(Path(path), game, keys.openings_plies)
        except (TournamentError, RefereeError) as error:
            key = "openings_random" if keys.openings_random else "openings"
            self.mistake((key,), str(error).removeprefix("openings: "))
        return ()

    def _check_seats(self, engines: Sequence[EngineConfig | None], game: str, openings: Openings) -> None:
        """Check that each engine's seat can play this game from the openings, both from moves and from positions."""
        samples = [next(filter(None, openings), ()), next((each for each in openings if split_opening(each)[0]), ())]
        for index, engine in enumerate(engines):
            if engine:
                seat = get_seat(engine.protocol)
                refused = next((each for each in samples if any(seat.game_problems_for(engine, game, each))), ())
                only_moves = not any(seat.game_problems_for(engine, game, ())) and not split_opening(refused)[0]
                hint = "; it needs openings = false" if only_moves else ""
                for text in seat.game_problems_for(engine, game, refused):
                    self.mistake(("engine", index), text + hint)
