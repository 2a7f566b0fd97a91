"""Checks shared by several protocols.

The stream checks test how the engine splits its input into lines, and when its process ends. The game checks test its
moves and its time; games are judged as in a match.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import median
from typing import Any

from quietmove.addons.check.subject import GAME_TURNS, MAX_PLIES, Situation, Subject, situation_of
from quietmove.addons.check.talk import (
    ILLEGAL,
    LATE,
    FailureDetails,
    FaultError,
    NotExaminedError,
    Talk,
    UnfinishedError,
    evidence_of,
)
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, Adjudication, Color, EngineConfig, GameSpec, Reason, TimeControl
from quietmove.referee.errors import RefereeError
from quietmove.referee.game.judged_game import JudgedGame
from quietmove.referee.game.record import Clocks, GameRecord, Observer
from quietmove.referee.process.loop import now
from quietmove.referee.seats.pool import SeatPool

CAUSES: dict[Reason, str] = {"illegal": ILLEGAL, "stall": LATE}
OPPONENT = EngineConfig("opponent", protocol="in-process", limit=TimeControl(depth=1))
LATE_MS = 3000  # extra time to wait for a late reply in a game, in milliseconds


async def legal_moves(talk: Talk[Any]) -> str:
    """Ask for moves in positions from random games, with both colours; each move must be legal."""
    return await ask_in(talk, talk.subject.situations(200))


async def forced_pass(talk: Talk[Any]) -> str:
    """Ask for moves in positions where a pass is the only move; the engine must pass."""
    return await ask_in(talk, talk.subject.passes(20))


async def ask_in(talk: Talk[Any], situations: Sequence[Situation]) -> str:
    """Ask for a move in each position while time is left; return a message with the number of positions."""
    if not situations:
        raise NotExaminedError(f"the game {talk.subject.game.name} has no such position")
    rounds = zip(talk.subject.rounds(len(situations), 10), situations, strict=False)
    return f"{len([await talk.plays(situation) for _, situation in rounds])} positions"


async def whole_games(talk: Talk[Any]) -> str:
    """Play a game to its end with each colour."""
    limit = talk.subject.brisk(talk.quick)
    times = await play_game(talk, "black", limit, talk.subject.limit)
    with suppress(UnfinishedError):  # a slow program may only have time for one game
        times += await play_game(talk, "white", limit, talk.subject.limit)
    return f"{len(times)} moves in 2 games, the slowest after {max(times)} ms{broken_off(talk)}"


async def move_time(talk: Talk[Any]) -> str:
    """Play with a time limit per move; no move may take longer."""
    limit = chosen(talk, "movetime_ms", TimeControl(movetime_ms=1000 if talk.in_seconds else 100))
    seconds = 3000 if talk.subject.quick else 6000
    turns = max(3, min(10, seconds // (limit.movetime_ms or 1)))
    times = await play_game(talk, "black", limit, plies=2 * turns)
    return f"{limit}: {len(times)} moves, {min(times)} to {max(times)} ms"


async def game_time(talk: Talk[Any]) -> str:
    """Play a game with a clock, which must not run out."""
    limit = chosen(talk, "base_ms", TimeControl(base_ms=5000 if talk.in_seconds else 1000))
    times = await play_game(talk, "black", limit)
    return f"{limit}: {sum(times)} ms for {len(times)} moves{broken_off(talk)}"


def broken_off(talk: Talk[Any]) -> str:
    """Return a note if a game was aborted, else ""."""
    return "; aborted, because its time was up" if now() > talk.last_turn else ""


def chosen(talk: Talk[Any], kind: str, usual: TimeControl) -> TimeControl:
    """Return the limit of the engine's games, or ``usual`` if none is given.

    :raises NotExaminedError: if the limit is of another kind.
    """
    limit = talk.subject.limit or usual
    if getattr(limit, kind) is None:
        raise NotExaminedError(f"does not apply to games with the limit {limit}")
    return limit


class BrokenOffError(RefereeError):
    """A game was aborted between two moves and has no result."""


class LastTurn(Observer):
    """An observer that aborts a game at the first turn that begins after ``end``."""

    def __init__(self, end: float) -> None:
        self._end = end

    def turn_began(self, color: Color, clocks: Clocks) -> None:
        if now() > self._end:
            raise BrokenOffError("the game was aborted")


def lateness(times: Sequence[int], limit: TimeControl, margin_ms: int) -> str:
    """Describe how late an engine was, or would be in a whole game at this pace; return "" if it was in time."""
    clock = Clock(limit, margin_ms)
    is_late = False
    for each in times:
        clock.charge(each)
        is_late = is_late or clock.overdrawn_ms > margin_ms
    if limit.movetime_ms is None:
        return f"takes {sum(times) / 1000:.2f} s for {len(times)} moves, {allowance(limit)}" if is_late else ""
    is_late = is_late or GAME_TURNS * (median([*times] or [0]) - limit.movetime_ms) > margin_ms
    return f"takes {max(times) / 1000:.2f} s, {allowance(limit)}" if is_late else ""


def allowance(limit: TimeControl) -> str:
    if limit.movetime_ms is not None:
        return f"allowed {limit.movetime_ms / 1000:.2f} s"
    return f"allowed {(limit.base_ms or 0) / 1000:.2f} s a game ({limit})"


async def play_game(
    talk: Talk[Any], color: Color, told: TimeControl, allowed: TimeControl | None = None, plies: int = MAX_PLIES
) -> list[int]:
    """Play one game against Quietmove at depth 1; return the time of each reply in milliseconds.

    Late replies are awaited, so that a fault can report the time taken.

    :param told: the limit sent to the engine.
    :param allowed: the limit by which it is judged, of the same kind and no shorter; by default ``told``.
    :param plies: the number of plies after which the game ends.
    :raises FaultError: if the engine loses by a verdict, or is late.
    :raises UnfinishedError: if it made no move before ``talk.last_turn``.
    """
    subject, allowed = talk.subject, allowed or told
    margin = subject.config.margin_ms + LATE_MS + (allowed.base_ms or 0) - (told.base_ms or 0)
    players = dict.fromkeys(COLORS, OPPONENT) | {color: replace(subject.limited(told), margin_ms=margin)}
    rules = Adjudication(max_plies=plies)
    pool = SeatPool(0)
    spec = GameSpec(subject.game.name, (), players["black"], players["white"], True, adjudication=rules)
    game = JudgedGame(spec, [LastTurn(talk.last_turn)])
    record = None
    if allowed.movetime_ms is not None:
        game.clocks[color] = Clock(allowed, margin)
    try:
        with suppress(BrokenOffError):
            record = await game.play(pool)
    finally:
        await pool.end_all()
    times = [move.elapsed_ms for move in game.moves if move.by == color]
    fault = lateness(times, allowed, subject.config.margin_ms)
    cause = LATE
    if record and record.loser and record.reason == "timeout" and not fault:
        waited = (game.clocks[color].patience_ms or 0) / 1000
        hint = game.seats[color].hint_at_silence(game.position)
        fault = f"did not answer within {waited:.2f} s, {allowance(allowed)}{hint}"
    elif record and record.loser and record.reason not in ("timeout", "resign"):
        fault = record.detail.removeprefix(f"{subject.config.name} ({color}) ")
        cause = CAUSES.get(record.reason, "")
    if fault:
        raise FaultError(fault, cause, evidence_of_game(subject, game, record, color))
    if not times:
        raise UnfinishedError("no time was left for a game")
    return times


def evidence_of_game(subject: Subject, game: JudgedGame, record: GameRecord | None, color: Color) -> FailureDetails:
    """Return the evidence from a game in which the engine was at fault.

    :param record: the game's record, or None if the game was aborted. After a recorded game, a reusable seat has
        discarded the engine's standard error.
    """
    asked = situation_of(subject.game, game.position, [move.move for move in game.moves])
    dialogue = game.dialogue.lines if game.dialogue else []
    lines = [line.replace(f" {color}", "", 1).strip() for line in dialogue if line.split()[1:2] == [color]]
    if record is None:
        stderr = game.seats[color].stderr
    else:
        stderr = record.black_stderr if color == "black" else record.white_stderr
    return evidence_of(subject.config, asked, subject.game, lines, stderr)


MOVES = (legal_moves, forced_pass)
GAMES = (whole_games, move_time, game_time)


LONG_LINE = b"x" * 2_000_000 + b"\n"
BETWEEN_WRITES = 0.05  # pause in seconds, so that the engine reads the first write before the next arrives
JUNK = b"\n   \n\t\nxyzzy\nplugh 1 2 3\n=== ??? !!!\n\x01\x02\n" + b"9" * 400 + b"\n"
WRONG_BYTES = b"\xff\xfe\x80abc \xc3\n\x00\n\xf0\x9f\x90\x9f\n"


async def crlf(talk: Talk[Any]) -> str:
    """End lines with CR LF; the engine must ignore the CR."""
    talk.process.input.write(f"{talk.question()}\r\n".encode())
    await talk.answered()
    if talk.new_game_line:
        situation = talk.subject.situations(1)[0]
        talk.process.input.write("".join(f"{line}\r\n" for line in talk.short_search(situation)).encode())
        await talk.searched(situation)
    return "read like LF"


async def split_line(talk: Talk[Any]) -> str:
    """Send a line in two writes; the engine must read it as one."""
    data = f"{talk.question()}\n".encode()
    talk.process.input.write(data[: len(data) // 2])
    await asyncio.sleep(BETWEEN_WRITES)
    talk.process.input.write(data[len(data) // 2 :])
    await talk.answered()
    return "read"


async def joined_lines(talk: Talk[Any]) -> str:
    """Send several lines in one write; the engine must handle each."""
    for situation in talk.subject.situations(5):
        search = talk.short_search(situation)
        talk.send(*search[:-1], talk.question(), search[-1])
        await talk.answered(talk.subject.start_seconds)
        await talk.searched(situation)
    return "5 times, no line was lost"


async def junk_lines(talk: Talk[Any]) -> str:
    """Send empty, blank and meaningless lines; the engine must keep running and send no move."""
    return await passed_over(talk, JUNK)


async def long_line(talk: Talk[Any]) -> str:
    """Send a line of 2,000,000 characters; the engine must keep running."""
    return await passed_over(talk, LONG_LINE)


async def bytes_(talk: Talk[Any]) -> str:
    """Send NUL and bytes that are not UTF-8; the engine must keep running."""
    return await passed_over(talk, WRONG_BYTES)


async def passed_over(talk: Talk[Any], data: bytes) -> str:
    """Send meaningless data, and check that the engine keeps running and sends no move."""
    talk.process.input.write(data)
    await talk.quiet_until_answer("meaningless lines")
    return f"ignored {len(data)} bytes"


async def new_games(talk: Talk[Any]) -> str:
    """Start up to a thousand new games; none may take long to start, and the engine must then still play."""
    times: list[float] = []
    for _ in talk.subject.rounds(1000, 50):
        started = now()
        talk.send(talk.new_game_line)
        await talk.ask(talk.subject.start_seconds)
        times.append(now() - started)
    await talk.plays(talk.subject.situations(1)[0])
    return f"{len(times)} games, the slowest started after {max(times) * 1000:.0f} ms"


async def quit_(talk: Talk[Any]) -> str:
    """Send `quit` and keep the input open; the engine must exit."""
    await talk.ask(talk.subject.start_seconds)  # a process that is still starting would exit late
    talk.send(talk.quit_line)
    return await ends(talk, "quit", "quit")


async def quit_thinking(talk: Talk[Any]) -> str:
    """Send `quit` during a search; the engine must exit."""
    await think(talk)
    talk.send(talk.quit_line)
    return await ends(talk, "quit in a search", "quit", talk.think_seconds)


async def end_of_input(talk: Talk[Any]) -> str:
    """Close the input; the engine must exit."""
    await talk.ask(talk.subject.start_seconds)
    talk.process.input.close()
    return await ends(talk, "the end of its input", "end of input")


async def end_of_input_thinking(talk: Talk[Any]) -> str:
    """Close the input during a search; the engine must exit."""
    await think(talk)
    talk.process.input.close()
    return await ends(talk, "the end of its input in a search", "end of input", talk.think_seconds)


async def closed_output(talk: Talk[Any]) -> str:
    """Close the output, then the input; the engine must exit."""
    talk.process.output.close()
    await think(talk)
    talk.process.input.close()
    return await ends(talk, "the end of its input, its output closed", "end of input", talk.think_seconds)


async def think(talk: Talk[Any]) -> None:
    """Start a long search."""
    talk.send(*talk.long_search())
    await asyncio.sleep(BETWEEN_WRITES)


async def ends(talk: Talk[Any], after: str, cause: str, more_seconds: float = 0) -> str:
    """Wait until the engine's process has ended.

    :param after: a description of the trigger; ``cause`` is its kind.
    :param more_seconds: added to the time limit.
    :raises FaultError: if the process keeps running.
    """
    patience = talk.subject.within + more_seconds
    started = now()
    if not await talk.process.wait_ended(patience):
        raise FaultError(f"is still running {patience * 1000:.0f} ms after {after}", cause)
    return f"{(now() - started) * 1000:.0f} ms"


WRITES = (crlf, split_line)
LINES = (junk_lines, *WRITES, joined_lines, long_line, bytes_, new_games)
QUITS = (quit_, quit_thinking)
ENDS = (end_of_input, end_of_input_thinking, closed_output)
