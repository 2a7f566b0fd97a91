"""External engines for scripts and notebooks: ask an engine process for moves, or play games between two engines."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from quietmove.engine.api import NO_CHOICE, Analysis, AnalysisEnd, Position, as_position
from quietmove.engine.common.entry import SIGNAL_SECONDS
from quietmove.engine.errors import BusyError, GameError, LimitsError
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.limit import Limit, as_limit
from quietmove.engine.protocol.notation import written_moves
from quietmove.engine.values import Info, Score
from quietmove.referee.arguments.engine_args import parse_engine, read_table
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import (
    COLORS,
    OWN_ENGINE,
    TIME_CONTROL_FORMS,
    Adjudication,
    Color,
    EngineConfig,
    GameSpec,
    TimeControl,
)
from quietmove.referee.config.validation import spell_problem
from quietmove.referee.errors import EngineError, SetupError
from quietmove.referee.game.host import play_game as play_spec
from quietmove.referee.game.record import GameRecord, Observer
from quietmove.referee.seats import Answer, Listener, Seat, Turn, check_game, create_seat, get_seat
from quietmove.referee.seats.base import leading_move
from quietmove.referee.seats.pool import objections

if TYPE_CHECKING:
    from quietmove.engine.games.othello.public_board import Board

__all__ = ["Adjudication", "AsyncEngine", "Engine", "EngineError", "Reply", "parse_engine", "play_game", "player"]

T = TypeVar("T")
LEVEL_LIMIT = TimeControl(depth=60)  # formal limit for a level, which ends every search before this depth
FULL_LIMIT = TimeControl(nodes=1_000_000)  # the limit with which the rating of full strength was measured
ENDLESS = TimeControl(movetime_ms=10**9)  # eleven days, for a search that ends only when it is stopped


def player(
    command: str | Sequence[str] = "quietmove",
    *,
    name: str | None = None,
    limit: Limit | str | None = None,
    options: Mapping[str, object] | None = None,
    **settings: Any,
) -> EngineConfig:
    """Return an engine's configuration, for :class:`Engine` and :func:`play_game`.

    :param command: the program with its arguments, as a list or quoted as for a shell; ``quietmove`` is this engine.
    :param name: the engine's name in results; by default the program's name.
    :param limit: a :class:`Limit`, or ``nodes=N``, ``depth=N``, ``movetime=MILLISECONDS`` or
        ``tc=[MOVES/]SECONDS[+SECONDS]``. The default is ``depth=6``; for ``quietmove`` with the option ``Level``, it is
        that level's own limit, and a million nodes for level 20.
    :param options: values of the engine's own options, by name.
    :param settings: more fields of :class:`~quietmove.referee.config.model.EngineConfig`, such as ``margin_ms`` or
        ``protocol`` (by default the one that the command names), and the seat's settings, such as ``coordinates``.
    :raises SetupError: if the engine cannot be used with these settings.
    """
    if isinstance(options, Mapping):
        options = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in options.items()}
    text = None if limit is None else str(limit)
    table = {"name": name, "command": command, "limit": text, "options": options, **settings}
    config, mistakes = read_table({key: value for key, value in table.items() if value is not None}, {}, words=True)
    if mistakes or config is None:
        raise SetupError([spell_problem(("engine", *path), text) for path, text in mistakes])
    level = dict(config.options).get("Level", "")
    if limit is None and config.command in ((), (OWN_ENGINE,)) and level.isdecimal():
        return replace(config, limit=LEVEL_LIMIT if int(level) < FULL_STRENGTH else FULL_LIMIT)
    return config


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's reply.

    :param move: a legal move, or ``resign``.
    :param milliseconds: the time from the request to the reply.
    :param score: the engine's own evaluation from the side to move's point of view, or None if it reports none.
        ``depth`` and ``nodes`` are also as reported by the engine.
    """

    move: str
    milliseconds: float
    score: Score | None
    depth: int | None
    nodes: int | None


@dataclass(eq=False, slots=True)
class Request:
    """A request for a move. Only the loop's thread reads and changes ``is_stopped``."""

    position: Position
    control: TimeControl
    report: Callable[[Info[str]], None] | None = None
    is_stopped: bool = False


class Engine:
    """An engine running in its own process. As a context manager, it ends the process on exit.

    :ivar whole_games: whether the engine can play only whole games. Such an engine must be asked for each of its moves
        in turn, including forced passes. Its process is started at its first move in each game.
    :param command: the program with its arguments, or a result of :func:`player`.
    :param game: the game to play, with its parameters.
    :param settings: the parameters of :func:`player`: ``limit``, ``options``, ``name`` and so on.
    :raises EngineError: if the engine fails to start.
    :raises SetupError: if the program does not exist, cannot play this game, or does not accept an option.
    """

    def __init__(
        self, command: str | Sequence[str] | EngineConfig = "quietmove", *, game: str = "othello", **settings: Any
    ) -> None:
        self._config = config = as_player("command", command, settings)
        self._game = Position(game).game
        seat = get_seat(config.protocol)
        if refused := [f"engine {config.name}: {text}" for text in seat.game_problems(self._game, ())]:
            raise SetupError(refused)
        require_playable([config], game)
        self.whole_games = seat.whole_games
        self._known: tuple[str, ...] = ()  # the moves up to the engine's last reply
        self._seat: Seat | None = None
        self._task: Future[Reply] | None = None  # the search of the most recent analysis
        self._request_in_progress: Request | None = None
        self._one_at_a_time = asyncio.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=run_and_close, args=(self._loop,), name="engine", daemon=True)
        self._thread.start()
        if not self.whole_games:
            try:
                self._wait(partial(self._start, "black", config))
            except BaseException:
                self.close()
                raise

    def best_move(
        self, position: Position | Board, limit: Limit | str | None = None, *, stops_at_interrupt: bool = False
    ) -> Reply:
        """Request a move and return the engine's reply.

        :param limit: the thinking limit; by default the engine's own.
        :param stops_at_interrupt: whether Ctrl-C stops the search, so that its best move so far is returned.
        :raises EngineError: if the engine does not reply with a legal move; its process must then be closed.
        :raises GameError: if there is no move to choose, or the position belongs to another game.
        :raises LimitsError: if the limit combines several; an engine takes one.
        :raises BusyError: if an analysis is still running.
        """
        self._require_idle()
        request = self._request(position, limit)
        return self._wait(partial(self._think, request), partial(self._stop, request) if stops_at_interrupt else None)

    def analyse(self, position: Position | Board, limit: Limit | str | None = None) -> Analysis:
        """Start a search and return its analysis, as :func:`quietmove.analyse` does in this process.

        Only engines whose protocol reports searches yield an :class:`Info` before the end. To get several lines, set
        the engine's own option, such as ``MultiPV``. Parameters and errors are those of :meth:`best_move`; the analysis
        raises an error of the engine.
        """
        self._require_idle()
        analysis, self._task = self._begin(position, limit)
        return analysis

    def _require_idle(self) -> None:
        if self._task is not None and not self._task.done():
            raise BusyError(f"engine {self._config.name}: an analysis is running; wait for its end, or stop it")

    def _begin(self, position: Position | Board, limit: Limit | str | None) -> tuple[Analysis, Future[Reply]]:
        request = self._request(position, limit)
        analysis = Analysis(request.position, is_limited=request.control != ENDLESS)
        report = analysis._news.put
        request.report = lambda info: report(with_canonical_moves(info, request.position))
        task = asyncio.run_coroutine_threadsafe(self._think(request), self._loop)
        analysis._stop = partial(self._stop, request)

        def finish(done: Future[Reply]) -> None:
            error = CancelledError() if done.cancelled() else done.exception()
            report(error if isinstance(error, Exception) else AnalysisEnd(done.result().move))

        task.add_done_callback(finish)
        weakref.finalize(analysis, analysis._stop)
        return analysis, task

    def close(self) -> None:
        """End the process. Can be called more than once."""
        if not self._loop.is_closed():
            self._wait(self._quit)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _request(self, position: Position | Board, limit: Limit | str | None) -> Request:
        position = as_position(position)
        if self._loop.is_closed():
            raise EngineError(f"engine {self._config.name}: already closed")
        if position.game != self._game:
            raise GameError(f"engine {self._config.name}: plays {self._game}, not {position.game}")
        if not position.legal_moves or position.turn == "nature":
            raise GameError(NO_CHOICE)
        return Request(position.copy(), self._config.limit if limit is None else control_of(as_limit(limit)))

    async def _think(self, request: Request) -> Reply:
        position, control = request.position, request.control
        async with self._one_at_a_time:
            color = COLORS[position.turn != position.players[0]]
            if self.whole_games:
                await self._follow(position, color, control)
            seat = self._seat
            assert seat is not None, "the engine was started"
            seat.config = replace(self._config, limit=control)
            seat.color = color
            seat.listener = Listener(info=request.report)
            self._request_in_progress = request
            if request.is_stopped:
                self._loop.call_soon(seat.stop)
            clocks = {each: Clock(control, self._config.margin_ms) for each in COLORS}
            answer = await seat.think(Turn(position.moves, clocks, position.known_to_the_side_to_move()))
            self._request_in_progress = None
            seat.listener = Listener()
            try:
                move = "resign" if seat.resigns(answer) else leading_move(answer.move or "", position.read)[0]
            except GameError:
                complaint = await self._complaint(seat, answer, position.legal_moves)
                raise EngineError(f"engine {self._config.name} {complaint}") from None
            self._known = (*position.moves, move)
            claim = answer.claim
            claims = (None, None, None) if claim is None else (claim.score, claim.depth or None, claim.nodes)
            return Reply(move, answer.elapsed_ms, *claims)

    def _stop(self, request: Request) -> None:
        """Stop the search for a request as soon as it runs, so that the engine replies."""

        def stop() -> None:
            request.is_stopped = True
            if self._request_in_progress is request and self._seat is not None:
                self._seat.stop()

        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(stop)

    async def _start(self, color: Color, config: EngineConfig) -> None:
        """Start the process; if the engine fails to start, leave no process running and raise an EngineError."""
        self._seat = create_seat(config, self._game)
        if (failure := await self._seat.start(color, Listener())) is not None:
            await self._quit()
            raise EngineError(f"engine {self._config.name} {failure.detail}")

    async def _follow(self, position: Position, color: Color, control: TimeControl) -> None:
        """Follow a whole game: start the engine at its first move, and check at later moves that none was skipped.

        An engine that plays whole games receives its limit only once, when it is started.

        :raises GameError: if a move was skipped, or the position does not continue a game from its start.
        """
        moves = position.moves
        from_start = position.known_to_the_side_to_move() is None
        if from_start and len(moves) == COLORS.index(color):
            await self._quit()
            await self._start(color, replace(self._config, limit=control))
        elif not from_start or not moves or moves[:-1] != self._known:
            raise GameError(
                f"engine {self._config.name}: protocol={self._config.protocol} plays whole games only, so it must be "
                f"asked for each of its moves in turn, not for one after {' '.join(moves) or 'no move'}"
            )

    async def _quit(self) -> None:
        seat, self._seat = self._seat, None
        if seat is not None:
            await seat.end()

    async def _complaint(self, seat: Seat, answer: Answer, legal: list[str]) -> str:
        if answer.line is None:
            ended = await seat.has_left(0.1)
            return await seat.describe_end() if ended else f"did not answer in {answer.elapsed_ms:.0f} ms"
        return f"answered {answer.line!r}; legal: {' '.join(legal)}"

    def _wait(self, work: Callable[[], Coroutine[Any, Any, T]], stop: Callable[[], None] | None = None) -> T:
        """Run ``work()`` and return its result. On an interrupt, cancel it, wait for its end and re-raise.

        An interrupt inside a method of a Future can leave its lock locked, so this thread waits for a SimpleQueue.

        :param stop: called at the first interrupt instead of cancelling, so that the work can end by itself.
        """
        tasks: list[asyncio.Task[T]] = []
        ended: SimpleQueue[asyncio.Task[T]] = SimpleQueue()

        def begin() -> None:
            tasks.append(self._loop.create_task(work()))
            tasks[0].add_done_callback(ended.put)

        def cancel() -> None:
            if not tasks:  # the interrupt came before begin() was scheduled
                begin()
            tasks[0].cancel()

        def result() -> T:
            while not (tasks and tasks[0].done()):
                with suppress(Empty):
                    ended.get(timeout=SIGNAL_SECONDS)
            return tasks[0].result()

        try:
            self._loop.call_soon_threadsafe(begin)
            try:
                return result()
            except KeyboardInterrupt:
                if stop is None:
                    raise
                stop()
                return result()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(cancel)
            with suppress(asyncio.CancelledError, Exception):
                result()
            raise

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()


class AsyncEngine:
    """An :class:`Engine` for programs with an event loop: ``async with AsyncEngine("./my_engine") as engine``.

    Parameters and errors are those of :class:`Engine`. Without a block, ``engine = await AsyncEngine(…)`` starts the
    process and ``await engine.close()`` ends it. Requests are answered one at a time, in order of arrival.
    """

    def __init__(
        self, command: str | Sequence[str] | EngineConfig = "quietmove", *, game: str = "othello", **settings: Any
    ) -> None:
        self._make = partial(Engine, command, game=game, **settings)
        self._engine: Engine | None = None

    def __await__(self) -> Generator[Any, None, AsyncEngine]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> AsyncEngine:
        self._engine = await asyncio.to_thread(self._make)
        return self

    async def __aexit__(self, *details: object) -> None:
        await self.close()

    async def best_move(self, position: Position | Board, limit: Limit | str | None = None) -> Reply:
        """Request a move and return the engine's reply. If the caller is cancelled, the search is stopped."""
        analysis, task = self._started._begin(position, limit)
        try:
            return await asyncio.shield(asyncio.wrap_future(task))
        except asyncio.CancelledError:
            analysis.stop()
            raise

    def analyse(self, position: Position | Board, limit: Limit | str | None = None) -> Analysis:
        """Start a search and return its analysis: ``async for info in analysis``, ``await analysis``."""
        return self._started._begin(position, limit)[0]

    async def close(self) -> None:
        """End the process. Can be called more than once."""
        if self._engine is not None:
            await asyncio.to_thread(self._engine.close)

    @property
    def _started(self) -> Engine:
        if self._engine is None:
            raise EngineError("engine: not started; write 'async with AsyncEngine(…)' or 'await AsyncEngine(…)'")
        return self._engine


def run_and_close(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop and close it in the same thread, because an interrupt can make Thread.is_alive() wrong."""
    loop.run_forever()
    loop.close()


def with_canonical_moves(info: Info[str], position: Position) -> Info[str]:
    """Return an engine's report with its line in the game's own notation, up to the first word that is not a move."""
    game, followed = position._game, position._position.copy()
    moves = list[str]()
    with suppress(GameError):
        for move in written_moves(game, followed, [" ".join(info.pv)]):
            moves.append(game.format_move(move))
            followed.play(move)
    return replace(info, pv=tuple(moves))


def control_of(limit: Limit) -> TimeControl:
    """Return a limit for an engine's process.

    :raises LimitsError: if the limit combines several.
    """
    if limit.infinite:
        return ENDLESS
    try:
        return TimeControl.parse(str(limit))
    except SetupError:
        raise LimitsError(f"limit: an engine's process takes one of {TIME_CONTROL_FORMS}, not {str(limit)!r}") from None


def play_game(
    black: str | Sequence[str] | EngineConfig,
    white: str | Sequence[str] | EngineConfig,
    *,
    game: str = "othello",
    opening: str = "",
    seed: int = 0,
    keep_dialogue: bool = False,
    adjudication: Adjudication | None = None,
    observer: Observer | None = None,
) -> GameRecord:
    """Play a game between two engines and return its record. An engine's fault becomes a verdict, not an exception.

    :param black, white: results of :func:`player`, or commands.
    :param opening: moves to make before the engines start, in any notation of the game.
    :param seed: the seed of the referee's dice and deals.
    :param adjudication: the rules by which the referee ends a game early; by default none.
    :param observer: an object whose methods are called for each event of the game.
    :raises UnknownGameError, NotationError, IllegalMoveError, SetupError: if the game cannot be played.
    """
    first, second = as_player("black", black), as_player("white", white)
    if observer is not None and not isinstance(observer, Observer):
        raise SetupError(f"observer: must be a quietmove.Observer, not {observer!r}")
    moves = Position(game, moves=opening).moves
    name = Position(game).game
    rules = adjudication or Adjudication()
    spec = GameSpec(name, moves, first, second, keep_dialogue=keep_dialogue, seed=seed, adjudication=rules)
    check_game(spec)
    require_playable([first, second], spec.game)
    return play_spec(spec, observer)


def as_player(name: str, value: object, settings: Mapping[str, Any] | None = None) -> EngineConfig:
    """Return ``value`` if it is an engine's configuration, or else the configuration of a command.

    :raises SetupError: if it is neither, or has settings besides those of its configuration.
    """
    if not isinstance(value, EngineConfig):
        if not isinstance(value, str | list | tuple):
            raise SetupError(f"{name}: must be a command or a result of quietmove.player, not {value!r}")
        return player(value, **settings or {})
    if settings:
        raise SetupError(f"{', '.join(settings)}: must be given to quietmove.player, which made the configuration")
    return value


def require_playable(engines: Sequence[EngineConfig], game: str) -> None:
    """Check that the engines exist, play this game and accept their options.

    :raises SetupError: with every problem found.
    """
    if problems := [each.text for each in objections(engines, game)]:
        raise SetupError(problems)
