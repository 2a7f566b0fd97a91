"""Samples of versions' moves, for comparing how they play.

All programs that can start from any position are asked about the same positions. Programs that can only play whole
games play against replies that depend on the position alone, so two of them follow the same game until their moves
differ.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import count

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, EngineConfig, TimeControl
from quietmove.referee.config.openings import random_openings
from quietmove.referee.process.launch import with_seed
from quietmove.referee.process.loop import RefereeLoop
from quietmove.referee.seats import Listener, Seat, Turn, create_seat
from quietmove.referee.seats.base import leading_move
from quietmove.tournament.definition import DEFAULT_GAME

POSITIONS = 200
PLIES = range(10, 53)  # number of plies before a sampled position, which has 50 to 8 empty squares
LEAST_CHOICE = 3  # minimum number of legal moves in a sampled position
SEED = 1
SECONDS = 10.0  # time limit in seconds for a version; the answers given by then are used
LIMIT = TimeControl(movetime_ms=50)
PATIENCE_MS = 2000  # milliseconds that an answer may be late; no game can be lost on time here
GAME = get_game(DEFAULT_GAME)


def answers_of(engine: EngineConfig, core: int | None) -> dict[str, str]:
    """Return an engine's moves by position. There are fewer than :data:`POSITIONS` if the engine is slow or fails.

    :param core: the processor to run the engine on, or None for any.
    """
    config = replace(engine, limit=LIMIT, cpus=engine.cpus if core is None else (core,))
    found: dict[str, str] = {}
    with asyncio.Runner(loop_factory=RefereeLoop) as runner, suppress(TimeoutError, QuietmoveError):
        runner.run(asyncio.wait_for(_ask(config, found), SECONDS))
    return found


async def _ask(config: EngineConfig, found: dict[str, str]) -> None:
    """Collect answers until there are enough or a game adds none, playing Black and White alternately."""
    for number in count():
        seat = create_seat(with_seed(config, number), DEFAULT_GAME)
        before = len(found)
        try:
            if await seat.start(COLORS[number % 2], Listener()) is None:
                await (_play(seat, number, found) if seat.whole_games else _answer_all(seat, found))
        finally:
            await seat.end(patient=False)
        if len(found) in (before, POSITIONS):
            return


async def _answer_all(seat: Seat, found: dict[str, str]) -> None:
    for moves in _positions():
        position = _after(moves)
        found[GAME.format_position(position)] = await _answer(seat, position, moves)


async def _play(seat: Seat, number: int, found: dict[str, str]) -> None:
    """Play one game, recording the moves made in positions with enough choices."""
    position = GAME.initial()
    moves = tuple[str, ...]()
    while len(found) < POSITIONS and not position.is_over():
        key = GAME.format_position(position)
        legal = sorted(position.legal_moves())
        if COLORS[position.side_to_move] == seat.color:
            move = await _answer(seat, position, moves)
            if len(legal) >= LEAST_CHOICE:
                found[key] = move
        else:
            move = GAME.format_move(random.Random(f"{SEED} {number} {key}").choice(legal))
        position.play(GAME.parse_move(position, move))
        moves += (move,)


async def _answer(seat: Seat, position: Position, moves: tuple[str, ...]) -> str:
    """Return the player's move.

    :raises GameError: if it is not legal.
    """
    clocks = {color: Clock(LIMIT, PATIENCE_MS) for color in COLORS}
    answer = await seat.think(Turn(moves, clocks))
    move, _ = leading_move(answer.move or "", partial(GAME.parse_move, position))
    return GAME.format_move(move)


def _after(moves: Sequence[str]) -> Position:
    position = GAME.initial()
    for move in moves:
        position.play(GAME.parse_move(position, move))
    return position


@cache
def _positions() -> tuple[tuple[str, ...], ...]:
    """Return the sampled positions as move sequences, in the order in which programs are asked about them."""
    made = [moves for plies in PLIES for moves in random_openings(DEFAULT_GAME, 8, plies, SEED)]
    choice = [moves for moves in made if len(_after(moves).legal_moves()) >= LEAST_CHOICE]
    return tuple(random.Random(SEED).sample(choice, POSITIONS))
