"""The session, with a search that does as the test tells it: one answer for a go, and only when it may be given."""

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from quietmove.engine import session as session_module
from quietmove.engine.errors import BusyError, WeightsError
from quietmove.engine.protocol.uci import Uci
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.session import Options, Session
from quietmove.engine.values import Info, Limits, Score, SearchResult, Settings
from tests.fakes.processes import WAIT

INFO = Info(Score(120), 3, 4, 1, 99, 5, 0, (19, 18))


class FakeSearch:
    """A search that finds INFO, then runs until it is stopped or told to finish."""

    latest: "FakeSearch"

    def __init__(
        self, position: Any, table: Any, settings: Any, limits: Limits, clock: Callable[[], float], trace: Any = None
    ) -> None:
        self.position, self.table, self.settings, self.limits = position, table, settings, limits
        self.finished = threading.Event()
        self.calls: list[str] = []
        self.failure: Exception | None = None
        FakeSearch.latest = self

    def iterations(self) -> Iterator[Info]:
        yield INFO
        assert self.finished.wait(WAIT)
        if self.failure is not None:
            raise self.failure

    def result(self) -> SearchResult:
        return SearchResult(19, 18, Score(120), 3, 99, 5)

    def stop(self) -> None:
        self.calls.append("stop")
        self.finished.set()

    def ponderhit(self) -> None:
        self.calls.append("ponderhit")


class Conversation:
    """A session and what it said."""

    def __init__(self) -> None:
        self.session = Session()
        self.said: SimpleQueue[Any] = SimpleQueue()

    def go(self, limits: Limits = Limits()) -> FakeSearch:  # noqa: B008 (a frozen value)
        self.session.go(limits, self.said.put, self.said.put, self.said.put)
        assert self.heard() == INFO
        return FakeSearch.latest

    def heard(self) -> Any:
        return self.said.get(timeout=WAIT)

    def silent(self) -> bool:
        return self.said.empty()


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Conversation]:
    monkeypatch.setattr(session_module, "Deepening", FakeSearch)
    before = set(threading.enumerate())
    conversation = Conversation()
    yield conversation
    assert conversation.session.close()
    assert not searching(before)


def searching(before: set[threading.Thread]) -> list[threading.Thread]:
    """Return the threads of searches that have begun since, once those that end have had time to."""
    found = [thread for thread in threading.enumerate() if thread.name == "search" and thread not in before]
    return [thread for thread in found if not (thread.join(WAIT) or not thread.is_alive())]


def test_a_search_that_ends_answers_once(talk: Conversation) -> None:
    talk.go(Limits(depth=3)).finished.set()
    assert talk.heard().move == 19
    assert not talk.session.thinking
    talk.session.stop()
    talk.session.ponderhit()
    assert talk.silent()


def test_stop_returns_when_the_answer_has_been_given(talk: Conversation) -> None:
    search = talk.go()
    talk.session.stop()
    assert search.calls == ["stop"]
    assert talk.said.get_nowait().move == 19
    assert talk.silent()


def test_infinite_holds_a_finished_search_back(talk: Conversation) -> None:
    talk.go(Limits(depth=3, infinite=True)).finished.set()
    talk.session.ponderhit()
    assert talk.silent()
    assert talk.session.thinking
    talk.session.stop()
    assert talk.said.get_nowait().move == 19


def test_ponder_holds_a_finished_search_back_until_the_hit(talk: Conversation) -> None:
    search = talk.go(Limits(depth=3, ponder=True))
    search.finished.set()
    assert talk.silent()
    talk.session.ponderhit()
    assert talk.heard().move == 19
    assert search.calls == ["ponderhit"]


def test_what_must_wait_is_refused_and_the_search_goes_on(talk: Conversation) -> None:
    search = talk.go()
    session = talk.session
    for refused in (
        lambda: session.go(Limits(), print, print, print),
        lambda: session.perft(1, print, print, print),
        lambda: session.configure(Options(hash=1)),
        lambda: session.set_up(session.game.initial()),
        session.new_game,
        session.clear_table,
        session.undo,
    ):
        with pytest.raises(BusyError, match="a search is running"):
            refused()  # type: ignore[no-untyped-call]
    assert search.calls == []
    assert session.options == Options()
    session.stop()
    assert talk.heard().move == 19


def test_the_session_is_idle_when_the_answer_is_given(talk: Conversation) -> None:
    seen: SimpleQueue[bool] = SimpleQueue()
    talk.session.go(Limits(), talk.said.put, lambda _: seen.put(talk.session.thinking), talk.said.put)
    talk.session.stop()
    assert seen.get(timeout=WAIT) is False


def test_the_search_has_a_position_of_its_own_and_the_options(talk: Conversation) -> None:
    talk.session.configure(Options(Settings("minimax", multipv=2), hash=1))
    talk.session.position.play(19)
    search = talk.go(Limits(nodes=7))
    assert search.position is not talk.session.position
    assert search.position.key == talk.session.position.key
    assert (search.settings.algorithm, search.settings.multipv) == ("minimax", 2)
    assert search.table is talk.session.table
    assert search.limits == Limits(nodes=7)


def test_a_search_that_fails_says_so_and_answers_with_what_it_knew(talk: Conversation) -> None:
    search = talk.go()
    search.failure = ZeroDivisionError("in the evaluation")
    search.finished.set()
    assert talk.heard() is search.failure
    assert talk.heard() == search.result()
    assert not talk.session.thinking


def test_a_search_that_fails_at_once_answers_with_a_legal_move(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Deepening):
        def iterations(self) -> Iterator[Info]:
            raise MemoryError
            yield

    monkeypatch.setattr(session_module, "Deepening", Failing)
    for limits, moves in ((Limits(), talk.session.position.legal_moves()), (Limits(searchmoves=(37,)), [37])):
        talk.session.go(limits, talk.said.put, talk.said.put, talk.said.put)
        assert isinstance(talk.heard(), MemoryError)
        assert talk.heard().move in moves


def test_one_thread_searches_for_every_go(talk: Conversation) -> None:
    before, seen = set(threading.enumerate()), set()
    for _ in range(3):
        talk.go().finished.set()
        assert talk.heard().move == 19
        seen |= {thread for thread in threading.enumerate() if thread.name == "search" and thread not in before}
    assert len(seen) == 1
    assert talk.session.close()
    talk.go().finished.set()
    assert talk.heard().move == 19
    assert talk.session.wait(WAIT)


def test_the_thread_ends_with_its_session() -> None:
    before = set(threading.enumerate())
    session, answer = Session(), SimpleQueue[Any]()
    session.go(Limits(depth=1), lambda _: None, answer.put, print)
    assert answer.get(timeout=WAIT).move is not None
    assert session.wait(WAIT)
    assert [thread for thread in threading.enumerate() if thread.name == "search" and thread not in before]
    del session
    assert not searching(before)


def test_an_answer_that_cannot_be_given_is_reported_and_the_next_search_runs(
    talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: SimpleQueue[Any] = SimpleQueue()
    monkeypatch.setattr(threading, "excepthook", lambda failed: reported.put(failed.exc_value))
    failure = ZeroDivisionError("in the callback")

    def fail(_: Any) -> None:
        raise failure

    talk.session.go(Limits(), talk.said.put, fail, talk.said.put)
    assert talk.heard() == INFO
    talk.session.stop()
    assert reported.get(timeout=WAIT) is failure
    assert not talk.session.thinking
    talk.go().finished.set()
    assert talk.heard().move == 19


def test_close_gives_up_on_a_search_that_does_not_stop(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    search = talk.go()
    with monkeypatch.context() as context:
        context.setattr(talk.session, "position", SimpleNamespace(slow=True))
        context.setattr(search, "stop", lambda: None)
        context.setattr(session_module, "CLOSE_PATIENCE", 0.0)
        assert not talk.session.close()
    search.finished.set()
    assert talk.heard().move == 19


class Loaded:
    """A position that counts how often it is told to get ready."""

    slow = False

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure, self.calls = failure, 0

    def get_ready(self) -> None:
        self.calls += 1
        if self.failure is not None:
            raise self.failure


@pytest.mark.parametrize("failure", [None, WeightsError("damaged")])
def test_an_idle_session_loads_the_weights_before_a_search(talk: Conversation, failure: Exception | None) -> None:
    """What is wrong with them is no concern of this."""
    talk.session.position = position = Loaded(failure)  # type: ignore[assignment]
    talk.session.get_ready(lambda: talk.said.put("ready"))
    assert position.calls == 1
    assert talk.said.get_nowait() == "ready"


class SlowTable:
    """A table whose memory takes as long as it may; it says when it has begun."""

    is_ready = False

    def __init__(self) -> None:
        self.begun = threading.Event()

    def get_ready(self, threads: int, is_stopped: Callable[[], bool]) -> None:
        self.begun.set()
        while not is_stopped():
            pass


@pytest.mark.parametrize("request_", ["quit", "position", "go", "isready"])
def test_nothing_waits_for_the_memory_of_a_large_table(request_: str) -> None:
    """Whoever asks for something before `readyok` does not wait for it; the answer comes all the same, and first."""
    lines: SimpleQueue[str] = SimpleQueue()
    engine = Uci(lambda *written: [lines.put(line) for line in written])
    engine.session.table = table = SlowTable()  # type: ignore[assignment]
    engine.handle("isready")
    assert table.begun.wait(WAIT)
    engine.session.table = Table(1)
    engine.handle({"go": "go depth 3", "position": "position startpos moves f5"}.get(request_, request_))
    assert engine.session.close()
    assert lines.get_nowait() == "readyok"
