"""Positions of games written in plain Python, compiled for use by the search.

Each C-level method acquires the interpreter lock and calls the game. An exception raised by the game is stored until
:meth:`UserPosition.check` is called; until then there are no legal moves, so that a search ends. A return value is
checked only if an invalid one could corrupt the search.
"""

from __future__ import annotations

import marshal
import threading
from collections.abc import Callable
from typing import Any

import cython
from cython.cimports.quietmove.engine.games.base import DECISIVE, MAX_MOVES, UNKNOWN_REMAINING, WIN
from cython.cimports.quietmove.engine.games.bit_tricks import mixed

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Position
from quietmove.engine.games.user.source import place_of, source_of

State = Any  # the game's own value, which must be immutable

MAX_MOVE_NUMBER = 65535  # table entries have 16 bits for a move
PLAIN = 2  # the marshal version in which equal values give equal bytes in every process
SIDE_KEY = cython.declare(cython.ulonglong, 0x9D39247E33776D41)


@cython.cfunc
@cython.exceptval(check=False)
def hashed(data: bytes) -> cython.ulonglong:
    """Return a 64-bit hash of ``data`` (FNV-1a by Fowler, Noll and Vo, then mixed)."""
    bits: cython.ulonglong = cython.cast(cython.ulonglong, 0xCBF29CE484222325)
    i: cython.Py_ssize_t
    for i in range(len(data)):
        bits = (bits ^ data[i]) * cython.cast(cython.ulonglong, 0x100000001B3)
    return mixed(bits)


def plain_bytes(state: State) -> bytes:
    """Serialise a state so that, in every process, the bytes are equal if and only if the states are.

    :raises TypeError: if the representation of ``state`` is just its address in memory.
    """
    try:
        return marshal.dumps(state, PLAIN)
    except ValueError:  # not a built-in type: use its own repr() if it has one
        if getattr(type(state), "__repr__", None) is getattr(object, "__repr__", None):
            raise TypeError(
                f"a state of type {type(state).__name__} has no __repr__ that distinguishes it from others; "
                "use plain values or a dataclass, or give the game a method key(state)"
            ) from None
        return repr(state).encode()


class UserPosition(Position):
    """A position of a game written by a user.

    :param rules: the user's object, with the interface documented in :mod:`quietmove.engine.games.user.game`.
    :param state: the game's own value for the position.
    :param side: 0 if the first player is to move, 1 if the second is.
    :raises GameError: if the game fails; the message names the method.
    """

    def __init__(self, rules: Any, state: State, side: int) -> None:
        self.rules = rules
        self.moves_of, self.play_of, self.result_of = rules.moves, rules.play, rules.result
        self.evaluate_of = getattr(rules, "evaluate", None)
        self.side_of = getattr(rules, "side", None)
        self.remaining_of = getattr(rules, "remaining", None)
        self.key_of = getattr(rules, "key", None)
        self.counts_points = hasattr(rules, "point")
        self.first_side = side
        self.ply = self.exact_reach = self.selective_reach = 0
        self.slow = True
        self.failure: BaseException | None = None
        self.doing = "key"
        self.states = [state]
        self.legal: list[list[int] | None] = [None]
        self.keys: list[int] = []
        try:
            self.key = self.key_for(state) ^ (SIDE_KEY if side else 0)
            self.keys = [self.key]
            self.require_side()
        except (Exception, SystemExit) as error:
            raise self.blame(error) from None

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        count: cython.int = 0
        with cython.gil:
            try:
                if self.failure is None:
                    count = self.write_moves(moves, start)
            except BaseException as error:
                self.failure = self.blame(error)
        return count

    def make(self, move: cython.int) -> None:
        with cython.gil:
            try:
                self.push(move)
            except BaseException as error:
                self.failure = self.failure or self.blame(error)
                self.states.append(self.states[self.ply])
                self.legal.append([])
                self.ply += 1
                self.keys.append(self.key)

    def unmake(self) -> None:
        with cython.gil:
            self.states.pop()
            self.legal.pop()
            self.keys.pop()
            self.ply -= 1
            self.key = self.keys[self.ply]

    def evaluate(self) -> cython.int:
        score: cython.int
        with cython.gil:
            score = self.answer(self.value, 0)
        return score

    def final_score(self) -> cython.int:
        score: cython.int
        with cython.gil:
            score = self.answer(self.final_value, 0)
        return score

    def remaining(self) -> cython.int:
        most: cython.int
        with cython.gil:
            most = self.answer(self.most_moves, UNKNOWN_REMAINING)
        return most

    def answer(self, question: Callable[[], int], otherwise: int) -> int:
        """Call a method of this class and return its result, or ``otherwise`` if the game has failed."""
        try:
            return question() if self.failure is None else otherwise
        except BaseException as error:
            self.failure = self.blame(error)
            return otherwise

    def legal_here(self) -> list[int]:
        """Return the legal moves, which the game computes only once per position."""
        legal = self.legal[self.ply]
        if legal is None:
            self.doing = "moves"
            legal = list(self.moves_of(self.states[self.ply]))
            if len(legal) > MAX_MOVES:
                name = type(self.rules).__name__
                raise ValueError(f"{name}: must return at most {MAX_MOVES} moves, not {len(legal)}")
            self.legal[self.ply] = legal
        return legal

    def write_moves(self, moves: cython.p_int, start: cython.int) -> cython.int:
        """Write the legal moves to ``moves[start:]`` and return their number."""
        legal: list[int] = self.legal_here()
        self.doing = "moves"
        count: cython.int = len(legal)
        i: cython.int
        move: cython.longlong
        for i in range(count):
            move = legal[i]
            if move < 0 or move > MAX_MOVE_NUMBER:
                raise ValueError(f"a move must be a whole number from 0 to {MAX_MOVE_NUMBER}, not {legal[i]!r}")
            moves[start + i] = move
        return count

    def push(self, move: cython.int) -> None:
        """Play a move. If the game fails, the position is unchanged."""
        self.doing = "play"
        state = self.play_of(self.states[self.ply], move)
        key: cython.ulonglong = self.key_for(state)
        if (self.first_side + self.ply + 1) & 1:
            key ^= SIDE_KEY
        self.ply += 1
        self.states.append(state)
        self.legal.append(None)
        self.keys.append(key)
        self.key = key
        if self.side_of is not None:
            try:
                self.require_side()
            except BaseException:
                self.unmake()
                raise

    def require_side(self) -> None:
        """Check that the game agrees on the side to move, because the search assumes that players alternate."""
        if self.side_of is not None:
            self.doing = "side"
            side = self.side_of(self.states[self.ply])
            if side != self.side_to_move:
                raise ValueError(f"must be {self.side_to_move}, since the players alternate, not {side!r}")

    def key_for(self, state: State) -> cython.ulonglong:
        """Return a 64-bit key for ``state`` that is the same in every process."""
        if self.key_of is not None:
            self.doing = "key"
            return mixed(self.key_of(state) & 0xFFFFFFFFFFFFFFFF)
        if type(state) is bytes:
            return hashed(state)
        return hashed(plain_bytes(state))

    def value(self) -> int:
        """Return the evaluation in hundredths, from the side to move's point of view, or a finished game's result."""
        if not self.legal_here():
            return self.final_value()
        if self.evaluate_of is None:
            return 0
        self.doing = "evaluate"
        return self.score_of(self.evaluate_of(self.states[self.ply]))

    def final_value(self) -> int:
        """Return the result for the side to move: in hundredths if the game counts points, else WIN, 0 or -WIN."""
        self.doing = "result"
        result = self.result_of(self.states[self.ply])
        if self.counts_points:
            return self.score_of(result)
        if result not in (1, 0, -1):
            raise ValueError(f"must be 1, 0 or -1 (from the first player's point of view), not {result!r}")
        score: cython.int = result
        return WIN * (-score if (self.first_side + self.ply) & 1 else score)

    def score_of(self, points: Any) -> int:
        """Convert ``points`` of the first player to hundredths from the side to move's point of view."""
        hundredths: cython.double = 100.0 * points
        if not -DECISIVE <= hundredths <= DECISIVE:
            raise ValueError(f"must be a number of points from {-DECISIVE // 100} to {DECISIVE // 100}, not {points!r}")
        score: cython.int = round(hundredths)
        return -score if (self.first_side + self.ply) & 1 else score

    def most_moves(self) -> int:
        """Return the game's bound on the number of remaining moves, or :data:`UNKNOWN_REMAINING` if it has none."""
        if self.remaining_of is None:
            return UNKNOWN_REMAINING
        self.doing = "remaining"
        bound = self.remaining_of(self.states[self.ply])
        if not 0 <= bound < UNKNOWN_REMAINING:
            raise ValueError(f"must be a whole number of at least 0, not {bound!r}")
        return int(bound)

    def blame(self, error: BaseException) -> BaseException:
        """Convert an error in the game to a :class:`GameError` that names the method.

        Quietmove's own errors and keyboard interrupts are returned unchanged. ``SystemExit`` counts as a failure, and
        so does ``KeyboardInterrupt`` outside the main thread, because the keyboard interrupts only the main thread.
        """
        of_keyboard = isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
        if isinstance(error, QuietmoveError) or of_keyboard:
            return error
        place = place_of(error, source_of(self.rules))
        return GameError(f"the game's {self.doing}(): {type(error).__name__}: {error}{place}")

    def check(self) -> None:
        """Raise the first error in the game since the last call, as a GameError with the name of the method."""
        failure = self.failure
        self.failure = None
        if failure is not None:
            raise failure

    def play(self, move: int) -> None:
        """Play ``move``. If it is illegal (IllegalMoveError) or the game fails (GameError), nothing has changed."""
        Position.play(self, move)
        if self.failure is not None:
            self.undo()
            self.check()

    @property
    def state(self) -> State:
        """The game's own value for the position."""
        return self.states[self.ply]

    def copy(self) -> UserPosition:
        return UserPosition(self.rules, self.states[self.ply], self.side_to_move)
