"""The parameters of ProbCut: what is measured, how it is fitted, and what the search makes of it."""

from __future__ import annotations

import json
import random
from math import prod
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from quietmove.addons.shared.search_depth import SearchDepth
from quietmove.addons.train.positions import Records, make_file
from quietmove.addons.train.probcut import Pair, fit, pairs_of_block, probcut
from quietmove.addons.train.selfplay import SelfPlay, play_block
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.probcut import PARAMETERS, UNIT, Parameters
from quietmove.engine.search.minimax import Minimax

EFFORT = SearchDepth(4, 7, "classic")


@pytest.fixture(scope="module")
def records() -> Records:
    return play_block(SelfPlay(4, 40, 50, 3, SearchDepth(1, 4, "classic")), 0)


@pytest.fixture
def source(tmp_path: Path, records: Records) -> Path:
    path = tmp_path / "some.pos"
    make_file(path, {"seed": 1}, 1, lambda done: [records])
    return path


def run(*words: object) -> Any:
    return CliRunner().invoke(probcut, [str(word) for word in words])


def test_the_differences_are_those_of_plain_minimax(records: Records) -> None:
    pairs = pairs_of_block(EFFORT, records)
    expected = []
    for record in records:
        position = OthelloPosition(int(record["own"]), int(record["opp"]), 0)
        position.choose_evaluator("classic")
        end = position.moves_left()
        values = {0: position.static_value()}
        values |= {depth: Minimax(position).value(depth) for depth in range(1, min(5, end))}
        if end <= EFFORT.exact:
            values[end] = Minimax(position).value(255)
        for depth, deep in values.items():
            for shallow in range(depth % 2, depth, 2):
                if shallow in values:
                    expected.append(Pair(end, depth, shallow, deep - values[shallow]))
    assert pairs == expected
    assert {pair.empties for pair in pairs if pair.depth == pair.empties} >= {2, 5, 7}
    assert max(pair.empties for pair in pairs) > 10


def test_the_fit_finds_the_parameters_that_made_the_differences() -> None:
    choices = random.Random(1)
    made = Parameters(constant=5.5, linear=0.4, square=-0.08, span=0.4, reach=-0.3)
    pairs = []
    for _ in range(30_000):
        empties, depth = choices.randint(8, 56), choices.randint(2, 12)
        shallow = choices.randrange(depth % 2, depth, 2)
        error = choices.gauss(0, made.deviation(empties, depth, shallow))
        pairs.append(Pair(empties, depth, shallow, round(error)))
    fitted = fit(pairs)
    for empties, depth, shallow in ((10, 4, 2), (25, 8, 4), (25, 12, 0), (50, 3, 1)):
        assert fitted.deviation(empties, depth, shallow) == pytest.approx(made.deviation(empties, depth, shallow), 0.03)


def test_the_factors_of_the_search_multiply_to_the_formula() -> None:
    for empties in range(1, 61):
        for depth, shallow in ((3, 1), (8, 4), (15, 7), (24, 12), (6, 0)):
            factors = PARAMETERS.by_empties(empties), PARAMETERS.by_span(depth - shallow), PARAMETERS.by_reach(shallow)
            assert prod(factors) / UNIT**2 == pytest.approx(PARAMETERS.deviation(empties, depth, shallow), 0.005)


def test_the_command_gives_the_same_for_any_number_of_processes(source: Path, tmp_path: Path) -> None:
    words = (source, "--depth", 3, "--exact", 6, "--evaluation", "classic", "--json", "--sample", 60)
    plot = tmp_path / "figure.svg"
    alone, shared = run(*words, "--processes", 1, "--plot", plot), run(*words, "--processes", 2)
    assert alone.exit_code == 0, alone.output
    assert alone.stdout == shared.stdout  # progress, which depends on time, goes to standard error
    report = json.loads(alone.stdout)
    assert report["notes"][0].startswith("PARAMETERS = Parameters(constant=")
    assert {row["depth"] for row in report["rows"]} >= {"2", "3"}
    other = run(*words, "--processes", 1, "--seed", 2)
    assert other.exit_code == 0
    assert other.stdout != alone.stdout
    assert plot.stat().st_size > 1000


def test_too_few_pairs_are_refused(source: Path) -> None:
    done = run(source, "--depth", 2, "--exact", 0, "--evaluation", "classic", "--sample", 3, "--processes", 1)
    assert done.exit_code == 2
    assert "SOURCE: must yield at least 100 pairs of searches, not " in done.output
