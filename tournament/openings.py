"""Openings: the list that is shipped, and how a list is read."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import GameError
from engine.games.base import get_game
from tournament.errors import OpeningsError

__all__ = ["BUILT_IN_OPENINGS", "parse_opening", "read_openings"]

BUILT_IN_OPENINGS = Path(__file__).parent / "data" / "openings.txt"
RUN_TOGETHER = re.compile(r"(?:[a-h][1-8])+", re.IGNORECASE)


def read_openings(game: str, path: Path) -> tuple[tuple[str, ...], ...]:
    """Read an opening list: one opening a line; blank lines and what follows a ``#`` do not count.

    :raises OpeningsError: naming file and line of everything that is no opening.
    :raises UnknownGameError: if there is no such game.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise OpeningsError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OpeningsError(f"{path}: not UTF-8") from None
    openings, problems = [], []
    for number, line in enumerate(text.splitlines(), 1):
        moves = line.partition("#")[0].strip()
        if not moves:
            continue
        try:
            openings.append(parse_opening(game, moves))
        except OpeningsError as error:
            problems.append(f"{path}:{number}: {error}")
    if problems or not openings:
        raise OpeningsError("\n".join(problems) or f"{path}: holds no opening")
    return tuple(openings)


def parse_opening(game: str, text: str) -> tuple[str, ...]:
    """Return the moves of one opening from the initial position, in the project's notation.

    :param text: moves in any notation of the game; squares may run together (``f5d6c3``). Empty for no move at all.
    :raises OpeningsError: if a move is none, or not legal.
    """
    rules = get_game(game)
    position = rules.initial()
    tokens = [part for token in text.split() for part in _parts(token)]
    moves: list[str] = []
    while tokens:
        width = rules.move_width(tokens, 0)
        try:
            move = rules.parse_move(position, " ".join(tokens[:width]))
        except GameError as error:
            raise OpeningsError(f"move {len(moves) + 1}: {error}") from None
        position.play(move)
        moves.append(rules.format_move(move))
        del tokens[:width]
    if position.is_over():
        raise OpeningsError("the game is over after it")
    return tuple(moves)


def _parts(token: str) -> list[str]:
    return re.findall("..", token) if RUN_TOGETHER.fullmatch(token) else [token]
