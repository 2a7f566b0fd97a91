"""Conversion of games between file formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from quietmove.engine.errors import GameFileError
from quietmove.engine.files import refuse_special, written_whole
from quietmove.engine.games.othello.game_files import (
    POSITIONS,
    READERS,
    complete_games,
    ending_of,
    ggf,
    json_lines,
    obf,
    pgn,
    sgf,
    transcripts,
    wthor,
)
from quietmove.engine.games.othello.game_files.game import Losses, PlayedGame

Write = Callable[[Sequence[BinaryIO], Iterable[PlayedGame], Losses], int]
WRITERS: dict[str, Write] = {
    ".wtb": wthor.write,
    ".ggf": ggf.write,
    ".sgf": sgf.write,
    ".pgn": pgn.write,
    ".txt": transcripts.write,
    ".jsonl": json_lines.write,
    POSITIONS: obf.write,
}


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of a conversion.

    :param count: number of games or positions written, as named by ``unit``.
    """

    count: int
    unit: str
    losses: Losses


def convert(source: Path, target: Path, *, overwrite: bool = False) -> Conversion:
    """Convert a file of games to another format atomically. The extensions determine the formats.

    Games are processed one by one, using little memory. For a WTHOR file, two more files with names are written.
    Damaged games are skipped and listed in the ``problems`` of the losses.

    :param overwrite: whether to replace an existing ``target``.
    :raises GameFileError: if a file cannot be read or written, or no game can be written; ``target`` is then unchanged.
    """
    targets = files_of(target)
    try:
        require_kinds(source, target)
        names = wthor.NAME_FILES if source.suffix.lower() == ".wtb" else ()
        require_free(targets, [source, *(wthor.names_beside(source, ending) for ending in names)], overwrite)
    except OSError as error:
        raise GameFileError(f"{error.filename}: {error.strerror}") from None
    losses = Losses(problems=[])
    with written_whole(targets, GameFileError) as files:
        count = WRITERS[target.suffix.lower()](files, complete_games(source, losses), losses)
        if not count:
            problems = losses.named_problems(source)
            reasons = "; ".join(f"{found:,}: {reason}" for reason, found in losses.left_out.items())
            if reasons or not problems:
                because = f": {reasons}" if reasons else ""
                problems.append(f"{source}: contains no game that can be written to {target}{because}")
            raise GameFileError(problems)
    return Conversion(count, "position" if target.suffix.lower() == POSITIONS else "game", losses)


def require_kinds(source: Path, target: Path) -> None:
    """Check that the source is a regular file whose format can be read, and that the target's can be written."""
    if source.suffix.lower() == POSITIONS and target.suffix.lower() in READERS:
        raise GameFileError(
            f"{source}: OBF contains positions; expected a file of games ending in {', '.join(READERS)}"
        )
    for path, kinds in ((source, READERS), (target, WRITERS)):
        if ending_of(path) not in kinds:
            raise GameFileError(f"{path}: must end in {', '.join(kinds)}")
    source.stat()
    refuse_special(source, GameFileError)


def files_of(path: Path) -> list[Path]:
    """Return the files to write for ``path``, starting with ``path`` itself."""
    return [path, *map(path.with_suffix, wthor.NAME_FILES if path.suffix.lower() == ".wtb" else ())]


def require_free(targets: Iterable[Path], read: Iterable[Path | None], overwrite: bool) -> None:
    """Check that writing ``targets`` overwrites no source and, without ``overwrite``, no existing file.

    :param read: the source files, with None for missing files.
    :raises GameFileError: if a file is also a source, is not a regular file, or exists and must not be overwritten.
    """
    sources = [path for path in read if path is not None]
    for target in filter(Path.exists, targets):
        if any(target.samefile(path) for path in sources):
            raise GameFileError(f"{target}: must not be one of the input files")
        refuse_special(target, GameFileError)
        if not overwrite:
            raise GameFileError(f"{target}: already exists; use --force to overwrite it")
