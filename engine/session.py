"""A facade over game, position, table, options and search, used by every protocol.

A search runs in a daemon thread on a copy of the position and passes its results to callbacks; nothing is printed
here. Call all methods from one controlling thread, except :meth:`Session.close`, which is thread-safe. Callbacks run
in the search thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import BusyError, LimitsError, OptionError, ThreadError
from quietmove.engine.games.base import Book, Game, Position
from quietmove.engine.games.optional import Theory
from quietmove.engine.games.registry import get_game
from quietmove.engine.levels import DEFAULT_ELO, FULL_STRENGTH, LEVELS, Level
from quietmove.engine.memory import free_megabytes
from quietmove.engine.perft import divide
from quietmove.engine.search.book import answer_by_theory, answer_from_book
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.levels import LevelSearch, level_of_elo
from quietmove.engine.search.root_search import AnySearch, OwnSearch
from quietmove.engine.search.table import LAZY_MEGABYTES, Table
from quietmove.engine.search.thread import SearchThread, Task
from quietmove.engine.values import MCTS, Info, Limits, SearchResult, Settings

if TYPE_CHECKING:
    from quietmove.engine.search.events import Event

STOP_PATIENCE = 1.0  # seconds that stop() waits for the result, which loading or a slow game may delay
FEW_NODES = 1000  # a search of this many nodes counts as quick: it takes less than a millisecond
FEW_PLIES = 2  # a search to this depth is quick if it has at most FEW_NODES lines
DEFAULT_SELECTIVITY = 5  # the value that plays strongest at equal time
CLOSE_PATIENCE = 0.08  # the same for close() if the game is slow, because the process must exit within 100 ms
DEFAULTS = Settings(selectivity=DEFAULT_SELECTIVITY)
SEARCH_FIELDS = frozenset(field.name for field in fields(Settings))


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a session; search options are in ``settings``.

    :param settings: the options passed to the search.
    :param hash: size of the transposition table in megabytes, 0 for none.
    :param level: the playing strength, an index into :data:`quietmove.engine.levels.LEVELS`, or FULL_STRENGTH.
    :param limit_strength: whether ``elo`` determines the playing strength instead of ``level``.
    :param elo: the target rating if ``limit_strength`` is set.
    :param trace: whether a search reports each of its steps.
    :param ponder: whether the client intends to use pondering; it has no effect on the search.
    :param own_book: whether to play moves from the opening book without a search.
    :param book_file: the path of an opening book, or "" for the game's own.
    :param book_variety: maximum loss of a book move compared to the best one, in hundredths of a point.
    """

    settings: Settings = DEFAULTS
    hash: int = 16
    game: str = "othello"
    ponder: bool = False
    trace: bool = False
    level: int = FULL_STRENGTH
    limit_strength: bool = False
    elo: int = DEFAULT_ELO
    own_book: bool = False
    book_file: str = ""
    book_variety: int = 0

    def get(self, field: str) -> object:
        """Return the value of a field of this class or of :class:`Settings`."""
        return getattr(self.settings if field in SEARCH_FIELDS else self, field)

    def changed(self, field: str, value: object) -> Options:
        changes: dict[str, Any] = {field: value}
        if field in SEARCH_FIELDS:
            changes = {"settings": replace(self.settings, **changes)}
        return replace(self, **changes)


class Session:
    """An engine session: one game, and at most one search at a time.

    While a search runs, all methods except :meth:`stop`, :meth:`ponderhit`, :meth:`wait`, :meth:`close` and
    :meth:`is_short` raise BusyError.

    :ivar options: the current options; change them with :meth:`configure`.
    :ivar game: the current game.
    :ivar position: the current position, with its moves; a running search does not modify it.
    :ivar table: the transposition table, or None if ``Hash`` is 0.
    :ivar evaluator: the name of the evaluator selected by :meth:`configure`, or "" before the first call.
    :ivar book: the opening book, or None if it is off or the game has none.
    :ivar clock: a function that returns seconds from an arbitrary origin, used by searches and protocols.
    """

    def __init__(self) -> None:
        self.options = Options()
        self.game: Game = get_game(self.options.game)
        self.position: Position = self.game.initial()
        self.table = make_table(self.options.hash)
        self.book: Book | None = None
        self.evaluator = ""
        self.clock: Callable[[], float] = time.perf_counter
        self._lock = threading.RLock()  # guards _task; no search starts before the last answer is written
        self._task: Task | None = None
        self._given: Task | None = None  # the task of the last go; its answer may not have been written yet
        self._thread: SearchThread | None = None
        self._then: Callable[[], None] | None = None  # called after the result of the running search

    @property
    def thinking(self) -> bool:
        """Whether a search or the preparation of the table is still running."""
        return self._task is not None

    def configure(self, options: Options) -> None:
        """Apply new options. A new game starts from its initial position with an empty table.

        :raises UnknownGameError, OptionError: if the game, evaluator, book or table size is invalid; the previous
            options then stay in force.
        """
        self.require_idle()
        changed_game = options.game != self.options.game
        game = get_game(options.game) if changed_game else self.game
        position = game.initial() if changed_game else self.position
        changed_table = options.hash != self.options.hash
        if changed_table:
            check_memory(options.hash, 0 if self.table is None else self.table.touched_megabytes())
        book = game.open_book(options.book_file) if options.own_book or options.book_file else None
        self.evaluator = position.choose_evaluator(options.settings.evaluation, options.settings.evaluation_file)
        if changed_table:
            self._replace_table(options.hash)
        elif changed_game:
            self.clear_table()
        self.game, self.position, self.options = game, position, options
        self.book = book if options.own_book else None

    def _replace_table(self, megabytes: int) -> None:
        """Allocate a new table. If memory is short, raise OptionError and keep an empty table of the old size."""
        self.table = None  # free its memory for the new one
        try:
            self.table = make_table(megabytes)
        except OptionError:
            self.table = make_table(self.options.hash)
            raise

    def new_game(self) -> None:
        """Start a new game: set up the initial position, clear the table, and load the files that a search needs."""
        self.clear_table()
        self.set_up(self.game.initial())
        self.load()

    def clear_table(self) -> None:
        self.require_idle()
        if self.table is not None:
            self.table.forget()

    def set_up(self, position: Position) -> None:
        """Make ``position`` the current position."""
        self.require_idle()
        position.choose_evaluator(self.options.settings.evaluation, self.options.settings.evaluation_file)
        self.position = position

    def load(self) -> None:
        """Load the files that a search needs. Errors are ignored here, because the search will report them."""
        self.require_idle()
        with suppress(QuietmoveError):
            self.position.get_ready()

    def get_ready(self, on_ready: Callable[[], None]) -> None:
        """Load the files that a search needs and touch the memory of a large table, then call ``on_ready``.

        The memory is touched in the search thread, and any other command interrupts that.

        :raises ThreadError: if the system cannot start a thread.
        """
        self.load()
        table = self.table
        if table is None or table.is_ready or self.options.settings.algorithm == MCTS:
            on_ready()
            return
        task = Task(Limits(), gives_way=True)

        def run() -> None:
            table.get_ready(self.options.settings.threads, lambda: task.is_stopped)
            self._answer(on_ready)

        self._start(task, run)

    def undo(self) -> None:
        """Take back the last move.

        :raises IllegalMoveError: if there is no move to take back.
        """
        self.require_idle()
        self.position.undo()

    def go(
        self,
        limits: Limits,
        on_info: Callable[[Info[int]], None],
        on_result: Callable[[SearchResult], None],
        on_error: Callable[[Exception], None],
        on_event: Callable[[Event], None] | None = None,
        *,
        in_this_thread: bool = False,
    ) -> None:
        """Search the current position; ``on_result`` is called exactly once, when the session is idle again.

        With ``infinite`` or ``ponder`` that call waits for :meth:`stop` or :meth:`ponderhit`. If the search fails (a
        game written in Python may raise anything), ``on_error`` is called first; the result is then the best move so
        far, or any legal move. ``on_event`` receives each step of the search if the option ``trace`` is set.

        :param in_this_thread: whether to block and search in the calling thread, which saves a thread switch.
        :raises BusyError: if another search is running.
        :raises LimitsError: if the search cannot be traced, or the game cannot be searched to its end as requested.
        :raises GameError: if the side to move has no move to choose, or its legal moves are unknown.
        :raises ThreadError: if the system cannot start a thread.
        """
        self.require_idle()
        search = self._prepare(limits, on_event if self.options.trace else None)
        task = Task(limits, search, is_limited=limits.is_limited or self._level() is not None)

        def run() -> None:
            try:
                for info in search.iterations():
                    on_info(info)
            except Exception as error:
                on_error(error)
            result = search.result()
            if task.released is not None:
                task.released.wait()
            self._answer(lambda: on_result(result))

        if in_this_thread:
            self._task = task
            try:
                run()
            finally:
                self._task = None
        else:
            self._start(task, run)

    def is_short(self, limits: Limits) -> bool:
        """Return whether a search takes less time than two thread switches.

        If so, the caller can run it in its own thread and is still ready for the next command. Tournaments at a low
        depth or few nodes, as for training and tests of a referee, ask for thousands of such searches a second.
        """
        settings, options = self.options.settings, self.options
        if options.trace or options.own_book or limits.infinite or limits.ponder or limits.goal != "move":
            return False
        if self.game.kind != "perfect" or self.position.slow or settings.algorithm == MCTS or self._level() is not None:
            return False
        if settings.threads > 1:  # starting the threads takes longer than the search
            return False
        if limits.nodes is not None and limits.nodes <= FEW_NODES:
            return True
        few_plies = limits.depth is not None and limits.depth <= FEW_PLIES and not settings.quiescence
        return few_plies and len(self.position.legal_moves()) ** (limits.depth or 0) <= FEW_NODES

    def _prepare(self, limits: Limits, trace: Callable[[Event], None] | None) -> AnySearch:
        """Choose the source of the answer: the opening book, the game's theory, or a search at the current level.

        The book is skipped if several lines, a trace or an infinite search is requested, and at levels that make
        errors, since those start with the first move. ``solve`` and ``wld`` run at full strength. The game's theory is
        skipped if a depth, a trace or another algorithm is requested.
        """
        settings = self.options.settings
        level = self._level()
        position = self.position
        is_analysis = limits.infinite or limits.goal != "move" or settings.multipv > 1 or self.options.trace
        if self.book is not None and not is_analysis and not (level is not None and level.error):
            copy = position.copy()
            seed = f"{settings.seed} {self.game.canonical(copy)}"
            if answer := answer_from_book(self.book, copy, limits, self.options.book_variety, seed):
                return answer
        make = partial(self._make_search, trace=trace)
        if level is not None and limits.goal == "move":
            simplest = self.game.evaluators[-1] if self.game.evaluators else ""
            return LevelSearch(level, position, self.table, settings, limits, simplest, make)
        wants_search = trace is not None or limits.depth is not None or settings.algorithm != DEFAULTS.algorithm
        theory = self.game.known() if isinstance(self.game, Theory) and not wants_search else None
        if theory and (answer := answer_by_theory(theory, position.copy(), limits, settings.multipv)):
            return answer
        return make(self.table, settings, limits)

    def _level(self) -> Level | None:
        """Return the level for the next move, or None for full strength."""
        options = self.options
        if options.limit_strength:
            return level_of_elo(options.elo, options.settings.seed, self.position)
        return LEVELS[options.level] if options.level < FULL_STRENGTH else None

    def _make_search(
        self, table: Table | None, settings: Settings, limits: Limits, trace: Callable[[Event], None] | None
    ) -> AnySearch:
        """Return a search of a copy of the position, of the class that suits the algorithm and the game."""
        position = self.position.copy()
        game, name = self.game, self.game.name
        samples = settings.algorithm == MCTS
        if trace is not None and samples:
            raise LimitsError(f"option Trace: a search with Algorithm {MCTS} cannot be traced")
        if samples and game.kind == "hidden":
            raise LimitsError(f"Algorithm {MCTS} does not support games with hidden cards, such as {name}")
        if samples:
            from quietmove.engine.search.mcts import MonteCarlo  # imported on demand

            return MonteCarlo(position, self.options.hash, settings, limits, self.clock)
        if not isinstance(game, OwnSearch):
            return Deepening(position, table, settings, limits, self.clock, trace)
        if trace is not None:
            raise LimitsError(f"option Trace: games with chance or hidden cards, such as {name}, cannot be traced")
        if limits.goal != "move":
            raise LimitsError(f"{limits.goal}: games with chance or hidden cards, such as {name}, cannot be solved")
        return game.new_search(position, table, settings, limits, self.clock)

    def perft(
        self,
        depth: int,
        on_move: Callable[[int, int], None],
        on_total: Callable[[int | None], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        """Count the leaves at ``depth``: report each root move's count, then the total.

        The total is None if the count was stopped or failed; in the latter case ``on_error`` is called first.

        :raises ThreadError: if the system cannot start a thread.
        """
        self.require_idle()
        task = Task(Limits(), is_limited=True)
        position = self.position.copy()

        def run() -> None:
            total: int | None = None
            try:
                total = 0 if depth > 0 and position.legal_moves() else 1
                for move, count in divide(position, depth, lambda: task.is_stopped):
                    if total is not None and not task.is_stopped:
                        on_move(move, count)
                        total += count
            except Exception as error:
                on_error(error)
                total = None
            self._answer(lambda: on_total(None if task.is_stopped else total))

        self._start(task, run)

    def stop(self) -> None:
        """Stop the running search, if any, and wait up to a second until its result has been delivered."""
        self._stop(STOP_PATIENCE)

    def ponderhit(self) -> None:
        """Notify a ponder search, if any, that the expected move was played."""
        task = self._task
        if task is not None:
            task.ponderhit()

    def wait(self, seconds: float) -> bool:
        """Wait at most ``seconds`` for the result of the last ``go``, and return whether it has been delivered."""
        given = self._given
        return given is None or given.wait(seconds)

    def follow_up(self, call: Callable[[], None]) -> bool:
        """If a search is running that ends by itself, call ``call`` after its result; return whether there is one."""
        with self._lock:
            waits = self._task is not None and self._task.ends
            self._then = call if waits else None
            return waits

    def close(self) -> bool:
        """Stop the search as :meth:`stop` does, but in a slow game wait only as long as a process may take to exit.

        Its thread ends too; a later ``go`` starts a new one.

        :return: whether the search has ended.
        """
        if not self._stop(CLOSE_PATIENCE if self.position.slow else STOP_PATIENCE):
            return False
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None and not thread.is_current:
            thread.end(CLOSE_PATIENCE)
        return True

    def require_idle(self) -> None:
        """Check that no search is running, and interrupt the preparation of the table.

        :raises BusyError: if a search is running.
        """
        task = self._task
        if task is not None and task.gives_way:
            self.stop()
        with self._lock:
            if self._task is not None:
                raise BusyError("a search is running; 'stop' ends it")

    def _start(self, task: Task, run: Callable[[], None]) -> None:
        """Run a task in the search thread, or in a new one if called from there. If that fails, the session is idle."""
        with self._lock:
            self._task = task
            try:
                if self._thread is None or self._thread.is_current:
                    self._thread = SearchThread()
            except RuntimeError as error:
                self._task = None
                raise ThreadError(f"cannot start a thread: {error}") from None
            self._given = task  # set last, because close(), possibly in another thread, waits for this task
            self._thread.jobs.put((task, run))

    def _stop(self, patience: float) -> bool:
        """Stop the running task and wait for its result; return whether it has been delivered."""
        task = self._task
        if task is not None:
            task.stop()
        return self.wait(patience)

    def _answer(self, answer: Callable[[], None]) -> None:
        """Become idle and deliver the result, atomically for other threads."""
        with self._lock:
            self._task = None
            answer()
            then, self._then = self._then, None
            if then is not None:
                then()


def check_memory(megabytes: int, held: int) -> None:
    """Check that there is enough memory for a table.

    :param held: megabytes held by the table that it replaces.
    :raises OptionError: if there is not; the message gives the largest possible size.
    """
    most = free_megabytes() + held
    if megabytes > max(most, LAZY_MEGABYTES):
        raise OptionError(f"option Hash: must be at most {most} (the free memory in MB), not {megabytes}")


def make_table(megabytes: int) -> Table | None:
    """Return an empty table, or None for 0 megabytes.

    :raises OptionError: if there is not enough memory.
    """
    if megabytes == 0:
        return None
    try:
        return Table(megabytes)
    except (MemoryError, OverflowError, OSError):
        raise OptionError(f"Hash: not enough memory for {megabytes} MB") from None
