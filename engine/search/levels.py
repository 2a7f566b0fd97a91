"""Strength levels: a search that sees less, misjudges positions and overlooks moves, as people do.

A level limits the depth and the nodes of a search. Normally distributed errors are added to the values of the root
moves, and the move with the best sum is played; at low levels some moves are ignored. Values at the end of the game,
proven wins and proven losses get no error, because what is calculated to the end is not misjudged.

All randomness is derived from the seed and the position, and the search starts with its own empty table. So the same
seed gives the same move in the same position, whatever was searched before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.levels import FULL_ELO, FULL_STRENGTH, LEVELS, Level
from quietmove.engine.search.root_search import AnySearch
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, SearchResult, Settings

if TYPE_CHECKING:
    from random import Random

TABLE_MEGABYTES = 4  # maximum table size of a level's search
NODES_OF_DEAL = 100  # a level considers one deal of hidden cards for this many of its nodes


class LevelSearch(AnySearch):
    """A search at a strength level.

    Reports contain the values found without errors, for as many lines as the settings request; if the move played is
    not among them, its line comes last, with its true rank.

    :param level: the strength level.
    :param position: the position to search; it is not modified.
    :param table: None to search without a table; otherwise only its size matters.
    :param settings: the search settings; the seed determines all randomness.
    :param limits: the search limits; the level may stop the search earlier.
    :param simplest: the game's simplest evaluator, or "" if it has only one; the lowest levels use it unless the
        settings specify another.
    :param make: creates the underlying search from a table, settings and limits.
    """

    def __init__(
        self,
        level: Level,
        position: Position,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        simplest: str,
        make: Callable[[Table | None, Settings, Limits], AnySearch],
    ) -> None:
        legal = position.legal_moves()
        roots = [move for move in legal if not limits.searchmoves or move in limits.searchmoves]
        considered, self._errors = draw_errors(level, settings.seed, position, legal, roots)
        self._lines: list[Info[int]] = []  # lines of the last iteration
        self._shown = settings.multipv
        self._end = position.moves_left()
        self._search = make(
            table and Table(min(TABLE_MEGABYTES, table.megabytes)),
            weaker_settings(level, settings, simplest, len(considered)),
            weaker_limits(level, limits, tuple(considered) if len(considered) < len(legal) else (), len(considered)),
        )

    def iterations(self) -> Iterator[Info[int]]:
        for info in self._search.iterations():
            if info.rank == 1:
                self._lines.clear()
            self._lines.append(info)
            if info.rank <= self._shown:
                yield info
        if self._lines and (chosen := self._chosen()).rank > self._shown:
            yield chosen

    def result(self) -> SearchResult:
        result = self._search.result()
        if not self._lines:
            return result
        chosen = self._chosen()
        move, ponder = (*chosen.pv[:2], None)[:2]
        return replace(result, move=move, ponder=ponder, score=chosen.score, depth=chosen.depth)

    def stop(self) -> None:
        self._search.stop()

    def ponderhit(self) -> None:
        self._search.ponderhit()

    def _chosen(self) -> Info[int]:
        """Return the line of the last iteration with the best sum of value and error."""
        return max(self._lines, key=self._judged)

    def _judged(self, line: Info[int]) -> float:
        """Return the value of a line plus the error of its move, if the value is not certain."""
        value = line.score.value
        certain = line.depth >= self._end or abs(value) > DECISIVE
        return value if certain else value + self._errors[line.pv[0]]


def draw_errors(
    level: Level, seed: int, position: Position, legal: Sequence[int], roots: Sequence[int]
) -> tuple[list[int], dict[int, float]]:
    """Return the moves of ``roots`` that a level considers, and the error to add to the value of each legal move."""
    lots = chance(seed, position)
    ranks = {move: lots.random() for move in legal}
    errors = {move: lots.gauss(0, level.error) if level.error else 0.0 for move in legal}
    considered = [move for move in roots if 100 * ranks[move] >= level.overlooked]
    return considered or sorted(roots, key=lambda move: ranks[move])[-1:], errors


def chance(seed: int, position: Position, purpose: str = "") -> Random:
    """Return a random number generator seeded with the seed, the position and the purpose."""
    from random import Random  # imported on demand, because only levels need it

    return Random(f"{seed} {position.key} {purpose}")


def weaker_settings(level: Level, settings: Settings, simplest: str, moves: int) -> Settings:
    """Return ``settings`` with a level's number of lines, number of deals and evaluator.

    Only one thread searches, since results of several threads are not reproducible.

    :param moves: number of moves considered.
    """
    deals = max(1, level.nodes // NODES_OF_DEAL)
    return replace(
        settings,
        multipv=moves if level.error else settings.multipv,
        evaluation=settings.evaluation or (simplest if level.simple else ""),
        deals=min(settings.deals or deals, deals),
        threads=1,
    )


def weaker_limits(level: Level, limits: Limits, searchmoves: tuple[int, ...], moves: int) -> Limits:
    """Return the given limits combined with those of the level.

    :param searchmoves: the only moves to consider; empty for all.
    :param moves: number of moves considered. The level's nodes always suffice for a first iteration with a line for
        each of them.
    """
    nodes = max(level.nodes, moves * (moves + 1) // 2)
    return replace(
        limits,
        depth=min(limits.depth or level.depth, level.depth),
        nodes=min(limits.nodes or nodes, nodes),
        searchmoves=searchmoves,
    )


def level_of_elo(elo: int, seed: int, position: Position) -> Level | None:
    """Return the level that plays this move for a rating, or None for full strength.

    It is one of the two levels with the closest ratings; the closer a level, the more often it plays.

    :param elo: from 0 to :data:`FULL_ELO`.
    """
    ratings = [level.elo for level in LEVELS] + [FULL_ELO]
    above = min(bisect_right(ratings, elo), FULL_STRENGTH)
    share = (elo - ratings[above - 1]) / (ratings[above] - ratings[above - 1])
    number = above if chance(seed, position, "level").random() < share else above - 1
    return LEVELS[number] if number < FULL_STRENGTH else None
