"""What an engine answers with, in every protocol: legal moves, in time. Games are played as in a match, by its seat."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import NATURE
from quietmove.referee.check.examination import Examination, FaultError, NoGreetingError, NotExaminedError, shown
from quietmove.referee.check.subject import MOST_PLIES, Situation, Subject, situation_of
from quietmove.referee.config.model import COLORS, Color, TimeControl
from quietmove.referee.seats import Answer, Listener, Seat, create_seat

__all__ = ["CLOCKS", "GAMES", "MOVES"]

QUICK_LIMITS = {"gtp": TimeControl(base_ms=1000)}  # as short as the protocol can say
QUICK_LIMIT = TimeControl(depth=1)
MOVE_TIMES = {"uci": 100, "ugi": 100}  # milliseconds; the other protocols count in seconds
MOVE_TIME = 1000
GAME_TIMES = {"uci": 1000, "ugi": 1000}
GAME_TIME = 5000
TIMED_TURNS = {"uci": 10, "ugi": 10}
FEW_TURNS = 2


async def legal_moves(subject: Subject) -> str:
    """Ask in positions of random games: a legal move in each, with both colours."""
    return await ask_in(subject, subject.situations(200))


async def forced_passes(subject: Subject) -> str:
    """Ask where a pass is the only move: the engine passes."""
    return await ask_in(subject, subject.passes(20))


async def ask_in(subject: Subject, situations: Sequence[Situation]) -> str:
    """Ask for a move in each position, as long as there is time; return in how many."""
    if not situations:
        raise NotExaminedError(f"the game {subject.game.name} has no such position")
    async with subject.talk() as talk:
        rounds = zip(subject.rounds(len(situations), 10), situations, strict=False)
        answers = [await talk.plays(situation) for _, situation in rounds]
    return f"{len(answers)} positions"


async def whole_games(subject: Subject) -> str:
    """Play a game with each colour, to the end, against random moves."""
    quick = QUICK_LIMITS.get(subject.config.protocol, QUICK_LIMIT)
    times = [each for color in COLORS for each in await play_game(subject, color, quick)]
    return f"2 games, {len(times)} moves, the slowest after {max(times, default=0):.0f} ms"


async def move_time(subject: Subject) -> str:
    """Play by a time for each move: none takes longer."""
    limit = TimeControl(movetime_ms=MOVE_TIMES.get(subject.config.protocol, MOVE_TIME))
    turns = FEW_TURNS if subject.quick else TIMED_TURNS.get(subject.config.protocol, 2 * FEW_TURNS)
    times = await play_game(subject, "black", limit, turns=turns, clock_runs=True)
    return f"{limit}: {len(times)} moves, {min(times):.0f} to {max(times):.0f} ms"


async def game_time(subject: Subject) -> str:
    """Play a game by a clock: it is not overdrawn."""
    limit = TimeControl(base_ms=GAME_TIMES.get(subject.config.protocol, GAME_TIME))
    times = await play_game(subject, "black", limit, clock_runs=True)
    return f"{limit}: {sum(times):.0f} ms for {len(times)} moves"


async def play_game(
    subject: Subject, color: Color, limit: TimeControl, *, turns: int = MOST_PLIES, clock_runs: bool = False
) -> list[float]:
    """Play one game from its beginning against random moves; return the milliseconds of each answer.

    :param turns: after so many answers the game is broken off.
    :param clock_runs: whether the time of the answers is taken off the clock, which is otherwise always full.
    :raises FaultError: if an answer does not come, or is no legal move, or its clock runs out.
    """
    chance = random.Random(1)
    position, moves = subject.game.begin(1), list[str]()
    times: list[float] = []
    seat = create_seat(subject.limited(limit), subject.game.name)
    try:
        if failure := await seat.start(color, Listener()):
            raise NoGreetingError(failure.detail)
        clocks = situation_of(subject.game, position, moves).turn(limit, seat.config.margin_ms).clocks
        while (legal := position.legal_moves()) and len(times) < turns and len(moves) < MOST_PLIES:
            move = chance.choice(legal)
            if position.side_to_move != NATURE and COLORS[position.side_to_move] == color:
                situation = situation_of(subject.game, position, moves)
                turn = situation.turn(limit, seat.config.margin_ms)
                answer = await seat.think(replace(turn, clocks=clocks))
                move = await check(subject, seat, situation, answer)
                if clock_runs:
                    clocks[color].charge(answer.elapsed_ms)
                times.append(answer.elapsed_ms)
            moves.append(subject.game.format_move(move))
            position.play(move)
    finally:
        await seat.end(patient=False)
    return times


async def check(subject: Subject, seat: Seat, situation: Situation, answer: Answer) -> int:
    """Return the move of an answer.

    :raises FaultError: if there is none, or it is not legal.
    """
    where, limit = situation.where, seat.config.limit
    if answer.line is None:
        if await seat.has_left(0):
            raise FaultError(f"{await seat.describe_end()}, asked for a move {where}")
        allowed = f"{limit}, a margin of {seat.config.margin_ms} ms in all"
        raise FaultError(f"did not answer within {answer.elapsed_ms:.0f} ms {where} ({allowed})")
    try:
        return subject.game.parse_move(situation.position, answer.move or "")
    except GameError as error:
        raise FaultError(f"answered {shown(answer.line)} {where}: {error}") from None


MOVES = (
    Examination("legal-moves", legal_moves),
    Examination("forced-pass", forced_passes),
)
GAMES = (Examination("whole-games", whole_games),)
CLOCKS = (
    Examination("move-time", move_time),
    Examination("game-time", game_time),
)
