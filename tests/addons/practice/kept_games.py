"""Games as the page and the terminal keep them: a person, who plays as a low level does, against a level."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from quietmove.addons.practice.command import review_game
from quietmove.engine.api import Limit, Position, analyse
from quietmove.engine.levels import level_name
from quietmove.engine.session import DEFAULTS
from quietmove.engine.tools.analysis.review import ReviewEffort
from quietmove.engine.tools.analysis.reviews import Review
from quietmove.engine.values import Limits
from quietmove.referee.game.saved import SavedGame, SavedPlayer, Spec, Strength, read_game, write_game
from quietmove.referee.game.transcript import MoveRecord

PERSON_LEVEL = 1


def keep_game(folder: Path, seed: int, level: int = 3) -> Path:
    """Write the file of a game in which a person plays Black if the seed is even, otherwise White."""
    path = folder / f"othello-{seed:02}.jsonl"
    write_game(played_game(seed, level), path, replaces=False)
    return path


@cache
def played_game(seed: int, level: int) -> SavedGame:
    person = seed % 2
    position, moves = Position(), list[MoveRecord]()
    while not position.is_over:
        side = position.players.index(position.turn)
        move = analyse(
            position, Limit(infinite=True), level=PERSON_LEVEL if side == person else level, seed=seed
        ).best_move
        assert move is not None
        moves.append(MoveRecord(move, ("black", "white")[side]))  # type: ignore[arg-type]
        position.push(move)
    assert position.result is not None
    names = [SavedPlayer(name="you"), SavedPlayer(name=f"quietmove, level {level}, {level_name(level)}")]
    black, white = names[::-1] if person else names
    return SavedGame(
        spec=Spec(seed=seed, black=black, white=white),
        moves=tuple(moves),
        reason="finished",
        margin_black=position.result,
        date=f"2026-06-{1 + seed % 28:02} 20:15:00",
        people=(("black", "white")[person],),  # type: ignore[arg-type]
        opponent=Strength(level=level),
    )


def review(path: Path, nodes: int = 2_000, exact: int = 8) -> Review:
    """Review a saved game, save the review with it, and return it. The same file is reviewed only once."""
    path.write_bytes(reviewed(path.name, path.read_bytes(), nodes, exact))
    found = read_game(path).review
    assert found is not None
    return found


@cache
def reviewed(name: str, unreviewed: bytes, nodes: int, exact: int) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(unreviewed)
        review_game(path, read_game(path), ReviewEffort(DEFAULTS, Limits(nodes=nodes), exact), None)
        return path.read_bytes()
