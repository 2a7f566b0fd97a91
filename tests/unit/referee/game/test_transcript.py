from __future__ import annotations

import pytest

from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import SetupError
from quietmove.referee.game.record import GameRecord
from quietmove.referee.game.transcript import MoveRecord, Transcript, read_transcript
from tests.fakes.addons import is_deleted, needs_games

SHORTEST = "f5d6c5f4e3f6g5e6e7"  # White has lost all discs


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
    assert game.position().is_over


def test_the_positions_on_the_way_and_another_start() -> None:
    start = read_transcript("f5").position().fen
    game = Transcript("othello", (MoveRecord("d6", "white"), MoveRecord("c3", "black")), start=start)
    whole = read_transcript("f5d6c3")
    assert (whole.result, whole.points_black, whole.margin_black) == ("*", None, None)
    assert game.position(0).fen == start
    for plies in range(3):
        assert game.position(plies) == whole.position(plies + 1)
    with pytest.raises(GameError, match="a1"):
        Transcript("othello", (MoveRecord("a1", "black"),)).position()


def test_a_record_is_a_transcript_with_its_specification() -> None:
    spec = GameSpec("othello", (), EngineConfig("a", ("a",)), EngineConfig("b", ("b",)))
    typed = read_transcript(SHORTEST, black="a", white="b")
    record = GameRecord(spec, typed.moves, "finished", None, 1.0, 64, "the game is over")
    assert record.transcript == typed


@needs_games
def test_a_dealt_game_carries_its_deal() -> None:
    engines = EngineConfig("a", ("a",)), EngineConfig("b", ("b",))
    rules = get_game("whist")
    record = GameRecord(GameSpec("whist", (), *engines, seed=3), (), "crash", "black", 0.0, -1, "gone")
    assert record.transcript.position().fen == rules.format_position(rules.begin(3))


@pytest.mark.parametrize(
    "text",
    [
        "1.f5d6 2.c3d3 1-0",
        "1) F5, 2) D6, 3) C3, 4) D3 *",
        "1: f5; 2: d6; 3: c3; 4: d3; (33-31)",
        "1. f5 1... d6 2. c3 2… d3 ½-½",
        "1\tf5\td6\n2\tc3\td3\n",
        "1. 6 4 2. 4 3 3. 3 6 4. 4 6 33\N{EN DASH}31",
    ],
)
def test_numbers_and_a_result_are_no_moves(text: str) -> None:
    assert [record.move for record in read_transcript(text).moves] == ["f5", "d6", "c3", "d3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. f5 2. a1", "move 2: .*a1"),
        ("1. f5 1-0 d6", "move 2: .*1-0"),
        ("f5 7 d6", "move 2: .*7"),
        ("1. f5 33-31-2", "move 2: .*33-31-2"),
        ("1.5 f5", r"move 1: .*1\.5"),
        ("f5x9", ".*x9"),
    ],
)
def test_what_is_no_game_is_one_error(text: str, message: str) -> None:
    with pytest.raises(SetupError, match=f"^transcript: {message}"):
        read_transcript(text)


def test_a_move_that_looks_like_a_result_is_a_move_and_passes_may_be_left_out() -> None:
    if not is_deleted("addons/games"):
        assert [record.move for record in read_transcript("1-1 2-2 1-0", "nim 1,2,3").moves] == ["1-1", "2-2"]
    game = "a2 a3 d4 b1 c4 b4 a1 d1 c1 d3 a4 {} d2"  # 4x4 Othello
    for written in ("pass", "--", "PA", ""):
        assert [record.move for record in read_transcript(game.format(written), "othello 4x4").moves][-2:] == [
            "pass",
            "d2",
        ]
