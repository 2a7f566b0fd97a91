"""How many games a second the referee plays, what a move costs it, and whether it grows: measured on fast games."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count, islice
from multiprocessing.util import Finalize
from pathlib import Path

from quietmove.engine.games.registry import get_game
from quietmove.engine.tools.workers import Workers
from quietmove.referee.config.model import COLORS, Color, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import GameHost
from quietmove.referee.game.record import GameRecord
from quietmove.referee.seats import SEATS, Answer, Failure, Listener, Seat, Turn

__all__ = ["Growth", "Report", "measure"]

GAME = "othello"
OPENING_PLIES = 6  # made at random, so that the games differ
OPENINGS = 10_000
BATCH = 25  # games that a worker plays between two reports
SETTLED = 0.2  # of the games; then every buffer has its size, and what grows from there on is a leak
GROWTH_MB = 8  # that a worker's memory may differ by afterwards


@dataclass(frozen=True, slots=True)
class Growth:
    """What one worker held when a batch of games had ended.

    :param memory: resident, in bytes.
    :param handles: open files, pipes and sockets.
    :param threads: of the process.
    """

    memory: int
    handles: int
    threads: int


@dataclass(slots=True)
class Report:
    """What was measured.

    :param moves: that players made; those of the opening are not among them.
    :param seconds: from the first game to the last.
    :param processor: seconds of the workers' own processor time; engine processes are not in it.
    :param verdicts: how the games ended.
    :param settled, last: for each worker what it held after the first games and at the end.
    """

    kind: str
    games: int = 0
    moves: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    settled: dict[int, Growth] = field(default_factory=dict)
    last: dict[int, Growth] = field(default_factory=dict)

    @property
    def grown(self) -> list[str]:
        """What some worker held more of at the end, one sentence each."""
        found = []
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


@dataclass(frozen=True, slots=True)
class Batch:
    """What one worker did in one go."""

    worker: int
    moves: int
    processor: float
    verdicts: Counter[str]
    growth: Growth


class Replayer(Seat):
    """Answers at once: the moves of one fixed game."""

    async def start(self, color: Color, listener: Listener) -> Failure | None:
        """Be ready."""
        return None

    async def think(self, turn: Turn) -> Answer:
        """Return the next move of that game."""
        move = fixed_game()[len(turn.moves)]
        return Answer(move, move, 0.0)

    async def keep(self) -> bool:
        """Play again."""
        return True

    def fits(self, config: EngineConfig, game: str) -> bool:
        """Play for everyone."""
        return config.protocol == self.config.protocol

    async def end(self, *, patient: bool = True) -> None:
        """Do nothing."""


def measure(kind: str, games: int, workers: int, concurrency: int, report: Callable[[Report], None]) -> Report:
    """Play ``games`` games in ``workers`` processes, ``concurrency`` at once in each; tell of each batch that is done.

    :param kind: as `quietmove-referee bench` explains them.
    :raises WorkerError: if one of the processes is killed.
    """
    play = partial(_play, kind, concurrency)
    with Workers(workers, apart=True) as pool:
        list(pool.compute(play, [(0, concurrency)] * workers))  # each starts its engines
        done, began = Report(kind), time.monotonic()
        batches = ((start, min(BATCH, games - start)) for start in range(0, games, BATCH))
        for batch in pool.compute(play, batches):
            _add(done, batch, games)
            done.seconds = time.monotonic() - began
            report(done)
    return done


def _add(done: Report, batch: Batch, games: int) -> None:
    done.games += batch.verdicts.total()
    done.moves += batch.moves
    done.processor += batch.processor
    done.verdicts += batch.verdicts
    if done.games >= SETTLED * games:
        done.settled.setdefault(batch.worker, batch.growth)
    done.last[batch.worker] = batch.growth


# ---- in a worker


def _play(kind: str, concurrency: int, batch: tuple[int, int]) -> Batch:
    """Play a batch of games: the number of the first, and how many."""
    host, players = _begun(kind, concurrency)
    start, games = batch
    specs = [game_spec(kind, number) for number in range(start, start + games)]
    before = time.process_time()
    records: Sequence[GameRecord] = list(players.map(host.play, specs))
    moves = sum(move.by in COLORS for record in records for move in record.moves)
    verdicts = Counter(record.reason for record in records)
    return Batch(os.getpid(), moves, time.process_time() - before, Counter(verdicts), _growth())


@cache
def _begun(kind: str, concurrency: int) -> tuple[GameHost, ThreadPoolExecutor]:
    """Return what plays the games of this worker, from the first batch to the last."""
    SEATS["overhead"] = Replayer
    host = GameHost(kept=2 * concurrency).__enter__()
    Finalize(None, host.close, exitpriority=1)  # when there are no more batches
    return host, ThreadPoolExecutor(concurrency)


def _growth() -> Growth:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    handles = len(list(Path("/proc/self/fd").iterdir()))
    return Growth(int(fields["VmRSS"].split()[0]) * 1024, handles, int(fields["Threads"]))


def game_spec(kind: str, number: int) -> GameSpec:
    """Return the game of this number; it depends on nothing else."""
    if kind == "overhead":
        player = EngineConfig("replayer", protocol=kind)
        return GameSpec(GAME, (), player, player)
    limit = TimeControl.parse("tc=10+0.1" if kind == "clock" else "depth=1")
    level = (("Level", "0"),) if kind == "clock" else ()  # which searches a ply or two, whatever the clock says
    command, protocol = ((), kind) if kind == "in-process" else (("quietmove",), "uci")
    player = EngineConfig("quick", command, protocol, (("Hash", "1"), *level), limit)
    return GameSpec(GAME, random_moves(number % OPENINGS, OPENING_PLIES), player, player)


@cache
def fixed_game() -> tuple[str, ...]:
    """Return the moves of one whole game."""
    return random_moves(1, None)


def random_moves(seed: int, plies: int | None) -> tuple[str, ...]:
    """Return moves at random from the initial position, to the end of the game if ``plies`` is None."""
    game, lots = get_game(GAME), random.Random(seed)
    position = game.initial()

    def moves() -> Iterator[str]:
        for _ in count():
            if position.is_over():
                return
            move = lots.choice(sorted(position.legal_moves()))
            yield game.format_move(move)
            position.play(move)

    return tuple(islice(moves(), plies))
