from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match.setup import MatchSetup
from quietmove.referee.process import sandbox
from quietmove.referee.process.programs import start_objections
from quietmove.referee.seats import Objection, preflight


@pytest.mark.parametrize("wrong", [False, True])
def test_engines_that_are_started_alike_are_asked_together(monkeypatch: pytest.MonkeyPatch, wrong: bool) -> None:
    asked = []

    def answer(config: EngineConfig, game: str) -> list[Objection]:
        asked.append(config)
        return [Objection(name, f"no {value}") for name, value in config.options if value == "bad"]

    monkeypatch.setattr(preflight, "check_engine", answer)
    engines = [
        EngineConfig("a", ("x",), options=(("Hash", "1"), ("Level", "2"))),
        EngineConfig("b", ("x",), options=(("Hash", "1"), ("Level", "bad" if wrong else "3"))),
        EngineConfig("c", ("x", "--quiet")),
        EngineConfig("d", ("x",)),
    ]
    found = preflight.check_engines(engines, "othello", at_once=1)
    level = engines[1].options[1]
    assert asked[0].options == (("Hash", "1"), ("Level", "2"), level)
    assert found == [[], [Objection("Level", "no bad")] if wrong else [], [], []]
    assert [config.name for config in asked[1:]] == (["a", "b", "d", "c"] if wrong else ["c"])


LONG = "/" + "a" * 300  # no file can have this name


@pytest.mark.parametrize(
    ("fields", "objection"),
    [
        ({"cwd": LONG}, f"cwd: there is no folder '{LONG}', or it may not be entered"),
        ({"sandbox": True, "sandbox_bind": (LONG,)}, f"sandbox_bind: there is no '{LONG}'"),
        ({"sandbox": True, "command": (LONG,)}, f"there is no program '{LONG}', or it may not be run"),
    ],
)
def test_a_path_may_have_any_length(monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], objection: str) -> None:
    monkeypatch.setattr(sandbox, "refusal", lambda: "")  # where there is no bubblewrap too
    config = EngineConfig(**{"name": "a", "command": ("quietmove",), **fields})
    assert list(start_objections(config, "othello")) == [objection]


def test_the_folder_of_transcripts_may_have_a_name_of_any_length() -> None:
    setup = MatchSetup("othello")
    setup.transcripts(Path(LONG))
    assert setup.problems == [f"transcripts: {LONG}: File name too long"]
