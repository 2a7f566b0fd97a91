"""Which games count as evidence. Pure.

The unit of evidence is the pair of games over one opening with colours swapped. Two engines that use neither chance
nor a clock play the same games again from the same opening. Such a pair says nothing new, so it counts once. If the
games from one opening differ, each of them counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from quietmove.referee.config import Color

__all__ = ["PairOfGames", "distinct_pairs"]

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class PairOfGames:
    """Two games over one opening with colours swapped; only one of them while the other has not been played.

    :param start: the engines and the opening; only pairs with the same start can repeat each other.
    :param games: by the colour of the first engine: moves, verdict and points of the game.
    """

    start: Hashable
    games: Mapping[Color, Hashable]


def distinct_pairs(pairs: Mapping[Key, PairOfGames]) -> set[Key]:
    """Return the keys of ``pairs`` without those that repeat another.

    Pairs with the same start repeat each other if all their games with the same colours are equal. Of these the first
    one with the most games is kept.
    """
    groups: dict[Hashable, list[Key]] = defaultdict(list)
    for key, pair in pairs.items():
        groups[pair.start].append(key)
    kept: set[Key] = set()
    for keys in groups.values():
        if _are_equal([pairs[key] for key in keys]):
            kept.add(max(keys, key=lambda key: len(pairs[key].games)))
        else:
            kept.update(keys)
    return kept


def _are_equal(pairs: Sequence[PairOfGames]) -> bool:
    games = {game for pair in pairs for game in pair.games.items()}
    return len(games) == len({color for color, _ in games})
