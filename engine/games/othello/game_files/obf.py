"""OBF, a format for positions: one line for each position of a game, except those in which the player had to pass.

``…X-O… X; % f5, game 3, move 12``: 64 squares and the side to move. The comment contains the move played and the number
of the game in the source file, because the format itself lists moves only with their values, which are unknown here.
Positions are not games, so no games are read from such files; :func:`positions_in` reads the positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import FINISHED, Losses, PlayedGame, replay
from quietmove.engine.games.othello.notation import format_board, format_square

COMMENT = re.compile("[%#]")
# Any line of a drawn board except the last.
DRAWN = re.compile(r"a ?b ?c[a-h ]+|[1-8 ]+|([1-8] )?[|]?([xo*0.\-bw●⚫○⚪· ][ |]?){4,8}[1-8]?", re.IGNORECASE)


def positions_in(lines: Iterable[str]) -> Iterator[tuple[int, list[str], str]]:
    """Yield the positions in a file, each as its line number (from 1), its fields and the values after the fields.

    A position is a single line, or a drawing of a board whose last line contains the side to move. The fields are not
    checked. The values, such as ``F5:+4; D6:-2;``, may be missing. ``%`` and ``#`` start comments.
    """
    number = 0
    fields = list[str]()
    for number, line in enumerate(lines, 1):
        board, _, values = COMMENT.split(line)[0].partition(";")
        fields += board.split()
        if values.strip() or (board.strip() and not DRAWN.fullmatch(board.strip())):
            yield number, fields, values.strip()
            fields = []
    if fields:  # a drawing without a side to move; parsing the position will report it
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
