"""Format values and whole tournament definitions as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from quietmove.referee.arguments.toml_file import TABLES

BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key that needs no quotes


def toml_text(data: Mapping[str, Any]) -> str:
    """Format values as a TOML file: keys first, then the tables ``defaults`` and ``engine``."""
    lines = [f"{_key(key)} = {toml_value(value)}\n" for key, value in data.items() if key not in TABLES]
    tables = [("[defaults]", data["defaults"])] if data.get("defaults") else []
    tables += [("[[engine]]", table) for table in data.get("engine", [])]
    return "".join([*lines, *(f"\n{header}\n{toml_text(table)}" for header, table in tables)])


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else toml_value(key)


def toml_value(value: object) -> str:
    """Format one value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(str(key))} = {toml_value(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return value.isoformat() if isinstance(value, date) else repr(value)
