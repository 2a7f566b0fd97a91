"""The games of a match in pairs: the same opening twice, with colours swapped; and what their records amount to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from quietmove.referee.config.model import COLORS, Adjudication, Color, EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.repeats import PairOfGames, PlayedGame
from quietmove.referee.match.score import Score, Tally
from quietmove.referee.process.launch import with_seed
from quietmove.referee.seats import check_game

__all__ = ["color_of_first", "pair_games", "score_of"]


def pair_games(
    first: EngineConfig,
    second: EngineConfig,
    games: int,
    openings: Sequence[tuple[str, ...]] = ((),),
    game: str = "othello",
    keep_dialogue: bool = False,
    adjudication: Adjudication | None = None,
    seed: int = 1,
) -> list[GameSpec]:
    """Return ``games`` games: each opening twice in a row with colours swapped, ``first`` being Black first.

    Dice and deals are the same in both games of a pair, as the opening is.

    :param seed: what the seeds of engines that ask for one follow from, another for each game.
    """
    specs = []
    rules = adjudication or Adjudication()
    for index in range(games):
        opening = openings[index // 2 % len(openings)]
        engines = (first, second) if color_of_first(index) == "black" else (second, first)
        black, white = (with_seed(engine, Random(f"{seed} {index}").getrandbits(31)) for engine in engines)
        specs.append(check_game(GameSpec(game, opening, black, white, keep_dialogue, index // 2 + 1, rules)))
    return specs


def color_of_first(index: int) -> Color:
    """Return the colour of the first engine in the game with this index."""
    return COLORS[index % 2]


def score_of(records: Mapping[int, GameRecord]) -> Score:
    """Return what the first engine scored in the games of :func:`pair_games` that have been played."""
    pairs: dict[int, dict[Color, PlayedGame]] = defaultdict(dict)
    for index, record in sorted(records.items()):
        color = color_of_first(index)
        margin = record.margin_black if color == "black" else -record.margin_black
        moves = ",".join(move.move for move in record.moves)
        pairs[index // 2][color] = PlayedGame(record.points(color), margin, moves, record.reason)
    openings = {index // 2: record.spec.opening for index, record in records.items()}
    return Score(**Tally.of([PairOfGames(openings[number], games) for number, games in pairs.items()]).score())
