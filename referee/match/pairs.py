"""The games of a match in pairs: the same opening twice, with colours swapped; and what their records amount to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from quietmove.referee.config.model import COLORS, Adjudication, Color, EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.repeats import PairOfGames, distinct_pairs
from quietmove.referee.match.score import Tally, tally
from quietmove.referee.seats import check_game

__all__ = ["color_of_first", "distinct_games", "pair_games", "pair_of_records", "tally_series"]


def pair_games(
    first: EngineConfig,
    second: EngineConfig,
    games: int,
    openings: Sequence[tuple[str, ...]] = ((),),
    game: str = "othello",
    keep_dialogue: bool = False,
    adjudication: Adjudication | None = None,
) -> list[GameSpec]:
    """Return ``games`` games: each opening twice in a row with colours swapped, ``first`` being Black first.

    Dice and deals are the same in both games of a pair, as the opening is.
    """
    specs = []
    rules = adjudication or Adjudication()
    for index in range(games):
        opening = openings[index // 2 % len(openings)]
        black, white = (first, second) if color_of_first(index) == "black" else (second, first)
        specs.append(check_game(GameSpec(game, opening, black, white, keep_dialogue, index // 2 + 1, rules)))
    return specs


def color_of_first(index: int) -> Color:
    """Return the colour of the first engine in the game with this index."""
    return COLORS[index % 2]


def tally_series(records: Mapping[int, GameRecord]) -> Tally:
    """Return what the first engine scored in the games of :func:`pair_games` that have been played."""
    return tally({index: record.points(color_of_first(index)) for index, record in records.items()})


def distinct_games(records: Mapping[int, GameRecord]) -> dict[int, GameRecord]:
    """Return the games of :func:`pair_games` without the pairs that repeat another exactly."""
    pairs: dict[int, dict[int, GameRecord]] = defaultdict(dict)
    for index in sorted(records):
        pairs[index // 2][index] = records[index]
    kept = distinct_pairs({number: pair_of_records(games) for number, games in pairs.items()})
    return {index: record for index, record in records.items() if index // 2 in kept}


def pair_of_records(games: Mapping[int, GameRecord]) -> PairOfGames:
    """Return the one or two games of a pair, by their indices, as it is compared with others."""
    played = {
        color_of_first(index): (tuple(move.move for move in record.moves), record.reason, record.points_black)
        for index, record in games.items()
    }
    return PairOfGames(start=next(iter(games.values())).spec.opening, games=played)
