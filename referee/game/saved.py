"""Saved games: one line of JSON with a game's record and the information needed to continue it.

``quietmove analyze`` and ``convert`` read these files like a tournament's records. Games from the terminal and the page
are saved in the same folder, ``$XDG_DATA_HOME/quietmove/games``.
"""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.folders import data_folder
from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.files import locked, open_regular, write_whole
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.othello.opening_names import opening_moves, opening_name
from quietmove.engine.games.registry import known_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.tools.analysis.reviews import Review
from quietmove.referee.config.model import COLORS, Color, TimeControl
from quietmove.referee.config.validation import read_object
from quietmove.referee.game.transcript import MoveRecord, result_of

ENDING = ".jsonl"
MAX_BYTES = 1 << 20  # size limit of a saved game's file, in bytes


class Saved(BaseModel):
    """Base class for parts of a saved game: frozen, and without type conversion."""

    model_config = ConfigDict(strict=True, frozen=True)


class Strength(Saved):
    """The strength of the engine in a saved game.

    :ivar limit: the limit per move or game, such as ``movetime=500``, or "" if only the level limits the engine.
    """

    level: Annotated[int, Field(ge=0, le=FULL_STRENGTH)] = FULL_STRENGTH
    limit: str = ""


class SavedPlayer(Saved):
    """A player; the name is "" if unknown."""

    name: str = ""


class Spec(Saved):
    """The game's name with its parameters, its seed, and its players.

    :ivar game: the game's name with its parameters.
    :ivar seed: the seed for all chance events and the deal.
    """

    game: str = "othello"
    seed: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    black: SavedPlayer = SavedPlayer()
    white: SavedPlayer = SavedPlayer()


class TreeLine(Saved):
    """A line of moves from the start of the game, with a comment on its last move."""

    moves: str
    comment: str = ""


class SavedGame(Saved):
    """The contents of a saved game's file; unknown keys are ignored.

    :ivar start: the start position in the game's notation, or "" for the initial position.
    :ivar moves: the moves from that position.
    :ivar reason: why the game ended, one of the referee's verdicts, or "" if it is not over.
    :ivar detail: the reason as a sentence, possibly "".
    :ivar margin_black: the number of points by which Black won, or None if unknown.
    :ivar event: the title chosen by the user.
    :ivar date: the time of the game, as ``2026-11-23 09:30:00``.
    :ivar lines: all lines of the move tree, main line first, also those ending at a comment; empty without variations.
    :ivar people: the colours that people play.
    :ivar opponent: this engine's strength, or None for another engine, because a file cannot specify a program to run.
    :ivar given: the number of initial moves that nobody chose in this game, such as a trained opening, or the moves of
        the game that it branches off.
    :ivar was_helped: whether a person used a hint or an analysis, or took moves back.
    :ivar review: the review of its moves, or None if there is none.
    """

    spec: Spec = Spec()
    start: str = ""
    moves: tuple[MoveRecord, ...]
    reason: str = ""
    detail: str = ""
    margin_black: float | None = None
    event: str = ""
    date: str = ""
    lines: tuple[TreeLine, ...] = ()
    people: tuple[Color, ...] = ()
    opponent: Strength | None = None
    given: Annotated[int, Field(ge=0)] = 0
    was_helped: bool = False
    review: Review | None = None

    @classmethod
    def read(cls, text: str | bytes) -> SavedGame:
        """Parse a game from a line of JSON.

        :raises GameFileError: naming the first invalid key.
        """
        return read_object(cls, text, "a saved game", GameFileError)

    @property
    def players(self) -> list[str]:
        return [self.spec.black.name, self.spec.white.name]

    @property
    def rules(self) -> Game:
        """The rules of the game.

        :raises UnknownGameError: if the game does not exist.
        """
        return known_game(self.spec.game)

    def begin(self) -> Position:
        """Return a new copy of the position before the first move.

        :raises GameError: if the game or the position does not exist.
        """
        return self.rules.parse_position(self.start.split()) if self.start else self.rules.begin(self.spec.seed)

    def position(self) -> Position:
        """Return the position after all moves.

        :raises GameError: if a move is not legal.
        """
        position = self.begin()
        for move in self.moves:
            position.play(self.rules.parse_move(position, move.move))
        return position

    @property
    def result(self) -> str:
        """The result in conventional form, or ``*`` for an unfinished game."""
        return result_of(self.margin_black)

    @property
    def resigned(self) -> int | None:
        """The side that resigned, or None."""
        return None if self.reason != "resign" or not self.margin_black else int(self.margin_black > 0)


def is_program(game: str) -> bool:
    """Return whether a game's name refers to a Python file, which is executed when the game is opened."""
    return GameFile.of_game(game) is not None


def read_game(path: Path, named: str = "") -> SavedGame:
    """Return the game in a file.

    :param named: the game chosen by the user; a game written in Python is executed only if it is this one.
    :raises GameFileError: if the file has the wrong type, cannot be read, contains no valid game, or names a game
        written in Python that the user did not choose.
    """
    require_ending(path)
    saved = read_record(path)
    try:
        game = saved.spec.game
        if is_program(game) and game != named:
            raise GameFileError(f"its game is a program; to run it, pass --game {game}, not {named or 'nothing'}")
        if saved.opponent and saved.opponent.limit:
            TimeControl.parse(saved.opponent.limit)
        saved.position()
    except QuietmoveError as error:
        raise GameFileError(f"{path}: {error}") from None
    return saved


def require_ending(path: Path) -> None:
    """Check that a path has the extension by which ``analyze`` and ``convert`` recognize saved games.

    :raises GameFileError: if not.
    """
    if path.suffix.lower() != ENDING:
        raise GameFileError(f"{path}: must end in {ENDING}")


def read_record(path: Path) -> SavedGame:
    """Return the game in a file. The moves are not checked, so they may be illegal.

    :raises GameFileError: if the file cannot be read or contains no game.
    """
    try:
        with open_regular(path) as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise GameFileError(f"must be at most {MAX_BYTES:,} bytes")
        if (count := len(data.splitlines())) > 1:
            raise GameFileError(f"must contain one game (a single line of JSON), not {count} lines")
        return SavedGame.read(data)
    except (OSError, ValueError, GameFileError) as error:
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None


def write_game(saved: SavedGame, path: Path, *, replaces: bool) -> None:
    """Write a game to a file.

    :param replaces: whether the file belongs to this game, so that its contents are replaced atomically.
    :raises GameFileError: if the extension is wrong, the game is too large to be read again, or the file cannot be
        written or belongs to another game.
    """
    require_ending(path)
    data = f"{saved.model_dump_json(exclude_defaults=True)}\n".encode()
    if len(data) > MAX_BYTES:
        raise GameFileError(f"{path}: must be at most {MAX_BYTES:,} bytes, not {len(data):,}")
    try:
        write_whole(path, data, is_new=not replaces)
    except FileExistsError:
        raise GameFileError(f"{path}: must be a new file or the file of this game") from None
    except (OSError, ValueError) as error:
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None


def keep_review(path: Path, moves: Sequence[str], review: Review) -> bool:
    """Save a review in its game's file, unless the file already has one that is at least as deep.

    :param moves: the reviewed moves in the game's notation.
    :return: whether it was saved.
    :raises GameFileError: if the file is not a game with these moves, or cannot be read or written.
    """
    with locked(path, GameFileError):
        saved = read_record(path)
        if [each.move for each in saved.moves] != list(moves):
            raise GameFileError(f"{path}: the review was not saved: the game's moves differ from the reviewed moves")
        if saved.review and saved.review.effort >= review.effort:
            return False
        write_game(saved.model_copy(update={"review": review}), path, replaces=True)
    return True


def saved_game_path(text: str) -> Path | None:
    """Return the path of a saved game if ``text`` names one, else None."""
    try:
        path = Path(text).resolve()
        return path if path.parent == (data_folder() / "games").resolve() and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # not a valid path, for example a long transcript
        return None


def games_folder() -> Path:
    """Return the user's folder for games, creating it if necessary.

    :raises GameFileError: if it cannot be created.
    """
    try:
        folder = data_folder() / "games"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: no home directory
        raise GameFileError(f"no folder for games: {error}") from None
    return folder


def saved_files(folder: Path) -> list[Path]:
    """Return the saved games in a folder, newest first, skipping anything but regular files."""
    changed = {}
    for path in folder.glob(f"*{ENDING}"):
        with suppress(OSError):  # deleted in the meantime by another page or terminal
            if stat.S_ISREG((status := path.stat()).st_mode):
                changed[path] = status.st_mtime
    return sorted(changed, key=changed.__getitem__, reverse=True)


def new_path(folder: Path, game: str) -> Path:
    """Return an unused path in a folder for a game with this name."""
    word = re.sub(r"[^\w]+", "-", Path(game.rpartition(":")[0] or game).stem.lower())
    stem = f"{word}-{time.strftime('%Y-%m-%d-%H%M%S')}"
    path, number = folder / f"{stem}{ENDING}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{ENDING}"
    return path


def openings_of(saved: SavedGame) -> list[str]:
    """Return the names of all openings that a game passed through, such as Tiger and then Stephenson."""
    openings = list[str]()
    if saved.spec.game == "othello":
        longest = max(map(len, opening_moves().values()))
        with suppress(GameError):  # an illegal move: keep the openings before it
            position = saved.begin()
            for record in islice(saved.moves, longest):
                position.play(saved.rules.parse_move(position, record.move))
                openings += filter(None, [opening_name(position)])
    return openings


def outcome_of(saved: SavedGame) -> str:
    """Return ``won``, ``lost`` or ``drawn`` from the person's point of view.

    The result is "" if the game's margin is unknown or not exactly one player is a person.
    """
    if saved.margin_black is None or len(saved.people) != 1:
        return ""
    margin = -saved.margin_black if COLORS.index(saved.people[0]) else saved.margin_black
    return "drawn" if not margin else "won" if margin > 0 else "lost"


def search_text(saved: SavedGame) -> str:
    """Return the searchable text of a game: title, game, players, openings, result, outcome and date."""
    facts = (saved.event, saved.spec.game, *saved.players, *openings_of(saved), saved.result, outcome_of(saved))
    return " ".join((*facts, saved.date)).lower()


def has_words(text: str, words: str) -> bool:
    """Return whether a text from :func:`search_text` contains all the words."""
    return all(word in text for word in words.lower().split())
