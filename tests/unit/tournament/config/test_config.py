"""The configuration: what it makes of a file, and every mistake in its own line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from quietmove.engine.search.ordering import ORDERINGS
from quietmove.referee.config.model import Adjudication, TimeControl
from quietmove.referee.config.openings import BUILT_IN, read_openings
from quietmove.referee.config.validation import adapter
from quietmove.tournament.config.config import load_config
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import ConfigFileError
from quietmove.tournament.formats import FORMATS, plan_of
from quietmove.tournament.games import game_spec
from tests.fakes.addons import needs_games

FAKE = Path(__file__).parents[3] / "fakes" / "fake_engine.py"
ENGINE = f'command = ["{sys.executable}", "-S", "{FAKE}"]'
TWO_ENGINES = f"""
[defaults]
{ENGINE}
limit = "nodes=10"
[[engine]]
name = "a"
[[engine]]
name = "b"
"""


def write(folder: Path, text: str, name: str = "t.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def problems(folder: Path, text: str) -> list[str]:
    """Return the problems of a configuration, without the folder's name."""
    with pytest.raises(ConfigFileError) as caught:
        load_config(write(folder, text))
    assert str(caught.value) == "\n".join(caught.value.problems)
    return [problem.removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_the_built_in_default_asks_for_the_best_ordering_and_for_quiescence() -> None:
    tournament = load_config(overrides=("each.protocol=in-process",))  # which checks the options without processes
    options = {engine.name: dict(engine.options) for engine in tournament.engines}
    assert {engine.command for engine in tournament.engines} == {("quietmove",)}
    assert {each["Ordering"] for each in options.values()} <= set(ORDERINGS)
    assert options["full+q"] == {**options["full"], "Quiescence": "on"}
    pairs = {game.id.pair for game in plan_of(tournament).next_games([])}
    assert pairs == {("full", name) for name in options if name != "full"}
    assert len(tournament.openings) >= dict(tournament.settings)["rounds"]  # so that no game is played twice
    assert tournament.engines[0].limit.nodes is not None  # a node limit gives the same games on every machine


def test_the_least_configuration(tmp_path: Path) -> None:
    tournament = load_config(write(tmp_path, 'name = "least"\nrounds = 2\n' + TWO_ENGINES))
    assert (tournament.name, tournament.game, tournament.seed) == ("least", "othello", 1)
    assert (tournament.format, tournament.settings) == ("round-robin", (("rounds", 2), ("cycle", "double")))
    assert tournament.names == ("a", "b")
    assert sorted(tournament.openings) == sorted(read_openings(Path(BUILT_IN), "othello"))
    assert plan_of(tournament).planned([]) == 4


def test_an_engine_overrides_the_defaults_key_by_key(tmp_path: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    text = f"""
name = "t"
rounds = 1
openings = "openings/list.txt"
concurrency = 3
keep_dialogue = true
[defaults]
{ENGINE}
limit = "tc=10+0.1"
margin_ms = 7
memory = 500
env = {{ A = "1", B = "2" }}
options = {{ Known = true }}
[[engine]]
name = "a"
[[engine]]
name = "b"
limit = "depth=3"
cwd = "openings"
cpus = [{cpu}]
env = {{ B = "3" }}
command = "'{sys.executable}' -S '{FAKE}' sane --seed {{seed}}"
options = {{ Known = 5 }}
"""
    (tmp_path / "openings").mkdir()
    write(tmp_path / "openings", "f5d6 # tiger\nf5 f6\n", "list.txt")
    tournament = load_config(write(tmp_path, text), seed=99)
    a, b = tournament.engines
    assert (a.limit, a.margin_ms, a.options) == (TimeControl.parse("tc=10+0.1"), 7, (("Known", "true"),))
    assert (b.limit, b.margin_ms, b.options) == (TimeControl.parse("depth=3"), 7, (("Known", "5"),))
    assert (b.cwd, b.cpus, b.memory, dict(b.env)) == (str(tmp_path / "openings"), (cpu,), 500, {"A": "1", "B": "3"})
    assert (a.cwd, a.cpus, a.memory, dict(a.env)) == ("", (), 500, {"A": "1", "B": "2"})
    assert b.command == (sys.executable, "-S", str(FAKE), "sane", "--seed", "{seed}")
    assert tournament.openings == (("f5", "d6"), ("f5", "f6"))
    assert (tournament.seed, tournament.concurrency, tournament.keep_dialogue) == (99, 3, True)


def test_a_program_with_a_relative_path_is_beside_the_configuration(tmp_path: Path) -> None:
    program = write(tmp_path, f"#!/bin/sh\nexec {sys.executable} -S {FAKE}\n", "engine.sh")
    program.chmod(0o755)
    text = TWO_ENGINES.replace(ENGINE, 'command = ["./engine.sh", "./x"]')
    tournament = load_config(write(tmp_path, 'name = "t"\nrounds = 1\n' + text))
    assert tournament.engines[0].command == (str(program), "./x")


def test_every_mistake_is_listed_at_once_with_its_line(tmp_path: Path) -> None:
    text = f"""
nam = "x"
rounds = "three"
seed = 1.5
openings = 3
concurrency = 0

[defaults]
{ENGINE}
options = {{ Knwon = 4 }}

[[engine]]
name = "a"
limit = "nodes=x"

[[engine]]
name = "a"
limit = "depth=1"
command = "no-such-program --x"

[[engine]]
comand = 3
protocol = "uc"
options = {{ Known = 1.5 }}

[[engine]]
name = "b"

[[engine]]
name = "c"
limit = "depth=1"
options.Hush = 3

[[engine]]
name = "d"
protocol = "project"
limit = "nodes=5"
"""
    found = problems(tmp_path, text)
    expected = [
        ("t.toml:1: name: ", "must be given"),
        ("t.toml:2: nam: ", "did you mean name?"),
        ("t.toml:3: rounds: ", "not 'three'"),
        ("t.toml:4: seed: ", "valid integer"),
        ("t.toml:5: openings: ", "not 3"),
        ("t.toml:6: concurrency: ", "greater than or equal to 1"),
        ("t.toml:10: defaults.options.Knwon: ", "did you mean Known?"),
        ("t.toml:10: defaults.options: ", "must not be given with protocol=project"),
        ("t.toml:14: engine.0.limit: ", "'nodes=x'"),
        ("t.toml:17: engine.1.name: ", "engine.0"),
        ("t.toml:19: engine.1.command: ", "no program 'no-such-program'"),
        ("t.toml:21: engine.2.limit: ", "must be given"),
        ("t.toml:21: engine.2.name: ", "must be given"),
        ("t.toml:22: engine.2.comand: ", "did you mean command?"),
        ("t.toml:23: engine.2.protocol: ", "not 'uc'; did you mean uci?"),
        ("t.toml:24: engine.2.options.Known: ", "not 1.5"),
        ("t.toml:26: engine.3.limit: ", "must be given"),
        ("t.toml:32: engine.4.options.Hush: ", "no option 'Hush'"),
        ("t.toml:37: engine.5.limit: ", "not nodes=5"),
    ]
    for line, (start, words) in zip(found, expected, strict=True):
        assert line.startswith(start)
        assert words in line


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('name = "x\n', "t.toml: must be TOML: Illegal character '\\n' (at line 1, column 10)"),
        ("", "t.toml:1: engine: must be given"),
        ("engine = 3", "t.toml:1: engine: must be an array of tables, not 3"),
        ("engine = [3, 4]", "t.toml:1: engine.0: must be a table, not 3"),
        ("\n[[engine]]\nname = 'a'", "t.toml:2: engine: must be given at least twice, not 1 times"),
        ("\ndefaults = 3", "t.toml:2: defaults: must be a table, not 3"),
        ("format = 'round robin'", f"t.toml:1: format: must be one of {', '.join(FORMATS)}"),
        ("format = []", f"t.toml:1: format: must be one of {', '.join(FORMATS)}"),
        ("format = 'ladder'", f"t.toml:1: format: must be one of {', '.join(FORMATS)}"),
        ("rounds = 0", "t.toml:1: rounds: must be greater than or equal to 1, not 0"),
        ("format = 'knockout'\nrounds = 3", "t.toml:2: rounds: applies only to format gauntlet or neighbours or "),
        ("format = 'x'\nround = 0", "t.toml:2: round: must be one of the keys name, "),
        ("openings = 't.toml'", "t.toml:1: openings: FOLDER/t.toml:1: move 1: 'openings' is not a move"),
        (
            "[defaults]\ncommand = 'a \"b'\n[[engine]]",
            "t.toml:2: defaults.command: must be a program and its arguments",
        ),
        ("[defaults]\noptions = 3\n[[engine]]", "t.toml:2: defaults.options: must be a table, not 3"),
    ],
)
def test_single_mistakes(tmp_path: Path, text: str, problem: str) -> None:
    found = problems(tmp_path, text)
    assert any(line.replace(str(tmp_path), "FOLDER").startswith(problem) for line in found), found


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigFileError, match=r"nothing.toml: cannot be read: No such file"):
        load_config(tmp_path / "nothing.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'a = 1\nname = "\xe9"\n')
    with pytest.raises(ConfigFileError, match=r"/dev/zero: cannot be read: must be a regular file"):
        load_config(Path("/dev/zero"))
    with pytest.raises(ConfigFileError, match=r"latin.toml:2: must be UTF-8"):
        load_config(path)


def test_another_game_begins_at_its_initial_position(tmp_path: Path) -> None:
    """Its parameters belong to its name; the built-in openings are moves of another game."""
    game = "connect 4x3x3"
    engines = "".join(f"[[engine]]\nname = {each!r}\nprotocol = 'in-process'\nlimit = 'depth=1'\n" for each in "ab")
    tournament = load_config(write(tmp_path, f"name = 't'\nrounds = 1\ngame = {game!r}\n{engines}"))
    assert tournament.game == game
    assert tournament.openings == ((),)
    assert plan_of(tournament).planned([]) == 2


def test_the_project_s_protocol_needs_the_initial_position(tmp_path: Path) -> None:
    text = 'name = "t"\nrounds = 1\n' + TWO_ENGINES.replace("nodes=10", "depth=3") + 'protocol = "project"\n'
    (problem,) = problems(tmp_path, text)
    assert problem.startswith("t.toml:9: engine.1: opening: must be empty with protocol=project, not ")
    assert problem.endswith("; it needs openings = false")
    tournament = load_config(write(tmp_path, "openings = false\n" + text + 'unit = "ms"\n'))
    assert tournament.openings == ((),)
    assert dict(tournament.engines[1].settings)["unit"] == "ms"


def test_an_engine_that_does_not_come_up_is_no_mistake_of_the_configuration(tmp_path: Path) -> None:
    text = TWO_ENGINES.replace('fake_engine.py"]', 'fake_engine.py", "crash-at-start"]').replace(
        'name = "b"', 'name = "b"\noptions = { Any = 1 }'
    )
    assert len(load_config(write(tmp_path, 'name = "t"\nrounds = 1\n' + text)).engines) == 2


def test_openings_of_games_and_positions_in_their_order(tmp_path: Path) -> None:
    place = "-OOO-X---OOOOX--OOOOOXO-OOXXOXX-OOOXXXXXOXXOXX--XXXXXX----XXX--- O"
    write(tmp_path, f"{place};\n" + "---------------------------OX------XO--------------------------- X\n", "l.obf")
    text = 'name = "t"\nrounds = 3\nopenings = "l.obf"\nopenings_order = "sequential"\n' + TWO_ENGINES
    tournament = load_config(write(tmp_path, text))
    assert tournament.openings == ((place,), ())
    assert adapter(Tournament).validate_json(tournament.to_json(), strict=True) == tournament
    games = list(plan_of(tournament).next_games([]))
    assert [game.opening for game in games] == [(place,), (place,), (), (), (place,), (place,)]
    lines = ["f5d6", "f5f4", "f5f6", "f5d6c3", "f5d6c4", "f5d6c5"]
    write(tmp_path, "\n".join(lines), "six.txt")
    text = text.replace("rounds = 3", "rounds = 6").replace("l.obf", "six.txt")
    in_a_row = plan_of(load_config(write(tmp_path, text))).next_games([])
    assert ["".join(game.opening) for game in in_a_row][::2] == lines


def test_adjudication_is_read_and_checked_for_the_game(tmp_path: Path) -> None:
    text = 'name = "t"\nrounds = 1\nsolve_empties = 12\nresign_score = 8\n' + TWO_ENGINES
    tournament = load_config(write(tmp_path, text))
    assert tournament.adjudication == Adjudication(solve_empties=12, resign_score=8)
    assert game_spec(tournament, next(iter(plan_of(tournament).next_games([])))).adjudication == tournament.adjudication
    assert adapter(Tournament).validate_json(tournament.to_json(), strict=True) == tournament
    assert problems(tmp_path, text.replace("= 12", "= 99")) == [
        "t.toml:3: solve_empties: must be less than or equal to 30, not 99"
    ]


@pytest.mark.parametrize("lines", ["f5d6\nf5d6c3d3c4", "f5d6c3d3c4\nf5d6"])
def test_the_most_plies_exceed_the_longest_opening(tmp_path: Path, lines: str) -> None:
    write(tmp_path, lines, "two.txt")
    text = 'name = "t"\nrounds = 2\nopenings = "two.txt"\nmax_plies = 5\n' + TWO_ENGINES
    assert problems(tmp_path, text) == [
        "t.toml:4: max_plies: must be more than the 5 plies of an opening, not 5",
    ]
    assert load_config(write(tmp_path, text.replace("= 5", "= 6"))).adjudication.max_plies == 6


@needs_games
def test_a_game_with_hidden_cards_is_not_solved(tmp_path: Path) -> None:
    text = 'name = "t"\ngame = "whist"\nrounds = 1\nsolve_empties = 12\n' + TWO_ENGINES
    assert "t.toml:4: solve_empties: must be 0 in a game with chance or hidden cards, such as whist" in problems(
        tmp_path, text
    )


def test_what_the_command_line_sets_is_checked_like_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, 'name = "t"\nrounds = 1\n' + TWO_ENGINES)
    tournament = load_config(path, overrides=("rounds=3", "each.limit=depth=2", "engine.b.options.Known=7"))
    assert dict(tournament.settings)["rounds"] == 3
    assert {str(engine.limit) for engine in tournament.engines} == {"depth=2"}
    assert [engine.options for engine in tournament.engines] == [(), (("Known", "7"),)]
    with pytest.raises(ConfigFileError) as caught:
        load_config(path, overrides=("each.limit=tc=x", "rouns=3", "engine.b.options.Knwon=7", "solve_empties=-1"))
    problems = [problem.partition(": ") for problem in caught.value.problems]
    assert [problem[0] for problem in problems] == [
        "--set each.limit=tc=x",  # for both engines
        "--set engine.b.options.Knwon=7",
        "--set rouns=3",
        "--set solve_empties=-1",
    ]
    assert "did you mean Known?" in problems[1][2]


def test_random_openings_instead_of_a_file(tmp_path: Path) -> None:
    text = 'name = "t"\nrounds = 1\nopenings_random = 20\nopenings_plies = 5\n' + TWO_ENGINES
    tournament = load_config(write(tmp_path, text))
    assert {len(opening) for opening in tournament.openings} == {5}
    assert len(set(tournament.openings)) == 20
    assert load_config(tmp_path / "t.toml", seed=2).openings != tournament.openings
    assert problems(tmp_path, "openings = false\n" + text) == [
        "t.toml:4: openings_random: cannot be combined with openings"
    ]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ('openings="a\\u0000"', "openings=.*: must be the name of a file"),
        ("openings=~no-such-user/x", "~no-such-user/x: No such file"),
        ('each.command="~no-such-user/x"', "there is no program '.*~no-such-user/x'"),
        ('each.command=["a\\u0000"]', "there is no program"),
        ('game="a\\u0000"', "must be one of "),
        ("seed=1e400", "must be a valid integer, not inf"),
        ("resign_score=nan", "must be .*, not nan"),
        ("concurrency=10001", "less than or equal to 10000, not 10001"),
        ("each.limit=3", "limit=3: must be one of tc="),
        ("engine=[]", "must be given at least twice, not 0 times"),
    ],
)
def test_no_value_is_too_strange_for_an_error_of_its_own(tmp_path: Path, setting: str, message: str) -> None:
    path = write(tmp_path, 'name = "t"\nrounds = 1\n' + TWO_ENGINES)
    with pytest.raises(ConfigFileError, match=message):
        load_config(path, overrides=(setting,))
