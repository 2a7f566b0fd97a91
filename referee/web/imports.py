"""Games that a page hands in, typed or as a file, and their positions move by move."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from quietmove.engine.errors import GameError
from quietmove.engine.games.othello.game_files import READERS, read_game_file, replay
from quietmove.engine.games.othello.game_files.obf import positions_in
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import written_moves
from quietmove.referee.errors import SetupError
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.web.boards import Json, Steps, describe_game
from quietmove.referee.web.requests import ReplayRequest, parse_position

__all__ = ["imported", "replayed"]

OTHELLO = "othello"
POSITIONS = ".obf"
MOST_GAMES = 500  # of one file


def imported(name: str, data: bytes) -> Json:
    """Return the games of a file: their titles, players, beginnings and moves; and whether there are more of them.

    :param name: of the file; its ending tells its kind.

    :raises SetupError, GameFileError: if it is no such file, or damaged.
    """
    ending = Path(name).suffix.lower()
    if ending not in (*READERS, POSITIONS):
        raise SetupError(f"name: must end in {', '.join((*READERS, POSITIONS))}, not {name[:60]!r}")
    read = _positions if ending == POSITIONS else _games
    with tempfile.TemporaryDirectory(prefix="quietmove-") as folder:
        path = Path(folder) / f"games{ending}"
        path.write_bytes(data)
        found = list(islice(read(path), MOST_GAMES + 1))
    if not found:
        raise SetupError(f"{name[:60]}: must hold a game")
    return {"game": OTHELLO, "games": found[:MOST_GAMES], "more": len(found) > MOST_GAMES}


def replayed(request: ReplayRequest) -> Json:
    """Return a game of any kind with all its positions.

    :raises GameError: naming the move that cannot be played, or what is wrong with the position.
    """
    game = get_game(request.game)
    steps = Steps(game, parse_position(game, request.start), openings=True)
    found = [steps.first()]
    for move in written_moves(game, steps.position, request.moves):
        found.append(steps.after(MoveRecord(game.format_move(move), "opening")))
    return {**describe_game(game), "steps": found}


def _games(path: Path) -> Iterator[Json]:
    game = get_game(OTHELLO)
    for number, played in enumerate(read_game_file(path), 1):
        start = game.format_position(game.parse_position(played.board))
        moves = " ".join(game.format_move(move) for _, move in replay(played))
        black, white = played.players
        yield {
            "title": f"{number}. {black or 'Black'} - {white or 'White'}",
            "players": [black, white],
            "start": start,
            "moves": moves,
        }


def _positions(path: Path) -> Iterator[Json]:
    game = get_game(OTHELLO)
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    for number, fields, _ in positions_in(lines):
        try:
            text = game.format_position(game.parse_position(fields))
        except GameError as error:
            raise SetupError(f"line {number}: {error}") from None
        yield {"title": f"position {number}", "players": ["", ""], "start": text, "moves": ""}
