"""Opening files: lines of moves, positions, or recorded games, checked before the first game.

- ``.obf``: one position per line, 64 squares and the side to move; the text after a semicolon or ``%`` is ignored.
- ``.ggf``, ``.wtb`` (WTHOR) and ``.jsonl`` (a tournament's records): games, whose first moves are the openings.
- ``.pgn`` and ``.sgf``: openings with all their moves, or games, whose first moves are the openings.
- ``built-in``: the Othello openings of this installation.
- ``random``: random openings, all different under the game's symmetries.
- anything else: text with one opening per line: ``f5d6c3``, ``f5 d6 c3`` or ``6 4 4 3 3 6``.
  A tab and the opening's name may follow.

An opening is a tuple of moves in the game's notation. If it does not start at the initial position, its start position
comes first; it contains a blank, unlike any move.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from quietmove.engine.errors import GameError
from quietmove.engine.files import read_bytes
from quietmove.engine.games.base import UNKNOWN_REMAINING, Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.errors import SetupError

Opening = tuple[str, ...]
# A location in the file, the fields of the start position (empty for the initial one), and the moves.
Read = tuple[str, Sequence[str], Sequence[str]]

POSITIONS = ".obf"
WHOLE_GAMES = (".ggf", ".wtb", ".jsonl")
GAMES = (*WHOLE_GAMES, ".pgn", ".sgf")
NAME = re.compile(r"\t.*[a-z]{2}.*", re.IGNORECASE)  # two letters in a row are not part of a move
BUILT_IN = "built-in"
BUILT_IN_FILE = Path(__file__).parents[1] / "data" / "openings.txt"
OF_GAME_FILES = "othello"  # the game of all POSITIONS and GAMES files
RANDOM = "random"  # requests random openings instead of a file
RANDOM_OPENINGS = 5000  # default number of random openings; they repeat after 5,000 pairs of games
RANDOM_PLIES = 8  # length of a random opening in a long game
SHARE_OF_GAME = 5  # a random opening takes at most a fifth of the game
TRIES_PER_OPENING = 2000  # give up after this many failed tries in a row


def read_openings(path: Path, game_name: str, plies: int = 0) -> tuple[Opening, ...]:
    """Return the openings in a file. If several lead to the same position, only the first is returned.

    :param plies: the number of moves to take from each opening, or 0 for all.
    :raises SetupError: naming the file and the line.
    """
    game = get_game(game_name)
    if game.kind == "hidden":
        raise SetupError(f"openings: cannot be used in {game.name}, whose games start with a deal")
    kind = path.suffix.lower()
    if str(path) == BUILT_IN and game.name != OF_GAME_FILES:
        raise SetupError(f"openings: must be a file of {game.name} moves, not {path}, which is for {OF_GAME_FILES}")
    if kind in (POSITIONS, *GAMES) and game.name != OF_GAME_FILES:
        raise SetupError(f"openings: {path}: must be text with {game.name} moves, not a file of {OF_GAME_FILES} games")
    if kind in WHOLE_GAMES and not plies:
        raise SetupError(f"openings: {path} contains whole games, so openings_plies must be given")
    openings: dict[str, Opening] = {}
    reading = _games(path, plies) if kind in GAMES else _positions(path) if kind == POSITIONS else _lines_of(path)
    for place, start, moves in reading:
        try:
            opening, position = _check_opening(game, start, moves, 0 if kind == POSITIONS else plies)
        except GameError as error:
            raise SetupError(f"openings: {path}{place}: {error}") from None
        openings.setdefault(game.format_position(position), opening)
    if not openings:
        example = "64 squares and the side X or O" if kind == POSITIONS else "a game" if kind in GAMES else "f5d6c3"
        raise SetupError(f"openings: {path}: must contain at least one opening, such as {example}")
    return tuple(openings.values())


def in_order(openings: Sequence[Opening], order: str, seed: int) -> list[Opening]:
    """Return the openings in sequential or shuffled order; the same seed gives the same order on every machine."""
    if order == "sequential":
        return list(openings)
    numbers = sorted(range(len(openings)), key=lambda index: hashlib.blake2b(f"{seed}/{index}".encode()).digest())
    return [openings[index] for index in numbers]


def _lines(path: Path) -> list[str]:
    try:
        return read_bytes(BUILT_IN_FILE if str(path) == BUILT_IN else path).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise SetupError(f"openings: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SetupError(f"openings: {path}: must be UTF-8") from None


def _lines_of(path: Path) -> Iterator[Read]:
    for number, text in enumerate(_lines(path), 1):
        if words := NAME.sub("", text.partition("#")[0]).split():
            yield f":{number}", (), words


def _positions(path: Path) -> Iterator[Read]:
    from quietmove.engine.games.othello.game_files.obf import positions_in

    for number, fields, _ in positions_in(_lines(path)):
        yield f":{number}", fields, ()


def _games(path: Path, plies: int) -> Iterator[Read]:
    from quietmove.engine.games.othello.game_files import read_game_file
    from quietmove.engine.games.othello.game_files.game import initial_position, replay

    game = get_game(OF_GAME_FILES)
    try:
        for played in read_game_file(path):
            start = game.format_position(initial_position(played)).split()
            yield (
                f": {played.place}",
                start,
                [game.format_move(move) for _, move in islice(replay(played), plies or None)],
            )
    except GameError as error:
        raise SetupError(f"openings: {path}: {error}") from None


def _check_opening(game: Game, start: Sequence[str], words: Sequence[str], plies: int) -> tuple[Opening, Position]:
    """Return an opening and the position it leads to.

    :param start: the fields of its start position; empty for the game's initial position.
    :raises GameError: if a move cannot be played, there are too few moves, or they end the game.
    """
    usual = game.format_position(game.initial())
    position = game.parse_position(start) if start else game.initial()
    begin = game.format_position(position)
    moves = play_moves(game, position, words) if words else ()
    if len(moves) < plies:
        raise GameError(f"has {len(moves)} moves, but {plies} are needed")
    if plies:
        position = game.parse_position(start) if start else game.initial()
        moves = moves[:plies]
        for move in moves:
            position.play(move)
    if position.is_over():
        raise GameError(f"the game is over after {len(moves)} moves")
    return (*([] if begin == usual else [begin]), *map(game.format_move, moves)), position


def random_openings(game_name: str, count: int, plies: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return ``count`` random openings, or fewer if the game does not have enough. They are the same on every machine.

    The openings with the most balanced static values are chosen from up to twice as many candidates.

    :param plies: the number of moves in each opening; 0 means 8, or a fifth of the game if that is less.
    :raises SetupError: if there are none, or the game has dice or deals.
    """
    game = get_game(game_name)
    if game.kind != "perfect":
        raise SetupError(f"openings: must not be random in a game with dice or deals, such as {game.name}")
    left = game.initial().moves_left()
    plies = plies or max(1, min(RANDOM_PLIES, left // SHARE_OF_GAME if left < UNKNOWN_REMAINING else RANDOM_PLIES))
    lots = random.Random(seed)
    seen = set[str]()
    candidates = list[tuple[int, tuple[str, ...]]]()
    tries = 0
    while len(candidates) < 2 * count and tries < TRIES_PER_OPENING:
        moves = random_moves(game, plies, lots, seen)
        tries = tries + 1 if moves is None else 0
        if moves is not None:
            candidates.append((abs(position_after(game, moves).static_value()), tuple(map(game.format_move, moves))))
    if not candidates:
        raise SetupError(f"openings: in {game.name}, every game is over after {plies} moves")
    limit = sorted(value for value, _ in candidates)[min(count, len(candidates)) - 1]
    return tuple(moves for value, moves in candidates if value <= limit)[:count]


def position_after(game: Game, moves: list[int]) -> Position:
    position = game.initial()
    for move in moves:
        position.play(move)
    return position


def random_moves(game: Game, plies: int, lots: random.Random, seen: set[str]) -> list[int] | None:
    """Return random moves to a position not in ``seen``, and add the position; return None if this try fails."""
    position = game.initial()
    moves = []
    for _ in range(plies):
        legal = sorted(position.legal_moves())
        if not legal:
            return None
        moves.append(legal[int(lots.random() * len(legal))])  # choice() differs between versions of Python
        position.play(moves[-1])
    name = game.canonical(position)
    if position.is_over() or name in seen:
        return None
    seen.add(name)
    return moves
