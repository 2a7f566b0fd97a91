"""Places for games: workers of Dask in threads of this process. A killed worker is in tests/e2e."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed
import pytest

from quietmove.addons.cluster import cluster, worker
from quietmove.engine.games.user.source import GameFile
from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec, TimeControl
from quietmove.referee.errors import ShortageError
from quietmove.referee.game.record import MoveRecord
from quietmove.referee.match.running import Pool
from quietmove.referee.process.shortage import Notice, ignore_notice
from quietmove.referee.seats.pool import objections
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.playing.backends import Threads, open_backend
from tests.fakes.processes import wait_until

PATIENCE = 240.0
HERE = Path(__file__).parents[2]
SLEEPER = EngineConfig("a", ("sleep", "1000"), start_timeout_ms=1_000_000)
TOURNAMENT = Tournament("t", "othello", 1, ((),), ())
PLAYER = EngineConfig("p", (), "in-process", (("Hash", "1"),), TimeControl(depth=1))


@contextmanager
def open_cluster(workers: int = 1, threads: int = 2) -> Iterator[Any]:
    made = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=threads,
        processes=False,
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        memory_limit=0,
        silence_logs=50,
    )
    try:
        yield made
    finally:
        made.close()


@contextmanager
def dask(threads: int = 2) -> Iterator[str]:
    with open_cluster(1, threads) as made:
        yield made.scheduler_address


@contextmanager
def pool_at(address: str, notice: Notice = ignore_notice) -> Iterator[Pool]:
    with cluster.connected(address, None, notice) as place, place.pool(TOURNAMENT, notice) as pool:
        yield pool


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with dask() as made:
        yield made


def spec(engine: EngineConfig) -> GameSpec:
    return GameSpec("othello", (), engine, replace(engine, name="other"))


def test_games_are_played_and_as_many_at_once_as_the_workers_have_threads(address: str) -> None:
    with cluster.connected(address, None, ignore_notice) as place, place.pool(TOURNAMENT, ignore_notice) as pool:
        assert (pool.size, pool.resized(), place.size(1), place.size(5)) == (2, 2, 1, 2)
        played = (MoveRecord("f5", "black", 3), MoveRecord("f4", "white", 4))
        begun = [pool.begin(spec(PLAYER), (), moves) for moves in ((), (), played)]  # two of them are the same game
        records = [each.result(PATIENCE) for each in begun]
    assert [record.reason for record in records] == ["finished"] * 3
    assert records[2].moves[:2] == played
    with cluster.connected(address, 1, ignore_notice) as place:
        assert (place.size(None), place.size(2)) == (1, 1)


def test_an_adjudicated_game_is_accepted(address: str) -> None:
    game = replace(spec(PLAYER), adjudication=Adjudication(max_plies=6))
    with pool_at(address) as pool:
        assert pool.begin(game, (), ()).result(PATIENCE).reason == "adjudicated"


def test_a_worker_with_another_installation_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "installation", lambda: "quietmove-9-0123-python-3.1")
    text = rf"^worker inproc://.*: must have quietmove-9-0123-python-3.1, not {worker.installation()}$"
    with pytest.raises(ClusterError, match=text), cluster.connected(address, None, ignore_notice):
        pass


def test_the_digest_is_of_every_source_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def digest() -> str:
        worker.installation.cache_clear()
        return worker.installation()

    monkeypatch.setattr(worker.common, "__file__", str(tmp_path / "common" / "__init__.py"))
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "a.py").write_text("1")
    (tmp_path / "b.py").write_text("2")
    before = digest()
    (tmp_path / "engine" / "a.c").write_text("made from it")
    assert digest() == before
    (tmp_path / "engine" / "a.py").write_text("3")
    assert digest() != before
    worker.installation.cache_clear()


def test_engines_are_asked_at_the_workers(address: str) -> None:
    with open_backend(address, None, None, ignore_notice) as place:
        found = objections([PLAYER, EngineConfig("x", ("gone",))], "othello", place.ask)
    assert [each.engine for each in found] == [1]
    assert found[0].text.startswith("engine x: there is no program 'gone', or it is not executable (worker inproc://")


def test_a_game_file_must_be_the_same_at_the_workers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = f"{HERE / 'example_games' / 'hexapawn' / 'hexapawn.py'}:Hexapawn"
    with open_backend(address, None, None, ignore_notice) as place:
        assert place.ask([], game) == []
        monkeypatch.setattr(cluster, "file_digest", lambda game: "another")
        with pytest.raises(ClusterError, match=r"worker inproc://.*hexapawn\.py.*but another where"):
            place.ask([], game)
        with pytest.raises(ClusterError, match=r"worker inproc://.*nonsuch"):
            place.ask([], "nonsuch")


def test_another_file_of_a_game_is_not_run_at_the_workers(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "game.py").write_text("class Game: ...\n", encoding="utf-8")
    game = f"{tmp_path / 'game.py'}:Game"
    monkeypatch.setattr(cluster, "file_digest", lambda game: "another")
    with open_backend(address, None, None, ignore_notice) as place, pytest.raises(ClusterError, match="another where"):
        place.ask([], game)
    file = GameFile.of_game(game)
    assert file is not None
    assert not file.is_loaded


def test_leaving_the_pool_stops_its_games_and_idle_engines_end(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts: list[Any] = []

    class Noted(worker.GameHost):  # type: ignore[name-defined,misc]
        def __init__(self, kept: int) -> None:
            super().__init__(kept)
            hosts.append(self)

    monkeypatch.setattr(worker, "GameHost", Noted)
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0)
    with dask() as address:
        with pool_at(address) as pool:
            pool.begin(spec(SLEEPER), (), ())
            wait_until(lambda: hosts and hosts[0]._games)
        wait_until(lambda: not hosts[0]._games and hosts[0]._is_closed)
        with pool_at(address) as pool:  # the worker can still play games
            assert pool.begin(spec(PLAYER), (), ()).result(PATIENCE).reason == "finished"


def test_a_closing_worker_leaves_its_game_to_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine says nothing where it is started first, and ends at once where it is started again."""
    monkeypatch.setattr(cluster, "RESIZE_SECONDS", 0)
    script = f"[ -e {tmp_path}/begun ] && exit; : > {tmp_path}/begun; sleep 1000"
    game = replace(spec(PLAYER), black=replace(SLEEPER, command=("bash", "-c", script)))
    with open_cluster() as made, pool_at(made.scheduler_address) as pool:
        played = pool.begin(game, (), ())
        wait_until((tmp_path / "begun").exists)
        made.scale(2)
        wait_until(lambda: pool.resized() == 4)
        assert not played.done()
        made.sync(made.workers[0].close)
        assert played.result(PATIENCE).reason == "crash"


def test_workers_may_come_later_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "RESIZE_SECONDS", 0)
    notices: list[str] = []
    with open_cluster(workers=0) as made, ThreadPoolExecutor(1) as executor:
        address = made.scheduler_address

        def play() -> int:
            with pool_at(address, notices.append) as pool:
                size = pool.resized()
                made.scale(2)
                wait_until(lambda: pool.resized() == 4)
                made.scale(0)
                wait_until(lambda: pool.resized() == 1)  # without workers, one game waits for a worker to join
            return size

        size = executor.submit(play)
        wait_until(lambda: notices or size.done())
        made.scale(1)
        assert size.result(PATIENCE) == 2
    assert notices[0] == f"{address} has no workers; waiting for one"
    assert notices[1] == f"2 workers at {address}, 4 games at once"
    assert notices[-1] == notices[0]


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    for wrong in ("tcp://127.0.0.1:1", "nonsense", "ftp://127.0.0.1:1"):
        text = f"^--cluster: no scheduler answers at {wrong}: "
        with pytest.raises(ClusterError, match=text), open_backend(wrong, None, None, ignore_notice):
            pass


def test_what_contradicts_is_refused() -> None:
    for arguments, text in (
        (("tcp://127.0.0.1:1", 2, None), "--cluster and --workers cannot be combined"),
        ((None, 4, 3), "--concurrency: must be at least the number of --workers, 4, not 3"),
    ):
        with pytest.raises(ClusterError, match=f"^{text}"), open_backend(*arguments, ignore_notice):
            pass


def test_a_worker_without_room_for_a_game_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ShortageError("too many")

    monkeypatch.setattr(worker.GameHost, "begin", refuse)
    with pool_at(address) as pool, pytest.raises(ShortageError, match=r"^worker inproc://.*: too many$"):
        pool.begin(spec(PLAYER), (), ()).result(PATIENCE)


def test_workers_share_the_games() -> None:
    for concurrency, configured, size in ((None, 2, 4), (9, 2, 9), (None, 6, 6)):
        with open_backend(None, 4, concurrency, ignore_notice) as place:
            assert place.size(configured) == size
    assert Threads(None).size(1) == 1


def test_a_result_stays_a_result_where_its_worker_ends_as_it_is_fetched(address: str, monkeypatch: Any) -> None:
    with distributed.Client(address, set_as_default=False) as client:
        gather = client._gather

        async def gather_and_lose(tasks: Any, *words: Any, **options: Any) -> Any:
            found = await gather(tasks, *words, **options)
            tasks[0]._state.lose()
            return found

        monkeypatch.setattr(client, "_gather", gather_and_lose)
        assert cluster.Tasks(client, pure=False).submit(abs, -7).result(PATIENCE) == 7
        with pytest.raises(ZeroDivisionError):
            cluster.Tasks(client, pure=False).submit(divmod, 7, 0).result(PATIENCE)
        with pytest.raises(TypeError):  # this fails once Dask has fixed its executor: then remove ours
            client.get_executor(pure=False).submit(abs, -7).result(PATIENCE)
