"""Connect: the bitboards against a model of strings, Connect Four against a solver of the test's own."""

from __future__ import annotations

import itertools
import random

import pytest

from quietmove.engine.errors import IllegalMoveError
from quietmove.engine.games.base import WIN, Game, Position
from quietmove.engine.games.in_a_row.position import InARowPosition
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings

FOUR = "connect 7x6x4"
SIZES = ((4, 4, 3), (7, 6, 4), (5, 3, 2), (1, 8, 4), (16, 3, 5), (3, 15, 4), (6, 5, 5))
ROWS, HEIGHT = 6, 7  # the rows of Connect Four, and the bits of a column
ORDER = (3, 2, 4, 1, 5, 0, 6)
ORACLE_NODES = 100_000  # the test's own solver gives a position up after so many


def windows(columns: int, rows: int, length: int) -> list[list[int]]:
    """Return each row of ``length`` cells, a cell counted row by row from the top."""
    found = []
    for row, column, (down, across) in itertools.product(
        range(rows), range(columns), ((0, 1), (1, 0), (1, 1), (1, -1))
    ):
        line = [(row + i * down, column + i * across) for i in range(length)]
        if all(0 <= y < rows and 0 <= x < columns for y, x in line):
            found.append([y * columns + x for y, x in line])
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_moves_rows_and_evaluation_are_those_of_a_model(size: tuple[int, int, int]) -> None:
    columns, rows, length = size
    game = get_game(f"connect {columns}x{rows}x{length}")
    lines = windows(*size)
    for seed in range(30):
        choices, position = random.Random(seed), game.initial()
        while True:
            cells, side = game.format_position(position).split()
            rivals = "OX" if side == "O" else "XO"
            lost = any(all(cells[cell] == rivals[1] for cell in line) for line in lines)
            open_columns = [] if lost else [column for column in range(columns) if cells[column] == "-"]
            assert sorted(position.legal_moves()) == open_columns
            threats = dict.fromkeys(rivals, 0)
            for line in lines:
                content = sorted(cells[cell] for cell in line)
                for player in rivals:
                    threats[player] += content == sorted([player] * (length - 1) + ["-"])
            expected = 100 * (threats[rivals[0]] - threats[rivals[1]])
            assert position.static_value() == (-WIN if lost else expected if open_columns else 0)
            if not open_columns:
                break
            move = choices.choice(open_columns)
            position.play(move)
            row = max(row for row in range(rows) if cells[row * columns + move] == "-")
            place = row * columns + move
            assert game.format_position(position).split()[0] == cells[:place] + side + cells[place + 1 :]


def test_the_centre_comes_first() -> None:
    assert get_game(FOUR).initial().legal_moves() == [3, 2, 4, 1, 5, 0, 6]
    assert get_game("connect").initial().legal_moves() == [1, 2, 0, 3]


def test_a_column_has_a_name() -> None:
    game = get_game(FOUR)
    position = game.initial()
    play_moves(game, position, ["d", "4", "D", "1"])
    assert game.format_position(position) == "-" * 21 + "---X---" + "---O---" + "O--X--- X"
    play_moves(game, position, ["1", "1", "1", "1", "1"])
    with pytest.raises(IllegalMoveError, match="'a' is not legal here; legal: "):
        game.parse_move(position, "a")


def four_in_a_row(discs: int) -> bool:
    for step in (1, HEIGHT - 1, HEIGHT, HEIGHT + 1):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


class Oracle:
    """Solves Connect Four by plain alpha-beta with a memory; counts plies to the end as the engine does."""

    def __init__(self) -> None:
        self.memory: dict[tuple[int, int], tuple[int, int]] = {}
        self.nodes = 0

    def value(self, own: int, opp: int, alpha: int, beta: int) -> int:
        """Return the value from the side to move, fail-hard; nobody has won yet. WIN is 100 here."""
        self.nodes += 1
        if self.nodes > ORACLE_NODES:
            raise TimeoutError
        taken = own | opp
        moves = []
        for column in ORDER:
            place = (taken + (1 << column * HEIGHT)) & ((1 << ROWS) - 1) << column * HEIGHT
            if place:
                if four_in_a_row(own | place):
                    return 99
                moves.append(place)
        if not moves:
            return 0
        low, high = self.memory.get((own, opp), (-98, 97))
        alpha, beta = max(alpha, low), min(beta, high)
        if alpha >= beta:
            return alpha if low >= beta else beta
        floor, best = alpha, -100
        for place in moves:
            worth = -self.value(opp, own | place, -farther(beta), -farther(alpha))
            worth = worth - (worth > 0) + (worth < 0)
            best = max(best, worth)
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        if best >= beta:
            low = max(low, best)
        elif best <= floor:
            high = min(high, best)
        else:
            low = high = best
        self.memory[own, opp] = low, high
        return best


def farther(bound: int) -> int:
    """Return a bound for the child that one ply on the way back makes at most as tight as ``bound``."""
    return bound + 1 if bound > 0 else bound - 1 if bound < 0 else 0


def position_after(game: Game, seed: int, discs: int) -> Position | None:
    """Return a position of a random game with ``discs`` discs and nobody able to win at once, or None."""
    choices, position = random.Random(seed), game.initial()
    for _ in range(discs):
        moves = sorted(position.legal_moves())
        if not moves:
            return None
        position.play(choices.choice(moves))
    return None if position.is_over() else position


@pytest.mark.parametrize("discs", [20, 22, 24, 28, 32, 36])
def test_connect_four_is_solved_from_twenty_discs_on(discs: int) -> None:
    game, table = get_game(FOUR), Table(16)
    checked = kinds = 0
    for seed in range(10_000):
        position = position_after(game, 1000 * discs + seed, discs)
        if position is None:
            continue
        assert isinstance(position, InARowPosition)
        own, opp = (position.second, position.first) if position.side_to_move else (position.first, position.second)
        try:
            expected = Oracle().value(own, opp, -100, 100)
        except TimeoutError:
            continue
        if expected == 99:  # the side to move wins at once
            continue
        table.clear()
        *_, last = Deepening(position, table, Settings(), Limits()).iterations()
        value = last.score.value
        assert value == (expected + WIN - 100 if expected > 0 else expected - WIN + 100 if expected < 0 else 0)
        kinds |= 1 << (0 if value == 0 else 1 + (value > 0))
        checked += 1
        if checked >= 6 and kinds.bit_count() >= 2:
            return
    raise AssertionError("too few positions were solved")
