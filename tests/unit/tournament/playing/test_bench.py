"""The bench of the coordinator: it plays and stores every game."""

from __future__ import annotations

import json

import pytest

from quietmove.tournament.cli import run_command_line
from quietmove.tournament.playing.bench_command import whole_game


@pytest.mark.parametrize("workers", ["1", "64"])
def test_every_game_is_counted(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["bench", "--games", "20", "--workers", workers, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["workers"]) == (20, int(workers))
    assert found["games_per_second"] > 0
    assert run_command_line(["bench", "--games", "2"]) == 0
    assert capsys.readouterr().out.startswith("2 games, 8 at once: ")


def test_the_game_is_a_whole_one() -> None:
    assert len(whole_game()) >= 50
