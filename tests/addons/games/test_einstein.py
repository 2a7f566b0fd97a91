"""The dice game: its rules on positions set up by hand, and the positions that no game can reach."""

from __future__ import annotations

import pytest

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves

START = "145--26---3---c---fb--eda B -"


@pytest.fixture
def game() -> Game:
    return get_game("einstein")


def at(game: Game, text: str) -> Position:
    return game.parse_position(text.split())


def moves(game: Game, position: Position) -> list[str]:
    return [game.format_move(move) for move in position.legal_moves()]


def test_the_start_is_as_documented(game: Game) -> None:
    assert game.kind == "chance"
    assert game.format_position(game.initial()) == START
    assert get_game("einstein 123456").format_position(get_game("einstein 123456").initial()).startswith("123--45---6")


def test_nature_rolls_before_each_move(game: Game) -> None:
    position = game.initial()
    assert (position.side_to_move, position.next_player) == (NATURE, 0)
    assert position.outcomes() == [(roll, 1) for roll in range(1, 7)]
    assert moves(game, position) == list("123456")
    play_moves(game, position, ["4"])
    assert (position.side_to_move, position.outcomes()) == (0, [])
    assert moves(game, position) == ["4se", "4s", "4e"]
    play_moves(game, position, ["4se"])
    assert (position.side_to_move, position.next_player) == (NATURE, 1)
    play_moves(game, position, ["1"])
    assert moves(game, position) == ["1nw", "1n", "1w"]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("------1---------------f-- B 4", ["1se", "1s", "1e"]),  # all remaining pieces have lower numbers
        ("-----------6----------f-- B 4", ["6se", "6s", "6e"]),  # all remaining pieces have higher numbers
        ("-2---------5----------f-- B 4", ["2se", "5se", "2s", "5s", "2e", "5e"]),  # the player chooses
        ("-2--3------5----------f-- B 4", ["5se", "3s", "5s", "5e"]),  # the next lower piece is at the edge
        ("------1---------------f-- W 1", ["6nw", "6n", "6w"]),
    ],
)
def test_when_a_piece_is_gone_the_next_ones_may_move(game: Game, position: str, expected: list[str]) -> None:
    assert moves(game, at(game, position)) == expected


def test_any_piece_is_captured_and_comes_back(game: Game) -> None:
    before = "------12---------------f- B 1"
    for move, after in (("1e", "-------1---------------f- W -"), ("1s", "-------2---1-----------f- W -")):
        position = at(game, before)
        key = position.key
        play_moves(game, position, [move])
        assert game.format_position(position) == after
        assert position.key == at(game, after).key
        position.undo()
        assert (game.format_position(position), position.key) == (before, key)


@pytest.mark.parametrize("text", ["-------------------1f---- B 1", "------------------1f----- B 1"])
def test_the_corner_and_the_last_piece_win(game: Game, text: str) -> None:
    position = at(game, text)
    winning = "1s" if text.startswith("-------------------1") else "1e"
    play_moves(game, position, [winning])
    assert position.is_over()
    assert (position.side_to_move, position.static_value(), position.result()) == (1, -10000, 10000)
    assert position.moves_left() == 0
