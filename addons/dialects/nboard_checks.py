"""Checks for engines that speak version 2 of NBoard's protocol."""

from __future__ import annotations

import asyncio
import random

from quietmove.addons.check.common import ENDS, LINES, MOVES, QUITS, whole_games
from quietmove.addons.check.subject import Situation
from quietmove.addons.check.talk import FaultError, Protocol, Talk, quoted
from quietmove.addons.dialects.nboard_seat import NBoardSeat, move_line, move_of, read_report, set_game
from quietmove.referee.process.loop import now
from quietmove.referee.seats.process_seat import debug_hint

FIRST_WORDS = ("set", "pong", "status", "search", "book", "===", "nodestats", "learned", "analysis")
LONG_DEPTH = 60
DEPTH = 2
MAX_PAUSE = 0.01  # maximum time in seconds between a `go` and the `ping` that ends it
BAD_LINES = ("move z9", "move a1", "move", "set game nonsense", "set depth many", "set nothing", "set", "hint many")


class NBoardTalk(Talk[NBoardSeat]):
    """An NBoard conversation. A `pong` shows that the engine has read everything before the `ping`."""

    quit_line = "quit"
    new_game_line = set_game("")
    question_form = "ping {}"
    answer_form = "pong {}"

    def search(self, situation: Situation, depth: int) -> list[str]:
        """Return the lines that start a search to ``depth`` plies."""
        return [f"set depth {depth}", self.new_game_line, *map(move_line, situation.moves), "go"]

    def short_search(self, situation: Situation) -> list[str]:
        return self.search(situation, 1)

    def long_search(self) -> list[str]:
        return self.search(self.subject.start(), LONG_DEPTH)

    def move_of(self, text: str) -> str | None:
        return move_of(text.split())


async def handshake(talk: NBoardTalk) -> str:
    """Send `nboard 2` and `set game`; the engine must answer `ping`."""
    return f"ready after {talk.ready_ms:.0f} ms"


async def ping_thinking(talk: NBoardTalk) -> str:
    """End up to 1,000 searches with `ping` at random moments; `pong` must come immediately, and no move may follow."""
    chance = random.Random(1)
    times = list[float]()
    search = talk.long_search()
    for _ in talk.subject.rounds(1000, 50):
        talk.send(*search)
        await asyncio.sleep(chance.choice((0, chance.random() * MAX_PAUSE)))
        started = now()
        await talk.ask()
        times.append(now() - started)
        await talk.quiet_until_answer("pong")
    return f"{len(times)} searches, the slowest ended after {max(times) * 1000:.1f} ms"


async def bad_lines(talk: NBoardTalk) -> str:
    """Send invalid moves, games and numbers; the engine must keep running."""
    for line in BAD_LINES:
        talk.send(line)
        await talk.ask()
    await talk.plays(talk.subject.start())
    return f"{len(BAD_LINES)} lines"


async def board_stays(talk: NBoardTalk) -> str:
    """Send `go` twice; since `go` does not make the move, both replies must be legal in the same position."""
    situation = talk.subject.situations(1)[0]
    await talk.plays(situation)
    talk.send("go")
    await talk.searched(situation)
    return "asked twice"


async def finished_game(talk: NBoardTalk) -> str:
    """Send `go` in a finished game; the engine must keep running."""
    situation = talk.subject.finished()
    assert situation is not None, "Othello ends"
    talk.send(*talk.short_search(situation))
    lines = await talk.ask(talk.subject.start_seconds)
    return quoted(lines[-1]) if lines else "no answer"


async def hint(talk: NBoardTalk) -> str:
    """Send `hint 2`; the engine must send reports and no move."""
    talk.send("set depth 1", talk.new_game_line, "hint 2")
    seconds = talk.subject.start_seconds
    lines = await talk.wait_for(lambda text: text.startswith(("search ", "book ")), "a report", seconds)
    await talk.quiet_until_answer("hint")
    return quoted(lines[-1])


async def lines(talk: NBoardTalk) -> str:
    """Send `set depth 2`; each output line must start with a known word, and no report may exceed that depth."""
    count = 0
    for situation in talk.subject.situations(10):
        talk.send(*talk.search(situation, DEPTH))
        for text in await talk.searched(situation):
            count += 1
            if text and not text.startswith(FIRST_WORDS):
                hint = debug_hint(talk.subject.config.command)
                raise FaultError(f"wrote {quoted(text)}, which is not a line of the protocol{hint}")
            report = read_report(text.split()) if text.startswith("search ") else None
            if report and report.depth > DEPTH:
                raise FaultError(f"reported depth: must be at most {DEPTH}, not {report.depth}")
    return f"{count} lines"


PROTOCOL = Protocol(
    NBoardTalk,
    (
        *(handshake, ping_thinking, *LINES, bad_lines, *QUITS, *ENDS, *MOVES),
        *(board_stays, finished_game, whole_games, hint, lines),
    ),
)
