"""Each sentence about a move is true on its line, which is played out and checked."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.game import Othello
from quietmove.engine.games.registry import get_game
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis.reasons import PLIES, SOLVED_EMPTIES, Reason, extend_line, reasons
from quietmove.engine.values import Limits, Settings
from tests.fakes.games import play_at_random

SMALL = Othello(6)
LARGE = Othello()
PLAYERS = ("Black", "White")
PLAYOUTS = 12  # random games that try to flip the supposedly stable discs
GAMES = 40
SQUARE = r"[a-h][1-8]"
LINE = rf"((?:(?:{SQUARE}|pass) ?)+?)"


def number(name: str) -> int:
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


ALL_SQUARES = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]


def around(name: str) -> set[str]:
    """Return a square and those next to it."""
    column, row = ord(name[0]), int(name[1])
    near = {f"{chr(column + x)}{row + y}" for x in (-1, 0, 1) for y in (-1, 0, 1)}
    return near & set(ALL_SQUARES)


@dataclass(frozen=True)
class Board:
    """A board of 8x8 squares."""

    discs: tuple[int, int]
    side: int

    def legal(self, side: int) -> list[int]:
        return [move for move in OthelloPosition(*self.discs, side).legal_moves() if move != PASS]

    @property
    def over(self) -> bool:
        return not (self.legal(0) or self.legal(1))

    def play(self, name: str) -> Board:
        position = OthelloPosition(*self.discs, self.side)
        position.play(LARGE.parse_move(position, name))
        return Board((position.black, position.white), position.side_to_move)

    def after(self, names: Sequence[str]) -> Board:
        board = self
        for name in names:
            board = board.play(name)
        return board

    def is_safe(self, side: int, squares: list[int], choices: random.Random) -> bool:
        """Return whether these discs remain unchanged in random games."""
        wanted = sum(1 << square for square in squares)
        for _ in range(PLAYOUTS):
            position = OthelloPosition(*self.discs, self.side)
            play_at_random(position, choices)
            if (position.white if side else position.black) & wanted != wanted:
                return False
        return True


class Checker:
    """Checks what is said of two lines."""

    def __init__(self, position: OthelloPosition, played: Sequence[int], better: Sequence[int]) -> None:
        to_end = position.moves_left() <= SOLVED_EMPTIES
        self.start = Board((position.black, position.white), position.side_to_move)
        self.mover = position.side_to_move
        self.lines = [
            [LARGE.format_move(move) for move in extend_line(position, moves, to_end)] for moves in (played, better)
        ]
        for line in self.lines:
            end = self.start.after(line)
            assert end.over or len(line) >= PLIES
            assert end.over or not to_end

    def line(self, text: str) -> tuple[list[str], list[str]]:
        """Return the moves of a text, which begin one of the lines, and the other line."""
        words = text.split()
        for line, other in (self.lines, reversed(self.lines)):
            if line[: len(words)] == words:
                return words, other
        raise AssertionError(f"{text} begins no line of {self.lines}")

    def movers(self, line: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield who makes each move."""
        for ply, name in enumerate(line):
            yield (self.mover + ply) % 2, name

    def corner(self, text: str) -> None:
        if found := re.fullmatch(rf"({SQUARE}) takes the corner", text):
            move, player, square, said = found[1], PLAYERS[self.mover], found[1], found[1]
        elif found := re.fullmatch(rf"({SQUARE}) lets (Black|White) take the corner ({SQUARE}): {LINE}", text):
            move, player, square, said = found.groups()
            assert len(said.split()) == 2
        else:
            found = re.fullmatch(rf"after ({SQUARE}) (Black|White) takes the corner ({SQUARE}): {LINE}", text)
            assert found
            move, player, square, said = found.groups()
        words, other = self.line(said)
        side = PLAYERS.index(player)
        assert square in ("a1", "a8", "h1", "h8")
        assert (words[0], words[-1]) == (move, square)
        assert list(self.movers(words))[-1] == (side, square)
        self.start.after(words)
        assert (side, square) not in list(self.movers(other))[:PLIES]

    def forced(self, text: str) -> None:
        found = re.fullmatch(rf"after {LINE} (Black|White) must pass", text)
        assert found
        words, other = self.line(found[1])
        side = PLAYERS.index(found[2])
        board = self.start.after(words)
        assert board.side == side
        assert not board.legal(side)
        assert board.legal(1 - side)
        assert (side, "pass") not in list(self.movers(other))[:PLIES]

    def mobility(self, text: str) -> None:
        count = rf"(no move|1 move|\d+ moves)(?: \(with the corners? ((?:{SQUARE} ?)+)\))?"
        found = re.fullmatch(rf"after {LINE} (Black|White) has {count}, after {LINE} {count}", text)
        assert found
        side, numbers = PLAYERS.index(found[2]), []
        for line, (said, counted, corners) in zip(
            self.lines, (found.group(1, 3, 4), found.group(5, 6, 7)), strict=True
        ):
            words = said.split()
            assert line[: len(words)] == words
            board = self.start.after(words)
            assert board.side == side
            numbers.append(len(board.legal(side)))
            assert counted.split()[0] == (str(numbers[-1]) if numbers[-1] else "no")
            named = [number(each) for each in (corners or "").split()]
            assert named == [each for each in board.legal(side) if each in (0, 7, 56, 63)]
        assert (numbers[0] < numbers[1]) == (side == self.mover)
        assert numbers[0] != numbers[1]

    def wedge(self, text: str) -> None:
        found = re.fullmatch(rf"after {LINE} (Black|White) wedges in at ({SQUARE})", text)
        assert found
        words, _ = self.line(f"{found[1]} {found[3]}")
        board, at = self.start.after(words[:-1]), number(found[3])
        assert board.side == PLAYERS.index(found[2]) == 1 - self.mover
        assert at in board.legal(board.side)
        steps = [8] * (at % 8 in (0, 7)) + [1] * (at // 8 in (0, 7))
        assert any(all(board.discs[self.mover] >> at + each & 1 for each in (step, -step)) for step in steps)

    def quiet(self, text: str) -> None:
        found = re.fullmatch(
            rf"({SQUARE}) is a quiet move, which leaves (\d+) discs? of (Black|White) next to empty squares, "
            rf"({SQUARE}) leaves (\d+)",
            text,
        )
        assert found
        assert found[3] == PLAYERS[self.mover]
        for move, said, line in ((found[1], found[2], self.lines[1]), (found[4], found[5], self.lines[0])):
            assert line[0] == move
            board = self.start.play(move)
            empty = {name for name in ALL_SQUARES if not sum(board.discs) >> number(name) & 1}
            own = [name for name in ALL_SQUARES if board.discs[self.mover] >> number(name) & 1]
            assert sum(bool(around(name) & empty) for name in own) == int(said)
        assert int(found[5]) > int(found[2])

    def stable(self, text: str, discs: int, choices: random.Random) -> None:
        named = re.fullmatch(
            rf"after {LINE}, the discs of (Black|White) on ((?:{SQUARE} ?)+) can never be turned again", text
        )
        if named:
            squares = [number(each) for each in named[3].split()]
            assert discs == sum(1 << each for each in squares)
            found = named
        else:
            counted = re.fullmatch(
                rf"after {LINE}, at least (\d+) discs of (Black|White) can never be turned again", text
            )
            assert counted
            assert int(counted[2]) == discs.bit_count()
            squares = [each for each in range(64) if discs >> each & 1]
            found = counted
        side = PLAYERS.index(found[2] if named else found[3])
        words, _ = self.line(found[1])
        assert self.start.after(words).is_safe(side, squares, choices)

    def check(self, reason: Reason, choices: random.Random) -> None:
        words = [LARGE.format_move(move) for move in reason.line]
        self.line(" ".join(words))
        if reason.kind == "corner":
            self.corner(reason.text)
        elif reason.kind == "pass":
            self.forced(reason.text)
        elif reason.kind in ("mobility", "wedge", "quiet"):
            getattr(self, reason.kind)(reason.text)
        elif reason.kind == "stable":
            self.stable(reason.text, reason.discs, choices)


def check_all(position: OthelloPosition, played: Sequence[int], better: Sequence[int], counts: Counter[str]) -> None:
    checker, choices = Checker(position, played, better), random.Random(position.key)
    found = reasons(position, played, better)
    for each in found:
        checker.check(each, choices)
        counts[each.kind] += 1
    counts["positions"] += 1
    counts["without"] += not found


def middle_positions() -> Iterator[tuple[OthelloPosition, list[int], list[int]]]:
    """Yield positions of games with the lines that a search has found after a random move and after the best one."""
    table = Table(4)
    for seed in range(GAMES):
        choices, position = random.Random(seed), LARGE.initial()
        play_at_random(position, choices, plies=choices.randint(8, 40))
        legal = position.legal_moves()
        if len(legal) < 2:
            continue
        best = best_line(position, table, ())
        others = [move for move in legal if move != best[0]]
        yield position, best_line(position, table, (choices.choice(others),)), best


def best_line(position: Position, table: Table, moves: tuple[int, ...]) -> list[int]:
    limits = Limits(depth=9, searchmoves=moves)
    *_, last = Deepening(position.copy(), table, Settings(selectivity=5), limits).iterations()
    return list(last.pv)


def test_each_sentence_about_the_middle_game_is_true_on_its_line() -> None:
    counts: Counter[str] = Counter()
    for position, played, better in middle_positions():
        check_all(position, played, better, counts)
    assert counts["positions"] > 30
    assert counts["without"] < counts["positions"] / 20
    assert min(counts[kind] for kind in ("corner", "mobility", "stable", "wedge")) >= 3
    assert counts["quiet"] >= 1


@pytest.mark.parametrize(
    ("board", "played", "better", "texts"),
    [
        (
            "-OOOOO-X--XXXXXX-XXXXXOXOXXOOOOXOXXOOXOXOOXXXOOXOOOOOOOX-OXXXX-- X",
            "g8",
            "a8",
            [
                "g8 lets White take the corner h8: g8 h8",
                "g8 leaves White the last move on g8 h8, a8 keeps it for Black",
                "after a8 a3 b2 a2 a1 g1 g8 White must pass",
                "g8 leaves White the last move of the game, a8 keeps it for Black",
            ],
        ),
        (
            "---XOOOXX-XXXOOXXXOXXXOX-XXOOXXX-XXOXXXXXXXXOXXX-OXX-X-X----XX-- O",
            "c1",
            "a4",
            [
                "after c1 e7 a4 a5 b2 Black has 6 moves (with the corners a1 a8), "
                "after a4 a5 d8 e7 b8 3 moves (with the corner a8)",
                "after c1 e7 a4 a5 b2 a1, at least 14 discs of Black can never be turned again",
            ],
        ),
        (
            "--OOOXXXO-OOOX--OOOXOO-XOXOXXXOXOXOOOOOOOOOXOXX-O-XXOO---XXXXXXX O",
            "h6",
            "b7",
            [
                "after h6 g7 h2 h7 g3 g2 White must pass",
                "after h6 g7 White has 3 moves, after b7 a8 6 moves",
                "b7 is a quiet move, which leaves 13 discs of White next to empty squares, h6 leaves 16",
            ],
        ),
        (
            "-XXXX--X-OXXXXXXXXXXXXXXXXOOOXOOXOOOOOOO--OXXOOX--XXOOXX---XXO-- O",
            "f1",
            "b8",
            [
                "f1 leaves Black the last move on f1 g1, b8 keeps it for White",
                "f1 leaves Black the last move of the game, b8 keeps it for White",
            ],
        ),
        (
            "------O----XOO--XXXOXO--XXOOOOO-XOOXOX--OOO-XO-----X--O---X----O X",
            "a7",
            "d6",
            [
                "a7 makes an unbalanced edge of five discs from a1 to a8",
                "d6 is a quiet move, which leaves 9 discs of Black next to empty squares, a7 leaves 13",
            ],
        ),
    ],
)
def test_what_is_said(board: str, played: str, better: str, texts: list[str]) -> None:
    position = LARGE.parse_position(board.split())
    found = reasons(position, *([LARGE.parse_move(position, each)] for each in (played, better)))
    assert [each.text for each in found] == texts


def test_a_small_board_has_its_own_corners() -> None:
    position = SMALL.parse_position(["OX---O-XX-OO-XXXOXOXOOXX-XXXOXXXXO--", "O"])
    found = reasons(position, *([SMALL.parse_move(position, each)] for each in ("d2", "f6")))
    assert [each.text for each in found] == [
        "d2 lets Black take the corner f6: d2 f6",
        "after d2 Black has 5 moves (with the corner f6), after f6 2 moves",
    ]


def test_no_other_game_has_reasons() -> None:
    other = get_game("connect").initial()
    assert reasons(other, other.legal_moves()[:1], other.legal_moves()[1:2]) == []
