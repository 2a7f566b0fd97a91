"""Times scaled to the speed of this machine: the measurement, the stored factor, and a run that continues with it."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from quietmove.engine.tools import bench
from quietmove.referee.config.model import TimeControl
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.store.store import Store

FAKE = shlex.join((sys.executable, "-S", str(Path(__file__).parents[2] / "fakes" / "fake_engine.py")))
NOTE = re.compile(r"searches ([\d,]+) nodes a second, the reference machine ([\d,]+); .* are multiplied by ([\d.]+)")


@pytest.fixture(autouse=True)
def short_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.run, "__defaults__", (5, None, bench.POSITIONS))


def compare(*arguments: str, status: int = 0) -> None:
    words = ["compare", "Known=a", "Known=b", "--command", FAKE, "--store", "s.sqlite", *arguments]
    assert run_command_line([*words, "--most-games", "2"]) == status


def test_times_are_scaled_and_a_continued_run_keeps_the_factor(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--movetime", "100", "--scale", "bench", "--set", "reference_speed=20000000")
    compare(*options)
    note = NOTE.search(capsys.readouterr().err)
    assert note is not None
    speed, reference = (int(each.replace(",", "")) for each in note.groups()[:2])
    factor = float(note[3])
    assert reference == 20_000_000
    assert factor == pytest.approx(reference / speed, abs=0.006)
    with Store.open_to_read(folder / "s.sqlite") as store:
        assert store.tournament.time_scale == factor
        assert {engine.limit for engine in store.tournament.engines} == {TimeControl(movetime_ms=round(100 * factor))}
        assert {store.game(number)[1].spec.black.limit.movetime_ms for number in (1, 2)} == {round(100 * factor)}
    compare(*options)
    assert "no game was missing" in (again := capsys.readouterr().err)
    assert not NOTE.search(again)


def test_a_run_is_scaled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = "".join(f'[[engine]]\nname = "{name}"\ncommand = {FAKE!r}\n' for name in "ab")
    (folder / "c.toml").write_text(f'name = "c"\nrounds = 1\n[defaults]\nlimit = "tc=1+0"\n{tables}')
    assert run_command_line(["run", "c.toml", "--scale", "bench", "--set", "reference_speed=20000000"]) == 0
    note = NOTE.search(capsys.readouterr().err)
    assert note is not None
    with Store.open_to_read(folder / "c.sqlite") as store:
        assert store.tournament.engines[0].limit.base_ms == round(1000 * float(note[3]))


def test_limits_without_times_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare("--nodes", "5", "--scale", "bench", status=2)
    expected = "error: --scale: needs a time limit (movetime or tc), not nodes=5\n"
    assert capsys.readouterr().err == expected
    assert not (folder / "s.sqlite").exists()
