"""The problems of a suite, and the outcomes of solving them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from quietmove.engine.errors import GameError, SuiteError
from quietmove.engine.files import read_bytes
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.game_files.obf import positions_in
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.session import make_table
from quietmove.engine.tools.bench import finish
from quietmove.engine.tools.workers import Workers
from quietmove.engine.values import Limits, Settings

OTHELLO = get_game("othello")
VALUE = re.compile(r"(\w+|--)\s*:\s*([+-]?\d{1,2})")
MOST_DISCS = 64
EXAMPLE = "64 squares of X, O and -, the side X or O; F5:+4; D6:-2;"


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with the value of its moves.

    :param line: of the file, from 1.
    :param fields: the squares and the side to move.
    :param values: hundredths of a disc of each listed move, from the side to move; one move at least.
    """

    line: int
    fields: tuple[str, str]
    values: Mapping[int, int]

    @property
    def best(self) -> int:
        return max(self.values.values())

    def position(self) -> Position:
        """Return the position, new each time."""
        return OTHELLO.parse_position(self.fields)


def read_problems(path: Path) -> list[Problem]:
    """Return the problems of an OBF file, one at least.

    :raises SuiteError: naming the file, and the line if one is wrong.
    """
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SuiteError(f"{path}: must be a text in UTF-8") from None
    problems = []
    for number, fields, values in positions_in(lines):
        try:
            problems.append(_read_problem(number, fields, values))
        except GameError as error:
            raise SuiteError(f"{path}:{number}: {error}") from None
    if not problems:
        raise SuiteError(f"{path}: must have a position, not none; a line is {EXAMPLE!r}")
    return problems


def _read_problem(number: int, fields: Sequence[str], listed: str) -> Problem:
    position = OTHELLO.parse_position(fields)
    if position.is_over():
        raise GameError("must be a position with a legal move; this game is over")
    values: dict[int, int] = {}
    for text in filter(None, map(str.strip, listed.split(";"))):
        move, value = _read_value(position, text)
        if move in values:
            raise GameError(f"must have one value a move, not two of {OTHELLO.format_move(move)!r}")
        values[move] = value
    if not values:
        raise GameError("must have a move with its value, like 'F5:+4;', not none")
    squares, side = OTHELLO.format_position(position).split()
    return Problem(number, (squares, side), values)


def _read_value(position: Position, text: str) -> tuple[int, int]:
    match = VALUE.fullmatch(text)
    if match is None or abs(int(match[2])) > MOST_DISCS:
        allowed = f"a move with its value from -{MOST_DISCS} to +{MOST_DISCS}, like 'F5:+4'"
        raise GameError(f"must be {allowed}, not {text!r}")
    return OTHELLO.parse_move(position, match[1]), 100 * int(match[2])


table_of = cache(make_table)  # the table of this process, made when it is first needed
CLOSE_SCORE = 300  # a score within so many hundredths of a disc of the true value counts as close


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search found for a problem.

    :param score: hundredths of a disc from the side to move; 0 where not even the first iteration was completed.
    :param depth: plies of the last completed iteration.
    :param seconds: of the clock on the wall; ``cpu_seconds`` of the process that searched.
    """

    problem: Problem
    move: int
    score: int
    depth: int
    nodes: int
    seconds: float
    cpu_seconds: float

    @property
    def found(self) -> bool:
        return self.problem.values.get(self.move) == self.problem.best

    @property
    def error(self) -> int:
        """How far the score is from the true value, in hundredths of a disc."""
        return abs(self.score - self.problem.best)

    @property
    def loss(self) -> int | None:
        """What the move gives away, in hundredths of a disc; None if the file has no value of it."""
        value = self.problem.values.get(self.move)
        return None if value is None else self.problem.best - value


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a run.

    :param best_moves, within_3_discs: positions whose move is a best one; whose score is at most 3 discs wrong.
    :param mean_absolute_error, mean_loss: in discs; the loss over moves whose value is listed, None if none is.
    :param seconds: of the clock on the wall, of the whole run; ``cpu_seconds`` of all searches.
    :param nodes_per_second: nodes for each second of processor time.
    :param yardstick_seconds: CPU seconds of the yardstick on this machine; None where it was not measured.
    :param yardsticks: the CPU time in yardsticks, a figure that machines agree on.
    """

    positions: int
    best_moves: int
    within_3_discs: int
    mean_absolute_error: float
    mean_loss: float | None
    nodes: int
    seconds: float
    cpu_seconds: float
    nodes_per_second: int
    yardstick_seconds: float | None
    yardsticks: float | None


def solve_all(
    problems: Sequence[Problem], settings: Settings, limits: Limits, megabytes: int, at_once: int = 1
) -> Iterator[Outcome]:
    """Search each problem with an empty table; yield the outcomes in the order of the problems.

    :param megabytes: of each table, 0 for none.
    :param at_once: how many problems are searched at once, each in a process of its own.
    :raises OptionError: if the game has no such evaluator, or the machine not that much memory.
    :raises WorkerError: if a process ends before its work is done.
    """
    with Workers(at_once, apart=True) as workers:  # an interrupt from the keyboard ends them, whatever they do
        yield from workers.compute(partial(solve, settings, limits, megabytes), problems)


def solve(settings: Settings, limits: Limits, megabytes: int, problem: Problem) -> Outcome:
    table = table_of(megabytes)
    if table is not None:
        table.forget()
    search = Deepening(problem.position(), table, settings, limits)
    began, cpu_began = time.perf_counter(), time.process_time()
    result = finish(search)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    assert result.move is not None, "a problem has a legal move"
    score = 0 if result.score is None else result.score.value
    return Outcome(problem, result.move, score, result.depth, result.nodes, seconds, cpu_seconds)


def summarise(outcomes: Sequence[Outcome], seconds: float, yardstick: float | None) -> Summary:
    """Return the figures of a run of at least one problem.

    :param seconds: of the whole run.
    :param yardstick: CPU seconds of the yardstick on this machine; None where it was not measured.
    """
    count = len(outcomes)
    losses = [outcome.loss for outcome in outcomes if outcome.loss is not None]
    nodes, cpu_seconds = sum(each.nodes for each in outcomes), sum(each.cpu_seconds for each in outcomes)
    return Summary(
        positions=count,
        best_moves=sum(outcome.found for outcome in outcomes),
        within_3_discs=sum(outcome.error <= CLOSE_SCORE for outcome in outcomes),
        mean_absolute_error=sum(outcome.error for outcome in outcomes) / count / 100,
        mean_loss=sum(losses) / len(losses) / 100 if losses else None,
        nodes=nodes,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        nodes_per_second=round(nodes / max(cpu_seconds, 1e-9)),
        yardstick_seconds=yardstick,
        yardsticks=None if yardstick is None else cpu_seconds / yardstick,
    )
