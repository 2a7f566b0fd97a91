"""The manners of an engine that speaks the UCI-style protocol, or UGI: it has these words and others for three."""

from __future__ import annotations

import asyncio
import os
import random

from quietmove.referee.check.examination import Examination, FaultError, NotExaminedError, shown
from quietmove.referee.check.games import CLOCKS, GAMES, MOVES
from quietmove.referee.check.streams import ENDS, LINES, QUITS
from quietmove.referee.check.subject import Subject
from quietmove.referee.check.talk import now
from quietmove.referee.check.uci_options import read_options
from quietmove.referee.check.uci_talk import UciTalk, check_first_word, reports

__all__ = ["EXAMINATIONS"]

PAUSE = 0.01  # seconds at most between a `go` and its `stop`
NODES = 5000
MORE_NODES = 1000  # beyond a tenth of the limit, for engines that count in steps
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


async def handshake(subject: Subject) -> str:
    """Greet the engine: it tells its name, and options that are well-formed."""
    started = now()
    async with UciTalk(subject) as talk:
        elapsed = (now() - started) * 1000
        if not any(text.startswith("id name ") for text in talk.introduction):
            raise FaultError(f"sent no 'id name' before {talk.seat.greeting[1]}")
        rows = read_options(talk.introduction)
        faults = [fault for row in rows for fault in row.faults()]
        names = [row.name.lower() for row in rows]
        faults += [f"declares option {name!r} twice" for name in sorted(set(names)) if names.count(name) > 1]
        if faults:
            raise FaultError("; ".join(faults))
    return f"ready after {elapsed:.0f} ms; {len(rows)} options"


async def ready_while_thinking(subject: Subject) -> str:
    """Send `isready` in a search: `readyok` at once, and the search goes on."""
    times: list[float] = []
    async with UciTalk(subject) as talk:
        talk.send(*talk.long_search())
        for _ in range(10):
            started = now()
            if talk.moves_among(await talk.ask()):
                raise FaultError("ended go infinite with a bestmove before stop")
            times.append(now() - started)
        await talk.one_answer(subject.start())
    return f"{len(times)} times, the slowest after {max(times) * 1000:.0f} ms"


async def stop_races(subject: Subject) -> str:
    """Stop a thousand searches at random moments: exactly one legal `bestmove` each."""
    chance, times = random.Random(1), list[float]()
    situations = subject.situations(100)
    async with UciTalk(subject) as talk:
        for number in subject.rounds(1000, 50):
            situation = situations[number % len(situations)]
            talk.send(talk.position(situation), "go infinite")
            await asyncio.sleep(chance.choice((0, chance.random() * PAUSE)))
            started = now()
            await talk.one_answer(situation)
            times.append(now() - started)
    return f"{len(times)} searches, the slowest stopped after {max(times) * 1000:.1f} ms"


async def stop_at_rest(subject: Subject) -> str:
    """Send `stop` without a search: no answer."""
    async with UciTalk(subject) as talk:
        talk.send("stop")
        await talk.quiet_until_answer("stop without a search")
    return "no answer"


async def go_after_go(subject: Subject) -> str:
    """Send `go` while a search runs: at most one `bestmove` each, and the engine goes on."""
    async with UciTalk(subject) as talk:
        talk.send(*talk.long_search(), "go infinite", "go depth 1")
        answers = talk.moves_among(await talk.ask())
        answers += await talk.stop() if not answers else []
        talk.send("stop")
        answers += talk.moves_among(await talk.ask())
        if len(answers) > 3:
            raise FaultError(f"answered three go by {len(answers)} bestmove lines")
        await talk.plays(subject.situations(1)[0])
    return f"{len(answers)} bestmove for three go"


async def infinite_holds(subject: Subject) -> str:
    """Send `go infinite` one move before the end of a game: no `bestmove` before `stop`."""
    situation = subject.last_choice()
    async with UciTalk(subject) as talk:
        talk.send(talk.position(situation), "go infinite")
        await talk.hold("stop")
        await talk.one_answer(situation)
    return "the answer was held back"


async def position_asked(subject: Subject) -> str:
    """Search another position after a search was stopped: the move is one of that position."""
    situations = subject.situations(60)
    async with UciTalk(subject) as talk:
        for number in subject.rounds(30, 10):
            first, second = situations[2 * number - 2 : 2 * number]
            talk.send(talk.position(first), "go infinite")
            await asyncio.sleep(PAUSE / 10)
            await talk.one_answer(first)
            await talk.plays(second)
    return f"{number} pairs of positions"


async def finished_game(subject: Subject) -> str:
    """Send `go` where the game is over: one `bestmove`, whatever it says."""
    situation = subject.finished()
    if situation is None:
        raise NotExaminedError("a random game does not end")
    async with UciTalk(subject) as talk:
        talk.send(*talk.short_search(situation))
        lines = await talk.wait_for(lambda text: talk.move_of(text) is not None, "bestmove", subject.start_seconds)
        await talk.quiet_until_answer("one bestmove")
    return shown(lines[-1])


async def bad_lines(subject: Subject) -> str:
    """Send positions and options that are wrong: the engine goes on, and answers none with a move."""
    async with UciTalk(subject) as talk:
        for line in BAD_LINES:
            talk.send(line)
            await talk.quiet_until_answer(repr(line))
        await talk.plays(subject.situations(1)[0])
    return f"{len(BAD_LINES)} lines"


async def depth_kept(subject: Subject) -> str:
    """Send `go depth 3`: no report is deeper."""
    situation = subject.start()
    async with UciTalk(subject) as talk:
        talk.send(talk.position(situation), f"go depth {DEPTH}")
        found = await reports(talk, situation)
    depths = [info.depth for info in found if info.depth is not None and info.nodes != 0]  # a book searches nothing
    if max(depths, default=0) > DEPTH:
        raise FaultError(f"searched {max(depths)} plies, {DEPTH} are allowed")
    return f"{max(depths, default=0)} plies reported"


async def nodes_kept(subject: Subject) -> str:
    """Send `go nodes 5000`: no report has more than a tenth and 1,000 beyond."""
    situation = subject.start()
    async with UciTalk(subject) as talk:
        talk.send(talk.position(situation), f"go nodes {NODES}")
        counts = [info.nodes for info in await reports(talk, situation) if info.nodes is not None]
    if max(counts, default=0) > NODES * 1.1 + MORE_NODES:
        raise FaultError(f"searched {max(counts)} nodes, {NODES} are allowed, and at most {MORE_NODES} beyond a tenth")
    return f"{max(counts, default=0)} nodes reported"


async def searchmoves_kept(subject: Subject) -> str:
    """Send `go searchmoves`: the answer is one of these moves."""
    situations = [each for each in subject.situations(60) if len(each.position.legal_moves()) > 1]
    if not situations or situations[0].view is not None:
        raise NotExaminedError("the game has no position with a choice, or its moves are hidden")
    async with UciTalk(subject) as talk:
        for situation in situations[:10]:
            worst = situation.position.legal_moves()[-1]
            text = talk.to_wire(subject.game.format_move(worst))
            talk.send(talk.position(situation), f"go depth 1 searchmoves {text}")
            line = await talk.move(situation)
            if subject.game.parse_move(situation.position, talk.move_of(line) or "") != worst:
                raise FaultError(f"answered {shown(line)} to searchmoves {text}")
    return f"{len(situations[:10])} positions"


async def reports_are_true(subject: Subject) -> str:
    """Read what is written: known first words, numbers where they belong, lines of play that are legal."""
    situations, seen = subject.situations(10), 0
    async with UciTalk(subject) as talk:
        for text in talk.introduction:
            check_first_word(text)
        for situation in situations:
            talk.send(talk.position(situation), f"go depth {DEPTH}")
            seen += len(await reports(talk, situation))
    return f"{seen} reports"


async def hash_sizes(subject: Subject) -> str:
    """Set tables of 1 MB and of 1 GB: the engine plays with each."""
    situation, done = subject.situations(1)[0], []
    async with UciTalk(subject) as talk:
        row = talk.option("Hash")
        for megabytes in (1, 1024):
            if not row.allows(megabytes) or free_megabytes() < 2 * megabytes:
                continue
            talk.send(f"setoption name {row.name} value {megabytes}", talk.new_game_line)
            await talk.ask(subject.start_seconds)
            await talk.plays(situation)
            done.append(f"{megabytes} MB")
    if not done:
        raise NotExaminedError("the option or this machine allows neither 1 MB nor 1 GB")
    return " and ".join(done)


async def pondering(subject: Subject) -> str:
    """Send `go ponder`: no `bestmove` before `ponderhit` or `stop`, then exactly one."""
    situation = subject.start()
    async with UciTalk(subject) as talk:
        row = talk.option("Ponder")
        talk.send(f"setoption name {row.name} value true")
        for end in ("ponderhit", "stop"):
            talk.send(talk.position(situation), "go ponder depth 2")
            await talk.hold(end)
            talk.send(end)
            await talk.move(situation)
            await talk.quiet_until_answer(end)
    return "ponderhit and stop"


async def same_answer(subject: Subject) -> str:
    """Search the same position twice with `go nodes 5000`: whether the reports are the same."""
    situation, answers = subject.start(), []
    async with UciTalk(subject) as talk:
        for _ in range(2):
            talk.send(talk.new_game_line, talk.position(situation), f"go nodes {NODES}")
            found = await reports(talk, situation)
            answers.append([(info.depth, info.score, info.nodes, info.pv) for info in found])
    return "the same reports" if answers[0] == answers[1] else "the reports differ"


def free_megabytes() -> int:
    """Return how much memory of this machine nobody uses."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


EXAMINATIONS = (
    Examination("handshake", handshake),
    Examination("isready-thinking", ready_while_thinking),
    Examination("stop-races", stop_races),
    Examination("stop-at-rest", stop_at_rest),
    Examination("go-after-go", go_after_go),
    Examination("infinite-holds", infinite_holds),
    Examination("position-asked", position_asked),
    *LINES,
    Examination("bad-lines", bad_lines),
    *QUITS,
    *ENDS,
    *MOVES,
    Examination("finished-game", finished_game),
    *GAMES,
    Examination("searchmoves", searchmoves_kept),
    Examination("depth", depth_kept),
    Examination("nodes", nodes_kept),
    *CLOCKS,
    Examination("reports", reports_are_true),
    Examination("hash", hash_sizes),
    Examination("ponder", pondering),
    Examination("same-answer", same_answer, informs=True),
)
