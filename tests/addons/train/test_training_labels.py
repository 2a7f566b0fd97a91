"""Labels: exact near the end, of a search before it, and backwards from the end without any weights."""

from __future__ import annotations

import random

import numpy as np
import pytest

from quietmove.addons.shared.search_depth import SearchDepth
from quietmove.addons.train.check import errors_by_phase
from quietmove.addons.train.label import label_block, sampled
from quietmove.addons.train.positions import (
    EXACT,
    NO_RESULT,
    NO_VALUE,
    RECORD,
    Records,
    as_records,
    empties_of,
)
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.minimax import Minimax

OTHELLO = get_game("othello")


def board(position: Position) -> tuple[int, int]:
    text, side = OTHELLO.format_position(position).split()
    own = sum(1 << i for i, letter in enumerate(text) if letter == side)
    return own, sum(1 << i for i, letter in enumerate(text) if letter not in (side, "-"))


def played(games: int, seed: int) -> Records:
    choices = random.Random(seed)
    rows = []
    for game in range(games):
        position, seen = OTHELLO.initial(), []
        while moves := sorted(position.legal_moves()):
            seen.append((position.side_to_move, board(position)))
            position.play(choices.choice(moves))
        result = position.result() // 100
        rows += [(*each, game, NO_VALUE, -result if side else result, 0) for side, each in seen]
    return as_records(rows)


def position_of(record: np.void) -> OthelloPosition:
    return OthelloPosition(int(record["own"]), int(record["opp"]), 0)


def test_a_label_is_exact_near_the_end_and_of_a_search_before() -> None:
    records = played(6, 1)
    found = label_block(SearchDepth(2, 6, "classic"), records)
    exact = found[found["flags"] == EXACT]
    assert np.array_equal(label_block(SearchDepth(1, 4, "classic"), exact), exact)
    assert np.array_equal(found[["own", "opp", "game", "result"]], records[["own", "opp", "game", "result"]])
    assert np.array_equal(found["flags"] == EXACT, empties_of(records) <= 6)
    for record in found[empties_of(found) <= 6][::3]:
        assert record["value"] == Minimax(position_of(record)).value(12)  # a pass counts as a ply
    for record in found[empties_of(found) > 6][::9]:
        position = position_of(record)
        position.choose_evaluator("classic")
        assert record["value"] == Minimax(position).value(2)


def test_a_sample_has_its_size_and_follows_from_its_seed() -> None:
    records = played(10, 3)
    some = sampled(records, 200, 0, 1)
    assert len(some) == 200
    assert np.isin(some, records).all()
    assert np.array_equal(some, sampled(records, 200, 0, 1))
    assert not np.array_equal(some, sampled(records, 200, 0, 2))
    assert np.array_equal(sampled(records, 10**12, 0, 1), records)


def test_strays_are_positions_behind_those_of_the_sample() -> None:
    records = played(10, 4)
    found = sampled(records, len(records), 50, 1)
    strays = found[found["result"] == NO_RESULT]
    assert len(records) * 0.9 < len(found) <= len(records)
    assert 0.35 < len(strays) / len(found) < 0.6
    assert all(position_of(each).legal_moves() for each in strays)
    known = {(int(each["own"]), int(each["opp"])) for each in records}
    assert sum((int(each["own"]), int(each["opp"])) not in known for each in strays) > 0.5 * len(strays)
    assert np.array_equal(sampled(records, len(records), 50, 1), found)


def test_errors_are_those_of_the_static_values() -> None:
    records = label_block(SearchDepth(1, 2, "classic"), played(4, 6))
    found = errors_by_phase(records, [("classic", ""), ("discs", "")])
    assert [phase for phase, *_ in found] == [*range(15), "all"]
    discs = []
    for record in records:
        position = position_of(record)
        position.choose_evaluator("discs")
        discs.append(abs(position.static_value() - record["value"]) / 100)
    assert found[-1][1] == len(records)
    assert found[-1][3] == pytest.approx(np.mean(discs))
    late = np.array(discs)[(empties_of(records) >= 5) & (empties_of(records) <= 8)]
    assert found[13][3] == pytest.approx(late.mean())
    assert errors_by_phase(np.zeros(3, RECORD)[:0], [("classic", "")]) == []
