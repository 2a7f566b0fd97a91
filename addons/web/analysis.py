"""Analysis for pages: engines that score the moves in a position, and reviews of the moves of a game."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace

from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import AnalysisRequest, parse_position
from quietmove.addons.web.thinking import Thinking, moves_of
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import ERROR
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.session import DEFAULTS, make_table
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import ReviewEffort, Searches, exact_moves, review, reviewed_move
from quietmove.engine.tools.analysis.reviews import Review, ReviewedMove, today
from quietmove.engine.values import Info, Limits
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, EngineConfig, TimeControl
from quietmove.referee.errors import RefereeError, SetupError
from quietmove.referee.seats import Listener, Seat, Turn, create_seat, get_seat

MOST_ANALYSES = 4  # maximum number of concurrent analyses, each with its own engine
LOOK = TimeControl(movetime_ms=86_400_000)  # formal limit for an analysis, which is solved or stopped earlier
KEPT = "The review is saved with the game."
NOT_KEPT = "The game already has a review that is at least as deep."
SLACK_MS = 2000  # milliseconds that an answer may be late; no game can be lost on time here
MEGABYTES = 64  # size of a review's table
LOWEST_PRIORITY = 19
STOP_SECONDS = 2.0  # time for an engine to stop before it is killed
WEAK = ("level", "uci_limitstrength", "uci_elo")  # options not copied to an analysis engine


@dataclass(frozen=True, slots=True)
class Question:
    """A page's request to an engine: the position after ``moves`` from ``start``, or a review of these moves."""

    config: EngineConfig
    game: Game
    start: Position
    position: Position
    played: tuple[int, ...]  # the moves
    moves: tuple[str, ...]  # the same in the game's notation
    limit: TimeControl  # search limit per position
    review: bool  # whether to review the moves
    kept: str  # the name of the saved game to save the review with; "" for none


class Analysis:
    """One page's analysis: one engine, one request at a time. Use it from one event loop."""

    def __init__(
        self,
        engines: Mapping[str, EngineConfig],
        running: set[Analysis],
        send: Callable[[Json], None],
        keep: Callable[[str, Sequence[str], Review], bool],
    ) -> None:
        """Prepare an analysis; an engine starts with the first request.

        :param running: the analyses with a running engine, shared by all pages; updated by this class.
        :param send: sends a message to the page.
        :param keep: saves a review with the game that has this name and these moves, unless a deeper review exists.
            Returns whether the review was saved.
        """
        self._keep = keep
        self._engines = engines
        self._running = running
        self._send = send
        self._seat: Seat | None = None
        self._searches = Searches()
        self._task: asyncio.Task[None] | None = None
        self._is_stopping = False
        self._thinking = Thinking(lambda: None)

    async def take(self, request: AnalysisRequest) -> None:
        """Start a page's request, which replaces the previous one. A ``stop`` request only stops the engine.

        :raises QuietmoveError: if the request is invalid. The previous one is then stopped too.
        """
        await self._halt()
        if request.stop:
            await self._end_seat()
            return
        question = self._question(request)
        if self not in self._running and len(self._running) >= MOST_ANALYSES:
            raise SetupError(f"at most {MOST_ANALYSES} analyses can run at once; stop one first")
        self._running.add(self)
        self._task = asyncio.create_task(self._answer(question, request.id))

    async def close(self) -> None:
        """Stop the engine after the page has disconnected."""
        await self._halt()
        await self._end_seat()

    def _question(self, request: AnalysisRequest) -> Question:
        if request.engine not in (allowed := analysts(self._engines.values())):
            if not allowed:
                raise SetupError("engine: no engine of this server can analyse positions")
            raise SetupError(f"engine: must be {' or '.join(allowed)}, not {request.engine[:60]!r}")
        game = get_game(request.game)
        if game.kind == "hidden":
            raise SetupError(f"game: {game.name} cannot be analysed because it has hidden cards")
        if request.review and game.kind == "chance":
            raise SetupError(f"game: a game of {game.name} cannot be reviewed because it has chance moves")
        start = parse_position(game, request.start)
        position = start.copy()
        played = play_moves(game, position, [request.moves])
        moves = tuple(map(game.format_move, played))
        limit = _limit(request.limit) if request.review or request.limit else LOOK
        engine = _analysing(self._engines[request.engine], limit, request)
        return Question(engine, game, start, position, played, moves, limit, request.review, request.kept)

    async def _answer(self, question: Question, number: int | None) -> None:
        """Answer a request, and report errors to the page. ``number`` is the page's ID for the request."""

        def send(message: Json) -> None:
            self._send({**message, "id": number})

        try:
            if question.review:
                await self._review(question, send)
            else:
                await self._look(await self._prepare(question), question, send)
        except QuietmoveError as error:
            await self._end_seat()
            send({"type": "error", "error": str(error)})

    async def _look(self, seat: Seat, question: Question, send: Callable[[Json], None]) -> None:
        """Send the search results for a position as the search deepens."""
        game, position = question.game, question.position

        def show() -> None:
            send({"type": "analysis", "lines": self._thinking.lines(game, position), "done": False})

        if position.is_over() or position.side_to_move == NATURE:
            send({"type": "analysis", "lines": [], "done": True})
            return
        self._thinking = Thinking(show)
        answer = await self._search(seat, question, question.moves)
        if self._is_stopping:
            return
        lines = self._thinking.lines(game, position)
        if not (lines and lines[0]["pv"]):  # the engine has reported no line, so only its move is known
            made = moves_of(game, position, (answer,))
            if not made:
                raise RefereeError(f"the engine {seat.config.name} answered with an illegal move: {answer[:60]!r}")
            lines = [{"depth": None, "exact": False, "score": None, "nps": None, **dict(*lines[:1]), "pv": made}]
        send({"type": "analysis", "lines": lines, "done": True})

    async def _review(self, question: Question, send: Callable[[Json], None]) -> None:
        """Send the review of each move, last move first."""
        self._searches = Searches()
        record = ReviewedGame("game", question.game, question.start, question.played)
        reviewed = list[ReviewedMove]()
        async for number, position, move in reviewed_moves(record, question.limit, self._searches):
            reviewed.append(move)
            message = {"type": "review", "ply": number, "of": len(question.moves)}
            if number == 1 and question.kept:
                message["kept"] = await self._keep_review(question, reviewed[::-1])
            send({**message, **describe_review(question.game, position, move)})

    async def _keep_review(self, question: Question, found: Sequence[ReviewedMove]) -> str:
        """Save a review with its game, and return a message for the page."""
        review = Review(tuple(found), str(question.limit), today())
        try:
            is_kept = await asyncio.to_thread(self._keep, question.kept, question.moves, review)
        except QuietmoveError as error:
            return printable(str(error))
        return KEPT if is_kept else NOT_KEPT

    async def _search(self, seat: Seat, question: Question, moves: tuple[str, ...]) -> str:
        """Let the engine search the position after ``moves``, and return its move.

        :raises RefereeError: if the engine does not answer.
        """
        if self._is_stopping:
            return ""
        game = question.game
        usual, start = (game.format_position(each) for each in (game.initial(), question.start))
        clocks = {color: Clock(question.limit, seat.config.margin_ms) for color in COLORS}
        answer = await seat.think(Turn(moves, clocks, start="" if start == usual else start))
        if answer.line is None:
            what = await seat.describe_end() if await seat.has_left(0) else "did not answer"
            raise RefereeError(f"the engine {seat.config.name} {what}")
        return answer.move or answer.line

    async def _prepare(self, question: Question) -> Seat:
        """Return an engine ready for a request, reusing the previous one if possible.

        :raises RefereeError: if the engine cannot be started.
        """
        config, game = question.config, question.game.name
        seat = self._seat
        if seat is None or seat.game != game or replace(seat.config, limit=config.limit) != config:
            if seat is not None:
                await seat.end(patient=False)
            seat = self._seat = create_seat(config, game)
            failure = await seat.start("black", Listener(info=self._report))
            if failure:
                raise RefereeError(f"the engine {config.name} {failure.detail}")
        seat.config = config
        return seat

    def _report(self, info: Info[str]) -> None:
        if not self._is_stopping:
            self._thinking.add(info)

    async def _halt(self) -> None:
        """Cancel the current request. If the engine does not stop in time, end it."""
        task, self._task = self._task, None
        if task is None or task.done():
            return
        self._is_stopping = True
        try:
            self._searches.stop()
            if self._seat is not None:
                self._seat.stop()
            await asyncio.wait([task], timeout=STOP_SECONDS)
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                await self._end_seat()
        finally:
            self._is_stopping = False

    async def _end_seat(self) -> None:
        seat, self._seat = self._seat, None
        self._running.discard(self)
        if seat is not None:
            await seat.end(patient=False)


def analysts(engines: Iterable[EngineConfig]) -> list[str]:
    """Return the names of the engines that can analyse positions."""
    return [engine.name for engine in engines if get_seat(engine.protocol).analyses]


async def reviewed_moves(
    record: ReviewedGame, limit: TimeControl, searches: Searches
) -> AsyncIterator[tuple[int, Position, ReviewedMove]]:
    """Review a game in a thread of its own, which lets everything else on the machine run first.

    Yield each move's number, the position before it, and its review, last move first.

    :param limit: the time for each position that is not solved.
    :param searches: stops the review.
    """
    effort = ReviewEffort(DEFAULTS, Limits(movetime=limit.movetime_ms), exact_moves(record.start))
    rows = review(record, effort, make_table(MEGABYTES), searches)
    position = record.start.copy()
    for move in record.moves:
        position.play(move)

    def next_move() -> tuple[int, Position, ReviewedMove] | None:
        if (row := next(rows, None)) is None:
            return None
        position.undo()
        return row.number, position, reviewed_move(record.game, position, row)

    pool = ThreadPoolExecutor(1, initializer=lower_priority)
    try:
        while reviewed := await asyncio.get_running_loop().run_in_executor(pool, next_move):
            yield reviewed
    finally:
        searches.stop()
        pool.shutdown()


def describe_review(game: Game, position: Position, found: ReviewedMove) -> Json:
    """Return a move's review as JSON for a page.

    :param position: the position before the move.
    """
    line = moves_of(game, position, tuple(found.line.split()))
    return {
        "loss": found.loss,
        "mark": found.mark,
        "best": line[0]["move"] if line else None,
        "line": line,
        "score": found.value,
        "bestScore": found.best_value,
        "exact": found.exact,
        "error": 0 if found.exact else ERROR,
        "why": found.why,
        "reason": found.reason,
    }


def lower_priority() -> None:
    """Let all other threads and processes run first."""
    with suppress(OSError):  # macOS has no priorities of threads
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)


def _analysing(engine: EngineConfig, limit: TimeControl, request: AnalysisRequest) -> EngineConfig:
    """Return an engine's configuration at full strength, with the requested lines, threads and memory."""
    threads = request.threads and min(request.threads, len(usable_processors()))
    asked = {"MultiPV": request.lines, "Threads": threads, "Hash": request.memory}
    wanted = [(name, str(value)) for name, value in asked.items() if value]
    left_out = {*WEAK, *(name.lower() for name, _ in wanted)}
    options = [(name, value) for name, value in engine.options if name.lower() not in left_out]
    return replace(engine, options=(*options, *wanted), limit=limit, margin_ms=SLACK_MS)


def _limit(text: str) -> TimeControl:
    limit = TimeControl.parse(text)
    if limit.movetime_ms is None:
        raise SetupError(f"limit: only movetime is supported here, not {limit}")
    return limit
