"""A class with a real server, and what its people ask."""

from __future__ import annotations

import csv
import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from quietmove.tournament.playing.snapshot import player_of
from tests.addons.hall.classes import make_class
from tests.fakes.processes import end_with_parent, wait_until

WAITING = ("received", "building", "checking")
COMMAND = (sys.executable, "-m", "quietmove.tournament", "class")
WAIT = 120.0


@dataclass
class HallServer:
    """:param keys: of each person, by name; the teacher is among them."""

    folder: Path
    keys: dict[str, str]
    process: subprocess.Popen[str] | None = None
    address: str = ""
    _clients: dict[str, httpx.Client] = field(default_factory=dict)

    def client(self, name: str = "") -> httpx.Client:
        """Return who asks with the key of a person, or without one."""
        if name not in self._clients:
            headers = {"Authorization": f"Bearer {self.keys[name]}"} if name else {}
            self._clients[name] = httpx.Client(base_url=self.address, headers=headers, timeout=WAIT)
        return self._clients[name]

    def start(self, *before: str, **variables: str) -> str:
        """Start the server, by a command before it, and return the line with its address."""
        self.process = subprocess.Popen(
            [*before, *COMMAND, "serve", str(self.folder), "--no-open"],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=end_with_parent,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self.process.stdout.read()
        self.address = found[0]
        return line

    def kill(self) -> None:
        """Kill the server, which has no time for anything."""
        assert self.process is not None
        self._close()
        self.process.kill()
        self.process.communicate()

    def stop(self) -> str:
        """End the server in order, and return what it has said."""
        assert self.process is not None
        self._close()
        self.process.send_signal(signal.SIGTERM)
        rest, _ = self.process.communicate(timeout=WAIT)
        assert "Traceback" not in rest, rest
        return rest

    def _close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients = {}

    def hand_in(self, name: str, program: str | bytes, file: str = "player.py", assignment: str = "") -> httpx.Response:
        """Hand a program in, by default for the current assignment."""
        data = program.encode() if isinstance(program, str) else program
        form = {"assignment": assignment} if assignment else {}
        return self.client(name).post("/api/entries", files={"file": (file, data)}, data=form)

    def decided(self, name: str, number: int) -> dict[str, Any]:
        """Return an entry when it is refused or has passed."""

        def is_decided() -> bool:
            return self.entry(name, number)["state"] not in WAITING

        wait_until(is_decided)
        return self.entry(name, number)

    def entry(self, name: str, number: int) -> dict[str, Any]:
        """Return what a person is told of an entry."""
        answer = self.client(name).get(f"/api/entries/{number}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def judged(self, name: str, program: str | bytes, file: str = "player.py", assignment: str = "") -> dict[str, Any]:
        """Hand a program in, and return its entry when it is decided."""
        answer = self.hand_in(name, program, file, assignment)
        assert answer.status_code == 202, answer.text
        return self.decided(name, answer.json()["entry"])


def new_hall(folder: Path, names: list[str], settings: str = "") -> HallServer:
    """Make a class with pseudonyms whose ladder is not played."""
    keys = make_class(folder, names, f"ladder = false\n{settings}", shown_by_name=False)
    return HallServer(folder, keys)


def keys_of(text: str) -> dict[str, str]:
    """Return the keys of a CSV text by name."""
    return {row["name"]: row["key"] for row in csv.DictReader(io.StringIO(text))}


@contextmanager
def served(hall: HallServer, *before: str, **variables: str) -> Iterator[HallServer]:
    """Serve a class while the block runs; then nobody plays any more."""
    hall.start(*before, **variables)
    try:
        yield hall
    except BaseException:
        hall.kill()
        raise
    else:
        hall.stop()
    finally:
        players = [player for store in hall.folder.glob("*.sqlite") if (player := player_of(store))]
        for player in players:
            player.signal(signal.SIGTERM)
        wait_until(lambda: not any(player.is_alive() for player in players))
