from __future__ import annotations

import pytest

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import get_game
from quietmove.referee.config import EngineConfig, GameSpec
from quietmove.referee.errors import SetupError
from quietmove.referee.record import GameRecord
from quietmove.referee.transcript import MoveRecord, Transcript, read_transcript

SHORTEST = "f5d6c5f4e3f6g5e6e7"  # White has no disc left


@pytest.mark.parametrize("text", [SHORTEST, "f5 d6 c5 f4 e3 f6 g5 e6 e7", "6 4 4 3 3 4 6 5 5 6 6 3 7 4 5 3 5 2"])
def test_a_typed_game(text: str) -> None:
    game = read_transcript(text, black="Anna", white="Berta")
    assert [record.move for record in game.moves] == ["f5", "d6", "c5", "f4", "e3", "f6", "g5", "e6", "e7"]
    assert [record.by for record in game.moves[:3]] == ["black", "white", "black"]
    assert (game.black, game.white, game.result, game.points_black, game.margin_black) == (
        "Anna",
        "Berta",
        "1-0",
        1,
        64,
    )
    assert game.position().is_over()


def test_a_game_that_is_not_over_has_no_result() -> None:
    game = read_transcript("f5d6")
    assert (game.result, game.points_black, game.margin_black) == ("*", None, None)


def test_the_positions_on_the_way_and_another_start() -> None:
    rules = get_game("othello")
    start = rules.format_position(read_transcript("f5").position())
    game = Transcript("othello", (MoveRecord("d6", "white"), MoveRecord("c3", "black")), start=start)
    whole = read_transcript("f5d6c3")
    assert rules.format_position(game.position(0)) == start
    for plies in range(3):
        assert rules.format_position(game.position(plies)) == rules.format_position(whole.position(plies + 1))
    with pytest.raises(GameError, match="a1"):
        Transcript("othello", (MoveRecord("a1", "black"),)).position()


@pytest.mark.parametrize(("text", "words"), [("f5a1", "a1"), ("f5x9", "x9"), ("f5 hello", "hello")])
def test_a_move_that_cannot_be_played_is_named(text: str, words: str) -> None:
    with pytest.raises(SetupError, match=f"transcript: .*{words}"):
        read_transcript(text)


def test_a_record_is_a_transcript_with_its_specification() -> None:
    spec = GameSpec("othello", (), EngineConfig("a", ("a",)), EngineConfig("b", ("b",)))
    typed = read_transcript(SHORTEST, black="a", white="b")
    record = GameRecord(spec, typed.moves, "finished", None, 1.0, 64, "the game is over")
    assert record.transcript == typed


def test_a_dealt_game_carries_its_deal() -> None:
    engines = EngineConfig("a", ("a",)), EngineConfig("b", ("b",))
    rules = get_game("whist")
    record = GameRecord(GameSpec("whist", (), *engines, seed=3), (), "crash", "black", 0.0, -1, "gone")
    assert rules.format_position(record.transcript.position()) == rules.format_position(rules.begin(3))
