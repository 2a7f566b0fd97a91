"""A file next to the store with the games in progress, for programs that display them.

The running tournament replaces the file twice a second; an older file was left by a killed run. The file names the
run's process, so that other programs can find and stop it. It omits games with hidden cards, as engines may read it.
"""

from __future__ import annotations

import json
import signal
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

FINISH = signal.SIGUSR1  # tells the run to finish its games and start no more; unlike Ctrl-C, can be repeated
PAUSE_SECONDS = 0.5  # seconds between two versions of the file
STALE_SECONDS = 10.0  # an older file was left by a killed run
MAX_LINES = 6  # maximum number of each engine's last lines in the file
MAX_LINE = 200  # maximum length of each line, in characters
MAX_GAMES = 16  # maximum number of games in the file


def snapshot_path(store: Path) -> Path:
    """Return the path of the file with the games in progress."""
    return Path(f"{store.resolve()}-live")


def player_of(store: Path) -> Process | None:
    """Return the process that is playing the games of ``store``, or None."""
    try:
        number, started = parse_json(read_bytes(snapshot_path(store)))["process"]
        process = Process(int(number), str(started))
    except (OSError, ValueError, KeyError, TypeError):  # no run is in progress, or the file is not valid
        return None
    return process if process.is_alive() else None


def announce(store: Path, process: Process) -> None:
    """Write a first version of the file for ``process``, which is about to play the games of ``store``.

    :raises OSError: if the file cannot be written.
    """
    _replace(store, {"process": [process.number, process.started], "count": 0, "games": []})


class Snapshot:
    """A context manager that keeps rewriting the file in a thread, and removes it on exit."""

    def __init__(self, store: Path, notice: Notice = ignore_notice) -> None:
        """Prepare to write the file next to ``store``; ``notice`` is called once if writing fails."""
        self.path = snapshot_path(store)
        self._store = store
        self._notice = notice
        self._games: dict[int, RunningGame] = {}  # modified only by the thread that plays the games
        self._closing = threading.Event()
        self._process = Process.here()
        self._thread = threading.Thread(target=self._run, name="snapshot", daemon=True)

    def __enter__(self) -> Snapshot:
        with suppress(RuntimeError):  # the machine is out of threads, and the games need them more
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()
        with suppress(OSError):
            self.path.unlink()

    def observer(self, game: ScheduledGame) -> Observer:
        """Return an observer that records ``game``."""
        return RunningGame(game, self._games)

    def document(self) -> dict[str, Any]:
        """Return the process, the number of games in progress, and details of those with the lowest numbers."""
        games = sorted(self._games.copy().items())
        return {
            "process": [self._process.number, self._process.started],
            "count": len(games),
            "games": [game.document() for _, game in games[:MAX_GAMES]],
        }

    def _run(self) -> None:
        has_failed = False
        while not self._closing.is_set():
            try:
                self._write()
            except OSError as error:  # e.g. a full disk: keep trying, because this file also names the process
                if not has_failed:
                    self._notice(f"the games in progress cannot be shown: {explain(error)}")
                has_failed = True
            self._closing.wait(PAUSE_SECONDS)

    def _write(self) -> None:
        _replace(self._store, self.document())


def _replace(store: Path, document: Mapping[str, Any]) -> None:  # atomic: readers find the old file or the new one
    new = Path(f"{store.resolve()}-next")
    with open_new(new) as file:
        file.write(json.dumps(document, separators=(",", ":")).encode())
    new.replace(snapshot_path(store))


class RunningGame(Observer):
    """An observer that records the events of a game in progress."""

    def __init__(self, game: ScheduledGame, games: dict[int, RunningGame]) -> None:
        """Create an observer that adds itself to ``games``, by number, while the game is being played."""
        self._game = game
        self._games = games
        self._start = ""
        self._moves: list[str] = []
        self._clocks: Mapping[Color, int | None] = {}
        self._scores: dict[Mover, int | None] = {}
        self._output: dict[Color, tuple[str, ...]] = {}  # each engine's last lines
        self._asked = 0.0  # the time of the last request for a move, in seconds since 1970

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

    def line_passed(self, color: Color, direction: str, line: str) -> None:
        if direction == "<":
            self._output[color] = (*self._output.get(color, ()), line[:MAX_LINE])[-MAX_LINES:]

    def game_ended(self, record: GameRecord) -> None:
        self._games.pop(self._game.number, None)

    def document(self) -> dict[str, Any]:
        """Return the game as a dictionary for JSON. Safe to call from any thread."""
        return {
            "number": self._game.number,
            "black": self._game.id.black,
            "white": self._game.id.white,
            "start": self._start,
            "moves": self._moves.copy(),
            "clocks": dict(self._clocks),
            "scores": {color: self._scores.get(color) for color in COLORS},
            "output": {color: self._output.get(color, ()) for color in COLORS},
            "asked": self._asked,
        }
