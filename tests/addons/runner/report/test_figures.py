from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quietmove.addons.runner.report.figures import figure_files, write_figures
from quietmove.engine.common.origin import install_command
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.reporting.document import document
from tests.fakes.addons import needs_web
from tests.fakes.tournament_store import a_tournament, results_of, write_store

if TYPE_CHECKING:
    import pytest

NAMES = ("$x_{$", "long" * 60, "</text>")


def test_the_same_games_give_the_same_figures(tmp_path: Path) -> None:
    found = document(a_tournament("$t_{$", NAMES), results_of(NAMES, 8))
    written = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        write_figures(found, folder, "svg")
        written.append({path.name: path.read_text() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert set(written[0]) == {"elo.svg", "crosstable.svg", "margins.svg", "time.svg"}


def test_an_sprt_has_the_course_of_its_ratio(tmp_path: Path) -> None:
    sprt = replace(a_tournament("t", NAMES[:2], "sprt", elo1=20), settings=(("elo0", 0.0), ("elo1", 20.0)))
    found = document(sprt, results_of(NAMES, 8))
    assert set(figure_files(found, tmp_path, "png")) == {"elo", "crosstable", "llr", "margins", "time"}
    write_figures({**found, "meetings": []}, tmp_path, "png")
    assert (tmp_path / "llr.png").read_bytes().startswith(b"\x89PNG")


def test_before_the_first_game_there_are_no_margins(tmp_path: Path) -> None:
    write_figures(document(a_tournament("t", NAMES), []), tmp_path, "png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crosstable.png", "elo.png", "time.png"]


@needs_web
def test_the_command_writes_them_beside_the_page_and_over_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_store(tmp_path / "t.sqlite", a_tournament("t", "ab"), 2)
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "elo.svg").write_text("mine")
    arguments = ["report", "t.sqlite", "--figures", "f", "--figure-format", "svg"]
    assert run_command_line(arguments) == 2
    assert "f/elo.svg: already exists; use --force to overwrite it" in capsys.readouterr().err
    assert not (tmp_path / "t.html").exists()
    assert run_command_line([*arguments, "--force"]) == 0
    assert (tmp_path / "t.html").exists()
    assert "<svg" in (tmp_path / "f" / "elo.svg").read_text()


@needs_web
def test_without_matplotlib_it_is_one_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_store(tmp_path / "t.sqlite", a_tournament("t", "ab"), 2)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    assert run_command_line(["report", "t.sqlite", "--figures", "f"]) == 2
    said = f"error: --figures needs matplotlib: {install_command('plots')}\n"
    assert capsys.readouterr().err == said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.sqlite"]
