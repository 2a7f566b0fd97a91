"""The problems of a test suite, and the outcomes of solving them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from quietmove.addons.shared.workers import Workers
from quietmove.engine.errors import GameError, SuiteError
from quietmove.engine.files import read_bytes
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.game_files.obf import positions_in
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.session import make_table
from quietmove.engine.tools.bench import finish
from quietmove.engine.values import Limits, Settings

OTHELLO = get_game("othello")
VALUE = re.compile(r"(\w+|--)\s*:\s*([+-]?\d{1,2})")
MAX_DISCS = 64
EXAMPLE = "64 squares of X, O and -, the side X or O; F5:+4; D6:-2;"


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with the values of its moves.

    :param line: the line in the file, from 1.
    :param fields: the squares and the side to move.
    :param values: the value of each listed move (at least one) in hundredths of a disc, from the side to move's point
        of view.
    """

    line: int
    fields: tuple[str, str]
    values: Mapping[int, int]

    @property
    def best(self) -> int:
        return max(self.values.values())

    def position(self) -> Position:
        """Return a new position object."""
        return OTHELLO.parse_position(self.fields)


def read_problems(path: Path) -> list[Problem]:
    """Return the problems in an OBF file, which must contain at least one.

    :raises SuiteError: if the file cannot be read or is invalid; the message names the file and any invalid line.
    """
    try:
        lines = read_bytes(path).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SuiteError(f"{path}: must be text in UTF-8") from None
    problems = []
    for number, fields, values in positions_in(lines):
        try:
            problems.append(_read_problem(number, fields, values))
        except GameError as error:
            raise SuiteError(f"{path}:{number}: {error}") from None
    if not problems:
        raise SuiteError(f"{path}: contains no positions; a line looks like {EXAMPLE!r}")
    return problems


def _read_problem(number: int, fields: Sequence[str], listed: str) -> Problem:
    position = OTHELLO.parse_position(fields)
    if position.is_over():
        raise GameError("the position has no legal moves: the game is over")
    values: dict[int, int] = {}
    for text in filter(None, map(str.strip, listed.split(";"))):
        move, value = _read_value(position, text)
        if move in values:
            raise GameError(f"two values for move {OTHELLO.format_move(move)!r}")
        values[move] = value
    if not values:
        raise GameError("no moves with values, such as 'F5:+4;'")
    squares, side = OTHELLO.format_position(position).split()
    return Problem(number, (squares, side), values)


def _read_value(position: Position, text: str) -> tuple[int, int]:
    match = VALUE.fullmatch(text)
    if match is None or abs(int(match[2])) > MAX_DISCS:
        allowed = f"a move with its value from -{MAX_DISCS} to +{MAX_DISCS}, such as 'F5:+4'"
        raise GameError(f"must be {allowed}, not {text!r}")
    return OTHELLO.parse_move(position, match[1]), 100 * int(match[2])


table_of = cache(make_table)  # this process's table, allocated on first use
CLOSE_SCORE = 300  # maximum error of a close score, in hundredths of a disc


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of searching a problem.

    :param score: hundredths of a disc, from the side to move's point of view; 0 if no iteration was completed.
    :param depth: depth of the last completed iteration in plies.
    :param seconds: wall-clock time.
    :param cpu_seconds: CPU time of the searching process.
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
        """The absolute error of the score, in hundredths of a disc."""
        return abs(self.score - self.problem.best)

    @property
    def loss(self) -> int | None:
        """The move's loss, in hundredths of a disc, or None if the file does not list its value."""
        value = self.problem.values.get(self.move)
        return None if value is None else self.problem.best - value


@dataclass(frozen=True, slots=True)
class Summary:
    """The results of a run.

    :param best_moves: number of positions in which a best move was found.
    :param within_3_discs: number of positions whose score is at most 3 discs wrong.
    :param mean_absolute_error: the mean error of the scores, in discs.
    :param mean_loss: the mean loss of moves with a listed value, in discs, or None if there are no such moves.
    :param seconds: wall-clock time of the run.
    :param cpu_seconds: CPU time of all searches.
    :param nodes_per_second: nodes per CPU second.
    :param yardstick_seconds: CPU seconds of the yardstick on this machine, or None if not measured.
    :param yardsticks: the CPU time in yardsticks, which can be compared between machines, or None if not measured.
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
    """Search each problem with an empty table, and yield the outcomes in the order of the problems.

    :param megabytes: size of each table, 0 for none.
    :param at_once: number of problems to search in parallel, each in its own process.
    :raises OptionError: if the game has no such evaluator, or there is not enough memory.
    :raises WorkerError: if a worker process ends early.
    """
    with Workers(at_once, apart=True) as workers:  # separate processes, so that Ctrl-C ends the searches immediately
        yield from workers.compute(partial(solve, settings, limits, megabytes), problems)


def solve(settings: Settings, limits: Limits, megabytes: int, problem: Problem) -> Outcome:
    table = table_of(megabytes)
    if table is not None:
        table.forget()
    search = Deepening(problem.position(), table, settings, limits)
    began = time.perf_counter()
    cpu_began = time.process_time()
    result = finish(search)
    seconds = time.perf_counter() - began
    cpu_seconds = time.process_time() - cpu_began
    assert result.move is not None, "a problem has a legal move"
    score = 0 if result.score is None else result.score.value
    return Outcome(problem, result.move, score, result.depth, result.nodes, seconds, cpu_seconds)


def summarise(outcomes: Sequence[Outcome], seconds: float, yardstick: float | None) -> Summary:
    """Summarise a run of at least one problem.

    :param seconds: wall-clock time of the run.
    :param yardstick: CPU seconds of the yardstick on this machine, or None if not measured.
    """
    count = len(outcomes)
    losses = [outcome.loss for outcome in outcomes if outcome.loss is not None]
    nodes = sum(each.nodes for each in outcomes)
    cpu_seconds = sum(each.cpu_seconds for each in outcomes)
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
