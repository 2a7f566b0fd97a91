"""What would be played, and about how long it takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quietmove.referee.config.model import Adjudication, EngineConfig, TimeControl
from quietmove.tournament.config.preview import estimate, preview
from quietmove.tournament.definition import Tournament


def tournament(*limits: str, game: str = "othello", opening: tuple[str, ...] = (), **fields: object) -> Tournament:
    engines = tuple(
        EngineConfig(f"e{index}", ("x",), limit=TimeControl.parse(limit)) for index, limit in enumerate(limits)
    )
    made = Tournament("t", game, 1, (opening,), engines, settings=(("rounds", 2),))
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "opening", "seconds"),
    [
        (("movetime=100", "movetime=300"), (), 12.0),  # 30 moves each
        (("movetime=100", "movetime=300"), ("f5", "d6"), 11.6),
        (("tc=10+0.1", "tc=5"), (), 18.0),
        (("tc=10/3", "tc=10/3"), (), 18.0),  # the clock is refilled twice
        (("nodes=1000000", "nodes=2000000"), (), 90.0),
        (("movetime=100", "movetime=100", "movetime=400"), (), 12.0),  # the mean of 6, 15 and 15
    ],
)
def test_a_game_is_as_long_as_its_limits(limits: tuple[str, ...], opening: tuple[str, ...], seconds: float) -> None:
    assert estimate(tournament(*limits, opening=opening)) == pytest.approx(seconds)


def test_adjudication_makes_games_shorter() -> None:
    of = tournament("movetime=100", "movetime=100")
    assert estimate(replace(of, adjudication=Adjudication(solve_empties=20))) == pytest.approx(4.0)
    assert estimate(replace(of, adjudication=Adjudication(max_plies=20))) == pytest.approx(2.0)


def test_what_cannot_be_estimated_is_not() -> None:
    assert estimate(tournament("depth=3", "nodes=3")) is None
    assert estimate(tournament("nodes=3", "nodes=3", game="tests/example_games/hexapawn/hexapawn.py:Hexapawn")) is None


def test_the_first_games_and_their_number() -> None:
    lines = list(preview(tournament("movetime=1000", "movetime=1000", "movetime=1000"), 4))
    assert lines[0] == "t: othello, round-robin (rounds = 2), seed 1"
    assert lines[2] == "12 games:"
    assert lines[3].startswith("  game 1, round 1: e")
    assert lines[-2] == "  and 6 more"
    assert lines[-1].startswith("time: about 3:00,")  # 12 games of a minute, 4 at once


def test_a_format_may_allow_fewer_games_at_once() -> None:
    engines = ["movetime=1000", "movetime=1000"]
    settings = (("parameters", "Hash=16:1:64"), ("pairs", 6), ("pairs_at_once", 1), ("rate", 0.1))
    lines = list(preview(tournament(*engines, format="spsa", settings=settings), 50))
    assert lines[1].endswith(", 2 games at once")
    assert lines[-1].startswith("time: about 6:00,")
