"""Minimax and alpha-beta as textbooks print them (Knuth and Moore 1975): a win counts the same however far away it is.

The engine's own search prefers quicker wins and skips positions where no win can be quicker than a known one, so its
counts differ from those of a textbook's program, which this search reproduces.
"""

from __future__ import annotations

from collections.abc import Callable

from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.search.events import Bounds, Cutoff, Enter, Event, Value, turned
from quietmove.engine.search.node import INFINITE
from quietmove.engine.search.traced_search import shown
from quietmove.engine.values import Bound

WON = 100  # value of a win, in hundredths


class TextbookSearch:
    """A search without a table.

    :param emit: called with each event; without it, the leaves below skipped moves are not counted.
    :param prunes: whether to use alpha-beta instead of minimax.
    :param by_number: whether to try the moves by their numbers instead of in the game's static order.
    :ivar nodes: the number of positions visited below the root.
    :ivar leaves: how many of them are finished games or at the horizon.
    """

    def __init__(
        self,
        position: Position,
        emit: Callable[[Event], None] | None = None,
        *,
        prunes: bool = True,
        by_number: bool = True,
    ) -> None:
        self.nodes = self.leaves = 0
        self._position = position
        self._emit = emit
        self._prunes = prunes
        self._by_number = by_number

    def run(self, depth: int) -> int:
        """Return the value of the position for the side to move, in hundredths. The position is restored.

        :param depth: in plies; any depth that reaches the end of the game searches to the end.
        """
        return self._node(depth, -INFINITE, INFINITE, 0, None)

    def _node(self, depth: int, alpha: int, beta: int, ply: int, played: int | None) -> int:
        position = self._position
        self._tell(Enter(ply, played, position.side_to_move, depth, shown(alpha), shown(beta)))
        moves = position.legal_moves() if depth else []
        if self._by_number:
            moves.sort()
        if not moves:
            self.leaves += 1
            return self._leaf(ply, is_over=depth > 0)
        floor: int = alpha
        best: int = -INFINITE
        for index, move in enumerate(moves):
            position.play(move)
            self.nodes += 1
            low, high = (-beta, -alpha) if self._prunes else (-INFINITE, INFINITE)
            value = -self._node(depth - 1, low, high, ply + 1, move)
            position.undo()
            best = max(best, value)
            if value >= beta:
                self._tell_cutoff(ply, move, value, beta, moves[index + 1 :], depth)
                break
            if value > alpha:
                alpha = value
                self._tell(Bounds(ply, move, value, shown(beta)))
        bound: Bound = "lower" if best >= beta else "upper" if best <= floor else "exact"
        self._tell(Value(ply, best, bound, "moves"))
        return best

    def _leaf(self, ply: int, *, is_over: bool) -> int:
        position = self._position
        value: int = turned(position.result(), position.next_player) if is_over else position.static_value()
        if abs(value) > DECISIVE:
            value = WON if value > 0 else -WON
        self._tell(Value(ply, value, "exact", "over" if is_over else "static"))
        return value

    def _tell_cutoff(self, ply: int, move: int, value: int, beta: int, untried: list[int], depth: int) -> None:
        if self._emit is None or not untried:
            return
        saved = 0
        for each in untried:
            self._position.play(each)
            saved += self._position.perft(depth - 1)
            self._position.undo()
        self._tell(Cutoff(ply, move, value, beta, tuple(untried), saved))

    def _tell(self, event: Event) -> None:
        if self._emit is not None:
            self._emit(event)
