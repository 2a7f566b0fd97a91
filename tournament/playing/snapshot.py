"""The games that are being played now, in a file beside the store, for whoever shows them.

The run that plays them replaces the file twice a second: an older file is what a run that was killed has left. It names
the process of the run, so that another program can find and stop it. Games with hidden cards are left out: an engine
could read there what it may not know.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from quietmove.engine.common.processes import Process
from quietmove.engine.common.text import explain
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.files import open_new, read_bytes
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import COLORS, Color, GameSpec
from quietmove.referee.game.record import Clocks, GameRecord, Mover, MoveRecord, Observer
from quietmove.referee.process.shortage import Notice, ignore_notice
from quietmove.tournament.games import ScheduledGame

PAUSE_SECONDS = 0.5  # the pause between two files
STALE_SECONDS = 10.0  # an older file is what a killed run has left
MOST_GAMES = 16  # a file tells of so many games


def snapshot_path(store: Path) -> Path:
    """Return the file in which the games that are being played for ``store`` are told."""
    return Path(f"{store.resolve()}-live")


def player_of(store: Path) -> Process | None:
    """Return the process that plays the games of ``store``; None if none does."""
    try:
        number, started = parse_json(read_bytes(snapshot_path(store)))["process"]
        process = Process(int(number), str(started))
    except (OSError, ValueError, KeyError, TypeError):  # no run, or a file that something else wrote
        return None
    return process if process.is_alive() else None


def announce(store: Path, process: Process) -> None:
    """Say that ``process`` will play the games of ``store``, before it says so itself.

    :raises OSError: if the file cannot be written.
    """
    _replace(store, {"process": [process.number, process.started], "count": 0, "games": []})


class Snapshot:
    """A context manager: in the block a thread writes the file; when it is left, the file is gone."""

    def __init__(self, store: Path, notice: Notice = ignore_notice) -> None:
        """Write beside ``store``; ``notice`` is told, once, if that is not possible."""
        self.path = snapshot_path(store)
        self._store = store
        self._notice = notice
        self._games: dict[int, RunningGame] = {}  # the thread of the games alone changes it
        self._closing = threading.Event()
        self._process = Process.here()
        self._thread = threading.Thread(target=self._run, name="snapshot", daemon=True)

    def __enter__(self) -> Snapshot:
        with suppress(RuntimeError):  # the machine has no thread left; it needs them for the games
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()
        with suppress(OSError):
            self.path.unlink()

    def observer(self, game: ScheduledGame) -> Observer:
        """Return what is told the events of ``game``."""
        return RunningGame(game, self._games)

    def document(self) -> dict[str, Any]:
        """Return how the games stand: who plays them, how many, and those with the lowest numbers in detail."""
        games = sorted(self._games.copy().items())
        return {
            "process": [self._process.number, self._process.started],
            "count": len(games),
            "games": [game.document() for _, game in games[:MOST_GAMES]],
        }

    def _run(self) -> None:
        has_failed = False
        while not self._closing.is_set():
            try:
                self._write()
            except OSError as error:  # a full disk, say: it may have room later, and this file names the process
                if not has_failed:
                    self._notice(f"the games that are being played cannot be shown: {explain(error)}")
                has_failed = True
            self._closing.wait(PAUSE_SECONDS)

    def _write(self) -> None:
        _replace(self._store, self.document())


def _replace(store: Path, document: Mapping[str, Any]) -> None:  # a reader finds the old file or the new one
    new = Path(f"{store.resolve()}-next")
    with open_new(new) as file:
        file.write(json.dumps(document, separators=(",", ":")).encode())
    new.replace(snapshot_path(store))


class RunningGame(Observer):
    """One game, as far as it has been played. It is told of each move, and does no more than to note it."""

    def __init__(self, game: ScheduledGame, games: dict[int, RunningGame]) -> None:
        """Take part in ``games``, by its number, while the game is played."""
        self._game = game
        self._games = games
        self._start = ""
        self._moves: list[str] = []
        self._clocks: Mapping[Color, int | None] = {}
        self._scores: dict[Mover, int | None] = {}
        self._asked = 0.0  # the time of the last question for a move, in seconds since 1970

    def game_started(self, spec: GameSpec, clocks: Clocks) -> None:
        self._start, self._clocks = spec.position, clocks
        if get_game(spec.game).kind != "hidden":
            self._games[self._game.number] = self

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        self._clocks, self._asked = clocks, time.time()

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        self._moves.append(move.move)
        self._clocks = clocks
        self._scores[move.by] = move.score

    def game_ended(self, record: GameRecord) -> None:
        self._games.pop(self._game.number, None)

    def document(self) -> dict[str, Any]:
        """Return the game as values of JSON; from any thread."""
        return {
            "number": self._game.number,
            "black": self._game.id.black,
            "white": self._game.id.white,
            "start": self._start,
            "moves": self._moves.copy(),
            "clocks": dict(self._clocks),
            "scores": {color: self._scores.get(color) for color in COLORS},
            "asked": self._asked,
        }
