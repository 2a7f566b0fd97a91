"""What an observer is told of a game between real engines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from quietmove.engine.values import Info
from quietmove.referee.config.model import Color, GameSpec, TimeControl
from quietmove.referee.game.host import play_game
from quietmove.referee.game.record import Clocks, GameRecord, MoveRecord, Observer
from tests.e2e.conftest import SHORT


class Notes(Observer):
    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def game_started(self, spec: GameSpec, clocks: Clocks) -> None:
        self.events.append(("started", spec, clocks))

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        self.events.append(("turn", color, clocks))

    def search_reported(self, color: Color, info: Info[str]) -> None:
        self.events.append(("info", color, info))

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        self.events.append(("move", ply, move, clocks))

    def line_passed(self, color: Color, direction: str, line: str) -> None:
        self.events.append(("line", color, direction, line))

    def game_ended(self, record: GameRecord) -> None:
        self.events.append(("ended", record))

    def named(self, *names: str) -> list[tuple[Any, ...]]:
        return [event for event in self.events if event[0] in names]


def test_a_game_as_it_happens(fakes: Any) -> None:
    engine = fakes.config("sane", "--claim", "50", limit=TimeControl(base_ms=600_000, increment_ms=10))
    notes = Notes()
    white = replace(engine, limit=TimeControl(depth=1))
    record = play_game(fakes.game(engine, white, opening=("f5", "d6"), adjudication=SHORT), notes)
    assert notes.events[-1] == ("ended", record)
    started = notes.named("started", "move", "turn", "ended")
    assert [event[0] for event in started[:5]] == ["started", "move", "move", "turn", "move"]
    assert [event[2] for event in notes.named("move")] == list(record.moves)
    assert [event[1] for event in notes.named("move")] == list(range(1, len(record.moves) + 1))
    assert [event[1] for event in notes.named("turn")] == [move.by for move in record.moves[2:]]
    for number, event in enumerate(notes.events):
        if event[0] == "turn":  # reports arrive between the request and the move, from the engine to move
            until = next(i for i in range(number + 1, len(notes.events)) if notes.events[i][0] == "move")
            reports = [each for each in notes.events[number:until] if each[0] == "info"]
            assert reports
            assert {each[1] for each in reports} == {event[1]}
            assert notes.events[until][2].score == reports[-1][2].score.value
    assert any(event[2:] == (">", "ucinewgame") for event in notes.named("line"))
    assert notes.named("started")[0][2] == {"black": 600_000, "white": None}
    first = notes.named("move")[2]
    assert first[3] == {"black": record.moves[2].clock_ms, "white": None}
    assert first[3]["black"] <= 600_010
    assert notes.named("turn")[1][2] == first[3]


def test_a_game_without_a_first_move_ends_all_the_same(fakes: Any) -> None:
    notes = Notes()
    record = play_game(fakes.game(fakes.config("crash-at-start"), fakes.config("sane")), notes)
    assert notes.named("started", "turn", "move", "ended") == [("ended", record)]


@pytest.mark.parametrize("method", ["game_started", "turn_began", "search_reported", "move_made", "game_ended"])
def test_an_observer_that_fails_ends_the_game_and_the_engines(fakes: Any, method: str) -> None:
    class Broken(Observer):
        pass

    def fail(*_: Any) -> None:
        raise ValueError("of the observer")

    setattr(Broken, method, fail)
    with pytest.raises(ValueError, match="of the observer"):
        play_game(fakes.game(fakes.config("sane"), fakes.config("sane")), Broken())
    assert fakes.living() == set()
