"""Short games share a task; the tasks are ended here by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from quietmove.addons.cluster.batches import MAX_GAMES, Batches, Call, Played
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import PauseError
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import Pool, RunningGames
from quietmove.tournament.errors import ClusterError

ENGINE = EngineConfig("a", ("engine",))
SPEC = GameSpec("othello", (), ENGINE, ENGINE)


def spec(number: int) -> GameSpec:
    return GameSpec("othello", (str(number),), ENGINE, ENGINE)


def record(call: Call) -> GameRecord:
    return GameRecord(call[0], (), "finished", None, 1.0, 10, "made up")


def no_faults(call: Call, record: GameRecord) -> Iterator[str]:
    yield from ()


class Tasks:
    """The tasks that were begun, each with its games."""

    def __init__(self) -> None:
        self.begun: list[tuple[Sequence[Call], Future[Played]]] = []
        self.left_out: list[tuple[Future[Played], str]] = []
        self.batches = Batches(self._submit, no_faults, lambda *told: self.left_out.append(told))
        self.records: list[Future[GameRecord]] = []

    def _submit(self, games: list[Call]) -> Future[Played]:
        self.begun.append((games, Future()))
        return self.begun[-1][1]

    def begin(self, numbers: range) -> None:
        self.records += [self.batches.begin(spec(number), (), ()) for number in numbers]

    def end(self, task: int, seconds: float) -> None:
        games, future = self.begun[task]
        future.set_result(Played([record(each) for each in games], seconds))

    def sizes(self) -> list[int]:
        return [len(games) for games, _ in self.begun]


def test_as_many_games_as_fill_a_second_are_one_task() -> None:
    tasks = Tasks()
    assert tasks.batches.ahead(2) == 0  # the length of a game is still unknown
    tasks.begin(range(100))
    assert tasks.sizes() == [1, 1]
    tasks.end(0, 0.0)
    assert tasks.sizes()[2:] == [1]  # the first games do not count, because they include starting the engines
    for task in (1, 2, 3, 4, 5, 6):
        tasks.end(task, 0.09 * tasks.sizes()[task])
    assert tasks.sizes()[-1] == 10
    assert tasks.batches.ahead(2) == 2 * (2 * 10 - 1)
    assert [each.result().spec for each in tasks.records[:4]] == [spec(number) for number in range(4)]


def test_long_games_are_handed_out_one_by_one() -> None:
    tasks = Tasks()
    tasks.batches.ahead(2)
    tasks.begin(range(10))
    for task in range(6):
        tasks.end(task, 0.6)
    assert tasks.sizes() == [1] * 8
    assert tasks.batches.ahead(2) == 0


def test_the_last_games_are_shared_by_all_places_and_a_task_has_a_limit() -> None:
    tasks = Tasks()
    tasks.batches.ahead(1)
    tasks.begin(range(500))
    while not all(each.done() for each in tasks.records):
        tasks.end(-1, 0.0)
    assert max(tasks.sizes()) == MAX_GAMES
    tasks.begin(range(10))
    assert tasks.sizes()[-1] == 1
    tasks.batches.ahead(3)
    assert tasks.sizes()[-2:] == [3, 2]


def test_what_follows_an_error_is_played_in_another_task() -> None:
    tasks = Tasks()
    tasks.batches.ahead(1)
    tasks.begin(range(30))
    while tasks.sizes()[-1] < 3:
        tasks.end(-1, 0.0)
    games, task = tasks.begun[-1]
    done = sum(each.done() for each in tasks.records)
    task.set_result(Played([record(games[0]), PauseError("it stood still")], 0.0))
    assert tasks.begun[-1][0][0] == games[2]
    assert tasks.records[done].result().spec == games[0][0]
    with pytest.raises(PauseError):
        tasks.records[done + 1].result()
    assert not tasks.records[done + 2].done()


def test_a_task_that_is_cancelled_or_cannot_begin_fails_its_games() -> None:
    tasks = Tasks()
    tasks.begin(range(2))
    tasks.begun[0][1].cancel()
    with pytest.raises(CancelledError):
        tasks.records[0].result()
    assert len(tasks.begun) == 2

    def closed(games: list[Call]) -> Future[Played]:
        raise RuntimeError("closed")

    with pytest.raises(RuntimeError, match="closed"):
        Batches(closed, no_faults, pytest.fail).begin(SPEC, (), ()).result()


def test_games_that_wait_are_withdrawn_and_those_of_a_task_are_not() -> None:
    tasks = Tasks()
    running: RunningGames[int] = RunningGames(Pool(2, tasks.batches.begin, None, tasks.batches.ahead))
    assert running.free == 2
    for number in range(5):
        running.begin(number, spec(number))
    running.withdraw()
    assert len(running) == 2
    tasks.end(0, 0.1)
    tasks.end(1, 0.1)
    assert sorted(key for key, _ in running.completed()) == [0, 1]
    assert len(tasks.begun) == 2


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (Played([], 0.1), "must have 1 to 1 games, not 0"),
        (Played([record((SPEC, ()))] * 2, 0.1), "must have 1 to 1 games, not 2"),
        (Played([record((SPEC, ()))], math.nan), "not a list of records with a time"),
        (Played(["nothing"], 0.1), "not a record of a game"),  # type: ignore[list-item]
        (Played(None, 0.1), "not a list of records with a time"),  # type: ignore[arg-type]
        ("nothing", "not a list of records with a time"),
    ],
)
def test_the_sender_of_a_wrong_result_is_left_out_and_its_games_are_played_again(result: Any, message: str) -> None:
    tasks = Tasks()
    tasks.begin(range(1))
    tasks.begun[0][1].set_result(result)
    ((task, fault),) = tasks.left_out
    assert task is tasks.begun[0][1]
    assert message in fault
    assert tasks.sizes() == [1, 1]
    tasks.end(1, 0.1)
    assert tasks.records[0].result(0).spec == spec(0)


def test_a_wrong_result_whose_sender_cannot_be_left_out_is_an_error() -> None:
    tasks = Tasks()

    def fail(task: Future[Played], fault: str) -> None:
        raise ClusterError("the scheduler is gone")

    batches = Batches(tasks._submit, no_faults, fail)
    played = batches.begin(SPEC, (), ())
    tasks.begun[0][1].set_result(Played([], 0.1))
    with pytest.raises(ClusterError, match="the scheduler is gone"):
        played.result(0)
