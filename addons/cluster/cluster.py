"""Games on the workers of a Dask scheduler: on many machines, or in processes on this one.

Dask gives the games to the workers, and again to others when a worker ends. What runs in a worker is in
:mod:`quietmove.addons.cluster.worker`. Dask is an optional extra.
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
from quietmove.addons.cluster.batches import Batches
from quietmove.addons.cluster.worker import ask_engines, enlist, file_digest, installation, play_games
from quietmove.engine.common.processes import ignoring_planted_modules
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match.output import SHARE_OF_TIME, games_text
from quietmove.referee.match.running import RESIZE_SECONDS, Pool
from quietmove.referee.process.shortage import Notice
from quietmove.referee.seats import Objection
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import ClusterError
from quietmove.tournament.playing.backends import GameBackend

CONNECT_SECONDS = 10
SILENT_SECONDS = 30.0  # a worker without a heartbeat for so long is given up; a few workers send one a second
RESTART_SECONDS = 5  # a nanny has so long to end a worker that was given up
LOOPBACK = "127.0.0.1"
WORKERS_ALONE: dict[str, Any] = {  # Dask's configuration: no limits for engines, and nothing to see by plain HTTP
    "distributed.nanny.pre-spawn-environ": {},
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # a hundred looks a second at what each thread does cost engines time
    "distributed.admin.tick.interval": "1s",  # Dask's default is that each process looks at itself fifty times a second
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.multiprocessing-method": "forkserver",  # all workers share what one process has imported
}
FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)  # a terminal sends these signals to all processes of a command
LOGGERS = ("distributed", "distributed.client", "distributed.nanny", "distributed.scheduler", "distributed.worker")


class Cluster(GameBackend):
    """The workers of one scheduler as a backend for games.

    A worker that has something else installed is not used.
    """

    def __init__(self, client: Any, concurrency: int | None, notice: Notice) -> None:
        """Enlist the workers; wait for one, and say so, if there is none.

        :raises ClusterError: naming each worker that cannot play, and why.
        """
        super().__init__(concurrency)
        self._client = client
        self._address = client.scheduler.address
        self._games: dict[str, int] = {}  # games at once of each worker, by its address
        self._refused: dict[str, str] = {}  # why a worker cannot play, by its address
        self._silent: set[str] = set()  # the addresses of workers that were silent too long at the last look
        self._given_up: list[str] = []  # the addresses of workers that no notice has told of yet
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
        found: list[dict[Objection, list[str]]] = [{} for _ in engines]
        machines = {worker.rpartition(":")[0]: worker for worker in self._games}
        for worker, answer in self._run([*machines.values()], ask_engines, engines, game, file_digest(game)).items():
            if isinstance(answer, Exception):
                raise ClusterError(printable(f"worker {worker}: {answer}")) from answer
            for objections, theirs in zip(answer, found, strict=True):
                for objection in objections:
                    theirs.setdefault(objection, []).append(worker)
        return [
            [Objection(each.option, f"{each.text} (worker {', '.join(workers)})") for each, workers in theirs.items()]
            for theirs in found
        ]

    def size(self, configured: int | None) -> int:
        self._look()
        games = max(1, sum(self._games.values()))
        return min(games, self.concurrency or configured or games)

    @contextmanager
    def pool(self, tournament: Tournament, notice: Notice) -> Iterator[Pool]:
        def resized() -> int:
            before = self._text(), len(self._refused)
            size = self.size(tournament.concurrency)
            while self._given_up:
                silent = f"worker {self._given_up.pop()}: not heard of for {SILENT_SECONDS:.0f} s"
                notice(f"{silent}; its games are given to others")
            for text in [*self._refused.values()][before[1] :]:
                notice(f"not used: {text}")
            if self._text() != before[0]:
                notice(self._text())
            return size

        here = installation()
        executor = Tasks(self._client, pure=False, resources={here: 1})  # pure: equal games are played once
        try:
            batches = Batches(lambda games: executor.submit(play_games, here, games))
            yield Pool(self.size(tournament.concurrency), batches.begin, resized, batches.ahead)
        finally:
            executor.shutdown(wait=False)

    def _look(self) -> None:
        """Find out which workers there are, and enlist those that are new.

        That is done at most once a second. Questions take at most a twentieth of the time: 1,000 workers answer slowly.
        """
        if (began := time.monotonic()) < self._next_look:
            return
        workers = self._workers()
        asked = time.monotonic() - began
        self._give_up_silent(workers)
        known = {*self._games, *self._refused, *self._silent}
        new = [address for address in workers if address not in known]
        for address, answer in (self._run(new, enlist) if new else {}).items():
            if isinstance(answer, Exception) and not isinstance(answer, OSError):
                self._refused[address] = printable(f"worker {address}: Quietmove cannot be used there: {answer}")
            elif isinstance(answer, str) and answer != installation():
                self._refused[address] = printable(f"worker {address}: must have {installation()}, not {answer}")
        here = installation()
        if new or self._silent:  # new workers have a resource now, silent ones may be gone
            workers = self._workers()
        found = {address: int(worker["resources"].get(here, 0)) for address, worker in workers.items()}
        self._games = {address: games for address, games in found.items() if games}
        self._next_look = time.monotonic() + max(RESIZE_SECONDS, asked / SHARE_OF_TIME)

    def _give_up_silent(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        """Have the scheduler end or remove the workers that two looks found silent too long, as it does itself later.

        In the first look after the scheduler stood still, all of them are.
        """
        with self._answering():
            now = self._client.run_on_scheduler(time.time)  # seconds of the scheduler's own clock
        patience = SILENT_SECONDS + len(workers) / 20  # many workers send a heartbeat every len(workers) / 200 seconds
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
        self._given_up += sorted(lost)

    def _run(self, workers: list[str], function: Any, *arguments: object) -> dict[str, Any]:
        """Run a function in some workers; return the answer of each, or what it raised."""
        with self._answering():
            answers: dict[str, Any] = self._client.run(function, *arguments, workers=workers, on_error="return")
        return answers

    def _workers(self) -> dict[str, dict[str, Any]]:
        """Return what the scheduler knows of each of its workers, by their addresses."""
        with self._answering():
            workers: dict[str, dict[str, Any]] = self._client.sync(self._client.scheduler.identity)["workers"]
        return workers

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Raise an error of our own if the scheduler does not answer in the block."""
        try:
            yield
        except (OSError, TimeoutError, distributed.client.FutureCancelledError) as error:
            raise ClusterError(f"the scheduler at {self._address} is gone") from error

    def _text(self) -> str:
        count = len(self._games)
        if not count:
            return f"{self._address} has no worker now; the games wait for one"
        games = games_text(sum(self._games.values()), None)
        return f"{count} worker{'s' * (count != 1)} at {self._address}, {games} at once"


class Tasks(ClientExecutor):
    """Dask's executor, with one race of its own mended.

    A worker may end just after a result was fetched from it. The task then counts as lost, and Dask's executor takes
    the result for an exception: it raises TypeError instead of returning it.
    """

    def _wrap_future(self, future: Any) -> Future[Any]:
        found: Future[Any] = Future()
        found.add_done_callback(lambda found: future.cancel() if found.cancelled() and not future.cancelled() else None)
        self._client.loop.add_callback(pass_on, future, found)
        return found


async def pass_on(task: Any, found: Future[Any]) -> None:
    """Wait for a task of Dask, and settle ``found`` as it ended."""
    result = await task._result(raiseit=False)
    if task.cancelled():
        found.cancel()
        found.set_running_or_notify_cancel()  # whoever waits for it wakes up
    elif task.status == "error":
        found.set_exception(result[1].with_traceback(result[2]))
    else:
        found.set_result(result)


class LocalWorkers(GameBackend):
    """Worker processes on this machine, each with an equal share of the games that run at once."""

    def __init__(self, workers: int, concurrency: int | None) -> None:
        """Make a certificate for these workers.

        :raises ImportError: if the package for it, cryptography, is not installed.
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
    """Yield the workers of the Dask scheduler at ``address``.

    :param security: the certificate and its key; by default those that Dask's own configuration names, if any.
    :raises ClusterError: if no scheduler answers, or a worker cannot play.
    """
    for name in LOGGERS:  # our own notices and errors tell what happens
        logging.getLogger(name).setLevel(logging.CRITICAL)
    security = security or distributed.Security()
    try:
        asyncio.run(_reach(address, security))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Dask warns of other versions, which are compared here
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False, security=security)
    except (OSError, ValueError, TypeError) as error:  # the last: an address with tls:// and no certificates
        raise ClusterError(f"--cluster: no scheduler answers at {address}: {printable(str(error))}") from None
    try:
        yield Cluster(client, concurrency, notice)
    finally:
        client.close()


async def _reach(address: str, security: distributed.Security) -> None:
    """Connect once and close: a client that fails to connect is left half made, and may block when it is collected."""
    secrets = security.get_connection_args("client")
    await (await core.connect(address, timeout=CONNECT_SECONDS, **secrets)).close()


@contextmanager
def local_cluster(workers: int, threads: int, security: distributed.Security) -> Iterator[str]:
    """Start a scheduler and workers on this machine; yield the address.

    They run whatever they are sent, and every user of the machine can reach their ports. So they answer only whoever
    has the certificate of ``security``; the ports that Dask opens for its pages have none.
    The signals of a terminal are blocked in the threads that start them, and so in the workers: this process alone
    decides what Ctrl-C means. Engines get this process's environment, without the limits that Dask sets for workers.
    """
    with ignoring_planted_modules():
        resource_tracker.ensure_running()  # a later start would unblock the signals in its thread
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
