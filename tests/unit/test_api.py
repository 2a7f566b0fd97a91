"""What ``import quietmove`` offers to scripts."""

from __future__ import annotations

import doctest
import subprocess
import sys
import threading
from typing import Any

import pytest

import quietmove
from quietmove.engine.errors import IllegalMoveError, LimitsError, NotationError, OptionError, QuietmoveError

WAIT = 60  # seconds; only a test that fails waits so long


def test_moves_are_read_in_every_notation_and_written_in_one() -> None:
    position = quietmove.Position(moves="f5 4 3 C3")
    assert position.moves == ("f5", "d6", "c3")
    assert sorted(position.legal_moves()) == ["d3", "f3", "f4", "g5"]
    assert quietmove.Position("connect 7x6x4").play("4 d 3").moves == ("d", "d", "c")
    assert quietmove.Position(moves="f5d6c3").fen == position.fen


def test_a_position_tells_who_moves_and_how_it_ended() -> None:
    position = quietmove.Position("tictactoe", moves="b2 a1 a2 a3")
    assert (position.side_to_move, position.is_over, position.result) == ("Black", False, None)
    position.play("c2")
    assert (position.is_over, position.result, position.legal_moves()) == (True, 1, [])
    position.undo()
    assert position.moves == ("b2", "a1", "a2", "a3")
    over = quietmove.Position("othello", "XX" + "-" * 62 + " X")
    assert (over.result, quietmove.Position(fen="O" + "-" * 63 + " X").result) == (64, -64)
    assert quietmove.Position("einstein").side_to_move == "nature"


def test_a_line_with_a_mistake_changes_nothing() -> None:
    position = quietmove.Position(moves="f5")
    with pytest.raises(IllegalMoveError, match="'a1' is not legal here"):
        position.play("d6 c3 a1")
    with pytest.raises(NotationError, match="'zz' is no move"):
        position.play("d6 zz")
    assert position.moves == ("f5",)
    assert position.fen == quietmove.Position(moves="f5").fen


def test_copies_are_independent_and_can_be_read_back() -> None:
    position = quietmove.Position("connect", moves="a b")
    other = position.copy().play("c")
    assert (position.moves, other.moves) == (("a", "b"), ("c",))
    assert eval(repr(position), {"Position": quietmove.Position}).fen == position.fen
    assert str(position).splitlines()[0].split() == ["a", "b", "c", "d"]


def test_an_analysis_tells_each_iteration_and_the_answer() -> None:
    position = quietmove.Position(moves="f5d6c3")
    analysis = quietmove.analyse(position, depth=5, hash=1, multipv=2, quiescence=True)
    infos = list(analysis)
    assert [(info.depth, info.rank) for info in infos] == [(depth, rank) for depth in range(1, 6) for rank in (1, 2)]
    assert analysis.best_move == infos[-2].move == infos[-2].pv[0]
    assert position.moves == ("f5", "d6", "c3")
    position.play(" ".join(infos[-2].pv))


def test_an_analysis_sees_the_moves_that_are_made_later_only_if_it_is_begun_later() -> None:
    position = quietmove.Position("tictactoe", moves="b2 a1 a2 a3")
    analysis = quietmove.analyse(position)
    position.play("c2")
    assert analysis.best_move == "c2"
    assert quietmove.analyse(position).best_move is None


def test_leaving_an_analysis_ends_its_search() -> None:
    with quietmove.analyse(quietmove.Position()) as analysis:
        for info in analysis:
            if info.depth == 4:
                break
    assert analysis.best_move is not None
    assert "search" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"depth": 0}, LimitsError, "depth: a whole number from 1 is allowed; 0 came"),
        ({"nodes": "many"}, LimitsError, "nodes: a whole number from 1 is allowed; 'many' came"),
        ({"orderin": "full"}, OptionError, "no option 'orderin'; did you mean 'Ordering'"),
        ({"hash": -1}, OptionError, "option Hash: a whole number from 0 to 65536 is allowed"),
        ({"game": "connect"}, QuietmoveError, "no option Game is allowed"),
    ],
)
def test_what_is_not_allowed_is_one_error(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        quietmove.analyse(quietmove.Position(), **given)


def test_the_documentation_runs() -> None:
    assert doctest.testmod(quietmove).failed == 0
    assert doctest.testmod(quietmove).attempted > 0


def test_a_plain_import_loads_neither_the_search_nor_a_game() -> None:
    script = "import sys, quietmove; print(sorted(name for name in sys.modules if name.startswith('quietmove')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True, timeout=WAIT)
    assert done.stdout.strip() == "['quietmove']"
    assert {"Position", "analyse"} <= set(dir(quietmove))
    with pytest.raises(AttributeError, match="no attribute 'analyze'"):
        _ = quietmove.analyze
