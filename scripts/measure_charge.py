"""What an engine is charged beyond the time that it measures itself, from the arrival of `go` to writing `bestmove`.

    measure_charge.py [--games N] [--think MS] [--load PROCESSES]

Each engine thinks for a known time, and counts the time for which it waited for a processor as its own (Linux's
schedstat). Printed are the milliseconds a move that the referee's clock adds to that. With --load, that many processes
keep the processors busy meanwhile.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from statistics import median

from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game import judged_game
from quietmove.referee.game.clock import Clock
from quietmove.referee.game.host import GameHost

GAME = "subtraction 60 1"  # every move is 1: sixty of them
LIMIT = TimeControl(movetime_ms=1000)
ENGINE = """
import os, sys, time
think = float(sys.argv[1]) / 1000
scheduling = os.open("/proc/self/schedstat", os.O_RDONLY)
def waited():
    return int(os.pread(scheduling, 64, 0).split()[1]) / 1e9
before = waited()
for line in sys.stdin:
    now = time.monotonic()
    word = line.split()[0]
    if word == "uci":
        print("option name Game type string default othello\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        now -= waited() - before
        while time.monotonic() < now + think:
            pass
        own = time.monotonic() - now
        sys.stdout.write("bestmove 1\\n")
        sys.stdout.flush()
        sys.stderr.write(f"{1000 * own:.3f}\\n")
        before = waited()
"""
CLOCKS: list[ExactClock] = []  # the clocks of the game that runs: Black's, then White's


class ExactClock(Clock):
    """A clock that keeps what it is charged: a record has whole milliseconds."""

    def __init__(self, control: TimeControl, margin_ms: int) -> None:
        super().__init__(control, margin_ms)
        self.charged: list[float] = []
        CLOCKS.append(self)

    def charge(self, elapsed_ms: float) -> None:
        """Keep it."""
        super().charge(elapsed_ms)
        self.charged.append(elapsed_ms)


def main() -> None:
    """Play, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("games", 20), ("think", 0), ("load", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    judged_game.Clock = ExactClock
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(options.load)]
    try:
        with GameHost() as host:
            added = sorted(value for _ in range(options.games) for value in play(host, options.think))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    sys.stdout.write(
        f"{len(added)} moves in {options.games} games; added to a move, in milliseconds:\n"
        f"median {median(added):.3f}, 99 % below {added[len(added) * 99 // 100]:.3f}, most {added[-1]:.3f}\n"
    )


def play(host: GameHost, think: int) -> list[float]:
    """Play one game; return the milliseconds that each move was charged beyond the engine's own measure."""
    CLOCKS.clear()
    command = (sys.executable, "-S", "-c", ENGINE, str(think))
    first, second = (EngineConfig(name, command, limit=LIMIT) for name in "ab")
    record = host.play(GameSpec(GAME, (), first, second))
    own = [map(float, text.split()) for text in (record.black_stderr, record.white_stderr)]
    pairs = (pair for clock, times in zip(CLOCKS, own, strict=True) for pair in zip(clock.charged, times, strict=False))
    return [charged - measured for charged, measured in pairs]


if __name__ == "__main__":
    main()
