"""Measure a game's cost for engine processes: starting, stopping a search, and time charged beyond the engine's own.

    measure_engines.py start
    measure_engines.py charge [--games N] [--think MS] [--load PROCESSES]

``start``: each of 11 games of one move starts and ends two engines, with and without the sandbox. Then `quietmove`
searches with two threads and is stopped after 50 ms, 100 times. The output has medians and maximums, in milliseconds.

``charge``: each engine thinks for a known time, and counts its waits for a processor as its own time (Linux's
schedstat). The output has the milliseconds per move that the referee's clock adds to this, from the arrival of `go` to
writing `bestmove`. With --load, that many processes keep the processors busy at the same time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from statistics import median

from quietmove import player
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game import judged_game
from quietmove.referee.game.host import GameHost

OWN_ENGINE = (sys.executable, "-m", "quietmove")
STARTED_GAMES, STOPS = 11, 100  # number of samples for each median
BEFORE_STOP = 0.05  # seconds from the start of a search to its stop
ONE_MOVE, SIXTY_MOVES = "subtraction 1 1", "subtraction 60 1"  # games of one and of sixty moves, each taking 1
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
CLOCKS: list[ExactClock] = []  # the clocks of the current game: Black's, then White's


class ExactClock(Clock):
    """A clock that records the exact charges; a game record only has whole milliseconds."""

    def __init__(self, control: TimeControl, margin_ms: int) -> None:
        super().__init__(control, margin_ms)
        self.charged: list[float] = []
        CLOCKS.append(self)

    def charge(self, elapsed_ms: float) -> None:
        """Record the charge."""
        super().charge(elapsed_ms)
        self.charged.append(elapsed_ms)


def main() -> None:
    """Run the measurement selected on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("start", "charge"))
    for name, default in (("games", 20), ("think", 0), ("load", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    if options.what == "start":
        measure_start()
    else:
        measure_charge(options.games, options.think, options.load)


def measure_start() -> None:
    """Start engines and stop searches, and print the times."""
    with GameHost(kept=0) as host:
        start_game(host, sandbox=False)  # the first game also starts the launcher
        for name, sandbox in (("alone", False), ("in the sandbox", True)):
            show(f"a game {name}", [start_game(host, sandbox) for _ in range(STARTED_GAMES)])
    show("from stop to bestmove", stops())


def start_game(host: GameHost, sandbox: bool) -> float:
    """Return the time of a game of one move in milliseconds, including the start of its two engines."""
    first, second = (player(name=name, limit="depth=1", sandbox=sandbox) for name in ("first", "second"))
    began = time.perf_counter()
    record = host.play(GameSpec(ONE_MOVE, (), first, second))
    assert record.reason == "finished", record
    return 1000 * (time.perf_counter() - began)


def stops() -> list[float]:
    """Return the time from each `stop` to its `bestmove` in milliseconds."""
    found = []
    with subprocess.Popen(OWN_ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write("setoption name Threads value 2\nsetoption name OwnBook value false\n")
        for _ in range(STOPS):
            engine.stdin.write("go infinite\n")
            time.sleep(BEFORE_STOP)
            engine.stdin.write("stop\n")
            began = time.perf_counter()
            next(line for line in engine.stdout if line.startswith("bestmove"))
            found.append(1000 * (time.perf_counter() - began))
        engine.stdin.close()
    return found


def show(name: str, values: list[float]) -> None:
    """Print the median and the maximum."""
    sys.stdout.write(f"{name}: median {median(values):.1f} ms, slowest {max(values):.1f} ms\n")


def measure_charge(games: int, think: int, load: int) -> None:
    """Play games, and print the added time per move."""
    judged_game.Clock = ExactClock
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(load)]
    try:
        with GameHost() as host:
            added = sorted(value for _ in range(games) for value in charged_game(host, think))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    sys.stdout.write(
        f"{len(added)} moves in {games} games; added to a move, in milliseconds:\n"
        f"median {median(added):.3f}, 99 % below {added[len(added) * 99 // 100]:.3f}, most {added[-1]:.3f}\n"
    )


def charged_game(host: GameHost, think: int) -> list[float]:
    """Play one game; return the milliseconds charged for each move beyond the engine's own measurement."""
    CLOCKS.clear()
    command = (sys.executable, "-S", "-c", ENGINE, str(think))
    first, second = (EngineConfig(name, command, limit=LIMIT) for name in "ab")
    record = host.play(GameSpec(SIXTY_MOVES, (), first, second))
    own = [map(float, text.split()) for text in (record.black_stderr, record.white_stderr)]
    pairs = (pair for clock, times in zip(CLOCKS, own, strict=True) for pair in zip(clock.charged, times, strict=False))
    return [charged - measured for charged, measured in pairs]


if __name__ == "__main__":
    main()
