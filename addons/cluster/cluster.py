"""Games on the workers of a Dask scheduler: on many machines, or in processes on this one.

Dask assigns games to workers, and reassigns them when a worker exits. The code that runs in a worker is in
:mod:`quietmove.addons.cluster.worker`. Dask is an optional dependency.
"""

from __future__ import annotations

import asyncio
import logging
import math
import multiprocessing
import signal
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

import dask
import distributed
from distributed.cfexecutor import ClientExecutor
from distributed.comm import core

from quietmove.addons.cluster import worker as worker_module
from quietmove.addons.cluster.batches import Batches, Call, Played
from quietmove.addons.cluster.worker import ask_engines, enlist, file_digest, installation, play_games
from quietmove.engine.common.processes import ignoring_planted_modules
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import adapter
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.output import SHARE_OF_TIME, games_text
from quietmove.referee.match.running import RESIZE_SECONDS, Pool
from quietmove.referee.process.shortage import Notice
from quietmove.referee.seats import Objection
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.playing.backends import GameBackend
from quietmove.tournament.store.verify import game_faults

CONNECT_SECONDS = 10
SILENT_SECONDS = (
    30.0  # a worker silent for this many seconds is lost; in a small cluster, each sends a heartbeat every second
)
MAX_FAULT = 200  # maximum length of a message about a damaged record, in characters
RESTART_SECONDS = 5  # time in seconds for a nanny to stop a lost worker
LOOPBACK = "127.0.0.1"
WORKERS_ALONE: dict[str, Any] = {  # Dask's configuration: no resource limits for engines, and no HTTP pages
    "distributed.nanny.pre-spawn-environ": {},
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # sampling every thread 100 times a second takes time from engines
    "distributed.admin.tick.interval": "1s",  # by default each process checks itself 50 times a second
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.multiprocessing-method": "forkserver",  # workers share the modules that one process imported
}
FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)  # a terminal sends these signals to all processes of a command
LOGGERS = ("distributed", "distributed.client", "distributed.nanny", "distributed.scheduler", "distributed.worker")


class Cluster(GameBackend):
    """The workers of one scheduler as a game backend.

    A worker with a different installation is not used.
    """

    def __init__(self, client: Any, concurrency: int | None, notice: Notice) -> None:
        """Enlist the workers, waiting for the first one if there are none yet.

        :raises ClusterError: if a worker cannot play; the message lists each such worker and the reason.
        """
        super().__init__(concurrency)
        self._client = client
        self._address = client.scheduler.address
        self._games: dict[str, int] = {}  # concurrent games of each worker, by address
        self._refused: dict[str, str] = {}  # the reason why a worker cannot play, by address
        self._liars: dict[str, str] = {}  # the reason why a worker is left out, by address
        self._silent: set[str] = set()  # workers without a recent heartbeat at the last poll
        self._news: list[str] = []  # notices about workers not yet printed
        self._next_look = 0.0
        self._look()
        if not self._games and not self._refused:
            notice(self._text())
        while not self._games and not self._refused:
            with self._answering():
                client.wait_for_workers(1)
            self._look()
        if self._refused:
            raise ClusterError(self._refused.values())

    def ask(self, engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
        by_engine: list[dict[Objection, list[str]]] = [{} for _ in engines]
        machines = {worker.rpartition(":")[0]: worker for worker in self._games}
        for worker, answer in self._run([*machines.values()], ask_engines, engines, game, file_digest(game)).items():
            if isinstance(answer, Exception):
                raise ClusterError(printable(f"worker {worker}: {answer}")) from answer
            for objections, theirs in zip(answer, by_engine, strict=True):
                for objection in objections:
                    theirs.setdefault(objection, []).append(worker)
        return [
            [Objection(each.option, f"{each.text} (worker {', '.join(workers)})") for each, workers in theirs.items()]
            for theirs in by_engine
        ]

    def size(self, configured: int | None) -> int:
        self._look()
        games = max(1, sum(self._games.values()))
        return min(games, self.concurrency or configured or games)

    @contextmanager
    def pool(self, tournament: Tournament, notice: Notice) -> Iterator[Pool]:
        def resized() -> int:
            before = self._text()
            size = self.size(tournament.concurrency)
            while self._news:
                notice(self._news.pop(0))
            if self._liars and not self._games:
                raise ClusterError(f"no worker is left: {'; '.join(self._liars.values())}")
            if self._text() != before:
                notice(self._text())
            return size

        here = installation()
        executor = Tasks(self._client, pure=False, resources={here: 1})  # pure tasks with equal arguments run only once
        try:
            batches = Batches(lambda games: executor.submit(play_games, here, games), record_faults, self._leave_out)
            yield Pool(self.size(tournament.concurrency), batches.begin, resized, batches.ahead)
        finally:
            executor.shutdown(wait=False)

    def _look(self) -> None:
        """Poll the scheduler for its workers and enlist the new ones.

        Poll at most once a second, and spend at most 1/20 of the time on it, because 1,000 workers answer slowly.
        """
        if (began := time.monotonic()) < self._next_look:
            return
        workers = self._workers()
        asked = time.monotonic() - began
        self._give_up_silent(workers)
        known = {*self._games, *self._refused, *self._liars, *self._silent}
        new = [address for address in workers if address not in known]
        for address, answer in (self._run(new, enlist) if new else {}).items():
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                self._refuse(address, f"Quietmove cannot be used there: {answer}")
            elif isinstance(answer, str) and answer != installation():
                self._refuse(address, f"must have {installation()}, not {answer}")
            elif isinstance(answer, str) and not workers[address]["resources"].get(installation(), 1):
                self._set_slots(address, workers[address]["nthreads"])  # an earlier run has left it out
        here = installation()
        if new or self._silent:  # new workers now have the resource; silent ones may be gone
            workers = self._workers()
        slots = {address: int(worker["resources"].get(here, 0)) for address, worker in workers.items()}
        self._games = {address: games for address, games in slots.items() if games and address not in self._liars}
        self._next_look = time.monotonic() + max(RESIZE_SECONDS, asked / SHARE_OF_TIME)

    def _refuse(self, address: str, reason: str) -> None:
        self._refused[address] = printable(f"worker {address}: {reason}")
        self._news.append(f"not used: {self._refused[address]}")

    def _leave_out(self, task: Future[Played], fault: str) -> None:
        """Use the worker that sent a wrong result no more in this run. The scheduler, not the result, names it."""
        assert isinstance(task, Task)
        with self._answering():
            (workers,) = self._client.who_has([task.source]).values()
        for address in workers:
            text = printable(f"worker {address} has sent a wrong result, which was not stored: {fault}")
            if self._liars.setdefault(address, text) is text:  # not the result of another task that it already had
                self._games.pop(address, None)
                self._news.append(f"not used any more: {text}; its games are played again")
                self._set_slots(address, 0)

    def _set_slots(self, address: str, games: int) -> None:
        with self._answering():
            self._client.sync(self._client.scheduler.set_resources, worker=address, resources={installation(): games})

    def _give_up_silent(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        """Make the scheduler restart or remove workers that were silent in two polls in a row.

        A single poll is not enough, because all workers seem silent right after the scheduler itself was stopped.
        """
        with self._answering():
            now = self._client.run_on_scheduler(time.time)  # in seconds by the scheduler's clock
        patience = SILENT_SECONDS + len(workers) / 20  # many workers send a heartbeat only every len(workers) / 200 s
        silent = {address for address, each in workers.items() if now - each["last_seen"] > patience}
        lost, self._silent = silent & self._silent, silent
        if not lost:
            return
        with self._answering():
            self._client.sync(
                self._client.scheduler.restart_workers,
                workers=[*lost],
                timeout=RESTART_SECONDS,
                wait_for_workers=False,
                on_error="return",
                stimulus_id=f"silent-{now}",
            )
        seconds = f"{SILENT_SECONDS:.0f} s"
        self._news += [f"worker {each}: no heartbeat for {seconds}; its games are reassigned" for each in sorted(lost)]

    def _run(self, workers: list[str], function: Any, *arguments: object) -> dict[str, Any]:
        """Run a function in some workers, and return each worker's result or exception."""
        with self._answering():
            answers: dict[str, Any] = self._client.run(function, *arguments, workers=workers, on_error="return")
        return answers

    def _workers(self) -> dict[str, dict[str, Any]]:
        """Return the scheduler's data on its workers, by address."""
        with self._answering():
            workers: dict[str, dict[str, Any]] = self._client.sync(self._client.scheduler.identity)["workers"]
        return workers

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Raise a :class:`ClusterError` if the scheduler does not answer in the block."""
        try:
            yield
        except (OSError, TimeoutError, distributed.client.FutureCancelledError) as error:
            raise ClusterError(f"the scheduler at {self._address} is gone") from error

    def _text(self) -> str:
        count = len(self._games)
        if not count:
            return f"{self._address} has no workers; waiting for one"
        games = games_text(sum(self._games.values()), None)
        return f"{count} worker{'s' * (count != 1)} at {self._address}, {games} at once"


def record_faults(call: Call, record: GameRecord) -> Iterator[str]:
    """Yield the faults in a worker's record of a game: another game, or one that the rules do not allow."""
    spec, played = call
    try:
        if record.spec != spec or record.moves[: len(played)] != tuple(played):
            yield "it is the record of another game"
            return
        adapter(GameRecord).validate_json(record.to_json())
        yield from game_faults(record)
    except Exception as error:  # a record from elsewhere can hold anything
        yield f"the record is damaged: {printable(str(error), MAX_FAULT)}"


class Task(Future[Any]):
    """A future for the result of a Dask task, which is its ``source``."""

    def __init__(self, source: Any) -> None:
        super().__init__()
        self.source = source


class Tasks(ClientExecutor):
    """Dask's executor, with a workaround for a race.

    A worker may exit just after a result was fetched from it. Dask then counts the task as lost, and its executor
    mistakes the result for an exception and raises TypeError.
    """

    def _wrap_future(self, future: Any) -> Task:
        wrapped = Task(future)
        wrapped.add_done_callback(
            lambda wrapped: future.cancel() if wrapped.cancelled() and not future.cancelled() else None
        )
        self._client.loop.add_callback(pass_on, future, wrapped)
        return wrapped


async def pass_on(task: Any, found: Future[Any]) -> None:
    """Wait for a Dask task and copy its outcome to ``found``. Its callbacks check a result in a thread of their own."""
    result = await task._result(raiseit=False)
    if task.cancelled():
        found.cancel()
        found.set_running_or_notify_cancel()  # wakes up waiting threads
    elif task.status == "error":
        found.set_exception(result[1].with_traceback(result[2]))
    else:
        await asyncio.to_thread(found.set_result, result)


class LocalWorkers(GameBackend):
    """A backend of worker processes on this machine, each playing an equal share of the concurrent games."""

    def __init__(self, workers: int, concurrency: int | None) -> None:
        """Prepare worker processes, with a temporary certificate for their connections.

        :raises ImportError: if the cryptography package is not installed.
        """
        super().__init__(concurrency)
        self._workers = workers
        self._security = distributed.Security.temporary()

    def size(self, configured: int | None) -> int:
        return max(self._workers, self.concurrency or configured or len(usable_processors()))

    @contextmanager
    def pool(self, tournament: Tournament, notice: Notice) -> Iterator[Pool]:
        size = self.size(tournament.concurrency)
        with (
            local_cluster(self._workers, math.ceil(size / self._workers), self._security) as address,
            connected(address, size, notice, self._security) as cluster,
            cluster.pool(tournament, notice) as pool,
        ):
            yield pool


@contextmanager
def connected(
    address: str, concurrency: int | None, notice: Notice, security: distributed.Security | None = None
) -> Iterator[Cluster]:
    """Yield the backend for the Dask scheduler at ``address``.

    :param security: the certificate and its key, by default from Dask's configuration.
    :raises ClusterError: if no scheduler answers, or a worker cannot play.
    """
    for name in LOGGERS:  # our notices and errors report what happens
        logging.getLogger(name).setLevel(logging.CRITICAL)
    security = security or distributed.Security()
    try:
        asyncio.run(_reach(address, security))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Dask warns of version mismatches; enlisting compares versions itself
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False, security=security)
    except (OSError, ValueError, TypeError) as error:  # TypeError: a tls:// address but no certificates
        raise ClusterError(f"--cluster: no scheduler answers at {address}: {printable(str(error))}") from None
    try:
        yield Cluster(client, concurrency, notice)
    finally:
        client.close()


async def _reach(address: str, security: distributed.Security) -> None:
    """Check that the scheduler accepts connections, because an unconnected client may block when garbage-collected."""
    secrets = security.get_connection_args("client")
    await (await core.connect(address, timeout=CONNECT_SECONDS, **secrets)).close()


@contextmanager
def local_cluster(workers: int, threads: int, security: distributed.Security) -> Iterator[str]:
    """Start a scheduler and workers on this machine, and yield the scheduler's address.

    Workers run any code they are sent, and every user of the machine can reach their ports, so they require the
    certificate in ``security``. Dask's own pages are disabled, because their ports have no TLS.

    Terminal signals are blocked in the threads that start the workers, and therefore in the workers, so that only this
    process handles Ctrl-C. Engines get this process's environment, without the limits that Dask sets for workers.
    """
    with ignoring_planted_modules():
        resource_tracker.ensure_running()  # starting it later would unblock the signals in its thread
    multiprocessing.set_forkserver_preload([worker_module.__name__])
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
    try:
        with ignoring_planted_modules(), dask.config.set(WORKERS_ALONE):
            cluster = distributed.LocalCluster(
                security=security,
                n_workers=workers,
                threads_per_worker=threads,
                processes=True,
                host=LOOPBACK,
                scheduler_port=0,
                dashboard_address=f"{LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield cluster.scheduler_address
    finally:
        cluster.close()
