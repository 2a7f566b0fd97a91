"""The schema that editors read says of a configuration what the configuration's own reader says."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from quietmove.tournament.cli import run_command_line
from quietmove.tournament.config.config import DEFAULT_CONFIG
from quietmove.tournament.config.schema import schema

DATA = DEFAULT_CONFIG.parent
LEAST = 'name = "t"\nrounds = 1\n[[engine]]\nname = "a"\n[[engine]]\nname = "b"\n'
SPRT = 'name = "t"\nformat = "sprt"\n[[engine]]\nname = "a"\n[[engine]]\nname = "b"\n'


VALIDATOR = jsonschema.Draft7Validator(schema())


@pytest.mark.parametrize("path", sorted(DATA.glob("*.toml")), ids=lambda path: path.name)
def test_the_shipped_configurations_fit(path: Path) -> None:
    VALIDATOR.validate(tomllib.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "text",
    [
        LEAST,
        LEAST + 'options = { Hash = 4, Quiescence = true, Ordering = "full" }\ncommand = ["a", "b"]\n',
        LEAST + 'limit = "tc=40/10+0.1"\nprotocol = "ugi"\nmemory = 64\ncpus = [0, 1]\nenv = { A = "b" }\n',
        'openings = false\nsolve_empties = 12\nresign_score = 4.5\nopenings_order = "sequential"\n' + LEAST,
        'openings = "a.obf"\nformat = "neighbours"\nreach = 3\n' + LEAST,
        "elo0 = -2.5\n" + SPRT,
    ],
)
def test_what_can_be_written_fits(text: str) -> None:
    VALIDATOR.validate(tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        LEAST.replace("rounds = 1", ""),
        LEAST.replace("rounds = 1", "rounds = 0"),
        LEAST.replace("rounds = 1", 'rounds = "1"'),
        LEAST.replace('name = "t"', ""),
        "rouds = 3\n" + LEAST,
        "reach = 3\n" + LEAST,  # `reach` is a key of format neighbours
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
    assert not VALIDATOR.is_valid(tomllib.loads(text))


def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()
