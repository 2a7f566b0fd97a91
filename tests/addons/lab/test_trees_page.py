"""Search trees as a page gets them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quietmove.addons.lab.trees_page import TreeRequest, describe_trees, tree_of
from quietmove.engine.errors import GameError
from quietmove.referee.errors import SetupError


def asked(request: dict[str, Any]) -> dict[str, Any]:
    return tree_of(TreeRequest.read(json.dumps(request)))


def test_a_level_of_a_page() -> None:
    answer = asked({"game": "tictactoe", "moves": "a1 b2", "algorithm": "alphabeta", "level": True})
    assert (answer["shown"], answer["value"], len(answer["children"])) == ("level", 0, 7)
    assert answer["children"][0]["board"].count("X") == 2
    assert asked({"game": "connect", "depth": 12})["shown"] == "level"
    assert asked({"game": "tictactoe", "depth": 2})["shown"] == "whole"
    assert asked({"game": "tictactoe", "depth": 0})["nodes"] == [
        {"parent": None, "move": None, "side": 0, "board": "-" * 9, "value": 0}
    ]
    assert answer["step"]["board"] == answer["board"]
    assert [each["move"] for each in answer["step"]["legal"]] == [each["move"] for each in answer["children"]]


def test_simulations_end_with_a_game() -> None:
    answer = asked({"game": "tictactoe", "algorithm": "mcts", "simulations": 30, "seed": 2})
    told = answer["simulations"]
    assert (answer["shown"], len(told), told[-1]["visits"][0]) == ("simulations", 30, 30)
    for each in told:
        lines = [each["end"][i : i + 3] for i in (0, 3, 6)]
        lines += [each["end"][i::3] for i in range(3)] + [each["end"][::4], each["end"][2:7:2]]
        winner = 0 if "XXX" in lines else 1 if "OOO" in lines else 2
        assert each["winner"] == winner
        assert len(each["path"]) - 1 + len(each["playout"]) == 9 - each["end"].count("-")


def test_what_a_page_may_choose() -> None:
    games = describe_trees(["tree", "tictactoe", "whist", "no.py:Such"])["games"]
    assert [(game["name"], game["kind"], game["depth"]) for game in games] == [
        ("tree", "perfect", None),
        ("tictactoe", "perfect", None),
        ("whist", "hidden", 3),
    ]
    assert games[0]["start"] == "[[3,5,6],[1,2,0],[9,7,8]] max"


@pytest.mark.parametrize(
    ("asked_for", "error"),
    [
        ({"game": "chess"}, "not 'chess'"),
        ({"game": "tictactoe", "moves": "a1 a1"}, "'a1' is not legal"),
        ({"algorithm": "no"}, "algorithm: must be"),
        ({"algorithm": "mcts", "position": "7 max"}, "position: the game is already over"),
        ({"depth": 61}, "depth: must be"),
    ],
)
def test_a_wrong_request_is_one_error(asked_for: dict[str, Any], error: str) -> None:
    with pytest.raises((SetupError, GameError)) as raised:
        asked({"game": "tree", **asked_for})
    assert error in str(raised.value)
    assert "\n" not in str(raised.value)
