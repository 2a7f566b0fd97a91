"""The user's own book: moves with notes, as the variations of one saved game.

The game has no moves itself. Each of its lines starts at the initial position and ends with a move of the book; the
note is the line's comment. So My games lists the book, and the analysis board opens it.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.files import locked
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.symmetry import Board, board_of
from quietmove.engine.games.registry import get_game
from quietmove.referee.game.saved import ENDING, SavedGame, TreeLine, games_folder, read_game, write_game

NAME = f"my-book{ENDING}"


def read_notes(folder: Path) -> dict[str, str]:
    """Return the note on the last move of each line as a single line of text, or "" if the move has no note.

    :raises GameFileError: if the book's file is damaged.
    """
    path = folder / NAME
    lines = read_game(path).lines if path.is_file() else ()
    return {line.moves: " ".join(line.comment.split()) for line in lines if line.moves}


def keep_note(folder: Path, moves: str, note: str | None) -> None:
    """Keep the last of the moves with a note, which replaces an older one, or remove the move if ``note`` is None.

    :param moves: the moves from the initial position, in canonical notation.
    :raises GameFileError: if the book's file is damaged or cannot be written; it is then unchanged.
    """
    path = folder / NAME
    with locked(path, GameFileError):
        notes = read_notes(folder)
        notes.pop(moves, None)
        if note is not None:
            notes[moves] = note
        lines = tuple(TreeLine(moves=each, comment=comment) for each, comment in sorted(notes.items()))
        write_game(SavedGame(event="My book", moves=(), lines=lines), path, replaces=path.is_file())


def notes_by_board(folder: Path) -> dict[Board, str]:
    """Return the notes by the position after their move; symmetric positions and transpositions share a note.

    :raises GameError: if the book's file is damaged.
    """
    path = folder / NAME
    return _notes_by_board(folder, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(maxsize=4)
def _notes_by_board(folder: Path, changed: int) -> dict[Board, str]:
    game = get_game("othello")
    found = {}
    for moves, note in read_notes(folder).items():
        position = game.initial()
        try:
            for move in moves.split():
                position.play(game.parse_move(position, move))
        except GameError as error:
            raise GameFileError(f"{folder / NAME}: {error}") from None
        found[board_of(position)] = note
    return found


def note_after(position: Position, move: int) -> str:
    """Return the note on a move of Othello, or "" if the book has none or is damaged; for opening training."""
    after = position.copy()
    after.play(move)
    with suppress(GameError):
        return notes_by_board(games_folder()).get(board_of(after), "")
    return ""
