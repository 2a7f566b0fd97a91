"""One facade over game, position, table, options and search, for whatever protocol stands in front of it.

A search runs in a daemon thread, on a copy of the position, and hands its results to callbacks; nothing is printed
here. All methods are for one controlling thread; the callbacks run in another thread. :meth:`Session.close` alone
may be called from any other.
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
from quietmove.engine.games.registry import get_game
from quietmove.engine.levels import DEFAULT_ELO, FULL_STRENGTH, LEVELS, Level
from quietmove.engine.memory import free_megabytes
from quietmove.engine.perft import divide
from quietmove.engine.search.book import answer_by_theory, answer_from_book
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.levels import LevelSearch, level_of_elo
from quietmove.engine.search.root_search import AnySearch
from quietmove.engine.search.table import LAZY_MEGABYTES, Table
from quietmove.engine.search.thread import SearchThread, Task
from quietmove.engine.values import MCTS, Info, Limits, SearchResult, Settings

if TYPE_CHECKING:
    from quietmove.engine.search.events import Event

STOP_PATIENCE = 1.0  # seconds that stop() waits for the answer, which a slow game may delay
FEW_NODES = 1000  # a search of so many nodes takes less than a millisecond
FEW_PLIES = 2  # a search of so many plies takes as little, where there are few moves
DEFAULT_SELECTIVITY = 5  # this value plays best at equal time
CLOSE_PATIENCE = 0.08  # seconds that close() waits, within the 100 ms in which the process must be gone
DEFAULTS = Settings(selectivity=DEFAULT_SELECTIVITY)
SEARCH_FIELDS = frozenset(field.name for field in fields(Settings))


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen for a session, each a field here or in ``settings``.

    :param settings: what the search sees.
    :param hash: megabytes of the table, 0 for none.
    :param level: how strong the engine plays, a row of :data:`quietmove.engine.levels.LEVELS`; above them all it
        plays as well as it can.
    :param limit_strength: whether ``elo``, a rating, says how strong, and not ``level``.
    :param trace: whether a search tells each of its steps.
    :param ponder: whether the other end means to let the engine ponder; it changes nothing in the search.
    :param own_book: whether a move that the opening book knows is played without a search.
    :param book_file: the path of a book, "" for that of the game.
    :param book_variety: hundredths of the game's point that a move of the book may be worse than the best.
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
    """One game at a time, one search at a time.

    A method raises BusyError while a search runs, except :meth:`stop`, :meth:`ponderhit`, :meth:`wait`, :meth:`close`
    and :meth:`is_short`.

    :ivar options: what is chosen now; :meth:`configure` changes it.
    :ivar game: the game of that name.
    :ivar position: the current position, with the moves that led to it; a running search does not touch it.
    :ivar table: the transposition table, None with ``Hash`` 0.
    :ivar evaluator: the name of the evaluator that was last configured, "" before.
    :ivar book: the opening book, None where none is to be used or the game brings none.
    :ivar clock: seconds from any origin, for the searches and for the dialects.
    """

    def __init__(self) -> None:
        self.options = Options()
        self.game: Game = get_game(self.options.game)
        self.position: Position = self.game.initial()
        self.table = make_table(self.options.hash)
        self.book: Book | None = None
        self.evaluator = ""
        self.clock: Callable[[], float] = time.perf_counter
        self._lock = threading.RLock()  # guards _task, and keeps an answer whole: written before the next go begins
        self._task: Task | None = None
        self._given: Task | None = None  # the task of the last go, whose answer may not be written yet
        self._thread: SearchThread | None = None

    @property
    def thinking(self) -> bool:
        """Whether a ``go``, or a wait for the table, is still unanswered."""
        return self._task is not None

    def configure(self, options: Options) -> None:
        """Make ``options`` the current ones; a new game begins at its start, and with an empty table.

        :raises UnknownGameError, OptionError: if there is no such game, evaluator or book of it, or memory; nothing has
            changed.
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
        """Take a new table.

        :raises OptionError: if there is not that much memory; there is one of the old size then.
        """
        self.table = None  # the next one may need its memory
        try:
            self.table = make_table(megabytes)
        except OptionError:
            self.table = make_table(self.options.hash)
            raise

    def new_game(self) -> None:
        """Forget the last game: the start position and an empty table; load what its searches need."""
        self.clear_table()
        self.set_up(self.game.initial())
        self.load()

    def clear_table(self) -> None:
        self.require_idle()
        if self.table is not None:
            self.table.forget()

    def set_up(self, position: Position) -> None:
        """Make ``position`` the current one."""
        self.require_idle()
        position.choose_evaluator(self.options.settings.evaluation, self.options.settings.evaluation_file)
        self.position = position

    def load(self) -> None:
        """Load now what a search would load in its own time; the search reports what is wrong with it."""
        self.require_idle()
        with suppress(QuietmoveError):
            self.position.get_ready()

    def get_ready(self, on_ready: Callable[[], None]) -> None:
        """Load what a search needs and touch the memory of a large table, then call ``on_ready``.

        The memory is touched in the thread of the searches, until anything else is asked for.

        :raises ThreadError: if the system allows no further thread.
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
        """Take the last move back.

        :raises IllegalMoveError: if no move was made since the position was set up.
        """
        self.require_idle()
        self.position.undo()

    def go(
        self,
        limits: Limits,
        on_info: Callable[[Info], None],
        on_result: Callable[[SearchResult], None],
        on_error: Callable[[Exception], None],
        on_event: Callable[[Event], None] | None = None,
        *,
        in_this_thread: bool = False,
    ) -> None:
        """Search the current position; ``on_result`` is called exactly once, when the session is idle again.

        With ``infinite`` and ``ponder`` that call waits for :meth:`stop` or :meth:`ponderhit`. If the search fails
        (a game written in Python may raise anything), ``on_error`` is called before it, and its result is what was
        known before, or else any legal move. ``on_event`` is told each step of the search if the option ``trace`` is
        on.

        :param in_this_thread: whether the caller waits, which spares a short search the way to another thread.
        :raises BusyError: while another search runs.
        :raises LimitsError: if the search is to be traced, and its tree is too large or of no kind for that, or if the
            game cannot be searched to its end and that is asked for.
        :raises GameError: if the side to move has nothing to choose, or it is not known what.
        :raises ThreadError: if the system allows no further thread.
        """
        self.require_idle()
        search = self._prepare(limits, on_event if self.options.trace else None)
        task = Task(limits, search)

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
        """Tell whether a search takes less time than the way to another thread and back.

        So its caller may make it in its own thread, and is still there for the next command at once.
        """
        settings, options = self.options.settings, self.options
        if options.trace or options.own_book or limits.infinite or limits.ponder or limits.goal != "move":
            return False
        if self.game.kind != "perfect" or self.position.slow or settings.algorithm == MCTS or self._level() is not None:
            return False
        if settings.threads > 1:  # each takes longer to begin than such a search
            return False
        if limits.nodes is not None and limits.nodes <= FEW_NODES:
            return True
        few_plies = limits.depth is not None and limits.depth <= FEW_PLIES and not settings.quiescence
        return few_plies and len(self.position.legal_moves()) ** (limits.depth or 0) <= FEW_NODES

    def _prepare(self, limits: Limits, trace: Callable[[Event], None] | None) -> AnySearch:
        """Return what gives the answer: the opening book, a theory of the game, or a search at the level of strength.

        Several lines, a trace, or a search without an end are asked of a search and of no book. A level that makes
        errors has no book, since its errors begin with the first move. ``solve`` and ``wld`` are answered at full
        strength. A theory answers unless a depth, a trace or another algorithm is asked for.
        """
        settings, level, position = self.options.settings, self._level(), self.position
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
        theory = None if wants_search else self.game.known()
        if theory and (answer := answer_by_theory(theory, position.copy(), limits, settings.multipv)):
            return answer
        return make(self.table, settings, limits)

    def _level(self) -> Level | None:
        """Return the level that plays the next move; None for full strength."""
        options = self.options
        if options.limit_strength:
            return level_of_elo(options.elo, options.settings.seed, self.position)
        return LEVELS[options.level] if options.level < FULL_STRENGTH else None

    def _make_search(
        self, table: Table | None, settings: Settings, limits: Limits, trace: Callable[[Event], None] | None
    ) -> AnySearch:
        """Return the search that the algorithm and the kind of the game ask for, of a copy of the position."""
        position, kind = self.position.copy(), self.game.kind
        samples, name = settings.algorithm == MCTS, self.game.name
        if trace is not None and samples:
            raise LimitsError(f"option Trace: no search with Algorithm {MCTS} is traced")
        if samples and kind == "hidden":
            raise LimitsError(f"Algorithm {MCTS}: no game with hidden cards is sampled; {name} is one")
        if samples:
            from quietmove.engine.search.mcts import MonteCarlo  # imported only where it is asked for

            return MonteCarlo(position, self.options.hash, settings, limits, self.clock)
        if kind == "perfect":
            return Deepening(position, table, settings, limits, self.clock, trace)
        if trace is not None:
            raise LimitsError(f"option Trace: no game with chance or hidden cards is traced; {name} is one")
        if limits.goal != "move":
            raise LimitsError(f"{limits.goal}: no game with chance or hidden cards is solved; {name} is one")
        if kind == "chance":
            from quietmove.engine.search.chance import ChanceDeepening  # imported only where a game needs it

            return ChanceDeepening(position, table, settings, limits, self.clock)
        from quietmove.engine.search.hidden import HiddenDeepening

        return HiddenDeepening(position, table, settings, limits, self.clock, game=self.game)

    def perft(
        self,
        depth: int,
        on_move: Callable[[int, int], None],
        on_total: Callable[[int | None], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        """Count the leaves ``depth`` plies on: each root move with its count, then the total.

        The total is None if the count was stopped or failed; ``on_error`` is called before it in the latter case.

        :raises ThreadError: if the system allows no further thread.
        """
        self.require_idle()
        task = Task(Limits())
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
        """End the search, if one runs, and return once its answer has been given."""
        self._stop(STOP_PATIENCE)

    def ponderhit(self) -> None:
        """Tell a ponder search that the expected move was made; no effect otherwise."""
        task = self._task
        if task is not None:
            task.ponderhit()

    def wait(self, seconds: float) -> bool:
        """Wait until the answer to the last ``go`` has been given, ``seconds`` at most; return whether it has."""
        given = self._given
        return given is None or given.wait(seconds)

    def close(self) -> bool:
        """End the search as :meth:`stop` does, but wait for its answer no longer than a process may take to end.

        The thread ends too; a later ``go`` begins another.

        :return: whether no search runs any more.
        """
        if not self._stop(CLOSE_PATIENCE):
            return False
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None and not thread.is_current:
            thread.end(CLOSE_PATIENCE)
        return True

    def require_idle(self) -> None:
        """Check that no search runs, and end what gives way.

        :raises BusyError: if one does.
        """
        task = self._task
        if task is not None and task.gives_way:
            self.stop()
        with self._lock:
            if self._task is not None:
                raise BusyError("not while a search runs; stop it first")

    def _start(self, task: Task, run: Callable[[], None]) -> None:
        """Run a task in the thread of the searches, or in a new thread if this is the thread of the searches.

        :raises ThreadError: if there can be none; the session is idle.
        """
        with self._lock:
            self._task = task
            try:
                if self._thread is None or self._thread.is_current:
                    self._thread = SearchThread()
            except RuntimeError as error:
                self._task = None
                raise ThreadError(f"no thread could be started for it: {error}") from None
            self._given = task  # this comes last: close() may come from another thread, and waits for what it finds
            self._thread.jobs.put((task, run))

    def _stop(self, patience: float) -> bool:
        """Stop what runs and wait for its answer; return whether it has been given."""
        task = self._task
        if task is not None:
            task.stop()
        return self.wait(patience)

    def _answer(self, answer: Callable[[], None]) -> None:
        """Become idle and give the answer, in one step for every other thread."""
        with self._lock:
            self._task = None
            answer()


def check_memory(megabytes: int, held: int) -> None:
    """Check that there is memory for a table.

    :param held: megabytes of the table that it replaces.
    :raises OptionError: if not, with the number that would fit.
    """
    most = free_megabytes() + held
    if megabytes > max(most, LAZY_MEGABYTES):
        raise OptionError(f"option Hash: must be at most {most} with the memory that is free, not {megabytes}")


def make_table(megabytes: int) -> Table | None:
    """Return an empty table, or None for 0 megabytes.

    :raises OptionError: if there is not that much memory.
    """
    if megabytes == 0:
        return None
    try:
        return Table(megabytes)
    except (MemoryError, OverflowError, OSError):
        raise OptionError(f"Hash: there is no memory for {megabytes} MB") from None
