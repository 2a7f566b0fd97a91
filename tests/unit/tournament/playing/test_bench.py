"""The bench of the coordinator: it plays and stores every game."""

from __future__ import annotations

import json

import pytest

from quietmove.tournament.cli import run_command_line


@pytest.mark.parametrize("workers", ["1", "64"])
def test_every_game_is_counted(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["bench", "--games", "20", "--workers", workers]) == 0
    assert capsys.readouterr().out.startswith(f"20 games, {workers} at once: ")
    assert run_command_line(["bench", "--games", "20", "--workers", workers, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["workers"]) == (20, int(workers))
    assert found.keys() == {"games", "workers", "games_per_second", "cpu_ms_per_game", "memory_mb"}
