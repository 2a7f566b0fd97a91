"""Where the system allows no further thread: one error line, an answer, and the conversation goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from quietmove.engine.protocol.uci import Uci
from tests.fakes.addons import needs_games
from tests.fakes.talk import Talk

REFUSAL = "can't start new thread"


@pytest.fixture
def allow(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], None]:
    """Return what lets only so many threads of a name start from now on."""
    start, left = threading.Thread.start, dict[str, int]()

    def limited(thread: threading.Thread) -> None:
        left[thread.name] = left.get(thread.name, 100) - 1
        if left[thread.name] < 0:
            raise RuntimeError(REFUSAL)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    return left.__setitem__


@pytest.mark.parametrize(("go", "answer"), [("go depth 8", "bestmove"), ("go perft 3", "Nodes searched: 56")])
def test_a_search_without_a_thread_is_an_error_and_the_next_one_runs(
    allow: Callable[[str, int], None], go: str, answer: str
) -> None:
    talk = Talk(Uci)
    allow("search", 0)
    error = f"info string error: go: cannot start a thread: {REFUSAL}"
    assert talk.say(go, "isready", "stop") == [error, "bestmove none", "readyok"]
    allow("search", 1)
    assert talk.say(go)[-1].startswith(answer)


@pytest.mark.parametrize("go", ["go depth 1", "go depth 2", "go nodes 1000"])
def test_a_short_search_needs_no_thread_and_is_written_at_once(allow: Callable[[str, int], None], go: str) -> None:
    allow("search", 0)
    written: list[tuple[str, ...]] = []
    uci = Uci(lambda *lines: written.append(lines))
    uci.handle(go)
    [(*infos, best)] = written
    assert infos[0].startswith("info depth 1 ")
    assert best.startswith("bestmove ")


@pytest.mark.parametrize(
    "lines",
    [
        ("go nodes 1001",),
        ("go depth 1 infinite",),
        pytest.param(("setoption name Game value whist", "go depth 1"), marks=needs_games),
        ("setoption name Threads value 256", "go nodes 9"),
        ("setoption name Quiescence value true", "go depth 1"),
        ("setoption name Algorithm value mcts", "go nodes 9"),
        ("setoption name Level value 0", "go depth 1"),
    ],
)
def test_a_search_that_may_take_longer_has_a_thread(allow: Callable[[str, int], None], lines: tuple[str, ...]) -> None:
    allow("search", 0)
    assert f"info string error: go: cannot start a thread: {REFUSAL}" in Talk(Uci).say(*lines)


@pytest.mark.parametrize("started", [0, 1])
def test_a_search_goes_on_with_the_threads_that_start(allow: Callable[[str, int], None], started: int) -> None:
    talk = Talk(Uci)
    talk.say("setoption name Threads value 3")
    allow("search helper", started)
    *infos, error, best = talk.say("go depth 8")
    assert infos[-1].startswith("info depth 8 ")
    assert error == (
        f"info string error: go: option Threads: only {started + 1} of 3 threads could be started: {REFUSAL}"
    )
    assert best.startswith("bestmove ")
    allow("search helper", 2)
    assert not [line for line in talk.say("go depth 8") if "error" in line]
