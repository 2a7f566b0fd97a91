"""What the scripts of this folder share. Each prints what one build of the engine computes, as JSON."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import astuple, replace
from typing import Any

from quietmove.engine.games.base import Game, Position


def played(game: Game, seed: int, plies: int) -> Position:
    """Return the position after random moves, fewer if the game ends."""
    choices = random.Random(seed)
    position = game.initial()
    for _ in range(plies):
        moves = sorted(position.legal_moves())
        if moves:
            position.play(choices.choice(moves))
    return position


def searched(search: Any) -> list[Any]:
    """Run a search; return its reports and its answer, all but the times."""
    infos = [astuple(replace(info, time=0)) for info in search.iterations()]
    return [infos, astuple(replace(search.result(), time=0))]


def show(rows: dict[str, Any]) -> None:
    """Print the rows, and the file of each module of the package that was imported for them."""
    files = {name: module.__file__ for name, module in sys.modules.items() if name.startswith("quietmove.")}
    print(json.dumps([files, rows]))
