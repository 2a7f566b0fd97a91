"""The same tournament on a Dask cluster of two worker processes on this machine; one of them is killed."""

from __future__ import annotations

import asyncio
import math
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import distributed
import psutil
import pytest
from distributed import get_worker
from distributed.comm.core import connect

from quietmove.addons.cluster import batches
from quietmove.addons.cluster.batches import Call, Played
from quietmove.addons.cluster.cluster import connected, local_cluster
from quietmove.addons.cluster.worker import play_games
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.game.record import GameRecord
from quietmove.referee.process.shortage import Notice, ignore_notice
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.playing.backends import GameBackend, Threads
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.store.store import Store
from tests.fakes.processes import wait_until

SOURCE = Path(__file__).parents[3]
PATIENCE = 240.0
SECURITY = distributed.Security.temporary()
OPENINGS = (("f5", "d6"), ("f5", "f6"), ("f5", "f4"))

IN_PROCESS = [
    EngineConfig(name, (), "in-process", (("Hash", "1"), ("Ordering", name)), TimeControl(nodes=40))
    for name in ("full", "none")
]

# An engine that starts to search only when a file "open" exists. While it waits, a file named after its process exists.
GATED = """
while IFS= read -r line; do
  case $line in go*) if [ ! -e "$0/open" ]; then
    : > "$0/$$"; until [ -e "$0/open" ]; do sleep 0.05; done; rm -f "$0/$$"
  fi;; esac
  printf '%s\\n' "$line"
done | "$@"
"""


def tournament(gate: Path) -> Tournament:
    engines = tuple(
        EngineConfig(
            name,
            ("bash", "-c", GATED, str(gate), sys.executable, "-m", "quietmove"),
            options=(("Hash", "1"), ("Ordering", name)),
            limit=TimeControl(nodes=40),
            env=(("PYTHONPATH", str(SOURCE)),),
            start_timeout_ms=int(PATIENCE * 1000),
            stall_timeout_ms=int(PATIENCE * 1000),
        )
        for name in ("full", "none")
    )
    return Tournament("t", "othello", 1, OPENINGS, engines, settings=(("rounds", 3),), concurrency=2)


def play(
    path: Path,
    gate: Path,
    place: GameBackend,
    notice: Notice = ignore_notice,
    engines: Sequence[EngineConfig] = (),
) -> list[tuple[str, ...]]:
    """Play the tournament, or one between other engines, and return the moves of its games."""
    played = tournament(gate)
    if engines:
        played = replace(played, engines=tuple(engines))
    with Store.create(path, played) as store, place.pool(store.tournament, notice) as pool:
        for _ in play_missing(store, pool):
            pass
        return [tuple(move.move for move in record.moves) for _, record in store.games()]


def waiting_engines(gate: Path) -> list[psutil.Process]:
    """Return the engines that wait for the gate to open; a worker that was given up has ended its own."""
    pids = [int(each.name) for each in gate.iterdir() if each.name != "open"]
    return [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]


def blocked_signals(process: psutil.Process) -> set[int]:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    mask = next(int(line.split()[1], 16) for line in lines if line.startswith("SigBlk"))
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def runs(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


async def reach(address: str, security: distributed.Security, timeout: float = 5) -> None:
    comm = await connect(address, timeout=timeout, **security.get_connection_args("client"))
    await comm.close()


def test_a_client_without_the_certificate_is_refused() -> None:
    """By the scheduler, the worker and its nanny: without encryption, and with another certificate."""
    with local_cluster(1, 1, SECURITY) as scheduler, distributed.Client(scheduler, security=SECURITY) as client:
        (worker,) = client.scheduler_info()["workers"].items()
        for address in (scheduler, worker[0], worker[1]["nanny"]):
            asyncio.run(reach(address, SECURITY, PATIENCE))
            with pytest.raises(OSError, match="tls"):
                asyncio.run(reach(address, distributed.Security.temporary()))
            with pytest.raises(OSError, match="tcp"):
                asyncio.run(reach(address.replace("tls", "tcp"), distributed.Security()))
        assert client.submit(int, "7").result() == 7


def test_nothing_is_told_by_plain_http() -> None:
    """Dask serves pages beside its dashboard, with the tasks of the workers and their logs."""
    with local_cluster(1, 1, SECURITY) as scheduler, distributed.Client(scheduler, security=SECURITY) as client:
        info = client.scheduler_info()
        (worker,) = info["workers"].values()
        for services, page in ((info["services"], "info/main/workers.html"), (worker["services"], "metrics")):
            address = f"http://127.0.0.1:{services['dashboard']}/{page}"
            with pytest.raises(HTTPError, match="404"):
                urlopen(address, timeout=60)


def test_a_killed_worker_loses_no_game(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.mkdir()
    others = psutil.Process().children()  # an earlier test of this process may have left a worker pool
    with (
        ThreadPoolExecutor(1) as executor,
        local_cluster(2, 1, SECURITY) as address,
        connected(address, None, ignore_notice, SECURITY) as place,
    ):
        try:
            played = executor.submit(play, tmp_path / "there.sqlite", gate, place)
            wait_until(lambda: played.done() or len(waiting_engines(gate)) >= 2)
            assert not played.done(), played.result()
            killed = waiting_engines(gate)[0].parents()[2]  # the parent of the engine's supervisor and the guardian
            # The worker blocks these signals, because the process that started it handles Ctrl-C.
            assert blocked_signals(killed) >= {signal.SIGINT, signal.SIGHUP}
            family = killed.children(recursive=True)
            assert len(family) >= 1 + 2 * 3  # the guardian, and per engine the supervisor, the shell and the program
            killed.kill()
            wait_until(lambda: not any(map(runs, family)))
        finally:
            (gate / "open").touch()
        there = played.result(PATIENCE)
        workers = [each for each in psutil.Process().children() if each not in others]
        family = [each for worker in workers for each in worker.children(recursive=True)]
    wait_until(lambda: not any(map(runs, family)))
    assert len(there) == 6
    assert there == play(tmp_path / "here.sqlite", gate, Threads())


@pytest.mark.soak
def test_a_worker_that_is_killed_between_the_games_of_a_task_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the third game on each task has several games; the gate closes while the workers play them."""
    monkeypatch.setattr(batches, "TASK_SECONDS", 1000.0)
    gate = tmp_path / "gate"
    gate.mkdir()
    (gate / "open").touch()
    many = replace(tournament(gate), settings=(("rounds", 12),))
    ended: list[int] = []

    def played(place: GameBackend) -> list[tuple[str, ...]]:
        store = Store.create(tmp_path / f"{type(place).__name__}.sqlite", many)
        with store, place.pool(many, ignore_notice) as pool:
            for game, _ in play_missing(store, pool):
                ended.append(game.number)
                if len(ended) == 2:
                    (gate / "open").unlink()
            return [tuple(move.move for move in record.moves) for _, record in store.games()]

    with (
        ThreadPoolExecutor(1) as executor,
        local_cluster(2, 1, SECURITY) as address,
        connected(address, None, ignore_notice, SECURITY) as place,
    ):
        try:
            there = executor.submit(played, place)
            wait_until(lambda: there.done() or (len(ended) >= 2 and len(waiting_engines(gate)) >= 2))
            assert not there.done(), there.result()
            waiting_engines(gate)[0].parents()[2].kill()
        finally:
            (gate / "open").touch()
        games = there.result(PATIENCE)
    assert len(games) == len(set(ended)) == len(ended) == 24
    assert games == played(Threads())


LIES: dict[str, Callable[[GameRecord], dict[str, object]]] = {
    "another result": lambda record: {
        "points_black": 1 - record.points_black,
        "margin_black": -record.margin_black - 2,
    },
    "another game": lambda record: {"spec": replace(record.spec, seed=record.spec.seed + 1)},
    "fewer moves": lambda record: {"moves": record.moves[:-1]},
    "an illegal move": lambda record: {"moves": (*record.moves[:-1], replace(record.moves[-1], move="d4"))},
    "a reason that no store can hold": lambda record: {"reason": "\x1b[2J"},
    "a huge margin": lambda record: {"margin_black": 10**30},
    "no margin": lambda record: {"margin_black": math.nan},
    "no moves": lambda record: {"moves": None},
}


def play_with_lies(liars: Sequence[str], lie: Any, openings: Sequence[tuple[str, ...]]) -> Callable[..., Played]:
    """Return a substitute for `play_games` with which some workers lie about the games with some openings."""

    def play_forged(here: str, games: Sequence[Call]) -> Played:
        played = play_games(here, games)
        if get_worker().address not in liars:
            return played
        records = [record for record in played.outcomes if isinstance(record, GameRecord)]
        forged = [replace(each, **lie(each)) if each.spec.opening in openings else each for each in records]
        return replace(played, outcomes=forged)

    return play_forged


@pytest.mark.parametrize(
    "names", [["another result"], pytest.param([*LIES][1:], marks=pytest.mark.soak)], ids=["short", "soak"]
)
def test_a_machine_that_lies_is_left_out_and_its_games_are_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    """If all machines lie, the run ends, and `resume` plays exactly the games that they lied about."""
    here = play(tmp_path / "here.sqlite", tmp_path, Threads(), engines=IN_PROCESS)
    with local_cluster(2, 1, SECURITY) as address:
        with distributed.Client(address, security=SECURITY, set_as_default=False) as client:
            workers = sorted(client.scheduler_info()["workers"])
        for name in names:
            notices: list[str] = []
            forge = "quietmove.addons.cluster.cluster.play_games"
            monkeypatch.setattr(forge, play_with_lies(workers[:1], LIES[name], OPENINGS))
            with connected(address, None, ignore_notice, SECURITY) as place:
                wait_until(lambda place=place: place.size(None) == 2)
                there = play(tmp_path / f"{name}.sqlite", tmp_path, place, notices.append, engines=IN_PROCESS)
            assert there == here, name
            (notice,) = [each for each in notices if "wrong result" in each] or [""]
            assert notice.startswith(f"not used any more: worker {workers[0]} has sent a wrong result"), name

            monkeypatch.setattr(forge, play_with_lies(workers, LIES[name], OPENINGS[:1]))
            path = tmp_path / f"all lie, {name}.sqlite"
            with (
                connected(address, None, ignore_notice, SECURITY) as place,
                pytest.raises(ClusterError, match=r"^no worker is left: worker .*; worker ") as error,
            ):
                play(path, tmp_path, place, engines=IN_PROCESS)
            assert all(str(error.value).count(f"{worker} has sent a wrong result") == 1 for worker in workers)
            with Store.open_to_write(path) as store, Threads().pool(store.tournament, ignore_notice) as pool:
                before = {result.number for result in store.results()}
                assert all(record.spec.opening != OPENINGS[0] for _, record in store.games())
                resumed = {game.number for game, _ in play_missing(store, pool)}
                assert resumed == {1, 2, 3, 4, 5, 6} - before
                assert [tuple(move.move for move in record.moves) for _, record in store.games()] == here
