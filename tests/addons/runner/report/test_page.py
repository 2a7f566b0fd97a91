"""The page of a tournament in one file; tests/addons/web looks at it in a browser."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.runner.report.page import html_report, sentences
from quietmove.addons.web.replays import chosen
from quietmove.engine.common import VERSION
from quietmove.referee.config.model import EngineConfig
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.definition import Tournament
from quietmove.tournament.games import GameId, Result
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import a_tournament, results_of, write_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "t.sqlite"
    write_store(path, a_tournament("t", "abc"), 4)
    return path


def report_of(store: Store, most_games: int = 1000) -> str:
    return html_report(store, document(store.tournament, store.results(), store.times()), most_games)


def test_it_says_what_was_compared_and_how_to_play_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/bin/quietmove-tournament", "compare", "Hash=1", "<b>"])
    engine = EngineConfig("a", ("mine", "--fast"), options=(("Hash", "1"), ("Style", "<i>")))
    write_store(tmp_path / "t.sqlite", replace(a_tournament("t", "ab"), engines=(engine, EngineConfig("b", ("x",)))), 2)
    with Store.open_to_read(tmp_path / "t.sqlite") as opened:
        page = report_of(opened)
    _, _, compared = page.partition("Engines and settings")
    for text in (
        "<code>mine --fast</code>",
        "Hash=1, Style=&lt;i&gt;",
        "compare Hash=1 &#x27;&lt;b&gt;&#x27;",
        "processors",
    ):
        assert text in compared
    assert f"Quietmove {VERSION}" in compared


@pytest.mark.parametrize(
    ("key", "option", "shown"), [("project", None, "project"), ("project", "algebraic", "algebraic")]
)
def test_the_report_has_the_notation_of_the_tournament_or_of_its_option(
    tmp_path: Path, key: str, option: str | None, shown: str
) -> None:
    write_store(tmp_path / "t.sqlite", replace(a_tournament("t", "ab"), notation=key), 2)
    with Store.open_to_read(tmp_path / "t.sqlite") as opened:
        page = html_report(opened, document(opened.tournament, opened.results(), opened.times()), notation=option)
    assert f'"notation":"{shown}"' in page


def test_too_many_games_are_left_out_but_for_the_faults() -> None:
    def result(number: int, charged: str | None) -> Result:
        return Result(GameId(number, ("a", "b"), "black"), number, 1, 2, "finished", charged, "", str(number))

    results = [result(number, "a" if number in (5, 8) else None) for number in range(1, 10)]
    held = {most: [each.number for each in chosen(results, most)] for most in (1, 4, 100)}
    assert held == {1: [5], 4: [8, 5, 2, 1], 100: list(range(9, 0, -1))}


def said(tournament: Tournament, results: list[Result]) -> list[str]:
    return list(sentences(tournament, document(tournament, results)))


def test_the_first_sentences_are_the_question_and_the_answer() -> None:
    engines = tuple(EngineConfig(name, ("x",)) for name in "abc")
    three = Tournament("t", "othello", 1, ((),), engines, settings=(("rounds", 20),))
    won = [replace(each, points_black=float(each.id.color == "black")) for each in results_of("ab", 10)]
    asked, answer = said(three, won)
    assert asked.startswith("Which of 3 engines is best? othello, round-robin, 20 of 120 games, ")
    assert re.fullmatch(r"a leads with \+\d+ ± \d+ Elo against the average; c has not played yet\.", answer)
    _, answer = said(three, [*won, replace(won[0], id=GameId(1, ("b", "c"), "black"), number=100)])
    assert re.fullmatch(
        r"a leads with \+\d+ ± \d+ Elo against the average; it is .* % likely to be stronger than [bc], .*\.", answer
    )
    asked, answer = said(replace(three, engines=engines[:2]), won)
    assert asked.startswith("Is a or b stronger? ")
    assert answer.startswith("a is better than b: +infinite Elo")
    assert len(said(three, [])) == 1


def test_the_command_writes_a_file_once(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command_line(["report", str(store)]) == 0
    first = (tmp_path / "t.html").read_text()
    assert run_command_line(["report", str(store)]) == 2
    assert "error: t.html: already exists; use --force to overwrite it" in capsys.readouterr().err
    assert run_command_line(["report", str(store), "--force", "--games", "0"]) == 0
    assert len((tmp_path / "t.html").read_text()) < len(first)
    assert run_command_line(["report", str(store), "-o", "no/such/x.html"]) == 2
    assert "no/such/x.html" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["t.html"]


def test_a_game_that_is_not_here_leaves_the_boards_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.sqlite"
    write_store(path, a_tournament("t", "ab"), 2)
    with Store.open_to_read(path) as opened:
        opened.tournament = replace(opened.tournament, game="gone")
        text = report_of(opened)
    (found,) = re.findall(r'id="games-data">(.*?)</script>', text)
    data: dict[str, Any] = json.loads(found)
    assert (data["board"], data["games"]) == (None, [])
