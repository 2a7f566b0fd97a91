"""Is one better than the other, and which values are best: what is made of the question, and what is played."""

from __future__ import annotations

import json
import random
import re
import shlex
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import TimeControl
from quietmove.referee.config.openings import random_openings
from quietmove.referee.errors import SetupError
from quietmove.referee.game.transcript import MoveRecord
from quietmove.tournament import comparing
from quietmove.tournament.cli import run_command_line
from quietmove.tournament.comparing import Games, comparison, tuning
from quietmove.tournament.config.config import load_config
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.formats.spsa import Tuning
from quietmove.tournament.games import Result, ScheduledGame, game_spec
from quietmove.tournament.options import store_path
from quietmove.tournament.playing.backends import Threads
from quietmove.tournament.playing.commands import play
from quietmove.tournament.store.store import Store
from tests.fakes.addons import needs_games
from tests.fakes.played_format import play_format

FAKE = shlex.join((sys.executable, "-S", str(Path(__file__).parents[2] / "fakes" / "fake_engine.py")))
TUNED = f"{FAKE} --optimum 30"


@pytest.fixture(autouse=True)
def few_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "RANDOM_OPENINGS", 50)


def match(first: str, second: str, test: Any = None, file: Path | None = None, **games: Any) -> Tournament:
    return comparison(first, second, Games(**{"command": FAKE, **games}), test or {}, file)


def test_two_settings_of_one_engine() -> None:
    made = match("Known=full", "Known=mobility", test={"elo0": 1.0, "most_games": 50})
    assert made.names == ("Known=full", "Known=mobility")
    assert (made.name, made.format) == ("Known=full against Known=mobility", "sprt")
    assert [engine.options for engine in made.engines] == [(("Known", "full"),), (("Known", "mobility"),)]
    assert {engine.command for engine in made.engines} == {tuple(shlex.split(FAKE))}
    assert {engine.limit for engine in made.engines} == {TimeControl(nodes=10000)}
    assert len(set(made.openings)) == 50
    settings = dict(made.settings)
    assert (settings["elo0"], settings["elo1"], settings["alpha"], settings["most_games"]) == (1.0, 20.0, 0.05, 50)
    assert match("Known=full", "Known=mobility", test={"elo0": 1.0, "most_games": 50}) == made


def test_commands_and_defaults() -> None:
    made = match(f"{FAKE} sane", "", limit="depth=2", overrides=("each.margin_ms=7",))
    assert made.names == ("fake_engine.py", "default")
    assert match(f"{FAKE} sane", f"{FAKE} other").names == ("fake_engine.py sane", "fake_engine.py other")
    assert [engine.command[3:] for engine in made.engines] == [("sane",), ()]
    assert {(str(engine.limit), engine.margin_ms) for engine in made.engines} == {("depth=2", 7)}


def test_engines_of_one_program_have_a_visible_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "toad").symlink_to(sys.executable)
    fake = FAKE.partition(" ")[2]
    made = match(f"./a/toad {fake} 5", f"./a/toad {fake} 4")
    assert made.names == (f"toad {fake} 5", f"toad {fake} 4")
    assert store_path(made).name.startswith("toad-")
    made = match(f"./a/toad {fake}", f"./b/toad {fake}")  # only the paths differ
    assert made.names == (f"./a/toad {fake}", f"./b/toad {fake}")
    assert store_path(made).name.startswith("a-toad-")
    assert store_path(replace(made, name="...")).name == "tournament.sqlite"


CONFIG = f"""
name = "t"
rounds = 1
[defaults]
command = {json.dumps(FAKE)}
limit = "nodes=5"
[[engine]]
name = "full"
options = {{ Known = "f" }}
[[engine]]
name = "more"
[[engine]]
name = "none"
"""


@pytest.mark.parametrize(("text", "name"), [("Known=1", "Known=1"), ("", "default"), (FAKE, "fake_engine.py")])
def test_an_engine_against_itself_checks_for_bias(text: str, name: str, folder: Path) -> None:
    made = match(text, text)
    assert made.names in ((name, f"{name} (again)"), (FAKE, f"{FAKE} (again)"))
    assert "Both engines are the same" in plan_of(made).summary([]).lines[-1]
    assert "Both engines are the same" not in str(plan_of(match("Known=1", "Known=2")).summary([]).lines)
    (folder / "c.toml").write_text(CONFIG)
    assert match("full", "full", file=folder / "c.toml").names == ("full", "full (again)")


def test_two_engines_of_a_file(folder: Path) -> None:
    (folder / "l.txt").write_text("f5d6\n")
    (folder / "c.toml").write_text(CONFIG)
    fields = {"file": folder / "c.toml", "openings": str(folder / "l.txt"), "test": {"model": "logistic"}}
    made = match("none", "full", limit="depth=3", **fields)
    assert made.names == ("none", "full")
    assert (made.format, dict(made.settings)["model"], dict(made.settings)["elo1"]) == ("sprt", "logistic", 20.0)
    assert made.engines[1].options == (("Known", "f"),)
    assert str(made.engines[0].limit) == "depth=3"
    assert made.openings == (("f5", "d6"),)
    assert str(match("none", "full", **fields).engines[0].limit) == "nodes=5"


@pytest.mark.parametrize(
    ("first", "second", "test", "message"),
    [
        ("full", "fool", {}, r"compare: .*c.toml has no engine 'fool'; its engines are: full, more, none"),
        ("full", "none", {"elo0": 4000.0}, r"compare: elo0: must be less than or equal to 3000"),
    ],
)
def test_a_question_about_a_file_without_sense_is_refused(
    folder: Path, first: str, second: str, test: Any, message: str
) -> None:
    (folder / "c.toml").write_text(CONFIG)
    with pytest.raises(TournamentError, match=message):
        match(first, second, file=folder / "c.toml", test=test)


@pytest.mark.parametrize(
    ("first", "second", "fields", "message"),
    [
        ("Known=1", "gibberish", {}, "must be options (NAME=VALUE, separated by commas) or"),
        (
            "./first_engine.new",
            "./first_engine",
            {},
            "there is no program './first_engine.new', or it is not executable",
        ),
        ("Known=1", "no-such-engine --fast", {}, "there is no program 'no-such-engine', or it is not executable"),
        ("Known=1", "Knwon=1", {}, "engine.1.options.Knwon: .* did you mean Known?"),
        ("Known='", "", {}, "No closing quotation"),
        ("Known=1", "Known=2", {"test": {"elo0": 30.0}}, "elo0: must be less than elo1"),
        ("Known=1", "Known=2", {"limit": "tc=x"}, "defaults.limit: must be one of"),
    ],
)
def test_a_question_without_sense_is_refused(first: str, second: str, fields: Any, message: str) -> None:
    with pytest.raises(TournamentError, match=re.escape(message).replace(r"\.\*", ".*")):
        match(first, second, **fields)


def test_a_match_is_played_until_it_is_decided_and_on_after_a_loss(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compare", "Known=0", "Known=30", "--command", TUNED, "--depth", "1", "--elo1", "250"]
    arguments += ["--concurrency", "2", "--store", "t.sqlite"]
    assert run_command_line(arguments) == 0
    said = capsys.readouterr()
    sentence = said.out.splitlines()[-1]
    assert re.fullmatch(
        r"Known=0 against Known=30: -\S+ Elo \(95%: -\S+ to \S+\) after \d+ games; "
        r"Known=0 is (worse \(H0 accepted: )?not 250 normalized Elo better.*\.",
        sentence,
    )
    assert "games played in" in said.err
    with closing(sqlite3.connect("t.sqlite")) as store, store:
        store.execute("DELETE FROM game WHERE number IN (2, 5)")
    assert run_command_line(arguments) == 0
    assert capsys.readouterr().out.splitlines()[-1] == sentence
    with closing(sqlite3.connect("t.sqlite")) as store:
        assert store.execute("SELECT number FROM game WHERE number IN (2, 5)").fetchall() == [(2,), (5,)]
    for changed, difference in {
        "--seed=2": "seed is 1, not 2",
        "--elo1=90": "elo1 is 250.0, not 90.0",
        "--depth=3": "engine.0.limit.depth is 1, not 3",
    }.items():
        assert run_command_line([*arguments, changed]) == 2
        assert f"contains another match: its {difference}; continue it" in capsys.readouterr().err


def test_a_comparison_with_a_program_that_does_not_start_leaves_no_store(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["compare", "Known=1", f"{FAKE} crash-at-start", "--command", FAKE, "--depth", "1"]) == 1
    said = capsys.readouterr().err
    assert "error: engine: failed to start twice" in said
    assert "To continue" not in said
    assert not [*folder.glob("*.sqlite*")]


def test_a_store_that_was_made_for_no_game_is_removed_and_one_with_a_move_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engines = [("good", "sane"), ("bad", "crash-at-start")]
    lines = [f"[[engine]]\nname = '{name}'\ncommand = '{FAKE} {words}'" for name, words in engines]
    (folder / "c.toml").write_text("\n".join(["name = 't'", "rounds = 1", "[defaults]", "limit = 'depth=1'", *lines]))
    assert run_command_line(["run", "c.toml"]) == 1
    assert "To continue" not in capsys.readouterr().err
    assert not [*folder.glob("*.sqlite*")]
    with Store.create(folder / "t.sqlite", load_config(folder / "c.toml")) as store:
        store.keep(1, 1, MoveRecord("d3", "black"))
        assert play(store, Threads(1)) == 1
    said = capsys.readouterr().err
    assert re.search(r"Stopped after 0 of \d+ games and in the middle of 1\. To continue: .* resume \S+t\.sqlite", said)
    assert run_command_line(["resume", "t.sqlite"]) == 1
    assert "in the middle of 1. To continue" in capsys.readouterr().err
    assert (folder / "t.sqlite").exists()


def test_random_openings_are_new_and_nearly_level() -> None:
    game = get_game("othello")
    found = random_openings("othello", 200, 6, 1)
    assert found == random_openings("othello", 200, 6, 1) != random_openings("othello", 200, 6, 2)
    positions = [game.initial() for _ in range(400)]
    lots = random.Random(1)
    for number, position in enumerate(positions):
        for ply in range(6):
            legal = position.legal_moves()
            position.play(game.parse_move(position, found[number][ply]) if number < 200 else lots.choice(legal))
    assert {len(moves) for moves in found} == {6}
    assert len({game.canonical(position) for position in positions[:200]}) == 200
    values = [abs(position.static_value()) for position in positions]
    assert 0.3 < sum(value <= max(values[:200]) for value in values[200:]) / 200 < 0.7
    assert len(random_openings("tictactoe", 100, 0, 1)) == 3  # openings of one move: a corner, an edge, the middle


@needs_games
def test_there_are_no_random_openings_with_hidden_cards() -> None:
    with pytest.raises(SetupError, match="such as whist"):
        random_openings("whist", 5, 0, 1)


def test_the_end_says_the_values_and_how_to_check_them() -> None:
    made = tuning(["Known=10:0:50:3"], 30, Games(TUNED, "depth=1"), 0.3)

    def end(game: ScheduledGame) -> Result:
        """Return how a game between the two ends, by what the engine of the tests does."""
        spec = game_spec(made, game)
        black, white = (abs(int(dict(player.options)["Known"]) - 30) for player in (spec.black, spec.white))
        points = 0.5 if black == white else float(black < white)
        return Result(game.id, game.number, points, 0, "resign", None, "", "")

    summary = Tuning(made).summary(play_format(Tuning(made), end, 1, random.Random(1)))
    assert summary.facts["pairs"] == 30
    assert abs(int(summary.facts["values"]["Known"]) - 30) <= 2
    assert summary.lines[0].split() == ["pairs", "Known"]
    assert summary.lines[1].split() == ["0", "10.0"]
    value = summary.facts["values"]["Known"]
    assert summary.lines[-2] == f"Known={value} after 30 of 30 pairs"
    assert summary.lines[-1] == (
        f"Is that better? quietmove-tournament compare Known={value} Known=10 --command {shlex.quote(TUNED)} "
        "--game othello --depth 1"
    )
    assert len(Tuning(made).summary([]).lines) == 3  # nothing to compare yet


def test_two_different_engines_are_not_tuned() -> None:
    with pytest.raises(TournamentError, match="engine: must be given twice in format 'spsa'"):
        tuning(["Known=10:0:50"], 5, Games(TUNED, overrides=("engine.up.margin_ms=5",)))
    with pytest.raises(TournamentError, match=r"Knwon: .*has no option 'Knwon'; did you mean Known?"):
        tuning(["Knwon=10:0:50"], 5, Games(TUNED))
    with pytest.raises(TournamentError, match="tune: a: STEP must be"):
        tuning(["a=10:0:50:60"], 5, Games(TUNED))


def test_bounds_that_the_engine_refuses_are_refused() -> None:
    for bounds, value in (("1:99999999", "99999999"), ("-3:64", "-3")):
        with pytest.raises(TournamentError, match=f"^parameters: engine up: .*Hash: must be a .*, not '{value}'"):
            tuning([f"Hash=16:{bounds}", "Exploration=70:0:1000"], 5, Games(overrides=("each.protocol=in-process",)))


def test_real_games_tune_and_are_played_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["tune", "--option", "Known=20:0:50:3", "--games", "6", "--rate", "0.4", "--command", TUNED]
    arguments += ["--depth", "1", "--concurrency", "2"]
    assert run_command_line(arguments) == 0
    end = capsys.readouterr().out.splitlines()
    found = re.fullmatch(r"Known=(\d+) after 3 of 3 pairs", end[-2])
    assert found
    assert int(found[1]) > 20, "nearer to 30, the best value"
    with closing(sqlite3.connect(folder / "tune-Known.sqlite")) as store, store:
        store.execute("DELETE FROM game WHERE number > 3")
    assert run_command_line(arguments) == 0
    assert capsys.readouterr().out.splitlines() == end
