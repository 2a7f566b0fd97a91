"""How endgames are found, how their difficulty is measured, and which of them are taken."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from quietmove.addons.shared.endgames import Endgame, unpack_endgames
from quietmove.addons.train.puzzles import (
    PLAY,
    RANDOM_PLIES,
    balanced,
    difficulty_of,
    measure_block,
    move_of,
    one_best_move,
)
from quietmove.addons.train.selfplay import SelfPlay
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game import Othello
from quietmove.engine.levels import FULL_STRENGTH, LEVELS
from quietmove.engine.search.table import Table
from quietmove.engine.session import Session
from tests.fakes.games import exact_values, play_at_random

OTHELLO = Othello()


def made_up(number: int, difficulty: int, empties: int) -> Endgame:
    """Return a board of its own with so many empty squares; only its difficulty counts."""
    filled = (1 << 64 - empties) - 1
    return Endgame(number, filled & ~number, 0, 0, 63, difficulty)


def test_a_block_has_what_was_measured() -> None:
    plan = SelfPlay(12, *RANDOM_PLIES, seed=7, effort=PLAY)
    found = list(unpack_endgames(measure_block(plan, 0)))
    assert len(found) > 4
    small = [each for each in found if each.empties <= 7]
    assert small
    for each in small:
        values = exact_values(each.position())
        assert PASS not in values
        assert [move for move, value in values.items() if value == max(values.values())] == [each.move]
        assert values[each.move] == each.value
    for each in found[:1]:
        session = Session()
        seeds = {level: range(1, 11) if LEVELS[level].error else (1,) for level in range(FULL_STRENGTH)}
        hits = {
            level: sum(move_of(session, each.position(), level, seed) == each.move for seed in seeds[level])
            for level in range(min(each.difficulty + 1, FULL_STRENGTH))
        }
        found_by = [level for level, count in hits.items() if count >= len(seeds[level]) * 0.9]
        assert (found_by or [FULL_STRENGTH])[0] == each.difficulty


def test_the_best_move_is_named_where_it_is_the_only_one() -> None:
    table, kinds = Table(4), set()
    for seed in range(60):
        position = OTHELLO.initial()
        play_at_random(position, random.Random(seed), left=6)
        if len(position.legal_moves()) < 2:
            continue
        values = exact_values(position)
        best = [(value, move) for move, value in values.items() if value == max(values.values())]
        assert one_best_move(position, table) == (best[0] if len(best) == 1 else None)
        kinds.add(len(best) == 1)
    assert kinds == {True, False}


def test_full_strength_is_the_difficulty_of_what_no_level_finds() -> None:
    hardest = pytest.importorskip("quietmove.addons.practice.problems").endgames()[-2]
    assert hardest.difficulty == FULL_STRENGTH
    assert difficulty_of(Session(), hardest.position(), hardest.move) == FULL_STRENGTH


def test_the_choice_is_balanced_over_difficulties_and_within_one_over_empty_squares() -> None:
    found = [made_up(number, 3, 6) for number in range(1, 40)]
    found += [made_up(number, 3, 9) for number in range(40, 43)]
    found += [made_up(number, 5, 8) for number in range(43, 45)]
    chosen = balanced(found, 12)
    assert Counter(each.difficulty for each in chosen) == {3: 10, 5: 2}
    assert Counter(each.empties for each in chosen) == {6: 7, 9: 3, 8: 2}
    assert balanced([*found, replace(found[0], difficulty=9)], 50) == balanced(
        found, 50
    )  # symmetric to an existing position
    assert balanced(found, 4) == [found[0], found[42], found[39], found[43]]
