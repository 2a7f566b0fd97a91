"""An engine from a table of keys and values, which words of a command line or a file of TOML have given."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from quietmove.referee.config.model import INTERPRETERS, EngineConfig
from quietmove.referee.config.validation import Mistake, must, names, read, unknown_key
from quietmove.referee.errors import SetupError
from quietmove.referee.seats import SEATS, check_config, get_seat, named_protocol, seat_settings

Table = Mapping[str, Any]

MERGED_KEYS = ("options", "env")  # tables whose entries an engine inherits one by one from the defaults
NEEDED = {"command", "protocol"}  # a mistake in one of these leaves no program that could be asked for its options


def engine_keys() -> list[str]:
    """Return the keys of an engine's table, those that seats declare among them."""
    return [*(name for name in names(EngineConfig) if name != "settings"), *(row.name for row, _ in seat_settings())]


def read_table(table: Table, defaults: Table, *, words: bool = False) -> tuple[EngineConfig | None, list[Mistake]]:
    """Return the engine that a table describes, and everything that is wrong with it.

    The engine is made without the keys that are wrong, so that it can be checked further; it is None if that fails.

    :param defaults: the values of keys that the table does not have; settings of another kind of seat are left out.
    :param words: whether values are texts of a command line; see :func:`quietmove.referee.config.validation.read`.
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
    for path, text in wrong:  # the keys of seats are keys too
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
    """Return the words of a command; none of one that is wrong."""
    try:
        return list(map(str, shlex.split(value) if isinstance(value, str) else value))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return []


def program_name(command: Sequence[str], *, with_arguments: bool = False) -> str:
    """Return the name of an engine after its command: its program, or the script that an interpreter runs.

    So ``python3 -u engines/mine.py --level 3`` is ``mine.py``, and ``python3 -m mine`` is ``mine``.

    :param with_arguments: add what follows the program: ``mine.py --level 3``.
    """
    at = 0
    if INTERPRETERS.fullmatch(PurePath(command[0]).name):
        at = next((index for index, word in enumerate(command) if index and not word.startswith("-")), 0)
    return " ".join([PurePath(command[at]).name, *(command[at + 1 :] if with_arguments else ())])


def _take_settings(merged: dict[str, Any], table: Table, protocol: str, *, words: bool) -> Iterator[Mistake]:
    """Move the settings of seats in ``merged`` to the field for those of this engine's; yield what is wrong with them.

    Only a setting of the engine's own table may be misplaced.
    """
    rows = {row.name: row for row in get_seat(protocol).settings} if protocol in SEATS else {}
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
        elif row.name in table and protocol in SEATS:
            yield (row.name,), must(f"must be given with protocol {' or '.join(owners)} only", protocol)
    merged["settings"] = settings


def _without(table: dict[str, Any], mistakes: list[Mistake]) -> dict[str, Any]:
    """Return the table without what is wrong in it or in a table that it holds."""
    kept = {key: dict(value) if isinstance(value, dict) else value for key, value in table.items()}
    for (outer, *inner), _ in mistakes:
        if inner and isinstance(kept.get(str(outer)), dict):
            kept[str(outer)].pop(inner[0], None)
        else:
            kept.pop(str(outer), None)
    return kept
