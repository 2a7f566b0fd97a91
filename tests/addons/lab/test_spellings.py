"""The page of search trees reads moves and positions in every spelling."""

from __future__ import annotations

from pathlib import Path

from quietmove.addons.lab.trees_page import TreeRequest, tree_of
from tests.contract.test_spellings import check_moves, check_positions


def tree(**values: str) -> str:
    return str(tree_of(TreeRequest(game="othello", depth=1, **values))["position"])


def test_moves_are_read_in_every_spelling(tmp_path: Path) -> None:
    check_moves(lambda text, _: tree(moves=text), tmp_path)


def test_a_position_is_read_in_every_spelling(tmp_path: Path) -> None:
    check_positions(lambda text, _: tree(position=text), tmp_path)
