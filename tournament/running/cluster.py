"""Games on the workers of a Dask scheduler: on many machines, or in processes on this one.

Dask gives the games to the workers, and again to others when a worker ends. What runs in a worker is in
:mod:`quietmove.tournament.running.worker`. This module is imported late: Dask takes half a second.
"""

from __future__ import annotations

import asyncio
import logging
import math
import signal
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from multiprocessing import resource_tracker
from typing import Any

import dask
import distributed
from distributed.comm import core
from distributed.scheduler import KilledWorker

from quietmove.engine.printable import printable
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.match.running import RESIZE_SECONDS, Pool
from quietmove.referee.process.programs import processors
from quietmove.referee.process.shortage import Notice, count_games
from quietmove.referee.seats import Objection
from quietmove.referee.seats.preflight import ask_here
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import ClusterError, TournamentError
from quietmove.tournament.running.places import Place
from quietmove.tournament.running.scratch import scratch_folder
from quietmove.tournament.running.worker import ask_engines, enlist, file_digest, installation, play_game

__all__ = ["Cluster", "LocalWorkers", "connected", "local_cluster"]

CONNECT_SECONDS = 10
LOOPBACK = "127.0.0.1"
FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)  # what a terminal sends to all processes of a command
LOGGERS = ("distributed", "distributed.client", "distributed.nanny", "distributed.scheduler", "distributed.worker")


class Workers:
    """The workers of one scheduler that can play; others are refused.

    :ivar places: how many games at once each can play, by its address.
    :ivar refused: why each of the others cannot.
    :ivar notice: is told of workers that come and go.
    """

    def __init__(self, client: Any, notice: Notice) -> None:
        self.address = client.scheduler.address
        self.name = installation().name
        self.places: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self.notice = notice
        self._client = client
        self._next_look = 0.0

    @property
    def games(self) -> int:
        """How many games at once all of them can play."""
        return sum(self.places.values())

    def look(self) -> None:
        """Find out, at most once a second, which workers there are, and enlist those that are new.

        :raises ClusterError: if the scheduler is gone.
        """
        if time.monotonic() < self._next_look:
            return
        known = {*self.places, *self.refused}
        if new := [address for address in self._found() if address not in known]:
            for address, answer in self.run(new, enlist).items():
                self._judge(address, answer)
        found = {address: int(resources.get(self.name, 0)) for address, resources in self._found().items()}
        self.places = {address: games for address, games in found.items() if games}
        self._next_look = time.monotonic() + RESIZE_SECONDS

    def run(self, workers: list[str], function: Any, *arguments: object) -> dict[str, Any]:
        """Run a function in some workers; return the answer of each, or what it raised.

        :raises ClusterError: if the scheduler is gone.
        """
        with self.gone():
            answers: dict[str, Any] = self._client.run(function, *arguments, workers=workers, on_error="return")
        return answers

    @contextmanager
    def gone(self) -> Iterator[None]:
        """Raise an error of our own if the scheduler does not answer in the block."""
        try:
            yield
        except (OSError, TimeoutError, distributed.client.FutureCancelledError) as error:
            raise scheduler_is_gone(self.address) from error

    def text(self) -> str:
        """Return how many there are now."""
        count = len(self.places)
        if not count:
            return f"{self.address} has no worker now; the games wait for one"
        return f"{count} worker{'s' * (count != 1)} at {self.address}, {count_games(self.games)} at once"

    def _found(self) -> dict[str, dict[str, float]]:
        """Return the resources of each worker that the scheduler has."""
        with self.gone():
            workers = self._client.sync(self._client.scheduler.identity)["workers"]
        return {address: worker["resources"] for address, worker in workers.items()}

    def _judge(self, worker: str, answer: Any) -> None:
        """Note why a new worker cannot play, if it cannot."""
        if isinstance(answer, OSError):  # it has gone already
            return
        if isinstance(answer, Exception):
            text = f"Quietmove cannot be used there: {answer}"
        else:
            text = "; ".join(answer.differences(installation()))
        if text:
            self.refused[worker] = printable(f"worker {worker}: {text}")
            self.notice(f"not used: {self.refused[worker]}")


class Cluster(Place):
    """The workers of one scheduler as a place for games."""

    def __init__(self, client: Any, concurrency: int | None, notice: Notice) -> None:
        """Enlist the workers; wait for one, and say so, if there is none.

        :raises ClusterError: naming each worker that cannot play, and why.
        """
        super().__init__(concurrency)
        self._client = client
        self._workers = Workers(client, notice=lambda text: None)
        self._workers.look()
        if not self._workers.places and not self._workers.refused:
            notice(self._workers.text())
        while not self._workers.places and not self._workers.refused:
            with self._workers.gone():
                client.wait_for_workers(1)
            self._workers.look()
        if self._workers.refused:
            raise ClusterError("\n".join(self._workers.refused.values()))

    def ask(self, engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
        """Ask the engines on each machine that has a worker; an objection names the workers that object."""
        found: list[dict[Objection, list[str]]] = [{} for _ in engines]
        machines = {worker.rpartition(":")[0]: worker for worker in self._workers.places}
        for worker, answer in self._workers.run(
            [*machines.values()], ask_engines, engines, game, file_digest(game)
        ).items():
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
        """Return one game for each thread of the workers, if fewer are not asked for."""
        self._workers.look()
        games = max(1, self._workers.games)
        return min(games, self.concurrency or configured or games)

    @contextmanager
    def pool(self, tournament: Tournament, notice: Notice) -> Iterator[Pool]:
        """Yield a pool whose size follows the workers that come and go."""
        self._workers.notice = notice

        def resized() -> int:
            before = self._workers.text()
            size = self.size(tournament.concurrency)
            if self._workers.text() != before:
                notice(self._workers.text())
            return size

        executor = Games(self._client, self._workers.name)
        try:
            yield Pool(executor, self.size(tournament.concurrency), partial(play_game, self._workers.name), resized)
        finally:
            executor.shutdown()


class LocalWorkers(Place):
    """Worker processes on this machine, each with an equal share of the games that run at once."""

    def __init__(self, workers: int, concurrency: int | None) -> None:
        super().__init__(concurrency)
        self._workers = workers

    def ask(self, engines: Sequence[EngineConfig], game: str) -> list[list[Objection]]:
        """Ask the engines here."""
        return ask_here(engines, game)

    def size(self, configured: int | None) -> int:
        """Return one game for each processor if nothing else is said, and at least one for each worker."""
        return max(self._workers, self.concurrency or configured or processors())

    @contextmanager
    def pool(self, tournament: Tournament, notice: Notice) -> Iterator[Pool]:
        """Start the workers, and yield a pool of them."""
        size = self.size(tournament.concurrency)
        with (
            scratch_folder() as folder,
            local_cluster(self._workers, math.ceil(size / self._workers), folder) as address,
            connected(address, size, notice) as cluster,
            cluster.pool(tournament, notice) as pool,
        ):
            yield pool


class Games(Executor):
    """Gives games to the workers that have a resource; Dask's own executor, with errors that say what happened."""

    def __init__(self, client: Any, resource: str) -> None:
        self._address = client.scheduler.address
        self._executor = client.get_executor(pure=False, resources={resource: 1})  # pure: equal games only once

    def submit(self, play: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        """Begin a game on some worker."""
        passed_on: Future[Any] = Future()
        self._executor.submit(play, *arguments, **named).add_done_callback(partial(self._pass_on, passed_on))
        return passed_on

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the games that still run."""
        self._executor.shutdown(wait=False)

    def _pass_on(self, passed_on: Future[Any], ended: Future[Any]) -> None:
        if ended.cancelled():
            passed_on.set_exception(scheduler_is_gone(self._address))
        elif (error := ended.exception()) is None:
            passed_on.set_result(ended.result())
        elif isinstance(error, KilledWorker):
            count = error.allowed_failures + 1
            text = f"{count} workers ended while they played it, {error.last_worker.address} at last"
            passed_on.set_exception(TournamentError(text))
        else:
            passed_on.set_exception(error)


@contextmanager
def connected(address: str, concurrency: int | None, notice: Notice) -> Iterator[Cluster]:
    """Yield the workers of the Dask scheduler at ``address``.

    :raises ClusterError: if no scheduler answers, or a worker cannot play.
    """
    for name in LOGGERS:  # what happens is told here, in other words
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        asyncio.run(_reach(address))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions, which are compared here
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # the last: an address with tls:// and no certificates
        raise ClusterError(f"--cluster: no scheduler answers at {address}: {printable(str(error))}") from None
    try:
        yield Cluster(client, concurrency, notice)
    finally:
        client.close()


async def _reach(address: str) -> None:
    """Connect once and close: a client that fails to connect is left half made, and may block when it is collected."""
    secrets = distributed.Security().get_connection_args("client")
    await (await core.connect(address, timeout=CONNECT_SECONDS, **secrets)).close()


def scheduler_is_gone(address: str) -> ClusterError:
    """Return the error that says so."""
    return ClusterError(f"the scheduler at {address} is gone")


@contextmanager
def local_cluster(workers: int, threads: int, folder: str) -> Iterator[str]:
    """Start a scheduler and workers on this machine, which keep their files in ``folder``; yield the address.

    The signals of a terminal are blocked in the threads that start them, and so in the workers: this process alone
    decides what Ctrl-C means. Engines get this process's environment, without the limits that Dask sets for workers.
    """
    resource_tracker.ensure_running()  # to start it unblocks signals in the thread that needs it first
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
    try:
        with dask.config.set({"distributed.nanny.pre-spawn-environ": {}}):
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=threads,
                processes=True,
                host=LOOPBACK,
                scheduler_port=0,
                dashboard_address=f"{LOOPBACK}:0",
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield cluster.scheduler_address
    finally:
        cluster.close()
