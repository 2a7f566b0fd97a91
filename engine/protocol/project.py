"""The Othello-project player, which plays one game for a course's GUI or referee and prints only moves.

*Line one*, the first line of input, contains the colour, the limits and the opening. The opponent's lines that arrive
during a search are queued with their arrival time.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from quietmove.engine.common.text import milliseconds
from quietmove.engine.errors import IllegalMoveError, LimitsError, NotationError, OptionError
from quietmove.engine.games.base import MAX_PLY
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.protocol.dialect import DEFAULT_DEPTH, QueuedDialect
from quietmove.engine.protocol.notation import PROGRAMS, Numbers, without_comment
from quietmove.engine.protocol.options import Check, Combo, DialectSettings, Spin, Time, parse_decimal
from quietmove.engine.values import Limits, SearchResult

PHASE_ONE_DEPTH = 4  # depth in plies if neither line one nor an option sets a limit
MOVE_RESERVE = 50  # milliseconds of a move's time reserved for communication delays
GAME_RESERVES = 4  # the reserve of the game's time, in multiples of a move's reserve
MAX_RESERVE = 10_000  # milliseconds; the maximum for --reserve
MAX_SHOWN = 60  # maximum length of an opponent's line quoted in an error


@dataclass(frozen=True, slots=True)
class GameConditions:
    """The conditions of a game. ``None`` means no limit.

    :param side: 0 to play Black, 1 to play White.
    :param move_time: milliseconds for one move.
    :param game_time: milliseconds for all moves of the game together, which also limits each move.
    :param opening: the moves with which the game starts, in algebraic notation without spaces: ``f5d6c3``.
    """

    side: int
    depth: int | None = None
    move_time: int | None = None
    game_time: int | None = None
    opening: str = ""

    def limits(self, used: int, elapsed: int, reserve: int = MOVE_RESERVE) -> Limits:
        """Return the limits for the next move.

        :param used: milliseconds of the game's time used by earlier moves.
        :param elapsed: milliseconds of this move's time used before its search.
        :param reserve: milliseconds to reserve from a move's time. The reserve from the game's time is
            :data:`GAME_RESERVES` times as long, or a tenth of the game's time if that is less.
        """
        if self.depth is None and self.move_time is None and self.game_time is None:
            return Limits(depth=DEFAULT_DEPTH)
        move_left = game_left = None
        if self.move_time is not None:
            move_left = _left(self.move_time, reserve, elapsed)
        if self.game_time is not None:  # if the time is short, reserve less of it
            reserved = min(GAME_RESERVES * reserve, max(reserve, self.game_time // 10))
            game_left = _left(self.game_time, reserved, used + elapsed)
        return Limits(depth=self.depth, movetime=move_left, time=game_left)


@dataclass(frozen=True, slots=True)
class ProjectSettings(DialectSettings):
    """The player's command-line settings.

    :param coordinates: a name from :data:`quietmove.engine.protocol.notation.PROGRAMS`.
    :param color: ``B`` or ``W`` to start without line one, using these limits, or None if line one gives the colour.
    :param book: whether to play moves from the opening book without a search.
    :param milliseconds: whether times without a unit, here and in line one, are milliseconds instead of seconds.
    :param move_time, game_time: time limits, with or without a unit.
    :param reserve: time reserved from each limit (see :meth:`GameConditions.limits`), with a unit or in milliseconds.
    :param seed: seed for a level's mistakes; 0 picks a random one.
    """

    coordinates: str = "slide"
    color: str | None = None
    milliseconds: bool = False
    book: bool = False
    depth: int | None = None
    move_time: str | None = None
    game_time: str | None = None
    level: int = FULL_STRENGTH
    reserve: str = str(MOVE_RESERVE)
    seed: int = 0

    @property
    def unit(self) -> int:
        return 1 if self.milliseconds else 1000

    @property
    def reserve_ms(self) -> int:
        return round(milliseconds(self.reserve, "ms") or 0)

    def check(self) -> None:
        """Check that the settings are consistent.

        :raises OptionError: if limits are given although line one will set them, or the reserve is too long.
        """
        if self.reserve_ms > MAX_RESERVE:
            raise OptionError(f"--reserve: must be at most {MAX_RESERVE} ms, not {self.reserve}")
        if self.color is None and any(limit is not None for limit in (self.depth, self.move_time, self.game_time)):
            raise OptionError("--depth, --move-time and --game-time need --color; without it, line one sets the limits")

    def terms(self) -> GameConditions | None:
        """Return the conditions of the game, or None if line one will give them."""
        if self.color is None:
            return None
        unit = "ms" if self.milliseconds else "s"
        times = (milliseconds(limit or "0", unit) for limit in (self.move_time, self.game_time))
        move_time, game_time = (_duration(limit or 0, 1) for limit in times)
        default = PHASE_ONE_DEPTH if move_time is None and game_time is None else None
        return GameConditions("BW".index(self.color), self.depth or default, move_time, game_time)


class Project(QueuedDialect):
    """A player for one side of one game."""

    settings_type = ProjectSettings
    counts_start = True
    rows = (
        Combo(
            "--coordinates",
            "coordinates",
            "the numbers of squares, column before row; slide: 1-8, row from the bottom; zero: 0-7, row from the top",
            tuple(PROGRAMS),
            holder=ProjectSettings,
        ),
        Combo(
            "--color", "color", "play Black or White without waiting for line one", ("B", "W"), holder=ProjectSettings
        ),
        Check("--milliseconds", "milliseconds", "bare times are in milliseconds, not seconds", holder=ProjectSettings),
        Check("--book", "book", "play moves from the opening book without a search", holder=ProjectSettings),
        Time("--move-time", "move_time", "with --color: time limit per move: 500ms, 2s", holder=ProjectSettings),
        Time("--game-time", "game_time", "with --color: time limit for the game", holder=ProjectSettings),
        Spin(
            "--depth", "depth", "with --color: depth limit; 4 if there is no other limit", 1, 60, holder=ProjectSettings
        ),
        Spin("--level", "level", "playing strength, like option Level", 0, FULL_STRENGTH, holder=ProjectSettings),
        Spin(
            "--seed",
            "seed",
            "seed for a level's mistakes and for book moves; 0 picks a random seed for each game",
            0,
            2**31 - 1,
            holder=ProjectSettings,
        ),
        Time(
            "--reserve",
            "reserve",
            f"time reserved per move; {GAME_RESERVES} times as much is reserved from the time for the game;"
            " a bare number is in ms",
            holder=ProjectSettings,
        ),
    )

    def open(self) -> None:
        super().open()
        self._chosen = chosen = self.settings if isinstance(self.settings, ProjectSettings) else ProjectSettings()
        self._terms = chosen.terms()
        options = self.session.options.changed("move_overhead", 0)  # the game's conditions include a reserve
        seed = chosen.seed or int.from_bytes(os.urandom(4)) >> 1
        for name, value in (("level", chosen.level), ("seed", seed), ("own_book", chosen.book)):
            options = options.changed(name, value)
        self.session.configure(options)
        self._since = 0.0  # time at which our turn began
        self._moved = 0.0  # time at which our last move was sent
        self._used = 0.0  # seconds of the game's time used so far

    @property
    def coordinates(self) -> Numbers:
        return PROGRAMS[self._chosen.coordinates]

    def begin(self) -> None:
        since = self.asked_at()
        self.session.load()
        if self._terms is not None:
            self._agree(self._terms)
            self._move(self._terms, since)

    def take(self, line: str, arrival: float) -> None:
        """Handle a line from the opponent. Comments after ``#`` and empty lines are ignored.

        :raises LimitsError: if it is line one and invalid.
        :raises NotationError, IllegalMoveError: if it is not a legal move.
        """
        if not (text := without_comment(line)):
            return
        position = self.session.position
        if self._terms is None:
            self._terms = self._agree(parse_terms(text, self._chosen.unit))
        elif position.is_over():
            return  # the game is over: ignore everything until the end of input
        elif self._chosen.color and text.startswith("game "):
            raise LimitsError(
                f"line one: cannot be combined with --color, got {text[:MAX_SHOWN]!r}; "
                "quietmove-referee needs line=none"
            )
        else:
            position.play(self._read(text))
        self._move(self._terms, arrival)

    def _agree(self, terms: GameConditions) -> GameConditions:
        """Apply the conditions and play the opening.

        With a depth limit, selective search is off: each move is the result of plain alpha-beta.
        """
        if terms.depth is not None:
            self.session.configure(self.session.options.changed("selectivity", 0))
        for start in range(0, len(terms.opening), 2):
            self.session.position.play(self._read(terms.opening[start : start + 2]))
        return terms

    def _move(self, terms: GameConditions, since: float) -> None:
        """If it is our turn, which began at ``since``, play the only legal move or start a search."""
        position = self.session.position
        legal = position.legal_moves()
        if not legal or position.side_to_move != terms.side:
            return
        self._since = since = max(since, self._moved)  # the line may have arrived before our move was sent
        if len(legal) == 1:
            self._make(legal[0])
            return
        elapsed = self.clock() - since
        limits = terms.limits(round(1000 * self._used), round(1000 * elapsed), self._chosen.reserve_ms)
        self.think(limits, self._answer, _complain)

    def _answer(self, result: SearchResult) -> None:
        assert result.move is not None, "a search of a position with moves returns a move"
        self._make(result.move)

    def _make(self, move: int) -> None:
        text = self.spell(move)
        self.session.position.play(move)
        self._write(text)
        self._moved = self.clock()
        self._used += self._moved - self._since

    def _read(self, text: str) -> int:
        game, position = self.session.game, self.session.position
        assert game.grid is not None, "Othello-project programs play only Othello"
        shown = repr(text[:MAX_SHOWN])
        try:
            return game.parse_move(position, self.coordinates.read(game.grid, text) or text)
        except NotationError:
            allowed = f"{self.coordinates.describe(game.grid)}, or pass"
            raise NotationError(f"opponent's move: must be {allowed}, not {shown}") from None
        except IllegalMoveError:
            legal = ", ".join(map(self.spell, sorted(position.legal_moves())))
            raise IllegalMoveError(f"opponent's move: {shown} is not legal here; legal: {legal}") from None


def parse_terms(text: str, unit: int) -> GameConditions:
    """Parse line one: ``game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2 [OPENING]``.

    :param unit: the unit of times, in milliseconds.
    :raises LimitsError: if it is invalid; the message names the problem.
    """
    words = text.split()
    if len(words) not in (5, 6) or words[0] != "game":
        usage = "'game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2'"
        raise LimitsError(f"line one: must be {usage}, not {text[:MAX_SHOWN]!r}")
    color = words[1].upper()
    if color not in ("B", "W"):
        raise LimitsError(f"line one: COLOR: must be B or W, not {words[1][:MAX_SHOWN]!r}")
    depth, move_time, game_time = map(_limit, ("DEPTHLIMIT", "TIMELIMIT1", "TIMELIMIT2"), words[2:5], (1, unit, unit))
    return GameConditions("BW".index(color), depth and min(depth, MAX_PLY), move_time, game_time, *words[5:])


def _limit(name: str, word: str, unit: int) -> int | None:
    """Return a limit from line one, or None for 0."""
    value = parse_decimal(word)
    if value is None or (unit == 1 and "." in word):
        kind = "a number" if unit > 1 else "a whole number"
        raise LimitsError(f"line one: {name}: must be {kind} of at least 0, not {word[:MAX_SHOWN]!r}")
    return _duration(value, unit)


def _duration(value: float, unit: int) -> int | None:
    """Return a limit in milliseconds, or in plies if ``unit`` is 1. Return None for 0, which means no limit."""
    return max(1, round(value * unit)) if value else None


def _left(limit: int, reserve: int, gone: int) -> int:
    """Return ``limit`` minus the reserve (at most a quarter of ``limit``) and the time used, but at least 1."""
    return max(1, limit - min(reserve, limit // 4) - gone)


def _complain(error: Exception) -> None:
    """Report a failed search; the game continues with the best move found so far."""
    sys.stderr.write(f"error: search: {type(error).__name__}: {error}\n")
