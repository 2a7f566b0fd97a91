"""What an engine answers with, in every protocol: legal moves, in time. Games are judged as in a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quietmove.referee.check.subject import MOST_PLIES, Situation, Subject
from quietmove.referee.check.talk import ILLEGAL, LATE, FaultError, NotExaminedError, Talk
from quietmove.referee.config.model import COLORS, Adjudication, Color, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.verdict import Reason
from quietmove.referee.seats.pool import SeatPool

__all__ = ["CLOCKS", "GAMES", "MOVES"]

CAUSES: dict[Reason, str] = {"illegal": ILLEGAL, "timeout": LATE, "stall": LATE}
OPPONENT = EngineConfig("opponent", protocol="in-process", limit=TimeControl(depth=1))


async def legal_moves(talk: Talk[Any]) -> str:
    """Ask in positions of random games: a legal move in each, with both colours."""
    return await ask_in(talk, talk.subject.situations(200))


async def forced_pass(talk: Talk[Any]) -> str:
    """Ask where a pass is the only move: the engine passes."""
    return await ask_in(talk, talk.subject.passes(20))


async def ask_in(talk: Talk[Any], situations: Sequence[Situation]) -> str:
    """Ask for a move in each position, as long as there is time; return in how many."""
    if not situations:
        raise NotExaminedError(f"the game {talk.subject.game.name} has no such position")
    rounds = zip(talk.subject.rounds(len(situations), 10), situations, strict=False)
    return f"{len([await talk.plays(situation) for _, situation in rounds])} positions"


async def whole_games(talk: Talk[Any]) -> str:
    """Play a game with each colour, to the end."""
    times = [each for color in COLORS for each in await play_game(talk.subject, color, talk.quick)]
    return f"2 games, {len(times)} moves, the slowest after {max(times, default=0)} ms"


async def move_time(talk: Talk[Any]) -> str:
    """Play by a time for each move: none takes longer."""
    limit = TimeControl(movetime_ms=1000 if talk.in_seconds else 100)
    turns = 2 if talk.subject.quick else 4 if talk.in_seconds else 10
    times = await play_game(talk.subject, "black", limit, 2 * turns)
    return f"{limit}: {len(times)} moves, {min(times)} to {max(times)} ms"


async def game_time(talk: Talk[Any]) -> str:
    """Play a game by a clock: it is not overdrawn."""
    limit = TimeControl(base_ms=5000 if talk.in_seconds else 1000)
    times = await play_game(talk.subject, "black", limit)
    return f"{limit}: {sum(times)} ms for {len(times)} moves"


async def play_game(subject: Subject, color: Color, limit: TimeControl, plies: int = MOST_PLIES) -> list[int]:
    """Play one game against this engine one ply deep; return the milliseconds of each answer.

    :param plies: after so many the game is broken off.
    :raises FaultError: if the verdict charges the engine with a fault.
    """
    players = dict.fromkeys(COLORS, OPPONENT) | {color: subject.limited(limit)}
    rules = Adjudication(max_plies=plies)
    pool = SeatPool(0)
    try:
        game = JudgedGame(GameSpec(subject.game.name, (), players["black"], players["white"], adjudication=rules))
        record = await game.play(pool)
    finally:
        await pool.end_all()
    if record.loser and record.reason != "resign":
        detail = record.detail.removeprefix(f"{subject.config.name} ({color}) ")
        raise FaultError(detail, CAUSES.get(record.reason, ""))
    return [move.elapsed_ms for move in record.moves if move.by == color]


MOVES = (legal_moves, forced_pass)
GAMES = (whole_games,)
CLOCKS = (move_time, game_time)
