"""A game that was put aside, as a file of JSON."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quietmove.engine.errors import GameFileError, QuietmoveError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.search.levels import FULL_STRENGTH
from quietmove.referee.config.model import TimeControl
from quietmove.referee.config.validation import explain_first
from quietmove.referee.play.game import GameInProgress
from quietmove.referee.play.opponents import Opponent

__all__ = ["SavedGame", "is_program", "new_path", "read_game", "write_game"]

SIDES: tuple[Literal["first"], Literal["second"]] = ("first", "second")
MOST_BYTES = 1 << 20


class Strength(BaseModel):
    """How strong this engine plays."""

    model_config = ConfigDict(strict=True, frozen=True)

    level: Annotated[int, Field(ge=0, le=FULL_STRENGTH)] = FULL_STRENGTH
    limit: str = ""


class SavedGame(BaseModel):
    """What a file holds.

    :ivar quietmove_game: the version of the file's form.
    :ivar game: the game's name with its parameters.
    :ivar seed: what all chance in it follows from, a deal too.
    :ivar moves: from the beginning on, in their canonical form.
    :ivar humans: the sides that people play.
    :ivar opponent: None for another engine: no file tells which program to run.
    """

    model_config = ConfigDict(strict=True, frozen=True)

    quietmove_game: Literal[1]
    game: str
    seed: Annotated[int, Field(ge=0, lt=1 << 31)]
    moves: str
    humans: Annotated[tuple[Literal["first", "second"], ...], Field(min_length=1)]
    opponent: Strength | None

    @classmethod
    def of(cls, game: GameInProgress, humans: frozenset[int], opponent: Opponent) -> SavedGame:
        """Return the values to be saved."""
        strength = None if opponent.engine else Strength(level=opponent.level, limit=opponent.limit)
        sides = tuple(SIDES[side] for side in sorted(humans))
        return cls(
            quietmove_game=1,
            game=game.game.name,
            seed=game.seed,
            moves=" ".join(game.texts()),
            humans=sides,
            opponent=strength,
        )

    @property
    def sides(self) -> frozenset[int]:
        """The sides that people play."""
        return frozenset(SIDES.index(each) for each in self.humans)

    def opponent_or(self, other: Opponent) -> Opponent:
        """Return the opponent, ``other`` where the file does not tell it."""
        return other if self.opponent is None else Opponent(self.opponent.level, self.opponent.limit)

    def replay(self) -> GameInProgress:
        """Return the game as it stood.

        :raises QuietmoveError: if there is no such game, or a move is not legal.
        """
        rules = get_game(self.game)
        found = GameInProgress(rules, self.seed)
        found.moves += play_moves(rules, found.position, self.moves.split())
        return found


def is_program(game: str) -> bool:
    """Tell whether a game of this name is a file of Python, which is run when the game is opened."""
    return GameFile.of_game(game) is not None


def read_game(path: Path, named: str = "") -> SavedGame:
    """Return the game in a file.

    :param named: the name of a game that the person has chosen; of those that are programs only this one is run.
    :raises GameFileError: if it cannot be read, or holds no game, or one that is a program and was not chosen.
    """
    refuse_special(path, GameFileError)
    try:
        with path.open("rb") as file:
            saved = SavedGame.model_validate_json(file.read(MOST_BYTES))
        if is_program(saved.game) and saved.game != named:
            raise GameFileError(
                f"its game is a program, {saved.game}, and is run if --game names it too, not {named or 'nothing'}"
            )
        if saved.opponent and saved.opponent.limit:
            TimeControl.parse(saved.opponent.limit)
        saved.replay()
    except ValidationError as error:
        raise GameFileError(f"{path}: {explain_first(error, SavedGame, 'a saved game')}") from None
    except (OSError, ValueError, QuietmoveError) as error:  # ValueError: no path can be this text
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None
    return saved


def write_game(saved: SavedGame, path: Path, *, replaces: bool) -> None:
    """Write a game to a file.

    :param replaces: whether the file is the game's own, so that what it holds is replaced, in one step.
    :raises GameFileError: if it cannot be written, or is there already and not the game's own.
    """
    target = path.with_name(f".{path.name}.{os.getpid()}") if replaces else path
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(saved.model_dump_json(indent=2) + "\n")
        target.replace(path)
    except FileExistsError:
        raise GameFileError(f"{path}: must be a new file, or this game's own") from None
    except (OSError, ValueError) as error:
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None


def new_path(game: str) -> Path:
    """Return a path that does not exist yet, for a game of this name, in the user's folder for data, which is made.

    :raises GameFileError: if there is no such folder and it cannot be made.
    """
    word = re.sub(r"[^\w]+", "-", Path(game.rpartition(":")[0] or game).stem.lower())
    stem = f"{word}-{time.strftime('%Y-%m-%d-%H%M%S')}"
    try:
        named = Path(os.environ.get("XDG_DATA_HOME", ""))
        data = named if named.is_absolute() else Path.home() / ".local" / "share"  # as the XDG specification asks
        folder = data / "quietmove" / "games"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home directory
        raise GameFileError(f"no folder for games: {error}") from None
    path, number = folder / f"{stem}.json", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.json"
    return path
