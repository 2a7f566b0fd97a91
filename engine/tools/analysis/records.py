"""Loading games for review: typed moves, transcripts of any game, or Othello's game files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.files import read_bytes
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.othello.game_files import (
    READERS,
    PlayedGame,
    ending_of,
    json_lines,
    read_game_file,
    replay,
)
from quietmove.engine.games.othello.game_files.game import Losses
from quietmove.engine.games.othello.game_files.text_lines import read_lines
from quietmove.engine.protocol.notation import written_moves

OTHELLO = "othello"
TEXT = ".txt"  # one transcript per line
RECORDS = ".jsonl"  # one record per line, of any game
FILE_NAME = re.compile(r"(?s).*[/\\].*|.*\.[A-Za-z]+")  # text of this form is treated as a file name


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """A game to review.

    :param place: the file and the location in it, or ``transcript`` if it was typed.
    :param moves: the moves from ``start``, including forced passes.
    :param players: the names of the first and second player, or "" if unknown.
    """

    place: str
    game: Game
    start: Position
    moves: tuple[int, ...]
    players: tuple[str, str] = ("", "")


def read_records(text: str, game: Game, number: int | None = None, losses: Losses | None = None) -> list[ReviewedGame]:
    """Return the games in the file named by ``text``, or the single game whose moves ``text`` spells.

    :param number: the number of the only game to read, from 1, or None for all. Errors in other games are ignored.
    :param losses: if it has a list of ``problems``, damaged games of a file with other games are added to it and
        skipped.
    :raises GameFileError: with the location, the number of the move and the problem.
    """
    path = Path(text)
    is_file = bool(text.strip()) and (is_there(path) or FILE_NAME.fullmatch(text) is not None)
    try:
        if not is_file:
            if number not in (None, 1):
                raise GameFileError(f"--game-number: must be from 1 to 1, not {number}")
            return [game_of_text("transcript", text, game)]
        readers = list(read_file(path, game))
        if not readers:
            raise GameFileError("it contains no games")
        if number is not None and number > len(readers):
            raise GameFileError(f"--game-number: must be from 1 to {len(readers)}, not {number}")
        if losses is None or number is not None or len(readers) == 1:
            losses = Losses()
        records = list(losses.read_each(readers if number is None else readers[number - 1 : number]))
    except GameFileError as error:
        raise GameFileError(f"{path}: {error}" if is_file else str(error)) from None
    except OSError as error:
        raise GameFileError(f"{path}: {error.strerror or error}") from None
    if not records:
        raise GameFileError(losses.named_problems(path))
    return [replace(record, place=f"{path.name}, {record.place}") for record in records]


def is_there(path: Path) -> bool:
    """Return whether ``path`` exists. It does not need to be a valid path."""
    try:
        return path.exists()
    except (OSError, ValueError):  # the argument may be a whole transcript, too long for a file name
        return False


def read_file(path: Path, game: Game) -> Iterator[Callable[[], ReviewedGame]]:
    kinds = list(READERS) if game.name == OTHELLO else [TEXT, RECORDS]
    if ending_of(path) not in kinds:
        raise GameFileError(f"for {game.name}, expected moves or a file ending in {', '.join(kinds)}")
    if path.suffix.lower() == TEXT and game.name != OTHELLO:
        text = read_bytes(path).decode("utf-8-sig", "replace")  # invalid text is reported when the moves are parsed
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield partial(game_of_text, f"line {number}", line, game)
    elif path.suffix.lower() == RECORDS:
        yield from read_json(path, game)
    else:
        yield from of_games(path, game)


def of_games(path: Path, game: Game) -> Iterator[Callable[[], ReviewedGame]]:
    """Yield a function for each game of Othello in a file, which returns the game or raises its damage."""
    problems = list[str]()  # those that have not been yielded yet
    try:
        for played in read_game_file(path, Losses(problems=problems)):
            yield from (partial(fail, problem) for problem in problems)
            problems.clear()
            yield partial(game_of_file, played, game)
    except GameFileError as error:
        problems.append(str(error))
    yield from (partial(fail, problem) for problem in problems)


def fail(problem: str) -> ReviewedGame:
    raise GameFileError(problem)


def read_json(path: Path, game: Game) -> Iterator[Callable[[], ReviewedGame]]:
    names = set[str]()
    for place, line in read_lines(path):
        if not line.strip():
            continue
        try:
            data = json_lines.parse(place, line)
            spec = json_lines.member(place, data, "spec", dict) or {}
            name = json_lines.member(place, spec, "game", str) or OTHELLO
            played = json_lines.read_game(place, data, spec) if name == game.name == OTHELLO else None
        except GameFileError as error:
            yield partial(fail, str(error))
            continue
        names.add(name)
        if played is not None:
            yield partial(game_of_file, played, game)
        elif name == game.name:
            yield partial(game_of_record, place, data, spec, game)
    if names and game.name not in names:
        listed = ", ".join(sorted(names))
        raise GameFileError(f"it contains games of {listed}, not of {game.name}; choose the game with --game")


def game_of_record(place: str, data: dict[str, Any], spec: dict[str, Any], game: Game) -> ReviewedGame:
    """Return a game of any kind from a JSON record."""
    keys = ((data, "start", str), (data, "moves", list), (spec, "seed", int))
    start, found, seed = (json_lines.member(place, *each) for each in keys)
    players = [json_lines.member(place, spec, color, dict) or {} for color in ("black", "white")]
    first, second = (str(each.get("name", "")) for each in players)
    moves: list[int] = []
    try:
        begin = game.parse_position(start.split()) if start else game.begin(seed or 0)
        position = begin.copy()
        for each in found or ():
            moves.append(game.parse_move(position, str(each.get("move")) if isinstance(each, dict) else str(each)))
            position.play(moves[-1])
    except GameError as error:
        raise GameFileError(f"{place}: move {len(moves) + 1}: {error}") from None
    if not moves:
        raise GameFileError(f"{place}: must have at least one move")
    return ReviewedGame(place, game, begin, tuple(moves), (first, second))


def game_of_text(place: str, text: str, game: Game) -> ReviewedGame:
    """Return the game whose moves ``text`` spells in any notation. Forced passes can be omitted."""
    position = game.initial()
    moves: list[int] = []
    try:
        for move in written_moves(game, position, [text]):
            moves.append(move)
            position.play(move)
    except GameError as error:
        raise GameFileError(f"{place}: {error}") from None
    if not moves:
        raise GameFileError(f"{place}: must have at least one move")
    return ReviewedGame(place, game, game.initial(), tuple(moves))


def game_of_file(played: PlayedGame, game: Game) -> ReviewedGame:
    """Return a game of Othello read from a file."""
    moves = tuple(move for _, move in replay(played))
    return ReviewedGame(played.place, game, game.parse_position(played.board), moves, played.players)
