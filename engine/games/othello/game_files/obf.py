"""OBF, files of positions: each position of a game in which there was a square to choose, one a line.

``…X-O… X; % f5, game 3, move 12``: 64 squares and the side to move. The move that was played stands in the comment,
with the game's number in the file that was read: the format has a place for moves only with their values, and those are
not known. Positions are no games, so no games are read from such a file; what its lines hold says :func:`positions_in`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import FINISHED, Losses, PlayedGame, replay
from quietmove.engine.games.othello.notation import format_board, format_square

COMMENT = re.compile("[%#]")
DRAWN = re.compile(r"a ?b ?c[a-h ]+|[1-8 ]+|[1-8] [|]?([xo*0.-][ |]?){4,8}[1-8]?", re.IGNORECASE)  # above the last line


def positions_in(lines: Iterable[str]) -> Iterator[tuple[int, list[str], str]]:
    """Yield the positions of a file: the number of the line from 1, the position's fields, and the values after them.

    A position is one line, or a drawing of a board whose last line has the side to move. The fields are not checked;
    the values, ``F5:+4; D6:-2;``, may be missing. After ``%`` or ``#`` is a comment.
    """
    number = 0
    fields = list[str]()
    for number, line in enumerate(lines, 1):
        board, _, values = COMMENT.split(line)[0].partition(";")
        fields += board.split()
        if values.strip() or (board.strip() and not DRAWN.fullmatch(board.strip())):
            yield number, fields, values.strip()
            fields = []
    if fields:  # of a drawing without a side to move, which the reader of the position will say
        yield number, fields, ""


def write(files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses) -> int:
    count = 0
    for number, game in enumerate(games, 1):
        losses.count_all_but_moves(game)
        if game.ending == FINISHED:
            losses.not_kept["results"] += 1
        for ply, (position, move) in enumerate(replay(game), 1):
            if move != PASS:
                board = format_board(position.black, position.white, position.side_to_move)
                files[0].write(f"{board}; % {format_square(move)}, game {number}, move {ply}\n".encode())
                count += 1
    return count
