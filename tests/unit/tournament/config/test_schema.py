"""The schema that editors read says of a configuration what the configuration's own reader says."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from quietmove.tournament.config.config import DEFAULT_CONFIG
from quietmove.tournament.config.schema import schema, schema_text
from quietmove.tournament.formats import FORMATS, get_format

DATA = DEFAULT_CONFIG.parent
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
LEAST = 'name = "t"\nrounds = 1\n[[engine]]\nname = "a"\n[[engine]]\nname = "b"\n'
SPRT = 'name = "t"\nformat = "sprt"\n[[engine]]\nname = "a"\n[[engine]]\nname = "b"\n'


def fits(rule: Any, value: Any) -> bool:
    """Tell whether ``value`` is valid: the words of JSON Schema that our schema uses, and no others."""
    if isinstance(rule, bool):
        return rule
    checks = {
        "type": lambda names: any(is_a(value, name) for name in ([names] if isinstance(names, str) else names)),
        "enum": lambda allowed: value in allowed,
        "const": lambda only: value == only and isinstance(value, bool) == isinstance(only, bool),
        "minimum": lambda least: not is_a(value, "number") or value >= least,
        "maximum": lambda most: not is_a(value, "number") or value <= most,
        "minLength": lambda least: not isinstance(value, str) or len(value) >= least,
        "pattern": lambda pattern: not isinstance(value, str) or re.search(pattern, value) is not None,
        "minItems": lambda least: not isinstance(value, list) or len(value) >= least,
        "maxItems": lambda most: not isinstance(value, list) or len(value) <= most,
        "items": lambda each: not isinstance(value, list) or all(fits(each, item) for item in value),
        "required": lambda keys: not isinstance(value, dict) or set(keys) <= set(value),
        "properties": lambda keys: (
            not isinstance(value, dict) or all(fits(keys[key], value[key]) for key in keys if key in value)
        ),
        "additionalProperties": lambda others: (
            not isinstance(value, dict)
            or all(fits(others, value[key]) for key in value if key not in rule.get("properties", {}))
        ),
        "anyOf": lambda rules: any(fits(each, value) for each in rules),
        "allOf": lambda rules: all(fits(each, value) for each in rules),
        "if": lambda condition: not fits(condition, value) or fits(rule["then"], value),
    }
    said = set(rule) - {"$schema", "title", "description", "default", "then"}
    assert said <= set(checks), f"words that this test does not know: {said - set(checks)}"
    return all(checks[word](rule[word]) for word in said)


def is_a(value: Any, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def test_the_file_beside_the_configurations_is_the_schema() -> None:
    made = (DATA / "schema.json").read_text(encoding="utf-8")
    assert made == schema_text(), "make it anew: quietmove-tournament schema > tournament/data/schema.json"


@pytest.mark.parametrize("path", sorted(DATA.glob("*.toml")), ids=lambda path: path.name)
def test_the_shipped_configurations_name_the_schema_and_fit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#:schema schema.json\n")
    assert fits(schema(), tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        LEAST,
        LEAST + 'options = { Hash = 4, Quiescence = true, Ordering = "full" }\ncommand = ["a", "b"]\n',
        LEAST + 'limit = "tc=40/10+0.1"\nprotocol = "gtp"\nmemory = 64\ncpus = [0, 1]\nenv = { A = "b" }\n',
        'openings = false\nsolve_empties = 12\nresign_score = 4.5\nopenings_order = "sequential"\n' + LEAST,
        'openings = "a.obf"\nformat = "neighbours"\nreach = 3\n' + LEAST,
        "elo0 = -2.5\n" + SPRT,
    ],
)
def test_what_can_be_written_fits(text: str) -> None:
    assert fits(schema(), tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        LEAST.replace("rounds = 1", ""),
        LEAST.replace("rounds = 1", "rounds = 0"),
        LEAST.replace("rounds = 1", 'rounds = "1"'),
        LEAST.replace('name = "t"', ""),
        "rouds = 3\n" + LEAST,
        "reach = 3\n" + LEAST,  # of another format
        "rounds = 3\n" + SPRT,
        "elo0 = true\n" + SPRT,
        'format = "swis"\n' + LEAST,
        "solve_empties = 99\n" + LEAST,
        'openings_order = "backwards"\n' + LEAST,
        "openings = true\n" + LEAST,
        LEAST + 'limit = "10 seconds"\n',
        LEAST + 'protocol = "xboard"\n',
        LEAST + "options = { Hash = 1.5 }\n",
        LEAST + "cpus = [-1]\n",
        LEAST + "command = []\n",
        LEAST.replace('[[engine]]\nname = "b"\n', ""),
    ],
)
def test_what_is_refused_does_not_fit(text: str) -> None:
    assert not fits(schema(), tomllib.loads(text))


@pytest.mark.parametrize("name", FORMATS)
def test_every_key_of_a_format_is_there(name: str) -> None:
    (of_format,) = [each["then"] for each in schema()["allOf"] if each["if"]["properties"]["format"]["const"] == name]
    for row in get_format(name).settings:
        assert of_format["properties"][row.name]["description"] == row.explanation
        assert (row.name in of_format.get("required", [])) == row.required
    json.loads(schema_text())
