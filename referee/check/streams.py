"""What every protocol of lines asks for: how lines are cut out of the stream, and when the process ends."""

from __future__ import annotations

import asyncio

from quietmove.referee.check.examination import Examination
from quietmove.referee.check.subject import Subject
from quietmove.referee.check.talk import now

__all__ = ["ENDS", "LINES", "QUITS"]

LONG_LINE = 2_000_000  # characters
BETWEEN_WRITES = 0.05  # seconds, so that an engine reads what was written before the rest comes
JUNK = ("", "   ", "\t", "xyzzy", "plugh 1 2 3", "=== ??? !!!", "\x01\x02", "9" * 400)
BYTES = b"\xff\xfe\x80abc \xc3\n\x00\n\xf0\x9f\x90\x9f\n"


async def junk(subject: Subject) -> str:
    """Send empty lines, blanks and lines of no meaning: the engine goes on, and answers none with a move."""
    async with subject.talk() as talk:
        for line in JUNK:
            talk.send(line)
            await talk.quiet_until_answer("a line of no meaning")
    return f"{len(JUNK)} lines passed over"


async def crlf(subject: Subject) -> str:
    """End lines with CR LF."""
    async with subject.talk() as talk:
        talk.process.write(f"{talk.question()}\r\n".encode())
        await talk.answered()
        situation = subject.situations(1)[0]
        talk.process.write("".join(f"{line}\r\n" for line in talk.short_search(situation)).encode())
        await talk.move(situation)
    return "read as LF is"


async def split_line(subject: Subject) -> str:
    """Send a line in two writes."""
    async with subject.talk() as talk:
        data = f"{talk.question()}\n".encode()
        for cut in (1, len(data) // 2, len(data) - 1):
            talk.process.write(data[:cut])
            await asyncio.sleep(BETWEEN_WRITES)
            talk.process.write(data[cut:])
            await talk.answered()
            data = f"{talk.question()}\n".encode()
    return "3 lines read"


async def joined_lines(subject: Subject) -> str:
    """Send several lines in one write: each is carried out."""
    async with subject.talk() as talk:
        for situation in subject.situations(5):
            search = talk.short_search(situation)
            talk.send(*search[:-1], talk.question(), search[-1])
            await talk.answered(subject.start_seconds)
            await talk.move(situation)
    return "5 times, no line was lost"


async def long_line(subject: Subject) -> str:
    """Send a line of 2,000,000 characters: the engine goes on."""
    async with subject.talk() as talk:
        talk.send("x" * LONG_LINE)
        await talk.quiet_until_answer("a long line")
    return f"passed over {LONG_LINE} characters"


async def bytes_(subject: Subject) -> str:
    """Send bytes that are not UTF-8, and NUL: the engine goes on."""
    async with subject.talk() as talk:
        talk.process.write(BYTES)
        await talk.quiet_until_answer("bytes that are not UTF-8")
    return "passed over"


async def new_games(subject: Subject) -> str:
    """Begin a thousand new games: none takes long, and the engine still plays."""
    times: list[float] = []
    async with subject.talk() as talk:
        for _ in subject.rounds(1000, 50):
            started = now()
            talk.send(talk.new_game_line)
            await talk.ask(subject.start_seconds)
            times.append(now() - started)
        await talk.plays(subject.situations(1)[0])
    return f"{len(times)} games, the slowest begun after {max(times) * 1000:.0f} ms"


async def quits(subject: Subject) -> str:
    """Send `quit` and keep the input open: the engine ends."""
    async with subject.talk() as talk:
        talk.send(talk.quit_line)
        return f"{await talk.ended(talk.quit_line, subject.within):.0f} ms"


async def quits_thinking(subject: Subject) -> str:
    """Send `quit` in a search: the engine ends."""
    async with subject.talk() as talk:
        talk.send(*talk.long_search())
        await asyncio.sleep(BETWEEN_WRITES)
        talk.send(talk.quit_line)
        patience = talk.think_seconds + subject.within
        return f"{await talk.ended(f'{talk.quit_line} in a search', patience):.0f} ms"


async def input_ends(subject: Subject) -> str:
    """Close the input: the engine ends."""
    async with subject.talk() as talk:
        talk.process.close_pipe(0)
        return f"{await talk.ended('the end of its input', subject.within):.0f} ms"


async def input_ends_thinking(subject: Subject) -> str:
    """Close the input in a search: the engine ends."""
    async with subject.talk() as talk:
        talk.send(*talk.long_search())
        await asyncio.sleep(BETWEEN_WRITES)
        talk.process.close_pipe(0)
        patience = talk.think_seconds + subject.within
        return f"{await talk.ended('the end of its input in a search', patience):.0f} ms"


async def output_closed(subject: Subject) -> str:
    """Close the output, then the input: the engine ends."""
    async with subject.talk() as talk:
        talk.process.close_pipe(1)
        talk.send(*talk.long_search())
        await asyncio.sleep(BETWEEN_WRITES)
        talk.process.close_pipe(0)
        patience = talk.think_seconds + subject.within
        return f"{await talk.ended('the end of its input, its output closed', patience):.0f} ms"


LINES = (
    Examination("junk-lines", junk),
    Examination("crlf", crlf),
    Examination("split-line", split_line),
    Examination("joined-lines", joined_lines),
    Examination("long-line", long_line),
    Examination("bytes", bytes_),
    Examination("new-games", new_games),
)
QUITS = (
    Examination("quit", quits),
    Examination("quit-thinking", quits_thinking),
)
ENDS = (
    Examination("end-of-input", input_ends),
    Examination("end-of-input-thinking", input_ends_thinking),
    Examination("closed-output", output_closed),
)
