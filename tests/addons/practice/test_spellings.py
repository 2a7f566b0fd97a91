"""An opening to train is read in every spelling."""

from __future__ import annotations

from pathlib import Path

from quietmove.addons.practice.openings import find_opening
from tests.contract.test_spellings import OTHELLO, check_moves, position_after


def test_moves_are_read_in_every_spelling(tmp_path: Path) -> None:
    check_moves(lambda text, _: position_after(list(map(OTHELLO.format_move, find_opening(text).moves))), tmp_path)
