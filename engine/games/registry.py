"""The games by name: the built-in ones, those of installed packages, and those in a file of Python.

A new game is a module of this folder, with a function that takes its parameters, and a row here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from quietmove.engine.common.addons import entry_points_of, load
from quietmove.engine.common.text import nearest
from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import Game
from quietmove.engine.games.rules import RULES

GAMES_KEPT = 64  # games that get_game() remembers: each size of a board is another game
GROUP = "quietmove.games"  # a package offers a game by an entry point of this group
BUILT_IN = {  # the functions that make them
    "capture": "quietmove.engine.games.capture:make_game",
    "connect": "quietmove.engine.games.in_a_row.game:make_connect",
    "connect4": "quietmove.engine.games.in_a_row.game:make_connect_four",
    "einstein": "quietmove.engine.games.einstein.game:make_game",
    "nim": "quietmove.engine.games.nim:make_game",
    "othello": "quietmove.engine.games.othello.game:make_game",
    "subtraction": "quietmove.engine.games.subtraction:make_game",
    "tictactoe": "quietmove.engine.games.in_a_row.game:make_tictactoe",
    "tree": "quietmove.engine.games.tree.game:make_game",
    "whist": "quietmove.engine.games.whist.game:make_game",
}


def game_names() -> list[str]:
    """Return the names of all games that can be played: the built-in ones and those that are installed."""
    return sorted({*BUILT_IN, *entry_points_of(GROUP)})


@lru_cache(maxsize=GAMES_KEPT)
def get_game(name: str) -> Game:
    """Return the game called ``name``; its modules are imported now.

    The games that were asked for last are kept, so the same name gives the same game.

    :param name: a name of :func:`game_names`, or ``path/file.py:Class`` relative to the current directory; after a
        blank the parameters that the game takes: ``connect 7x6x4``.
    :raises UnknownGameError: if there is none, or it does not take these parameters.
    """
    word, _, parameters = " ".join(name.split()).partition(" ")
    if word in BUILT_IN:
        make: Callable[[str], Game] = load(BUILT_IN[word])
        return make(parameters)
    from quietmove.engine.games.user.game import open_game  # the games of others take time to import
    from quietmove.engine.games.user.source import GameFile

    if (file := GameFile.read(word)) is not None:
        return open_game(file.value, file, parameters)
    if word in (installed := entry_points_of(GROUP)):
        return open_game(word, installed[word], parameters)
    raise UnknownGameError(f"game: must be one of {', '.join(game_names())}, not {word!r}{nearest_game(name)}")


def known_game(name: str) -> Game:
    """Return the game that a store, a record or another file names; a file of Python is not run for that.

    :raises UnknownGameError: as :func:`get_game`, and for a file that the user has not named to this process.
    """
    if ".py:" in name:
        from quietmove.engine.games.user.source import GameFile

        file = GameFile.of_game(name)
        if file is not None and not file.is_loaded:
            raise UnknownGameError(f"game: {name} is a file of Python, which is run only if you name it: --game {name}")
    return get_game(name)


def nearest_game(name: str) -> str:
    """Return ``; did you mean …?`` for a game that has nearly this name, or is called so by people; else nothing."""
    called = {other: game for game, rules in RULES.items() for other in (*rules.also, _run_together(rules.title))}
    called |= {game: game for game in game_names()}
    near = nearest(_run_together(name), called)
    return f"; did you mean {called[near]!r}?" if near else ""


def _run_together(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
