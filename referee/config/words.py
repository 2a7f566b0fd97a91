"""The ``key=value`` words that describe an engine on a command line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from quietmove.engine.common.text import UNITS, milliseconds
from quietmove.referee.config.engines import engine_keys, read_table
from quietmove.referee.config.model import DEFAULT_LIMIT, EngineConfig, explanations
from quietmove.referee.config.validation import KeyPath, names, spelled, unknown_key
from quietmove.referee.errors import SetupError
from quietmove.referee.seats import SEATS, seat_settings

LIMIT_WORDS = {
    "tc": "a clock in seconds: [MOVES/]BASE[+INCREMENT], such as 10+0.1",
    "movetime": "milliseconds for each move; 500ms and 2s are read too, as of all times here",
    "nodes": "nodes for each move",
    "depth": f"plies for each move; without any limit {DEFAULT_LIMIT}",
}
KEYS = {
    "cmd": "command",
    "folder": "sandbox_bind",
    "margin": "margin_ms",
    "start": "start_timeout_ms",
    "stall": "stall_timeout_ms",
}
WORDS = {key: word for word, key in KEYS.items()}
TABLE_PREFIXES = {"option": "options", "env": "env"}  # a name follows such a word and a point
TABLE_WORDS = {table: word for word, table in TABLE_PREFIXES.items()}
SWITCH = ("on", "off")


def engine_words() -> dict[str, str]:
    """Return every word with what it takes, for a help text."""
    words: dict[str, str] = {}
    for key, text in explanations(EngineConfig).items():
        if key == "limit":
            words |= LIMIT_WORDS
        else:
            words[f"{TABLE_WORDS[key]}.NAME" if key in TABLE_WORDS else WORDS.get(key, key)] = text
    words["protocol"] += f": {', '.join(SEATS)}"
    return words | {row.name: f"{' and '.join(owners)} only: {row.explanation}" for row, owners in seat_settings()}


def word_values(key: str) -> list[str]:
    """Return the values that a word may have, where they can be listed."""
    choices = {row.name: SWITCH if isinstance(row.default, bool) else row.choices for row, _ in seat_settings()}
    return list({"protocol": tuple(SEATS), "sandbox": SWITCH, **choices}.get(key, ()))


def parse_engine(words: Sequence[str], defaults: Sequence[str] = ()) -> EngineConfig:
    """Return the engine that ``words`` describe; see :func:`read_engine`.

    :raises SetupError: with everything that is wrong.
    """
    config, problems = read_engine(words, defaults)
    if problems or config is None:
        raise SetupError(problems)
    return config


def spell_engine(config: EngineConfig) -> list[str]:
    """Return the words that describe an engine, all but its limit; :func:`parse_engine` reads them."""
    words, usual = [f"cmd={shlex.join(config.command)}"], EngineConfig(name="any")
    for key in names(EngineConfig):
        value = getattr(config, key)
        if key in ("command", "limit") or value == getattr(usual, key):
            continue
        if key in TABLE_WORDS:
            words += [f"{TABLE_WORDS[key]}.{name}={inner}" for name, inner in value]
        elif key == "settings":
            words += [f"{name}={_spelled(inner)}" for name, inner in value]
        else:
            words.append(f"{WORDS.get(key, key)}={_spelled(value)}")
    return words


def _spelled(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return SWITCH[not value] if isinstance(value, bool) else str(value)


def read_engine(words: Sequence[str], defaults: Sequence[str] = ()) -> tuple[EngineConfig | None, list[str]]:
    """Return the engine that ``words`` describe, and everything that is wrong with them.

    If some words are wrong, the engine is made of the others, so that it can be checked further; it is None if that
    fails.

    :param defaults: words that hold unless ``words`` say otherwise; any limit there replaces any limit here, and a
        setting of another kind of seat is left out.
    """
    problems: list[str] = []
    inherited, own = _table(defaults, problems), _table(words, problems)
    config, mistakes = read_table(own, inherited, words=True)
    name = own.get("name") or inherited.get("name")
    subject = f"engine {name}: " if name else "engine: "
    return config, [*problems, *(subject + spelled(_word(path), text) for path, text in mistakes)]


def _number(key: str, text: str) -> str:
    """Return a time such as ``2s`` in the unit that ends the key; what is none stays as it is."""
    unit = {"ms": "ms", "seconds": "s"}.get(key.rpartition("_")[2])
    time = milliseconds(text, unit) if unit else None
    return text if time is None else f"{time / UNITS[unit or 'ms']:.15g}"


def _word(path: KeyPath) -> KeyPath:
    """Return the path as it was given on the command line."""
    return (TABLE_WORDS.get(str(path[0]), WORDS.get(str(path[0]), path[0])), *path[1:]) if path else path


def _table(words: Sequence[str], problems: list[str]) -> dict[str, Any]:
    """Return the keys that words say; what is no such word is added to the problems."""
    table: dict[str, Any] = {}
    given: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        outer, point, name = key.partition(".")
        if not equals:
            problems.append(f"engine: must be words KEY=VALUE, not {word!r}")
        elif key in given:
            problems.append(f"engine: {key}: must be given once, not as {given[key]!r} and {value!r}")
        elif key in LIMIT_WORDS and "limit" in table:
            problems.append(f"engine: limit: must be one at most, not {table['limit']} and {word}")
        elif key in LIMIT_WORDS:
            table["limit"] = word
        elif outer in TABLE_PREFIXES and point and name:
            table.setdefault(TABLE_PREFIXES[outer], {})[name] = value
        elif (long := KEYS.get(key, key)) in engine_keys() and long not in ("limit", *TABLE_WORDS):
            table[long] = _number(long, value)
        else:
            problems.append(f"engine: {unknown_key(key, engine_words())}")
        given[key] = value
    return table
