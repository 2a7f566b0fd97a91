"""Games that the referee ends itself, between real processes; some of them lie about the score."""

from __future__ import annotations

import asyncio
from typing import Any

from quietmove.referee.config.model import Adjudication
from quietmove.referee.game.adjudicator import solve
from quietmove.referee.game.host import play_game


def test_a_game_is_given_up_by_two_words(fakes: Any) -> None:
    players = [fakes.config("sane", "--claim", claim, name=f"says{claim}") for claim in ("-700", "600")]
    record = play_game(fakes.game(*players, adjudication=Adjudication(resign_score=5, resign_moves=4)))
    assert (record.reason, len(record.moves)) == ("adjudicated", 8)
    assert (record.points_black, record.margin_black, record.loser) == (0.0, -6, None)


def test_the_end_is_solved_and_not_played(fakes: Any) -> None:
    rules = Adjudication(solve_empties=10)
    record = play_game(fakes.game(fakes.config("sane"), fakes.config("sane"), adjudication=rules))
    position = record.transcript.position()
    assert position.moves_left() == 10
    assert record.reason == "adjudicated"
    assert 100 * record.margin_black == asyncio.run(solve(position))
    assert record.detail.startswith("solved with 10 moves left: ")
