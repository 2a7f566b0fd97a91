#!/usr/bin/env python3
"""Measure how many games per second a tournament hands out and stores with many Dask workers, on this machine alone.

    scripts/measure_places.py [--workers 1000] [--places 1] [--seconds 1] [--games 20000] [--faulty 0.1] [--processes 4]

The scheduler, the workers' protocol, the coordinator and the store are the real ones. The workers share a few
processes; instead of playing they wait ``--seconds`` and return the same game of Othello. A third of the faulty ones
drop their connection during a game, a third hang forever, and a third send everything twice. ``--alone`` measures the
coordinator without Dask, with timers as workers.

Delay: from a game's end until it is stored. CPU: processor time per game.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import logging
import multiprocessing
import resource
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import dask
import distributed
import psutil

from quietmove.addons.cluster import worker
from quietmove.addons.cluster.cluster import WORKERS_ALONE, connected
from quietmove.addons.measure.referee_bench import random_game
from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.record import GameRecord, MoveRecord, Observer
from quietmove.referee.game.transcript import read_transcript
from quietmove.referee.match.running import Pool
from quietmove.tournament.definition import Tournament
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.store.store import Store

LOOPBACK = "127.0.0.1"
PR_SET_PDEATHSIG = 1  # prctl: receive a signal from the kernel when the parent has exited
PLAYED = read_transcript(" ".join(random_game(1, None)))  # the coordinator checks its moves and result
OPENINGS = (tuple(move.move for move in PLAYED.moves[:2]),)
MOVES = (
    *(replace(move, by="opening") for move in PLAYED.moves[:2]),
    *(replace(move, elapsed_ms=12) for move in PLAYED.moves[2:]),
)
PLAYERS = tuple(EngineConfig(name, ("quietmove",), limit=TimeControl(depth=1)) for name in "ab")
TOURNAMENT = Tournament("places", "othello", 1, OPENINGS, PLAYERS)
FAULTS = ("dies", "stands still", "answers twice")


def canned(spec: GameSpec) -> GameRecord:
    """Return a game that has just ended, with the current time as its detail."""
    return GameRecord(spec, MOVES, "finished", None, PLAYED.points_black, PLAYED.margin_black, str(time.time()))


class CannedGame(Future[GameRecord]):
    """A game that ends a given time after its start; the thread that asks for its result waits."""

    def __init__(self, spec: GameSpec, seconds: float) -> None:
        super().__init__()
        self._spec = spec
        self._ended = threading.Event()
        self._seconds = seconds

    def cancel(self) -> bool:
        """End immediately."""
        self._ended.set()
        return True

    def result(self, timeout: float | None = None) -> GameRecord:
        """Wait for the end, and return the record."""
        self._ended.wait(self._seconds)
        return canned(self._spec)


class CannedHost:
    """Replaces a worker's host of engines."""

    seconds = 1.0

    def __init__(self, kept: int) -> None:
        pass

    def __enter__(self) -> CannedHost:
        return self

    def begin(self, spec: GameSpec, played: Sequence[MoveRecord]) -> CannedGame:
        """Start a game."""
        return CannedGame(spec, self.seconds)

    def close(self) -> None:
        """Do nothing: there are no engines."""


def run_workers(address: str, count: int, places: int, seconds: float, faulty: float) -> None:
    """Run ``count`` workers until the scheduler exits."""
    CannedHost.seconds = seconds
    worker.GameHost = CannedHost  # type: ignore[assignment,misc]

    async def work() -> None:
        words = {"nthreads": places, "memory_limit": 0, "dashboard": False}
        made = [distributed.Worker(address, local_directory=f"{folder}/{place}", **words) for place in range(count)]
        for some in range(0, count, 50):
            await asyncio.gather(*made[some : some + 50])
        for place, each in enumerate(made[: int(count * faulty)]):
            asyncio.get_running_loop().call_later(10 + 10 * place / count, fail, each, FAULTS[place % len(FAULTS)])
        await asyncio.gather(*(each.finished() for each in made), return_exceptions=True)

    with tempfile.TemporaryDirectory() as folder:  # each worker scans its whole folder
        run_quietly(work())


def fail(each: Any, fault: str) -> None:
    """Make a worker fail from now on."""
    send = each.batched_send
    if fault == "dies":
        each.batched_stream.abort()
    elif fault == "stands still":
        each.periodic_callbacks["heartbeat"].stop()
        each.batched_send = lambda message: None
    else:
        each.batched_send = lambda message: (send(message), send(message))


def run_quietly(work: Coroutine[Any, Any, None]) -> None:
    """Run a process's work to its end or to the end of the script, without Dask's logs."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    logging.disable()
    warnings.simplefilter("ignore")
    with dask.config.set(WORKERS_ALONE), contextlib.suppress(OSError):
        asyncio.run(work)


def run_scheduler(address: Any) -> None:
    """Run the scheduler, and send its address."""

    async def work() -> None:
        async with distributed.Scheduler(host=LOOPBACK, port=0, dashboard=False) as scheduler:
            address.send(scheduler.address)
            await scheduler.finished()

    run_quietly(work())


@contextlib.contextmanager
def alone(places: int, seconds: float) -> Iterator[Pool]:
    """Yield a pool whose games end after a given time in this process, by timers in one thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def begin(spec: GameSpec, observers: Sequence[Observer], played: Sequence[MoveRecord]) -> Future[GameRecord]:
        future: Future[GameRecord] = Future()
        loop.call_soon_threadsafe(loop.call_later, seconds, lambda: future.set_result(canned(spec)))
        return future

    yield Pool(places, begin)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


@contextlib.contextmanager
def through_dask(arguments: argparse.Namespace, started: list[Any]) -> Iterator[Pool]:
    """Yield a pool of workers in a few processes; the first process in ``started`` is the scheduler's."""
    spawn = multiprocessing.get_context("spawn")
    mine, theirs = spawn.Pipe()
    share = arguments.workers // arguments.processes
    started.append(spawn.Process(target=run_scheduler, args=(theirs,)))
    started[0].start()
    address = mine.recv()
    for _ in range(arguments.processes):
        words = (address, share, arguments.places, arguments.seconds, arguments.faulty)
        started.append(spawn.Process(target=run_workers, args=words))
        started[-1].start()
    try:
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(share * arguments.processes)
        with connected(address, None, say) as place, place.pool(TOURNAMENT, say) as pool:
            yield pool
    finally:
        for process in reversed(started):
            process.terminate()
            process.join()


def say(text: str) -> None:
    """Print a line immediately."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--places", type=int, default=1, help="games at once of each worker")
    parser.add_argument("--seconds", type=float, default=1.0, help="the length of a game")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--faulty", type=float, default=0.0, help="the share of workers that fail")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--alone", action="store_true")
    arguments = parser.parse_args()
    started: list[Any] = []
    places = arguments.workers * arguments.places
    pools = alone(places, arguments.seconds) if arguments.alone else through_dask(arguments, started)
    tournament = replace(TOURNAMENT, settings=(("rounds", arguments.games // 2),))
    delays = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.create(Path(folder, "places.sqlite"), tournament) as store,
        pools as pool,
    ):
        say(f"{pool.size} places")
        scheduler = psutil.Process(started[0].pid) if started else None
        began, cpu, its_cpu = time.perf_counter(), time.process_time(), used(scheduler)
        for _, record in play_missing(store, pool, say):
            delays.append(time.time() - float(record.detail))
        seconds, cpu, its_cpu = time.perf_counter() - began, time.process_time() - cpu, used(scheduler) - its_cpu
        numbers = {result.number for result in store.results()}
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        its_memory = scheduler.memory_info().rss >> 20 if scheduler else 0
    games = len(delays)
    assert games == len(numbers) == arguments.games // 2 * 2, "each game is stored once"
    say(f"{games} games, each stored once, {places} at once of {arguments.seconds:g} s: {games / seconds:.0f} a second")
    say(f"coordinator: {1000 * cpu / games:.2f} ms of CPU a game, {memory} MiB")
    if scheduler:
        say(f"Dask's scheduler: {1000 * its_cpu / games:.2f} ms of CPU a game, {its_memory} MiB")
    late = quantiles(delays, n=100)[-1]
    say(f"delay: median {1000 * median(delays):.0f} ms, 99 % below {1000 * late:.0f} ms, longest {max(delays):.1f} s")


def used(process: psutil.Process | None) -> float:
    """Return a process's total CPU time in seconds."""
    return sum(process.cpu_times()[:2]) if process else 0.0


if __name__ == "__main__":
    main()
