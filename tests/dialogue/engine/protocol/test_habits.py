"""What other programs send to the engine is read as the strict spelling; moves are in tests/contract."""

from __future__ import annotations

import random

import pytest

from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.dialects import find_dialect
from tests.fakes.addons import present_protocols
from tests.fakes.talk import Talk

GAME = get_game("othello")
TO_PASS = ("f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6")  # Black must pass now
GGF = "set game (;GM[Othello]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 {board}]{moves};)"
START = "---------------------------O*------*O--------------------------- *"

UCI = [
    (" \tposition  startpos moves f5 \t\r", "position startpos moves f5"),
    ("position fen 8/8/8/3OX3/3XO3/8/8/8 w", f"position fen {'-' * 27}OX------XO{'-' * 27} O"),
    ("position startpos moves f5\ngo depth 1 movetime 60000.9 btime 60000.0", "position startpos moves f5"),
]
PLAY = "clear_board\n" + "\n".join(f"play {'bw'[index % 2]} {move}" for index, move in enumerate(TO_PASS))
HABITS: dict[str, list[tuple[str, str]]] = {
    "uci": UCI,
    "ugi": [*UCI, ("position startpos moves f5\ngo depth 1 p1time 9000.5 p2time 9000.5", "position startpos moves f5")],
    "gtp": [
        ("clear_board\nplay B F5 \t\r", "clear_board\nplay black f5"),
        ("clear_board\n\n# note\n\tplay\tBLACK f5 # opening\r", "clear_board\nplay black f5"),
        (f"{PLAY}\ntime_settings 60.5 0.5 1\ntime_left b 12.25 0", PLAY),
    ],
    "nboard": [
        (GGF.format(board=START, moves="B[f5//1.25]W[D6]") + " \r", GGF.format(board=START, moves="B[F5]W[D6]")),
        (f"{GGF.format(board=START, moves='')}\nmove f5 \r", GGF.format(board=START, moves="B[F5]")),
        (f"{GGF.format(board=START, moves='')}\nmove F5//0.2", GGF.format(board=START, moves="B[F5]")),
    ],
    "project": [
        ("game w 1 0.50 90.5 \r\n 6\t4 \t\r", "game W 1 0.5 90.5\n6 4"),
        ("\n# a comment\r\ngame W 1 0 0\n#\n\nF5", "game W 1 0 0\n6 4"),
    ],
}  # fmt: skip


def talk_in(name: str) -> Talk:
    return Talk(find_dialect(name).load())


def position_after(talk: Talk, text: str) -> str:
    """Return where the lines of ``text`` lead, none of which may be answered by an error."""
    said = talk.say(*text.split("\n"))
    assert not [line for line in said if "error" in line or line.startswith("?")]
    return talk.position


@pytest.mark.parametrize("name", present_protocols(*HABITS))
def test_it_is_read_as_the_strict_spelling(name: str) -> None:
    start = GAME.format_position(GAME.initial())
    talk = talk_in(name)
    for habit, strict in HABITS[name]:
        if name == "project":  # each of its conversations is one game
            talk = talk_in(name)
        reached = position_after(talk, habit)
        expected = position_after(talk_in(name) if name == "project" else talk, strict)
        assert (habit, reached) == (habit, expected)
        assert reached != start


@pytest.mark.parametrize("name", present_protocols("uci", "gtp", "nboard"))
@pytest.mark.parametrize("text", ["PASS", "0000", "D1"])
def test_no_spelling_makes_a_move_legal(name: str, text: str) -> None:
    talk = talk_in(name)
    line = {"uci": "position startpos moves {}", "gtp": "play b {}", "nboard": "move {}"}[name]
    assert len([said for said in talk.say(line.format(text)) if "is not legal here" in said]) == 1


# Lines that change nothing; some are not commands.
BROKEN = {
    "gtp": ["play b", "play w zz", "foo", "\x00", "7", "genmove x", "undo 3", "komi"],
    "nboard": ["move z9", "set depth -1", "nboard", "move", "hint x", "set", "\x00"],
    "ugi": ["position startpos moves a1", "query", "go p1time", "position", "setoption", "quix", "\x00 ugi2"],
}
NEW_GAME = {"gtp": "clear_board", "nboard": GGF.format(board=START, moves=""), "ugi": "position startpos"}


@pytest.mark.parametrize("name", present_protocols(*BROKEN))
def test_any_lines_leave_the_position_right(name: str) -> None:
    """Random lines, legal and broken, against a board that is kept beside them."""
    choices, talk = random.Random(name), talk_in(name)
    position, played = GAME.initial(), ""
    for _ in range(250):
        legal = position.legal_moves()
        if choices.random() < 0.3:
            talk.say(choices.choice(BROKEN[name]))
        elif legal:
            text, side = GAME.format_move(move := choices.choice(legal)), position.side_to_move
            played += f" {text}"
            lines = {
                "gtp": f"play {'bw'[side]} {text}",
                "nboard": f"move {text[:2].upper()}",
                "ugi": f"position startpos moves{played}",
            }
            talk.say(lines[name])
            position.play(move)
        else:
            talk.say(NEW_GAME[name])
            position, played = GAME.initial(), ""
        assert talk.position == GAME.format_position(position)
