"""Files of games that were played: which kinds there are, and how the games of one are read.

- ``.wtb``: WTHOR, the database of the Fédération Française d'Othello, the names in a ``.jou`` and a ``.trn`` beside it.
- ``.ggf``: the Generic Game Format of the server GGS.
- ``.txt``: transcripts, a game a line.
- ``.jsonl``: JSON lines, the records that a tournament prints.
- ``.obf``: positions with the move that was played, which are written and not read: they are no games.

Those of text may be packed: ``.txt.gz``.

Each kind has a module here, which says what is in such a file. A game is a :class:`PlayedGame`, whatever the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from quietmove.engine.errors import GameFileError
from quietmove.engine.games.othello.game_files import ggf, json_lines, transcripts, wthor
from quietmove.engine.games.othello.game_files.game import Losses, PlayedGame, replay
from quietmove.engine.games.othello.game_files.text_lines import PACKED

__all__ = ["READERS", "PlayedGame", "ending_of", "read_game_file", "replay"]

READERS: dict[str, Callable[[Path, Losses], Iterator[PlayedGame]]] = {
    ".wtb": wthor.read,
    ".ggf": ggf.read,
    ".txt": transcripts.read,
    ".jsonl": json_lines.read,
}


def ending_of(path: Path) -> str:
    """Return the ending of a file that is read, in small letters; of a packed text the one before ``.gz``."""
    inner = Path(path.stem).suffix.lower()
    return inner if path.suffix.lower() == PACKED and inner in READERS and inner != ".wtb" else path.suffix.lower()


def read_game_file(path: Path, losses: Losses | None = None) -> Iterator[PlayedGame]:
    """Yield the games of a file, of the kind that its ending says: one of :data:`READERS`.

    The file is read as the games are asked for, in little memory.

    :param losses: counts what the file says and a :class:`PlayedGame` does not hold.
    :raises GameFileError: naming the place, if it cannot be read, or something in it is no game or no move.
    """
    try:
        yield from READERS[ending_of(path)](path, losses or Losses())
    except OSError as error:
        raise GameFileError(error.strerror or str(error)) from None
