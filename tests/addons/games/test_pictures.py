"""The pictures of games without squares, in many positions of random games."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.picture import Picture
from quietmove.engine.games.registry import get_game

HEAPS = ("nim", "nim 1,2,3", "nim 64", "nim 13,11,10,10,10,10", "subtraction", "subtraction 0 2", "subtraction 1000 64")
TREES = ("tree", "tree 2x5", "tree 3x4 2", "tree 40x2", "tree 1x40")
NAMES = (*HEAPS, *TREES, "whist", "whist 4x6 4")
SEEDS = 2
PLIES = 20


def positions(game: Game) -> Iterator[Position]:
    for seed in range(SEEDS):
        choices, position = random.Random(seed), game.begin(seed)
        yield position
        for _ in range(PLIES):
            if not (moves := position.legal_moves()):
                break
            position.play(choices.choice(moves))
            yield position


def drawn(game: Game, position: Position) -> Picture:
    picture = game.picture(position)
    assert picture is not None
    return picture


def words(game: Game, position: Position) -> list[str]:
    return sorted(map(game.format_move, position.legal_moves()))


@pytest.mark.parametrize("name", NAMES)
def test_each_legal_move_is_played_by_one_item(name: str) -> None:
    game = get_game(name)
    for position in positions(game):
        picture = drawn(game, position)
        moving = [item for item in picture.items if item.move]
        assert sorted(item.move for item in moving) == [move for move in words(game, position) if move != "pass"]
        assert all(item.label for item in moving)  # the item is accessible by keyboard and screen reader
        assert all(0 <= item.x <= picture.width and 0 <= item.y <= picture.height for item in picture.items)
        named = [item.name for item in picture.items if item.name]
        assert len(named) == len(set(named))


@pytest.mark.parametrize("name", HEAPS)
def test_a_stone_takes_those_behind_it(name: str) -> None:
    game = get_game(name)
    for position in positions(game):
        items = drawn(game, position).items
        for place, item in enumerate(items):
            if item.move:
                behind = [other for other in items[place:] if other.heap == item.heap]
                assert len(behind) == int(item.move.rpartition("-")[2])
                assert all(other.mark == "" for other in behind)


@pytest.mark.parametrize(("name", "moves", "gone"), [("nim", "3-4 1-1", ["1.3"]), ("subtraction", "1 2", ["19", "20"])])
def test_what_the_last_move_took_is_seen(name: str, moves: str, gone: list[str]) -> None:
    game = get_game(name)
    position = game.initial()
    for move in moves.split():
        position.play(game.parse_move(position, move))
    assert [item.name for item in drawn(game, position).items if item.mark == "gone"] == gone
    assert not [item for item in drawn(game, position.copy()).items if item.mark]


def test_the_end_of_a_large_heap_is_drawn() -> None:
    game = get_game("subtraction 1000 64")
    position = game.initial()
    position.play(64)
    items = drawn(game, position).items
    assert items[0].text == "the last of 936 stones; a move takes 1 to 64"
    assert [item.name for item in items[1:]] == [str(number) for number in range(841, 1001)]
    assert [item.mark for item in items[-65:]] == ["", *["gone"] * 64]


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_player_sees_no_hidden_card(viewer: int) -> None:
    game = get_game("whist")
    for position in positions(game):
        hidden = set(words_of(game.format_position(position).split()[1 - viewer]))
        items = game.picture(position, viewer).items  # type: ignore[union-attr]
        assert not hidden & {item.name for item in items}
        assert sum(item.kind == "back" and item.side == 1 - viewer for item in items) == len(hidden)
        own = [item.move for item in items if item.move]
        assert sorted(own) == (
            [move for move in words(game, position) if move != "pass"] if position.side_to_move == viewer else []
        )


def words_of(hand: str) -> list[str]:
    return [] if hand == "-" else [hand[i : i + 2] for i in range(0, len(hand), 2)]


def test_the_last_trick_lies_on_the_table_until_another_card_is_led() -> None:
    game = get_game("whist")
    position = game.parse_position(["s1s5h2d1d5", "s3h4h5d2d3", "-", "B"])
    for moves, lying, last in (("d1", ["d1"], "d1"), ("d2", ["d1", "d2"], "d2"), ("pass s3", ["s3"], "s3")):
        for move in moves.split():
            position.play(game.parse_move(position, move))
        items = [item for item in drawn(game, position).items if item.kind == "card" and 2 < item.y < 3.5]
        assert [item.name for item in items] == lying
        assert [item.name for item in items if item.mark == "last"] == [last]
    assert "White has won 1 trick" in [item.label for item in drawn(game, position).items]


def test_a_small_tree_is_drawn_whole_with_the_way_here() -> None:
    game = get_game("tree")
    position = game.parse_position(["[[3,-5.25],[[2],9,[4,[-1]]],7]", "min"])
    for move in (1, 2, 0):
        position.play(move)
    items = drawn(game, position.copy()).items
    assert [item.text for item in items if item.kind == "leaf"] == ["3", "-5.25", "2", "9", "4", "-1", "7"]
    assert [item.kind for item in items if item.parent is None] == ["min"]
    below = {item.text: items[item.parent] for item in items if item.parent is not None and item.kind == "leaf"}
    assert below["2"].kind == "min"
    assert below["3"] == below["-5.25"]
    assert below["3"].kind == below["9"].kind == "max"
    assert all(item.y > items[item.parent].y for item in items if item.parent is not None)
    assert [(item.text, item.mark) for item in items if item.mark] == [
        ("", "path"),
        ("2", "path"),
        ("3", "path"),
        ("4", "last"),
    ]


@pytest.mark.parametrize(("name", "most"), [("tree 3x6", 40), ("tree 40x2", 90), ("tree 1x40", 10)])
def test_of_a_large_tree_what_is_near_is_drawn(name: str, most: int) -> None:
    game = get_game(name)
    for position in positions(game):
        picture = drawn(game, position)
        assert len(picture.items) <= most
        assert picture.width <= 16
        # Type: ignore[attr-defined].
        assert [item.name for item in picture.items if item.mark == "last"] == [str(position.node)]
