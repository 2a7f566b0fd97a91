"""Compares the values that a program prints after its moves with plain minimax. The examiner runs this as a program.

Standard input is one JSON object: ``engine``, the program's configuration; ``evaluator``, the teacher's command; and
``cpu``. The program plays one game in the sandbox. The teacher's evaluator reads the leaf positions of the search, one
per line, and prints their values for the side to move. The output is a check's outcome as JSON.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from quietmove.addons.hall.settings import VALUES
from quietmove.addons.hall.tasks import TOLERANCE, outcome
from quietmove.addons.shared.evaluator_program import evaluate
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import without_comment
from quietmove.referee.api import player
from quietmove.referee.config.model import Color, EngineConfig, GameSpec
from quietmove.referee.config.validation import adapter
from quietmove.referee.errors import SetupError
from quietmove.referee.game.host import play_game
from quietmove.referee.game.record import Observer
from quietmove.referee.process.launch import with_seed
from quietmove.tournament.definition import DEFAULT_GAME

GAME = get_game(DEFAULT_GAME)
VALUE = re.compile(r"\bvalue\s+(-?\d+(?:\.\d+)?)\s*$", re.ASCII)  # at the end of a comment
SEED = 1
MAX_SEED = (1 << 31) - 1
MOST_POSITIONS = 50_000  # maximum number of positions to evaluate; if there are more, the largest trees are left out
PATIENCE_MS = 2000  # milliseconds that a move may be late; no game can be lost on time here
EVALUATOR_SECONDS = 30.0

Spoken = tuple[tuple[str, ...], str]  # the moves before a turn of the program, and the line it wrote


class AnswerLines(Observer):
    """The lines that the program, Black, answers with, without lines that are only a comment."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line_passed(self, color: Color, direction: str, line: str) -> None:
        if (color, direction) == ("black", "<") and without_comment(line):
            self.lines.append(line)


def spoken(config: EngineConfig) -> list[Spoken]:
    """Play a game with a program as Black against an opponent that nearly moves at random; return the program's lines.

    :raises QuietmoveError: if the program does not finish the game.
    """
    seed = random.randrange(MAX_SEED)  # so that no program knows the game
    weak = player(limit="depth=1", options={"Level": 0, "Seed": seed}, protocol="in-process")
    black = with_seed(replace(config, margin_ms=PATIENCE_MS), SEED)
    answers = AnswerLines()
    record = play_game(GameSpec(DEFAULT_GAME, (), black, weak), answers)
    if record.reason != "finished":
        raise SetupError(record.detail)
    texts = [move.move for move in record.moves]
    turns = [ply for ply, move in enumerate(record.moves) if move.by == "black"]
    return [(tuple(texts[:ply]), line) for ply, line in zip(turns, answers.lines, strict=False)]


def after(moves: Sequence[str]) -> Position:
    """Return the position after some moves."""
    position = GAME.initial()
    for move in moves:
        position.play(GAME.parse_move(position, move))
    return position


def minimax(position: Position, depth: int, known: dict[str, float] | None, leaves: dict[str, None]) -> float:
    """Return the minimax value for the side to move (0 without ``known``), and collect the leaves in ``leaves``."""
    if depth == 0 or position.is_over():
        text = GAME.format_position(position)
        leaves[text] = None
        return known[text] if known else 0.0
    values = []
    for move in position.legal_moves():
        position.play(move)
        values.append(0.0 - minimax(position, depth - 1, known, leaves))  # never -0
        position.undo()
    return max(values)


def compared(lines: Sequence[Spoken], depth: int, command: str) -> tuple[str, str]:
    """Compare the values in a program's lines with minimax, and return a check's status and text."""
    matches = {moves: VALUE.search(line.partition("#")[2]) for moves, line in lines}
    if not any(matches.values()):
        return "info", "the program prints no values, such as '6 4 # value 12'"
    # A value may be missing only if the move is forced; otherwise a program could print only the easy values.
    printed = {
        moves: found and float(found[1]) for moves, found in matches.items() if found or after(moves).perft(1) > 1
    }
    sizes = sorted((after(moves).perft(depth), len(moves), moves) for moves in printed)
    totals = accumulate(size for size, *_ in sizes)
    chosen = [moves for (*_, moves), total in zip(sizes, totals, strict=True) if total <= MOST_POSITIONS]
    if not chosen:
        return "info", "no value was compared: the trees are too large"
    leaves: dict[str, None] = {}
    for moves in chosen:
        minimax(after(moves), depth, None, leaves)
    try:
        values = evaluate(command, list(leaves), EVALUATOR_SECONDS, hides_errors=True)
    except ValueError as error:
        return "info", f"the teacher's evaluator does not work: {error}"
    known = dict(zip(leaves, values, strict=True))
    right = {moves: minimax(after(moves), depth, known, leaves) for moves in chosen}
    wrong = [
        (moves, value)
        for moves in sorted(chosen, key=len)
        if (value := printed[moves]) is None or abs(value - right[moves]) > TOLERANCE
    ]
    text = f"{len(chosen) - len(wrong)} of {len(chosen)} values agree with minimax to depth {depth}"
    if not wrong:
        return "ok", text
    moves, value = wrong[0]
    place = f"after {''.join(moves)}" if moves else "in the initial position"
    return "FAIL", f"{text}; {place}: must be {right[moves]:g}, not {'missing' if value is None else f'{value:g}'}"


def main() -> None:
    """Read the request, and print the outcome."""
    began = time.monotonic()
    request = json.load(sys.stdin)
    config = adapter(EngineConfig).validate_python(request["engine"])
    try:
        lines = spoken(replace(config, cpus=(request["cpu"],)))
        status, text = compared(lines, config.limit.depth or 1, request["evaluator"])
    except QuietmoveError as error:
        status, text = "FAIL", f"the program did not finish the game in which it prints values: {error}"
    print(json.dumps(outcome(VALUES, status, text, time.monotonic() - began)))  # noqa: T201


if __name__ == "__main__":
    main()
