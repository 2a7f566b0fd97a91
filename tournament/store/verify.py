"""Check an untrusted store: the moves, clocks, verdict and schedule of each game, and the table.

For an unfinished game, only the stored moves and clocks are checked.

Moves are replayed, times are charged to the same :class:`~quietmove.referee.clock.Clock`, dice are rolled again,
and the format is asked which games it requires. What only the engines know is not checked: the times themselves, and
the scores they reported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice
from operator import attrgetter
from typing import Any

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.registry import known_game
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import COLORS, GameSpec, split_opening
from quietmove.referee.game.judged_game import adjudicate, agreed_draw, agreed_loser, nature_move
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.game.verdict import Verdict, finished, forfeited
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result, ScheduledGame, game_spec
from quietmove.tournament.store.rows import game_row
from quietmove.tournament.store.store import Store

ROUNDING_MS = 1.5  # maximum rounding error of a time and two clock readings, each in whole milliseconds
MAX_VALUE_LENGTH = 100  # maximum length of a value in a message, in characters
MAX_AHEAD = 10_000  # maximum number of concurrent games, and thus of games requested beyond the results


def faults_in(store: Store) -> Iterator[str]:
    """Yield the faults in a store as lines of text, or nothing if the store is consistent.

    The table is computed from the store's columns, so it is correct if they match the records.

    :raises TournamentError: if a game cannot be read at all, or the format is unknown.
    """
    tournament = store.tournament
    results = store.results()
    expected_by_number = expected_games(tournament, results)
    known = {result.number for result in results}
    for row, game, record in store.rows():
        if game.number in known:  # skip games finished in the meantime
            faults = [
                difference(f"column {name}", row[name], value)
                for name, value in game_row(game, record, Result.of(game, record)).items()
                if row[name] != value
            ]
            if (expected := expected_by_number.get(game.number)) is None:
                faults.append(f"the format {tournament.format} does not schedule this game")
            else:
                faults += differences("", game, expected)
                faults += differences(
                    "record: ", record.spec, in_sandboxes_of(record.spec, game_spec(tournament, expected))
                )
            yield from (f"game {game.number}: {fault}" for fault in (*faults, *game_faults(record)))
    for game in unfinished_games(store, results):
        spec = game_spec(tournament, game)
        moves = (*(MoveRecord(move, "opening") for move in split_opening(game.opening)[1]), *store.saved_moves(game))
        faults = [*move_faults(spec, moves, spec.begin()), *time_faults(spec, moves)]
        yield from (f"game {game.number}, not finished: {fault}" for fault in faults)


def in_sandboxes_of(played: GameSpec, spec: GameSpec) -> GameSpec:
    """Return ``spec`` with the sandboxes that ``resume --sandbox`` has added to a game."""
    black, white = (
        replace(spec.player(color), sandbox=spec.player(color).sandbox or played.player(color).sandbox)
        for color in COLORS
    )
    return replace(spec, black=black, white=white)


def unfinished_games(store: Store, results: Sequence[Result]) -> Iterator[ScheduledGame]:
    """Yield the unfinished games that a resumed tournament continues; moves of other games are ignored."""
    stored = store.games_in_progress() - {result.number for result in results}
    if stored:
        games = plan_of(store.tournament).next_games(results)
        yield from (game for game in islice(games, len(results) + MAX_AHEAD) if game.number in stored)


def differences(what: str, found: Any, expected: Any) -> Iterator[str]:
    """Yield a message for each field in which two values of the same type differ."""
    for field in fields(expected):
        one = getattr(found, field.name)
        other = getattr(expected, field.name)
        if field.compare and one != other:
            yield difference(f"{what}{field.name}", one, other)


def difference(what: str, found: object, expected: object) -> str:
    """Return a message that a value is not the expected one."""
    return (
        f"{what}: must be {printable(repr(expected), MAX_VALUE_LENGTH)}, not {printable(repr(found), MAX_VALUE_LENGTH)}"
    )


def expected_games(tournament: Tournament, results: Sequence[Result]) -> dict[int, ScheduledGame]:
    """Return the games that the format asks for given ``results``, by number.

    The format is asked repeatedly, with the results of the games it has asked for so far.
    """
    plan = plan_of(tournament)
    expected: dict[int, ScheduledGame] = {}
    known: list[Result] = []
    waiting = {result.number: result for result in results}
    while waiting:
        for game in islice(plan.next_games(known), len(results) + MAX_AHEAD):
            if game.number in waiting:
                expected[game.number] = game
        fitting = [
            number for number, result in waiting.items() if number in expected and result.id == expected[number].id
        ]
        if not fitting:
            break
        known = sorted((*known, *map(waiting.pop, fitting)), key=attrgetter("number"))
    return expected


def game_faults(record: GameRecord) -> Iterator[str]:
    """Yield the faults within a game: its moves, clocks and verdict."""
    try:
        position = record.spec.begin()
    except QuietmoveError as error:
        yield f"it cannot be replayed: {error}"
        return
    faults = list(move_faults(record.spec, record.moves, position))
    yield from faults
    yield from time_faults(record.spec, record.moves)
    if not faults:
        yield from verdict_faults(record, position)


def move_faults(spec: GameSpec, moves: Sequence[MoveRecord], position: Position) -> Iterator[str]:
    """Play the moves in ``position``; yield the faults, up to the first move that cannot be played."""
    game = known_game(spec.game)
    opening = split_opening(spec.opening)[1]
    if tuple(move.move for move in moves[: len(opening)]) != opening:
        yield f"opening: must be {' '.join(opening)}"
    for index, move in enumerate(moves):
        if problem := _move_problem(spec, moves, index, game, position, len(opening)):
            yield f"{_ply(index, move)}: {problem}"
            return
        position.play(game.parse_move(position, move.move))


def _move_problem(
    spec: GameSpec, moves: Sequence[MoveRecord], index: int, game: Game, position: Position, opening: int
) -> str:
    move, rules, before = moves[index], spec.adjudication, moves[:index]
    if position.is_over():
        return "the game was already over"
    conceded = rules.resign_score and agreed_loser(before, rules)
    if index >= rules.max_plies or conceded or agreed_draw(before, rules):
        return "the game should have been adjudicated already"
    side = position.side_to_move
    mover = "opening" if index < opening else "chance" if side == NATURE else COLORS[side]
    if move.by != mover:
        return f"by: must be {mover}, not {move.by}"
    try:
        legal = game.parse_move(position, move.move)
    except GameError as error:
        return f"not legal: {error}"
    if mover == "chance" and legal != nature_move(position, spec.seed, index):
        return "not the roll of the dice"
    return ""


def time_faults(spec: GameSpec, moves: Sequence[MoveRecord]) -> Iterator[str]:
    """Yield a message for each move whose times do not fit the time control."""
    clocks = {color: Clock(spec.player(color).limit, spec.player(color).margin_ms) for color in COLORS}
    for index, move in enumerate(moves):
        if move.by not in COLORS:
            continue
        clock = clocks[move.by]
        place = _ply(index, move)
        most = clock.patience_ms
        if move.elapsed_ms < 0 or (most is not None and move.elapsed_ms > most + ROUNDING_MS + index / 2):
            allowed = "at least 0" if most is None else f"from 0 to {most:.0f}"
            yield f"{place}: time: must be {allowed} ms, not {move.elapsed_ms}"
        clock.charge(move.elapsed_ms)
        left = clock.remaining_ms
        if left is None or move.clock_ms is None:
            if left != move.clock_ms:
                yield f"{place}: clock: must be {left} by the time control, not {move.clock_ms}"
            continue
        if abs(left - move.clock_ms) > ROUNDING_MS:
            yield f"{place}: clock: must be {left:.0f} ms by the times, not {move.clock_ms}"
        clock.remaining_ms = float(move.clock_ms)  # use the stored reading, so that rounding errors do not add up


def _ply(index: int, move: MoveRecord) -> str:
    return f"ply {index + 1}, {move.move}"


def verdict_faults(record: GameRecord, position: Position) -> Iterator[str]:
    """Yield the faults in the verdict on a game whose last move led to ``position``."""
    if position.is_over() != (record.reason == "finished"):
        yield f"verdict {record.reason}: the game is {'' if position.is_over() else 'not '}over on the board"
        return
    expected = _verdict(record, position)
    if expected is None:
        yield f"verdict {record.reason}: nothing ends the game here"
        return
    if record.reason not in ("finished", "adjudicated"):
        # either player can fail to start, before the first move
        has_begun = any(move.by in COLORS for move in record.moves)
        if has_begun and record.loser != COLORS[position.side_to_move]:
            yield f"verdict {record.reason}: must charge {COLORS[position.side_to_move]}, not {record.loser}"
    result = (expected.loser, expected.points_black, expected.margin_black)
    if result != (record.loser, record.points_black, record.margin_black):
        yield (
            f"result: must be {expected.points_black:g} for Black, {expected.margin_black:+d}, "
            f"not {record.points_black:g}, {record.margin_black:+d}"
        )


def _verdict(record: GameRecord, position: Position) -> Verdict | None:
    players = known_game(record.spec.game).players
    if record.reason == "finished":
        return finished(position.result(), players)
    if record.reason == "adjudicated":
        return asyncio.run(adjudicate(record.spec.adjudication, position, record.moves, players))
    if record.loser is None:
        return None
    return forfeited(record.reason, record.loser, record.detail, position.largest_score)
