r"""SGF, the Smart Game Format, with games of Othello: ``GM[2]`` (FF[4], https://www.red-bean.com/sgf/).

A game is a tree of nodes, ``(;GM[2]PB[ann]PW[bob];B[f5];W[d6](;B[c3])(;B[c4]))``. The main line is the first child of
each node; variations and comments are dropped and counted. Properties that are read and written:

- ``PB`` and ``PW`` the players, ``EV`` the event (or ``PC``, the place, if there is no event), ``DT`` the date;
- ``RE`` the result: ``B+12``, ``W+4``, ``0`` or ``Draw``; ``B+R`` by resignation, ``B+T`` on time, ``?`` unknown;
- ``AB``, ``AW`` and ``PL`` the discs and the side to move of a non-standard initial position;
- ``B`` and ``W`` the moves. The standard does not specify how Othello squares are written, so both ``f5`` and two
  letters as in Go (``fe``, column and row) are read; ``f5`` is written. ``B[]``, ``B[tt]`` and ``B[pass]`` are passes.

In a value, ``\`` escapes the next character. The older versions FF[1] to FF[3] allow small letters in names, which are
ignored: ``GaMe`` is ``GM``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.errors import GameFileError, NotationError, PositionError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import HELD_FIELDS, INITIAL, VARIATIONS, Losses, PlayedGame
from quietmove.engine.games.othello.game_files.text_lines import decode, open_text
from quietmove.engine.games.othello.notation import format_square, parse_board, parse_square

OTHELLO = "2"
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)((?:\s*\[(?:\\.|[^\]\\])*\])+))", re.DOTALL)
LOWER = re.compile("[a-z]+")
VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
QUOTED = re.compile(r"\\(\r?\n|.)", re.DOTALL)
LETTERS = re.compile(r"[a-h][a-h]")
RESULT = re.compile(r"([BW])\+(?:(\d{1,2}(?:\.\d+)?)|(R|T|F)\w*)?", re.IGNORECASE)
PASSES = ("", "tt", "pass", "--")
ENDINGS = {"R": "resign", "T": "timeout", "F": "abandoned"}
FLAGS = {ending: flag for flag, ending in ENDINGS.items()}
DRAWS = ("0", "draw", "jigo")
LARGEST = 64
MAX_BYTES = 100_000_000
Node = dict[str, list[str]]


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of Othello in an SGF file.

    :raises GameFileError: if it is not an SGF game tree, has no game of Othello, or a move or a result cannot be read.
    """
    with open_text(path) as file:
        text = decode(file.read(MAX_BYTES)).lstrip("\ufeff")
    count = 0

    def read_tree(place: str, nodes: list[Node], variations: bool) -> PlayedGame | None:
        nonlocal count
        if nodes[0].get("GM", ["1"])[0].strip() != OTHELLO or nodes[0].get("SZ", ["8"])[0].strip() not in ("8", "8:8"):
            losses.left_out["another game or board size"] += 1
            return None
        count += 1
        if variations or any("C" in node for node in nodes):
            losses.not_kept[VARIATIONS] += 1
        return read_game(place, nodes)

    yield from losses.read_each(partial(read_tree, *tree) for tree in main_lines(text))
    if not count:
        raise GameFileError("it contains no Othello games (GM[2])")


def main_lines(text: str) -> Iterator[tuple[str, list[Node], bool]]:
    """Yield each game's location (such as ``line 1``), its main line's nodes, and whether it has variations.

    :raises GameFileError: if the text is not a sequence of trees.
    """
    at = start = depth = 0
    line = 1  # the line on which the current tree starts
    end = len(text.rstrip())
    is_main = [True]  # for each open tree, whether the next node belongs to the main line
    nodes: list[Node] = []
    variations = False
    while at < end:
        token = TOKEN.match(text, at)
        place = f"line {line}"
        if token is None or (depth == 0 and token[1] != "("):
            wrong = text[at : at + 20].strip()
            raise GameFileError(f"{place}: must be an SGF game tree, (;GM[2]...), not {wrong!r}")
        at = token.end()
        if token[1] == "(":
            if depth == 0:
                line += text.count("\n", start, token.start(1))
                start, nodes, variations, is_main = token.start(1), [], False, [True]
            is_main.append(is_main[-1])
            depth += 1
        elif token[1] == ")":
            depth -= 1
            is_main.pop()
            is_main[-1] = False  # the trees that follow are variations
            if depth == 0 and nodes:
                yield place, nodes, variations
        elif not is_main[-1]:
            variations = True
        elif token[1] == ";":
            nodes.append({})
        elif nodes:
            values = nodes[-1].setdefault(LOWER.sub("", token[2]), [])
            values.extend(QUOTED.sub(unquote, each) for each in VALUE.findall(token[3]))
    if depth:
        raise GameFileError(f"line {line}: a game has no closing )")


def unquote(match: re.Match[str]) -> str:
    return "" if match[1].endswith("\n") else match[1]


def read_game(place: str, nodes: list[Node]) -> PlayedGame:
    """Return the game whose main line consists of these nodes.

    :raises GameFileError: if a disc, a move or the result cannot be read.
    """
    root = nodes[0]
    moves, sides = [], []
    try:
        board = read_board(root)
        parse_board(board)
        for node in nodes:
            for name in ("B", "W"):
                for value in node.get(name, []):
                    moves.append(read_square(value))
                    sides.append("BW".index(name))
    except (NotationError, PositionError) as error:
        raise GameFileError(f"{place}: move {len(moves) + 1}: {error}") from None
    margin, ending = read_result(place, root.get("RE", ["?"])[0].strip())
    black, white, event, series, date = (root.get(name, [""])[0].strip() for name in ("PB", "PW", "EV", "PC", "DT"))
    return PlayedGame(place, board, tuple(moves), margin, tuple(sides), (black, white), event or series, date, ending)


def read_square(value: str) -> int:
    text = value.strip().lower()
    if text in PASSES:
        return PASS
    return parse_square(f"{text[0]}{ord(text[1]) - ord('a') + 1}" if LETTERS.fullmatch(text) else text)


def read_board(root: Node) -> tuple[str, str]:
    """Return the fields of the position in which the game begins.

    :raises NotationError, PositionError: if a disc is not on a square.
    """
    if not root.get("AB") and not root.get("AW"):
        return INITIAL
    squares = ["-"] * 64
    for name, letter in (("AB", "X"), ("AW", "O")):
        for value in root.get(name, []):
            if (square := read_square(value)) == PASS:
                raise PositionError(f"{name}: {value!r} is not a square")
            squares[square] = letter
    return "".join(squares), "O" if root.get("PL", ["B"])[0].strip().upper().startswith("W") else "X"


def read_result(place: str, text: str) -> tuple[float | None, str]:
    """Return Black's margin (None if unknown) and the reason why the game ended ("" if unknown).

    :raises GameFileError: if the text is not a result.
    """
    if text.lower() in DRAWS:
        return 0, ""
    if text.lower() in ("", "?", "void"):
        return None, ""
    match = RESULT.fullmatch(text)
    if match is None:
        raise GameFileError(f"{place}: RE: expected B+12, W+4, 0, B+R, B+T or ?, got {text[:20]!r}")
    sign = 1 if match[1].upper() == "B" else -1
    if match[2]:
        return sign * float(match[2]), ""
    return (sign * LARGEST, ENDINGS[match[3].upper()]) if match[3] else (None, "")


def write(files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses) -> int:
    """Write the games, one per line, and return their number."""
    count = 0
    for game in games:
        losses.count_all_but_moves(game, HELD_FIELDS)
        texts = {"PB": game.players[0], "PW": game.players[1], "EV": game.event, "DT": game.date}
        head = "".join(f"{name}[{quote(text)}]" for name, text in texts.items() if text)
        moves = "".join(
            f";{'BW'[side or 0]}[{'' if move == PASS else format_square(move)}]"
            for move, side in zip(game.moves, game.sides, strict=True)
        )
        files[0].write(f"(;FF[4]GM[2]CA[UTF-8]{head}RE[{result_text(game)}]{setup(game)}{moves})\n".encode())
        count += 1
    return count


def quote(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text.replace("\n", " "))


def result_text(game: PlayedGame) -> str:
    if game.margin is None:
        return "?"
    if not game.margin:
        return "0"
    side = "B" if game.margin > 0 else "W"
    return f"{side}+{FLAGS[game.ending] if game.ending in FLAGS else f'{abs(game.margin):g}'}"


def setup(game: PlayedGame) -> str:
    """Return the properties of a non-standard initial position."""
    if game.board == INITIAL:
        return ""
    squares, side = game.board
    discs = [
        name + "".join(f"[{format_square(at)}]" for at, each in enumerate(squares) if each in letters)
        for name, letters in (("AB", "X*"), ("AW", "O"))
    ]
    return f"{''.join(discs)}PL[{'W' if side == 'O' else 'B'}]"
