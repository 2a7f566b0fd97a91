"""The command line in this process; what needs processes, terminals and signals is in tests/e2e."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from quietmove.referee.config.validation import Setting
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.formats import FORMATS
from quietmove.tournament.formats.round_robin import RoundRobin
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.store.store import Store
from tests.fakes.addons import command_is_deleted
from tests.fakes.tournament_store import LITTLE

CONFIG = """
name = "two/of-us"
rounds = 1
concurrency = 2
[defaults]
protocol = "in-process"
limit = "nodes=10"
[[engine]]
name = "a"
[[engine]]
name = "b"
"""


@pytest.fixture(autouse=True)
def config(folder: Path) -> None:
    (folder / "c.toml").write_text(CONFIG)


def call(*arguments: str) -> int:
    return run_command_line(list(arguments))


def test_an_empty_name_of_a_file_is_one_error(capsys: pytest.CaptureFixture[str]) -> None:
    """As a script has it whose variable is not set."""
    assert (call("run", "c.toml"), capsys.readouterr().err.count("error: ")) == (0, 0)
    assert call("standings", "") == 2
    assert capsys.readouterr().err == "error: store: . is not a tournament store\n"
    assert call("export", "two-of-us.sqlite", "--format", "wthor", "-o", "") == 2
    assert "error: --format: must be " in capsys.readouterr().err


def test_run_standings_games_and_resume(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    assert call("run", "c.toml") == 0
    captured = capsys.readouterr()
    assert (folder / "two-of-us.sqlite").exists()
    assert "two/of-us: 2 of 2 games, seed 1" in captured.out
    assert sum(line.startswith("game ") for line in captured.err.splitlines()) == 2
    lines = 3 if command_is_deleted("quietmove-tournament", "report") else 4
    end = r"2 games played in \d:\d\d; all games are in two-of-us\.sqlite\. What next:\n(  quietmove-tournament .*\n)"
    assert re.search(f"^{end}{{{lines}}}\\Z", captured.err, re.MULTILINE)
    assert call("standings", "two-of-us.sqlite") == 0
    assert capsys.readouterr().out == captured.out
    assert call("standings", "two-of-us.sqlite", "--json") == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2
    assert call("games", "two-of-us.sqlite") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert call("games", "two-of-us.sqlite", "1") == 0
    assert "Verdict  finished" in capsys.readouterr().out
    assert call("games", "two-of-us.sqlite", "--json", "2") == 0
    assert json.loads(capsys.readouterr().out)["spec"]["black"]["name"] == "b"
    assert call("games", "two-of-us.sqlite", "3") == 2
    assert "contains no game 3" in capsys.readouterr().err
    assert call("resume", "two-of-us.sqlite", "--force-concurrency") == 0
    out, err = capsys.readouterr()
    assert out == captured.out
    assert err.startswith("no game was missing; all games are in two-of-us.sqlite. What next:\n")
    assert call("run", "c.toml") == 2
    assert capsys.readouterr().err == (
        "error: store: two-of-us.sqlite exists; continue it with 'resume two-of-us.sqlite', or use another --store\n"
    )


def test_engines_are_looked_for_before_a_tournament_goes_on(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    Store.create(folder / "x.sqlite", LITTLE).close()
    assert call("resume", "x.sqlite") == 2
    assert "error: engine a: there is no program" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [("run", "-engine", "cmd=a"), ("-sprt", "elo0=0"), ("compare", "a", "b", "-each", "tc=1")]
)
def test_options_of_other_runners_get_the_words_to_use(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 2
    assert "two dashes: quietmove-referee match --engine cmd=./a" in capsys.readouterr().err


def test_the_help_of_run_fits_on_two_screens(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "--help") == 0
    assert len(capsys.readouterr().out.splitlines()) <= 48
    assert call("schema", "--text") == 0
    assert "  elo1 " in capsys.readouterr().out


def test_a_configuration_may_not_be_nested_without_end(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "c.toml").write_text("a = " + "[" * 100_000)
    assert call("run", "c.toml") == 2
    assert capsys.readouterr().err == "error: c.toml: must be TOML: nested more than 100 levels deep\n"


def test_more_rounds_than_openings_are_noted_and_repeats_counted(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "c.toml").write_text("openings = false\n" + CONFIG.replace("rounds = 1", "rounds = 2"))
    assert call("run", "c.toml") == 0
    captured = capsys.readouterr()
    assert "note: two engines may meet 2 times over 1 opening: " in captured.err
    assert "two/of-us: 4 of 4 games, 2 of them distinct, seed 1\n" in captured.out


class FirstToLead(RoundRobin):
    """A match that ends as soon as one of two engines leads by enough points."""

    settings = (*RoundRobin.settings, Setting("lead", 2.0, "points that end the match", least=0.5))

    def next_games(self, results: Sequence[Result]) -> Iterable[ScheduledGame]:
        points = sum(result.points_first() for result in results)
        return () if abs(2 * points - len(results)) >= self.values["lead"] else super().next_games(results)


def test_a_format_that_is_registered_from_outside_is_played_with_its_settings(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = CONFIG.replace("rounds = 1", 'format = "first-to-lead"\nrounds = 20\nlead = 0.5')
    (folder / "c.toml").write_text(text.replace("concurrency = 2", "concurrency = 1"))
    assert call("run", "c.toml") == 2
    assert "not 'first-to-lead'" in capsys.readouterr().err
    monkeypatch.setitem(FORMATS, "first-to-lead", FirstToLead)
    assert call("run", "c.toml") == 0
    assert 0 < sum(line.startswith("game ") for line in capsys.readouterr().err.splitlines()) < 40
    assert call("resume", "two-of-us.sqlite") == 0
    assert capsys.readouterr().err.startswith("no game was missing; ")


@pytest.mark.parametrize("words", [("run", "a\nb.toml"), ("standings", "a\nb"), ("run", "a\u2028b.toml")])
def test_a_path_with_a_line_end_is_one_error(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(list(words)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
