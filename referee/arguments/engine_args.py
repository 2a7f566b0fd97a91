"""Read engines from TOML tables and from ``key=value`` arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from quietmove.engine.common.text import UNITS, milliseconds
from quietmove.referee.config.model import DEFAULT_LIMIT, INTERPRETERS, EngineConfig, explanations
from quietmove.referee.config.validation import (
    KeyPath,
    Mistake,
    names,
    read,
    requirement_text,
    spell_problem,
    unknown_key,
)
from quietmove.referee.errors import SetupError
from quietmove.referee.seats import check_config, get_seat, is_protocol, named_protocol, seat_settings, seat_types

Table = Mapping[str, Any]

MERGED_KEYS = ("options", "env")  # tables merged with the defaults entry by entry
NEEDED = {"command", "protocol"}  # with a mistake in one of these, the engine's options cannot be checked


def engine_keys() -> list[str]:
    """Return the keys of an engine's table, including those declared by seats."""
    return [*(name for name in names(EngineConfig) if name != "settings"), *(row.name for row, _ in seat_settings())]


def read_table(table: Table, defaults: Table, *, words: bool = False) -> tuple[EngineConfig | None, list[Mistake]]:
    """Return the engine that a table describes, and every mistake in the table.

    Invalid keys are left out, so that the rest of the engine can be checked; the engine is None if the rest is invalid.

    :param defaults: values for missing keys; settings of another protocol's seat are ignored.
    :param words: whether values are command-line strings; see :func:`quietmove.referee.config.validation.read`.
    """
    merged = {**defaults, **table}
    for key in MERGED_KEYS:
        if isinstance(inner := defaults.get(key), dict) and isinstance(own := table.get(key, {}), dict):
            merged[key] = {**inner, **own}
    command = command_words(merged.get("command"))
    protocol = merged.setdefault("protocol", named_protocol(command))
    if words:
        merged.setdefault("name", program_name(command) if command else "engine")
    mistakes = list(_take_settings(merged, table, str(protocol), words=words))
    config, wrong = read(EngineConfig, merged, words=words)
    for path, text in wrong:  # seat settings are valid keys too
        is_unknown = text.startswith("must be one of the keys")
        mistakes.append((path, unknown_key(str(path[0]), engine_keys()) if is_unknown else text))
    if config is None and not NEEDED & {path[0] for path, _ in wrong if path}:
        config, _ = read(EngineConfig, {"name": "engine", **_without(merged, wrong)}, words=words)
    if config is None:
        return None, mistakes
    try:
        return check_config(config), mistakes
    except SetupError as error:
        for problem in error.problems:
            text = problem.removeprefix(f"engine {config.name}: ")
            key, _, rest = text.partition(": ")
            mistakes.append(((key,), rest) if key in names(EngineConfig) else ((), text))
        return None, mistakes


def command_words(value: object) -> list[str]:
    """Split a command into words, or return an empty list if it is invalid."""
    try:
        return list(map(str, shlex.split(value) if isinstance(value, str) else value))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return []


def program_name(command: Sequence[str], *, with_arguments: bool = False) -> str:
    """Return an engine's default name: its program, or the script that an interpreter runs.

    For ``python3 -u engines/mine.py --level 3`` the name is ``mine.py``, for ``python3 -m mine`` it is ``mine``.

    :param with_arguments: whether to append the program's arguments: ``mine.py --level 3``.
    """
    at = 0
    if INTERPRETERS.fullmatch(PurePath(command[0]).name):
        at = next((index for index, word in enumerate(command) if index and not word.startswith("-")), 0)
    return " ".join([PurePath(command[at]).name, *(command[at + 1 :] if with_arguments else ())])


def _take_settings(merged: dict[str, Any], table: Table, protocol: str, *, words: bool) -> Iterator[Mistake]:
    """Move seat settings from ``merged`` to its key ``settings``; yield the mistakes in them.

    A setting of another protocol is a mistake in the engine's own table, but not in the defaults.
    """
    rows = {row.name: row for row in get_seat(protocol).settings} if is_protocol(protocol) else {}
    settings = []
    for row, owners in seat_settings():
        if row.name not in merged:
            continue
        value = merged.pop(row.name)
        if row.name in rows:
            try:
                settings.append((row.name, rows[row.name].check(value, words=words)))
            except ValueError as error:
                yield (row.name,), str(error)
        elif row.name in table and is_protocol(protocol):
            yield (row.name,), requirement_text(f"applies only to protocol {' or '.join(owners)}", protocol)
    merged["settings"] = settings


def _without(table: dict[str, Any], mistakes: list[Mistake]) -> dict[str, Any]:
    copy = {key: dict(value) if isinstance(value, dict) else value for key, value in table.items()}
    for (outer, *inner), _ in mistakes:
        if inner and isinstance(copy.get(str(outer)), dict):
            copy[str(outer)].pop(inner[0], None)
        else:
            copy.pop(str(outer), None)
    return copy


LIMIT_WORDS = {
    "tc": "a clock in seconds: [MOVES/]BASE[+INCREMENT], such as 10+0.1",
    "movetime": "milliseconds per move; this and all other times accept units, such as 500ms and 2s",
    "nodes": "nodes per move",
    "depth": f"plies per move; the default limit is {DEFAULT_LIMIT}",
}
KEYS = {
    "cmd": "command",
    "folder": "sandbox_bind",
    "margin": "margin_ms",
    "start": "start_timeout_ms",
    "stall": "stall_timeout_ms",
}
WORDS = {key: word for word, key in KEYS.items()}
TABLE_PREFIXES = {"option": "options", "env": "env"}  # prefixes followed by a dot and a name
TABLE_WORDS = {table: word for word, table in TABLE_PREFIXES.items()}
QUOTED = re.compile(r'(option\."[^"]+")(=)(.*)', re.DOTALL)  # a quoted name may contain "="
SWITCH = ("on", "off")


def engine_words() -> dict[str, str]:
    """Return every engine argument with its description, for the help text."""
    words: dict[str, str] = {}
    for key, text in explanations(EngineConfig).items():
        if key == "limit":
            words |= LIMIT_WORDS
        else:
            words[f"{TABLE_WORDS[key]}.NAME" if key in TABLE_WORDS else WORDS.get(key, key)] = text
    words["protocol"] += f": {', '.join(seat_types())}"
    return words | {row.name: f"{' and '.join(owners)} only: {row.explanation}" for row, owners in seat_settings()}


def word_values(key: str) -> list[str]:
    """Return the possible values of an argument, or an empty list if they cannot be listed."""
    choices = {row.name: SWITCH if isinstance(row.default, bool) else row.choices for row, _ in seat_settings()}
    return list({"protocol": tuple(seat_types()), "sandbox": SWITCH, **choices}.get(key, ()))


def parse_engine(words: Sequence[str], defaults: Sequence[str] = ()) -> EngineConfig:
    """Return the engine that ``words`` describe; see :func:`read_engine`.

    :raises SetupError: listing every mistake.
    """
    config, problems = read_engine(words, defaults)
    if problems or config is None:
        raise SetupError(problems)
    return config


def spell_engine(config: EngineConfig) -> list[str]:
    """Return the arguments that describe an engine, without its limit; :func:`parse_engine` reads them back."""
    words = [f"cmd={shlex.join(config.command)}"]
    usual = EngineConfig(name="any")
    for key in names(EngineConfig):
        value = getattr(config, key)
        if key in ("command", "limit") or value == getattr(usual, key):
            continue
        if key in TABLE_WORDS:
            spelled = ((f'"{name}"' if "=" in name else name, inner) for name, inner in value)
            words += [f"{TABLE_WORDS[key]}.{name}={inner}" for name, inner in spelled]
        elif key == "settings":
            words += [f"{name}={_spell_value(inner)}" for name, inner in value]
        else:
            words.append(f"{WORDS.get(key, key)}={_spell_value(value)}")
    return words


def _spell_value(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return SWITCH[not value] if isinstance(value, bool) else str(value)


def read_engine(words: Sequence[str], defaults: Sequence[str] = ()) -> tuple[EngineConfig | None, list[str]]:
    """Return the engine that ``words`` describe, and every mistake in them.

    Invalid arguments are left out, so that the rest can be checked; the engine is None if the rest is invalid.

    :param defaults: arguments that apply unless ``words`` override them. A limit in ``words`` replaces any limit here,
        and settings of another protocol's seat are ignored.
    """
    problems: list[str] = []
    inherited = _table(defaults, problems)
    own = _table(words, problems)
    config, mistakes = read_table(own, inherited, words=True)
    name = own.get("name") or inherited.get("name")
    subject = f"engine {name}: " if name else "engine: "
    return config, [*problems, *(subject + spell_problem(_word(path), text) for path, text in mistakes)]


def _number(key: str, text: str) -> str:
    """Convert a duration such as ``2s`` to the unit in the key's suffix; return any other text unchanged."""
    unit = {"ms": "ms", "seconds": "s"}.get(key.rpartition("_")[2])
    time = milliseconds(text, unit) if unit else None
    return text if time is None else f"{time / UNITS[unit or 'ms']:.15g}"


def _word(path: KeyPath) -> KeyPath:
    """Return a key path as spelled on the command line."""
    return (TABLE_WORDS.get(str(path[0]), WORDS.get(str(path[0]), path[0])), *path[1:]) if path else path


def _table(words: Sequence[str], problems: list[str]) -> dict[str, Any]:
    """Parse arguments into keys and values; add a message to ``problems`` for each invalid argument."""
    table: dict[str, Any] = {}
    given: dict[str, str] = {}
    for word in words:
        quoted = QUOTED.fullmatch(word)
        key, equals, value = quoted.groups() if quoted else word.partition("=")
        outer, point, name = key.partition(".")
        if not equals:
            problems.append(f"engine: must be KEY=VALUE arguments, not {word!r}")
        elif key in given:
            problems.append(f"engine: {key}: must be given once, not as {given[key]!r} and {value!r}")
        elif key in LIMIT_WORDS and "limit" in table:
            problems.append(f"engine: limit: must be given once, not as {table['limit']} and {word}")
        elif key in LIMIT_WORDS:
            table["limit"] = word
        elif outer in TABLE_PREFIXES and point and name:
            table.setdefault(TABLE_PREFIXES[outer], {})[name.strip('"') if quoted else name] = value
        elif (long := KEYS.get(key, key)) in engine_keys() and long not in ("limit", *TABLE_WORDS):
            table[long] = _number(long, value)
        else:
            problems.append(f"engine: {unknown_key(key, engine_words())}")
        given[key] = value
    return table
