"""The Othello-project player: one game against a course's GUI or referee, moves alone on standard output.

The opponent's lines come while the player thinks: they wait, with the time of their arrival, and are read in turn.
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

PHASE_ONE_DEPTH = 4  # plies: the depth if there is neither line one nor a limit
MOVE_RESERVE = 50  # milliseconds: so much of the limit for a move is kept for the pipe and the process
GAME_RESERVES = 4  # the limit for the game keeps back so many times the reserve of a move
LONGEST_RESERVE = 10_000  # milliseconds that --reserve may keep
MOST_SHOWN = 60  # an error repeats so many characters of the opponent's line


@dataclass(frozen=True, slots=True)
class GameConditions:
    """What a game is played by; ``None`` is no limit.

    :param side: 0 to play Black, 1 to play White.
    :param move_time: milliseconds for one move.
    :param game_time: milliseconds for all moves of the game together, which also limits each move.
    :param opening: moves with which the game begins, in letters and numbers without a blank, such as ``f5d6c3``.
    """

    side: int
    depth: int | None = None
    move_time: int | None = None
    game_time: int | None = None
    opening: str = ""

    def limits(self, used: int, elapsed: int, reserve: int = MOVE_RESERVE) -> Limits:
        """Return the limits for the next move.

        :param used: milliseconds of the game's time that earlier moves took.
        :param elapsed: milliseconds that this move has taken before its search.
        :param reserve: milliseconds that a move's time keeps back. The time of the game keeps back
            :data:`GAME_RESERVES` times as much, or a tenth of itself where that is less.
        """
        if self.depth is None and self.move_time is None and self.game_time is None:
            return Limits(depth=DEFAULT_DEPTH)
        move_left = game_left = None
        if self.move_time is not None:
            move_left = _left(self.move_time, reserve, elapsed)
        if self.game_time is not None:  # a short time keeps back less, so that it is used
            kept = min(GAME_RESERVES * reserve, max(reserve, self.game_time // 10))
            game_left = _left(self.game_time, kept, used + elapsed)
        return Limits(depth=self.depth, movetime=move_left, time=game_left)


@dataclass(frozen=True, slots=True)
class ProjectSettings(DialectSettings):
    """The command line of the player.

    :param coordinates: a name from :data:`quietmove.engine.protocol.notation.PROGRAMS`.
    :param color: ``B`` or ``W`` to begin without line one, by the limits here; None if line one tells it.
    :param book: whether moves of the opening book are played without a search.
    :param milliseconds: whether times without a unit, here and in line one, are in milliseconds instead of seconds.
    :param move_time, game_time: limits, with or without a unit.
    :param reserve: time of each limit that is not used, see :meth:`GameConditions.limits`; in milliseconds.
    :param seed: what the mistakes of a level follow from; 0 draws one.
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
        """Check that the settings fit together.

        :raises OptionError: if a limit is given, and line one will give the limits; or the reserve is too long.
        """
        if self.reserve_ms > LONGEST_RESERVE:
            raise OptionError(f"--reserve: must be at most {LONGEST_RESERVE} ms, not {self.reserve}")
        if self.color is None and any(limit is not None for limit in (self.depth, self.move_time, self.game_time)):
            raise OptionError("--depth, --move-time and --game-time need --color; without it line one gives the limits")

    def terms(self) -> GameConditions | None:
        """Return what the game is played by; None if line one tells it."""
        if self.color is None:
            return None
        unit = "ms" if self.milliseconds else "s"
        found = (milliseconds(limit or "0", unit) for limit in (self.move_time, self.game_time))
        move_time, game_time = (_duration(limit or 0, 1) for limit in found)
        default = PHASE_ONE_DEPTH if move_time is None and game_time is None else None
        return GameConditions("BW".index(self.color), self.depth or default, move_time, game_time)


class Project(QueuedDialect):
    """One side of one game."""

    settings_type = ProjectSettings
    counts_start = True
    cut_short_at_end = False
    rows = (
        Combo(
            "--coordinates",
            "coordinates",
            "a square as column and row: slide is 1-8, row from the bottom; zero is 0-7, row from the top",
            tuple(PROGRAMS),
            holder=ProjectSettings,
        ),
        Combo("--color", "color", "start without line one, as Black or White", ("B", "W"), holder=ProjectSettings),
        Check("--milliseconds", "milliseconds", "bare times are in milliseconds, not seconds", holder=ProjectSettings),
        Check("--book", "book", "play what the opening book knows without a search", holder=ProjectSettings),
        Time("--move-time", "move_time", "with --color: limit for a move, 500ms or 2s", holder=ProjectSettings),
        Time("--game-time", "game_time", "with --color: limit for the game", holder=ProjectSettings),
        Spin("--depth", "depth", "with --color: depth limit, 4 if there is no limit", 1, 60, holder=ProjectSettings),
        Spin("--level", "level", "how strong to play, as the option Level", 0, FULL_STRENGTH, holder=ProjectSettings),
        Spin(
            "--seed",
            "seed",
            "what the mistakes of a level and the choices in the book follow from; 0 draws one for each game",
            0,
            2**31 - 1,
            holder=ProjectSettings,
        ),
        Time(
            "--reserve",
            "reserve",
            f"kept back of the time for a move, and {GAME_RESERVES} times that of the time for the game;"
            " a bare number is in ms",
            holder=ProjectSettings,
        ),
    )

    def open(self) -> None:
        super().open()
        self._chosen = chosen = self.settings if isinstance(self.settings, ProjectSettings) else ProjectSettings()
        self._terms = chosen.terms()
        options = self.session.options.changed("move_overhead", 0)  # the terms keep reserves of their own
        seed = chosen.seed or int.from_bytes(os.urandom(4)) >> 1
        for name, value in (("level", chosen.level), ("seed", seed), ("own_book", chosen.book)):
            options = options.changed(name, value)
        self.session.configure(options)
        self._since = 0.0  # the time at which our turn began
        self._moved = 0.0  # the time at which our last move was sent
        self._used = 0.0  # seconds of the game's time

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
        """Take a line of the opponent; what follows a ``#`` is a comment, and an empty line says nothing.

        :raises LimitsError: if it is line one and is not allowed.
        :raises NotationError, IllegalMoveError: if it is no move, or no legal one.
        """
        if not (text := without_comment(line)):
            return
        position = self.session.position
        if self._terms is None:
            self._terms = self._agree(parse_terms(text, self._chosen.unit))
        elif position.is_over():
            return  # nothing can be sent or be illegal any more; the end of the input is the end
        elif self._chosen.color and text.startswith("game "):
            raise LimitsError(
                f"line one: must be left out with --color, which stands for it, not {text[:MOST_SHOWN]!r}; "
                "our referee leaves it out with line=none"
            )
        else:
            position.play(self._read(text))
        self._move(self._terms, arrival)

    def _agree(self, terms: GameConditions) -> GameConditions:
        """Play by these terms, after the opening.

        With a limit of depth no search is selective: each move is that of alpha-beta.
        """
        if terms.depth is not None:
            self.session.configure(self.session.options.changed("selectivity", 0))
        for start in range(0, len(terms.opening), 2):
            self.session.position.play(self._read(terms.opening[start : start + 2]))
        return terms

    def _move(self, terms: GameConditions, since: float) -> None:
        """Make a move, or begin to think about it, if it is our turn, which began at the time ``since``."""
        position = self.session.position
        legal = position.legal_moves()
        if not legal or position.side_to_move != terms.side:
            return
        self._since = since = max(since, self._moved)  # a line may come before its time
        if len(legal) == 1:
            self._make(legal[0])
            return
        elapsed = self.clock() - since
        limits = terms.limits(round(1000 * self._used), round(1000 * elapsed), self._chosen.reserve_ms)
        self.think(limits, self._answer, _complain)

    def _answer(self, result: SearchResult) -> None:
        assert result.move is not None, "a search of a position with moves returns one"
        self._make(result.move)

    def _make(self, move: int) -> None:
        text = self.spell(move)
        self.session.position.play(move)
        self._write(text)
        self._moved = self.clock()
        self._used += self._moved - self._since

    def _read(self, text: str) -> int:
        game, position = self.session.game, self.session.position
        assert game.grid is not None, "the game of such programs is Othello"
        shown = repr(text[:MOST_SHOWN])
        try:
            return game.parse_move(position, self.coordinates.read(game.grid, text) or text)
        except NotationError:
            allowed = f"{self.coordinates.describe(game.grid)}, or pass"
            raise NotationError(f"opponent's move: must be {allowed}, not {shown}") from None
        except IllegalMoveError:
            legal = ", ".join(map(self.spell, sorted(position.legal_moves())))
            raise IllegalMoveError(f"opponent's move: {shown} is not legal here; legal: {legal}") from None


def parse_terms(text: str, unit: int) -> GameConditions:
    """Return what ``game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2 [OPENING]`` says.

    :param unit: milliseconds in a unit of its times.
    :raises LimitsError: naming what is wrong.
    """
    words = text.split()
    if len(words) not in (5, 6) or words[0] != "game":
        usage = "'game COLOR DEPTHLIMIT TIMELIMIT1 TIMELIMIT2'"
        raise LimitsError(f"line one: must be {usage}, not {text[:MOST_SHOWN]!r}")
    color = words[1].upper()
    if color not in ("B", "W"):
        raise LimitsError(f"line one: COLOR: must be B or W, not {words[1][:MOST_SHOWN]!r}")
    depth, move_time, game_time = map(_limit, ("DEPTHLIMIT", "TIMELIMIT1", "TIMELIMIT2"), words[2:5], (1, unit, unit))
    return GameConditions("BW".index(color), depth and min(depth, MAX_PLY), move_time, game_time, *words[5:])


def _limit(name: str, word: str, unit: int) -> int | None:
    """Return a limit of line one, None for 0."""
    value = parse_decimal(word)
    if value is None or (unit == 1 and "." in word):
        kind = "a number" if unit > 1 else "a whole number"
        raise LimitsError(f"line one: {name}: must be {kind} of at least 0, not {word[:MOST_SHOWN]!r}")
    return _duration(value, unit)


def _duration(value: float, unit: int) -> int | None:
    """Return a limit in milliseconds, or in plies with ``unit`` 1; None for 0, which is no limit."""
    return max(1, round(value * unit)) if value else None


def _left(limit: int, reserve: int, gone: int) -> int:
    """Return what is left of ``limit`` after a reserve, at most a quarter of it, and what is gone; at least 1."""
    return max(1, limit - min(reserve, limit // 4) - gone)


def _complain(error: Exception) -> None:
    """Report a search that failed; the game goes on with the best move known before."""
    sys.stderr.write(f"error: search: {type(error).__name__}: {error}\n")
