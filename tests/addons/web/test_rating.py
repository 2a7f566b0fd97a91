"""The rating of a person against levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.addons.web.rating import FIRST_DEVIATION, FIRST_RATING, rating_in, rating_of, updated
from quietmove.engine.levels import level_elo
from quietmove.referee.game.saved import SavedGame, Spec, Strength, write_game
from quietmove.referee.game.transcript import MoveRecord


def game(level: int, margin: float | None, day: int = 1, **values: object) -> SavedGame:
    facts = {
        "moves": (MoveRecord("f5", "black"),),
        "people": ("black",),
        "opponent": Strength(level=level),
        "margin_black": margin,
        "date": f"2026-01-{day:02} 10:00:00",
    }
    return SavedGame(**facts | values)


def test_the_published_example_of_glicko(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player of 1500 (deviation 200) beats one of 1400 (deviation 30): the first game of Glickman's example.

    By hand: g = 0.9955, E = 0.639, 1/sqrt(1/200^2 + q^2 g^2 E(1 - E)) = 175.2, q 175.2^2 g (1 - E) = 63.
    """
    monkeypatch.setattr("quietmove.addons.web.rating.LEVEL_DEVIATION", 30.0)
    rating, deviation = updated(1500, 200, 1400, 1)
    assert rating == pytest.approx(1563.4, abs=0.5)
    assert deviation == pytest.approx(175.2, abs=0.5)


def test_each_game_against_a_level_moves_the_rating() -> None:
    first = rating_of([])
    assert (first["rating"], first["deviation"], first["curve"]) == (FIRST_RATING, FIRST_DEVIATION, [])
    zones = rating_of([game(8, 10), game(8, 10, date="2026-01-02 10:00:00+01:00")])  # a date written by hand
    assert len(zones["curve"]) == 2
    won = rating_of([game(8, 10)])
    lost = rating_of([game(8, -10)])
    assert lost["rating"] < FIRST_RATING < won["rating"]
    as_white = rating_of([game(8, -10, people=("white",))])
    assert as_white == won
    even = rating_of([game(10, (-1) ** day * 4, day) for day in range(1, 29)])
    assert abs(even["rating"] - level_elo(10)) < 120  # half the games against level 10
    assert even["level"] in (9, 10, 11)
    assert even["deviation"] < 80
    assert len(even["curve"]) == 28
    later = rating_of([game(10, 4, 1), game(10, 4, 1, date="2028-01-01 10:00:00")])
    # After two years, the rating is less certain.
    assert later["curve"][1]["rating"] - later["curve"][0]["rating"] > 100


def test_games_that_say_nothing_about_strength_do_not_count(tmp_path: Path) -> None:
    others = [
        game(3, None),
        game(3, 2, people=("black", "white")),
        game(3, 2, opponent=None),
        game(3, 2, given=5),
        game(3, 2, was_helped=True),
        game(3, -64, moves=()),
        game(3, 2, spec=Spec(game="nim")),
        game(3, 2, start="-" * 63 + "X X"),
    ]
    for number, each in enumerate([*others, game(3, 2)]):
        write_game(each, tmp_path / f"{number}.jsonl", replaces=False)
    (tmp_path / "bad.jsonl").write_text("hello")
    assert len(rating_in(tmp_path)["curve"]) == 1
    assert rating_in(None)["curve"] == []
