"""The network: its value against a sum written differently, and what it does with files that are no weights."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from quietmove.engine.errors import WeightsError
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.evaluators import make_evaluator, network_weights
from quietmove.engine.games.othello.evaluators.network_weights import FIRSTS, STAGES, free_rows, pack_network
from quietmove.engine.games.othello.evaluators.patterns import NETWORK
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.options import apply_option, find_option
from quietmove.engine.session import Session
from tests.fakes.othello import images_of

OTHELLO = get_game("othello")


@cache
def random_parts() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, first sums, 16-bit and 32-bit integers of the stages, large enough that all limits are met."""
    draw = np.random.default_rng(9)
    return (
        draw.integers(-40, 41, (len(free_rows()), 64), np.int8),
        draw.integers(-60, 120, (FIRSTS, 64), np.int16),
        draw.integers(-6000, 6000, (STAGES, 560), np.int16),
        draw.integers(-(1 << 21), 1 << 21, (STAGES, 17), np.int32),
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "random.weights"
    path.write_bytes(pack_network(*(part.tobytes() for part in random_parts())))
    return path


@cache
def first_of_images() -> dict[int, int]:
    """Return for each free row where it is stored."""
    return {row: number for number, row in enumerate(free_rows())}


def moves_of(board: str, side: str) -> int:
    """Return the number of moves; a pass, 64, is none."""
    return len([move for move in OTHELLO.parse_position([board, side]).legal_moves() if move < 64])


def expected(position: Position) -> int:
    """Return the value of a position, summed over the images of the board and not over the places of the patterns."""
    board, side = OTHELLO.format_position(position).split()
    rows, firsts, shorts, ints = random_parts()
    empties = board.count("-")
    stage = min(empties, STAGES - 1)
    mine, theirs = (moves_of(board, each) for each in (side, "XO"[side == "X"]))
    sums = sum(firsts[each].astype(int) for each in (stage, STAGES + min(mine, 39), STAGES + 40 + min(theirs, 39)))
    start = 0
    for names in NETWORK.patterns.values():
        squares = ["abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1) for name in names.split()]
        seen = set()
        for number, image in enumerate(images_of(board)):
            place = frozenset(images_of_numbers()[number][square] for square in squares)
            if place not in seen:
                seen.add(place)
                digits = [1 + (image[square] == side) - (image[square] not in ("-", side)) for square in squares]
                equal = [
                    sum(3**power * digits[other] for power, other in enumerate(order))
                    for order in permutations_of(tuple(squares))
                ]
                sums = sums + rows[first_of_images()[start + min(equal)]]
        start += 3 ** len(squares)
    clipped = np.clip(sums, 0, 256)
    products = clipped[:32] * clipped[32:] >> 6
    weights = shorts[stage, :512].astype(int).reshape(16, 16, 2)  # axes: pair, unit, product of the pair
    units = np.clip(ints[stage, :16] + np.einsum("pku,pu->k", weights, products.reshape(16, 2)), 0, 1 << 22) >> 12
    total = int(
        ints[stage, 16] + products @ shorts[stage, 512:544].astype(int) + units @ shorts[stage, 544:].astype(int)
    )
    return max(-6300, min(6300, total * 1000 >> 22))


@cache
def images_of_numbers() -> list[list[int]]:
    """Return for each image of a board which square of the board stands on each of its squares."""
    return [[ord(c) for c in image] for image in images_of("".join(map(chr, range(64))))]


@cache
def permutations_of(squares: tuple[int, ...]) -> list[list[int]]:
    """Return how the images of the board that leave the set of squares where it is permute the squares."""
    images = ([image[square] for square in squares] for image in images_of_numbers())
    return [[squares.index(each) for each in image] for image in images if set(image) == set(squares)]


def test_the_value_of_known_weights(file: Path) -> None:
    choices = random.Random(5)
    values = set()
    for plies in range(1, 59, 3):
        position = OTHELLO.initial()
        position.choose_evaluator("network", str(file))
        for _ in range(plies):
            if not position.is_over():
                position.play(choices.choice(position.legal_moves()))
        if not position.is_over() and position.legal_moves():
            assert position.static_value() == expected(position), OTHELLO.format_position(position)
            values.add(position.static_value())
    assert len(values) > 14


def cut(data: bytes) -> bytes:
    return data[:-1]


def changed(at: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, "is damaged: it must have [0-9]+ bytes, not [0-9]+"),
        (lambda data: data[:20], "is damaged: it is truncated"),
        (changed(8), "has a different version or was made for a different network"),
        (changed(40), "is damaged: a checksum is wrong"),
        (changed(9_000_000), "is damaged: a checksum is wrong"),
    ],
)
def test_a_file_that_is_not_right_is_refused(
    change: Callable[[bytes], bytes], message: str, file: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.weights"
    wrong.write_bytes(change(file.read_bytes()))
    with pytest.raises(WeightsError, match=message):
        make_evaluator("network", str(wrong))


def test_a_file_belongs_to_the_network_alone(file: Path) -> None:
    position = OTHELLO.initial()
    for name in ("", "network"):
        position.choose_evaluator(name, str(file))
        assert position.static_value() == expected(position)
    position.choose_evaluator("classic", str(file))
    assert position.static_value() == make_evaluated("classic")


def make_evaluated(name: str) -> int:
    """Return an evaluator's value of the initial position."""
    position = OTHELLO.initial()
    position.choose_evaluator(name)
    return position.static_value()


def test_after_a_wrong_file_the_old_weights_stay(tmp_path: Path, file: Path) -> None:
    (tmp_path / "bad.weights").write_bytes(b"GIF89a" + file.read_bytes())
    session = Session()
    own = session.position.static_value()
    option = find_option("EvalFile")
    apply_option(session, option, str(file))
    good = session.position.static_value()
    assert good == expected(session.position) != own
    with pytest.raises(WeightsError, match=r"^weights: .*bad.weights is not a weights file$"):
        apply_option(session, option, str(tmp_path / "bad.weights"))
    assert (session.options.settings.evaluation_file, session.position.static_value()) == (str(file), good)
    apply_option(session, option, "default")
    assert session.position.static_value() == own


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    session = Session()
    option = find_option("EvalFile")
    with pytest.raises(WeightsError, match=r"none\.weights: No such file"):
        apply_option(session, option, str(tmp_path / "none.weights"))
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(WeightsError, match="must be a regular file, not a folder, a pipe or a device"):
            apply_option(session, option, str(path))
    assert session.options.settings.evaluation_file == ""


def test_another_game_reads_no_file(file: Path) -> None:
    session = Session()
    apply_option(session, find_option("EvalFile"), str(file))
    for game in ("connect", "othello 6x6"):
        with pytest.raises(WeightsError.__base__, match="option EvalFile: must be default"):
            apply_option(session, find_option("Game"), game)
    assert session.game.name == "othello"


def test_a_position_that_got_ready_has_nothing_left_to_load(monkeypatch: pytest.MonkeyPatch) -> None:
    network_weights.shipped_network.cache_clear()
    position = OTHELLO.initial()
    position.get_ready()
    loads = []
    monkeypatch.setattr(network_weights, "read_network", lambda *_: loads.append(1))
    while not position.is_over():
        position.static_value()
        position.play(position.legal_moves()[0])
    assert position.ply > 50
    assert loads == []
