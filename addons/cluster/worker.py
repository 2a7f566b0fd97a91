"""The code that runs in a Dask worker. Its games share one host, which reuses engines between games.

:func:`enlist` registers a worker for a tournament: the worker gets a resource named after its installation, and games
require that resource, so a game never runs on a worker with another version. Games stop immediately when the
tournament cancels them, its process exits or the worker closes. Idle engines exit soon after the last game.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from functools import cache
from pathlib import Path
from typing import Any

from distributed import Reschedule, Worker, WorkerPlugin, get_worker

from quietmove.addons.cluster.batches import Call, Played
from quietmove.engine import common
from quietmove.engine.files import read_bytes
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.errors import GameInterruptedError, ShortageError
from quietmove.referee.game.host import GameHost
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.process.shortage import allow_files
from quietmove.referee.seats import Objection
from quietmove.referee.seats.pool import check_engines

KEPT_MORE = 2  # keep one more pair of idle engines than can play, because schedules return to earlier engines
IDLE_SECONDS = 5.0  # idle engines exit after this long without a game
DIGEST_BYTES = 6


@cache
def installation() -> str:
    """Return an identifier of this installation: its version, a digest of its Python files, and Python's version.

    It must be the same on all machines, so that they all play the same games.
    """
    package = Path(common.__file__).parents[1]
    files = {
        path.relative_to(package).as_posix(): path.read_bytes()
        for folder, _, names in os.walk(package, followlinks=True)  # in a checkout the folders are symbolic links
        for path in (Path(folder, name) for name in names)
        if path.suffix == ".py"
    }
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    python = ".".join(platform.python_version_tuple()[:2])
    return f"quietmove-{common.VERSION}-{digest.hexdigest()}-python-{python}"


async def enlist(dask_worker: Worker) -> str:
    """Register this worker for tournaments with the same installation, and return the installation's identifier."""
    here = await asyncio.to_thread(installation)
    if here not in dask_worker.plugins:
        games = dask_worker.state.nthreads
        allow_files(games)
        await dask_worker.plugin_add(WorkerGames(dask_worker, games), here, catch_errors=False)
        await dask_worker.set_resources(**{here: games})
    return here


async def ask_engines(engines: Sequence[EngineConfig], game: str, digest: str) -> list[list[Objection]]:
    """Check the engines on this machine, as :func:`quietmove.referee.seats.pool.check_engines` does.

    :param digest: the expected digest of the file that defines the game, or "".
    :raises UnknownGameError: if there is no such game here.
    :raises ValueError: if the file here has a different digest.
    """

    def ask() -> list[list[Objection]]:
        if (local_digest := file_digest(game)) not in ("", digest):  # checked before the file is executed
            raise ValueError(
                f"game {game}: the file's digest is {local_digest}, but {digest} where the tournament runs"
            )
        get_game(game)
        return check_engines(engines, game)

    return await asyncio.to_thread(ask)


def file_digest(game: str) -> str:
    """Return a digest of the file that defines a game, or "" for an installed game or a missing file."""
    file = GameFile.of_game(game)
    if file is None:
        return ""
    try:
        return hashlib.blake2b(read_bytes(file.file), digest_size=DIGEST_BYTES).hexdigest()
    except FileNotFoundError:  # get_game() reports the missing file
        return ""


def play_games(here: str, games: Sequence[Call]) -> Played:
    """Play games one after another in the worker that runs this task, and return their outcomes.

    :param here: the installation under which the worker was enlisted.
    """
    worker = get_worker()
    plugin = worker.plugins[here]
    assert isinstance(plugin, WorkerGames)
    return plugin.play(str(worker.get_current_task()), games)


class WorkerGames(WorkerPlugin):
    """The games of one worker, and the engines it reuses between games.

    :param most: maximum number of concurrent games.
    """

    def __init__(self, worker: Worker, most: int) -> None:
        self._worker = worker
        self._kept = 2 * most + KEPT_MORE
        self._lock = threading.Lock()
        self._host: GameHost | None = None
        self._is_closed = False
        self._running: dict[str, Future[GameRecord]] = {}  # by task name
        self._idle: threading.Timer | None = None  # stops the idle engines

    def play(self, task: str, games: Sequence[Call]) -> Played:
        """Play games in their task's thread, and return their outcomes.

        If the worker closes in the meantime, another worker plays all of them.
        """
        began = time.monotonic()
        outcomes: list[GameRecord | Exception] = []
        try:
            for spec, played in games:
                outcomes.append(self._begin(task, spec, played).result())
        except (CancelledError, GameInterruptedError):
            if self._is_closed:
                raise Reschedule from None
            raise GameInterruptedError("the game was stopped") from None
        except ShortageError as error:
            outcomes.append(ShortageError(f"worker {self._worker.address}: {error}"))
        except Exception as error:
            outcomes.append(error)
        finally:
            self._end(task)
        return Played(outcomes, time.monotonic() - began)

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:
        """Cancel the running game when Dask has cancelled its task. Called by Dask."""
        with self._lock:
            game = self._running.get(str(key))
            if game is not None and finish != "executing":
                game.cancel()

    async def teardown(self, worker: Worker) -> None:
        """Stop all games and engines. Called by Dask when the worker closes."""
        self._is_closed = True
        await asyncio.to_thread(self._end_engines)

    def _begin(self, task: str, spec: GameSpec, played: Sequence[MoveRecord]) -> Future[GameRecord]:
        with self._lock:
            state = self._worker.state.tasks.get(task)
            if self._is_closed or state is None or state.state != "executing":  # the task was already cancelled
                raise GameInterruptedError("the game was stopped")
            if self._idle is not None:
                self._idle.cancel()
            if self._host is None:
                self._host = GameHost(kept=self._kept).__enter__()
            future = self._running[task] = self._host.begin(spec, played=played)
        return future

    def _end(self, task: str) -> None:
        with self._lock:
            self._running.pop(task, None)
            if not self._running and not self._is_closed:
                self._idle = threading.Timer(IDLE_SECONDS, self._end_engines)
                self._idle.daemon = True
                self._idle.start()

    def _end_engines(self) -> None:
        """Stop all engines, unless a game is running on a worker that stays open."""
        with self._lock:
            if self._running and not self._is_closed:
                return
            host, self._host = self._host, None
        if host is not None:
            host.close()
