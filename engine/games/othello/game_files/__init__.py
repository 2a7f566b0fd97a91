"""Files of games that were played: which kinds there are, and how the games of one are read.

- ``.wtb``: WTHOR, the database of the Fédération Française d'Othello, the names in a ``.jou`` and a ``.trn`` beside it.
- ``.ggf``: the Generic Game Format of the server GGS.
- ``.sgf``: the Smart Game Format, ``GM[2]``.
- ``.pgn``: the Portable Game Notation of chess.
- ``.txt``: transcripts, a game a line.
- ``.jsonl``: JSON lines, the records that a tournament prints.
- ``.obf``: positions with the move that was played, which are written and not read: they are no games.

Those of text may be packed: ``.txt.gz``.

Each kind has a module here, which says what is in such a file. A game is a :class:`PlayedGame`, whatever the kind.
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
HEAD = 1 << 12  # bytes in which the kind of a text is looked for
BEGINNINGS = {  # of texts, whatever the file's ending is
    ".sgf": re.compile(r"\(\s*;[^;]*?(?:GM\[\s*\d+\s*\]|FF\[\s*\d)"),
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
    """Return the ending of a file that is read, in small letters; of a packed text the one before ``.gz``."""
    inner = Path(path.stem).suffix.lower()
    return inner if path.suffix.lower() == PACKED and inner in READERS and inner != ".wtb" else path.suffix.lower()


def kind_of(path: Path) -> str:
    """Return the ending for the kind of file at ``path``: of a text the one that its beginning shows, or its own.

    :raises OSError, GameFileError: if it cannot be read.
    """
    if (ending := ending_of(path)) == ".wtb":
        return ending
    with open_text(path) as file:
        head = decode(file.read(HEAD)).lstrip("\ufeff \t\r\n")
    return next((kind for kind, beginning in BEGINNINGS.items() if beginning.match(head)), ending)


def complete_games(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a file, each in its complete form.

    :param losses: with a list of ``problems``, damaged games are skipped, and damage to the file ends the iteration.
    :raises GameFileError: as :func:`read_game_file`, without such a list.
    """
    try:
        yield from losses.read_each(partial(complete, game) for game in read_game_file(path, losses))
    except GameFileError as error:
        if losses.problems is None:
            raise
        losses.problems.append(str(error))


def read_game_file(path: Path, losses: Losses | None = None) -> Iterator[PlayedGame]:
    """Yield the games of a file of one of the :data:`READERS`; see :func:`kind_of`.

    The file is read as the games are asked for, in little memory.

    :param losses: counts what the file says and a :class:`PlayedGame` does not hold.
    :raises GameFileError: naming the place, if it cannot be read, or something in it is no game or no move.
    """
    try:
        if (kind := kind_of(path)) not in READERS:
            what = "it must hold games, not positions" if kind == POSITIONS else f"must end in {', '.join(READERS)}"
            raise GameFileError(what)
        yield from READERS[kind](path, losses or Losses())
    except OSError as error:
        raise GameFileError(error.strerror or str(error)) from None
