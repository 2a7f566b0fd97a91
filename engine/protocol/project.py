"""The Othello-project player: one game against a course's GUI or referee, moves alone on standard output.

The game is played in the main thread, move after move; another thread reads, so that the end of the input is seen
while the engine thinks, and each opponent's move carries the time of its arrival.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue

from quietmove.engine.errors import IllegalMoveError, LimitsError, NotationError
from quietmove.engine.games.base import MAX_PLY, Game, Position
from quietmove.engine.protocol.coordinates import PROGRAMS, Numbers
from quietmove.engine.protocol.wire import LINE_LIMIT, LineWriter, read_lines
from quietmove.engine.session import Session
from quietmove.engine.values import Limits, SearchResult

__all__ = ["Player", "Terms", "parse_terms", "run"]

PHASE_ONE_DEPTH = 4  # the depth without line one and without any limit
UNLIMITED_DEPTH = 8  # the depth when line one sets no limit at all: a fraction of a second, the same move everywhere
MOVE_RESERVE = 50  # milliseconds of the limit for a move that are kept for the pipe and the process
GAME_RESERVE = 200  # milliseconds of the limit for the game that are kept for the same, over all moves, and the start
SHOWN = 60  # characters of an opponent's line that an error repeats


@dataclass(frozen=True, slots=True)
class Terms:
    """What a game is played by; ``None`` is no limit.

    :param side: 0 to play Black, 1 to play White.
    :param move_time: milliseconds for one move.
    :param game_time: milliseconds for all moves of the game together, which outranks the limit for a move.
    """

    side: int
    depth: int | None = None
    move_time: int | None = None
    game_time: int | None = None

    def limits(self, used: int, elapsed: int) -> Limits:
        """Return the limits for the next move.

        :param used: milliseconds of the game's time that earlier moves took.
        :param elapsed: milliseconds that this move has taken before its search.
        """
        if self.depth is None and self.move_time is None and self.game_time is None:
            return Limits(depth=UNLIMITED_DEPTH)
        return Limits(
            depth=self.depth,
            movetime=None if self.move_time is None else _left(self.move_time, MOVE_RESERVE, elapsed),
            time=None if self.game_time is None else _left(self.game_time, GAME_RESERVE, used + elapsed),
        )


class Player:
    """One side of one game.

    :param write: takes a move to send.
    :param think: returns the move to make in a position within limits.
    """

    def __init__(
        self,
        game: Game,
        coordinates: Numbers,
        write: Callable[[str], None],
        think: Callable[[Position, Limits], int],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._game = game
        self._coordinates = coordinates
        self._write = write
        self._think = think
        self._clock = clock
        self._used = 0.0  # seconds of the game's time
        self._position = game.initial()

    def play(self, terms: Terms | None, lines: Iterable[tuple[str, float]], unit: int = 1000) -> None:
        """Play until ``lines`` end; without ``terms`` the first line gives them, in units of ``unit`` milliseconds.

        :param lines: what the opponent sends, each line with the time of its arrival.
        :raises LimitsError: if that line does not.
        :raises NotationError, IllegalMoveError: if the opponent sends what is no move, or no legal one.
        """
        arrivals = ((" ".join(text.split()), when) for text, when in lines if text.strip())
        since = self._clock()
        if terms is None:
            first = next(arrivals, None)
            if first is None:
                return
            terms, since = parse_terms(first[0], unit), first[1]
        self._answer(terms, since)
        for text, when in arrivals:
            if self._position.is_over():
                continue  # nothing can be sent or be illegal any more; the end of the input is the end
            self._position.play(self._read(text))
            self._answer(terms, when)

    def _answer(self, terms: Terms, since: float) -> None:
        """Make and send a move if it is our turn, which has lasted since the time ``since``."""
        legal = self._position.legal_moves()
        if not legal or self._position.side_to_move != terms.side:
            return
        if len(legal) == 1:
            move = legal[0]
        else:
            elapsed = self._clock() - since
            move = self._think(self._position, terms.limits(_milliseconds(self._used), _milliseconds(elapsed)))
        self._position.play(move)
        self._write(self._spell(move))
        self._used += self._clock() - since

    def _spell(self, move: int) -> str:
        return self._coordinates.write(self._game.grid, self._game.format_move(move))

    def _read(self, text: str) -> int:
        grid = self._game.grid
        assert grid is not None, "the game of such programs is Othello"
        shown = repr(text[:SHOWN])
        try:
            return self._game.parse_move(self._position, self._coordinates.read(grid, text) or text)
        except NotationError:
            allowed = f"{self._coordinates.describe(grid)}, or pass"
            raise NotationError(f"opponent's move: {allowed}, is allowed; {shown} came") from None
        except IllegalMoveError:
            legal = ", ".join(map(self._spell, sorted(self._position.legal_moves())))
            raise IllegalMoveError(f"opponent's move: {shown} is not legal here; legal: {legal}") from None


def parse_terms(text: str, unit: int) -> Terms:
    """Return what ``game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2`` says; times are in units of ``unit`` milliseconds.

    :raises LimitsError: naming what is wrong.
    """
    words = text.split()
    if len(words) != 5 or words[0] != "game":
        usage = "'game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2' is allowed"
        raise LimitsError(f"line one: {usage}; {text[:SHOWN]!r} came")
    if words[1] not in ("B", "W"):
        raise LimitsError(f"line one: COLOR: B or W is allowed; {words[1][:SHOWN]!r} came")
    depth, move_time, game_time = map(_limit, ("DEPTHLIMIT", "TIMELIMIT1", "TIMELIMIT2"), words[2:], (1, unit, unit))
    return Terms("BW".index(words[1]), depth and min(depth, MAX_PLY), move_time, game_time)


def run(terms: Terms | None, coordinates: str, unit: int, source: int = 0, sink: int = 1) -> None:
    """Play one game on two file descriptors, by default standard input and output.

    :param terms: None if line one gives them.
    :param coordinates: a name from :data:`quietmove.engine.protocol.coordinates.PROGRAMS`.
    :param unit: milliseconds in a unit of time of line one.
    :raises LimitsError, NotationError, IllegalMoveError: as :meth:`Player.play` says.
    """
    thinker = Thinker(source)
    player = Player(thinker.session.game, PROGRAMS[coordinates], LineWriter(sink), thinker.think)
    player.play(terms, thinker.arrivals(), unit)


class Thinker:
    """A session whose searches end when the input does."""

    def __init__(self, source: int) -> None:
        self.session = Session()
        self._source = source
        self._ended = threading.Event()

    def arrivals(self) -> Iterator[tuple[str, float]]:
        """Yield each line of the input with the time of its arrival; read ahead by a thread of its own."""
        inbox: SimpleQueue[tuple[str, float] | None] = SimpleQueue()
        threading.Thread(target=self._read, args=(inbox,), daemon=True).start()
        return iter(inbox.get, None)

    def think(self, position: Position, limits: Limits) -> int:
        """Return the session's move in ``position``; the best known so far when the input ends."""
        answers: SimpleQueue[SearchResult] = SimpleQueue()
        self.session.set_up(position.copy())
        self.session.go(limits, on_info=_ignore, on_result=answers.put, on_error=_complain)
        if self._ended.is_set():
            self.session.stop()
        move = answers.get().move
        assert move is not None, "a search of a position with moves returns one"
        return move

    def _read(self, inbox: SimpleQueue[tuple[str, float] | None]) -> None:
        for line in read_lines(self._source):
            inbox.put((f"a line of more than {LINE_LIMIT} bytes" if line is None else line, time.perf_counter()))
        self._ended.set()
        inbox.put(None)
        if not self.session.close():
            os._exit(0)  # the search does not stop: see quietmove.engine.protocol.uci.run


def _ignore(_: object) -> None:
    """Take a report that nobody reads."""


def _complain(error: Exception) -> None:
    """Report a search that failed; the game goes on with the best move known before."""
    sys.stderr.write(f"quietmove: search: {type(error).__name__}: {error}\n")


def _limit(name: str, word: str, unit: int) -> int | None:
    """Return a limit of line one, None for 0."""
    whole, _, fraction = word.partition(".")
    fraction_allowed = unit > 1
    digits = whole + (fraction if fraction_allowed else "")
    if not (word.isascii() and digits.isdecimal() and len(word) <= 12 and (fraction_allowed or whole == word)):
        kind = "a number" if fraction_allowed else "a whole number"
        raise LimitsError(f"line one: {name}: {kind} of at least 0 is allowed; {word[:SHOWN]!r} came")
    value = float(word) * unit
    return max(1, round(value)) if value else None


def _left(limit: int, reserve: int, gone: int) -> int:
    """Return what is left of ``limit`` after a reserve, at most a quarter of it, and what is gone; at least 1."""
    return max(1, limit - min(reserve, limit // 4) - gone)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
