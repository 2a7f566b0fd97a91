"""The protocol of NBoard, without its process."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from quietmove.addons.dialects.nboard import NBoard
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol import runner
from quietmove.engine.protocol.dialects import find_dialect
from tests.fakes.games import play_at_random
from tests.fakes.talk import Talk

Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]
GAME = get_game("othello")
START = "---------------------------O*------*O--------------------------- *"
WIPEOUT = ["E6", "F4", "E3", "F6", "G5", "D6", "E7", "F5", "C5"]


def ggf(*moves: str, start: str = START) -> str:
    played = "".join(f"{'BW'[index % 2]}[{move}]" for index, move in enumerate(moves))
    return f"(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 {start}]{played};)"


def after(*moves: str) -> str:
    position = GAME.initial()
    for move in moves:
        position.play(GAME.parse_move(position, move.lower()))
    return GAME.format_position(position)


def test_what_is_unknown_is_skipped(pipes: Pipes) -> None:
    source, sink, written = pipes(
        "foo\nset fog 3\n\nset contempt 5\n\x00\n" + "x" * (1 << 20) + "y\nping 1\nquit\nping 2\n"
    )
    assert runner.run(find_dialect("nboard"), source=source, sink=sink) == 0
    assert written() == "pong 1\n"


def test_go_answers_and_leaves_the_board() -> None:
    talk = Talk(NBoard)
    said = talk.say(f"set game {ggf('F5', 'D6')}", "set depth 3", "go")
    assert talk.position == after("f5", "d6")
    assert said[0] == "status Quietmove is thinking"
    assert [line.split()[4] for line in said if line.startswith("search ")] == ["1", "2", "3"]
    assert re.fullmatch(r"search [a-h][1-8]([a-h][1-8]){2} -?\d+\.\d\d 0 3", said[3])
    assert re.fullmatch(r"nodestats \d+ \d+\.\d\d", said[4])
    assert re.fullmatch(r"=== [a-h][1-8]/-?\d+\.\d\d/\d+\.\d\d", said[5])
    assert said[6:] == ["status"]


def test_go_after_a_hint_reports_one_line_for_each_depth() -> None:
    said = Talk(NBoard).say("set depth 3", "hint 3", "go")
    thinking = said[said.index("status Quietmove is thinking") :]
    assert [line.split()[4] for line in thinking if line.startswith("search ")] == ["1", "2", "3"]


def test_hint_reports_the_best_moves() -> None:
    said = Talk(NBoard).say("set depth 2", "hint 3")
    assert [line.split()[4] for line in said if line.startswith("search ")] == ["1"] * 3 + ["2"] * 3
    assert not [line for line in said if line.startswith("===")]


def test_a_little_before_the_end_it_is_told_who_wins() -> None:
    position = GAME.initial()
    play_at_random(position, random.Random(4), 47)
    start = f"{GAME.format_position(position)[:64].replace('X', '*')} {'*O'[position.side_to_move]}"
    talk = Talk(NBoard)
    exact = talk.say(f"set game {ggf(start=start)}", "set depth 8", "hint 20", "go")
    values = {line.split()[1][:2]: float(line.split()[2]) for line in exact if line.endswith(" 0 100%")}
    assert len(values) == len(position.legal_moves())
    end = position.moves_left()
    for depth, told in ((end - 8, "100%"), (end - 9, "100%W"), (end - 10, "100%W"), (end - 11, str(end - 11))):
        said = [line.split() for line in talk.say(f"set depth {depth}", "go") if line.startswith("search ")]
        assert said[-1][4] == told
    said = talk.say(f"set depth {end - 9}", "hint 20")
    proved = {words[1][:2]: float(words[2]) for words in map(str.split, said) if words[-1] == "100%W"}
    assert proved == {move: 2.0 * ((value > 0) - (value < 0)) for move, value in values.items()}
    analysed = float(talk.say("analyze")[-2].removeprefix("analysis 0 "))
    assert analysed not in (-2.0, 0.0, 2.0)
    assert talk.say(f"set depth {end - 8}", "analyze")[-2] == f"analysis 0 {max(values.values()):.2f}"


def test_a_pass_is_pa() -> None:
    talk = Talk(NBoard)
    said = talk.say(f"set game {ggf('F5', 'F6', 'D3', 'G5', 'H5', 'H4', 'F7', 'H6')}", "set depth 1", "go", "move PA")
    assert next(line for line in said if line.startswith("===")).startswith("=== PA/")
    assert talk.dialect.session.position.side_to_move == 1


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("set depth 0", "set: depth: must be a whole number from 1 to 256, not '0'"),
        ("move", "move: must be followed by a move"),
    ],
)
def test_what_is_not_allowed_is_told_in_the_status_and_changes_nothing(line: str, error: str) -> None:
    talk = Talk(NBoard)
    assert talk.say(line) == [f"status error: {error}"]
    assert talk.position == after()


@pytest.mark.parametrize("kind", ["", "TY[0]", "TY[]", "TY[8]", "TY[s8r18]", "TY[4]"])
def test_the_size_of_a_game_is_that_of_its_board(kind: str) -> None:
    talk = Talk(NBoard)
    assert talk.say(f"set game {ggf('F5', 'D6').replace('TY[8]', kind)}") == []
    assert talk.position == after("f5", "d6")


@pytest.mark.parametrize(
    ("game", "error"),
    [
        ("", "it contains no GGF games"),
        (ggf("F5", "F5"), "line 1: move 2, f5, is not legal"),
        (ggf() + ggf(), "game: expected one game of Othello with its usual rules, got 2"),
        (ggf().replace("TY[8]", "TY[8a]"), "game: expected one game of Othello with its usual rules, got 0"),
        (ggf(start="---- -O*- -*O- ---- *").replace("BO[8", "BO[4"), "game: expected one game of .*, got 0"),
        (ggf().replace("BO[8 ", "BO[8 -"), "line 1: squares: must be 64 characters from X, O and -, .*"),
    ],
)
def test_after_a_refused_game_there_is_no_position_to_answer_for(game: str, error: str) -> None:
    """The program shows a game that this engine does not know: any answer would be for another position."""
    talk = Talk(NBoard)
    (said,) = talk.say(f"set game {game}")
    assert re.fullmatch(f"status error: set: {error}", said)
    for line in ("go", "hint 1", "analyze", "move d6"):
        word = line.partition(" ")[0]
        refusal = f"status error: {word}: there is no position: the last 'set game' failed"
        assert talk.say(line, "set depth 2") == [refusal]
    assert talk.say("ping 2", f"set game {ggf('F5', 'D6')}", "move c3") == ["pong 2"]
    assert talk.position == after("f5", "d6", "c3")


def test_the_game_is_analysed_from_its_end() -> None:
    talk = Talk(NBoard)
    said = talk.say(f"set game {ggf(*WIPEOUT)}", "set depth 2", "analyze")
    assert [line.split()[1] for line in said if line.startswith("analysis ")] == [
        str(number) for number in range(9, -1, -1)
    ]
    assert said[1] == "analysis 9 -64.00"  # White is to move, and has lost everything
    assert said[-1] == "status"
    assert talk.position == after(*WIPEOUT)
    assert talk.say("go") == ["status the game is over"]


def test_a_line_ends_an_analysis() -> None:
    talk = Talk(NBoard)
    talk.say(f"set game {ggf('F5', 'D6')}", "set depth 4")
    talk.dialect.handle("analyze")
    talk.say("ping 3")
    assert talk.said[-1] == "pong 3"
    assert talk.position == after("f5", "d6")


@pytest.mark.parametrize(
    ("dialect", "asked"),
    [
        ("nboard", f"set game {ggf('F5')}\nset depth 60\ngo\nping 1\nquit\n"),
        ("uci", "position startpos moves f5\ngo infinite\nstop\nposition startpos\nquit\n"),
        ("uci", "position startpos moves f5\ngo nodes 1\nquit\n"),
    ],
)
def test_a_search_that_is_ended_at_once_has_looked_at_each_move(pipes: Pipes, dialect: str, asked: str) -> None:
    """The generator lists f4 first, which loses seven discs."""
    source, sink, written = pipes(asked)
    assert runner.run(find_dialect(dialect), source=source, sink=sink) == 0
    (answer,) = re.findall(r"^(?:===|bestmove) ([^/\n]+)", written(), re.MULTILINE)
    assert answer in ("d6", "4 3")
