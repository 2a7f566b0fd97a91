"""Checks for engines that speak the UCI-style protocol, or UGI, which differs only in a few keywords."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Literal

from quietmove.addons.check.common import ENDS, GAMES, LINES, MOVES, QUITS
from quietmove.addons.check.subject import Situation
from quietmove.addons.check.talk import Examination, FaultError, NotExaminedError, Talk, quoted
from quietmove.engine.errors import GameError
from quietmove.engine.memory import free_megabytes
from quietmove.engine.protocol.lines import (
    INFO_NUMBERS,
    OptionLine,
    parse_bestmove,
    parse_info,
    parse_integer,
    parse_option,
)
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.values import Info
from quietmove.referee.process.loop import now
from quietmove.referee.seats import Turn
from quietmove.referee.seats.process_seat import debug_hint
from quietmove.referee.seats.uci import UciSeat, setoption_lines

FIRST_WORDS = {
    *("id", "option", "uciok", "ugiok", "readyok", "info", "bestmove", "response", "registration", "copyprotection")
}
EARLY = "an early answer"  # cause: an infinite search ends before it is told to stop
HOLD_SECONDS = 0.2  # time in seconds during which no move may arrive
TYPES = ("check", "spin", "combo", "button", "string")


def allows(option: OptionLine, value: int) -> bool:
    """Return whether a `spin` option accepts this number."""
    least, most = parse_integer(option.least), parse_integer(option.most)
    return option.kind == "spin" and least is not None and most is not None and least <= value <= most


def option_fault(option: OptionLine) -> str | None:
    if option.kind not in TYPES:
        return f"type of option {option.name!r}: must be one of {', '.join(TYPES)}, not {option.kind!r}"
    allowed = ""
    if option.kind == "spin" and not allows(option, parse_integer(option.default) or 0):
        allowed = f"from {option.least!r} to {option.most!r}"
    if option.kind == "check" and option.default not in ("true", "false"):
        allowed = "true or false"
    if option.kind == "combo" and option.default not in option.choices:
        allowed = f"one of {', '.join(option.choices)}"
    return f"default of option {option.name!r}: must be {allowed}, not {option.default!r}" if allowed else None


class UciTalk(Talk[UciSeat]):
    """A conversation in `uci` or `ugi`.

    :ivar options: the options that the engine declares.
    """

    quit_line = "quit"
    question_form = "isready"
    answer_form = "readyok"
    in_seconds = False
    options: tuple[OptionLine, ...] = ()

    async def greet(self) -> None:
        self.new_game_line = self.seat.new_game_line
        await super().greet()
        self.options = tuple(filter(None, map(parse_option, self.introduction)))
        self.send(*setoption_lines([*self.seat.game_option(), *self.subject.config.options]))
        await self.ask(self.subject.start_seconds)

    def position(self, situation: Situation) -> str:
        return self.seat.position_line(Turn(situation.moves, {}, situation.view))

    def short_search(self, situation: Situation) -> list[str]:
        return [self.position(situation), "go depth 1"]

    def long_search(self) -> list[str]:
        return [self.position(self.subject.start()), "go infinite"]

    def move_of(self, text: str) -> str | None:
        best = parse_bestmove(text)
        return None if best is None else self.seat.from_wire(best.move)

    async def stop(self) -> list[str]:
        """Stop the search, send `isready`, and return the answers to `go`, at least one."""
        self.send("stop", self.question())
        answers = list[str]()
        ready = False

        def is_complete(text: str) -> bool:
            nonlocal ready
            ready = ready or self.is_answer(text)
            answers.extend(self.moves_among([text]))
            return ready and bool(answers)

        await self.wait_for(is_complete, "bestmove and readyok after stop")
        return answers

    async def hold(self, end: str) -> None:
        """Check that no move arrives for a moment, even if the search is complete.

        :param end: the line before which no move may arrive.
        """
        lines = await self.ask()
        deadline = now() + HOLD_SECONDS
        while (line := await self.line(deadline - now())) is not None:
            lines.append(line)
        if early := self.moves_among(lines):
            raise FaultError(f"sent {quoted(early[0])} before {end}", EARLY)

    async def one_answer(self, situation: Situation) -> None:
        """Stop the search of a position; check that exactly one legal move arrives."""
        answers = await self.stop()
        answers += self.moves_among(await self.ask())
        if len(answers) != 1:
            raise FaultError(
                f"answer to go: must be one bestmove line, not {len(answers)}: {quoted(' | '.join(answers))}"
            )
        self.check_move(situation, answers[0])

    def option(self, name: str) -> OptionLine:
        """Return an option that the engine declares.

        :raises NotExaminedError: if the engine does not declare it.
        """
        option = next((row for row in self.options if row.name.lower() == name.lower()), None)
        if option is None:
            raise NotExaminedError(f"the engine has no option {name}")
        return option

    async def reports(self, situation: Situation, limit: str) -> list[Info[str]]:
        """Search a position with a limit of `go`, check that all lines are well-formed, and return the reports."""
        self.send(self.position(situation), f"go {limit}")
        infos = []
        for text in await self.searched(situation):
            check_first_word(text, self.subject.config.command)
            check_numbers(text)
            if info := parse_info(text):
                if situation.view is None:  # with hidden information a variation need not be legal
                    try:
                        play_moves(self.subject.game, situation.position.copy(), info.pv)
                    except GameError as error:
                        raise FaultError(f"wrote {quoted(text)} {situation.where}: {error}") from None
                infos.append(info)
        return infos


def check_first_word(text: str, command: Sequence[str]) -> None:
    """Check that a line belongs to the protocol.

    :raises FaultError: if it starts with an unknown word.
    """
    if text and text.split()[0] not in FIRST_WORDS:
        raise FaultError(f"wrote {quoted(text)}, which is not a line of the protocol{debug_hint(command)}")


def check_numbers(text: str) -> None:
    """Check that the numeric fields of an `info` line contain whole numbers.

    :raises FaultError: if a field contains anything else.
    """
    words = text.split("string ")[0].split(" pv ")[0].split()
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word in INFO_NUMBERS and parse_integer(value) is None:
            raise FaultError(f"{word} in {quoted(text)}: must be a whole number, not {quoted(value)}")


MAX_PAUSE = 0.01  # maximum time in seconds between a `go` and its `stop`
NODES = 5000
MAX_NODES = 6500  # maximum number of nodes reported with the limit NODES, which some engines check in steps
DEPTH = 3
BAD_LINES = (
    "position fen nonsense",
    "position startpos moves nonsense",
    "position",
    "setoption name NoSuchOption value 1",
    "setoption",
    "stop",
    "ponderhit",
)


async def handshake(talk: UciTalk) -> str:
    """Do the handshake; the engine must send its name and well-formed options."""
    if not any(text.startswith("id name ") for text in talk.introduction):
        raise FaultError(f"sent no 'id name' before {talk.seat.greeting[1]}")
    faults = list(filter(None, map(option_fault, talk.options)))
    names = [row.name.lower() for row in talk.options]
    faults += [
        f"option {name!r}: must be declared once, not {names.count(name)} times"
        for name in sorted(set(names))
        if names.count(name) > 1
    ]
    if faults:
        raise FaultError("; ".join(faults))
    return f"ready after {talk.ready_ms:.0f} ms; {len(names)} options"


async def isready_thinking(talk: UciTalk) -> str:
    """Send `isready` during a search; `readyok` must come immediately, and the search must continue."""
    times: list[float] = []
    talk.send(*talk.long_search())
    for _ in range(10):
        started = now()
        if talk.moves_among(await talk.ask()):
            raise FaultError("ended go infinite with a bestmove before stop", EARLY)
        times.append(now() - started)
    await talk.one_answer(talk.subject.start())
    return f"{len(times)} times, the slowest after {max(times) * 1000:.0f} ms"


async def stop_races(talk: UciTalk) -> str:
    """Stop up to a thousand searches at random moments; each must give exactly one legal `bestmove`."""
    chance = random.Random(1)
    times = list[float]()
    situations = talk.subject.situations(100)
    for number in talk.subject.rounds(1000, 50):
        situation = situations[number % len(situations)]
        talk.send(talk.position(situation), "go infinite")
        await asyncio.sleep(chance.choice((0, chance.random() * MAX_PAUSE)))
        started = now()
        await talk.one_answer(situation)
        times.append(now() - started)
    return f"{len(times)} searches, the slowest stopped after {max(times) * 1000:.1f} ms"


async def go_after_go(talk: UciTalk) -> str:
    """Send `go` during a search; each `go` may give at most one `bestmove`, and the engine must keep running."""
    talk.send(*talk.long_search(), "go infinite", "go depth 1")
    answers = talk.moves_among(await talk.ask())
    answers += await talk.stop() if not answers else []
    talk.send("stop")
    answers += talk.moves_among(await talk.ask())
    if len(answers) > 3:
        raise FaultError(f"answers to three go commands: must be at most 3 bestmove lines, not {len(answers)}")
    await talk.plays(talk.subject.situations(1)[0])
    return f"{len(answers)} bestmove for three go"


async def infinite_holds(talk: UciTalk) -> str:
    """Send `go infinite` one move before the end of a game; no `bestmove` may come before `stop`."""
    situation = talk.subject.random_game(1)[-2]
    talk.send(talk.position(situation), "go infinite")
    await talk.hold("stop")
    await talk.one_answer(situation)
    return "the answer waited for stop"


async def position_asked(talk: UciTalk) -> str:
    """Search another position after a stopped search; the move must be for the new position."""
    situations = talk.subject.situations(60)
    for number in talk.subject.rounds(30, 10):
        first, second = situations[2 * number - 2 : 2 * number]
        talk.send(talk.position(first), "go infinite")
        await asyncio.sleep(MAX_PAUSE / 10)
        await talk.one_answer(first)
        await talk.plays(second)
    return f"{number} pairs of positions"


async def finished_game(talk: UciTalk) -> str:
    """Send `go` in a finished game; the engine must send exactly one `bestmove`, with any content."""
    situation = talk.subject.finished()
    if situation is None:
        raise NotExaminedError("a random game does not end")
    talk.send(*talk.short_search(situation))
    seconds = talk.subject.start_seconds
    lines = await talk.wait_for(lambda text: talk.move_of(text) is not None, "bestmove", seconds)
    await talk.quiet_until_answer("one bestmove")
    return quoted(lines[-1])


async def bad_lines(talk: UciTalk) -> str:
    """Send invalid lines, and `stop` without a search; the engine must send no move and keep running."""
    for line in BAD_LINES:
        talk.send(line)
        await talk.quiet_until_answer(repr(line))
    await talk.plays(talk.subject.situations(1)[0])
    return f"{len(BAD_LINES)} lines"


async def depth(talk: UciTalk) -> str:
    """Send `go depth 3`; no report may exceed that depth."""
    return await limit_kept(talk, "depth", DEPTH, DEPTH)


async def nodes(talk: UciTalk) -> str:
    """Send `go nodes 5000`; no report may exceed this number by more than a tenth plus 1,000 nodes."""
    return await limit_kept(talk, "nodes", NODES, MAX_NODES)


async def limit_kept(talk: UciTalk, word: Literal["depth", "nodes"], limit: int, most: int) -> str:
    """Search within a limit; check that no report exceeds ``most``."""
    infos = await talk.reports(talk.subject.start(), f"{word} {limit}")
    reported = [value for info in infos if (value := getattr(info, word))]
    if not reported:
        raise NotExaminedError(f"the engine reports no {word}")
    if (highest := max(reported)) > most:
        raise FaultError(f"reported {word}: must be at most {most}, not {highest}")
    return f"{word} {highest} reported"


async def searchmoves(talk: UciTalk) -> str:
    """Send `go searchmoves` with one move; the reply must be this move."""
    game = talk.subject.game
    situations = [each for each in talk.subject.situations(60) if len(each.position.legal_moves()) > 1]
    if not situations or situations[0].view is not None:
        raise NotExaminedError("the game has no position with a choice, or its moves are hidden")
    for situation in situations[:10]:
        worst = situation.position.legal_moves()[-1]
        text = talk.seat.coordinates.write(talk.seat.grid, game.format_move(worst))
        talk.send(talk.position(situation), f"go depth 1 searchmoves {text}")
        line = (await talk.searched(situation))[-1]
        if game.parse_move(situation.position, talk.move_of(line) or "") != worst:
            raise FaultError(f"answer to go searchmoves {text}: must be this move, not {quoted(line)}")
    return f"{len(situations[:10])} positions"


async def reports(talk: UciTalk) -> str:
    """Read the output of searches; lines must start with known words and contain valid numbers and legal variations."""
    for text in talk.introduction:
        check_first_word(text, talk.subject.config.command)
    counts = [len(await talk.reports(situation, f"depth {DEPTH}")) for situation in talk.subject.situations(10)]
    if not sum(counts):
        raise NotExaminedError("the engine reports nothing")
    return f"{sum(counts)} reports"


async def hash_(talk: UciTalk) -> str:
    """Set tables of 1 MB and of 1 GB; the engine must play with each."""
    row = talk.option("Hash")
    done = []
    for megabytes in (1, 1024):
        if allows(row, megabytes) and free_megabytes() >= 2 * megabytes:
            talk.send(f"setoption name {row.name} value {megabytes}", talk.new_game_line)
            await talk.ask(talk.subject.start_seconds)
            await talk.plays(talk.subject.situations(1)[0])
            done.append(f"{megabytes} MB")
    if not done:
        raise NotExaminedError("the option or this machine allows neither 1 MB nor 1 GB")
    return " and ".join(done)


async def ponder(talk: UciTalk) -> str:
    """Send `go ponder`; no `bestmove` may come before `ponderhit` or `stop`, and exactly one must follow."""
    situation = talk.subject.start()
    talk.send(f"setoption name {talk.option('Ponder').name} value true")
    for end in ("ponderhit", "stop"):
        talk.send(talk.position(situation), "go ponder depth 2")
        await talk.hold(end)
        talk.send(end)
        await talk.searched(situation)
        await talk.quiet_until_answer(end)
    return "ponderhit and stop"


async def same_answer(talk: UciTalk) -> str:
    """Search the same position twice with `go nodes 5000`, and report whether the results are the same."""
    answers = []
    for _ in range(2):
        talk.send(talk.new_game_line)
        infos = await talk.reports(talk.subject.start(), f"nodes {NODES}")
        if not infos:
            raise NotExaminedError("the engine reports nothing")
        answers.append([(info.depth, info.score, info.nodes, info.pv) for info in infos])
    return "the same reports" if answers[0] == answers[1] else "the reports differ"


# Abilities that protocol.md calls optional. An engine that fails the second check of a row may also fail the first.
OPTIONAL: dict[Examination, Examination] = {
    **{row: row for row in (isready_thinking, infinite_holds, finished_game, searchmoves, depth, nodes)},
    **dict.fromkeys((stop_races, go_after_go, position_asked), isready_thinking),
}
EXAMINATIONS = (
    *(handshake, isready_thinking, stop_races, go_after_go, infinite_holds, position_asked, *LINES, bad_lines),
    *(*QUITS, *ENDS, *MOVES, finished_game, *GAMES, searchmoves, depth, nodes),
    *(reports, hash_, ponder, same_answer),
)
