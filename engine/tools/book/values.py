"""The searches behind a book: which moves of a position are worth a look, and the value of a position."""

from __future__ import annotations

from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.symmetry import Board, board_of
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.tools.book.graph import SearchedValue
from quietmove.engine.tools.training.judge import Effort
from quietmove.engine.values import Goal, Info, Limits, Settings

__all__ = ["judge", "promising"]

SIEVE_DEPTH = 8
SIEVE_MEGABYTES = 1
SIEVE_MARGIN = 400  # hundredths of a disc: a move that is worse by more is left out
MEGABYTES = 4
SELECTIVITY = 5


def promising(effort: Effort, board: Board) -> list[tuple[Board, bool]]:
    """Return the positions after the moves that a short search does not find much worse than the best.

    Each is canonical and comes with whether the player who moved moves again.
    """
    position = OthelloPosition(*board, 0)
    lines = search(position, Limits(depth=min(SIEVE_DEPTH, effort.depth)), SIEVE_MEGABYTES, multipv=64)
    best = max(line.score.value for line in lines)
    found = [after(position, line.pv[0]) for line in lines if best - line.score.value <= SIEVE_MARGIN]
    return sorted(set(found))


def after(position: OthelloPosition, move: int) -> tuple[Board, bool]:
    """Return the board behind a move and a forced pass, and whether there was one."""
    child = position.copy()
    child.play(move)
    passed = child.legal_moves() == [PASS]
    if passed:
        child.play(PASS)
    return board_of(child), passed


def judge(effort: Effort, board: Board) -> SearchedValue:
    """Return the value of a position; that of a finished game is exact."""
    position = OthelloPosition(*board, 0)
    empties = position.moves_left()
    if position.is_over():
        return SearchedValue(position.result(), empties, exact=True)
    exact = empties <= max(effort.exact, effort.depth)
    goal: Goal = "solve" if exact else "move"
    depth = empties if exact else effort.depth
    last = search(position, Limits(depth=None if exact else depth, goal=goal), MEGABYTES)[0]
    return SearchedValue(last.score.value, depth, exact)


def search(position: OthelloPosition, limits: Limits, megabytes: int, multipv: int = 1) -> list[Info]:
    """Return the lines of the last iteration of a search that nothing before it influences."""
    settings = Settings(selectivity=SELECTIVITY, multipv=multipv)
    last: list[Info] = []
    for info in Deepening(position.copy(), Table(megabytes), settings, limits).iterations():
        if info.multipv == 1:
            last = []
        last.append(info)
    return last
