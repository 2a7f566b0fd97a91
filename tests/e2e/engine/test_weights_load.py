"""When the weights of the default evaluation are read: at a new game or the first evaluation, not before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quietmove.engine.games.registry import get_game
from tests.fakes.processes import WAIT

SCRIPT = """
import io, sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from quietmove.engine.games.registry import get_game
from quietmove.engine.session import Session
session = Session()
read = [any(name.endswith("network.weights") for name in opened)]
if sys.argv[1] == "new game":
    session.new_game()
else:
    session.position.static_value()
read.append(any(name.endswith("network.weights") for name in opened))
print(*read)
"""


@pytest.mark.parametrize("need", ["a value", "new game"])
def test_the_weights_are_read_when_they_are_first_needed(need: str) -> None:
    """A new game needs them: they are not read on the time of its first move."""
    assert get_game("othello").evaluators[0] == "network"
    run = subprocess.run([sys.executable, "-c", SCRIPT, need], capture_output=True, text=True, timeout=WAIT, check=True)
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
