"""`quietmove-referee bench`: measure games per second and the referee's cost per move, and check for leaks."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path

import click

from quietmove.addons.shared.workers import Workers
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import COLORS, Color, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import GameHost
from quietmove.referee.seats import SEATS, Answer, Failure, Listener, Seat, Turn

GAME = "othello"
KINDS = ("in-process", "process", "clock", "overhead")
OPENING_PLIES = 6  # number of random opening moves, so that the games differ
OPENINGS = 10_000
BATCH_GAMES = 25  # number of games that a worker plays between two reports
SETTLED_PART = 0.2  # buffers reach their final size within a fifth of the games; later growth is a leak
GROWTH_MB = 8  # allowed growth of a worker's memory after that, in MB


@dataclass(frozen=True, slots=True)
class WorkerResources:
    """The resources that one worker held after a batch of games.

    :param memory: the resident memory in bytes.
    :param handles: the number of open files, pipes and sockets.
    :param threads: the number of threads in the process.
    """

    memory: int
    handles: int
    threads: int


@dataclass(slots=True)
class Report:
    """The measurements of one kind of game.

    :param moves: the number of moves made by players, without the openings.
    :param seconds: the time from the first game to the last.
    :param processor: the workers' own CPU time in seconds, without engine processes.
    :param verdicts: the number of games that ended for each reason.
    :param settled, last: the resources of each worker after the first games, and at the end.
    """

    kind: str
    moves: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    settled: dict[int, WorkerResources] = field(default_factory=dict)
    last: dict[int, WorkerResources] = field(default_factory=dict)

    @property
    def games(self) -> int:
        return self.verdicts.total()

    @property
    def faults(self) -> list[str]:
        """Descriptions of games that did not end on the board, and of resources that grew in a worker."""
        lost = self.games - self.verdicts["finished"]
        faults = [f"{lost} games did not end on the board"] if lost else []
        for worker, before in self.settled.items():
            after = self.last[worker]
            if after.memory - before.memory > GROWTH_MB << 20:
                faults.append(f"memory grew from {before.memory >> 20} to {after.memory >> 20} MB")
            faults += [
                f"{name} grew from {getattr(before, name)} to {getattr(after, name)}"
                for name in ("handles", "threads")
                if getattr(after, name) > getattr(before, name)
            ]
        return faults

    def values(self) -> dict[str, object]:
        """Return the report as a dictionary for JSON."""
        return {
            "kind": self.kind,
            "games": self.games,
            "moves": self.moves,
            "seconds": round(self.seconds, 3),
            "games_per_second": round(self.games / self.seconds, 1),
            "processor_ms_per_move": round(1000 * self.processor / self.moves, 4),
            "verdicts": dict(self.verdicts),
            "memory_mb": [round(growth.memory / (1 << 20), 1) for growth in self.last.values()],
            "handles": [growth.handles for growth in self.last.values()],
            "faults": self.faults,
        }

    def lines(self) -> list[str]:
        verdicts = ", ".join(f"{reason} {count:,}" for reason, count in sorted(self.verdicts.items()))
        memory = max(growth.memory for growth in self.last.values()) >> 20
        rate, cost = self.games / self.seconds, 1000 * self.processor / self.moves
        return [
            f"{self.kind}: {self.games:,} games in {self.seconds:.1f} s, {rate:.0f} a second",
            f"  {self.moves:,} moves; {cost:.3f} ms of the referee's processor time each",
            f"  verdicts: {verdicts}",
            f"  at the end: {memory} MB, {max(growth.handles for growth in self.last.values())} open files",
            *(f"  fault: {text}" for text in self.faults),
        ]


@click.command(epilog=examples("quietmove-referee bench", "quietmove-referee bench in-process --games 100000"))
@click.argument("kinds", nargs=-1, type=click.Choice(KINDS), metavar="[KIND]...")
@number_option("--games", 1000, "Games of each kind.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Number of referee processes.")
@click.option("--concurrency", type=click.IntRange(1), metavar="N", help="Concurrent games in each process.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per kind.")
def bench(kinds: tuple[str, ...], games: int, workers: int | None, concurrency: int | None, as_json: bool) -> int:
    """Play many fast games of Othello, and print the games per second and the referee's cost per move.

    KIND is in-process (engines in the referee's own process that search one ply), process (the same engines in
    processes reused from game to game), clock (engine processes that move immediately, with a clock) or overhead
    (players that reply immediately, so that only the referee takes time); by default, all of them.

    The exit status is 1 if a game did not end on the board, or if the referee's memory, open files or threads grew
    after the first fifth of the games.
    """
    cores = len(usable_processors())
    status = 0
    for kind in kinds or KINDS:
        most = workers or (cores if kind == "in-process" else 1)
        at_once = concurrency or (2 * cores if kind in ("process", "clock") else 1)
        report = measure(kind, games, most, at_once, lambda done: _progress(done, games))
        click.echo(json.dumps(report.values()) if as_json else "\n".join(report.lines()))
        status = 1 if report.faults else status
    return status


def _progress(done: Report, games: int) -> None:
    if sys.stderr.isatty():
        text = f"{done.kind}: {done.games:,} of {games:,} games" if done.games < games else ""
        click.echo(f"\r\033[K{text}", err=True, nl=False)


def measure(kind: str, games: int, workers: int, concurrency: int, report: Callable[[Report], None]) -> Report:
    """Play ``games`` games in ``workers`` processes, each with ``concurrency`` concurrent games. Report each batch.

    :param kind: one of :data:`KINDS`.
    :raises WorkerError: if a process is killed.
    """
    play = partial(_play, kind, concurrency)
    with Workers(workers, apart=True) as pool:
        list(pool.compute(play, [(0, concurrency)] * workers))  # every worker starts its engines first
        done = Report(kind)
        began = time.monotonic()
        batches = ((start, min(BATCH_GAMES, games - start)) for start in range(0, games, BATCH_GAMES))
        for worker, moves, processor, verdicts, growth in pool.compute(play, batches):
            done.moves += moves
            done.processor += processor
            done.verdicts += verdicts
            if done.games >= SETTLED_PART * games:
                done.settled.setdefault(worker, growth)
            done.last[worker] = growth
            done.seconds = time.monotonic() - began
            report(done)
    return done


# ---- in a worker


def _play(kind: str, concurrency: int, batch: tuple[int, int]) -> tuple[int, int, float, Counter[str], WorkerResources]:
    """Play a batch of games, given as the number of its first game and its size.

    :return: the worker's process ID, the number of moves by players, CPU seconds, verdicts and resources.
    """
    host, players = _players(kind, concurrency)
    start, games = batch
    specs = [game_spec(kind, number) for number in range(start, start + games)]
    before = time.process_time()
    records = list(players.map(host.play, specs))
    moves = sum(move.by in COLORS for record in records for move in record.moves)
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    handles = len(list(Path("/proc/self/fd").iterdir()))
    growth = WorkerResources(int(status["VmRSS"].split()[0]) * 1024, handles, int(status["Threads"]))
    verdicts = Counter[str](record.reason for record in records)
    return os.getpid(), moves, time.process_time() - before, verdicts, growth


@cache
def _players(kind: str, concurrency: int) -> tuple[GameHost, ThreadPoolExecutor]:
    """Return the host and the threads that play this worker's games, created for its first batch."""
    SEATS["overhead"] = Replayer
    host = GameHost(kept=2 * concurrency).__enter__()
    Finalize(None, host.close, exitpriority=1)  # multiprocessing calls it after the last batch
    return host, ThreadPoolExecutor(concurrency)


class Replayer(Seat):
    """A player that replies immediately with the moves of one fixed game."""

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        return None

    async def think(self, turn: Turn) -> Answer:
        move = random_game(1, None)[len(turn.moves)]
        return Answer(move, move, 0.0)

    async def keep(self) -> bool:
        return True

    async def end(self, *, patient: bool = True) -> None:
        """Do nothing: this player has no process to end."""


def game_spec(kind: str, number: int) -> GameSpec:
    """Return the specification of a game, which depends only on its kind and number."""
    if kind == "overhead":
        player = EngineConfig("replayer", protocol=kind)
        return GameSpec(GAME, (), player, player)
    command, protocol = ((), kind) if kind == "in-process" else (("quietmove",), "uci")
    limit = TimeControl.parse("tc=10+0.1" if kind == "clock" else "depth=1")
    level = (("Level", "0"),) if kind == "clock" else ()  # searches a ply or two, whatever the clock
    player = EngineConfig("quick", command, protocol, (("Hash", "1"), *level), limit)
    return GameSpec(GAME, random_game(number % OPENINGS, OPENING_PLIES), player, player)


@cache
def random_game(seed: int, plies: int | None) -> tuple[str, ...]:
    """Return the first moves of a random game, or all of them if ``plies`` is None."""
    game = get_game(GAME)
    chance = random.Random(seed)
    position = game.initial()
    moves = list[str]()
    while not position.is_over() and len(moves) != plies:
        move = chance.choice(sorted(position.legal_moves()))
        moves.append(game.format_move(move))
        position.play(move)
    return tuple(moves)
