"""The endgames to practise: their file, and every one of them solved again by another solver."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from quietmove.addons.practice.problems import SHIPPED, endgames
from quietmove.addons.shared.endgames import Endgame, pack_endgames, read_endgames
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.board import EXACT_REACH
from quietmove.engine.games.othello.symmetry import board_of
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.search.node import INFINITE, Search
from quietmove.engine.search.table import Table
from quietmove.engine.session import Session
from quietmove.engine.values import Settings

PLIES = 40  # more than 16 moves and the passes between them
EVERY = 40  # sample one endgame in 40
CHUNKS = 4
NEW_SEEDS = range(101, 105)  # the difficulties were measured with other seeds


def solve_again(endgame: Endgame) -> None:
    """Check value and move by the general search, which leaves nothing to Othello's endgame solver at a depth."""
    position = endgame.position()
    search = Search(position, Table(4), Settings("pvs", "full"), lambda: False)
    assert search.run(PLIES, -INFINITE, INFINITE, [endgame.move], False) == endgame.value
    others = [move for move in position.legal_moves() if move != endgame.move]
    assert len(others) >= 2
    assert search.run(PLIES, endgame.value - 1, endgame.value, others, False) < endgame.value


def test_a_sample_is_solved_again() -> None:
    sample = endgames()[::EVERY]
    assert any(each.empties > EXACT_REACH for each in sample)
    for each in sample:
        solve_again(each)


@pytest.mark.soak
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_all_are_solved_again(chunk: int) -> None:
    for each in endgames()[chunk::CHUNKS]:
        solve_again(each)


def test_the_set_is_balanced_and_small() -> None:
    found = endgames()
    assert SHIPPED.stat().st_size <= 200_000
    assert len({board_of(each.position()) for each in found}) == len(found) == 2000
    counts = Counter(each.difficulty for each in found)
    assert sorted(counts) == list(range(FULL_STRENGTH + 1))
    assert 40 <= min(counts.values()) <= max(counts.values()) <= 101


@pytest.mark.soak
@pytest.mark.parametrize("level", [1, 4, 7, 10, 13])
def test_a_level_finds_the_easier_ones_with_other_seeds_too(level: int) -> None:
    """What is measured to be harder is found less often, third by third."""
    move_of = pytest.importorskip("quietmove.addons.train.puzzles").move_of
    session, shares = Session(), []
    for difficulties in (range(level + 1), range(level + 1, level + 4), range(level + 4, FULL_STRENGTH + 1)):
        chosen = [each for each in endgames() if each.difficulty in difficulties][::10]
        found = [move_of(session, each.position(), level, seed) == each.move for each in chosen for seed in NEW_SEEDS]
        shares.append(sum(found) / len(found))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[2] > 0.2


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "x.puzzles"
    path.write_bytes(pack_endgames(reversed(endgames())))
    assert path.read_bytes() == SHIPPED.read_bytes()
    path.write_bytes(pack_endgames([]))
    assert read_endgames(path) == ()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not an endgames file"),
        (b"QMBOOK\0\0" + bytes(8), "is not an endgames file"),
        (SHIPPED.read_bytes()[:-1], "is damaged"),
        (SHIPPED.read_bytes().replace(b"\0\0\1\0", b"\0\0\2\0", 1), "is damaged, or its version is not 1"),
        (SHIPPED.read_bytes()[:-1] + b"\xff", "is damaged"),
    ],
)
def test_a_damaged_file_is_named(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.puzzles"
    path.write_bytes(data)
    with pytest.raises(TrainingError, match=f"x.puzzles {message}"):
        read_endgames(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"no\.puzzles: No such file"):
        read_endgames(tmp_path / "no.puzzles")
