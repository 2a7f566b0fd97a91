"""The keys of a configuration as help text and as a JSON schema for editors, both generated from the models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from quietmove.engine.common.command_line import examples, terminal_columns
from quietmove.referee.arguments.engine_args import engine_keys
from quietmove.referee.config.model import Adjudication, EngineConfig, explanations
from quietmove.referee.config.validation import Setting, adapter
from quietmove.referee.seats import seat_settings, seat_types
from quietmove.tournament.config.config import HEADING
from quietmove.tournament.definition import DEFAULT_FORMAT, OpeningsKeys, Tournament
from quietmove.tournament.formats import FORMATS

MAX_COLUMNS = 120
DIALECT = "http://json-schema.org/draft-07/schema#"  # the version that TOML editors support


def describe_keys() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return every key with its description, grouped by the table it belongs to."""
    heading = {name: text for name, text in explanations(Tournament).items() if name in HEADING}
    heading["format"] += f": {', '.join(FORMATS)}"
    top = [*heading.items(), *explanations(OpeningsKeys).items(), *explanations(Adjudication).items()]
    tables = [("At the top", top)]
    for name, each in FORMATS.items():
        tables.append((f'At the top with format = "{name}"', [(row.name, row.explanation) for row in each.settings]))
    engine = {**explanations(EngineConfig), **{row.name: _of_seat(row, owners) for row, owners in seat_settings()}}
    engine["protocol"] += f": {', '.join(seat_types())}"
    return [*tables, ("In [[engine]], and all but the name in [defaults]", list(engine.items()))]


def schema() -> dict[str, Any]:
    """Return the schema as a dictionary for JSON.

    A format's keys are allowed if the file names that format, or names none and it is the default.
    """
    own = {name: [row.name for row in each.settings] for name, each in FORMATS.items()}
    heading = _table(Tournament, HEADING)["properties"]
    heading["format"]["enum"] = list(FORMATS)
    properties = heading | _table(OpeningsKeys)["properties"] | _table(Adjudication)["properties"]
    engine = _engine()
    properties["defaults"] = {**engine, "required": [], "properties": {**engine["properties"], "name": False}}
    properties["engine"] = {"type": "array", "minItems": 2, "items": engine}
    properties |= dict.fromkeys(sorted({key for keys in own.values() for key in keys}), True)
    return {
        "$schema": DIALECT,
        "title": "A tournament of quietmove-tournament",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": ["name", "engine"],
        "allOf": [_of_format(name, own) for name in FORMATS],
    }


@click.command("schema", epilog=examples("quietmove-tournament schema > tournament-schema.json"))
@click.option("--text", "as_text", is_flag=True, help="Explain the keys to people instead.")
def command(as_text: bool) -> None:
    """Print the JSON schema of a configuration, which lets editors complete and check its keys.

    Editors that support TOML schemas read the first line of the file: #:schema tournament-schema.json
    """
    if not as_text:
        click.echo(json.dumps(schema(), indent=2, ensure_ascii=False))
        return
    formatter = click.HelpFormatter(width=terminal_columns(MAX_COLUMNS))
    for title, keys in describe_keys():
        with formatter.section(title):
            formatter.write_dl(keys)
    click.echo(formatter.getvalue(), nl=False)


def _engine() -> dict[str, Any]:
    table = _table(EngineConfig, engine_keys())
    table["properties"]["protocol"]["enum"] = list(seat_types())
    for row, owners in seat_settings():
        table["properties"][row.name] = {**row.schema(), "description": _of_seat(row, owners)}
    return table


def _of_seat(row: Setting, owners: Sequence[str]) -> str:
    return f"{' and '.join(owners)} only: {row.explanation}"


def _of_format(name: str, own: dict[str, list[str]]) -> dict[str, Any]:
    """Return the schema for files of one format, with its own keys and no other format's."""
    rows = FORMATS[name].settings
    properties: dict[str, Any] = {row.name: row.schema() for row in rows}
    properties |= {key: False for others in own.values() for key in others if key not in own[name]}
    named = {"properties": {"format": {"const": name}}, **({} if name == DEFAULT_FORMAT else {"required": ["format"]})}
    needed = [row.name for row in rows if row.required]
    return {"if": named, "then": {"properties": properties, **({"required": needed} if needed else {})}}


def _table(kind: Any, keys: Sequence[str] = ()) -> dict[str, Any]:
    """Return the schema of a model's table, or only of some keys, without titles and defaults."""
    schema = adapter(kind).json_schema()
    properties = {key: value for key, value in schema["properties"].items() if key in keys or not keys}
    for key in properties.values():
        for word in ("title", "default"):
            key.pop(word, None)
    return {
        **{key: schema[key] for key in ("type", "additionalProperties", "required") if key in schema},
        "properties": properties,
    }
