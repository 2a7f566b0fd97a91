"""Which games are evidence of their own. Pure.

The unit of evidence is the pair of games over one opening with colours swapped. Two engines that play the same game
whenever they begin at the same opening bring nothing new by playing it again, so such pairs count once. Where games
from one opening differ, chance or the clock had a part in them, and each is evidence of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from quietmove.tournament.schedule import Result

__all__ = ["Pairs", "distinct_pairs", "pairs_of_games"]

Pairs = dict[tuple[int, tuple[str, str]], list[Result]]  # by round and names: the games over one opening


def pairs_of_games(results: Iterable[Result]) -> Pairs:
    """Return the games by round and pair of engines."""
    pairs: Pairs = defaultdict(list)
    for result in results:
        pairs[result.id.round, result.id.pair].append(result)
    return pairs


def distinct_pairs(pairs: Pairs) -> Pairs:
    """Return ``pairs`` without those that repeat another.

    Pairs of games between two engines from one opening repeat each other if all their games with the same colours have
    the same moves, verdict and points. Of these the first is kept that has most games.
    """
    groups: dict[tuple[tuple[str, str], str], list[tuple[int, tuple[str, str]]]] = defaultdict(list)
    for key, games in pairs.items():
        groups[key[1], games[0].opening].append(key)
    kept = set()
    for keys in groups.values():
        if _are_alike([pairs[key] for key in keys]):
            kept.add(max(keys, key=lambda key: len(pairs[key])))
        else:
            kept.update(keys)
    return {key: games for key, games in pairs.items() if key in kept}


def _are_alike(encounters: Sequence[Sequence[Result]]) -> bool:
    games = [game for encounter in encounters for game in encounter]
    colors = {game.id.color for game in games}
    return len({(game.id.color, game.moves, game.reason, game.points_black) for game in games}) == len(colors)
