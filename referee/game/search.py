"""What a search of the kept games looks through, in the page and in the terminal."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from itertools import islice

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.othello.trace import NO_MOVE, canonical
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.saved import SavedGame


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
