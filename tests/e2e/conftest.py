"""Fake engines as real processes, none of which outlives its test."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec
from tests.fakes.processes import wait_until

FAKE_ENGINE = Path(__file__).parent.parent / "fakes" / "fake_engine.py"
PATIENCE = 60.0  # seconds; only a failing test waits this long
SHORT = Adjudication(max_plies=6)  # for games whose moves do not matter
LONG = {"start_timeout_ms": 120_000, "stall_timeout_ms": 120_000}  # a slow machine is not the engine's fault


class Fakes:
    """Makes fake engines, and knows the process numbers of all that were started."""

    def __init__(self, directory: Path) -> None:
        self.pids_file = directory / "pids"

    def command(self, behaviour: str, *arguments: str) -> tuple[str, ...]:
        return (sys.executable, "-S", str(FAKE_ENGINE), behaviour, "--pids", str(self.pids_file), *arguments)

    def config(self, behaviour: str, *arguments: str, **fields: Any) -> EngineConfig:
        if "protocol" in fields:
            arguments += ("--protocol", fields["protocol"])
        if "coordinates" in fields:
            arguments += ("--coordinates", fields["coordinates"])
            fields["settings"] = (("coordinates", fields.pop("coordinates")),)
        return EngineConfig(**{"name": behaviour, "command": self.command(behaviour, *arguments), **LONG, **fields})

    def words(self, name: str, behaviour: str, *arguments: str) -> list[str]:
        return ["--engine", f"name={name}", f"cmd={shlex.join(self.command(behaviour, *arguments))}"]

    def game(self, black: EngineConfig, white: EngineConfig, **fields: Any) -> GameSpec:
        return GameSpec(**{"game": "othello", "opening": (), "black": black, "white": white, **fields})

    @property
    def pids(self) -> set[int]:
        return set(map(int, self.pids_file.read_text().split())) if self.pids_file.exists() else set()

    def living(self) -> set[int]:
        """Return what runs of the started processes, of their groups and of their sessions."""
        pids = self.pids
        return {pid for pid, group, session in processes() if {pid, group, session} & pids}

    def wait_until_gone(self) -> None:
        wait_until(lambda: not self.living())


def processes() -> Iterator[tuple[int, int, int]]:
    """Yield number, group and session of every process that is not a zombie."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if fields[0] not in "ZX":
                yield int(entry.name), int(fields[2]), int(fields[3])


@pytest.fixture
def fakes(tmp_path: Path) -> Iterator[Fakes]:
    made = Fakes(tmp_path)
    yield made
    made.wait_until_gone()
