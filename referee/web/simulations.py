"""Simulations of Monte Carlo tree search as the page gets them; means and bounds are those of who makes the move."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.games.base import Game, Position
from quietmove.engine.tools.simulations import Choice, Settings, Simulation, simulate
from quietmove.referee.web.boards import Json

__all__ = ["describe_simulations"]

DIGITS = 3


def describe_simulations(game: Game, position: Position, count: int, seed: int) -> Json:
    """Return the first simulations from ``position``, and the positions of the tree that they grow."""
    settings = Settings(seed=seed)
    grown = simulate(position, count, settings)
    positions = [position]
    nodes: list[Json] = [{"parent": None, "move": None}]
    for link in grown.moves[1:]:
        assert link is not None
        parent, move = link
        positions.append(after(positions[parent], [move]))
        nodes.append({"parent": parent, "move": game.format_move(move)})
    for node, reached in zip(nodes, positions, strict=True):
        node |= {"side": reached.side_to_move, "board": game.squares(reached)}
    told = [_simulation(game, positions[each.path[-1]], each) for each in grown.simulations]
    return {"nodes": nodes, "simulations": told, "exploration": settings.exploration / 100}


def after(position: Position, moves: Sequence[int]) -> Position:
    """Return the position behind some moves."""
    copy = position.copy()
    for move in moves:
        copy.play(move)
    return copy


def _simulation(game: Game, leaf: Position, told: Simulation) -> Json:
    """Return one simulation, whose way down the tree ends at ``leaf``."""
    end = after(leaf, told.playout)
    score = end.result() if end.is_over() else None
    return {
        "path": told.path,
        "choices": [[_choice(choice) for choice in choices] for choices in told.choices],
        "expanded": told.expanded,
        "playout": [game.format_move(move) for move in told.playout],
        "winner": None if score is None else 2 if score == 0 else int(score < 0),
        "end": game.squares(end),
        "visits": told.visits,
        "means": [round(mean, DIGITS) for mean in told.means],
    }


def _choice(choice: Choice) -> Json:
    """Return a move as the selection sees it; None stands for no mean, and for a bound that is infinite."""
    mean, bound = (None if number is None else round(number, DIGITS) for number in (choice.mean, choice.bound))
    return {"place": choice.place, "visits": choice.visits, "mean": mean, "bound": bound, "decided": choice.decided}
