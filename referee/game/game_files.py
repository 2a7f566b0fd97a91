"""Files of Othello games in Python: read and write transcripts in every format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from quietmove.engine.errors import GameFileError
from quietmove.engine.files import written_whole
from quietmove.engine.games.othello.game_files import complete_games, json_lines, kind_of
from quietmove.engine.games.othello.game_files.conversion import WRITERS, files_of, require_free
from quietmove.engine.games.othello.game_files.game import INITIAL, Losses, PlayedGame, complete
from quietmove.engine.games.othello.notation import format_square
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.record import GameRecord, fields_of
from quietmove.referee.game.transcript import MoveRecord, Transcript

# The details of a file that a transcript has too.
HELD = frozenset(("players", "times", "scores of moves", "results of games that stopped early"))


class GameFile:
    """The games of a file as :class:`Transcript` objects, read one by one each time it is iterated.

    Damaged games are skipped. After an iteration, ``lost`` and ``problems`` describe what is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._losses = Losses(problems=[])

    def __iter__(self) -> Iterator[Transcript]:
        self._losses = Losses(problems=[])
        for game in complete_games(self._path, self._losses):
            self._losses.count_all_but_moves(game, HELD)
            yield _transcript(game)

    @property
    def lost(self) -> dict[str, int]:
        """The number of games that were left out or lost a detail, by reason: ``{"not kept: dates": 3}``."""
        return dict(self._losses.counted())

    @property
    def problems(self) -> list[str]:
        """A line for each damaged game, at most twenty."""
        return self._losses.named_problems(self._path)


def read_games(path: str | os.PathLike[str]) -> GameFile:
    """Return the games of a file: ``.wtb``, ``.ggf``, ``.sgf``, ``.pgn``, ``.txt`` or ``.jsonl``, also with ``.gz``.

    The content determines the format, whatever the name.

    :raises GameFileError: if there is no such file.
    """
    file = Path(path)
    try:
        kind_of(file)
    except OSError as error:
        raise GameFileError(f"{path}: {error.strerror}") from None
    return GameFile(file)


def write_games(
    path: str | os.PathLike[str], games: Iterable[Transcript | GameRecord], *, overwrite: bool = False
) -> dict[str, int]:
    """Write games to a file, whose extension determines the format: as for :func:`read_games`, or ``.obf``.

    :param games: transcripts, or records of games played.
    :param overwrite: whether to replace an existing file.
    :return: the number of games that were left out or lost a detail in this format, by reason.
    :raises GameFileError: if the file cannot be written, or a game is not a game of Othello; no file is written then.
    """
    file = Path(path)
    if (write := WRITERS.get(file.suffix.lower())) is None:
        raise GameFileError(f"{path}: must end in {', '.join(WRITERS)}")
    losses = Losses()
    require_free(files_of(file), (), overwrite)
    with written_whole(files_of(file), GameFileError) as files:
        write(files, (_played(number, game) for number, game in enumerate(games, 1)), losses)
    return dict(losses.counted())


def _transcript(game: PlayedGame) -> Transcript:
    beside = zip_longest(game.moves, game.elapsed_ms, game.clocks_ms, game.scores)
    moves = tuple(
        MoveRecord(format_square(move), COLORS[side or 0], elapsed or 0, clock, score)
        for side, (move, elapsed, clock, score) in zip(game.sides, beside, strict=True)
    )
    start = "" if game.board == INITIAL else " ".join(game.board)
    margin = None if game.margin is None else round(game.margin)
    points = None if margin is None else (margin > 0) + (margin == 0) / 2
    return Transcript("othello", moves, *game.players, start, points, margin)


def _played(number: int, game: Transcript | GameRecord) -> PlayedGame:
    """Return a game in the form for files."""
    transcript, reason = (game.transcript, game.reason) if isinstance(game, GameRecord) else (game, None)
    if transcript.game != "othello":
        raise GameFileError(f"game {number}: must be a game of othello, not {transcript.game}")
    players = {"black": {"name": transcript.black}, "white": {"name": transcript.white}}
    data = {
        "moves": [fields_of(move) for move in transcript.moves],
        "margin_black": transcript.margin_black,
        "reason": reason,
        "start": transcript.start or None,
    }
    return complete(json_lines.read_game(f"game {number}", data, players))
