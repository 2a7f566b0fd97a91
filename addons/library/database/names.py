"""Names for games of a WTHOR file without its lists of names, from the same games in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from quietmove.addons.library.database.add import default_database
from quietmove.addons.library.database.store import ENTRY, GameDatabase, board_of, packed
from quietmove.engine.errors import DatabaseError
from quietmove.engine.games.othello.board import PASS
from quietmove.engine.games.othello.game_files.game import PlayedGame
from quietmove.engine.games.othello.symmetry import trace


def with_names(games: Iterable[PlayedGame]) -> Iterator[PlayedGame]:
    """Yield the games; those without players get the names of the same game in the default database, if it is there."""
    try:
        database = GameDatabase(default_database())
    except DatabaseError:  # there is none, or it is damaged: the explorer reports it
        yield from games
        return
    with database:
        for game in games:
            yield game if any(game.players) else _named(database, game)


def _named(database: GameDatabase, game: PlayedGame) -> PlayedGame:
    own, opp, _ = board_of(None)
    moves = bytes(move for move in game.moves if move != PASS)
    entries = database.entries(positions[-1][0]) if (positions := trace(own, opp, moves)) else b""
    for at in range(1, len(entries), ENTRY):
        ((known, _, black, white, event, year, *_),) = database.games([int.from_bytes(entries[at : at + 3], "little")])
        if known == packed(moves) and str(year or "") == game.date:
            return replace(game, players=(database.name(black), database.name(white)), event=database.name(event))
    return game
