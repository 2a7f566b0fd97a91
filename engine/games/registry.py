"""The registry of games: built-in games, games of add-ons and installed packages, and games in Python files.

To add a game, write a module with a class or a function that takes the game's parameters, and add it to
:data:`BUILT_IN` or to the ``games`` of an add-on.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

from quietmove.engine.common.addons import added, entry_points_of, installed, load
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import nearest
from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.base import Game

GAMES_KEPT = 64  # cache size of get_game(): each board size is a separate game
GROUP = "quietmove.games"  # packages register games as entry points in this group
BUILT_IN = {  # the function that creates each game
    "connect": "quietmove.engine.games.in_a_row.game:make_connect",
    "connect4": "quietmove.engine.games.in_a_row.game:make_connect_four",
    "othello": "quietmove.engine.games.othello.game:make_game",
    "tictactoe": "quietmove.engine.games.in_a_row.game:make_tictactoe",
}


def game_names() -> list[str]:
    """Return the names of all available games: built-in and installed."""
    of_addons = {name for addon in installed().values() for name in addon.games}
    return sorted({*BUILT_IN, *of_addons, *entry_points_of(GROUP)})


@lru_cache(maxsize=GAMES_KEPT)
def get_game(name: str) -> Game:
    """Return the game called ``name``, importing its modules on demand.

    Games are cached, so that the same name returns the same object.

    :param name: a name from :func:`game_names`, or ``path/file.py:Class`` relative to the current directory, optionally
        followed by a space and the game's parameters: ``connect 7x6x4``.
    :raises UnknownGameError: if there is no such game, or it rejects the parameters.
    :raises AddonError: if two add-ons claim a game.
    """
    word, _, parameters = " ".join(name.split()).partition(" ")
    if word in BUILT_IN:
        built_in: Game = load(BUILT_IN[word])(parameters)
        return built_in
    from quietmove.engine.games.user.game import open_game  # imported on demand: only users' games need it
    from quietmove.engine.games.user.source import GameFile

    if (file := GameFile.read(word)) is not None:
        return open_game(file.value, file, parameters)
    if location := added("games", core=BUILT_IN).get(word):
        return open_game(word, location, parameters)
    if point := entry_points_of(GROUP).get(word):
        return open_game(word, point.value, parameters)
    raise UnknownGameError(f"game: must be one of {', '.join(game_names())}, not {word!r}{nearest_game(name)}")


def known_game(name: str) -> Game:
    """Return a game named in a store, a record or another file, without running a Python file for it.

    :raises UnknownGameError: as :func:`get_game`, and for a Python file that this process has not loaded yet.
    """
    if ".py:" in name:
        from quietmove.engine.games.user.source import GameFile

        file = GameFile.of_game(name)
        if file is not None and not file.is_loaded:
            raise UnknownGameError(f"game: {name} is a Python file; to run it, pass --game {name}")
    return get_game(name)


def nearest_game(name: str) -> str:
    """Return ``; did you mean …?`` for the game with the most similar name or nickname, or "" if none is similar."""
    called: dict[str, str] = {}
    for game in game_names():
        with suppress(QuietmoveError):  # such as an installed game that cannot be created
            rules = get_game(game).rules
            called |= dict.fromkeys((*rules.also, _run_together(rules.title)), game)
    called |= {game: game for game in game_names()}
    near = nearest(_run_together(name), called)
    return f"; did you mean {called[near]!r}?" if near else ""


def _run_together(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
