"""Checks a store as if it came from a stranger: each game by the rules, its clocks, its verdict, its place, the table.

Nothing that is stored is taken for its own proof: the moves are played again by the rules, the times are taken off the
same :class:`~quietmove.referee.game.clock.Clock`, dice are rolled anew, and the format is asked which games it
wanted. What only the engines know is not checked: the times themselves, and the scores that they claimed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from quietmove.engine.errors import GameError, QuietmoveError
from quietmove.engine.games.base import NATURE, Position
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.config import COLORS, split_opening
from quietmove.referee.game.adjudicator import adjudicate, agreed_loser
from quietmove.referee.game.clock import Clock
from quietmove.referee.game.judge import nature_move
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.game.verdict import Verdict, finished, forfeited
from quietmove.referee.seats import get_seat
from quietmove.tournament.games import Result
from quietmove.tournament.statistics.standings import standings
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import time_of
from quietmove.tournament.store.upgrade import SCHEMA_VERSION
from quietmove.tournament.store.verify_schedule import AskedGames, missing_games, schedule_faults

__all__ = ["Fault", "verify"]

ROUNDING_MS = 1.5  # of a time and of two readings of a clock, each stored in whole milliseconds
FEW_EMPTIES = 16  # an adjudication with more moves left is not solved again


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it should be.

    :param game: the game's number; None for what concerns the whole store.
    """

    game: int | None
    text: str

    def __str__(self) -> str:
        return self.text if self.game is None else f"game {self.game}: {self.text}"


def verify(store: Store) -> Iterator[Fault]:
    """Yield everything that is wrong with a store; nothing where it is sound.

    :raises TournamentError: if it cannot be read at all, or its format is not known here.
    """
    tournament = store.tournament
    damaged: dict[int | None, str] = {}
    results = {result.number: result for result in store.results(damaged.setdefault)}
    yield from (Fault(None, text) for text in store.integrity())
    begun_version, written = store.history()
    finished, found = finishing_times(store)
    yield from found
    if begun_version not in range(1, SCHEMA_VERSION + 1):
        yield Fault(None, f"begun_version is {begun_version!r}; 1 to {SCHEMA_VERSION} is allowed")
    yield from (Fault(None, text) for text in missing_games(store.finishing_times(), written))
    asked = AskedGames(tournament, list(results.values()), finished)
    is_today = begun_version not in range(1, SCHEMA_VERSION)
    tally, players = Tally(), store.players()
    for scheduled, record in store.games(damaged.setdefault):
        result = results.get(scheduled.number)
        if result is not None:
            tally.add(result, record)
            faults = (
                *column_faults(result, players[result.number], record),
                *schedule_faults(tournament, scheduled, asked, record),
                *game_faults(record, is_today=is_today),
            )
            yield from (Fault(scheduled.number, text) for text in faults)
    yield from (Fault(number, text) for number, text in damaged.items())
    if asked.problem:
        yield Fault(None, asked.problem)
    if not damaged:
        yield from (Fault(None, text) for text in tally.faults(tournament.names, list(results.values())))


def finishing_times(store: Store) -> tuple[dict[int, datetime], list[Fault]]:
    """Return when each game was finished, and what is wrong with these times."""
    created_at, faults = store.created_at(), list[Fault]()
    begun, latest = time_of(created_at), datetime.now(UTC) + timedelta(days=1)  # clocks differ from machine to machine
    if begun is None:
        faults.append(Fault(None, f"created_at is {created_at!r}, which is no time"))
    finished: dict[int, datetime] = {}
    for number, text in store.finishing_times().items():
        if (time := time_of(text)) is None:
            faults.append(Fault(number, f"finished_at is {text!r}, which is no time"))
        else:
            finished[number] = time
            if begun and time < begun:
                faults.append(Fault(number, f"finished_at is {text}, and the tournament was begun at {created_at}"))
            if time > latest:
                faults.append(Fault(number, f"finished_at is {text}, which is to come"))
    return finished, faults


# ---- a game


def column_faults(result: Result, players: tuple[object, object], record: GameRecord) -> Iterator[str]:
    """Yield where the columns, which the table and a reader of the file go by, differ from the record."""
    loser = None if record.loser is None else record.spec.player(record.loser).name
    pairs = {
        "points_black": (result.points_black, record.points_black),
        "margin_black": (result.margin_black, record.margin_black),
        "reason": (result.reason, record.reason),
        "loser": (result.forfeited_by, loser),
        "moves": (result.moves, ",".join(move.move for move in record.moves)),
        "black": (players[0], record.spec.black.name),
        "white": (players[1], record.spec.white.name),
    }
    for name, (column, recorded) in pairs.items():
        if column != recorded:
            yield f"the column {name} is {column!r}, and the record says {recorded!r}"


def game_faults(record: GameRecord, *, is_today: bool = True) -> Iterator[str]:
    """Yield what is wrong with a game in itself: its moves, clocks and verdict.

    :param is_today: it was played by this version. Earlier ones had other words for some verdicts, and some forgave
        what a move overdrew within the margin; a game is then held to the rule that it fits.
    """
    try:
        position = record.spec.begin()
    except QuietmoveError as error:
        yield f"it cannot be played again: {error}"
        return
    replayed = Replay(record, position)
    yield from replayed.faults()
    faults = list(time_faults(record, Clock))
    if is_today or (faults and list(time_faults(record, ForgivingClock))):
        yield from faults
    if replayed.is_whole:
        yield from verdict_faults(record, position, is_today=is_today)


class Replay:
    """A stored game, played again.

    :ivar is_whole: whether all its moves could be.
    """

    def __init__(self, record: GameRecord, position: Position) -> None:
        self._record = record
        self._game = get_game(record.spec.game)
        self._opening = split_opening(record.spec.opening)[1]
        self._position = position
        self.is_whole = False

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the moves, up to the first move that cannot be played."""
        moves = self._record.moves
        if tuple(move.move for move in moves[: len(self._opening)]) != self._opening:
            yield f"it does not begin with its opening, {' '.join(self._opening)}"
        for index, move in enumerate(moves):
            if problem := self._problem(move, index):
                yield f"{_where(index, move)}: {problem}"
                return
            self._position.play(self._game.parse_move(self._position, move.move))
        self.is_whole = True

    def _problem(self, move: MoveRecord, index: int) -> str:
        """Return why this move was not the next one, or nothing."""
        rules, before = self._record.spec.adjudication, self._record.moves[:index]
        if self._position.is_over():
            return "the game was over before"
        if index >= rules.max_plies or (rules.resign_score and agreed_loser(before, rules)):
            return "the game was to be adjudicated before"
        side = self._position.side_to_move
        mover = "opening" if index < len(self._opening) else "chance" if side == NATURE else COLORS[side]
        if move.by != mover:
            return f"made by {move.by}, and it was the turn of {mover}"
        try:
            legal = self._game.parse_move(self._position, move.move)
        except GameError as error:
            return f"not legal: {error}"
        if self._game.format_move(legal) != move.move:
            return f"the game writes it {self._game.format_move(legal)}"
        if mover == "chance" and legal != nature_move(self._position, self._record.spec.seed, index):
            return "not what was rolled"
        return ""


class ForgivingClock(Clock):
    """The clock of earlier versions: each move had the whole margin, and a clock did not fall below zero."""

    @property
    def overdrawn_ms(self) -> float:
        """Nothing: what a move overdrew was forgiven."""
        return 0.0

    def charge(self, elapsed_ms: float) -> None:
        """Take the time of a move off the clock, as far as there is any."""
        super().charge(elapsed_ms if self.remaining_ms is None else min(elapsed_ms, self.remaining_ms))


def time_faults(record: GameRecord, kind: type[Clock]) -> Iterator[str]:
    """Yield where the times of the moves do not fit the time control, by this kind of clock."""
    clocks = {color: kind(record.spec.player(color).limit, record.spec.player(color).margin_ms) for color in COLORS}
    for index, move in enumerate(record.moves):
        if move.by in COLORS:
            for text in _time_faults(move, index, clocks[move.by]):
                yield f"{_where(index, move)}: {text}"


def _time_faults(move: MoveRecord, index: int, clock: Clock) -> Iterator[str]:
    patience = clock.patience_ms
    if move.elapsed_ms < 0:
        yield f"it took {move.elapsed_ms} ms"
    if patience is not None and move.elapsed_ms > patience + ROUNDING_MS + index / 2:
        yield f"it took {move.elapsed_ms} ms, and no more than {patience:.0f} were left"
    clock.charge(move.elapsed_ms)
    left = clock.remaining_ms
    if left is None or move.clock_ms is None:
        if left != move.clock_ms:
            yield f"clock {move.clock_ms}, and by the time control it is {left}"
        return
    if abs(left - move.clock_ms) > ROUNDING_MS:
        yield f"clock {move.clock_ms} ms, and by the times it is {left:.0f}"
    clock.remaining_ms = float(move.clock_ms)  # so that rounding does not add up


def _where(index: int, move: MoveRecord) -> str:
    return f"ply {index + 1}, {move.move}"


def verdict_faults(record: GameRecord, position: Position, *, is_today: bool) -> Iterator[str]:
    """Yield what is wrong with the end of a game.

    :param position: after the last move.
    """
    if position.is_over() != (record.reason == "finished"):
        yield f"verdict {record.reason}, and the game is {'' if position.is_over() else 'not '}over on the board"
        return
    if record.reason == "finished":
        expected = finished(position.result(), get_game(record.spec.game).players)
    elif record.reason == "adjudicated":
        adjudicated = yield from adjudicated_verdict(record, position)
        if adjudicated is None:
            return
        expected = adjudicated
    elif record.loser is None:
        yield f"verdict {record.reason}, and nobody is charged with it"
        return
    else:
        yield from forfeit_faults(record, position)
        expected = forfeited(record.reason, record.loser, forfeit_detail(record), position.largest_score)
    found = (record.loser, record.points_black, record.margin_black)
    if found != (expected.loser, expected.points_black, expected.margin_black):
        yield f"result {record.result} {record.margin_black:+d}, and the referee counts {_counted(expected)}"
    if is_today and record.detail.lower() != expected.detail.lower():  # names of players were written small once
        yield f"the verdict says {record.detail!r}, and the referee {expected.detail!r}"


def forfeit_faults(record: GameRecord, position: Position) -> Iterator[str]:
    """Yield why a game could not have been lost by this verdict."""
    assert record.loser is not None
    config = record.spec.player(record.loser)
    if not any(move.by in COLORS for move in record.moves):
        return  # either of the players may have failed to start
    if position.side_to_move != COLORS.index(record.loser):
        yield f"verdict {record.reason} of {record.loser}, and it was not {record.loser}'s turn"
    is_timed = Clock(config.limit, config.margin_ms).limit_ms is not None
    if record.reason in ("timeout", "stall") and is_timed != (record.reason == "timeout"):
        yield f"verdict {record.reason}, and {'a' if is_timed else 'no'} clock ran"
    if record.reason == "resign" and not get_seat(config.protocol).can_resign:
        yield f"verdict resign, which protocol={config.protocol} does not know"


def forfeit_detail(record: GameRecord) -> str:
    """Return what the referee says of a forfeited game, as far as it follows from the game.

    Of most faults that is who made it; the rest is what the engine did, which only the referee saw.
    """
    assert record.loser is not None
    config = record.spec.player(record.loser)
    who = f"{config.name} ({record.loser}) "
    if record.reason == "resign":
        return who + "resigns"
    if record.reason == "stall" and any(move.by in COLORS for move in record.moves):
        return f"{who}did not answer within {config.stall_timeout_ms} ms, and no clock runs ({config.limit})"
    return record.detail if record.detail.startswith(who) else who + "..."


def adjudicated_verdict(record: GameRecord, position: Position) -> Generator[str, None, Verdict | None]:
    """Return how the referee ends the game now; yield why it would not.

    With many moves left the game is not solved again, and nothing is returned.
    """
    rules, left = record.spec.adjudication, position.moves_left()
    may_be_solved = 0 < left <= rules.solve_empties
    if may_be_solved and left > FEW_EMPTIES:
        rules = replace(rules, solve_empties=0)
    expected = asyncio.run(adjudicate(rules, position, record.moves, get_game(record.spec.game).players))
    if expected is None and (not may_be_solved or left <= FEW_EMPTIES):
        yield "verdict adjudicated, and nothing ends the game here"
    elif expected is None and (record.margin_black > 0) - (record.margin_black < 0) != 2 * record.points_black - 1:
        yield f"result {record.result} {record.margin_black:+d}"
    return expected


def _counted(verdict: object) -> str:
    points, margin = attrgetter("points_black", "margin_black")(verdict)
    return f"{points:g} for Black, {margin:+d}"


# ---- the table


class Tally:
    """Points and more of each engine, counted from the records alone."""

    COLUMNS = ("games", "wins", "draws", "losses", "points", "margin", "forfeits")

    def __init__(self) -> None:
        self._rows: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(self.COLUMNS))

    def add(self, result: Result, record: GameRecord) -> None:
        """Count a game."""
        for color, sign in zip(COLORS, (1, -1), strict=True):
            points = record.points(color)
            row = (
                1,
                points == 1,
                points == 0.5,
                points == 0,
                points,
                sign * record.margin_black,
                record.loser == color,
            )
            name = record.spec.player(color).name
            self._rows[name] = [sum(pair) for pair in zip(self._rows[name], row, strict=True)]

    def faults(self, names: Sequence[str], results: Sequence[Result]) -> Iterator[str]:
        """Yield where the table of ``results`` differs from what was counted."""
        for row in standings(names, results).rows:
            for column, counted in zip(self.COLUMNS, self._rows[row.name], strict=True):
                if getattr(row, column) != counted:
                    yield f"table: {row.name} has {column} {getattr(row, column):g}, and its games give {counted:g}"
