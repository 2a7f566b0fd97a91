"""Tuning with engines whose best value is known: how a tournament of them goes on, and real games."""

from __future__ import annotations

import random
import re
import shlex
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from quietmove.tournament.cli import run_command_line
from quietmove.tournament.comparing import questions
from quietmove.tournament.comparing.questions import Games, tuning
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats.spsa import Tuning
from quietmove.tournament.games import Result, ScheduledGame, game_spec
from tests.fakes.played_format import play_format

FAKE = Path(__file__).parents[2] / "fakes" / "fake_engine.py"
COMMAND = shlex.join((sys.executable, "-S", str(FAKE), "--optimum", "30"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(questions, "RANDOM_OPENINGS", 20)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield tmp_path
    for number, handler in handlers.items():
        signal.signal(number, handler)


def tournament(pairs: int = 30) -> Tournament:
    return tuning(["Known=10:0:50:3"], pairs, Games(COMMAND, "depth=1"), 0.3)


def result(made: Tournament, game: ScheduledGame) -> Result:
    """Return how a game between the two ends, by what the engine of the tests does."""
    spec = game_spec(made, game)
    black, white = (abs(int(dict(player.options)["Known"]) - 30) for player in (spec.black, spec.white))
    points = 0.5 if black == white else float(black < white)
    return Result(game.id, game.number, points, 0, "resign", None, "", "")


def played(made: Tournament, games: int) -> list[Result]:
    plan, results = Tuning(made), list[Result]()
    while len(results) < games and (ready := list(plan.next_games(results))):
        results += [result(made, game) for game in ready if game.number > len(results)][: games - len(results)]
    return results


def test_one_pair_follows_the_other_and_a_new_plan_goes_on_alike() -> None:
    made = tournament(8)
    results = played(made, 100)
    assert [each.number for each in results] == list(range(1, 17))
    kept = Tuning(made)
    for count in [*range(17), 3, 0, 12]:
        for plan in (kept, Tuning(made)):
            ready = list(plan.next_games(results[:count]))
            assert [game.number for game in ready] == ([count // 2 * 2 + 1, count // 2 * 2 + 2] if count < 16 else [])
            assert [game.options for game in ready] == [
                game.options for game in Tuning(made).next_games(results[:count])
            ]
    assert kept.planned([]) == 16
    first, second = (game_spec(made, game) for game in kept.next_games([]))
    assert first.opening == second.opening
    assert first.black == second.white
    assert first.white == second.black
    assert {first.black.options, first.white.options} == {(("Known", "6"),), (("Known", "14"),)}


def test_pairs_at_once_are_the_same_games_at_any_concurrency() -> None:
    made = tuning(["Known=10:0:50:3"], 60, Games(COMMAND, "depth=1"), 0.3, pairs_at_once=4)

    first = [game.options for game in Tuning(made).next_games([])]
    assert len(first) == 8

    def play(at_once: int) -> tuple[list[Result], dict[int, object]]:
        tried: dict[int, object] = {}

        def end(game: ScheduledGame) -> Result:
            tried[game.number] = game.options
            return result(made, game)

        return play_format(Tuning(made), end, at_once, random.Random(at_once)), tried

    results, tried = play(1)
    assert [tried[number] for number in range(1, 9)] == first
    for at_once in (2, 5, 50):
        assert play(at_once) == (results, tried)
    assert abs(int(Tuning(made).summary(results).facts["values"]["Known"]) - 30) <= 2


def test_the_end_says_the_values_and_how_to_check_them() -> None:
    made = tournament()
    summary = Tuning(made).summary(played(made, 60))
    assert summary.facts["pairs"] == 30
    assert abs(int(summary.facts["values"]["Known"]) - 30) <= 2
    assert summary.lines[0].split() == ["pairs", "Known"]
    assert summary.lines[1].split() == ["0", "10.0"]
    value = summary.facts["values"]["Known"]
    assert summary.lines[-2] == f"Known={value} after 30 of 30 pairs"
    assert summary.lines[-1] == (
        f"Is that better? quietmove-tournament compare Known={value} Known=10 --command {shlex.quote(COMMAND)} "
        "--game othello --depth 1"
    )
    assert len(Tuning(made).summary([]).lines) == 3  # nothing to compare yet


def test_two_different_engines_are_not_tuned() -> None:
    with pytest.raises(TournamentError, match="engine: must be there twice in format 'spsa'"):
        tuning(["Known=10:0:50"], 5, Games(COMMAND, overrides=("engine.up.margin_ms=5",)))
    with pytest.raises(TournamentError, match=r"Knwon: .*has no option 'Knwon'; did you mean Known?"):
        tuning(["Knwon=10:0:50"], 5, Games(COMMAND))
    with pytest.raises(TournamentError, match="tune: a: STEP must be"):
        tuning(["a=10:0:50:60"], 5, Games(COMMAND))


def test_bounds_that_the_engine_refuses_are_refused() -> None:
    def error(option: str, *overrides: str) -> str:
        with pytest.raises(TournamentError) as caught:
            tuning([option, "Exploration=70:0:1000"], 5, Games(overrides=overrides))
        return str(caught.value)

    assert error("Hash=16:1:99999999") == (
        "parameters: engine up: setoption: option Hash: must be a whole number from 0 to 65536, not '99999999'"
    )
    assert "not '-3'" in error("Hash=16:-3:64", "each.protocol=in-process")


def test_real_games_find_the_best_value_and_are_played_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["tune", "--option", "Known=20:0:50:3", "--games", "16", "--rate", "0.4", "--command", COMMAND]
    arguments += ["--depth", "1", "--concurrency", "2"]
    assert run_command_line(arguments) == 0
    end = capsys.readouterr().out.splitlines()
    found = re.fullmatch(r"Known=(\d+) after 8 of 8 pairs", end[-2])
    assert found
    assert abs(int(found[1]) - 30) <= 5
    with closing(sqlite3.connect(folder / "tune-Known.sqlite")) as store, store:
        store.execute("DELETE FROM game WHERE number > 9")
    assert run_command_line(arguments) == 0
    assert capsys.readouterr().out.splitlines() == end
