"""Keys of a configuration that the command line sets: ``--set KEY=VALUE``.

``KEY`` is a key at the top of the file (``rounds``), ``defaults.KEY``, ``engine.NAME.KEY`` for one engine, or
``each.KEY`` for every one, whatever the file says of it. An engine's option is ``….options.NAME``. ``VALUE`` is written
as in TOML; what is no TOML is a text, so most texts need no quotes: ``--set each.limit=nodes=1000``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from quietmove.engine.common.untrusted import parse_toml
from quietmove.referee.config.validation import KeyPath
from quietmove.tournament.errors import ConfigFileError


def apply_overrides(data: dict[str, Any], settings: Sequence[str]) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """Return the configuration ``data`` with ``settings``, later ones winning, and which of them set each key.

    :raises ConfigFileError: for each setting that names no place in the configuration.
    """
    changed, places, problems = copy.deepcopy(data), {}, []
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
    """Yield the places that ``key`` means."""
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
    """Return the engine whose name ``rest`` begins with, and what follows it; names may have dots themselves."""
    for index, name in sorted(enumerate(names), key=lambda pair: len(str(pair[1])), reverse=True):
        if rest.startswith(f"{name}."):
            return index, rest.removeprefix(f"{name}.")
    raise ValueError(f"must be engine.NAME.KEY with one of {', '.join(map(str, names)) or 'no engines'}, not {rest!r}")


def _inside(key: str) -> KeyPath:
    """Return the place within an engine's table: a key, or one of a table in it whose names may have dots."""
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
        raise ValueError("must be the whole array")
    place[last] = value


def _value(text: str) -> object:
    try:
        read = parse_toml(f"value = {text}")
    except ValueError:
        return text
    return read["value"] if len(read) == 1 else text
