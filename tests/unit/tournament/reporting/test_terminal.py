from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import pytest
from rich.console import Console

from quietmove.referee.config.model import COLORS, EngineConfig
from quietmove.tournament.games import GameId, Result
from quietmove.tournament.reporting.document import document
from quietmove.tournament.reporting.terminal import duel, next_steps, print_report, table
from tests.fakes.addons import is_deleted
from tests.fakes.tournament_store import results_of
from tests.unit.tournament.reporting.test_document import NAMES, RESULTS, TOURNAMENT


def results(*, forfeit: bool = False) -> list[Result]:
    return [*RESULTS[:2], replace(RESULTS[2], forfeited_by=NAMES[2] if forfeit else None)]


def of(names: Sequence[str], found: Sequence[Result], rounds: int = 1) -> dict[str, Any]:
    engines = tuple(EngineConfig(name, ("x",)) for name in names)
    return document(replace(TOURNAMENT, engines=engines, settings=(("rounds", rounds),)), found)


def printed(found: dict[str, Any], *, width: int = 80, colors: Literal["standard"] | None = None) -> str:
    """Return what is printed on a terminal of this width; a plain file is one of 1000 columns."""
    terminal = width < 1000
    out = Console(file=StringIO(), width=width, force_terminal=terminal, highlight=False, color_system=colors)
    print_report(out, found)
    assert isinstance(out.file, StringIO)
    return out.file.getvalue()


def report(width: int, *, forfeit: bool = False, many: int = 0) -> str:
    names = [f"a name of some length {number}" for number in range(many)]
    return printed(of(names, []) if many else of(NAMES, results(forfeit=forfeit)), width=width)


def test_the_plain_report_says_it_all() -> None:
    text = report(1000)
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["three", "[x]:", "3", "of", "6", "games,", "seed", "5"]
    assert lines[2] == ["Engine", "Games", "Points", "%", "W-D-L", "Elo", "±95%", "LOS", "Margin", "±SE"]
    assert lines[3][:6] == ["1", "alpha", "2", "1.5", "75.0", "1-1-0"]
    assert lines[3][-1] == "+6.0"  # a single pair of games has no error
    assert lines[4][:5] == ["2", "[b]eta[/b]", "3", "1.5", "50.0"]
    assert lines[5][:5] == ["3", "gamma", "1", "0", "0.0"]
    assert ["2", "[b]eta[/b]", "0.5", "-", "1"] in lines
    assert "Forfeits" not in text
    with_forfeits = report(1000, forfeit=True).splitlines()
    assert (with_forfeits[2].split()[-1], with_forfeits[5].split()[-1]) == ("Forfeits", "1")
    assert "\x1b" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_colors_tell_what_is_beyond_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    won = [
        replace(each, points_black=float(each.id.color == "black" or each.number > 40)) for each in results_of("ab", 40)
    ]
    for off, colored in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", off)
        text = printed(of("ab", won), colors="standard")
        assert ("\x1b[31m" in text) == colored  # red: worse than average
        assert ("\x1b[1;32m" in text) == colored  # green: better than average; bold: first
        assert not re.search(r"\x1b\[[\d;]*3\d", text) or colored


@pytest.mark.parametrize(
    ("played", "seconds", "said"),
    [(0, 3, "no game was missing"), (1, 62, "1 game played in 1:02"), (9, 3723, "9 games played in 1:02:03")],
)
def test_the_end_names_the_store_and_the_duration(played: int, seconds: float, said: str) -> None:
    head, *commands = next_steps(Path("my games.sqlite"), "othello", played, seconds)
    assert head == f"{said}; all games are in my games.sqlite. What next:"
    assert commands[0].startswith("  quietmove-tournament standings 'my games.sqlite' ")
    has_report = not is_deleted("addons/runner")
    assert [word.split()[1] for word in commands] == ["standings", *["report"] * has_report, "games", "games"]
    others = next_steps(Path("x.sqlite"), "connect", played, seconds)
    assert len(others) == len(commands)  # the JSON export is for othello only


def test_a_crosstable_too_wide_for_the_terminal_says_so() -> None:
    text = report(60, many=30)
    assert "The crosstable of 30 engines is omitted" in " ".join(text.split())
    assert text.count(" Engine ") == 1  # of the standings alone
    assert report(1000, many=30).count(" Engine ") == 2
    assert "The crosstable of 101 engines is omitted" in report(1000, many=101)


@pytest.mark.parametrize(("width", "absent"), [(80, ()), (60, ("±SE",)), (40, ("±SE", "%", "Margin"))])
def test_a_narrow_terminal_goes_without_what_is_less_needed(width: int, absent: tuple[str, ...]) -> None:
    out = Console(width=width, force_terminal=True)
    made = table(of(("one engine", "two"), results_of(("one engine", "two"), 1000)), out=out)
    titles = [str(column.header) for column in made.columns]
    assert [title for title in ("±SE", "%", "Margin", "LOS") if title not in titles] == list(absent)
    assert {"Engine", "Points", "Elo", "±95%"} < set(titles)
    assert out.measure(made).minimum <= width


def test_repeated_games_are_counted_and_explained() -> None:
    found = [replace(each, moves=each.id.color) for each in results_of("ab", 5)]
    text = printed(of("ab", found, rounds=6))
    assert text.startswith("three [x]: 10 of 12 games, 2 of them distinct, seed 5\n")
    lines = [line.split() for line in text.splitlines()]
    assert lines[2][-3:] == ["Margin", "±SE", "Distinct"]
    assert [line[-1] for line in lines if line[1:2] in (["a"], ["b"]) and len(line) > 6] == ["2", "2"]
    assert "use the distinct games only" in " ".join(text.split())
    assert "istinct" not in report(1000)


def test_two_engines_are_compared_without_the_field() -> None:
    points, names = (1, 0, 1, 1, 0.5, 0.5), ("a", "b")
    found = [
        Result(GameId(n // 2 + 1, names, COLORS[n % 2]), n + 1, value, 4 * n, "finished", None, "", str(n))
        for n, value in enumerate(points)
    ]
    text = printed(of(names, found), width=200)
    one_line = " ".join(text.split())
    assert "against b: +120 Elo (95%: -70 to +459); normalized Elo +174 ± 278; likelihood of superiority " in one_line
    assert "pairs 0-0-2-0-1 with 0, 1/2, 1, 3/2 and 2 points; margin -2.00 ± 0.00 (standard error) in" in one_line
    assert max(map(len, text.splitlines())) <= 100
    won = of(names, [replace(each, points_black=float(each.id.color == "black")) for each in found])
    assert duel(won)[0].startswith("a against b: +infinite Elo (95%: ")
    assert "; normalized Elo unknown, because all results are equal; " in duel(won)[0]
    assert duel(of(names, [])) == duel(of(NAMES, [])) == []


def test_what_rounds_to_nothing_is_not_negative() -> None:
    found = of(NAMES, results())
    found["standings"] = [{**found["standings"][0], "elo": -0.3, "distinct_margin": {"mean": -0.02, "error": 1.0}}]
    out = Console(file=StringIO(), width=100)
    out.print(table(found, plain=True))
    assert isinstance(out.file, StringIO)
    shown = out.file.getvalue()
    assert shown.split()[-4:] == ["280", "78%", "0.0", "1.0"]
    assert " -0" not in shown
