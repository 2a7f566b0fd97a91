#!/usr/bin/env python3
"""Compare random play of Othello in the vector environment and in OpenSpiel, in steps per second of processor time.

    scripts/measure_environments.py [--games 256] [--seconds 3]

The vector environment, in self-play and against level 5, and OpenSpiel take turns, three times each. A step chooses and
makes a legal move; the vector environment also writes observations and masks.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from statistics import median

import pyspiel

from quietmove.environments import OthelloVectorEnv


def vector_rate(count: int, seconds: float, level: int | str) -> float:
    """Return the steps per second of ``count`` concurrent games."""
    env = OthelloVectorEnv(count, level=level)
    env.reset(seed=1)
    steps, started = 0, time.process_time()
    while (took := time.process_time() - started) < seconds:
        env.step(env.random_actions())
        steps += count
    return steps / took


def pyspiel_rate(seconds: float) -> float:
    """Return the steps per second of OpenSpiel from Python."""
    game, chance = pyspiel.load_game("othello"), random.Random(1)
    steps, started, state = 0, time.process_time(), game.new_initial_state()
    while (took := time.process_time() - started) < seconds:
        if state.is_terminal():
            state = game.new_initial_state()
        state.apply_action(chance.choice(state.legal_actions()))
        steps += 1
    return steps / took


def main() -> None:
    """Measure both and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    rounds = [
        (
            vector_rate(options.games, options.seconds, "self"),
            vector_rate(options.games, options.seconds, 5),
            pyspiel_rate(options.seconds),
        )
        for _ in range(3)
    ]
    ours, level, theirs = (round(median(each)) for each in zip(*rounds, strict=True))
    sys.stdout.write(f"vector environment: {ours} steps a second with {options.games} games\n")
    sys.stdout.write(f"against level 5: {level} steps a second\n")
    sys.stdout.write(f"OpenSpiel: {theirs} steps a second\n")


if __name__ == "__main__":
    main()
