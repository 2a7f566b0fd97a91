"""A game that was put aside, as a file of JSON; no file is written over that holds anything but its beginning."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from quietmove.engine.errors import GameFileError, QuietmoveError
from quietmove.engine.files import refuse_special
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.play.game import GameInProgress
from quietmove.referee.play.opponents import Opponent

__all__ = ["SavedGame", "is_program", "new_path", "read_game", "write_game"]

FORM = "quietmove game"
SIDES = ("first", "second")
STRENGTH = ("level", "depth", "nodes", "seconds")  # of the fields of an opponent those that a file holds
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SavedGame:
    """What a file holds.

    :param game: the game's name with its parameters.
    :param seed: what all chance in it follows from, a deal too.
    :param moves: from the beginning on, in their canonical form.
    :param humans: the sides that people play, of :data:`SIDES`.
    :param opponent: None for another engine: no file tells which program to run.
    """

    game: str
    seed: int
    moves: tuple[str, ...]
    humans: tuple[str, ...]
    opponent: Opponent | None

    @classmethod
    def of(cls, game: GameInProgress, humans: frozenset[int], opponent: Opponent) -> SavedGame:
        """Return the values to be saved."""
        names = tuple(SIDES[side] for side in sorted(humans))
        return cls(game.game.name, game.seed, tuple(game.texts()), names, None if opponent.engine else opponent)

    def replay(self) -> GameInProgress:
        """Return the game as it stood.

        :raises QuietmoveError: if there is no such game, or a move is not legal.
        """
        rules = get_game(self.game)
        found = GameInProgress(rules, self.seed)
        found.moves += play_moves(rules, found.position, self.moves)
        return found

    def begins(self, other: SavedGame) -> bool:
        """Tell whether ``other`` is this game with more moves, or the same."""
        same = (self.game, self.seed) == (other.game, other.seed)
        return same and self.moves == other.moves[: len(self.moves)]


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
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: no path can be this text
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None
    try:
        content = json.loads(data) if len(data) <= MOST_BYTES else None
    except (ValueError, RecursionError):  # no JSON, not UTF-8, or lists within lists without end
        content = None
    if not isinstance(content, dict) or content.get(FORM) != 1:
        raise GameFileError(f"{path}: a game that 'quietmove play' has saved is allowed; this is none")
    try:
        saved = from_json(content)
        if is_program(saved.game) and saved.game != named:
            came = f"{named} came" if named else "no --game came"
            raise GameFileError(f"its game is a program, {saved.game}, and is run if --game names it too; {came}")
        saved.replay()
    except QuietmoveError as error:
        raise GameFileError(f"{path}: {error}") from None
    return saved


def from_json(content: dict[str, object]) -> SavedGame:
    """Return the game that a JSON object describes.

    :raises GameFileError, LimitsError: naming the key that is wrong.
    """
    game, seed, moves = content.get("game"), content.get("seed"), content.get("moves")
    humans, opponent = content.get("humans"), content.get("opponent")
    if not isinstance(game, str):
        raise GameFileError(f"game: the name of a game is allowed, {game!r} came")
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 1 << 31:
        raise GameFileError(f"seed: a whole number from 0 to {(1 << 31) - 1} is allowed, {seed!r} came")
    if not isinstance(moves, str):
        raise GameFileError(f"moves: a text is allowed, {moves!r} came")
    if not isinstance(humans, list) or not humans or not all(each in SIDES for each in humans):
        raise GameFileError(f"humans: a list of {' and '.join(SIDES)} is allowed, {humans!r} came")
    if opponent is not None and (not isinstance(opponent, dict) or set(opponent) - set(STRENGTH)):
        raise GameFileError(f"opponent: null or an object with {', '.join(STRENGTH)} is allowed, {opponent!r} came")
    chosen = None if opponent is None else Opponent(**opponent)
    if chosen is not None:
        chosen.check()
    return SavedGame(game, seed, tuple(moves.split()), tuple(sorted(set(humans))), chosen)


def write_game(saved: SavedGame, path: Path) -> None:
    """Write a game to a file that does not exist, or holds the beginning of this game.

    :raises GameFileError: if it exists and holds anything else, or it cannot be written.
    """
    there = os.path.lexists(path)
    if there and not holds_beginning(path, saved):
        raise GameFileError(f"{path}: it holds another game; a new file, or this game's, is allowed")
    content = {
        FORM: 1,
        "game": saved.game,
        "seed": saved.seed,
        "moves": " ".join(saved.moves),
        "humans": saved.humans,
        "opponent": saved.opponent and {name: getattr(saved.opponent, name) for name in STRENGTH},
    }
    target = path.with_name(f".{path.name}.{os.getpid()}") if there else path  # what is there is replaced in one step
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=2) + "\n")
        target.replace(path)
    except (OSError, ValueError) as error:
        raise GameFileError(f"{path}: {getattr(error, 'strerror', error)}") from None


def holds_beginning(path: Path, saved: SavedGame) -> bool:
    """Tell whether a file holds the beginning of a game, or all of it."""
    try:
        return path.is_file() and read_game(path, saved.game).begins(saved)
    except GameFileError:
        return False


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
