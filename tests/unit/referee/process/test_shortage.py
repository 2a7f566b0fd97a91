"""What the machine refuses is an error of its own, and no engine's fault; really lowered limits are in tests/e2e."""

from __future__ import annotations

import errno
import resource
import threading
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path

import pytest

from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import ShortageError, StartError
from quietmove.referee.game import host
from quietmove.referee.game.host import GameHost, play_game
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match import running
from quietmove.referee.match.running import Pool, RunningGames
from quietmove.referee.process import shortage
from quietmove.referee.process.shortage import allow_files, check_tasks, refused_tasks, shortage_of

SPEC = GameSpec("othello", (), EngineConfig("a", ("a",)), EngineConfig("b", ("b",)))
RECORD = GameRecord(SPEC, (), "finished", None, 0.5, 0, "made up")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EMFILE, "…"), r"no room for a fork: Too many open files \(ulimit -n\)"),
        (OSError(errno.ENFILE, "…"), "no room for a fork: Too many open files in system"),
        (BlockingIOError(errno.EAGAIN, "…"), "no room for a fork: Resource temporarily unavailable"),
        (OSError(errno.ENOMEM, "…"), "no room for a fork: Cannot allocate memory"),
        (MemoryError(), "no room for a fork: Cannot allocate memory"),
        (RuntimeError("can't start new thread"), "no room for a fork: Resource temporarily unavailable"),
    ],
)
def test_a_shortage_has_an_error_of_its_own(error: Exception, words: str) -> None:
    with pytest.raises(ShortageError, match=words), shortage_of("a fork"):
        raise error


@pytest.mark.parametrize("error", [OSError(errno.ENOENT, "…"), OSError(errno.EACCES, "…"), RuntimeError("no loop")])
def test_other_errors_stay_what_they_are(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, shortage_of("a fork"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(("limits", "allowed"), [((100, 10_000), 368), ((100, 200), 200), ((1000, 10_000), 1000)])
def test_more_open_files_are_allowed(monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], allowed: int) -> None:
    found = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: found.append(pair))
    allow_files(10)
    assert found == [(allowed, limits[1])]


def test_a_fault_while_processes_are_refused_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = tmp_path / "sys/fs/cgroup/user/own"
    (tmp_path / "proc/self").mkdir(parents=True)
    group.mkdir(parents=True)
    assert refused_tasks(tmp_path) == 0
    (tmp_path / "proc/self/cgroup").write_text("5:cpu:/elsewhere\n0::/user/own\n")
    assert refused_tasks(tmp_path) == 0
    (group / "pids.events").write_text("max 3\n")
    (group.parent / "pids.events").write_text("max 2\n")
    assert refused_tasks(tmp_path) == 5
    (group.parent / "pids.events.local").write_text("max 1\n")  # the other refusals came from limits of subgroups
    assert refused_tasks(tmp_path) == 4
    monkeypatch.setattr(shortage, "refused_tasks", lambda: refused_tasks(tmp_path))
    check_tasks(4)
    with pytest.raises(ShortageError, match="the control group refused a process or a thread 1 times"):
        check_tasks(3)


@pytest.mark.parametrize(("left", "is_judged"), [(8, True), (7, False)])
def test_a_fault_where_hardly_a_thread_is_left_is_not_judged(
    monkeypatch: pytest.MonkeyPatch, left: int, is_judged: bool
) -> None:
    start, numbers = threading.Thread.start, iter(range(1, 100))

    def refuse(self: threading.Thread) -> None:
        if next(numbers) > left:
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with nullcontext() if is_judged else pytest.raises(ShortageError, match="no room for the threads of an engine"):
        check_tasks(refused_tasks())


@pytest.mark.parametrize("refused", [0, 1])
def test_a_game_whose_engine_had_no_room_has_no_verdict(monkeypatch: pytest.MonkeyPatch, refused: int) -> None:
    counts = iter([5, 5 + refused])
    monkeypatch.setattr("quietmove.referee.game.judged_game.refused_tasks", lambda: next(counts))
    monkeypatch.setattr(shortage, "refused_tasks", lambda: next(counts))
    gone = EngineConfig("a", ("/nowhere/engine",))
    spec = GameSpec("othello", (), gone, EngineConfig("b", ("/nowhere/engine",)))
    if refused:
        with pytest.raises(ShortageError, match="the control group refused"):
            play_game(spec)
    else:
        assert play_game(spec).reason == "crash"


@pytest.mark.parametrize(("fails", "ended"), [(1, True), (2, False)])
def test_a_game_of_two_in_which_an_engine_does_not_start_is_begun_once_more(fails: int, ended: bool) -> None:
    unstarted = GameRecord(SPEC, (), "crash", "black", 0.0, -64, "a (black) ended", started=False)
    notices: list[str] = []
    games: RunningGames[int] = RunningGames(Pool(1, lambda *_: of_record.pop(0)), notices.append, of_two=True)
    of_record = [done(record) for record in [*[unstarted] * fails, RECORD]]
    games.begin(1, SPEC)
    assert list(games.completed()) == [(1, None)]
    games.begin(1, SPEC)
    with nullcontext() if ended else pytest.raises(StartError, match=r"failed to start twice: a \(black\) ended"):
        assert [future and future.result() for _, future in games.completed()] == [RECORD]
    assert notices == ["restarting a game: a (black) ended"]


def done(record: GameRecord) -> Future[GameRecord]:
    future: Future[GameRecord] = Future()
    future.set_result(record)
    return future


def test_a_thread_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(ShortageError, match="no room for a thread"), running.local_pool(5):
        pass


def test_an_event_loop_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(host, "RefereeLoop", refuse)
    with pytest.raises(ShortageError, match="Too many open files"), GameHost():
        pass
