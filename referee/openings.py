"""Files of openings: one per line, in any notation, checked before a game is played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Game, get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.errors import SetupError

__all__ = ["read_openings"]


def read_openings(path: Path, game_name: str) -> tuple[tuple[str, ...], ...]:
    """Return the openings in the file ``path``, each as its moves, as the game writes them.

    A line is ``f5d6c3``, ``f5 d6 c3`` or ``6 4 4 3 3 6``; ``#`` begins a comment, and empty lines are skipped.

    :raises SetupError: naming the file and the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SetupError(f"openings: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SetupError(f"openings: {path} is no text in UTF-8") from None
    game = get_game(game_name)
    if game.kind == "hidden":
        raise SetupError(f"openings: {path}: {game.name} takes none; its games begin with the deal of their seed")
    openings = []
    for number, line in enumerate(lines, 1):
        tokens = line.partition("#")[0].split()
        if tokens:
            try:
                openings.append(_read_moves(game, tokens))
            except GameError as error:
                raise SetupError(f"openings: {path}:{number}: {error}") from None
    if not openings:
        raise SetupError(f"openings: {path} holds none; one per line is expected, such as f5d6c3")
    return tuple(openings)


def _read_moves(game: Game, tokens: Sequence[str]) -> tuple[str, ...]:
    position = game.initial()
    moves = play_moves(game, position, tokens)
    if position.is_over():
        raise GameError("the game is over after these moves")
    return tuple(map(game.format_move, moves))
