"""What many threads would gain, on a machine that has few: virtual processors search one node each, in turn.

    python scripts/simulate_threads.py [DEPTH]

The search is that of ``engine/search/node.py``, which divides the moves of a node by ABDADA (Weill 1996), at full
width, from eight Othello positions with 40 to 26 empty squares. Printed are for 1 to 64 processors the speed-up and the
nodes of all, as multiples of those of one. What shared memory costs is not in it.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random

import click

from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game

POSITIONS = 8
SHARED_FROM = 3  # plies; the engine divides from 4 on, and its trees are a thousand times larger
INFINITE = 32000


@dataclass
class Table:
    """What the processors tell one another."""

    bounds: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)  # lower and upper, by key and depth
    moves: dict[int, int] = field(default_factory=dict)
    entered: set[int] = field(default_factory=set)


class Processor:
    """One search of the root.

    :ivar nodes: moves made so far.
    """

    def __init__(self, position: Position, table: Table) -> None:
        self.nodes = 0
        self._position = position.copy()
        self._table = table

    def node(self, depth: int, alpha: int, beta: int) -> Generator[None, None, int]:
        """Return the value of the position, fail-soft; yield after each move that is made."""
        position, table, floor, best = self._position, self._table, alpha, -INFINITE
        moves = position.legal_moves()
        if depth == 0 or not moves:
            return position.static_value()
        place = position.key, depth
        shared = depth >= SHARED_FROM
        waiting = self._ordered(moves)
        others = len(waiting)  # of the moves that may still be put off
        while waiting:
            lower, upper = table.bounds.get(place, (-INFINITE, INFINITE))
            if lower >= beta or upper <= alpha or lower == upper:
                return lower if lower >= beta else upper
            move = waiting.pop(0)
            position.play(move)
            self.nodes += 1
            yield
            others -= 1
            if shared and others >= 0 and best > -INFINITE and position.key in table.entered:
                position.undo()
                waiting.append(move)
                continue
            table.entered.add(position.key)
            key = position.key
            score = yield from self._child(depth - 1, alpha, beta, best == -INFINITE)
            table.entered.discard(key)
            position.undo()
            if score > best:
                best, table.moves[position.key] = score, move
                alpha = max(alpha, score)
                if alpha >= beta:
                    break
        lower, upper = table.bounds.get(place, (-INFINITE, INFINITE))
        table.bounds[place] = max(lower, best) if best > floor else lower, min(upper, best) if best < beta else upper
        return best

    def _child(self, depth: int, alpha: int, beta: int, first: bool) -> Generator[None, None, int]:
        if first:
            return -(yield from self.node(depth, -beta, -alpha))
        score = -(yield from self.node(depth, -alpha - 1, -alpha))
        if alpha < score < beta:
            score = -(yield from self.node(depth, -beta, -alpha))
        return score

    def _ordered(self, moves: list[int]) -> list[int]:
        """Return the moves: that of the table, then those which leave the opponent few."""
        replies = {}
        for move in moves:
            self._position.play(move)
            replies[move] = len(self._position.legal_moves())
            self._position.undo()
        known = self._table.moves.get(self._position.key)
        return sorted(moves, key=lambda move: (move != known, replies[move]))


def search(position: Position, depth: int, processors: int) -> tuple[int, int, int]:
    """Return the value, the time in nodes of one processor, and the nodes of all; by iterative deepening."""
    table, ticks, nodes, value = Table(), 0, 0, 0
    for plies in range(1, depth + 1):
        team = [Processor(position, table) for _ in range(processors)]
        searches = [each.node(plies, -INFINITE, INFINITE) for each in team]
        table.entered.clear()
        running = True
        while running:
            ticks += 1
            for each in searches:
                try:
                    next(each)
                except StopIteration as end:  # the first to finish has the value
                    value, running = end.value, False
                    break
        nodes += sum(each.nodes for each in team)
    return value, ticks, nodes


def positions() -> list[Position]:
    """Return positions of random games, always the same."""
    random, game, found = Random(1), get_game("othello"), []
    for number in range(POSITIONS):
        position = game.initial()
        while position.moves_left() > 40 - 2 * number:
            position.play(random.choice(position.legal_moves()))
        found.append(position)
    return found


def main() -> None:
    """Print the table."""
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    alone = [search(position, depth, 1) for position in positions()]
    click.echo(f"depth {depth}: {sum(nodes for _, _, nodes in alone):,} nodes by one processor")
    click.echo("processors  speed-up  nodes")
    for processors in (1, 2, 4, 8, 16, 32, 64):
        found = [search(position, depth, processors) for position in positions()]
        assert [value for value, _, _ in found] == [value for value, _, _ in alone]
        ticks, nodes = (sum(each[column] for each in found) for column in (1, 2))
        one = sum(nodes for _, _, nodes in alone)
        click.echo(f"{processors:10}  {one / ticks:8.2f}  {nodes / one:5.2f}")


if __name__ == "__main__":
    main()
