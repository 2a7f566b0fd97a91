"""Files of played games: the supported formats, and a common reader.

- ``.wtb``: WTHOR, the database of the Fédération Française d'Othello; names are in a ``.jou`` and a ``.trn`` file.
- ``.ggf``: the Generic Game Format of the server GGS.
- ``.sgf``: the Smart Game Format, ``GM[2]``.
- ``.pgn``: the Portable Game Notation of chess.
- ``.txt``: transcripts, one game per line.
- ``.jsonl``: JSON lines, the records printed by a tournament.
- ``.obf``: positions with the move played, for output only, since they are not games.

Text formats can be compressed, as in ``.txt.gz``.

Each format is documented in its module. Every reader returns games as :class:`PlayedGame`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from quietmove.engine.errors import GameFileError
from quietmove.engine.games.othello.game_files import ggf, json_lines, pgn, sgf, transcripts, wthor
from quietmove.engine.games.othello.game_files.game import Losses, PlayedGame, complete, replay
from quietmove.engine.games.othello.game_files.text_lines import PACKED, decode, open_text

__all__ = ["POSITIONS", "READERS", "PlayedGame", "complete_games", "ending_of", "kind_of", "read_game_file", "replay"]

POSITIONS = ".obf"
HEAD = 1 << 12  # bytes examined to detect the format
BEGINNINGS = {  # the beginning of a text file in each format, whatever its extension
    ".sgf": re.compile(r"\(\s*;[^;]*?(?:G[a-z]*M[a-z]*\[\s*\d+\s*\]|F[a-z]*F[a-z]*\[\s*\d)"),
    ".pgn": re.compile(r'\[\w+\s+"'),
    ".ggf": re.compile(r"\d*\s*\(;"),
    ".jsonl": re.compile(r"\{"),
    POSITIONS: re.compile(r"[-.*xo]{64}\s", re.IGNORECASE),
}

READERS: dict[str, Callable[[Path, Losses], Iterator[PlayedGame]]] = {
    ".wtb": wthor.read,
    ".ggf": ggf.read,
    ".sgf": sgf.read,
    ".pgn": pgn.read,
    ".txt": transcripts.read,
    ".jsonl": json_lines.read,
}


def ending_of(path: Path) -> str:
    """Return a file's extension in lower case; for compressed text, the extension before ``.gz``."""
    inner = Path(path.stem).suffix.lower()
    return inner if path.suffix.lower() == PACKED and inner in READERS and inner != ".wtb" else path.suffix.lower()


def kind_of(path: Path) -> str:
    """Return the extension for a file's format, detected from its content, or else the file's own extension.

    :raises OSError, GameFileError: if the file cannot be read.
    """
    if (ending := ending_of(path)) == ".wtb":
        return ending
    with open_text(path) as file:
        head = decode(file.read(HEAD)).lstrip("\ufeff \t\r\n")
    return next((kind for kind, beginning in BEGINNINGS.items() if beginning.match(head)), ending)


def complete_games(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a file, each in the form that :func:`~.game.complete` returns.

    :param losses: if it has a list of ``problems``, errors are added to it: a damaged game is skipped, and damage to
        the file ends the iteration.
    :raises GameFileError: as :func:`read_game_file`, if there is no such list.
    """
    try:
        yield from losses.read_each(partial(complete, game) for game in read_game_file(path, losses))
    except GameFileError as error:
        losses.add(error)


def read_game_file(path: Path, losses: Losses | None = None) -> Iterator[PlayedGame]:
    """Yield the games of a file in one of the formats in :data:`READERS`, as detected by :func:`kind_of`.

    The file is read incrementally, using little memory.

    :param losses: counts the details in the file that a :class:`PlayedGame` cannot represent.
    :raises GameFileError: if the file cannot be read or contains something that is not a game; the message says where.
    """
    try:
        if (kind := kind_of(path)) not in READERS:
            what = "it contains positions, not games" if kind == POSITIONS else f"must end in {', '.join(READERS)}"
            raise GameFileError(what)
        yield from READERS[kind](path, losses or Losses())
    except OSError as error:
        raise GameFileError(error.strerror or str(error)) from None
