"""Every algorithm with every ordering, with a table and without, finds the value that plain minimax finds."""

from __future__ import annotations

import functools
import itertools
import random
from collections import defaultdict
from collections.abc import Sequence

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import NOISY_DISCS, NOISY_LOOK, NOISY_MOBILITY, PASS, OthelloPosition
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.node import INFINITE, Search
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.values import Info, Limits, Score, Settings

OTHELLO = get_game("othello")
POSITIONS = 20
DEPTH = 6
HISTORY_MAX = 8192  # no entry of the history exceeds it
TREE = 200_000  # maximum number of leaves at depth 6, because plain minimax visits them all
CORNERS = {0, 7, 56, 63}

# In these positions, a pair of passes leads to the same board and side to move at two depths of one search. A table
# that used every entry of sufficient depth, instead of only entries of exactly the same depth, would change values.
TWO_DEPTHS = (
    "OXOOX--OO-----O-OO--O-OOOX-OO--O-O-O-OO-OO-O-OO---O--O-OO---O--- O",
    "--------X--------O----O-O------O----O----X--OO-XXO-----------OO- X",
    "O-OOOOOOOOOOOOXOXOOOOOOO---OOO-XOOOO-OXOOOO-OOOOO-OOOOOOO-O-OO-O O",
    "-O-----O-O-X--OOX---------X----X---------X--O--X-X--X-----X----- X",
    "-------OO-------OO---X--X-O---O---------O---O---X-O-O--OO--O-O-O O",
)


def set_up(text: str) -> Position:
    return OTHELLO.parse_position(text.split())


@functools.cache
def positions() -> tuple[str, ...]:
    """Return positions of random games, from the first move to the last, some of them with a pass to be made.

    Those are left out whose trees are too large for plain minimax to search.
    """
    texts: dict[str, None] = {}
    for seed in itertools.count():
        position = random_position(seed)
        if not position.is_over() and position.perft(DEPTH) <= TREE:
            texts[OTHELLO.format_position(position)] = None
        if len(texts) == POSITIONS:
            return tuple(texts)
    raise AssertionError


def random_position(seed: int) -> Position:
    """Return a position of any stage of a game; of every fifth game the first forced pass."""
    choices = random.Random(seed)
    position = OTHELLO.initial()
    for _ in range(120 if seed % 5 == 4 else 37 * seed % 63):
        moves = sorted(position.legal_moves())
        if not moves or (moves == [PASS] and seed % 5 == 4):
            break
        position.play(choices.choice(moves))
    return position


@functools.cache
def oracle(text: str, depth: int = DEPTH) -> list[int]:
    """Return the values at depth 1, 2 … as far as there are moves."""
    position = set_up(text)
    minimax = Minimax(position)
    return [minimax.value(plies) for plies in range(1, min(depth, position.moves_left()) + 1)]


def search(position: Position, settings: Settings, table: Table | None, depth: int = DEPTH) -> list[Info]:
    if table is not None:
        table.clear()
    return iterations(position, settings, table, depth)


def iterations(position: Position, settings: Settings, table: Table | None, depth: int) -> list[Info]:
    """Return the reports of all depths, those too that a search to the end of the game skips."""
    end = position.moves_left()
    infos = []
    if end > 1:
        infos += Deepening(position, table, settings, Limits(depth=min(depth, end - 1))).iterations()
    if depth >= end:
        infos.append(list(Deepening(position, table, settings, Limits(depth=depth)).iterations())[-1])
    return infos


def values(infos: list[Info]) -> list[int]:
    assert [info.depth for info in infos] == list(range(1, len(infos) + 1))
    assert all(info.score.bound == "exact" for info in infos)
    return [info.score.value for info in infos]


def test_every_algorithm_finds_the_value_of_plain_minimax() -> None:
    """The algorithm minimax prunes nothing, so each position takes one ordering with it."""
    table = Table(1)
    for index, text in enumerate(positions()):
        position, truth = set_up(text), oracle(text)
        one = ORDERINGS[index % len(ORDERINGS)]
        kinds = [("minimax", one), *itertools.product(("alphabeta", "pvs"), ORDERINGS)]
        for (algorithm, ordering), kept in itertools.product(kinds, (None, table)):
            found = values(search(position, Settings(algorithm, ordering), kept))
            assert found == truth, (text, algorithm, ordering, kept)


@pytest.mark.parametrize("text", TWO_DEPTHS)
def test_one_board_at_two_depths_does_not_change_the_value(text: str) -> None:
    position = set_up(text)
    table = Table(1)
    truth = oracle(text, 7)
    for algorithm in ("alphabeta", "pvs"):
        for ordering in ORDERINGS:
            assert values(search(position, Settings(algorithm, ordering), table, 7)) == truth, (algorithm, ordering)


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "pvs"])
def test_a_stored_depth_is_honoured(algorithm: str) -> None:
    """A table full of a deeper search, of the game's later positions too, gives shallow searches nothing but order."""
    for text in positions()[::4]:
        position, truth, table = set_up(text), oracle(text), Table(1)
        list(Deepening(position, table, Settings("pvs"), Limits(depth=DEPTH)).iterations())
        for depth in (1, 2, 3, 4):
            assert values(iterations(position, Settings(algorithm), table, depth)) == truth[:depth]


def test_the_value_of_a_window_is_a_true_bound() -> None:
    """Fail-soft: what is returned outside the window bounds the value, inside it is the value."""
    choices = random.Random(1)
    outside = 0
    for text in positions():
        position = set_up(text)
        roots = position.legal_moves()
        for depth, truth in enumerate(oracle(text)[:4], 1):
            plies = 255 if depth == position.moves_left() else depth
            for ordering in ("none", "full"):
                table = Table(1)
                for algorithm in ("alphabeta", "pvs"):
                    for _ in range(4):
                        alpha = truth + choices.randint(-400, 300)
                        beta = alpha + choices.choice((1, 1, 50, 400))
                        for kept in (None, table):
                            one = Search(position, kept, Settings(algorithm, ordering), lambda: False)
                            value = one.run(plies, alpha, beta, roots, True)
                            outside += not alpha < value < beta
                            if value <= alpha:
                                assert truth <= value
                            elif value >= beta:
                                assert truth >= value
                            else:
                                assert truth == value
    assert outside


def quiet_value(position: Position) -> int:
    """Return the value of the horizon as the game and the search describe it, without any pruning."""
    legal = position.legal_moves()
    if not legal:
        return -position.result() if position.side_to_move else position.result()
    assert isinstance(position, OthelloPosition)
    must = legal == [PASS]
    best = -INFINITE if must else position.static_value()
    for move in legal if must else noisy_moves(position, legal):
        position.play(move)
        best = max(best, -quiet_value(position))
        position.undo()
    return best


def noisy_moves(position: OthelloPosition, legal: list[int]) -> list[int]:
    """Return corners, and moves that leave a hard-pressed opponent without a move or with hardly a disc."""
    mine, theirs = (position.white, position.black) if position.side_to_move else (position.black, position.white)
    replies = OthelloPosition(mine, theirs, 1).legal_moves()
    pressed = replies in ([], [PASS]) or len(replies) <= NOISY_MOBILITY or theirs.bit_count() <= NOISY_LOOK
    noisy = []
    for move in legal:
        position.play(move)
        discs = (position.white if position.side_to_move else position.black).bit_count()
        stuck = position.legal_moves() in ([], [PASS])
        position.undo()
        if move in CORNERS or (pressed and (stuck or discs <= NOISY_DISCS)):
            noisy.append(move)
    return noisy


def full_value(position: Position, depth: int) -> int:
    """Return the value by plain recursion, with quiescence at the horizon."""
    legal = position.legal_moves()
    if depth == 0 or not legal:
        return quiet_value(position)
    best = -INFINITE
    for move in legal:
        position.play(move)
        best = max(best, -full_value(position, depth - 1))
        position.undo()
    return best


def test_quiescence_is_what_it_says() -> None:
    checked = 0
    for text in positions()[::3]:
        position = set_up(text)
        if position.moves_left() > 2:
            expected = [full_value(position, depth) for depth in (1, 2)]
            assert values(search(position, Settings(quiescence=True), None, 2)) == expected
            checked += 1
    assert checked > 3


def test_with_quiescence_the_family_agrees() -> None:
    table = Table(1)
    changed = deeper = 0
    for text in positions()[::2]:
        position = set_up(text)
        truth = values(search(position, Settings("minimax", "none", True), None, 3))
        reference = search(position, Settings("alphabeta", "none", True), None, 5)
        changed += values(reference) != oracle(text)[:5]
        deeper += any(info.seldepth > info.depth for info in reference)
        assert values(reference)[:3] == truth
        for algorithm in ("alphabeta", "pvs"):
            for ordering in ORDERINGS:
                for kept in (None, table):
                    found = values(search(position, Settings(algorithm, ordering, True), kept, 5))
                    assert found == values(reference), (text, algorithm, ordering, kept)
    assert changed
    assert deeper


def test_a_table_knows_values_with_quiescence_from_those_without() -> None:
    """The option may be switched while the table is kept: neither search takes the other's values."""
    searched = set()
    for text in positions()[::2]:
        position = set_up(text)
        for algorithm in ("alphabeta", "pvs"):
            fresh = {on: values(search(position, Settings(algorithm, quiescence=on), None, 5)) for on in (False, True)}
            table = Table(1)
            for on in (True, False, True):
                kept = iterations(position, Settings(algorithm, quiescence=on), table, 5)
                found = [(info.depth, info.score) for info in kept]
                expected = [(depth, Score(value)) for depth, value in enumerate(fresh[on], 1)]
                again = (text, algorithm, on)
                assert found == expected[-len(found) :], again
                assert len(found) == len(expected) or again in searched  # the second run may search only the last depth
                searched.add(again)


class Textbook:
    """Plain alpha-beta or, with null windows, plain PVS, with orderings written down as simply as possible.

    :ivar nodes: the number of moves made.
    """

    def __init__(self, ordering: str, *, null_windows: bool) -> None:
        self.ordering = ordering
        self.null_windows = null_windows
        self.nodes = 0
        self.killers: dict[int, list[int]] = defaultdict(list)  # the last two cutoff moves of each ply, latest first
        self.history: dict[tuple[int, int], int] = defaultdict(int)  # for each side and move

    def value(self, position: Position, depth: int, alpha: int = -INFINITE, beta: int = INFINITE, ply: int = 0) -> int:
        if position.is_over():
            return position.result() * (-1 if position.side_to_move else 1)
        if depth == 0:
            return position.static_value()
        best = -INFINITE
        for index, move in enumerate(self.ordered(position.legal_moves(), ply)):
            position.play(move)
            low = max(alpha, best)
            for first, last in [(low, low + 1), (low, beta)] if self.null_windows and index else [(low, beta)]:
                value = -self.value(position, depth - 1, -last, -first, ply + 1)
                if not first < value < beta:
                    break
            position.undo()
            self.nodes += 1
            best = max(best, value)
            if best >= beta:
                self.reward(move, ply, depth)
                break
        return best

    def ordered(self, moves: Sequence[int], ply: int) -> list[int]:
        if self.ordering == "killer":
            first = [move for move in self.killers[ply] if move in moves]
            return [*first, *(move for move in moves if move not in first)]
        return sorted(moves, key=lambda move: -self.history[ply % 2, move] if self.ordering == "history" else 0)

    def reward(self, move: int, ply: int, depth: int) -> None:
        if move not in self.killers[ply][:1]:
            self.killers[ply] = [move, *self.killers[ply][:1]]
        bonus = depth * depth
        self.history[ply % 2, move] += bonus - self.history[ply % 2, move] * bonus // HISTORY_MAX


@pytest.mark.parametrize(
    ("algorithm", "ordering", "count"),
    [("alphabeta", "static", 100), ("pvs", "static", 20), ("alphabeta", "killer", 20), ("alphabeta", "history", 20)],
)
def test_without_aspiration_and_a_table_the_nodes_are_those_of_the_textbook(
    algorithm: str, ordering: str, count: int
) -> None:
    """Killers are those of a ply, and the history is that of a side: every other memory gives other node counts."""
    drawn = (random_position(seed) for seed in itertools.count())
    for position in itertools.islice(
        (each for each in drawn if each.moves_left() > DEPTH and not each.is_over()), count
    ):
        infos = search(position, Settings(algorithm, ordering, aspiration=False), None)
        plain = Textbook(ordering, null_windows=algorithm == "pvs")
        expected = [(plain.value(position, plies), plain.nodes) for plies in range(1, DEPTH + 1)]
        assert [(info.score.value, info.nodes) for info in infos] == expected, OTHELLO.format_position(position)
