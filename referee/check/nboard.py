"""The manners of an engine that speaks the protocol of the program NBoard, version 2."""

from __future__ import annotations

import asyncio
import random

from quietmove.referee.check.examination import Examination, FaultError, shown
from quietmove.referee.check.games import GAMES, MOVES
from quietmove.referee.check.streams import ENDS, LINES, QUITS
from quietmove.referee.check.subject import Situation, Subject
from quietmove.referee.check.talk import Talk, now
from quietmove.referee.seats.nboard import NBoardSeat, set_game, told

__all__ = ["EXAMINATIONS", "NBoardTalk"]

FIRST_WORDS = ("set", "pong", "status", "search", "book", "===", "nodestats", "learned", "analysis")
LONG_DEPTH = 60
DEPTH = 2
PAUSE = 0.01  # seconds at most between a `go` and the `ping` that ends it
BAD_LINES = ("move z9", "move a1", "move", "set game nonsense", "set depth many", "set nothing", "set", "hint many")


class NBoardTalk(Talk[NBoardSeat]):
    """A conversation in which a `ping` shows that what came before it has been read."""

    quit_line = "quit"
    new_game_line = set_game("")
    number = 0

    async def greet(self) -> None:
        """Say which protocol is spoken and wait for the first `pong`."""
        self.send("nboard 2", self.new_game_line)
        await self.ask(self.subject.start_seconds)

    def question(self) -> str:
        """Return `ping` with a number of its own."""
        self.number += 1
        self.asked = f"ping {self.number}"
        return self.asked

    def is_answer(self, text: str) -> bool:
        """Tell whether a line is the `pong` of the last number."""
        return text.split() == ["pong", str(self.number)]

    def moves(self, situation: Situation) -> list[str]:
        """Return the lines that set up a position."""
        return [self.new_game_line, *map(told, situation.moves)]

    def short_search(self, situation: Situation) -> list[str]:
        """Return a search one ply deep."""
        return ["set depth 1", *self.moves(situation), "go"]

    def long_search(self) -> list[str]:
        """Return a search to the end of the game."""
        return [f"set depth {LONG_DEPTH}", self.new_game_line, "go"]

    def move_of(self, text: str) -> str | None:
        """Return the move of `===`."""
        words = text.split()
        if words[:1] != ["==="]:
            return None
        move = words[1].partition("/")[0].lower() if len(words) > 1 else ""
        return "pass" if move.startswith("pa") else move

    async def searched(self, situation: Situation) -> list[str]:
        """Return the lines up to the answer to `go`, which is checked."""
        patience = self.subject.start_seconds
        lines = await self.wait_for(lambda text: self.move_of(text) is not None, "=== and a move", patience)
        self.check_move(situation, lines[-1])
        return lines


async def handshake(subject: Subject) -> str:
    """Begin by `nboard 2` and `set game`: `ping` is answered."""
    started = now()
    async with NBoardTalk(subject):
        return f"ready after {(now() - started) * 1000:.0f} ms"


async def ping_while_thinking(subject: Subject) -> str:
    """End a thousand searches by `ping`, at random moments: `pong` at once, and no move after it."""
    chance, times = random.Random(1), list[float]()
    async with NBoardTalk(subject) as talk:
        for _ in subject.rounds(1000, 50):
            talk.send(*talk.long_search())
            await asyncio.sleep(chance.choice((0, chance.random() * PAUSE)))
            started = now()
            await talk.ask()
            times.append(now() - started)
            await talk.quiet_until_answer("pong")
    return f"{len(times)} searches, the slowest ended after {max(times) * 1000:.1f} ms"


async def bad_lines(subject: Subject) -> str:
    """Send moves, games and numbers that are wrong: the engine goes on."""
    situation = subject.start()
    async with NBoardTalk(subject) as talk:
        for line in BAD_LINES:
            talk.send(line)
            await talk.ask()
        await talk.plays(situation)
    return f"{len(BAD_LINES)} lines"


async def board_stays(subject: Subject) -> str:
    """Send `go` twice: the first does not make its move, so both are legal in the same position."""
    situation = subject.situations(1)[0]
    async with NBoardTalk(subject) as talk:
        await talk.plays(situation)
        talk.send("go")
        await talk.move(situation)
    return "asked twice"


async def finished_game(subject: Subject) -> str:
    """Send `go` where the game is over: the engine goes on."""
    situation = subject.finished()
    assert situation is not None, "Othello ends"
    async with NBoardTalk(subject) as talk:
        talk.send(*talk.short_search(situation))
        said = await talk.ask(subject.start_seconds)
    return shown(said[-1]) if said else "no answer"


async def depth_kept(subject: Subject) -> str:
    """Send `set depth 2`: no report is deeper."""
    situation = subject.start()
    async with NBoardTalk(subject) as talk:
        talk.send(f"set depth {DEPTH}", *talk.moves(situation), "go")
        reports = [text.split() for text in await talk.searched(situation) if text.startswith("search ")]
    depths = [int(words[4]) for words in reports if len(words) > 4 and words[4].isdecimal()]
    if max(depths, default=0) > DEPTH:
        raise FaultError(f"searched {max(depths)} plies, {DEPTH} are allowed")
    return f"{max(depths, default=0)} plies reported"


async def hints(subject: Subject) -> str:
    """Send `hint 2`: reports and no move."""
    async with NBoardTalk(subject) as talk:
        talk.send("set depth 1", talk.new_game_line, "hint 2")
        lines = await talk.wait_for(
            lambda text: text.startswith(("search ", "book ")), "a report", subject.start_seconds
        )
        await talk.quiet_until_answer("hint")
    return shown(lines[-1])


async def lines_are_known(subject: Subject) -> str:
    """Read what is written: each line begins with a word of the protocol."""
    seen = 0
    async with NBoardTalk(subject) as talk:
        for situation in subject.situations(10):
            talk.send(f"set depth {DEPTH}", *talk.moves(situation), "go")
            for text in await talk.searched(situation):
                seen += 1
                if text and not text.startswith(FIRST_WORDS):
                    raise FaultError(f"wrote {shown(text)}, which is no line of the protocol")
    return f"{seen} lines"


EXAMINATIONS = (
    Examination("handshake", handshake),
    Examination("ping-thinking", ping_while_thinking),
    *LINES,
    Examination("bad-lines", bad_lines),
    *QUITS,
    *ENDS,
    *MOVES,
    Examination("board-stays", board_stays),
    Examination("finished-game", finished_game),
    *GAMES,
    Examination("depth", depth_kept),
    Examination("hint", hints),
    Examination("lines", lines_are_known),
)
