#!/usr/bin/env python3
"""Measure Othello boards in a plain Python loop: random games and perft leaves per second of CPU time.

    scripts/measure_boards.py [--seconds 2] [--rounds 3]

The libraries take turns; each figure is the median of the rounds. Libraries that are not installed are left out:
pyspiel is in ``open_spiel``, the others are ``rust-reversi`` and ``creversi-python``.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median

import quietmove


def quietmove_game() -> None:
    """Play a random game on a ``quietmove.Board``."""
    board = quietmove.Board()
    while legal := board.legal_moves:
        board.push(random.choice(legal))


def quietmove_leaves(depth: int) -> int:
    """Count the leaves with ``quietmove.Board``."""
    board = quietmove.Board()

    def count(depth: int) -> int:
        if depth == 0:
            return 1
        leaves = 0
        for move in board.legal_moves:
            board.push(move)
            leaves += count(depth - 1)
            board.pop()
        return leaves

    return count(depth)


def position_game() -> None:
    """Play a random game on a ``quietmove.Position``."""
    position = quietmove.Position()
    while legal := position.legal_moves:
        position.push(random.choice(legal))


def position_leaves(depth: int) -> int:
    """Count the leaves with ``quietmove.Position``."""
    position = quietmove.Position()

    def count(depth: int) -> int:
        if depth == 0:
            return 1
        leaves = 0
        for move in position.legal_moves:
            position.push(move)
            leaves += count(depth - 1)
            position.pop()
        return leaves

    return count(depth)


def spiel_game() -> None:
    """Play a random game in OpenSpiel."""
    import pyspiel

    state = pyspiel.load_game("othello").new_initial_state()
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))


def spiel_leaves(depth: int) -> int:
    """Count the leaves with OpenSpiel."""
    import pyspiel

    def count(state: pyspiel.State, depth: int) -> int:
        if depth == 0 or state.is_terminal():
            return 1
        leaves = 0
        for action in state.legal_actions():
            leaves += count(state.child(action), depth - 1)
        return leaves

    return count(pyspiel.load_game("othello").new_initial_state(), depth)


def rust_game() -> None:
    """Play a random game in rust-reversi."""
    import rust_reversi

    board = rust_reversi.Board()
    while not board.is_game_over():
        if board.is_pass():
            board.do_pass()
        else:
            board.do_move(random.choice(board.get_legal_moves_vec()))


def rust_leaves(depth: int) -> int:
    """Count the leaves with rust-reversi, which has no undo: copy the board instead."""
    import rust_reversi

    def count(board: rust_reversi.Board, depth: int) -> int:
        if depth == 0:
            return 1
        leaves = 0
        for move in board.get_legal_moves_vec():
            after = board.clone()
            after.do_move(move)
            leaves += count(after, depth - 1)
        return leaves

    return count(rust_reversi.Board(), depth)


def creversi_game() -> None:
    """Play a random game in creversi."""
    import creversi

    board = creversi.Board()
    while not board.is_game_over():
        if legal := list(board.legal_moves):
            board.move(random.choice(legal))
        else:
            board.move_pass()


def creversi_leaves(depth: int) -> int:
    """Count the leaves with creversi, which has no undo: copy the board instead."""
    import creversi

    def count(board: creversi.Board, depth: int) -> int:
        if depth == 0:
            return 1
        leaves = 0
        for move in list(board.legal_moves):
            after = board.copy()
            after.move(move)
            leaves += count(after, depth - 1)
        return leaves

    return count(creversi.Board(), depth)


LIBRARIES: dict[str, tuple[str, Callable[[], None], Callable[[int], int]]] = {
    "Board": ("quietmove", quietmove_game, quietmove_leaves),
    "Position": ("quietmove", position_game, position_leaves),
    "OpenSpiel": ("pyspiel", spiel_game, spiel_leaves),
    "rust-reversi": ("rust_reversi", rust_game, rust_leaves),
    "creversi": ("creversi", creversi_game, creversi_leaves),
}
DEPTH = 5  # plies of the counted trees, which have 1,396 leaves and no pass


def rate(work: Callable[[], int], seconds: float) -> float:
    """Return the sum of the results of ``work`` per second of CPU time."""
    done = 0
    started = time.process_time()
    while (took := time.process_time() - started) < seconds:
        done += work()
    return done / took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    random.seed(1)
    present = {name: rest for name, (module, *rest) in LIBRARIES.items() if find_spec(module)}
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in present}
    for _ in range(options.rounds):
        for name, (play, count) in present.items():

            def one_game(play: Callable[[], None] = play) -> int:
                play()
                return 1

            def one_tree(count: Callable[[int], int] = count) -> int:
                return count(DEPTH)

            rates[name].append((rate(one_game, options.seconds), rate(one_tree, options.seconds)))
    for name, rounds in rates.items():
        games, leaves = (round(median(each)) for each in zip(*rounds, strict=True))
        sys.stdout.write(f"{name}: {games} random games, {leaves} leaves a second\n")


if __name__ == "__main__":
    main()
