"""The log of prunings, each of its lines beside a search of everything that knows nothing of cutoffs."""

from __future__ import annotations

from functools import cache

import pytest

from quietmove.addons.lab.trace import Pruning, PruningLog
from quietmove.addons.shared.textbook import TextbookSearch
from quietmove.engine.games.base import DECISIVE, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.node import INFINITE, SOLVED
from quietmove.engine.search.traced_search import TracedSearch
from quietmove.engine.values import Settings

GAME = get_game("tictactoe")
LEAVES = 255_168  # complete games of tic-tac-toe
POSITIONS = 549_945  # sequences of one or more moves


@cache
def truth(fields: str) -> tuple[int, int, int]:
    """Return the value of a position (1, 0 or -1 for X), the leaves below it, and the positions."""
    position = GAME.parse_position(fields.split())
    moves = position.legal_moves()
    if not moves:
        score = position.result()
        return (score > 0) - (score < 0), 1, 0
    found = []
    for move in moves:
        position.play(move)
        found.append(truth(GAME.format_position(position)))
        position.undo()
    values = [value for value, _, _ in found]
    best = min(values) if position.side_to_move else max(values)
    return best, sum(leaves for _, leaves, _ in found), sum(1 + below for _, _, below in found)


def after(moves: tuple[str, ...]) -> str:
    position = GAME.initial()
    for move in moves:
        position.play(GAME.parse_move(position, move))
    return GAME.format_position(position)


def logged(settings: Settings, fields: str = "--------- X") -> tuple[PruningLog, list[Pruning]]:
    log, prunings = PruningLog(GAME), []
    root = GAME.parse_position(fields.split())
    search = TracedSearch(
        root, None, settings, lambda: False, lambda event: prunings.extend(filter(None, [log.take(event)]))
    )
    search.run(SOLVED, -INFINITE, INFINITE, root.legal_moves(), whole=True)
    return log, prunings


def winner(score: int | None, otherwise: int) -> int:
    return otherwise if score is None else (score > 0) - (score < 0)


def test_minimax_comes_to_everything() -> None:
    assert truth(after(())) == (0, LEAVES, POSITIONS)
    value, leaves, positions = truth("X---O---- X")
    log, prunings = logged(Settings("minimax", "none"), "X---O---- X")
    assert (log.value, log.positions, log.leaves, prunings) == (value, positions, leaves, [])
    assert [(found.value, found.bound) for found in log.root_moves] == [(0, "exact")] * 7


@pytest.mark.parametrize(("algorithm", "ordering"), [("alphabeta", "none"), ("pvs", "history")])
def test_every_line_of_the_log_is_true(algorithm: str, ordering: str) -> None:
    log, prunings = logged(Settings(algorithm, ordering))
    assert log.value == 0
    assert len(prunings) == log.cutoffs
    assert sum(len(each.skipped) for each in prunings) == log.skipped
    assert sum(each.leaves for each in prunings) == log.saved
    for each in prunings:
        side = len(each.node) % 2
        position = GAME.parse_position(after(each.node).split())
        assert {each.move, *each.skipped} <= set(map(GAME.format_move, position.legal_moves()))
        assert each.leaves == sum(truth(after((*each.node, move)))[1] for move in each.skipped)
        exact = truth(after(each.node))[0]
        if side == 0:
            assert exact >= winner(each.value, 0)
            assert each.beta is None or each.value >= each.beta or each.value > DECISIVE
        else:
            assert exact <= winner(each.value, 0)
            assert each.alpha is None or each.value <= each.alpha or each.value < -DECISIVE
    assert {found.move for found in log.root_moves} == set(map(GAME.format_move, GAME.initial().legal_moves()))
    for found in log.root_moves:
        exact = truth(after((found.move,)))[0]
        shown = winner(found.value, 0)
        assert {"exact": exact == shown, "lower": exact >= shown, "upper": exact <= shown}[found.bound]


@pytest.mark.parametrize("ordering", ["none", "static", "history"])
def test_all_leaves_of_alpha_beta_are_accounted_for(ordering: str) -> None:
    log, _ = logged(Settings("alphabeta", ordering))
    assert log.leaves + log.saved + log.not_searched == LEAVES
    if ordering == "none":  # the counts printed by the laboratory
        assert (log.positions, log.cutoffs, log.skipped) == (17_821, 3_757, 5_960)
    else:
        assert log.cut_short > 0 < log.not_searched


@pytest.mark.parametrize("fields", ["--------- X", "X-------- O", "XO-OX---- X"])
def test_the_textbook_s_alpha_beta_counts_what_its_program_counts(fields: str) -> None:
    def visited(position: Position, alpha: int, beta: int) -> tuple[int, int]:
        """Return the value, 1, 0 or -1, and the number of positions, with the root."""
        moves = sorted(position.legal_moves())
        best, count = -2, 1
        for move in moves:
            position.play(move)
            value, below = visited(position, -beta, -alpha)
            position.undo()
            best, count = max(best, -value), count + below
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        sign = 1 if position.side_to_move == 0 else -1
        return (best if moves else sign * winner(position.result(), 0)), count

    root = GAME.parse_position(fields.split())
    log = PruningLog(GAME)
    found = TextbookSearch(root, log.take).run(SOLVED)
    value, count = visited(root, -2, 2)
    assert (winner(found, 0), log.positions) == (value, count - 1)
    assert (log.leaves + log.saved, log.cut_short) == (truth(fields)[1], 0)
    assert fields[0] == "X" or count == 18_297
    everything = TextbookSearch(root, prunes=False)
    assert (winner(everything.run(SOLVED), 0), everything.nodes) == (value, truth(fields)[2])


@pytest.mark.parametrize("fields", ["X-------- O", "XO------- X"])
def test_the_last_of_equal_values_may_be_a_bound_of_a_worse_move(fields: str) -> None:
    """With >= instead of > alpha-beta plays a move that only cannot be better; minimax has true ties."""
    sign = 1 if fields.endswith("X") else -1
    position = GAME.parse_position(fields.split())

    def value(move: str) -> int:
        position.play(GAME.parse_move(position, move))
        found = truth(GAME.format_position(position))[0]
        position.undo()
        return sign * found

    best = sign * truth(fields)[0]
    first, *_, last = logged(Settings("alphabeta", "none"), fields)[0].ties
    assert (value(first.move), first.bound) == (best, "exact")
    assert value(last.move) < best
    assert last.bound != "exact"
    assert {value(found.move) for found in logged(Settings("minimax", "none"), fields)[0].ties} == {best}
