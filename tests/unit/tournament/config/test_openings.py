from __future__ import annotations

from typing import Any

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.lines import InfoLine, parse_info
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.seats import Answer, Failure, Turn
from quietmove.tournament.config import openings
from quietmove.tournament.config.openings import Opening, Recipe, find_openings
from quietmove.tournament.errors import OpeningsError


class Judge:
    """A player that values a position by its last move alone, or says nothing."""

    config = EngineConfig("judge", ("judge",), limit=TimeControl(depth=1))
    ended = 0
    failure: Failure | None = None
    values: Any = staticmethod(lambda turn: len(turn.moves[-1]) * 10)

    async def start(self, *_: Any) -> Failure | None:
        return self.failure

    async def think(self, turn: Turn) -> Answer:
        value = self.values(turn)
        claim: InfoLine | None = None if value is None else parse_info(f"info depth 1 score cp {value}")
        return Answer("bestmove none", "none", 1.0, claim)

    async def end(self, *, patient: bool = True) -> None:
        self.ended += 1


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    made = Judge()
    monkeypatch.setattr(openings, "create_seat", lambda *_: made)
    return made


def find(**changes: Any) -> list[Opening]:
    found: list[Opening] = []
    find_openings(Recipe(**{"count": 5, "plies": 4, "within": 100, **changes}), found.append)
    return found


def test_level_openings_are_kept_and_the_engine_is_ended(judge: Judge) -> None:
    judge.values = lambda turn: 100 if turn.moves[-1] < "e" else -101
    found = find()
    assert [opening.value for opening in found] == [100] * 5
    game = get_game("othello")
    for opening in found:
        position = game.initial()
        play_moves(game, position, opening.moves)
        assert position.ply == 4
    assert judge.ended == 1


def test_no_two_are_alike_in_any_symmetry(judge: Judge) -> None:
    with pytest.raises(OpeningsError, match="found 14 of 1000, then none"):
        find(count=1000, plies=3)
    assert judge.ended == 1


def test_games_that_end_too_early_are_no_openings(judge: Judge) -> None:
    with pytest.raises(OpeningsError, match="found 0 of 5, then none"):
        find(plies=100)
    assert judge.ended == 1


def test_an_engine_that_gives_no_score_is_an_error(judge: Judge) -> None:
    judge.values = lambda turn: None
    with pytest.raises(OpeningsError, match="gave no score after"):
        find()
    assert judge.ended == 1


def test_an_engine_that_does_not_start_is_an_error(judge: Judge) -> None:
    judge.failure = Failure("crash", "ended with status 3")
    with pytest.raises(OpeningsError, match="the engine ended with status 3"):
        find()
    assert judge.ended == 1
