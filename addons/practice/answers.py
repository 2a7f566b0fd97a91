"""Judges answers to practice positions. A search finds the loss of moves that the review does not cover."""

from __future__ import annotations

from quietmove.addons.practice.problems import Answer, Problem, describe_loss, points
from quietmove.engine.games.base import Position
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.session import DEFAULTS, make_table
from quietmove.engine.tools.analysis.reasons import why
from quietmove.engine.values import Limits

ANSWER_NODES = 1_000_000  # node limit when searching a wrong answer; such a search takes less than a second
MEGABYTES = 16


def judge(problem: Problem, move: str) -> Answer:
    """Return the verdict on an answer.

    :param move: the answer, in any notation that the game accepts.
    :raises GameError: if ``move`` is not a legal move.
    """
    game = problem.rules
    position = problem.begin()
    number = game.parse_move(position, move)
    text = game.format_move(number)
    better = problem.line
    if not problem.played:
        better = search_move(problem, position, game.parse_move(position, problem.best))[1]
    if text == problem.best:
        sentence = f"Right: {text}. It keeps {points(problem.value)}"
        if problem.played:
            loss = describe_loss(problem, problem.played_value, past=True)
            sentence += f"; {problem.played[0]}, which you played then, {loss}"
        sentence += f". {problem.note}".rstrip()
        return Answer(text, True, 0, problem.value, better, better, sentence)
    if problem.played and text == problem.played[0]:
        value, line = problem.played_value, problem.played
    else:
        value, line = search_move(problem, position, number)
        value = min(value, problem.second)  # no wrong answer is better than the second-best move
    reasons = why(game, position, line, better)
    cause = f", because {reasons[0].text}" if reasons else ""
    sentence = f"{text} {describe_loss(problem, value)}: {problem.best} was better{cause}. {problem.note}".rstrip()
    return Answer(text, False, problem.value - value, value, line, better, sentence, tuple(reasons))


def search_move(problem: Problem, position: Position, move: int) -> tuple[int, tuple[str, ...]]:
    """Return a move's value and line.

    It is solved if the problem's values are exact; otherwise it is searched to the problem's depth or
    :data:`ANSWER_NODES` nodes.
    """
    limits = Limits(depth=max(1, problem.depth), nodes=ANSWER_NODES, searchmoves=(move,))
    if problem.exact:
        limits = Limits(goal="solve", searchmoves=(move,))
    last = list(Deepening(position.copy(), make_table(MEGABYTES), DEFAULTS, limits).iterations())[-1]
    return last.score.value, tuple(map(problem.rules.format_move, last.pv))
