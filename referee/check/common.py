"""What engines of several protocols are examined for.

Streams: how lines are cut out of them, and when the process ends. Games: legal moves, in time; games are judged as in a
match.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from quietmove.referee.check.subject import MOST_PLIES, Situation, Subject, situation_of
from quietmove.referee.check.talk import ILLEGAL, LATE, FaultError, NotExaminedError, Talk, evidence_of
from quietmove.referee.config.model import COLORS, Adjudication, Color, EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.verdict import Reason
from quietmove.referee.process.loop import now
from quietmove.referee.seats.pool import SeatPool

__all__ = ["CLOCKS", "ENDS", "GAMES", "LINES", "MOVES", "QUITS", "WRITES"]

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
        spec = GameSpec(subject.game.name, (), players["black"], players["white"], True, adjudication=rules)
        game = JudgedGame(spec)
        record = await game.play(pool)
    finally:
        await pool.end_all()
    if record.loser and record.reason != "resign":
        detail = record.detail.removeprefix(f"{subject.config.name} ({color}) ")
        moves = [move.move for move in record.moves]
        asked = situation_of(subject.game, game.position, moves)
        lines = [line.replace(f" {color}", "", 1).strip() for line in record.dialogue if line.split()[1:2] == [color]]
        stderr = record.black_stderr if color == "black" else record.white_stderr
        seen = evidence_of(subject.config, asked, subject.game, lines, stderr)
        raise FaultError(detail, CAUSES.get(record.reason, ""), seen)
    return [move.elapsed_ms for move in record.moves if move.by == color]


MOVES = (legal_moves, forced_pass)
GAMES = (whole_games,)
CLOCKS = (move_time, game_time)


LONG_LINE = b"x" * 2_000_000 + b"\n"
BETWEEN_WRITES = 0.05  # seconds, so that an engine reads what was written before the rest comes
JUNK = b"\n   \n\t\nxyzzy\nplugh 1 2 3\n=== ??? !!!\n\x01\x02\n" + b"9" * 400 + b"\n"
WRONG_BYTES = b"\xff\xfe\x80abc \xc3\n\x00\n\xf0\x9f\x90\x9f\n"


async def crlf(talk: Talk[Any]) -> str:
    """End lines with CR LF."""
    talk.process.input.write(f"{talk.question()}\r\n".encode())
    await talk.answered()
    if talk.new_game_line:
        situation = talk.subject.situations(1)[0]
        talk.process.input.write("".join(f"{line}\r\n" for line in talk.short_search(situation)).encode())
        await talk.searched(situation)
    return "read as LF is"


async def split_line(talk: Talk[Any]) -> str:
    """Send a line in two writes."""
    data = f"{talk.question()}\n".encode()
    talk.process.input.write(data[: len(data) // 2])
    await asyncio.sleep(BETWEEN_WRITES)
    talk.process.input.write(data[len(data) // 2 :])
    await talk.answered()
    return "read"


async def joined_lines(talk: Talk[Any]) -> str:
    """Send several lines in one write: each is carried out."""
    for situation in talk.subject.situations(5):
        search = talk.short_search(situation)
        talk.send(*search[:-1], talk.question(), search[-1])
        await talk.answered(talk.subject.start_seconds)
        await talk.searched(situation)
    return "5 times, no line was lost"


async def junk_lines(talk: Talk[Any]) -> str:
    """Send empty lines, blanks and lines of no meaning: the engine goes on, and answers none with a move."""
    return await passed_over(talk, JUNK)


async def long_line(talk: Talk[Any]) -> str:
    """Send a line of 2,000,000 characters: the engine goes on."""
    return await passed_over(talk, LONG_LINE)


async def bytes_(talk: Talk[Any]) -> str:
    """Send bytes that are not UTF-8, and NUL: the engine goes on."""
    return await passed_over(talk, WRONG_BYTES)


async def passed_over(talk: Talk[Any], data: bytes) -> str:
    """Send lines of no meaning; the engine goes on, and answers none with a move."""
    talk.process.input.write(data)
    await talk.quiet_until_answer("lines of no meaning")
    return f"passed over {len(data)} bytes"


async def new_games(talk: Talk[Any]) -> str:
    """Begin a thousand new games: none takes long, and the engine still plays."""
    times: list[float] = []
    for _ in talk.subject.rounds(1000, 50):
        started = now()
        talk.send(talk.new_game_line)
        await talk.ask(talk.subject.start_seconds)
        times.append(now() - started)
    await talk.plays(talk.subject.situations(1)[0])
    return f"{len(times)} games, the slowest begun after {max(times) * 1000:.0f} ms"


async def quit_(talk: Talk[Any]) -> str:
    """Send `quit` and keep the input open: the engine ends."""
    return await ends(talk, "quit")


async def quit_thinking(talk: Talk[Any]) -> str:
    """Send `quit` in a search: the engine ends."""
    return await ends(talk, "quit in a search")


async def end_of_input(talk: Talk[Any]) -> str:
    """Close the input: the engine ends."""
    return await ends(talk, "the end of its input")


async def end_of_input_thinking(talk: Talk[Any]) -> str:
    """Close the input in a search: the engine ends."""
    return await ends(talk, "the end of its input in a search")


async def closed_output(talk: Talk[Any]) -> str:
    """Close the output, then the input: the engine ends."""
    return await ends(talk, "the end of its input, its output closed")


async def ends(talk: Talk[Any], after: str) -> str:
    """Tell the engine to end, and wait until its process has ended by itself.

    :param after: what comes before its end, in words.
    :raises FaultError: if it runs on.
    """
    patience = talk.subject.within
    if "output" in after:
        talk.process.output.close()
    if "search" in after or "output" in after:
        talk.send(*talk.long_search())
        await asyncio.sleep(BETWEEN_WRITES)
        patience += talk.think_seconds
    if "quit" in after:
        talk.send(talk.quit_line)
    else:
        talk.process.input.close()
    started = now()
    if not await talk.process.wait_ended(patience):
        raise FaultError(
            f"runs on {patience * 1000:.0f} ms after {after}", "quit" if "quit" in after else "end of input"
        )
    return f"{(now() - started) * 1000:.0f} ms"


WRITES = (crlf, split_line)
LINES = (junk_lines, *WRITES, joined_lines, long_line, bytes_, new_games)
QUITS = (quit_, quit_thinking)
ENDS = (end_of_input, end_of_input_thinking, closed_output)
