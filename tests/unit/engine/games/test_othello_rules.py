"""The rules of Othello: counts, special games, boards that no game reaches, notations, keys."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from quietmove.engine.games.base import Game
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.cpu import supported_builds
from quietmove.engine.games.registry import get_game
from quietmove.engine.perft import leaves
from quietmove.engine.protocol.notation import ALGEBRAIC, PROJECT, Coordinates, play_moves
from tests.fakes.othello import slow_flips
from tests.fakes.processes import WAIT

CASES = Path(__file__).parents[3] / "golden" / "rule_cases.tsv"
START = "---------------------------OX------XO---------------------------"
STUCK = "XO" + "-" * 62 + " O"  # White has no move, but Black does

# Leaves at depth 1, 2, 3 …: a pass is one ply, and a finished game one leaf.
PERFT = {
    f"{START} X": [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284],
    # 14, 6, 26 and 34 empty squares; the second is counted to one ply beyond the end of the game.
    "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X": [8, 57, 416, 2785, 17784, 102573, 547711],
    "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X": [4, 5, 11, 18, 31, 32, 32],
    "O-OOOO--XOXXOX--XOOOXXX-XOOOXX--XOOXOX--XOXXX---X-XX------------ O": [17, 59, 892, 4613, 62388, 403329],
    "-----------------------O--OOOOO---OOOOOXOOOOXXXX--XXOOXX--XX-O-X X": [11, 66, 760, 5828, 65369, 562206],
    # The maximum number of moves in reachable positions, 33, and in any position, 34.
    "------X--XX-X-X--XOOXOX--XOOXO-----OXXX---XXOO---XXOXXX---O----- O": [33, 295, 7951, 70298, 1636334],
    "---------OOO--O--OXX-OOX-OOXXXX---XXOXO--OOOOXO---O-O-O--------- X": [33, 240, 6423, 49878, 1169474],
    "---------OOX-OOX-XO--XX--OXXO-O---OOXXO--OOXOXO-----O-O--OX----- X": [34, 390, 11172, 125704, 3097979],
}


@dataclass(frozen=True)
class Case:
    """One line of the table of special games."""

    name: str
    moves: tuple[str, ...]
    passes: tuple[int, ...]
    black: int
    white: int
    result: int | None
    legal: int


def read_cases() -> list[Case]:
    cases = []
    for line in CASES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, moves, passes, black, white, result, legal, _ = line.split("\t")
            cases.append(
                Case(
                    name,
                    tuple(moves[i : i + 2] for i in range(0, len(moves), 2)),
                    tuple(int(index) for index in passes.split(",") if index != "-"),
                    int(black),
                    int(white),
                    None if result == "open" else 100 * int(result),
                    int(legal),
                )
            )
    return cases


SPECIAL = read_cases()


def set_up(othello: Game, text: str) -> OthelloPosition:
    position = othello.parse_position(text.split())
    assert isinstance(position, OthelloPosition)
    return position


def any_board(seed: int) -> tuple[int, int]:
    """Return two disjoint sets of squares, sparse to full, of any mix: most of them reached by no game."""
    choices = random.Random(seed)
    filled = choices.choice((0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1.0))
    share = choices.choice((0.02, 0.2, 0.5, 0.5, 0.8, 0.98))
    own = opp = 0
    for square in range(64):
        if choices.random() < filled:
            if choices.random() < share:
                own |= 1 << square
            else:
                opp |= 1 << square
    return own, opp


@pytest.mark.parametrize("text", PERFT, ids=lambda text: text[:16])
def test_perft(othello: Game, text: str) -> None:
    position = set_up(othello, text)
    counts = PERFT[text]
    assert [position.perft(depth) for depth in range(len(counts) + 1)] == [1, *counts]
    assert othello.format_position(position) == text


@pytest.mark.slow
def test_perft_11(othello: Game) -> None:
    assert leaves(othello.initial(), 11, lambda: False) == 212258800


def test_perft_can_be_stopped(othello: Game) -> None:
    asked = iter([False] * 5)
    assert 0 < leaves(othello.initial(), 8, lambda: next(asked, True)) < 390216


@pytest.mark.parametrize("written", [(ALGEBRAIC,), (PROJECT,), (ALGEBRAIC, PROJECT)], ids=len)
@pytest.mark.parametrize("case", SPECIAL, ids=lambda case: case.name)
def test_special_games(othello: Game, case: Case, written: tuple[Coordinates, ...]) -> None:
    position = othello.initial()
    passes = []
    for index, move in enumerate(case.moves):
        assert not position.is_over(), f"over before move {index}"
        if position.legal_moves() == [PASS]:
            passes.append(index)
            play_moves(othello, position, ["pass"])
        play_moves(othello, position, written[index % len(written)].write(othello.grid, move).split())
    assert isinstance(position, OthelloPosition)
    assert tuple(passes) == case.passes
    assert (position.black.bit_count(), position.white.bit_count()) == (case.black, case.white)
    assert len(position.legal_moves()) == case.legal
    assert position.is_over() is (case.result is not None)
    if case.result is not None:
        assert position.result() == case.result
        assert position.static_value() == (-case.result if position.side_to_move else case.result)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("X" * 64 + " O", 64),
        ("O" * 64 + " O", -64),
        ("X" * 32 + "O" * 32 + " X", 0),
        ("X" * 33 + "O" * 31 + " O", 2),
        ("-" * 64 + " X", 0),
        ("X" + "-" * 63 + " O", 64),
        ("XX-----O" + "-" * 56 + " X", 64 - 2),
        ("X------O" + "-" * 56 + " O", 0),
    ],
)
def test_the_winner_is_given_the_empty_squares(othello: Game, text: str, points: int) -> None:
    position = set_up(othello, text)
    assert position.is_over()
    assert position.result() == 100 * points


def test_moves_and_flips_on_any_board() -> None:
    """The operations on bits and the rules square by square: one answer."""
    for seed in range(500):
        own, opp = any_board(seed)
        side = seed // 4 % 2
        position = OthelloPosition(opp if side else own, own if side else opp, side)
        legal = sorted(position.legal_moves())
        empty = [square for square in range(64) if not (own | opp) >> square & 1]
        flips = {square: turned for square in empty if (turned := slow_flips(own, opp, square))}
        if flips:
            assert legal == sorted(flips)
        else:
            assert legal == ([PASS] if any(slow_flips(opp, own, square) for square in empty) else [])
        for square, turned in flips.items():
            position.play(square)
            after = (position.white, position.black) if side else (position.black, position.white)
            assert after == (own | turned | 1 << square, opp ^ turned)
            position.undo()
        assert position.moves_left() == len(empty)
        if not legal:
            lead = own.bit_count() - opp.bit_count()
            value = lead + len(empty) * ((lead > 0) - (lead < 0))
            assert position.result() == 100 * (-value if side else value)


FINGERPRINT = """
import json, random, sys
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.values import Limits, Settings
game = get_game("othello")
from quietmove.engine.games.othello import board, endgame
from quietmove.engine.games.othello.evaluators import classic
rows = []
for text in json.loads(sys.stdin.read()):
    position = game.parse_position(text.split())
    rows.append([position.legal_moves(), position.perft(4), position.static_value(), position.key])
    depth = 10 if position.moves_left() <= 10 else 3
    search = Deepening(position, None, Settings(quiescence=True), Limits(depth=depth))
    rows.append([[info.score.value, info.nodes, info.pv] for info in search.iterations()])
print(json.dumps([[each.__file__ for each in (board, endgame, classic)], rows]))
"""


@cache
def fingerprint(cpu: str) -> tuple[list[str], list[list[object]]]:
    """Return the folders of the modules that a processor loads, and what they answer for many positions."""
    texts = list(PERFT)
    for seed in range(100):
        own, opp = any_board(seed)
        if (own | opp).bit_count() > 4:
            texts.append(get_game("othello").format_position(OthelloPosition(own, opp, seed % 2)))
    environment = {**os.environ, "QUIETMOVE_CPU": cpu}
    command = [sys.executable, "-c", FINGERPRINT]
    run = subprocess.run(
        command, input=json.dumps(texts), env=environment, capture_output=True, check=True, text=True, timeout=WAIT
    )
    files, rows = json.loads(run.stdout)
    return [Path(file).parent.name for file in files], rows


@pytest.mark.parametrize(("build", "folders"), [("v3", ["v3"] * 3), ("v4", ["v4", "v4", "v3"])])
def test_the_plain_and_the_vector_builds_agree(build: str, folders: list[str]) -> None:
    if build not in supported_builds():
        pytest.skip(f"this processor has no x86-64-{build}")
    plain_folders, plain = fingerprint("plain")
    assert plain_folders == ["othello", "othello", "evaluators"]
    assert fingerprint(build) == (folders, plain)
