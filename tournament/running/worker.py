"""What runs in a Dask worker: its games share one host, which keeps engines from game to game.

A tournament enlists a worker by :func:`enlist`: the worker then has a resource with the name of what is installed
there, and games ask for this resource. So no game comes to a worker with another version. When the tournament's games
are cancelled, when its process is gone or the worker closes, the games end at once, and idle engines end soon after the
last game.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import platform
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from distributed import Reschedule, Worker, WorkerPlugin, get_worker

import quietmove
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import GameInterruptedError, ShortageError
from quietmove.referee.game.host import GameHost
from quietmove.referee.game.record import GameRecord
from quietmove.referee.process.shortage import find_room
from quietmove.referee.seats import Objection
from quietmove.referee.seats.preflight import ask_here

__all__ = ["Installation", "WorkerGames", "ask_engines", "enlist", "file_digest", "installation", "play_game"]

IDLE_SECONDS = 5.0  # without a game, after which engines that are kept are ended
DIGEST_BYTES = 6


@dataclass(frozen=True, slots=True)
class Installation:
    """What must be the same on all machines, so that they play the same games.

    :param python: its version without the last number.
    :param sources: a digest of every Python file of Quietmove.
    """

    quietmove: str
    python: str
    sources: str

    @property
    def name(self) -> str:
        """The resource that a worker with this installation has."""
        return f"quietmove-{self.quietmove}-{self.sources}-python-{self.python}"

    def differences(self, here: Installation) -> list[str]:
        """Return in what this one, elsewhere, differs from ``here``."""
        words = {"quietmove": "Quietmove", "python": "Python", "sources": "Quietmove's source files with digest"}
        ours = asdict(here)
        return [
            f"it has {words[key]} {value}, here it is {ours[key]}"
            for key, value in asdict(self).items()
            if value != ours[key]
        ]


@cache
def installation() -> Installation:
    """Return what is installed here."""
    package = Path(quietmove.__file__).parent
    found = {}
    for folder, _, names in os.walk(package, followlinks=True):  # in a checkout the folders are links
        for name in names:
            path = Path(folder, name)
            if path.suffix == ".py":
                found[path.relative_to(package).as_posix()] = path.read_bytes()
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for name in sorted(found):
        digest.update(f"{name}\0{len(found[name])}\0".encode() + found[name])
    version = ".".join(platform.python_version_tuple()[:2])
    return Installation(quietmove.__version__, version, digest.hexdigest())


async def enlist(dask_worker: Worker) -> Installation:
    """Let this worker play games of tournaments with the same installation; return what is installed.

    :raises ShortageError: if there is no room for a single game.
    """
    here = await asyncio.to_thread(installation)
    if here.name not in dask_worker.plugins:
        games = find_room(dask_worker.state.nthreads)
        await dask_worker.plugin_add(WorkerGames(dask_worker, games), here.name, catch_errors=False)
        await dask_worker.set_resources(**{here.name: games})
    return here


async def ask_engines(engines: Sequence[EngineConfig], game: str, digest: str) -> list[list[Objection]]:
    """Ask the engines on this machine, as :func:`quietmove.referee.seats.preflight.ask_here` does.

    :param digest: of the file that the game comes from, which must be the same here.
    :raises UnknownGameError: if there is no such game here.
    """

    def ask() -> list[list[Objection]]:
        get_game(game)
        if (found := file_digest(game)) != digest:
            raise ValueError(f"game {game}: the file has digest {found}, and {digest} where the tournament was begun")
        return ask_here(engines, game)

    return await asyncio.to_thread(ask)


def file_digest(game: str) -> str:
    """Return a digest of the file that a game comes from; "" for a game that is installed."""
    file = GameFile.of_game(game)
    return hashlib.blake2b(Path(file.file).read_bytes(), digest_size=DIGEST_BYTES).hexdigest() if file else ""


def play_game(name: str, spec: GameSpec) -> GameRecord:
    """Play a game in the worker that runs this task.

    :param name: of the installation that the worker was enlisted with.
    :raises ShortageError: if the machine has no room for a game that is alone.
    """
    worker = get_worker()
    games = worker.plugins[name]
    assert isinstance(games, WorkerGames)
    return games.play(str(worker.get_current_task()), spec)


class WorkerGames(WorkerPlugin):
    """The games of one worker. Where there is no room for as many as it has threads, some wait."""

    def __init__(self, worker: Worker, most: int) -> None:
        self._worker = worker
        self._kept = 2 * most
        self._most = most
        self._changed = threading.Condition()
        self._host: GameHost | None = None
        self._is_closed = False
        self._running: dict[str, Future[GameRecord] | None] = {}  # by the task; None before the game has begun
        self._rest: threading.Timer | None = None

    def play(self, task: str, spec: GameSpec) -> GameRecord:
        """Play one game, in the thread of its task; when the worker closes meanwhile, another worker plays it."""
        while True:
            with self._entered(task):
                try:
                    return self._begin(task, spec).result()
                except (CancelledError, GameInterruptedError):
                    if self._is_closed:
                        raise Reschedule from None
                    raise GameInterruptedError("the game was stopped") from None
                except ShortageError as error:
                    if not self._is_crowded():
                        raise ShortageError(f"worker {self._worker.address}: {error}") from error

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """Stop the game of a task that is executed no more while it runs: nobody waits for it. Called by Dask."""
        with self._changed:
            game = self._running.get(str(key))
            if game is not None and finish != "executing":
                game.cancel()

    async def teardown(self, worker: Worker) -> None:
        """Stop all games and end all engines. Called by Dask when the worker closes."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            host, self._host = self._host, None
            if self._rest is not None:
                self._rest.cancel()
        if host is not None:
            await asyncio.to_thread(host.close)

    @contextlib.contextmanager
    def _entered(self, task: str) -> Iterator[None]:
        """Wait until there is room for one more game, and take it."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or len(self._running) < self._most)
            self._running[task] = None
            if self._rest is not None:
                self._rest.cancel()
        try:
            yield
        finally:
            with self._changed:
                del self._running[task]
                self._changed.notify_all()
                if not self._running and not self._is_closed:
                    self._rest = threading.Timer(IDLE_SECONDS, self._end_idle)
                    self._rest.daemon = True
                    self._rest.start()

    def _begin(self, task: str, spec: GameSpec) -> Future[GameRecord]:
        """Begin the game of a task that has entered."""
        with self._changed:
            state = self._worker.state.tasks.get(task)
            if self._is_closed or state is None or state.state != "executing":  # it was cancelled before this
                raise GameInterruptedError("the game was stopped")
            if self._host is None:
                self._host = GameHost(kept=self._kept).__enter__()
            future = self._running[task] = self._host.begin(spec)
        return future

    def _is_crowded(self) -> bool:
        """Tell whether other games run; then there is room for one game less than now."""
        with self._changed:
            self._most = max(1, len(self._running) - 1)
            return len(self._running) > 1

    def _end_idle(self) -> None:
        with self._changed:
            host = None if self._running else self._host
            if host is not None:
                self._host = None
        if host is not None:
            host.close()
