"""Openings to train: found by name or moves, the replies of the book, and what is said of one's own moves."""

from __future__ import annotations

import re

import pytest

from quietmove.addons.practice.openings import GOOD, comment, find_opening, good_or_popular, reply
from quietmove.engine.errors import IllegalMoveError, NotationError
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.book import SHIPPED, book_of
from quietmove.engine.games.othello.opening_names import TABLE, opening_name
from quietmove.engine.games.othello.symmetry import board_of
from quietmove.engine.games.registry import get_game

OTHELLO = get_game("othello")
BOOK = book_of(SHIPPED)
LINES = [line.partition(" ") for line in TABLE.read_text(encoding="utf-8").splitlines()]


def after(moves: str) -> Position:
    position = OTHELLO.initial()
    for at in range(0, len(moves), 2):
        position.play(OTHELLO.parse_move(position, moves[at : at + 2]))
    return position


def test_every_opening_is_found_by_its_name_in_any_case_and_by_its_moves() -> None:
    for moves, _, name in LINES:
        for text in (name, name.upper(), f" {name.lower()} ", moves, " ".join(moves[:4].split()) + moves[4:]):
            found = find_opening(text)
            assert found.name == name
            assert "".join(map(OTHELLO.format_move, found.moves)) == moves
        position = after(moves)
        assert opening_name(position) == name
    assert find_opening("f5").name == ""


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "tigr",
            NotationError,
            "opening: expected a name such as Tiger, or moves .*, not 'tigr'; .*'tiger'",
        ),
        ("xyzzy", NotationError, "not 'xyzzy'; 'quietmove book names' lists them"),
        ("", NotationError, "not ''"),
        ("f5f5", IllegalMoveError, "f5"),
    ],
)
def test_what_is_no_opening_is_named(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        find_opening(text)


def test_replies_are_good_or_lead_to_a_named_opening() -> None:
    on_the_way = {board_of(after(moves[: at + 2])) for moves, _, _ in LINES for at in range(0, len(moves), 2)}
    bad = popular = left_out = 0
    for moves, _, _ in LINES:
        position = after(moves)
        known = BOOK.moves(position)
        found = [each.move for each in good_or_popular(BOOK, position)]
        assert found
        for each in known:
            is_good = known[0].value - each.value <= GOOD
            next_one = position.copy()
            next_one.play(each.move)
            is_popular = board_of(next_one) in on_the_way
            assert (each.move in found) == (is_good or is_popular)
            popular += is_popular and not is_good
            left_out += each.move not in found
        bad += not known
    assert bad > 10  # the book has no move here, but a search finds one
    assert popular > 3
    assert left_out > 10


def test_a_reply_follows_from_the_seed_and_all_of_them_come() -> None:
    position = after("f5d6c3d3c4f4f6")
    found = {seed: reply(BOOK, position, seed) for seed in range(40)}
    assert found == {seed: reply(BOOK, position, seed) for seed in range(40)}
    assert set(found.values()) == {each.move for each in good_or_popular(BOOK, position)}
    assert len(set(found.values())) > 1


def test_without_the_book_a_search_replies_with_a_good_move() -> None:
    position = after("f5d6c3d3c4b3d2f4")
    assert not BOOK.moves(position)
    found = good_or_popular(BOOK, position)
    assert 1 <= len(found) < len(position.legal_moves())
    assert found[0].value - found[-1].value <= GOOD


@pytest.mark.parametrize(
    ("moves", "move", "said"),
    [
        ("f5", "d6", r"d6 \(\+0\.65\) is in the book, and good"),
        ("f5", "f6", r"f6 \(−0\.91\) is in the book; it loses 1\.56 discs against d6 \(\+0\.65\)"),
        ("f5d6", "c4", r"c4 \(−0\.65\) is in the book, and good; so is c3 \(−0\.65\) or c5 \(−0\.97\)"),
        ("f5", "f4", r"f4 \(.*\) is not in the book; it loses \d+\.\d\d discs against d6 \(.*\)"),
        ("f5d6c3d3c4b3", "b2", r"b2 \(.*\) is not in the book; it loses \d+\.\d\d discs against .*"),
    ],
)
def test_what_is_said_of_a_move(moves: str, move: str, said: str) -> None:
    position = after(moves)
    found = comment(OTHELLO, BOOK, position, OTHELLO.parse_move(position, move))
    assert re.fullmatch(said, found), found
