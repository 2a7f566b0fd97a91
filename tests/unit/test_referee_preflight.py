from __future__ import annotations

import pytest

from quietmove.referee import preflight
from quietmove.referee.config import EngineConfig
from quietmove.referee.seats import Objection


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
