"""Explicit trees: the values a lecture finds by hand, and the theorems about how many leaves a search needs."""

from __future__ import annotations

import math

import pytest

from quietmove.addons.games.tree.nodes import TreePosition, uniform_tree
from quietmove.engine.errors import PositionError
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.search.node import INFINITE, Search
from quietmove.engine.values import Settings

SIZES = [(2, 1), (2, 2), (2, 5), (2, 8), (3, 3), (3, 4), (4, 5), (5, 3), (1, 4), (7, 2)]


def searched(position: TreePosition, algorithm: str, depth: int) -> int:
    search = Search(position, None, Settings(algorithm, "static"), lambda: False)
    return search.run(depth, -INFINITE, INFINITE, position.legal_moves(), whole=True)


def root(name: str) -> TreePosition:
    position = get_game(name).initial()
    assert isinstance(position, TreePosition)
    return position


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs"])
def test_perfect_order_examines_the_leaves_of_knuth_and_moore(size: tuple[int, int], algorithm: str) -> None:
    branching, depth = size
    least = branching ** math.ceil(depth / 2) + branching ** (depth // 2) - 1
    for seed in range(1, 6):
        position = root(f"tree {branching}x{depth} {seed} perfect")
        searched(position, algorithm, depth)
        assert position.evaluated == least


def test_a_seed_fixes_the_leaves_and_an_order_only_moves_them() -> None:
    names = ["tree 3x3 4", "tree 3x3 4 perfect", "tree 3x3 4 worst"]
    game = get_game("tree 3x3 4")
    texts = [game.format_position(root(name)) for name in names]
    assert len(set(texts)) == 3
    assert len({"".join(sorted(text)) for text in texts}) == 1
    assert game.format_position(root("tree 3x3 5")) not in texts
    assert [get_game(name).name for name in names] == names


def test_the_leaves_are_those_that_anyone_draws() -> None:
    """The first outputs of SplitMix64 from 1234567, as its implementations in other languages have them."""
    drawn = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)
    expected = [each % 56_001 - 28_000 for each in drawn]
    assert uniform_tree(5, 1, 1234567).nested() == expected
    assert uniform_tree(5, 1, 1).nested() == [22939, 8088, -12721, -11537, 7724]  # as in the laboratory's guide
    assert uniform_tree(2, 2, 1234567).nested() == [expected[:2], expected[2:4]]


def test_equal_subtrees_share_a_key_and_sides_part_it() -> None:
    game = get_game("tree")
    position = game.parse_position(["[[3,[1,2.5]],[3,[1,2.5]],[[1,2.5],3]]", "max"])
    keys = []
    for move in (0, 1, 2):
        position.play(move)
        keys.append(position.key)
        position.undo()
    assert keys[0] == keys[1] != keys[2]
    texts = ["[1,2.5] max", "[1,2.5] min", "[1,2] max", "[2.5,1] max", "1 max", "1 min"]
    assert len({game.parse_position(text.split()).key for text in texts}) == len(texts)


def test_an_inner_node_is_valued_at_the_mean_of_its_leaves() -> None:
    game = get_game("tree")
    assert game.parse_position(["[1,[2,6]]", "max"]).static_value() == 300
    assert game.parse_position(["[1,[2,6]]", "min"]).static_value() == -300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1,2] X",
        "[] max",
        "[1,2 max",
        "[1,281] max",
        "[1,0.125] max",
        "[1,true] max",
        '[1,"2"] max',
        "[1,NaN] max",
        "[" * 41 + "1" + "]" * 41 + " max",
        "[" * 200_000 + " max",
        "[" + "1," * 512 + "1] max",
        "[" + ",".join(["[" + ",".join(["[" + "1," * 63 + "1]"] * 64) + "]"] * 13) + "] max",
    ],
)
def test_a_text_that_is_no_tree_is_one_clear_error(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        get_game("tree").parse_position(text.split())
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


def test_moves_are_numbers_from_1() -> None:
    game = get_game("tree")
    position = game.initial()
    play_moves(game, position, ["3", "2"])
    assert (position.is_over(), position.result()) == (True, 700)
    assert game.draw(position).splitlines() == ["  7", "  game over"]


def test_a_large_tree_is_drawn_in_few_lines() -> None:
    lines = get_game("tree 2x12").draw(root("tree 2x12")).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) < 120
