"""When the weights of the default evaluation are read, and what happens without them."""

from __future__ import annotations

import subprocess
import sys

from quietmove.engine.games.registry import get_game
from tests.fakes.processes import WAIT

SCRIPT = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from quietmove.engine.session import Session
session = Session()
read = [any(name.endswith("network.weights") for name in opened)]
session.new_game()
read.append(any(name.endswith("network.weights") for name in opened))
print(*read)
"""


def test_the_weights_are_read_at_a_new_game() -> None:
    """They are read neither at the start nor on the time of the first move."""
    assert get_game("othello").evaluators[0] == "network"
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=WAIT, check=True)
    assert run.stdout.split() == ["False", "True"]


MISSING = """
from quietmove.engine.games.othello.evaluators import network_weights
network_weights.SHIPPED = "gone.weights"
from quietmove.engine.session import Session
from quietmove.engine.values import Limits
session = Session()
session.go(Limits(depth=3), print, lambda result: print("move", result.move), lambda error: print("error", error))
session.wait(240)
"""


def test_weights_that_are_missing_are_one_error_and_a_legal_move() -> None:
    run = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, timeout=WAIT, check=True)
    assert run.stdout.splitlines() == ["error weights: gone.weights: No such file or directory", "move 19"]
    assert run.stderr == ""
