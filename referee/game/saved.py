"""A game that is saved in a file: one line of JSON, the record of a game with those who may go on with it.

``quietmove analyze`` and ``convert`` read it as they read the records of a tournament.
Games by hand and those of the page are saved in one folder, ``$XDG_DATA_HOME/quietmove/games``.
"""

from __future__ import annotations

import re
import stat
import time
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.folders import data_folder
from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.files import open_regular, write_whole
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.othello.trace import NO_MOVE, canonical
from quietmove.engine.games.registry import get_game, known_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.tools.analysis.reviews import Review
from quietmove.referee.config.model import COLORS, Color, TimeControl
from quietmove.referee.config.validation import read_object
from quietmove.referee.game.transcript import MoveRecord, result_of

ENDING = ".jsonl"
MOST_BYTES = 1 << 20  # a file of a game holds no more


class Saved(BaseModel):
    """A part of what a file holds; nothing in it is converted, and it does not change."""

    model_config = ConfigDict(strict=True, frozen=True)


class Strength(Saved):
    """How strong this engine plays.

    :ivar limit: the limit of a move or a game, such as ``movetime=500``; empty if the level alone limits it.
    """

    level: Annotated[int, Field(ge=0, le=FULL_STRENGTH)] = FULL_STRENGTH
    limit: str = ""


class SavedPlayer(Saved):
    """A player; the name is empty where it is not known."""

    name: str = ""


class Spec(Saved):
    """What was played, and by whom.

    :ivar game: the game's name with its parameters.
    :ivar seed: the seed of all chance in it, and of a deal.
    """

    game: str = "othello"
    seed: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    black: SavedPlayer = SavedPlayer()
    white: SavedPlayer = SavedPlayer()


class TreeLine(Saved):
    """A line of the tree of moves, from the beginning of the game on, and what is said of its last move."""

    moves: str
    comment: str = ""


class SavedGame(Saved):
    """What a file holds; keys that are not known are ignored.

    :ivar start: the position in which the game begins, as the game writes it; empty for the usual one.
    :ivar moves: the moves from that position on.
    :ivar reason: why the game ended, one of the referee's verdicts; empty if it is not over.
    :ivar detail: the reason as a sentence; may be empty.
    :ivar margin_black: the number of points by which Black won; None as long as it is not known.
    :ivar event: the title that a person has given it.
    :ivar date: the time when it was played, as ``2026-11-23 09:30:00``.
    :ivar lines: all lines of the tree of moves, the main one first, and those that end in a comment; empty where
        nothing was tried beside the game.
    :ivar people: the colours that people play.
    :ivar opponent: None for another engine: no file tells which program to run.
    :ivar given: how many of the moves the game began with, as the opening that is trained; nobody chose them.
    :ivar review: what was found about its moves; None where nobody has asked for it.
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
    review: Review | None = None

    @classmethod
    def read(cls, text: str | bytes) -> SavedGame:
        """Return the game that a line of JSON spells.

        :raises GameFileError: if it spells none, for the first key that is wrong.
        """
        return read_object(cls, text, "a saved game", GameFileError)

    @property
    def players(self) -> list[str]:
        return [self.spec.black.name, self.spec.white.name]

    @property
    def rules(self) -> Game:
        """The game that is played.

        :raises UnknownGameError: if there is no such game.
        """
        return known_game(self.spec.game)

    def begin(self) -> Position:
        """Return the position before the first move, new each time.

        :raises GameError: if there is no such game or position.
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
        """Black's points as people write a result, ``*`` for a game that is not over."""
        return result_of(self.margin_black)

    @property
    def resigned(self) -> int | None:
        """The side that has resigned, None where neither has."""
        return None if self.reason != "resign" or not self.margin_black else int(self.margin_black > 0)


def is_program(game: str) -> bool:
    """Tell whether a game of this name is a file of Python, which is run when the game is opened."""
    return GameFile.of_game(game) is not None


def read_game(path: Path, named: str = "") -> SavedGame:
    """Return the game in a file.

    :param named: the name of a game that the person has chosen; of those that are programs only this one is run.
    :raises GameFileError: if it is of another kind, cannot be read, holds no game, or one that is a program and was not
        chosen.
    """
    require_ending(path)
    saved = read_record(path)
    try:
        game = saved.spec.game
        if is_program(game) and game != named:
            raise GameFileError(
                f"its game is a program, {game}, and is run if --game names it too, not {named or 'nothing'}"
            )
        if saved.opponent and saved.opponent.limit:
            TimeControl.parse(saved.opponent.limit)
        saved.position()
    except QuietmoveError as error:
        raise GameFileError(f"{path}: {error}") from None
    return saved


def require_ending(path: Path) -> None:
    """Check that a path ends as files of games do, by which ``analyze`` and ``convert`` know their kind.

    :raises GameFileError: if not.
    """
    if path.suffix.lower() != ENDING:
        raise GameFileError(f"{path}: must end in {ENDING}")


def read_record(path: Path) -> SavedGame:
    """Return the game that a file spells, without a look at its rules: its moves need not be legal.

    :raises GameFileError: if it cannot be read, or spells none.
    """
    try:
        with open_regular(path) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise GameFileError(f"must be at most {MOST_BYTES:,} bytes")
        if (count := len(data.splitlines())) > 1:
            raise GameFileError(f"must hold one game, a line of JSON, not {count} lines")
        return SavedGame.read(data)
    except (OSError, ValueError, GameFileError) as error:
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None


def write_game(saved: SavedGame, path: Path, *, replaces: bool) -> None:
    """Write a game to a file.

    :param replaces: whether the file is the game's own, so that what it holds is replaced, in one step.
    :raises GameFileError: if its ending is another, it cannot be written, or it is there and not the game's own.
    """
    require_ending(path)
    try:
        write_whole(path, f"{saved.model_dump_json(exclude_defaults=True)}\n".encode(), is_new=not replaces)
    except FileExistsError:
        raise GameFileError(f"{path}: must be a new file, or this game's own") from None
    except (OSError, ValueError) as error:
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None


def games_folder() -> Path:
    """Return the user's folder for games, which is made.

    :raises GameFileError: if there is no such folder and it cannot be made.
    """
    try:
        folder = data_folder() / "games"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home directory
        raise GameFileError(f"no folder for games: {error}") from None
    return folder


def saved_files(folder: Path) -> list[Path]:
    """Return the files of games in a folder, the newest first; what is no regular file, such as a pipe, is none."""
    changed = {}
    for path in folder.glob(f"*{ENDING}"):
        with suppress(OSError):  # deleted meanwhile by another page or terminal
            if stat.S_ISREG((found := path.stat()).st_mode):
                changed[path] = found.st_mtime
    return sorted(changed, key=changed.__getitem__, reverse=True)


def new_path(folder: Path, game: str) -> Path:
    """Return a path in a folder that does not exist yet, for a game of this name."""
    word = re.sub(r"[^\w]+", "-", Path(game.rpartition(":")[0] or game).stem.lower())
    stem = f"{word}-{time.strftime('%Y-%m-%d-%H%M%S')}"
    path, number = folder / f"{stem}{ENDING}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{ENDING}"
    return path


def openings_of(saved: SavedGame) -> list[str]:
    """Return the names of all openings that a game has been in, such as Tiger and then Stephenson."""
    found = list[str]()
    if saved.spec.game == "othello":
        longest = max(map(len, opening_moves().values()))
        with suppress(GameError):  # a move that is not legal: the openings before it hold
            position = saved.begin()
            for record in islice(saved.moves, longest):
                position.play(saved.rules.parse_move(position, record.move))
                found += filter(None, [names().get(key_of(position))])
    return found


@cache
def names() -> dict[int, str]:
    """Return the names of the openings by the keys of their positions."""
    found = {}
    for name, moves in opening_moves().items():
        position = get_game("othello").initial()
        for move in moves:
            position.play(move)
        found[key_of(position)] = name
    return found


def key_of(position: Position) -> int:
    """Return one key for the eight images of a position.

    The compiled key of the database is taken, since a list asks for some twenty of each game.
    """
    assert isinstance(position, OthelloPosition)
    own, opp = (position.white, position.black) if position.side_to_move else (position.black, position.white)
    return canonical(own, opp, NO_MOVE)[0]


def outcome_of(saved: SavedGame) -> str:
    """Return ``won``, ``lost`` or ``drawn`` for the only person of a game that is over, else nothing."""
    if saved.margin_black is None or len(saved.people) != 1:
        return ""
    margin = -saved.margin_black if COLORS.index(saved.people[0]) else saved.margin_black
    return "drawn" if not margin else "won" if margin > 0 else "lost"


def search_text(saved: SavedGame) -> str:
    """Return what words are looked for in: title, game, players, openings, result and date of a game."""
    facts = (saved.event, saved.spec.game, *saved.players, *openings_of(saved), saved.result, outcome_of(saved))
    return " ".join((*facts, saved.date)).lower()


def has_words(text: str, words: str) -> bool:
    """Tell whether all words stand in a text of :func:`search_text`."""
    return all(word in text for word in words.lower().split())
