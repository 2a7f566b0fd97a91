"""`quietmove-referee bench`: how many games a second the referee plays, what a move costs it, and whether it grows."""

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

from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.games.registry import get_game
from quietmove.engine.tools.workers import Workers
from quietmove.referee.config.model import COLORS, Color, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import GameHost
from quietmove.referee.seats import SEATS, Answer, Failure, Listener, Seat, Turn

GAME = "othello"
KINDS = ("in-process", "process", "clock", "overhead")
OPENING_PLIES = 6  # moves at random at the beginning make the games differ
OPENINGS = 10_000
BATCH_GAMES = 25  # games that a worker plays between two reports
SETTLED_PART = 0.2  # every buffer has its size after a fifth of the games; what grows later is a leak
GROWTH_MB = 8  # a worker's memory may grow by 8 MB after that


@dataclass(frozen=True, slots=True)
class WorkerResources:
    """What one worker held when a batch of games had ended.

    :param memory: the resident memory, in bytes.
    :param handles: the number of open files, pipes and sockets.
    :param threads: the number of threads of the process.
    """

    memory: int
    handles: int
    threads: int


@dataclass(slots=True)
class Report:
    """What was measured.

    :param moves: the number of moves that players made, without those of the openings.
    :param seconds: the time from the first game to the last.
    :param processor: the workers' own processor time in seconds, without that of engine processes.
    :param verdicts: how many games ended for each reason.
    :param settled, last: what each worker held after the first games, and at the end.
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
        """How many games did not end on the board, and what some worker held more of at the end, a sentence each."""
        lost = self.games - self.verdicts["finished"]
        found = [f"{lost} games did not end on the board"] if lost else []
        for worker, before in self.settled.items():
            after = self.last[worker]
            if after.memory - before.memory > GROWTH_MB << 20:
                found.append(f"memory grew from {before.memory >> 20} to {after.memory >> 20} MB")
            found += [
                f"{name} grew from {getattr(before, name)} to {getattr(after, name)}"
                for name in ("handles", "threads")
                if getattr(after, name) > getattr(before, name)
            ]
        return found

    def values(self) -> dict[str, object]:
        """Return the report in JSON's own types."""
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
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes of the referee.")
@click.option("--concurrency", type=click.IntRange(1), metavar="N", help="Games at once in each.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per kind.")
def bench(kinds: tuple[str, ...], games: int, workers: int | None, concurrency: int | None, as_json: bool) -> int:
    """Play many fast games of Othello, and print how many a second and what each move costs the referee.

    KIND is in-process (engines in the referee's own process, which look one move ahead), process (the same in engine
    processes that are kept from game to game), clock (engine processes that play at once and have a clock) or overhead
    (players that answer at once, so that all the time is the referee's); without it, all of them.

    The exit status is 1 if a game did not end on the board, or if memory, open files or threads of the referee grew
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
    """Play ``games`` games in ``workers`` processes, ``concurrency`` at once in each; tell of each batch that is done.

    :param kind: one of :data:`KINDS`.
    :raises WorkerError: if one of the processes is killed.
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
    """Play a batch of games: the number of the first, and how many.

    :return: the worker's process, the moves of players, seconds of processor time, the verdicts, and what it holds.
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
    """Return what plays the games of this worker, from the first batch to the last."""
    SEATS["overhead"] = Replayer
    host = GameHost(kept=2 * concurrency).__enter__()
    Finalize(None, host.close, exitpriority=1)  # multiprocessing calls it when there are no more batches
    return host, ThreadPoolExecutor(concurrency)


class Replayer(Seat):
    """Answers at once: the moves of one fixed game."""

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        return None

    async def think(self, turn: Turn) -> Answer:
        move = random_game(1, None)[len(turn.moves)]
        return Answer(move, move, 0.0)

    async def keep(self) -> bool:
        return True

    async def end(self, *, patient: bool = True) -> None:
        """Do nothing."""


def game_spec(kind: str, number: int) -> GameSpec:
    """Return the game of this number; it depends on nothing else."""
    if kind == "overhead":
        player = EngineConfig("replayer", protocol=kind)
        return GameSpec(GAME, (), player, player)
    command, protocol = ((), kind) if kind == "in-process" else (("quietmove",), "uci")
    limit = TimeControl.parse("tc=10+0.1" if kind == "clock" else "depth=1")
    level = (("Level", "0"),) if kind == "clock" else ()  # it searches a ply or two, whatever the clock says
    player = EngineConfig("quick", command, protocol, (("Hash", "1"), *level), limit)
    return GameSpec(GAME, random_game(number % OPENINGS, OPENING_PLIES), player, player)


@cache
def random_game(seed: int, plies: int | None) -> tuple[str, ...]:
    """Return the first moves of a game at random, or all of them if ``plies`` is None."""
    game = get_game(GAME)
    chance = random.Random(seed)
    position = game.initial()
    moves = list[str]()
    while not position.is_over() and len(moves) != plies:
        move = chance.choice(sorted(position.legal_moves()))
        moves.append(game.format_move(move))
        position.play(move)
    return tuple(moves)
