"""Where positions come from: a file of positions, or one of games."""

from __future__ import annotations

from pathlib import Path

from quietmove.engine.errors import TrainingError
from quietmove.engine.tools.training.games import read_games
from quietmove.engine.tools.training.positions import Records, is_position_file, read_positions, require_regular

__all__ = ["read_source"]


def read_source(path: Path) -> Records:
    """Return the positions of a file of positions or of games.

    :raises TrainingError: if it cannot be read, is of no kind that is known, damaged, or empty.
    """
    require_regular(path)
    records = read_positions(path) if is_position_file(path) else read_games(path)
    if not len(records):
        raise TrainingError(f"games: {path} holds no position")
    return records
