"""Games that the referee ends itself, between real processes; some of them lie about the score."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quietmove.referee.config.model import Adjudication
from quietmove.referee.game.adjudicator import solve
from quietmove.referee.game.host import play_game

HONEST = {"resign_score": 5, "resign_moves": 4}


@pytest.mark.parametrize(
    ("black", "white", "reason", "plies"),
    [
        (-700, 600, "adjudicated", 8),
        (-700, 499, "finished", None),
        (700, 600, "finished", None),  # one of them lies
    ],
)
def test_a_game_is_given_up_by_two_words_alone(
    fakes: Any, black: int, white: int, reason: str, plies: int | None
) -> None:
    players = [fakes.config("sane", "--claim", str(claim), name=f"says{claim}") for claim in (black, white)]
    record = play_game(fakes.game(*players, adjudication=Adjudication(**HONEST)))
    assert record.reason == reason
    assert plies is None or len(record.moves) == plies
    if reason == "adjudicated":
        assert (record.points_black, record.margin_black, record.loser) == (0.0, -6, None)


def test_the_end_is_solved_and_not_played(fakes: Any) -> None:
    rules = Adjudication(solve_empties=10)
    record = play_game(fakes.game(fakes.config("sane"), fakes.config("sane"), adjudication=rules))
    position = record.transcript.position()
    assert position.moves_left() == 10
    assert record.reason == "adjudicated"
    assert 100 * record.margin_black == asyncio.run(solve(position))
    assert record.detail.startswith("solved with 10 moves left: ")
