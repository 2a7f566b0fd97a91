"""The learnt evaluation: its sum against one written differently, and what it does with files that are no weights."""

from __future__ import annotations

import os
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove.engine.errors import WeightsError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.evaluators import weights as weight_files
from quietmove.engine.games.othello.evaluators.patterns import LEARNT
from quietmove.engine.games.othello.evaluators.weights import PHASES, free_weights, pack_weights
from quietmove.engine.games.othello.evaluators.weights_file import weights_of
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.options import apply_option, find_option
from quietmove.engine.session import Session

OTHELLO = get_game("othello")
EDGE = "edge and X-squares"


def row(weight: Callable[[int], int]) -> bytes:
    """Return a phase whose free weight ``i`` is ``weight(i)``."""
    weights = list(map(weight, free_weights()))
    return struct.pack(f"<{len(weights)}h", *weights)


@pytest.fixture(scope="module")
def constant() -> bytes:
    """Weights that say two discs in phase 0, four in phase 1 and so on, by the number of empty squares alone."""
    patterns = bytes(2 * (len(free_weights()) - 61))
    return pack_weights([patterns + struct.pack("<h", 256 * (phase + 1)) * 61 for phase in range(PHASES)])


def mobility(squares: str, side: str) -> int:
    return len([move for move in OTHELLO.parse_position([squares, side]).legal_moves() if move != PASS])


def test_a_sum_of_known_weights(tmp_path: Path) -> None:
    """Edges with X-squares and mobility alone, each weight a number that can be computed from what it stands for."""
    start = sum(
        3 ** len(names.split()) for names in list(LEARNT.patterns.values())[: list(LEARNT.patterns).index(EDGE)]
    )
    after = sum(3 ** len(names.split()) for names in LEARNT.patterns.values())

    def weight(place: int) -> int:
        if start <= place < start + 3**10:
            return int((place - start) % 1009 - 504)
        return 7 * ((place - after) // 32) - 5 * ((place - after) % 32) if after <= place < after + 1024 else 0

    path = tmp_path / "known.weights"
    path.write_bytes(pack_weights([row(weight)] * PHASES))
    choices = random.Random(3)
    for _ in range(30):
        position = OTHELLO.initial()
        for _ in range(choices.randrange(4, 50)):
            if moves := position.legal_moves():
                position.play(choices.choice(moves))
        if position.is_over():
            continue
        squares, side = OTHELLO.format_position(position).split()
        other = "XO"[side == "X"]
        mine, theirs = (mobility(squares, each) for each in (side, other))
        total = 7 * mine - 5 * theirs
        rows = [squares[i : i + 8] for i in range(0, 64, 8)]
        for _ in range(4):
            edge = rows[0] + rows[1][1] + rows[1][6]
            images = []
            for text in (edge, edge[7::-1] + edge[9] + edge[8]):
                images.append(sum(3**power * (1 + (c == side) - (c == other)) for power, c in enumerate(text)))
            total += weight(start + min(images))
            rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        position.choose_evaluator("learnt", str(path))
        assert position.static_value() == max(-6300, min(6300, total * 100 // 128))


def test_a_phase_is_four_plies_long(tmp_path: Path, constant: bytes) -> None:
    path = tmp_path / "constant.weights"
    path.write_bytes(constant)
    position = OTHELLO.initial()
    position.choose_evaluator("learnt", str(path))
    while not position.is_over():
        assert position.static_value() == 200 * (1 + min(14, (60 - position.moves_left()) // 4))
        position.play(position.legal_moves()[0])


def changed(data: bytes, at: int, value: int) -> bytes:
    return data[:at] + bytes([value]) + data[at + 1 :]


def short_phase(data: bytes) -> bytes:
    """Return the file with a first phase that is a weight short, every checksum right."""
    length, _ = struct.unpack_from("<II", data, 32)
    block = zlib.compress(zlib.decompress(data[152 : 152 + length])[2:], 9)
    table = struct.pack("<II", len(block), zlib.crc32(block)) + data[40:152]
    return data[:20] + struct.pack("<I", zlib.crc32(table)) + data[24:32] + table + block + data[152 + length :]


WRONG: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "another kind": (lambda data: b"GIF89a" + data, "is not a weights file"),
    "cut in a phase": (lambda data: data[:-1], "is damaged"),
    "another version": (lambda data: changed(data, 8, 2), "has a different version or was made for different patterns"),
    "a damaged table": (lambda data: changed(data, 33, data[33] ^ 1), "is damaged"),
    "a damaged phase": (lambda data: changed(data, 160, data[160] ^ 1), "is damaged"),
    "a short phase": (short_phase, "a phase must have 631936 bytes"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_one_error_and_the_old_weights_stay(tmp_path: Path, constant: bytes, case: str) -> None:
    change, message = WRONG[case]
    good, bad = tmp_path / "good.weights", tmp_path / "bad.weights"
    good.write_bytes(constant)
    bad.write_bytes(change(constant))
    session = Session()
    own = session.position.static_value()
    option = find_option("EvalFile")
    apply_option(session, option, str(good))
    assert session.position.static_value() == 200
    with pytest.raises(WeightsError, match=r"^weights: .*bad.weights.* ") as caught:
        apply_option(session, option, str(bad))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (session.options.settings.evaluation_file, session.position.static_value()) == (str(good), 200)
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


def test_another_game_reads_no_file(tmp_path: Path, constant: bytes) -> None:
    path = tmp_path / "constant.weights"
    path.write_bytes(constant)
    session = Session()
    apply_option(session, find_option("EvalFile"), str(path))
    for game in ("connect", "othello 6x6"):
        with pytest.raises(WeightsError.__base__, match="option EvalFile: must be default"):
            apply_option(session, find_option("Game"), game)
    assert session.game.name == "othello"


def test_the_weights_of_the_package_are_small_and_whole() -> None:
    assert Path(weight_files.SHIPPED).stat().st_size <= 8 << 20
    weights_of(weight_files.Weights, weight_files.SHIPPED)


def test_a_position_that_got_ready_has_nothing_left_to_load(monkeypatch: pytest.MonkeyPatch) -> None:
    weight_files.shipped_weights.cache_clear()
    position = OTHELLO.initial()
    position.get_ready()
    loads = []
    monkeypatch.setattr(weight_files, "decompressed", lambda *_: loads.append(1))
    while not position.is_over():
        position.static_value()
        position.play(position.legal_moves()[0])
    assert position.ply > 50
    assert loads == []
