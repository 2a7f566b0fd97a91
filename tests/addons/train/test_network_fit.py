"""The fit of a network: its slopes, its passes, and the weights that come of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quietmove.addons.shared.search_depth import SearchDepth
from quietmove.addons.train.calibrate import corrections, groups_from_the_end
from quietmove.addons.train.fit import Recipe, Sample, read_sample
from quietmove.addons.train.network_fit import (
    Network,
    Progress,
    losses,
    packed_network,
    passes,
)
from quietmove.addons.train.positions import Records, empties_of, static_values
from quietmove.addons.train.selfplay import SelfPlay, play_block
from quietmove.engine.errors import TrainingError, WeightsError
from quietmove.engine.games.othello.evaluators.network_weights import corrected_network

RECIPE = Recipe(epochs=3, held_out=20)


@pytest.fixture(scope="module")
def labelled() -> Records:
    return play_block(SelfPlay(40, 20, 50, 3, SearchDepth(1, 6, "classic")), 0)


@pytest.fixture(scope="module")
def sample(labelled: Records) -> Sample:
    return read_sample(labelled, RECIPE, 0, "")


def fitted(sample: Sample, recipe: Recipe = RECIPE) -> Network:
    network = Network.drawn(recipe.seed)
    assert len(list(passes(network, sample, recipe, 0, 1))) == recipe.epochs
    return network


def one_step(network: Network, sample: Sample, number: int, rate: float) -> tuple[Network, float]:
    """Return a network after a step for one position, and half the squared error before it, in tens of discs."""
    after = Network(*(getattr(network, name).copy() for name in Network.__slots__))
    arrays = (
        sample.own,
        sample.opp,
        sample.labels / np.float32(10),
        np.array([number], np.uint32),
        np.zeros(1, np.int8),
    )
    squares = after.descent().descend(*map(memoryview, arrays), (rate, rate, rate, rate))
    return after, squares / 2


def test_a_step_follows_the_slope(sample: Sample) -> None:
    """Each number's step, without Adagrad's factor, is the slope that two more evaluations of the loss show."""
    network = fitted(sample, replace(RECIPE, epochs=1))
    number = int(np.flatnonzero(abs(network.values(sample) - sample.labels) > 3)[0])
    rate, width = 1e-3, 4e-3
    after, _ = one_step(network, sample, number, rate)
    draw = np.random.default_rng(4)
    slopes = []
    for name, squares in (("rows", after.row_squares[:, np.newaxis]), ("stages", after.stage_squares)):
        steps = getattr(network, name) - getattr(after, name)
        for place in draw.permutation(np.argwhere(steps))[:4]:
            at = tuple(place)
            losses = []
            for change in (width, -width):
                getattr(network, name)[at] += change
                losses.append(one_step(network, sample, number, 0)[1])
                getattr(network, name)[at] -= change
            slopes.append((losses[0] - losses[1]) / (2 * width))
            found = steps[at] * np.sqrt(np.broadcast_to(squares, steps.shape)[at]) / rate
            assert found == pytest.approx(slopes[-1], rel=0.05, abs=2e-3), (name, at)
    assert max(map(abs, slopes)) > 0.02


def test_passes_learn_and_those_held_out_are_measured_alone(sample: Sample) -> None:
    network = Network.drawn(1)
    found = list(passes(network, sample, replace(RECIPE, epochs=12), 0, 1))
    assert [each.number for each in found] == list(range(1, 13))
    assert found[-1].loss < 0.5 * found[0].loss
    errors = network.values(sample.part(sample.held_out)) - sample.labels[sample.held_out]
    assert found[-1].held_out_loss == pytest.approx(float(np.sqrt(np.mean(errors**2))), rel=1e-5)
    by_phase = losses(network, sample)
    assert sum(each.positions for each in by_phase) == int((~sample.held_out).sum())


@pytest.mark.soak
def test_a_fit_goes_on_after_its_last_pass_and_from_its_weights(sample: Sample, tmp_path: Path) -> None:
    path = tmp_path / "some.weights"
    path.write_bytes(packed_network(fitted(sample)))
    progress = Progress.of(path, sample, RECIPE)
    network, done = progress.begin(RECIPE)
    assert done == 0
    progress.path.write_bytes(progress.to_bytes(network, next(passes(network, sample, RECIPE, 0, 1)).number))
    network, done = progress.begin(RECIPE)
    assert done == 1
    assert [each.number for each in passes(network, sample, RECIPE, done, 1)] == [2, 3]
    assert packed_network(network) == packed_network(Network.read(str(path))) == path.read_bytes()
    recipe = replace(RECIPE, start=str(path))
    further, done = Progress.of(tmp_path / "more.weights", sample, recipe).begin(recipe)
    assert done == 0
    assert np.array_equal(further.stages, Network.read(str(path)).stages)
    first, *_, last = passes(further, sample, recipe, 0, 1)
    assert last.loss < first.loss


def test_a_fit_begins_only_with_weights_of_a_network_and_goes_on_only_with_its_own_numbers(
    sample: Sample, tmp_path: Path
) -> None:
    path = tmp_path / "no.weights"
    path.write_bytes(b"no weights")
    recipe = replace(RECIPE, start=str(path))
    with pytest.raises(WeightsError, match=r"no\.weights"):
        Progress.of(tmp_path / "more.weights", sample, recipe).begin(recipe)
    progress = Progress.of(tmp_path / "some.weights", sample, RECIPE)
    progress.path.write_bytes(progress.to_bytes(Network.drawn(1), 1))
    other = Progress.of(tmp_path / "some.weights", sample, replace(RECIPE, seed=2))
    with pytest.raises(TrainingError, match=r"some\.weights\.unfinished belongs to a fit with other files or options"):
        other.begin(RECIPE)
    progress.path.write_bytes(progress.path.read_bytes()[:1000])
    with pytest.raises(TrainingError, match=r"some\.weights\.unfinished: .*; remove it to start over"):
        progress.begin(RECIPE)


@pytest.mark.soak
def test_each_number_of_empties_is_calibrated_by_its_mean_error(
    labelled: Records, sample: Sample, tmp_path: Path
) -> None:
    path = tmp_path / "some.weights"
    path.write_bytes(packed_network(fitted(sample)))
    moved = corrections(labelled, str(path))
    errors = static_values(labelled["own"], labelled["opp"], "network", str(path)) - labelled["value"] / 100
    assert moved[21] == pytest.approx(-errors[empties_of(labelled) == 21].mean())
    other = tmp_path / "other.weights"
    other.write_bytes(corrected_network(str(path), moved.tolist()))
    assert abs(moved).max() > 0.5
    assert abs(corrections(labelled, str(other))).max() < 0.02  # values are integers, in hundredths of a disc


def test_positions_are_calibrated_in_groups_from_the_end_of_the_game(labelled: Records) -> None:
    first, *others = [empties_of(each) for each in groups_from_the_end(labelled, 8, 18, 5, 1)]
    assert first.max() <= 18
    assert [((each.min() - 19) // 8, (each.max() - 19) // 8) for each in others] == [(0, 0), (1, 1), (2, 2)]
    assert max(np.bincount(np.concatenate([first, *others]))) == 5
