"""What a person at a terminal can say beyond the protocol, in this process."""

from __future__ import annotations

import pytest

from quietmove.engine.protocol.interactive import Interactive
from quietmove.engine.protocol.uci import Uci
from tests.fakes.talk import Talk


class Person(Talk):
    """The protocol as a person at a terminal has it, or a program at a pipe."""

    def __init__(self, interactive: bool = True) -> None:
        super().__init__(Interactive if interactive else Uci)

    def say(self, *lines: str) -> list[str]:
        """Return what answers the last line."""
        return [super(Person, self).say(line) for line in lines][-1] if lines else []


@pytest.fixture
def person() -> Person:
    return Person()


def squares_after(*lines: str) -> str:
    person = Person(interactive=False)
    person.say(*lines)
    return person.position


@pytest.mark.parametrize("typed", ["f5 4 3 c3", "F5d6c3", "6 4 4 3 3 6"])
def test_moves_alone_are_made_and_the_board_is_drawn(person: Person, typed: str) -> None:
    said = person.say(typed)
    assert said[0].split() == list("abcdefgh")
    assert said[-1] == f"  position fen {person.position}"
    assert person.position == squares_after("position startpos moves f5 d6 c3")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("a1", "move 1: 'a1' is not legal here; legal: d3 c4 f5 e6"),
        ("f5 f5", "move 2: 'f5' is not legal here"),
        ("f5 x9", "move 2: 'x9' is not a move"),
        ("xyzzy", "no command 'xyzzy'; 'help' lists the commands"),
        ("f9", "'f9' is not a square of this board"),
        ("z1 d3", "'z1' is not a square of this board"),
        ("plya", "no command 'plya'; did you mean 'play'?"),
        ("play", "play: this position has not been searched; use 'go' first"),
        ("play f5", "play: takes no arguments, got 'f5'"),
    ],
)
def test_what_is_neither_a_move_nor_a_command_changes_nothing(person: Person, typed: str, message: str) -> None:
    before = person.position
    [said] = person.say(typed)
    assert said.startswith(f"info string error: {message}")
    assert person.position == before


def test_play_makes_the_answer_of_the_last_go(person: Person) -> None:
    answer = person.say("f5", "go depth 2")[-1].split()[1:2]
    said = person.say("play")
    assert person.position == squares_after(f"position startpos moves f5 {' '.join(answer)}")
    assert said[-1].endswith(person.position)
    assert "this position has not been searched" in person.say("play")[0]
    assert person.say("undo")[-1] == f"  position fen {squares_after('position startpos moves f5')}"
    person.say("go depth 1", "undo", "d3")
    assert "this position has not been searched" in person.say("play")[0]
    person.say("go depth 1", "position startpos moves d3")
    assert "this position has not been searched" in person.say("play")[0]


def test_nothing_is_played_while_a_search_runs(person: Person) -> None:
    assert person.say("go infinite")[0] == "info string note: enter 'stop' to end this search"
    for line in ("f5", "play"):
        person.dialect.handle(line)
    refused = [line for line in person.said if line.endswith("a search is running; 'stop' ends it")]
    person.say("stop")
    assert len(refused) == 2  # the search's reports may come in between
    assert not [line for line in person.say("go depth 2") if "note" in line]


def test_a_program_sees_none_of_it() -> None:
    program = Person(interactive=False)
    assert program.say("f5") == []
    assert program.say("play") == []
    assert program.position == squares_after()
    assert not [line for line in program.say("help") if line.startswith("  play")]
    assert [line for line in Person().say("help") if line.startswith("  play")]


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("setopt", ["setoption"]),
        ("pl", ["play"]),
        ("f", ["f5"]),
        ("f5 ", ["f5 d6", "f5 f4", "f5 f6"]),
        ("setoption ", ["setoption name"]),
        ("setoption name has", ["setoption name Hash"]),
        ("setoption name Hash ", ["setoption name Hash value"]),
        ("setoption name ordering value k", ["setoption name ordering value killer"]),
        ("setoption name Quiescence value ", [f"setoption name Quiescence value {word}" for word in ("true", "false")]),
        ("setoption name Evaluation value c", ["setoption name Evaluation value classic"]),
        ("setoption name EvalFile value ", ["setoption name EvalFile value default"]),
        ("setoption name Hash value ", []),
        ("position ", ["position startpos", "position fen"]),
        ("position startpos m", ["position startpos moves"]),
        ("position startpos moves f5 d", ["position startpos moves f5 d6"]),
        ("go de", ["go depth"]),
        ("go searchmoves d", ["go searchmoves depth", "go searchmoves d3"]),
        ("xyzzy ", []),
    ],
)
def test_a_line_is_completed(person: Person, typed: str, lines: list[str]) -> None:
    assert person.dialect.complete(typed) == lines


def test_a_command_comes_before_a_move_of_the_same_name(person: Person) -> None:
    person.say("setoption name Game value connect")
    assert person.say("d")[-1].endswith(f"{'-' * 16} X")
    assert person.say("D")[-1].endswith(f"{'-' * 15}X O")
    assert person.say("4")[-1].endswith(f"{'-' * 11}O---X X")


def test_the_key_is_that_of_the_position_however_it_was_reached(person: Person) -> None:
    (start,) = person.say("key")
    assert start == f"  {person.dialect.session.position.key:016x}"
    (there,) = person.say("f5 d6 c3 d3 c4", "key")
    assert person.say("ucinewgame", "c4 d3 c3", "key") != [there]
    assert person.say("ucinewgame", "key") == [start]
    assert person.say("undo", "f5", "undo", "key") == [start]
    pipe = Person(interactive=False)
    assert pipe.say("position startpos moves f5 d6 c3 d3 c4", "key") == [there]
    assert pipe.say("position startpos moves c4 c3 d3", "key") != [there]


def test_the_prompt_writes_moves_as_the_board_names_its_squares(person: Person) -> None:
    """No line of the help is longer than a terminal is wide."""
    assert person.say("go depth 1")[-1] == "bestmove d3"
    assert person.say("help")
    assert max(map(len, person.said)) <= 80
