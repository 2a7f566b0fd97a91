from __future__ import annotations

from quietmove.referee.config import EngineConfig, GameSpec
from quietmove.referee.output import document, score_lines
from quietmove.referee.record import GameRecord


def record(index: int, margin_first: int, opening: str) -> GameRecord:
    """Make a game without moves; a's games have even indices with Black."""
    players = [EngineConfig("a", ("x",)), EngineConfig("b", ("x",))]
    if index % 2:
        players.reverse()
    margin = -margin_first if index % 2 else margin_first
    spec = GameSpec("othello", (opening,), *players)
    return GameRecord(spec, (), "finished", None, 0.5 + (margin > 0) / 2 - (margin < 0) / 2, margin, "made up")


def test_margin_and_normalized_elo_are_of_the_distinct_pairs() -> None:
    """Two pairs with +10 and -2 in the mean, one of which is played twice more."""
    margins = [12, 8, -6, 2, 12, 8, 12, 8]
    openings = ["f5", "f5", "d3", "d3", "f5", "f5", "f5", "f5"]
    records = {index: record(index, *pair) for index, pair in enumerate(zip(margins, openings, strict=True))}
    lines = [line.strip() for line in score_lines(("a", "b"), records)]
    assert "4 of 8 games are distinct; the others repeat one of these exactly" in lines
    assert "margin +4.00 ± 6.00 (standard error) a game" in lines
    assert "normalized Elo +245.7 ± 340.5" in lines
    score = document(("a", "b"), records, complete=True)["score"]
    assert (score["games"], score["distinct"], score["margin"], score["margin_error"]) == (8, 4, 4.0, 6.0)
    assert round(score["estimate"]["normalized"], 1) == 245.7


def test_one_pair_has_no_error_and_no_game_no_margin() -> None:
    lines = "\n".join(score_lines(("a", "b"), {0: record(0, 5, "f5")}))
    assert "margin +5.00 a game" in lines
    score = document(("a", "b"), {}, complete=False)["score"]
    assert (score["margin"], score["margin_error"], score["estimate"]) == (None, None, None)
