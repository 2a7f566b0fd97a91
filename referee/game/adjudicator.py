"""Ends a game before the board does, where that was asked for and is certain, agreed upon, or long overdue."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from quietmove.engine.games.base import DECISIVE, Position
from quietmove.referee.config.model import COLORS, Adjudication, Color
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.game.verdict import Verdict, finished

SOLVER_NODES = 10_000_000  # one attempt takes at most 0.3 s; 19 of 20 random positions with 18 empties take fewer


async def adjudicate(
    rules: Adjudication,
    position: Position,
    moves: Sequence[MoveRecord],
    players: tuple[str, str] = ("Black", "White"),
) -> Verdict | None:
    """Return the verdict that ends the game now, or None if it goes on.

    :param position: the position of a game that is not over; it is not changed.
    :param moves: all moves of the game so far.
    :param players: the game's names for Black and White.
    """
    if rules.solve_empties and (left := position.moves_left()) <= rules.solve_empties:
        result = await solve(position)
        if result is not None:
            return solved(result, left, players)
    if rules.resign_score and (loser := agreed_loser(moves, rules)):
        return _conceded(loser, moves, rules, position.largest_score)
    if len(moves) >= rules.max_plies:
        return Verdict("adjudicated", None, 0.5, 0, f"the game has not ended after {rules.max_plies} plies")
    return None


async def solve(position: Position) -> int | None:
    """Return the result of best play from Black's view, in hundredths; None if the solver's nodes do not suffice.

    Other games go on meanwhile: the search runs in a thread.
    """
    from quietmove.engine.solver import Solver  # the search is loaded where a game is solved, and nowhere else

    solver = Solver(position, SOLVER_NODES)
    try:
        value = await asyncio.to_thread(solver.value)
    finally:
        solver.stop()
    position.check()
    return value if value is None or position.next_player == 0 else -value


def solved(result: int, moves_left: int, players: tuple[str, str]) -> Verdict:
    """Return the verdict on a game whose ``result`` with best play is known, from Black's view in hundredths."""
    verdict = finished(result, players)
    return replace(verdict, reason="adjudicated", detail=f"solved with {moves_left} moves left: {verdict.detail}")


def agreed_loser(moves: Sequence[MoveRecord], rules: Adjudication) -> Color | None:
    """Return who loses by the claims of both engines with each one's last moves; None if they do not agree.

    A move without a claim is no agreement.
    """
    claims = {color: [move.score for move in moves if move.by == color][-rules.resign_moves :] for color in COLORS}
    if any(len(scores) < rules.resign_moves or None in scores for scores in claims.values()):
        return None
    least = round(100 * rules.resign_score)
    black, white = ([score for score in claims[color] if score is not None] for color in COLORS)
    if max(black) <= -least and min(white) >= least:
        return "black"
    return "white" if max(white) <= -least and min(black) >= least else None


def _conceded(loser: Color, moves: Sequence[MoveRecord], rules: Adjudication, largest_score: int) -> Verdict:
    """Return the verdict on a game that both engines see as lost for ``loser``, by the lesser of their last claims."""
    winner: Color = "white" if loser == "black" else "black"
    last = [next(abs(move.score or 0) for move in reversed(moves) if move.by == color) for color in COLORS]
    margin = 1 if largest_score > DECISIVE else max(1, min(*last, largest_score) // 100)
    times = f"{rules.resign_moves} moves" if rules.resign_moves > 1 else "its last move"
    detail = f"both engines have said for {times} that {loser} loses by {rules.resign_score:g} or more: {winner} wins"
    return Verdict("adjudicated", None, float(winner == "black"), margin if winner == "black" else -margin, detail)
