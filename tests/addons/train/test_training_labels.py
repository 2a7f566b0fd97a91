"""Labels: exact near the end, of a search before it, and backwards from the end without any weights."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quietmove.addons.shared.search_depth import SearchDepth
from quietmove.addons.train.check import errors_by_phase
from quietmove.addons.train.label import label_block, label_retrograde, phases_from_the_end, sampled
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
from quietmove.engine.games.othello.evaluators.weights import PHASES, free_weights, pack_weights
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


EFFORT = SearchDepth(1, 5, "learnt")


@pytest.fixture(scope="module")
def drawn() -> Records:
    records = sampled(played(40, 5), 1000, 30, 1)
    return records[empties_of(records) < 36]  # nine phases


@pytest.fixture(scope="module")
def labelled(drawn: Records) -> list[Records]:
    return list(label_retrograde(phases_from_the_end(drawn), EFFORT, [], 1))


def test_retrograde_labels_need_no_weights(drawn: Records, labelled: list[Records]) -> None:
    found = np.concatenate(labelled)
    phases = np.clip((60 - empties_of(found)) // 4, 0, 14)
    assert np.array_equal(np.sort(found[["own", "opp"]]), np.sort(drawn[["own", "opp"]]))
    assert np.all(np.diff(phases) <= 0)
    assert not np.any(found["value"] == NO_VALUE)
    assert np.array_equal(found["flags"] == EXACT, empties_of(found) <= 5)


def test_retrograde_labels_look_into_the_phase_behind(labelled: list[Records]) -> None:
    """They come nearer to the results than a constant does, also where no value is exact."""
    found = np.concatenate(labelled)
    chosen = found[(empties_of(found) > 5) & (empties_of(found) < 30) & (found["result"] != NO_RESULT)]
    result = chosen["result"].astype(float)
    assert np.corrcoef(chosen["value"] / 100, result)[0, 1] > 0.3


def test_retrograde_labels_go_on_where_they_ended_and_owe_nothing_to_the_weights_that_are_there(
    drawn: Records, labelled: list[Records], tmp_path: Path
) -> None:
    nothing = tmp_path / "nothing.weights"
    nothing.write_bytes(pack_weights([bytes(2 * len(free_weights()))] * PHASES))
    half = len(labelled) // 2
    effort = replace(EFFORT, weights=str(nothing))
    found = label_retrograde(phases_from_the_end(drawn), effort, labelled[:half], 2)
    assert all(map(np.array_equal, found, labelled[half:]))


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
