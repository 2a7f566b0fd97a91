"""Explanations, in words, of why one move was worse than another, based on the lines of play after both moves.

The lines are principal variations: best play by both sides after each move. A reason is a fact that holds in one
line but not in the other: a corner, a forced pass, discs that can never be turned again, the number of moves, the last
move of the game or of a region, a wedge between two discs on an edge, an unbalanced edge, or a quiet move, which leaves
few discs next to empty squares. Every reason can be verified by playing out the line.
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
from quietmove.engine.protocol.describe import pluralize
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.table import Table
from quietmove.engine.tools.analysis.reviews import Reason, ReviewedMove
from quietmove.engine.values import Limits, Settings

PLAYERS = ("Black", "White")
PLIES = 8  # only the first plies of a line are used, except for the last move of the game
MOBILITY_PLIES = 6  # legal moves are compared up to this ply
MIN_MOVES = 3  # minimum difference in legal moves
MIN_STABLE = 3  # minimum difference in stable discs
MIN_FRONTIER = 3  # minimum difference in discs next to empty squares for a move to count as quiet
MAX_REGION = 5  # maximum number of squares in a region whose last move is a reason
STABLE_EMPTIES = 9  # minimum number of empty squares for a reason about stable discs; later, nearly all are stable
NAMED_DISCS = 6  # if there are more discs, give their number instead of their squares
SOLVED_EMPTIES = 16  # with at most this many empty squares, follow lines to the end of the game
MEGABYTES = 2
NODES = 100_000  # limit for a search that extends a line
SELECTIVITY = 5
ALL = (1 << 64) - 1


def why(game: Game, position: Position, played: Sequence[str], better: Sequence[str]) -> list[Reason]:
    """Return the result of :func:`reasons` for lines given as text in the game's notation."""
    lines = []
    for texts in (played, better):
        board = position.copy()
        moves = []
        for text in texts:
            moves.append(game.parse_move(board, text))
            board.play(moves[-1])
        lines.append(moves)
    return reasons(position, *lines)


def reasons(position: Position, played: Sequence[int], better: Sequence[int]) -> list[Reason]:
    """Return the reasons why a move was worse than another, most convincing first, or [] if none was found.

    :param played: the move and its continuation; short lines are extended by searches.
    :param better: the same for the better move.
    :return: the reasons; always empty in games other than Othello.
    """
    if not isinstance(position, OthelloPosition):
        return []
    to_end = position.moves_left() <= SOLVED_EMPTIES
    worse, best = (LineOfPlay(position, moves, to_end) for moves in (played, better))
    found = [corner(worse, best), wedge(worse, best), region(worse, best) if to_end else None]
    found += [forced_pass(worse, best), parity(worse, best) if to_end else None]
    found += [mobility(worse, best, 1), mobility(worse, best, 2), stable(worse, best)]
    found += [unbalanced_edge(worse, best), quiet(worse, best)]
    if not any(found):  # a small difference is better than no reason
        small = (mobility(worse, best, first, least) for least in (2, 1) for first in (1, 2))
        found = [next(filter(None, small), quiet(worse, best, 1))]
    return [each for each in found if each is not None]


def with_reason(game: Game, position: Position, found: ReviewedMove) -> ReviewedMove:
    """Return a marked move with the first reason why the best move was better; return any other move unchanged."""
    if not (found.mark and found.line and found.played):
        return found
    reason, *_ = [*why(game, position, found.played.split(), found.line.split()), None]
    return replace(found, why=reason.text, reason=reason.kind) if reason else found


class LineOfPlay:
    """A move and its continuation.

    :ivar moves: the moves examined, including passes.
    :ivar mover: the side that plays the first move; ``other`` is its opponent.
    """

    def __init__(self, start: OthelloPosition, moves: Sequence[int], to_end: bool) -> None:
        self.start = start
        self.mover, self.other = start.side_to_move, 1 - start.side_to_move
        self.moves = tuple(extend_line(start, moves, to_end))

    @cached_property
    def boards(self) -> list[OthelloPosition]:
        """The position before each move, and the position after the last move."""
        boards = [self.start]
        for move in self.moves:
            following = boards[-1].copy()
            following.play(move)
            boards.append(following)
        return boards

    def numbered_moves(self) -> Iterator[tuple[int, int, int]]:
        """Yield the number, the side and the square of each move."""
        for number, (board, move) in enumerate(zip(self.boards, self.moves, strict=False), 1):
            yield number, board.side_to_move, move

    def first(self, count: int) -> tuple[int, ...]:
        return self.moves[:count]

    def words(self, count: int) -> str:
        return " ".join(self.name(move) for move in self.first(count))

    def name(self, move: int) -> str:
        return format_square(move, self.start.size)

    def corners(self, side: int) -> dict[int, int]:
        """Return the corners that a side takes, each with the number of the move that takes it."""
        corners = square_groups(self.start.size)[0]
        made = list(self.numbered_moves())[:PLIES]
        return {move: number for number, who, move in made if who == side and move != PASS and corners >> move & 1}

    def passes(self, side: int) -> int:
        """Return the number of the move before a side's first pass, or 0 if it never passes."""
        made = list(self.numbered_moves())[:PLIES]
        return next((number - 1 for number, who, move in made if who == side and move == PASS), 0)

    def new_stable(self, side: int, count: int) -> int:
        """Return a side's discs that became stable within ``count`` moves, as a 64-bit set."""
        return stable_of(self.boards[min(count, len(self.moves))], side) & ~stable_of(self.start, side)

    def discs(self, count: int, side: int) -> set[int]:
        """Return the squares of a side's discs after ``count`` moves."""
        board = self.boards[count]
        return squares_of(board.white if side else board.black)

    def empty(self, count: int) -> set[int]:
        """Return the empty squares after ``count`` moves."""
        board = self.boards[count]
        outside = range(64) if board.size == 8 else squares_of(sum(square_groups(board.size)))
        return {square for square in outside if not (board.black | board.white) >> square & 1}

    def frontier(self, side: int) -> int:
        """Return the number of a side's discs that border an empty square after the first move."""
        empty = self.empty(1)
        return sum(any(each in empty for each in neighbours(square)) for square in self.discs(1, side))

    def choices(self, count: int) -> list[int]:
        """Return the legal moves after ``count`` moves, without a pass."""
        return [move for move in self.boards[count].legal_moves() if move != PASS]


def extend_line(start: OthelloPosition, moves: Sequence[int], to_end: bool) -> list[int]:
    """Extend a line to at least :data:`PLIES` moves, or to the end of the game."""
    position = start.copy()
    line = list(moves)
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
    """Return a reason if the opponent takes a corner only in the worse line, or the mover only in the better line."""
    move = worse.name(worse.moves[0])
    other = PLAYERS[worse.other]
    given = worse.corners(worse.other)
    kept = best.corners(best.other)
    taken = best.corners(best.mover)
    missed = worse.corners(worse.mover)
    if len(given) - len(missed) <= len(kept) - len(taken):
        return None
    if len(given) > len(kept):
        square, count = next((square, count) for square, count in given.items() if square not in kept)
        name = worse.name(square)
        line = worse.words(count)
        how = f"{move} lets {other} take" if count == 2 else f"after {move} {other} takes"
        return Reason("corner", f"{how} the corner {name}: {line}", worse.first(count))
    square, count = next((square, count) for square, count in taken.items() if square not in missed)
    name = best.name(square)
    line = best.words(count)
    if count == 1:
        return Reason("corner", f"{name} takes the corner", best.first(1))
    how = f"after {best.name(best.moves[0])} {PLAYERS[best.mover]} takes"
    return Reason("corner", f"{how} the corner {name}: {line}", best.first(count))


def forced_pass(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return a reason if the mover must pass only in the worse line, or the opponent only in the better line."""
    if (count := worse.passes(worse.mover)) and not best.passes(best.mover):
        return passing(worse, worse.mover, count)
    if (count := best.passes(best.other)) and not worse.passes(worse.other):
        return passing(best, best.other, count)
    return None


def passing(line: LineOfPlay, side: int, count: int) -> Reason:
    return Reason("pass", f"after {line.words(count)} {PLAYERS[side]} must pass", line.first(count))


def stable(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return a reason if the opponent gets clearly more stable discs in the worse line, or the mover in the better."""
    lost = more_stable(worse, best, worse.other)
    won = more_stable(best, worse, best.mover)
    sides = [(worse, worse.other, lost), (best, best.mover, won)]
    line, side, more = max(sides, key=lambda each: each[2])
    if more < MIN_STABLE:
        return None
    enough = line.new_stable(side, PLIES).bit_count() - more + MIN_STABLE
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


def mobility(worse: LineOfPlay, best: LineOfPlay, first: int, least: int = MIN_MOVES) -> Reason | None:
    """Return a reason if a side has more moves in one line than in the other.

    :param first: 1 for the opponent, who has more moves in the worse line; 2 for the mover, who has fewer in it.
    :param least: the minimum difference; with the default, the larger number is also at least 1.5 times the smaller.
    """
    for count in range(first, min(MOBILITY_PLIES, len(worse.moves), len(best.moves)) + 1, 2):
        numbers = len(worse.choices(count)), len(best.choices(count))
        more, fewer = numbers if first == 1 else numbers[::-1]
        if more - fewer >= least and (least < MIN_MOVES or 2 * more >= 3 * fewer):
            player = PLAYERS[worse.other if first == 1 else worse.mover]
            counts = f"{count_moves(worse, count)}, after {best.words(count)} {count_moves(best, count)}"
            return Reason("mobility", f"after {worse.words(count)} {player} has {counts}", worse.first(count))
    return None


def count_moves(line: LineOfPlay, count: int) -> str:
    """Return the number of legal moves after ``count`` moves as text, with the corners among them."""
    moves = line.choices(count)
    taken = " ".join(line.name(move) for move in moves if square_groups(line.start.size)[0] >> move & 1)
    number = pluralize(len(moves), "move") if moves else "no move"
    return f"{number} (with the corner{'s' if ' ' in taken else ''} {taken})" if taken else number


def parity(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return a reason if the opponent plays the last move of the game only in the worse line."""
    if last_mover(worse) == worse.other and last_mover(best) == best.mover:
        whose = f"{worse.words(1)} leaves {PLAYERS[worse.other]} the last move of the game"
        text = f"{whose}, {best.words(1)} keeps it for {PLAYERS[best.mover]}"
        return Reason("parity", text, worse.moves)
    return None


def last_mover(line: LineOfPlay) -> int:
    return [who for _, who, move in line.numbered_moves() if move != PASS][-1]


def wedge(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return a reason if only the worse line lets the opponent play between two of the mover's discs on an edge."""
    kept = {square for _, square in wedges(best)}
    for count, square in wedges(worse):
        if square not in kept:
            text = f"after {worse.words(count - 1)} {PLAYERS[worse.other]} wedges in at {worse.name(square)}"
            return Reason("wedge", text, worse.first(count))
    return None


def wedges(line: LineOfPlay) -> Iterator[tuple[int, int]]:
    """Yield the number and the square of each move of the opponent between two discs of the mover on an edge."""
    for number, side, move in list(line.numbered_moves())[:PLIES]:
        if side != line.other or move == PASS:
            continue
        discs = line.discs(number - 1, line.mover)
        if any(move in edge[1:-1] and {move - edge.step, move + edge.step} <= discs for edge in edges(line.start.size)):
            yield number, move


def region(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return a reason if the opponent gets the last move in a small region in the worse line only.

    In the better line, the mover must get it; a region in which squares stay empty is ignored.
    """
    for squares in regions(worse.empty(0)):
        played, kept = (last_in(line, squares) for line in (worse, best))
        if 1 < len(squares) <= MAX_REGION and played == worse.other and kept == worse.mover:
            names = " ".join(worse.name(square) for square in sorted(squares))
            whose = f"{worse.words(1)} leaves {PLAYERS[worse.other]} the last move on {names}"
            return Reason("region", f"{whose}, {best.words(1)} keeps it for {PLAYERS[best.mover]}", worse.moves)
    return None


def last_in(line: LineOfPlay, squares: set[int]) -> int | None:
    """Return the side that makes the last move in a region, or None if some of its squares stay empty."""
    made = [(side, move) for _, side, move in line.numbered_moves() if move in squares]
    return made[-1][0] if len(made) == len(squares) else None


def unbalanced_edge(worse: LineOfPlay, best: LineOfPlay) -> Reason | None:
    """Return a reason if only the move played makes an edge of five discs between two empty corners."""
    for edge in edges(worse.start.size):
        if is_unbalanced(worse, edge) and not is_unbalanced(best, edge):
            names = f"{worse.name(edge[0])} to {worse.name(edge[-1])}"
            return Reason(
                "edge", f"{worse.words(1)} makes an unbalanced edge of five discs from {names}", worse.first(1)
            )
    return None


def is_unbalanced(line: LineOfPlay, edge: range) -> bool:
    """Return whether, after the first move, the mover holds all inner squares of an edge but the first or the last."""
    discs, empty = line.discs(1, line.mover), line.empty(1)
    inner = edge[1:-1]
    is_open = edge[0] in empty and edge[-1] in empty and sum(square in discs for square in inner) == len(inner) - 1
    return line.moves[0] in edge and is_open and (inner[0] in empty or inner[-1] in empty)


def quiet(worse: LineOfPlay, best: LineOfPlay, least: int = MIN_FRONTIER) -> Reason | None:
    """Return a reason if the better move leaves ``least`` fewer discs of the mover next to empty squares."""
    many, few = worse.frontier(worse.mover), best.frontier(best.mover)
    if many - few < least:
        return None
    left = f"{pluralize(few, 'disc')} of {PLAYERS[best.mover]} next to empty squares"
    text = f"{best.words(1)} is a quiet move, which leaves {left}, {worse.words(1)} leaves {many}"
    return Reason("quiet", text, best.first(1))


def squares_of(discs: int) -> set[int]:
    return {square for square in range(64) if discs >> square & 1}


def neighbours(square: int) -> Iterator[int]:
    """Yield the neighbours of a square on an 8x8 board, including diagonal ones."""
    row, column = divmod(square, 8)
    for each in range(max(0, row - 1), min(8, row + 2)):
        yield from (8 * each + at for at in range(max(0, column - 1), min(8, column + 2)) if 8 * each + at != square)


def regions(empty: set[int]) -> Iterator[set[int]]:
    """Yield the groups of connected empty squares; diagonal neighbours are connected."""
    left = set(empty)
    while left:
        group, border = set[int](), {left.pop()}
        while border:
            group |= border
            border = {each for square in border for each in neighbours(square)} & left
            left -= border
        yield group


def edges(size: int) -> list[range]:
    """Return the squares of the four edges in order, or [] if the board is not 8x8."""
    return [range(8), range(56, 64), range(0, 64, 8), range(7, 64, 8)] if size == 8 else []
