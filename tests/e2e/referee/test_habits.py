"""Replies of other engines, a row each of the table in the protocols' page: a real process for each dialect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import quietmove
from quietmove.referee.config.model import EngineConfig
from tests.fakes.addons import needs_dialects, present_protocols

# An engine that writes a line before the handshake, ends lines with blanks and CR LF, and replies with its arguments.
ENGINE = r"""
printf 'Engine 1.0, by nobody\r\nid name early\r\n'
while read -r word rest; do
    case "$word" in
    uci | ugi) printf 'option name Ponder type check default false \r\n%sok \t\r\n' "$word" ;;
    isready) printf ' readyok\r\n' ;;
    ping) printf 'pong %s \r\n' "$rest" ;;
    go | genmove) printf '%b' "$1"; shift ;;
    known_command) printf '= false\r\n\r\n' ;;
    protocol_version | boardsize | clear_board | play) printf '= ok\r\n\r\n' ;;
    quit) exit ;;
    esac
done
"""
# A program whose command determines its colour, and that writes only its moves.
PROJECT = r"""for answer; do printf '%b' "$answer"; read -r _; done"""
JSON = r"""for answer; do read -r _; printf '%b' "$answer"; done"""

TO_PASS = "f5 f6 d3 g5 h5 h4 f7 h6"  # Black must pass now
PASSES = ("PASS", "0000", "--", "pa", "PA", "ps")
HABITS: dict[str, list[tuple[str, str, str]]] = {  # the reply, the moves before it, and the move it means
    "uci": [
        (r"bestmove F5\r\n", "", "f5"),
        (r" \tbestmove  6  4 \t\r\n", "", "f5"),
        (r"info depth\r\nthinking\r\nbestmove f5\n", "", "f5"),
        (r"bestmove f5 ponder a1\r\n", "", "f5"),
        (r"bestmove f5 ponder (none)\r\n", "", "f5"),
        *((rf"bestmove {each}\r\n", TO_PASS, "pass") for each in PASSES),
        (r"bestmove f5 (score 12)\r\n", "", "f5"),
        (r"bestmove 6 4 d6 ! depth 9\r\n", "", "f5"),
        (r"bestmove pass (no move)\r\n", TO_PASS, "pass"),
        (r"bestmove resign\r\n", "", "resign"),
        (r"bestmove RESIGN no hope is left\r\n", TO_PASS, "resign"),
    ],
    "gtp": [
        (r"=F5 \t\r\n\r\n", "", "f5"),
        (r"\r\n\r\n= f5\r\n\r\n", "", "f5"),
        *((rf"= {each}\r\n\r\n", TO_PASS, "pass") for each in PASSES),
        (r"= f5 +2.5 discs\r\n\r\n", "", "f5"),
        (r"= Resign\r\n\r\n", "", "resign"),
        (r"= resign no hope is left\r\n\r\n", TO_PASS, "resign"),
    ],
    "nboard": [
        (r"=== F5\r\n", "", "f5"),
        (r"status thinking\r\nsearch f5 (0,0) 0 1\r\n===  f5/1.50/0.2 \t\r\n", "", "f5"),
        (r"=== f5 -1.00 0.0\r\n", "", "f5"),
        *((rf"=== {each}//0.0\r\n", TO_PASS, "pass") for each in PASSES),
    ],
    "project": [
        (r"# Black\r\n\r\n 6\t4 \t\r\n", "", "f5"),
        (r"4  6\n", "f5 f6", "d3"),
        (r"8 4\r\n", "f5 f6 d3 g5", "h5"),
        (r"6 2\n", "f5 f6 d3 g5 h5 h4", "f7"),
        (r" Pass\r\n", TO_PASS, "pass"),
    ],
    "json": [
        (r'\r\n{"move": " F5 ", "why": "it is \\u2605"}\r\n', "", "f5"),
        (r'{"submission": 37, "thoughts": null}\n', "", "f5"),
        (r"37\n", "", "f5"),
        (r'{"response": {"x": 5, "y": 4}, "data": "kept"}\n', "", "f5"),
        *((rf'{{"move": "{each}"}}\n', TO_PASS, "pass") for each in PASSES),
        (r"64\n", TO_PASS, "pass"),
        (r'{"response": {"x": -1, "y": -1}}\n', TO_PASS, "pass"),
        (r'{"move": "Resign"}\n', "", "resign"),
    ],
}
HABITS["ugi"] = HABITS["uci"]
ILLEGAL = {
    "uci": [r"bestmove PASS\n", r"bestmove 0000\n", r"bestmove A1\n", r"bestmove is f5\n", r"bestmove\n"],
    "gtp": [r"= PASS\n\n", r"= --\n\n", r"= A1\n\n", r"= is f5\n\n", r"? resign\n\n", r"= nonsense\n\n"],
    "nboard": [r"=== PA\n", r"=== A1/1.0/0.1\n", r"===\n"],
    "json": [
        *(
            r'{"move": "a1"}\n',
            r'{"move": 37}\n',
            r'{"submission": 64}\n',
            r'{"submission": true}\n',
            r"-1\n",
            r"37.0\n",
        ),
        *(r'{"response": {"x": -1, "y": -1}}\n', r'{"response": {"x": 26, "y": 4}}\n', r'{"response": {"x": 5}}\n'),
        *(r"f5\n", r'["f5"]\n', r'{"move": "f5"\n', r"null\n", "[" * 5000 + r"\n", "9" * 5000 + r"\n"),
    ],
}


def player(protocol: str, answers: Iterable[str], **words: Any) -> EngineConfig:
    script, name = {"project": (PROJECT, "{color}"), "json": (JSON, "sh")}.get(protocol, (ENGINE, "sh"))
    words |= {"line": "none"} if protocol == "project" else {}
    command = ["sh", "-c", script, name, *answers]
    return quietmove.player(command, name="other", protocol=protocol, limit="depth=1", **words)


@pytest.mark.parametrize("protocol", present_protocols(*HABITS))
def test_an_answer_is_read_as_the_table_has_it(protocol: str) -> None:
    rows = HABITS[protocol]
    with quietmove.Engine(player(protocol, (answer for answer, _, _ in rows))) as process:
        for answer, moves, expected in rows:
            assert (answer, process.best_move(quietmove.Position(moves=moves)).move) == (answer, expected)


@pytest.mark.parametrize("protocol", present_protocols(*ILLEGAL))
def test_no_spelling_makes_a_move_legal(protocol: str) -> None:
    with quietmove.Engine(player(protocol, ILLEGAL[protocol])) as process:
        for _ in ILLEGAL[protocol]:
            with pytest.raises(quietmove.EngineError, match="answered"):
                process.best_move(quietmove.Position())


def test_a_judged_game_is_read_so_too() -> None:
    """The ponder moves are not legal, so nothing is thought about; the game is resigned with a reason."""
    black = player("uci", [r"bestmove F5 ponder A1\r\n", r"bestmove resign, no hope\r\n"], ponder=True)
    white = player("ugi", [r"bestmove D6\r\n"])
    record = quietmove.play_game(black, white, keep_dialogue=True)
    assert [move.move for move in record.moves] == ["f5", "d6"]
    assert (record.reason, record.loser) == ("resign", "black")
    assert not [line for line in record.dialogue if "go ponder" in str(line)]


@needs_dialects
def test_words_after_a_move_are_noted_once_a_game() -> None:
    """The note names the first of them; the engine keeps its board, which a GTP engine would be sent again."""
    black = player("uci", [r"bestmove F5 (score 12)\r\n", r"bestmove 3 6 (score 13)\r\n", r"bestmove resign\r\n"])
    white = player("gtp", [r"= d6 ?!\n\n", r"= f4 ?!\n\n"])
    record = quietmove.play_game(black, white, keep_dialogue=True)
    assert [move.move for move in record.moves] == ["f5", "d6", "c3", "f4"]
    assert record.black_stderr == "[the referee ignored the words after a move, such as '(score 12)']\n"
    assert record.white_stderr.count("such as '?!'") == 1
    assert sum("clear_board" in str(line) for line in record.dialogue) == 1
