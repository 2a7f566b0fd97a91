"""Database queries: the moves played in a position with their results, and the games.

The eight symmetric images of a position count as one, and so do symmetric moves on a symmetric board: the four possible
first moves of a game are one move, ``f5``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from operator import rshift
from typing import Any

from quietmove.addons.library.database.store import ENTRY, GameDatabase, unpacked
from quietmove.engine.errors import PositionError
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.notation import format_square
from quietmove.engine.games.othello.symmetry import MAX_DISCS, NO_MOVE, canonical


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter for the games to count.

    :ivar player: part of a player's name, case-insensitive; empty for all games.
    :ivar side: the player's side, 0 for Black and 1 for White; None for either.
    :ivar years: the first and last year; None for all games, including those without a year.
    """

    player: str = ""
    side: int | None = None
    years: tuple[int, int] | None = None


ALL = Filter()


@dataclass(frozen=True, slots=True)
class MoveCount:
    """The number of games in which a move was played, and their results for the side that played it.

    A game with an unknown result counts only in ``games``.
    """

    move: int
    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a query about a position.

    :ivar games: the number of games with the position, including those that ended there.
    :ivar moves: the moves played, most frequent first.
    :ivar numbers: the game numbers, most recently added first, up to the requested count.
    """

    games: int
    moves: tuple[MoveCount, ...]
    numbers: Sequence[int]

    def as_object(self) -> dict[str, Any]:
        """Return the counts as a dictionary that can be encoded as JSON."""
        moves = [
            {
                "move": format_square(each.move),
                "games": each.games,
                "wins": each.wins,
                "draws": each.draws,
                "losses": each.losses,
            }
            for each in self.moves
        ]
        return {"games": self.games, "moves": moves}


def ask(database: GameDatabase, position: OthelloPosition, wanted: Filter = ALL, listed: int | None = None) -> Answer:
    """Return the moves played in a position in a database's games, and those games' numbers.

    :param listed: the maximum number of game numbers to return, or None for all, which takes longer than counting.
    :raises PositionError: if the position has more discs than any indexed position.
    :raises DatabaseError: if the database cannot be read.
    """
    position = position.copy()
    passed = position.legal_moves() == [PASS]
    if passed:
        position.play(PASS)
    own, opp = position.black, position.white
    if position.side_to_move:
        own, opp = opp, own
    if (own | opp).bit_count() > MAX_DISCS:
        made = (own | opp).bit_count() - 4
        most = MAX_DISCS - 4
        raise PositionError(f"position: must be reached within {most} moves, not {made}")
    entries = database.entries(canonical(own, opp, NO_MOVE)[0])
    counts = entries[::ENTRY]
    words = memoryview(entries).cast("I")
    if wanted == ALL:
        numbers = list(map(rshift, words[::-1][:listed], repeat(8)))
    else:
        allowed = database.numbers_of(wanted.player, wanted.years, wanted.side)
        all_numbers = list(map(rshift, words, repeat(8)))
        chosen = [number in allowed for number in all_numbers]
        counts = bytes(compress(counts, chosen))
        numbers = list(compress(all_numbers, chosen))[::-1][:listed]
    found = Counter(counts)
    if passed:
        ends = Counter[int]()
        for low, count in found.items():
            ends[low & 3] += count
        row = MoveCount(PASS, len(counts), ends[3], ends[2], ends[1])
        return Answer(len(counts), (row,) if counts else (), numbers)
    return Answer(len(counts), tuple(_moves(position, own, opp, found)), numbers)


def _moves(position: OthelloPosition, own: int, opp: int, found: Counter[int]) -> list[MoveCount]:
    """Return the moves played in a position with their counts, most frequent first.

    :param found: the number of entries with each first byte.
    """
    named: dict[int, int] = {}
    # Symmetric moves are named after the last of them in this order, which is the rightmost.
    for move in sorted(position.legal_moves(), key=lambda move: (move % 8, -move)):
        if move != PASS:
            named[canonical(own, opp, move)[1]] = move
    rows = [
        MoveCount(move, sum(ends), ends[1], ends[2], ends[3])
        for turned, move in named.items()
        if sum(ends := [found[turned << 2 | end] for end in range(4)])
    ]
    return sorted(rows, key=lambda row: (-row.games, row.move))


def played(database: GameDatabase, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield a dictionary for each game: ``black``, ``white``, ``result``, ``event``, ``date``, ``moves`` and ``start``.

    Unknown values are empty. The moves are as played, even if the game reached a symmetric image of the position.
    """
    for moves, margin, black, white, event, year, date, start in database.games(numbers):
        discs = "" if margin is None else f"{(64 + margin) // 2}-{64 - (64 + margin) // 2}"
        yield {
            "black": database.name(black),
            "white": database.name(white),
            "result": discs,
            "event": database.name(event),
            "date": date or str(year or ""),
            "moves": "".join(map(format_square, unpacked(moves))),
            "start": start or "",
        }
