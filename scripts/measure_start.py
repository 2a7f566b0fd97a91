"""How long an engine takes to begin a game in a process of its own, alone and in the sandbox, and to stop a search.

Each of 11 games of one move starts two engines and ends them. Then `quietmove` searches with two threads, and is
stopped 50 ms later, 100 times. Printed are medians and the slowest, in milliseconds.
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

from quietmove import player
from quietmove.referee.config.model import GameSpec
from quietmove.referee.game.host import GameHost

GAME = "subtraction 1 1"
ENGINE = (sys.executable, "-m", "quietmove")
GAMES, STOPS = 11, 100  # the median of so many is printed
BEFORE_STOP = 0.05  # seconds from the beginning of a search to its stop


def main() -> None:
    """Measure, and print what was found."""
    with GameHost(kept=0) as host:
        play(host, sandbox=False)  # the first game starts the launcher too
        for name, sandbox in (("alone", False), ("in the sandbox", True)):
            show(f"a game {name}", [play(host, sandbox) for _ in range(GAMES)])
    show("from stop to bestmove", stops())


def play(host: GameHost, sandbox: bool) -> float:
    """Return the milliseconds of a game of one move, with two engines that are started for it."""
    first, second = (player(name=name, limit="depth=1", sandbox=sandbox) for name in ("first", "second"))
    began = time.perf_counter()
    record = host.play(GameSpec(GAME, (), first, second))
    assert record.reason == "finished", record
    return 1000 * (time.perf_counter() - began)


def stops() -> list[float]:
    """Return the milliseconds from each `stop` to its `bestmove`."""
    found = []
    with subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
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
    """Print the median and the slowest."""
    sys.stdout.write(f"{name}: median {median(values):.1f} ms, slowest {max(values):.1f} ms\n")


if __name__ == "__main__":
    main()
