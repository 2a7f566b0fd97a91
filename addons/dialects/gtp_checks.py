"""Checks for engines that speak GTP, version 2."""

from __future__ import annotations

from quietmove.addons.check.common import ENDS, GAMES, LINES, MOVES, QUITS
from quietmove.addons.check.subject import Situation
from quietmove.addons.check.talk import FaultError, NotExaminedError, Protocol, Talk, quoted
from quietmove.addons.dialects.gtp_seat import GtpSeat, Response, play_lines
from quietmove.referee.config.model import TimeControl
from quietmove.referee.process.loop import now

REQUIRED_COMMANDS = (
    *("protocol_version", "name", "version", "known_command", "list_commands", "quit"),
    *("boardsize", "clear_board", "play", "genmove"),
)  # GTP 2 requires these, and komi, which only applies to Go
WRONG_COMMANDS = ("xyzzy", "play purple d3", "play black z9", "play black a1", "genmove", "boardsize many")
THINK_SECONDS = 3
GENMOVE_ID = 900_000_000  # identifies the replies to `genmove`


class GtpTalk(Talk[GtpSeat]):
    """A GTP conversation with numbered commands; the first line of a response repeats the number."""

    quit_line = "quit"
    new_game_line = "clear_board"
    question_form = "{} name"
    answer_form = "={}"
    think_seconds = float(THINK_SECONDS)
    quick = TimeControl(base_ms=5000)  # GTP has no depth limit

    def moves(self, situation: Situation) -> list[str]:
        """Return the lines that set up a position. Forced passes are left out because not every engine accepts them."""
        plays = play_lines(situation.moves, situation.color)
        return ["clear_board", *(line for line in plays if not line.endswith(" pass"))]

    def short_search(self, situation: Situation) -> list[str]:
        genmove = f"{GENMOVE_ID} genmove {situation.color}"
        return [*self.moves(situation), "time_settings 1 0 0", genmove]

    def long_search(self) -> list[str]:
        return [f"time_settings 0 {THINK_SECONDS} 1", f"{GENMOVE_ID} genmove black"]

    def move_of(self, text: str) -> str | None:
        sign, _, move = text.partition(" ")
        return move.strip().lower() if sign == f"={GENMOVE_ID}" else None

    async def command(self, text: str) -> Response:
        """Send a command and return its response.

        :raises FaultError: if no response arrives.
        """
        seconds = self.subject.start_seconds
        self.process.inbox.begin_turn(forget=True)
        response = await self.seat.ask(text, now() + seconds)
        if response is None:
            raise FaultError(
                (await self.seat.failure(f"an answer to {quoted(text)} and an empty line", seconds)).detail
            )
        return response

    async def finish(self) -> Situation:
        """Set up the final position of a random game and return it."""
        situation = self.subject.finished()
        assert situation is not None, "Othello ends"
        for line in self.moves(situation):
            await self.command(line)
        return situation

    async def expect_first(self, line: str, first: str) -> None:
        """Send a line and check that the first word of the response is ``first``."""
        response = (await self.command(line)).line.text
        if response.split()[0] != first:
            raise FaultError(f"answer to {quoted(line)}: must begin with {first!r}, not {quoted(response)}")


async def handshake(talk: GtpTalk) -> str:
    """Ask for the protocol version, which must be 2, and the commands, which must include the required ones."""
    version = (await talk.command("protocol_version")).text
    if version != "2":
        raise FaultError(f"protocol_version: must be 2, not {quoted(version or '')}")
    known = ((await talk.command("list_commands")).text or "").split()
    if missing := [name for name in REQUIRED_COMMANDS if name not in known]:
        raise FaultError(f"does not list {', '.join(missing)}")
    return f"ready after {talk.ready_ms:.0f} ms; {len(known)} commands"


async def numbers(talk: GtpTalk) -> str:
    """Send commands with and without a number; each response must repeat the command's number, if it has one."""
    for number in ("0", "1", "2147483647"):
        await talk.expect_first(f"{number} name", f"={number}")
    await talk.expect_first("name", "=")
    return "0, 1, 2147483647 and none"


async def errors(talk: GtpTalk) -> str:
    """Send commands that cannot be executed; each response must start with `?`, and the board must stay the same."""
    for text in WRONG_COMMANDS:
        answer = await talk.command(text)
        if answer.text is not None:
            raise FaultError(f"answer to {quoted(text)}: must begin with '?', not {quoted(answer.line.text)}")
    situation = talk.subject.start()
    talk.send(*talk.short_search(situation)[1:])
    await talk.searched(situation)
    return f"{len(WRONG_COMMANDS)} commands refused"


async def comments(talk: GtpTalk) -> str:
    """Send comments, tabs and empty lines; the engine must ignore them."""
    talk.send("# a comment", "", "   ")
    await talk.expect_first("\t7\tname # and another", "=7")
    return "ignored"


async def queued(talk: GtpTalk) -> str:
    """Send a command after `genmove`; its response must come after the move."""
    talk.send(*talk.short_search(talk.subject.start()), talk.question())
    if not talk.moves_among(await talk.answered(talk.subject.start_seconds)):
        raise FaultError("answered the next command before genmove")
    return "the move came first"


async def finished_game(talk: GtpTalk) -> str:
    """Ask for a move in a finished game; the response must be a pass or a refusal."""
    answer = await talk.command(f"genmove {(await talk.finish()).color}")
    if answer.text is not None and answer.text.lower() not in ("pass", "resign"):
        raise FaultError(f"answered {quoted(answer.line.text)} although the game is over")
    return quoted(answer.line.text)


async def final_score(talk: GtpTalk) -> str:
    """Ask for the score of a finished game; the response must name the winner by the rules."""
    if (await talk.command("known_command final_score")).text != "true":
        raise NotExaminedError("does not support final_score")
    result = (await talk.finish()).position.result()
    score = (await talk.command("final_score")).text or ""
    expected = "0" if not result else "B" if result > 0 else "W"
    if score[:1].upper() != expected:
        raise FaultError(f"final_score: must begin with {expected}, not {quoted(score)}")
    return quoted(score)


PROTOCOL = Protocol(
    GtpTalk,
    (
        *(handshake, numbers, errors, comments, queued, *LINES, *QUITS, *ENDS, *MOVES),
        *(finished_game, final_score, *GAMES),
    ),
)
