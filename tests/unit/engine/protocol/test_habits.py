"""Spellings of a pass; the whole table of protocol.md is walked in ``test_habits.py`` of ``dialogue`` and ``e2e``."""

from __future__ import annotations

import pytest

from quietmove.engine.errors import IllegalMoveError, NotationError
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.coordinates import UGI
from quietmove.engine.protocol.notation import parse_spelled, read_position

MUST_PASS = ["position", "fen", "XO" + "-" * 62, "O"]


@pytest.mark.parametrize("text", ["pass", "PASS", "0000", "--", "PA", "ps"])
def test_a_pass_is_read_in_every_spelling(text: str) -> None:
    game = get_game("othello")
    position = read_position(game, MUST_PASS)
    assert parse_spelled(game, position, text) == position.legal_moves()[0]
    assert read_position(game, [*MUST_PASS, "moves", text]).side_to_move == 0
    with pytest.raises(IllegalMoveError):
        parse_spelled(game, game.initial(), text)


def test_other_texts_are_no_pass() -> None:
    game = get_game("othello")
    for text in ("000", "none", "0000 f5", ""):
        with pytest.raises(NotationError):
            parse_spelled(game, read_position(game, MUST_PASS), text)


def test_the_empty_move_stands_among_numbers() -> None:
    game = get_game("othello")
    position = read_position(game, [*MUST_PASS, "moves", "0000", "3", "8"])
    assert game.format_position(position).startswith("XXX-")


def test_a_pass_of_ugi_is_the_empty_move() -> None:
    assert [UGI.write(None, move) for move in ("pass", "f5")] == ["0000", "f5"]
