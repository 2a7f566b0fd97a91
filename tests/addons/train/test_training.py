"""The files of positions, self-play and the fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quietmove.addons.shared.search_depth import Judge, SearchDepth
from quietmove.addons.shared.work_file import WorkFile
from quietmove.addons.train import positions
from quietmove.addons.train.fit import (
    Recipe,
    phase_bounds,
    read_sample,
)
from quietmove.addons.train.positions import (
    EXACT,
    NO_RESULT,
    NO_VALUE,
    Records,
    empties_of,
    make_file,
    read_positions,
)
from quietmove.addons.train.selfplay import BLOCK_GAMES, SelfPlay, play_block
from quietmove.engine.errors import TrainingError
from quietmove.engine.search.node import INFINITE, SOLVED, Search
from quietmove.engine.values import Settings

PLAN = SelfPlay(2 * BLOCK_GAMES + 5, 20, 56, 3, SearchDepth(1, 8, "classic"))


@pytest.fixture(scope="module")
def blocks() -> list[Records]:
    return [play_block(PLAN, number) for number in range(PLAN.blocks)]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_file_that_was_begun_is_finished(tmp_path: Path, blocks: list[Records], count: int) -> None:
    path = tmp_path / "some.pos"
    with WorkFile(path, "positions", {"seed": 7, "blocks": len(blocks)}, TrainingError) as file:
        for records in blocks[:count]:
            file.append(records.tobytes())
    if count < len(blocks):
        with pytest.raises(TrainingError, match=f"some.pos: unfinished, with {count} of 3 blocks"):
            read_positions(path)
    started: list[int] = []

    def start(done: list[Records]) -> list[Records]:
        started.append(len(done))
        return blocks[len(done) :]

    assert make_file(path, {"seed": 7}, len(blocks), start) == sum(map(len, blocks))
    assert started == [count]
    assert np.array_equal(read_positions(path), np.concatenate(blocks))


def test_self_play_keeps_what_it_promises(blocks: list[Records]) -> None:
    """Each game is there; within one the result is the same for all, and each exact value is that result."""
    records = np.concatenate(blocks)
    assert set(records["game"].tolist()) == set(range(PLAN.games))
    assert np.all(records["own"] & records["opp"] == 0)
    assert np.all((empties_of(records) <= 8) == (records["flags"] == EXACT))
    assert empties_of(records).max() <= 60 - PLAN.shortest
    exact = records[records["flags"] == EXACT]
    assert np.array_equal(exact["value"], 100 * exact["result"].astype(int))
    results = {(int(each["game"]), abs(int(each["result"]))) for each in records}
    assert len(results) == PLAN.games
    assert len(set(records["result"].tolist())) > 20


def test_self_play_has_the_values_of_a_search(blocks: list[Records]) -> None:
    judge = Judge(PLAN.effort)
    for record in blocks[1][::40]:
        judge.position.set_up(int(record["own"]), int(record["opp"]), 0)
        assert judge.value()[0] == record["value"]


def test_a_deep_value_is_near_that_of_a_search_of_all_moves_and_cheaper(blocks: list[Records]) -> None:
    """The selective search of six plies against plain alpha-beta; exact values are equal."""
    deep = Judge(SearchDepth(6, 8, "network"))
    plain = Search(deep.position, None, Settings(evaluation="network"), lambda: False)
    differences = []
    for record in blocks[0][::25]:
        deep.position.set_up(int(record["own"]), int(record["opp"]), 0)
        moves = deep.position.legal_moves()
        value = plain.run(SOLVED if deep.is_exact() else 6, -INFINITE, INFINITE, moves, True)
        differences.append(abs(value - deep.value()[0]))
        assert not (deep.is_exact() and differences[-1])
    assert 0 < np.mean(differences) < 50
    assert deep._search.nodes < 0.6 * plain.nodes


def test_openings_have_every_length_and_follow_from_the_seed(blocks: list[Records]) -> None:
    records = np.concatenate(blocks)
    _, first = np.unique(records["game"], return_index=True)
    lengths = 60 - empties_of(records[first])
    assert len(np.unique(lengths)) > 25
    assert np.array_equal(play_block(PLAN, 1), blocks[1])
    assert not np.array_equal(play_block(replace(PLAN, seed=4), 1)["own"][:5], blocks[1]["own"][:5])


def one(empties: int, value: int, result: int, flags: int = 0, game: int = 0) -> tuple[int, int, int, int, int, int]:
    return (1 << 64 - empties - 10) - 1, (1 << 64 - empties) - (1 << 64 - empties - 10), game, value, result, flags


@pytest.mark.parametrize(
    ("record", "label"),
    [
        (one(34, 1000, 20), 13.0),  # 0.7 times the value
        (one(20, 1000, 20), 13.0),
        (one(40, 1000, 20), 17.0),  # 0.3 times the value
        (one(50, 1000, 20), 17.0),
        (one(37, 1000, 20), 15.0),
        (one(37, 1000, NO_RESULT), 10.0),
        (one(37, NO_VALUE, 20), 20.0),
        (one(12, 1000, 20, EXACT), 10.0),
    ],
)
def test_what_is_to_be_learnt(record: tuple[int, ...], label: float) -> None:
    sample = read_sample(np.array([record], positions.RECORD), Recipe(), 0, "x.pos")
    assert sample.labels[0] == pytest.approx(label)


def test_nothing_to_be_learnt_is_an_error() -> None:
    records = np.array([one(37, 100, 2), one(37, NO_VALUE, NO_RESULT)], positions.RECORD)
    with pytest.raises(TrainingError, match=r"x\.pos: position 2 has neither a value nor a result"):
        read_sample(records, Recipe(), 0, "x.pos")


def test_games_are_held_out_as_a_whole(blocks: list[Records]) -> None:
    records = np.concatenate(blocks)
    sample = read_sample(records, Recipe(held_out=25), 0, "")
    held = {int(game) for game in records["game"][sample.held_out]}
    assert held.isdisjoint(records["game"][~sample.held_out].tolist())
    assert 0.1 < len(held) / PLAN.games < 0.4


def test_phases_cover_every_number_of_empty_squares_once() -> None:
    found = [range(fewest, most + 1) for fewest, most in map(phase_bounds, range(15))]
    assert sorted(empties for each in found for empties in each) == list(range(61))
