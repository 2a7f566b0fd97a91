"""Why a move was worse than another, in words: what the line after each of them shows.

The lines are those of searches, the best play of both sides after each move. A reason is a fact that holds on one line
and not on the other: a corner, a forced pass, discs that can never be turned again, the number of moves, or who makes
the last move of the game. Nothing is said that cannot be seen by making the moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.notation import format_square
from quietmove.engine.games.othello.shape import square_groups
from quietmove.engine.games.othello.stability import stable_discs
from quietmove.engine.protocol.describe import counted
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis.reviews import Reason, ReviewedMove
from quietmove.engine.values import Limits, Settings

PLAYERS = ("Black", "White")
PLIES = 8  # a line's first plies give reasons; of later ones only the last move of the game does
MOBILITY_PLIES = 6  # legal moves are counted as far as that
LEAST_MOVES = 3  # a difference of so many legal moves is a reason, if the one number is half as much again as the other
LEAST_STABLE = 3  # a difference of so many stable discs is one
STABLE_EMPTIES = 9  # stable discs give reasons from 9 empty squares on; with fewer nearly all discs are stable
NAMED_DISCS = 6  # more discs are only counted
SOLVED_EMPTIES = 16  # lines from a position with so few empty squares are followed to the end of the game
MEGABYTES = 2
NODES = 100_000  # a search that makes a line longer ends after so many
SELECTIVITY = 5
ALL = (1 << 64) - 1


def why(game: Game, position: Position, played: Sequence[str], better: Sequence[str]) -> list[Reason]:
    """Return :func:`reasons` for lines as the game writes moves."""
    lines = []
    for texts in (played, better):
        board, moves = position.copy(), []
        for text in texts:
            moves.append(game.parse_move(board, text))
            board.play(moves[-1])
        lines.append(moves)
    return reasons(position, *lines)


def reasons(position: Position, played: Sequence[int], better: Sequence[int]) -> list[Reason]:
    """Return why a move was worse than another, the most telling reason first; nothing where no fact was found.

    :param played: the move and what follows it; where that is short, searches add to it.
    :param better: the same of the better move.
    :return: empty in every game but Othello too.
    """
    if not isinstance(position, OthelloPosition):
        return []
    to_end = position.moves_left() <= SOLVED_EMPTIES
    worse, best = (LineOfPlay(position, moves, to_end) for moves in (played, better))
    found = [corner(worse, best), forced_pass(worse, best), parity(worse, best) if to_end else None]
    found += [mobility(worse, best, 1), mobility(worse, best, 2), stable(worse, best)]
    return [each for each in found if each is not None]


def explained(game: Game, position: Position, found: ReviewedMove) -> ReviewedMove:
    """Return a move of a review with the first reason why the best one was better, where it is marked."""
    if not (found.mark and found.line and found.played):
        return found
    reason, *_ = [*why(game, position, found.played.split(), found.line.split()), None]
    return replace(found, why=reason.text, reason=reason.kind) if reason else found


class LineOfPlay:
    """A line of play.

    :ivar moves: from the position on, as far as it is looked at; passes among them.
    :ivar mover: the side that makes the first move; ``other`` is its opponent.
    """

    def __init__(self, start: OthelloPosition, moves: Sequence[int], to_end: bool) -> None:
        self.start = start
        self.mover, self.other = start.side_to_move, 1 - start.side_to_move
        self.moves = tuple(lengthened(start, moves, to_end))

    @cached_property
    def boards(self) -> list[OthelloPosition]:
        """The position before each move, and the one after the last."""
        found = [self.start]
        for move in self.moves:
            following = found[-1].copy()
            following.play(move)
            found.append(following)
        return found

    def made(self) -> Iterator[tuple[int, int, int]]:
        """Yield the number of each move, who makes it, and the move."""
        for number, (board, move) in enumerate(zip(self.boards, self.moves, strict=False), 1):
            yield number, board.side_to_move, move

    def first(self, count: int) -> tuple[int, ...]:
        return self.moves[:count]

    def words(self, count: int) -> str:
        return " ".join(self.name(move) for move in self.first(count))

    def name(self, move: int) -> str:
        return format_square(move, self.start.size)

    def corners(self, side: int) -> dict[int, int]:
        """Return the corners that a side takes, each with the number of the move."""
        corners = square_groups(self.start.size)[0]
        made = list(self.made())[:PLIES]
        return {move: number for number, who, move in made if who == side and move != PASS and corners >> move & 1}

    def passes(self, side: int) -> int:
        """Return the number of the move before the first pass of a side; 0 if there is none."""
        made = list(self.made())[:PLIES]
        return next((number - 1 for number, who, move in made if who == side and move == PASS), 0)

    def new_stable(self, side: int, count: int) -> int:
        """Return the stable discs of a side after so many moves, without those that were stable in the beginning."""
        return stable_of(self.boards[min(count, len(self.moves))], side) & ~stable_of(self.start, side)

    def choices(self, count: int) -> int:
        """Return how many moves there are after so many moves; a pass is none."""
        return sum(move != PASS for move in self.boards[count].legal_moves())


def lengthened(start: OthelloPosition, moves: Sequence[int], to_end: bool) -> list[int]:
    """Return a line of :data:`PLIES` moves at least, or one to the end of the game."""
    position, line = start.copy(), list(moves)
    for move in moves:
        position.play(move)
    table = Table(MEGABYTES)
    while not position.is_over() and (to_end or len(line) < PLIES):
        limits = Limits(goal="solve") if position.moves_left() <= SOLVED_EMPTIES else Limits(nodes=NODES)
        *_, last = Deepening(position.copy(), table, Settings(selectivity=SELECTIVITY), limits).iterations()
        line += last.pv
        for move in last.pv:
            position.play(move)
    return line


def stable_of(position: OthelloPosition, side: int) -> int:
    own, opp = (position.white, position.black) if side else (position.black, position.white)
    outside = ALL
    for squares in square_groups(position.size):
        outside &= ~squares
    return stable_discs(own, opp, outside) & own


def corner(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return which corner the other side takes on the worse line alone, or the mover on the better one alone."""
    move, other = worse.name(worse.moves[0]), PLAYERS[worse.other]
    given, kept = worse.corners(worse.other), best.corners(best.other)
    taken, missed = best.corners(best.mover), worse.corners(worse.mover)
    if len(given) - len(missed) <= len(kept) - len(taken):
        return None
    if len(given) > len(kept):
        square, count = next((square, count) for square, count in given.items() if square not in kept)
        name, line = worse.name(square), worse.words(count)
        how = f"{move} lets {other} take" if count == 2 else f"after {move} {other} takes"
        return Reason("corner", f"{how} the corner {name}: {line}", worse.first(count))
    square, count = next((square, count) for square, count in taken.items() if square not in missed)
    name, line = best.name(square), best.words(count)
    if count == 1:
        return Reason("corner", f"{name} takes the corner", best.first(1))
    how = f"after {best.name(best.moves[0])} {PLAYERS[best.mover]} takes"
    return Reason("corner", f"{how} the corner {name}: {line}", best.first(count))


def forced_pass(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return who must pass on one line alone."""
    if (count := worse.passes(worse.mover)) and not best.passes(best.mover):
        return passing(worse, worse.mover, count)
    if (count := best.passes(best.other)) and not worse.passes(worse.other):
        return passing(best, best.other, count)
    return None


def passing(line: LineOfPlay, side: int, count: int) -> Reason:
    return Reason("pass", f"after {line.words(count)} {PLAYERS[side]} must pass", line.first(count))


def stable(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return whose discs become stable on one line, and more of them than on the other."""
    lost = more_stable(worse, best, worse.other)
    won = more_stable(best, worse, best.mover)
    sides = [(worse, worse.other, lost), (best, best.mover, won)]
    line, side, more = max(sides, key=lambda each: each[2])
    if more < LEAST_STABLE:
        return None
    enough = line.new_stable(side, PLIES).bit_count() - more + LEAST_STABLE
    count = next(count for count in range(1, PLIES + 1) if line.new_stable(side, count).bit_count() >= enough)
    if line.boards[count].moves_left() < STABLE_EMPTIES:
        return None
    discs = line.new_stable(side, count)
    if discs.bit_count() <= NAMED_DISCS:
        names = " ".join(line.name(square) for square in range(64) if discs >> square & 1)
        whose = f"the discs of {PLAYERS[side]} on {names}"
    else:
        discs = stable_of(line.boards[count], side)
        whose = f"at least {discs.bit_count()} discs of {PLAYERS[side]}"
    text = f"after {line.words(count)}, {whose} can never be turned again"
    return Reason("stable", text, line.first(count), discs)


def more_stable(line: LineOfPlay, than: LineOfPlay, side: int) -> int:
    return line.new_stable(side, PLIES).bit_count() - than.new_stable(side, PLIES).bit_count()


def mobility(worse: LineOfPlay, best: LineOfPlay, first: int) -> Reason | None:
    """Return after how many moves a side has far more of them on one line, and how many on both.

    :param first: 1 for the other side, which has more on the worse line; 2 for the mover, who has fewer there.
    """
    for count in range(first, min(MOBILITY_PLIES, len(worse.moves), len(best.moves)) + 1, 2):
        numbers = worse.choices(count), best.choices(count)
        more, fewer = numbers if first == 1 else numbers[::-1]
        if more - fewer >= LEAST_MOVES and 2 * more >= 3 * fewer:
            said = [counted(each, "move") if each else "no move" for each in numbers]
            player = PLAYERS[worse.other if first == 1 else worse.mover]
            text = f"after {worse.words(count)} {player} has {said[0]}, after {best.words(count)} {said[1]}"
            return Reason("mobility", text, worse.first(count))
    return None


def parity(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return who makes the last move of the game, where the lines differ in that."""
    if last_mover(worse) == worse.other and last_mover(best) == best.mover:
        whose = f"{worse.words(1)} leaves {PLAYERS[worse.other]} the last move of the game"
        text = f"{whose}, {best.words(1)} keeps it for {PLAYERS[best.mover]}"
        return Reason("parity", text, worse.moves)
    return None


def last_mover(line: LineOfPlay) -> int:
    return [who for _, who, move in line.made() if move != PASS][-1]
