"""Every door reads moves and positions of Othello in every spelling.

A new door, a place where moves or positions come in, is a line of one of the tables; the doors of an add-on are in its
own tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from quietmove import Position
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError
from quietmove.engine.games.othello.game_files import read_game_file, replay
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.interactive import Interactive
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.protocol.uci import Uci
from quietmove.engine.tools.analysis.records import read_records
from quietmove.referee.config.model import split_opening
from quietmove.referee.config.openings import read_openings
from quietmove.referee.game.transcript import read_transcript
from tests.fakes.addons import needs_games
from tests.fakes.talk import Talk

OTHELLO = get_game("othello")
PLAYED = "f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3"
MOVES = [*re.findall("..", PLAYED), "pass", "g4"]  # White must pass before the last move


def position_after(moves: Sequence[str]) -> str:
    position = OTHELLO.initial()
    for move in moves:
        position.play(OTHELLO.parse_move(position, move))
    return OTHELLO.format_position(position)


END = position_after(MOVES)


# ---- moves, a word each


def passed_as(text: str) -> list[str]:
    return [text if move == "pass" else move for move in MOVES]


WORDS = {
    **{text: passed_as(text) for text in ("pass", "PASS", "--", "PS", "ps", "PA", "pa", "0000")},
    "left out": [move for move in MOVES if move != "pass"],
    "upper case": [move.upper() for move in MOVES],
}


def by_record(words: Sequence[str], folder: Path) -> str:
    path = folder / "games.jsonl"
    path.write_text(json.dumps({"spec": {"game": "othello"}, "moves": [{"move": word} for word in words]}))
    return after_file(path)


def after_file(path: Path) -> str:
    [game] = read_game_file(path)
    return position_after([OTHELLO.format_move(move) for _, move in replay(game)])


def by_reading_each(words: Sequence[str], _: Path) -> str:
    position = Position()
    for word in words:
        if position.legal_moves == ["pass"] and word == MOVES[-1]:
            position.push("pass")
        position.push(position.read(word))
    return position.fen


WORD_DOORS: dict[str, Callable[[Sequence[str], Path], str]] = {
    "a record": by_record,
    "Position.read": by_reading_each,
}


# ---- moves, in a text


def numbered(before: str, between: str, after: str = "") -> str:
    pairs = [MOVES[at : at + 2] for at in range(0, len(MOVES), 2)]
    return after.join(before.format(number) + between.join(pair) for number, pair in enumerate(pairs, 1))


def project(move: str) -> str:
    return move if move == "pass" else f"{'abcdefgh'.index(move[0]) + 1} {9 - int(move[1])}"


TEXTS = {
    **{name: " ".join(words) for name, words in WORDS.items()},
    "run together": "".join(MOVES),
    "run together, a pass left out": "".join(WORDS["left out"]),
    "run together, PA": "".join(passed_as("PA")),
    "run together, --": "".join(passed_as("--")),
    "passes in brackets": " ".join(passed_as("(Pass)")),
    "hyphens": "-".join(MOVES),
    "spaced hyphens": " - ".join(MOVES),
    "commas": ",".join(MOVES),
    "commas and blanks": ", ".join(MOVES),
    "numbered": numbered("{}. ", " ", " "),
    "numbered, over several lines": numbered("{}. ", "  ", "\n"),
    "numbered, run together": numbered("{}.", "", " "),
    "numbered with brackets": numbered("{}) ", ", ", "; "),
    "numbered without dots": numbered("{} ", " ", "\n"),
    "each move numbered": " ".join(f"{number}. {move}" for number, move in enumerate(MOVES, 1)),
    "project": " ".join(map(project, MOVES)),
    "project, numbered": " ".join(f"{number}. {project(move)}" for number, move in enumerate(MOVES, 1)),
    "both notations": " ".join(project(move) if index % 3 else move for index, move in enumerate(MOVES)),
    "a result": f"{PLAYED} pass g4 33-31",
}


def said(kind: type[Uci], *lines: str) -> str:
    """Return the position after lines of which the last is answered by no error.

    :raises GameError: if it is.
    """
    talk = Talk(kind)
    answer = talk.say(*(" ".join(line.split()) for line in lines))
    if any("error" in each for each in answer):
        raise GameError(answer[-1])
    return talk.position


def in_two_lines(text: str, _: Path) -> str:
    """Send a position as a client does in a game, and then again with the rest of its moves."""
    words = text.split()
    half = len(words) // 2
    while Talk(Uci).say(f"position startpos moves {' '.join(words[:half])}"):  # not between the two numbers of a square
        half -= 1
    return said(Uci, *(f"position startpos moves {' '.join(words[:count])}" for count in (half, len(words))))


def by_text_file(text: str, folder: Path) -> str:
    path = folder / "games.txt"
    path.write_text(" ".join(text.split()))
    return after_file(path)


def by_openings_file(text: str, folder: Path) -> str:
    path = folder / "openings.txt"
    path.write_text(" ".join(text.split()))
    [opening] = read_openings(path, "othello")
    return position_after(opening)


def reviewed(text: str) -> str:
    [record] = read_records(text, OTHELLO)
    return position_after([OTHELLO.format_move(move) for move in record.moves])


Door = Callable[[str, Path], str]
TEXT_DOORS: dict[str, Door] = {
    "position": lambda text, _: said(Uci, f"position startpos moves {text}"),
    "position, sent again with more moves": in_two_lines,
    "the prompt": lambda text, _: said(Interactive, text),
    "Position(moves=...)": lambda text, _: Position(moves=text).fen,
    "Position.push": lambda text, _: Position().push(text.split()).fen,
    "read_transcript": lambda text, _: read_transcript(text).position().fen,
    "analyze, typed": lambda text, _: reviewed(text),
    "a file of transcripts": by_text_file,
    "a file of openings": by_openings_file,
}


@pytest.mark.parametrize("door", WORD_DOORS)
@pytest.mark.parametrize("spelling", WORDS)
def test_a_move_is_read_in_every_spelling(spelling: str, door: str, tmp_path: Path) -> None:
    assert WORD_DOORS[door](WORDS[spelling], tmp_path) == END


WRONG_TEXTS = {
    PLAYED.replace("d7", "d9"): "move 18: 'd9' is not a move",
    PLAYED.replace("d7", "x"): "move 18: 'x' is not a move",
    f"{PLAYED} pass pass": "move 45\\W+pass",
    "f5d6c3,--": "move 4\\W.*(--|pass)",
    "1. f5 d6 2. c3 a1": "move 4\\W+a1",
    "6 4 4 3 1 1": "move 3\\W.*a8",
}


def check_moves(door: Door, folder: Path) -> None:
    """Check that a door reads moves in every spelling, and that its errors have the wrong move and its number."""
    for spelling, text in TEXTS.items():
        assert door(text, folder) == END, spelling
    for text, message in WRONG_TEXTS.items():
        with pytest.raises(QuietmoveError, match=message) as error:
            door(text, folder)
        assert "f5d6c3" not in str(error.value)


@pytest.mark.parametrize("door", TEXT_DOORS)
def test_moves_are_read_in_every_spelling(door: str, tmp_path: Path) -> None:
    check_moves(TEXT_DOORS[door], tmp_path)


@needs_games
def test_moves_of_other_games_are_not_taken_apart() -> None:
    game = get_game("nim 3,4,5")
    position = game.initial()
    assert [game.format_move(move) for move in play_moves(game, position, ["1. 1-1 2-2, 2. 3-1"])] == [
        "1-1",
        "2-2",
        "3-1",
    ]


# ---- positions

PLACED = position_after(["f5", "d6", "c3"])
SQUARES = PLACED.split()[0]
ROWS = re.findall(".{8}", SQUARES)
DRAWN = [f"{number} {' '.join(row)} {number}" for number, row in enumerate(ROWS, 1)]
LETTERS = "  A B C D E F G H"
BARS = [f"{number} |{'|'.join(row)}|" for number, row in enumerate(ROWS, 1)]
POSITIONS = {
    "as it is written": PLACED,
    "lower case": PLACED.lower(),
    "dots": PLACED.replace("-", "."),
    "* for Black": PLACED.replace("X", "*"),
    "0 for White": PLACED.replace("O", "0"),
    "w": f"{SQUARES} w",
    "White": f"{SQUARES} White",
    "OBF": f"{PLACED}; D3:+4; G5:-2; % a problem",
    "the size before it": f"8 {PLACED}",
    "GGF": f"8 {' '.join(ROWS).replace('X', '*')} O",
    "rows": "/".join(ROWS) + " o",
    "rows with numbers": "8/8/2X5/3XX3/3OXX2/3O4/8/8 o",
    "rows with 0": "/".join(ROWS).replace("O", "0") + " 0",
    "our drawing": OTHELLO.draw(OTHELLO.parse_position(PLACED.split())).rpartition(";")[0],
    "a drawing": "\n".join([LETTERS, *DRAWN, LETTERS, "O to move"]),
    "a drawing with * and 0": "\n".join([LETTERS, *DRAWN, "0"]).replace("X", "*").replace("O", "0"),
    "a drawing in lower case": "\n".join([LETTERS, *DRAWN, "o"]).lower(),
    "a drawing with bars": "\n".join([LETTERS, *BARS, "White to move"]),
    "discs": PLACED.replace("X", "●").replace("O", "○").replace("-", "·"),
    "emoji": f"{SQUARES} O".replace("X", "⚫\ufe0f").replace("O", "⚪\ufe0f"),
    "blank squares between bars": "\n".join([*BARS, "W"]).replace("X", "B").replace("O", "W").replace("-", " "),
    "digits": PLACED.replace("-", "0").replace("X", "1").replace("O", "2"),
    "digits and a letter": f"{SQUARES} W".replace("-", "0").replace("X", "1").replace("O", "2"),
    "the side after the squares": f"{SQUARES}O;",
    "rows run together": "\n".join([LETTERS, *(f"{number} {row}" for number, row in enumerate(ROWS, 1)), "O"]),
}


def by_openings(text: str, folder: Path) -> str:
    path = folder / "openings.obf"
    path.write_text(f"{PLACED}\n{text}\n")
    [opening] = read_openings(path, "othello")
    return split_opening(opening)[0]


POSITION_DOORS: dict[str, Door] = {
    "position fen": lambda text, _: said(Uci, f"position fen {text}"),
    "Position(fen=...)": lambda text, _: Position(fen=text).fen,
    "a file of openings": by_openings,
}


WRONG_POSITIONS = {
    "\n".join([LETTERS, *DRAWN]): "side to move: must be X or O, not ''",
    "\n".join([LETTERS, *DRAWN[:5], DRAWN[5].replace("O", "Q"), *DRAWN[6:], "O"]): r"must have 2 fields \(64 squares",
    "\n".join([LETTERS, *DRAWN[:7], "O"]): "squares: must be 64 characters from X, O and -, .*not 56",
    f"{PLACED} O": r"must have 2 fields \(64 squares and the side to move\), not 3",
    f"{SQUARES[1:]}Y O": "square h8: must be X, O or -, not 'Y'",
}


def check_positions(door: Door, folder: Path) -> None:
    """Check that a door reads a position in every spelling, and that one error tells what is wrong in another text."""
    for spelling, text in POSITIONS.items():
        assert door(text, folder) == PLACED, spelling
    for text, message in WRONG_POSITIONS.items():
        with pytest.raises(QuietmoveError, match=message):
            door(text, folder)


@pytest.mark.parametrize("door", POSITION_DOORS)
def test_a_position_is_read_in_every_spelling(door: str, tmp_path: Path) -> None:
    check_positions(POSITION_DOORS[door], tmp_path)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_every_drawn_position_is_read_again(size: int) -> None:
    game = get_game(f"othello {size}x{size}")
    position = game.initial()
    while moves := position.legal_moves():
        assert game.parse_position(game.draw(position).split()).key == position.key
        position.play(moves[0])
