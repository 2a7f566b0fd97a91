"""The hand-made evaluation: fair to both sides, blind to how the board is turned, and as it says of itself."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.evaluators.classic import ANCHORS, TERMS
from quietmove.engine.games.othello.game import Othello
from quietmove.engine.games.othello.notation import START
from tests.fakes.othello import images_of

CLAMP = 6300
SWAPPED = str.maketrans("XO", "OX")


class ClassicOthello(Othello):
    """Othello whose positions are judged by the hand-made evaluation."""

    def parse_position(self, fields: Sequence[str]) -> OthelloPosition:
        position = super().parse_position(fields)
        position.choose_evaluator("classic")
        return position

    def initial(self) -> OthelloPosition:
        return self.parse_position((START, "X"))


OTHELLO = ClassicOthello()


@st.composite
def reachable(draw: st.DrawFn) -> Position:
    position = OTHELLO.initial()
    for choice in draw(st.lists(st.integers(0, 32), max_size=60)):
        moves = sorted(position.legal_moves())
        if not moves:
            break
        position.play(moves[choice % len(moves)])
    return position


def terms(position: Position) -> dict[str, int]:
    return dict(OTHELLO.explain(position))


@settings(max_examples=50)
@given(reachable())
def test_sides_colours_and_symmetries_do_not_matter(position: Position) -> None:
    """Every term but parity changes its sign with the side to move."""
    squares, side = OTHELLO.format_position(position).split()
    mine, value = terms(position), position.static_value()
    assert tuple(mine) == TERMS
    theirs = terms(OTHELLO.parse_position([squares, side.translate(SWAPPED)]))
    assert theirs == {name: term if name == "parity" else -term for name, term in mine.items()}
    other = OTHELLO.parse_position([squares.translate(SWAPPED), side.translate(SWAPPED)])
    assert (terms(other), other.static_value()) == (mine, value)
    assert not position.is_over() or other.result() == -position.result()
    for image in images_of(squares):
        turned = OTHELLO.parse_position([image, side])
        assert (terms(turned), turned.static_value()) == (mine, value)
        assert OTHELLO.canonical(turned) == OTHELLO.canonical(position)


def weight(name: str, empties: int) -> int:
    """Return the weight of a term by straight lines between its four anchors, the last one going on beyond 60."""
    part = min(empties // 20, 2)
    below, above = ANCHORS[name][part : part + 2]
    return (below * 20 + (above - below) * (empties - 20 * part)) // 20


@pytest.mark.parametrize("side", ["X", "O"])
def test_no_estimate_reaches_a_wiped_out_board(side: str) -> None:
    """A board is made better for Black square by square until the terms leave the scale; the value does not."""
    choices = random.Random(side)
    squares, highest = "".join(choices.choice("XO-") for _ in range(64)), 0
    for _ in range(4000):
        square = choices.randrange(64)
        changed = squares[:square] + choices.choice("XO-") + squares[square + 1 :]
        position = OTHELLO.parse_position([changed, side])
        total = sum(terms(position).values()) * (1 if side == "X" else -1)
        if total >= highest and not position.is_over():
            squares, highest = changed, total
            assert abs(position.static_value()) == min(CLAMP, total)
    assert highest > CLAMP


@pytest.mark.parametrize(
    ("name", "squares", "balance"),
    [
        ("corners", {0: "X", 7: "X", 56: "O"}, 1),
        ("X-squares", {9: "X", 14: "O", 49: "O", 54: "O"}, -2),
        ("X-squares", {0: "O", 9: "X"}, 0),  # an X-square next to an occupied corner does no harm
        ("C-squares", {1: "X", 8: "X", 62: "O"}, 1),
        ("C-squares", {0: "X", 1: "X", 8: "O"}, 0),
        ("C-squares", {7: "O", 6: "X", 15: "X", 48: "X"}, 1),
        ("mobility", {27: "O", 28: "X"}, 0),
        ("mobility", {18: "X", 27: "O", 29: "O", 20: "X"}, 2 - 2),
        ("mobility", {0: "X", 1: "O", 8: "O", 9: "O"}, 3),
        ("potential mobility", {0: "X"}, -3),
        ("potential mobility", {0: "X", 1: "O"}, 4 - 2),
        ("parity", {27: "X"}, 1),
        ("parity", {27: "X", 28: "X"}, -1),
        ("stable edge", {0: "X"}, 2),  # a corner counts for both its edges
        ("stable edge", {0: "X", 1: "X", 8: "X", 7: "O"}, 4 - 2),
        ("stable edge", {1: "X", 2: "X"}, 0),
        ("discs", {27: "O", 28: "X", 29: "X", 30: "X"}, 2),
    ],
)
def test_what_each_term_counts(name: str, squares: dict[int, str], balance: int) -> None:
    board = "".join(squares.get(square, "-") for square in range(64))
    for side, sign in (("X", 1), ("O", 1 if name == "parity" else -1)):
        found = terms(OTHELLO.parse_position([board, side]))[name]
        assert found == weight(name, 64 - len(squares)) * sign * balance
