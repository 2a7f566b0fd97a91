"""The first simulations of a Monte Carlo tree search, phase by phase, and the tree they grow, for display."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.addons.lab.traced_uct import Choice, Simulation, TracedUct
from quietmove.engine.games.base import Position
from quietmove.engine.values import Settings

__all__ = ["Choice", "Grown", "Settings", "Simulation", "simulate"]

ENOUGH_NODES = 1 << 62  # the number of simulations is the actual limit


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree and the simulations that grew it.

    :param moves: for each index in the tree, the parent's index and the move from there, or None for the root.
    """

    moves: tuple[tuple[int, int] | None, ...]
    simulations: tuple[Simulation, ...]


def simulate(position: Position, count: int, settings: Settings) -> Grown:
    """Return the first ``count`` simulations of a search, or fewer if the position is proven earlier.

    :param position: a position with a legal move; it is restored after the search.
    """
    told: list[Simulation] = []

    def note(simulation: Simulation) -> None:
        told.append(simulation)
        if len(told) == count:
            search.stop()

    search = TracedUct(position, position.legal_moves(), settings, note)
    search.run(ENOUGH_NODES)
    moves: list[tuple[int, int] | None] = [None] * search.used
    for simulation in told:
        for parent, choices in zip(simulation.path, simulation.choices, strict=False):
            for choice in choices:
                moves[choice.place] = parent, choice.move
    return Grown(tuple(moves), tuple(told))
