"""Fit a network to labelled positions, and convert it to a weights file.

After each pass over the positions, the state is saved in a file next to the output, so that a run can be resumed.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt

from quietmove.addons.train.fit import PHASES, Floats, PhaseLoss, Recipe, Sample, in_phase, root_mean_square, view
from quietmove.addons.train.network_fitting import ROW_COUNT, STAGE_SIZE, Descent
from quietmove.addons.train.positions import static_values
from quietmove.engine.errors import TrainingError
from quietmove.engine.games.othello.evaluators.network_weights import (
    HALF,
    OUTPUT_ONE,
    STAGES,
    SUMS,
    TENS,
    UNITS,
    free_rows,
    pack_network,
    unpack_network,
)
from quietmove.engine.games.othello.evaluators.patterns import NETWORK

ROW_RATE = 0.015  # initial learning rates of Adagrad, decreasing to 0
STAGE_RATE = 0.01
GO_ON = 1 / 3  # factor for the rates when starting from a fitted network
FIRST_SQUARES = 0.5  # initial value of Adagrad's sums; an unchanged sum means that the row was never used
READ_SQUARES = 1.0  # initial value of the sums for a fitted network
# Each position trains the stage this many empty squares away, so that stages of the same parity stay similar.
SHIFTS = (-2, 0, 0, 2)
ONE, WEIGHT_ONE = 256, 4096  # fixed-point units of the sums and of the stages' weights
MEASURED = 1_000_000  # maximum number of fitted positions for computing losses
COMPARED = 20_000  # maximum number of positions for comparing rounded values


@dataclass(frozen=True, slots=True)
class Network:
    """The parameters of a network during fitting (32-bit floats), and Adagrad's sums of squared gradients."""

    rows: Floats
    row_squares: Floats
    stages: Floats
    stage_squares: Floats

    @classmethod
    def drawn(cls, seed: int) -> Network:
        """Return a network of small random numbers, with identical stages."""
        draw = np.random.default_rng([seed, 0])
        rows = draw.uniform(-0.01, 0.01, (ROW_COUNT, SUMS)).astype(np.float32)
        rows[NETWORK.size : NETWORK.size + STAGES] = 0.5
        stage = np.concatenate(
            [
                draw.uniform(-0.2, 0.2, HALF * UNITS),
                np.full(UNITS, 0.3),
                draw.uniform(-0.3, 0.3, UNITS + HALF),
                [0.0],
            ]
        )
        stages = np.tile(stage, (STAGES, 1)).astype(np.float32)
        assert stages.shape[1] == STAGE_SIZE
        return cls.with_numbers(rows, stages, FIRST_SQUARES)

    @classmethod
    def read(cls, path: str) -> Network:
        """Load a network from a weights file, with smaller initial steps than a new network.

        :raises WeightsError: if the file is not a valid weights file.
        """
        parts = zip(unpack_network(path), ("i1", "<i2", "<i2", "<i4"), strict=True)
        stored, firsts, shorts, ints = (np.frombuffer(data, kind).astype(np.float32) for data, kind in parts)
        rows = np.zeros((ROW_COUNT, SUMS), np.float32)
        rows[free_rows()] = stored.reshape(-1, SUMS) / ONE
        rows[NETWORK.size :] = firsts.reshape(-1, SUMS) / ONE
        by_pairs, skips, outputs = np.split(
            shorts.reshape(STAGES, -1) / WEIGHT_ONE, [HALF * UNITS, HALF * UNITS + HALF], 1
        )
        units = by_pairs.reshape(STAGES, HALF // 2, UNITS, 2).swapaxes(2, 3).reshape(STAGES, -1)
        constants, constant = np.split(ints.reshape(STAGES, -1) / OUTPUT_ONE, [UNITS], 1)
        return cls.with_numbers(
            rows, np.concatenate([units, constants, outputs, skips, constant], axis=1), READ_SQUARES
        )

    @classmethod
    def with_numbers(cls, rows: Floats, stages: Floats, first_squares: float) -> Network:
        """Return a network with these parameters and fresh sums."""
        return cls(
            rows,
            np.full(ROW_COUNT, first_squares, np.float32),
            np.ascontiguousarray(stages),
            np.full(stages.shape, first_squares, np.float32),
        )

    def descent(self) -> Descent:
        """Return a descent object that updates these parameters."""
        return Descent(
            *(view(each.reshape(-1)) for each in (self.rows, self.row_squares, self.stages, self.stage_squares))
        )

    def values(self, sample: Sample) -> Floats:
        """Return each position's value in discs."""
        values = np.empty(len(sample.own), np.float32)
        self.descent().predict(view(sample.own), view(sample.opp), view(values))
        return values * TENS


@dataclass(frozen=True, slots=True)
class Pass:
    """The result of one pass over the positions.

    :param loss: root mean square error in discs, with each position's error taken before its own step.
    :param held_out_loss: the same for the held-out positions, after the pass; NaN if there are none.
    """

    number: int
    loss: float
    held_out_loss: float


def passes(network: Network, sample: Sample, recipe: Recipe, done: int, threads: int) -> Iterator[Pass]:
    """Fit ``network`` in place, and yield the result of each pass after the first ``done`` passes.

    With one thread, the same arguments produce the same parameters.
    """
    labels = (sample.labels / TENS).astype(np.float32)
    held_out = sample.part(sample.held_out)
    for number in range(done, recipe.epochs):
        draw = np.random.default_rng([recipe.seed, 1, number])
        order = np.flatnonzero(~sample.held_out).astype(np.uint32)
        draw.shuffle(order)
        shifts = draw.choice(np.array(SHIFTS, np.int8), len(order))
        first = GO_ON if recipe.start else 1
        shares = [first * (1 - each / recipe.epochs) for each in (number, number + 1)]  # the rates decrease to 0
        rates = (ROW_RATE * shares[0], STAGE_RATE * shares[0], ROW_RATE * shares[1], STAGE_RATE * shares[1])
        descend = partial(descend_part, network, sample, labels, rates)
        with ThreadPoolExecutor(threads) as pool:
            squares = sum(pool.map(descend, np.array_split(order, threads), np.array_split(shifts, threads)))
        errors = network.values(held_out) - held_out.labels
        yield Pass(number + 1, TENS * (squares / max(1, len(order))) ** 0.5, root_mean_square(errors))


def descend_part(
    network: Network,
    sample: Sample,
    labels: Floats,
    rates: tuple[float, float, float, float],
    order: npt.NDArray[np.uint32],
    shifts: npt.NDArray[np.int8],
) -> float:
    """Run one thread's share of a pass, as documented in :meth:`Descent.descend`."""
    positions = (view(sample.own), view(sample.opp), view(labels))
    return network.descent().descend(*positions, view(order), view(shifts), rates)


def losses(network: Network, sample: Sample) -> list[PhaseLoss]:
    """Return the losses by phase. The loss of the fitted positions is measured on a sample."""
    fitted = np.flatnonzero(~sample.held_out)
    parts = [sample.part(each) for each in (fitted[:: 1 + len(fitted) // MEASURED], sample.held_out)]
    errors = [network.values(part) - part.labels for part in parts]
    empties = sample.empties[fitted]
    rows = []
    for phase in range(PHASES):
        here = [root_mean_square(each[in_phase(part.empties, phase)]) for each, part in zip(errors, parts, strict=True)]
        rows.append(PhaseLoss(phase, int(in_phase(empties, phase).sum()), *here))
    return rows


def packed_network(network: Network) -> bytes:
    """Return the contents of a weights file, with values rounded and clipped."""
    rows, firsts = network.rows[: NETWORK.size], network.rows[NETWORK.size :]
    own_rows = (network.row_squares[: NETWORK.size] > FIRST_SQUARES)[:, np.newaxis]
    stored = np.clip(np.rint(np.where(own_rows, rows, 0)[free_rows()] * ONE), -128, 127)
    units, rest = np.split(network.stages, [HALF * UNITS], axis=1)
    constants, outputs, skips, constant = np.split(rest, np.cumsum([UNITS, UNITS, HALF]), axis=1)
    by_pairs = units.reshape(STAGES, HALF // 2, 2, UNITS).swapaxes(2, 3).reshape(STAGES, -1)
    shorts = np.concatenate([by_pairs, skips, outputs], axis=1) * WEIGHT_ONE
    ints = np.concatenate([constants, constant], axis=1) * OUTPUT_ONE
    return pack_network(
        stored.astype(np.int8).tobytes(),
        in_16_bits(firsts * ONE),
        in_16_bits(shorts),
        np.rint(ints).astype("<i4").tobytes(),
    )


def in_16_bits(numbers: Floats) -> bytes:
    """Convert numbers to little-endian 16-bit integers."""
    return np.clip(np.rint(numbers), -32768, 32767).astype("<i2").tobytes()


def rounding(network: Network, sample: Sample, path: Path) -> float:
    """Return the root mean square difference, in discs, between the weights file's values and the network's."""
    part = sample.part(np.arange(0, len(sample.own), 1 + len(sample.own) // COMPARED))
    values = static_values(part.own, part.opp, "network", str(path))
    return root_mean_square(values - network.values(part))


@dataclass(frozen=True, slots=True)
class Progress:
    """The file next to the output in which a fit saves its state after each pass.

    :param path: the path of this file.
    :param purpose: a checksum of the positions and the recipe, which must match to resume the fit.
    """

    path: Path
    purpose: int

    @classmethod
    def of(cls, output: Path, sample: Sample, recipe: Recipe) -> Progress:
        """Return the progress file for a fit of ``sample``."""
        purpose = zlib.crc32(repr((recipe, ROW_COUNT, STAGE_SIZE)).encode())
        for array in (sample.own, sample.opp, sample.labels, sample.held_out):
            purpose = zlib.crc32(view(array), purpose)
        return cls(output.with_name(f"{output.name}.unfinished"), purpose)

    def begin(self, recipe: Recipe) -> tuple[Network, int]:
        """Return the network and the number of completed passes, which is 0 without a file."""
        if not self.path.exists():
            return Network.read(recipe.start) if recipe.start else Network.drawn(recipe.seed), 0
        try:
            with self.path.open("rb") as file, np.load(file) as saved:
                purpose, done, *numbers = (saved[name] for name in (*("purpose", "done"), *Network.__slots__))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise TrainingError(f"train: {self.path}: {error}; remove it to start over") from None
        if int(purpose) != self.purpose:
            raise TrainingError(
                f"train: {self.path} belongs to a fit with other files or options; remove it to start over"
            )
        return Network(*numbers), int(done)

    def to_bytes(self, network: Network, done: int) -> bytes:
        """Return the file's contents after ``done`` passes."""
        data = BytesIO()
        numbers = {name: getattr(network, name) for name in Network.__slots__}
        np.savez(data, purpose=self.purpose, done=done, **numbers)
        return data.getvalue()
