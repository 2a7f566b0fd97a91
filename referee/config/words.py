"""The ``key=value`` words that describe an engine on a command line.

Which settings there are, and what they take, is declared by the seats and by ``COMMON_SETTINGS``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from quietmove.referee.config.config import COMMON_SETTINGS, DEFAULT_LIMIT, DEFAULT_PROTOCOL, EngineConfig, TimeControl
from quietmove.referee.config.settings import SWITCH, Setting, suggestion
from quietmove.referee.errors import SetupError
from quietmove.referee.seats import SEATS, check_config, get_seat, named_protocol, seat_settings

__all__ = ["engine_words", "parse_engine", "read_engine", "word_values"]

LIMIT_WORDS = {
    "tc": "a clock in seconds: [MOVES/]BASE[+INCREMENT], such as 10+0.1",
    "movetime": "milliseconds for each move",
    "nodes": "nodes for each move",
    "depth": f"plies for each move; without any limit {DEFAULT_LIMIT}",
}
OPTION = "option."
ENV = "env."


def engine_words() -> dict[str, str]:
    """Return every word with what it takes, for a help text."""
    words = {
        "cmd": "the program and its arguments, quoted as for a shell",
        "name": "what the engine is called in the results; the program's name if it is not given",
        "protocol": f"the kind of engine: {', '.join(SEATS)} (what the command names, else {DEFAULT_PROTOCOL})",
        f"{OPTION}NAME": "a value for the engine's option NAME",
        f"{ENV}NAME": "a value for the environment variable NAME",
        **LIMIT_WORDS,
    }
    words |= {row.key: row.explanation for row in COMMON_SETTINGS}
    return words | {row.key: f"{' and '.join(owners)} only: {row.explanation}" for row, owners in seat_settings()}


def word_values(key: str) -> list[str]:
    """Return the values that a word may have, where they can be listed."""
    if key == "protocol":
        return list(SEATS)
    rows = {row.key: row for row in (*COMMON_SETTINGS, *(row for row, _ in seat_settings()))}
    row = rows.get(key)
    return [] if row is None else list(SWITCH) if row.type == "switch" else list(row.choices)


def parse_engine(words: Sequence[str], defaults: Sequence[str] = ()) -> EngineConfig:
    """Return the engine that ``words`` describe; see :func:`read_engine`.

    :raises SetupError: with everything that is wrong.
    """
    config, problems = read_engine(words, defaults)
    if problems or config is None:
        raise SetupError(problems)
    return config


def read_engine(words: Sequence[str], defaults: Sequence[str] = ()) -> tuple[EngineConfig | None, list[str]]:
    """Return the engine that ``words`` describe, and everything that is wrong with them.

    If some words are wrong, the engine is built from the others, so that it can be checked further; it is None if that
    fails.

    :param defaults: words that hold unless ``words`` say otherwise; any limit there replaces any limit here, and a
        setting of another kind of seat is left out.
    """
    return _Reader(words, defaults).read()


class _Reader:
    """One reading of one engine's words; it collects the problems."""

    def __init__(self, words: Sequence[str], defaults: Sequence[str]) -> None:
        self.problems: list[str] = []
        self.owners = {row.key: owners for row, owners in seat_settings()}
        inherited = self._split(defaults, "each")
        own = self._split(words, "engine")
        if any(key in own for key in LIMIT_WORDS):
            inherited = {key: value for key, value in inherited.items() if key not in LIMIT_WORDS}
        self.values = inherited | own
        self.protocol = self._protocol()
        for key in own:
            if self.protocol not in self.owners.get(key, (self.protocol,)):
                self._problem(f"protocol={self.protocol} has no {key}; {' and '.join(self.owners[key])} only")

    def read(self) -> tuple[EngineConfig | None, list[str]]:
        command = self._command()
        name = self.values.get("name", PurePath(command[0]).name if command else "engine")
        fields = self._settings({row.key: row for row in COMMON_SETTINGS})
        settings = self._settings({row.key: row for row in get_seat(self.protocol).settings})
        if limit := self._limit():
            fields["limit"] = limit
        fields["env"] = self._named(ENV)
        if not command and self.values.get("cmd"):
            return None, self.problems
        try:
            config = EngineConfig(
                name, command, self.protocol, options=self._named(OPTION), settings=tuple(settings.items()), **fields
            )
        except SetupError as error:
            return None, [*self.problems, *error.problems]
        try:
            return check_config(config), self.problems
        except SetupError as error:
            return None, [*self.problems, *error.problems]

    def _split(self, words: Sequence[str], where: str) -> dict[str, str]:
        """Return the words by their keys; those that are wrong are left out."""
        values: dict[str, str] = {}
        allowed = engine_words()
        for word in words:
            key, equals, value = word.partition("=")
            if not equals:
                self.problems.append(f"{where}: {word!r} is no KEY=VALUE")
            elif key not in allowed and not (key.startswith((OPTION, ENV)) and not key.endswith(".")):
                hint = suggestion(key, list(allowed))
                self.problems.append(f"{where}: there is no key {key!r}; {hint}allowed: {', '.join(allowed)}")
            elif key in values:
                self.problems.append(f"{where}: {key} is given twice: {values[key]!r} and {value!r}")
            else:
                values[key] = value
        return values

    def _problem(self, text: str) -> None:
        name = self.values.get("name")
        self.problems.append(f"engine {name}: {text}" if name else f"engine: {text}")

    def _protocol(self) -> str:
        protocol = self.values.get("protocol") or named_protocol(self.values.get("cmd", "").split())
        try:
            get_seat(protocol)
        except SetupError as error:
            self._problem(str(error))
            return DEFAULT_PROTOCOL
        return protocol

    def _named(self, prefix: str) -> tuple[tuple[str, str], ...]:
        """Return the names and values of the words whose key begins with ``prefix``."""
        return tuple((key.removeprefix(prefix), v) for key, v in self.values.items() if key.startswith(prefix))

    def _command(self) -> tuple[str, ...]:
        text = self.values.get("cmd", "")
        try:
            command = tuple(shlex.split(text))
        except ValueError as error:
            self._problem(f"cmd={text!r} cannot be split into words: {error}")
            return ()
        return command

    def _settings(self, rows: Mapping[str, Setting]) -> dict[str, Any]:
        """Return the values of those of ``rows`` that the words give, by their names."""
        found: dict[str, Any] = {}
        for key, row in rows.items():
            if key in self.values:
                try:
                    found[row.name] = row.parse(self.values[key])
                except ValueError as error:
                    self._problem(f"{key}: {error}")
        return found

    def _limit(self) -> TimeControl | None:
        limits = [f"{key}={self.values[key]}" for key in LIMIT_WORDS if key in self.values]
        if len(limits) > 1:
            self._problem(f"{' and '.join(limits)} are given; one limit at most is allowed")
        try:
            return TimeControl.parse(limits[0]) if len(limits) == 1 else None
        except SetupError as error:
            self._problem(str(error))
            return None
