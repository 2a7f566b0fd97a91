"""A JSON schema of a tournament's configuration, for editors; made from the same keys that are read.

``data/schema.json`` is this schema, for the configurations beside it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from quietmove.referee.config.toml_keys import EngineKeys, EngineTable
from quietmove.tournament.config.definition import DEFAULT_FORMAT
from quietmove.tournament.config.toml_keys import Document, document_model
from quietmove.tournament.formats import FORMATS, get_format

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["schema", "schema_text"]

DIALECT = "http://json-schema.org/draft-07/schema#"  # the one that editors of TOML know


def schema() -> dict[str, Any]:
    """Return the schema as a value of JSON's own types.

    The keys of a format are allowed where the file names that format, or none and it is the default.
    """
    document = _table(Document)
    document["properties"]["defaults"] = _table(EngineKeys)
    document["properties"]["engine"]["items"] = _table(EngineTable)
    own = {name: [row.name for row in get_format(name).settings] for name in FORMATS}
    document["properties"] |= dict.fromkeys(sorted({key for keys in own.values() for key in keys}), True)
    document["allOf"] = [_of_format(name, own) for name in FORMATS]
    return {"$schema": DIALECT, "title": "A tournament of quietmove-tournament", **document}


def schema_text() -> str:
    """Return the schema as text, ending in a newline."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _of_format(name: str, own: dict[str, list[str]]) -> dict[str, Any]:
    """Return what holds for files of one format: its keys, and none of another's."""
    keys = _table(document_model(name))
    properties = {key: keys["properties"][key] for key in own[name]}
    properties |= {key: False for others in own.values() for key in others if key not in own[name]}
    named = {"properties": {"format": {"const": name}}, **({} if name == DEFAULT_FORMAT else {"required": ["format"]})}
    needed = [key for key in keys["required"] if key in own[name]]
    return {"if": named, "then": {"properties": properties, **({"required": needed} if needed else {})}}


def _table(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of one table, without the names of our classes."""
    found = model.model_json_schema()
    for key in ("title", "description"):
        found.pop(key, None)
    for key in found["properties"].values():
        key.pop("title", None)
        if key.get("default", "") is None:  # which TOML cannot say
            del key["default"]
    return found
