"""Openings that a search finds, and the list that is shipped, which the command made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.config.openings import BUILT_IN, BUILT_IN_FILE, read_openings
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.config.openings_command import find_openings
from quietmove.tournament.errors import TournamentError


def find(**changes: Any) -> list[tuple[tuple[str, ...], int]]:
    wanted = {"count": 5, "plies": 4, "depth": 2, "within": 100, "seed": 1, **changes}
    return list(find_openings(get_game("othello"), **wanted))


def played(game: Game, moves: Sequence[str]) -> Position:
    position = game.initial()
    play_moves(game, position, moves)
    return position


def test_level_openings_are_kept() -> None:
    found = find()
    assert len(found) == 5
    assert found == find() != find(seed=2)
    assert all(abs(value) <= 100 for _, value in found)
    assert any(abs(value) > 100 for _, value in find(within=10_000))
    game = get_game("othello")
    for moves, _ in found:
        assert played(game, moves).ply == 4


def test_openings_of_a_small_board() -> None:
    game = get_game("othello 6x6")
    found = list(find_openings(game, count=4, plies=5, depth=4, within=800, seed=1))
    positions = {game.canonical(played(game, moves)) for moves, _ in found}
    assert len(found) == len(positions) == 4


def test_no_two_are_alike_in_any_symmetry() -> None:
    with pytest.raises(TournamentError, match="found 14 of 1000, then none"):
        find(count=1000, plies=3, within=10_000)


def test_games_that_end_too_early_are_no_openings() -> None:
    with pytest.raises(TournamentError, match="found 0 of 5, then none"):
        find(plies=100)


def test_openings_are_printed_with_their_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["openings", "--count", "1", "--within", "50", "--depth", "1"]) == 0
    *head, line = capsys.readouterr().out.splitlines()
    (moves, value), *_ = find(count=1, plies=8, depth=1, within=50)
    assert line == f"{''.join(moves)}  # {value / 100:+.2f}"
    assert all(text.startswith("#") for text in head)
    command = "openings --game othello --count 1 --plies 8 --depth 1 --within 50 --seed 1"
    assert f"#   quietmove-tournament {command}" in head


def test_the_shipped_list_is_distinct_and_names_its_command() -> None:
    game, seen = get_game("othello"), set()
    openings = read_openings(Path(BUILT_IN), "othello")
    for opening in openings:
        assert len(opening) == 8
        seen.add(game.canonical(played(game, opening)))
    text = BUILT_IN_FILE.read_text()
    match = re.search(r"quietmove-tournament openings .*--count (\d+) --plies 8 .*--within (\d+) ", text)
    assert match is not None
    values = [float(value) for value in re.findall(r"^[a-h1-8]{16}  # ([+-]\d+\.\d\d)$", text, re.MULTILINE)]
    assert len(seen) == len(openings) == len(values) == int(match[1]) >= 200
    assert max(map(abs, values)) <= int(match[2]) / 100
