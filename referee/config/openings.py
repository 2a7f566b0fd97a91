"""Files of openings: lines of moves, positions, or games that were played; checked before a game is played.

- ``.obf``: a position a line, 64 squares and the side to move; what follows a semicolon or ``%`` is not needed here.
- ``.ggf``, ``.wtb`` (WTHOR) and ``.jsonl`` (the records of a tournament): games, whose first moves are the openings.
- the word ``built-in`` stands for the list of this installation, which is of Othello.
- the word ``random`` stands for openings at random, no two alike in the game's symmetries.
- anything else is a text with an opening a line: ``f5d6c3``, ``f5 d6 c3`` or ``6 4 4 3 3 6``.

An opening is a tuple of moves, as the game writes them. One that begins in another position than the game has that
position, as the game writes it, before its moves: a text with a blank, which no move is.
"""

from __future__ import annotations

import hashlib
import random
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
# A place in the file, the words of the position that the opening begins in (none for the usual one), and its moves.
Read = tuple[str, Sequence[str], Sequence[str]]

POSITIONS = ".obf"
GAMES = (".ggf", ".wtb", ".jsonl")
BUILT_IN = "built-in"
BUILT_IN_FILE = Path(__file__).parents[1] / "data" / "openings.txt"
OF_GAME_FILES = "othello"  # files of POSITIONS and GAMES are of this game
RANDOM = "random"  # this word in the place of a file asks for random openings
RANDOM_OPENINGS = 5000  # openings come again after 5,000 pairs of games
RANDOM_PLIES = 8  # moves of a random opening where the game is long
SHARE_OF_GAME = 5  # a random opening is at most a fifth of the game
TRIES_PER_OPENING = 2000  # the search for openings ends after 2,000 failed tries in a row


def read_openings(path: Path, game_name: str, plies: int = 0) -> tuple[Opening, ...]:
    """Return the openings in the file ``path``; of those that lead to the same position, the first.

    :param plies: how many moves of each are taken; 0 for all.
    :raises SetupError: naming the file and the line.
    """
    game = get_game(game_name)
    if game.kind == "hidden":
        raise SetupError(f"openings: must be none in {game.name}, whose games begin with a deal, not {path}")
    kind = path.suffix.lower()
    if str(path) == BUILT_IN and game.name != OF_GAME_FILES:
        raise SetupError(f"openings: must be a file of moves in {game.name}, not {path}, which is of {OF_GAME_FILES}")
    if kind in (POSITIONS, *GAMES) and game.name != OF_GAME_FILES:
        raise SetupError(f"openings: {path}: must be a text of moves in {game.name}, not a file of {OF_GAME_FILES}")
    if kind in GAMES and not plies:
        raise SetupError(f"openings: must be given with openings_plies where they are whole games, not {path} alone")
    found: dict[str, Opening] = {}
    reading = _games(path, plies) if kind in GAMES else _positions(path) if kind == POSITIONS else _lines_of(path)
    for place, start, moves in reading:
        try:
            opening, position = _check_opening(game, start, moves, 0 if kind == POSITIONS else plies)
        except GameError as error:
            raise SetupError(f"openings: {path}{place}: {error}") from None
        found.setdefault(game.format_position(position), opening)
    if not found:
        example = "64 squares and the side X or O" if kind == POSITIONS else "a game" if kind in GAMES else "f5d6c3"
        raise SetupError(f"openings: {path}: must hold one at least, such as {example}")
    return tuple(found.values())


def in_order(openings: Sequence[Opening], order: str, seed: int) -> list[Opening]:
    """Return the openings as ``order`` says, shuffled by ``seed`` alike on every machine."""
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
        if words := text.partition("#")[0].split():
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
            yield f": {played.place}", start, [game.format_move(move) for _, move in islice(replay(played), plies)]
    except GameError as error:
        raise SetupError(f"openings: {path}: {error}") from None


def _check_opening(game: Game, start: Sequence[str], words: Sequence[str], plies: int) -> tuple[Opening, Position]:
    """Return an opening and the position that it leads to.

    :param start: the words of the position that it begins in; none for the game's usual one.
    :raises GameError: if a move cannot be played, there are too few, or the game is over after them.
    """
    usual = game.format_position(game.initial())
    position = game.parse_position(start) if start else game.initial()
    begin = game.format_position(position)
    moves = play_moves(game, position, words) if words else ()
    if len(moves) < plies:
        raise GameError(f"{len(moves)} moves; {plies} are to be taken")
    if plies:
        position = game.parse_position(start) if start else game.initial()
        moves = moves[:plies]
        for move in moves:
            position.play(move)
    if position.is_over():
        raise GameError(f"the game is over after {len(moves)} moves")
    return (*([] if begin == usual else [begin]), *map(game.format_move, moves)), position


def random_openings(game_name: str, count: int, plies: int, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return up to ``count`` openings of random moves, the same on every machine; fewer where a game has no more.

    Twice as many are looked for, and those are taken whose static value is nearer to level.

    :param plies: moves in each of them; 0 for 8, or a fifth of the game where that is less.
    :raises SetupError: if there are none.
    """
    game = get_game(game_name)
    if game.kind != "perfect":
        raise SetupError(f"openings: must not be random in a game with dice or deals, such as {game.name}")
    left = game.initial().moves_left()
    plies = plies or max(1, min(RANDOM_PLIES, left // SHARE_OF_GAME if left < UNKNOWN_REMAINING else RANDOM_PLIES))
    lots = random.Random(seed)
    seen = set[str]()
    found = list[tuple[int, tuple[str, ...]]]()
    tries = 0
    while len(found) < 2 * count and tries < TRIES_PER_OPENING:
        moves = random_moves(game, plies, lots, seen)
        tries = tries + 1 if moves is None else 0
        if moves is not None:
            found.append((abs(position_after(game, moves).static_value()), tuple(map(game.format_move, moves))))
    if not found:
        raise SetupError(f"openings: {game.name} has no position after {plies} moves that is not over")
    limit = sorted(value for value, _ in found)[min(count, len(found)) - 1]
    return tuple(moves for value, moves in found if value <= limit)[:count]


def position_after(game: Game, moves: list[int]) -> Position:
    position = game.initial()
    for move in moves:
        position.play(move)
    return position


def random_moves(game: Game, plies: int, lots: random.Random, seen: set[str]) -> list[int] | None:
    """Return random moves to a position that is not among ``seen``, and add it; ``None`` if this try led to none."""
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
