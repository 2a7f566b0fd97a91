"""Three hints for a problem: a question, an area of the board, and a choice of two moves."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.addons.practice.problems import Problem
from quietmove.engine.games.base import Game, Position

# The question for each kind of reason that is not a corner; also the default, if no reason was found.
QUESTIONS = {
    "mobility": "How many replies does each of your moves leave {other}?",
    "parity": "Who makes the last move of the game after each of your moves?",
    "region": "Who makes the last move in each region of empty squares?",
    "wedge": "Where can a side play between two discs on an edge?",
    "quiet": "Which move leaves few of your discs next to empty squares?",
    "edge": "Which edge would have five discs between two empty corners?",
    "pass": "After which moves must a side pass?",
    "stable": "Which discs can never be turned again after each of your moves?",
}


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint, with the numbers of the squares to highlight on the board."""

    text: str
    squares: tuple[int, ...] = ()


def hints(problem: Problem) -> tuple[Hint, Hint, Hint]:
    """Return the three hints, least revealing first."""
    game = problem.rules
    position = problem.begin()
    other = game.players[1 - position.side_to_move]
    best = game.parse_move(position, problem.best)
    wrong = wrong_move(problem, position)
    given = sorted(corners_open(game, position, wrong) - corners_open(game, position, best))
    own = game.squares_of(position, best)[-1:]
    is_corner = problem.reason in ("", "corner")
    if is_corner and own and own[0] in corners(game, position):
        question = "Which corners can you take?"
        place = region(game, position, best)
    elif is_corner and given:
        name = square_name(game, given[0])
        question = f"Which corners can {other} take after each of your moves?"
        place = Hint(f"Look at {name}: one of your moves lets {other} take this corner.", tuple(given[:1]))
    else:
        question = QUESTIONS.get(problem.reason, QUESTIONS["mobility"]).format(other=other)
        place = region(game, position, best)
    pair = sorted((problem.best, game.format_move(wrong)))
    squares = tuple(square for move in (best, wrong) for square in game.squares_of(position, move)[-1:])
    return Hint(question), place, Hint(f"It is {pair[0]} or {pair[1]}.", tuple(sorted(squares)))


def wrong_move(problem: Problem, position: Position) -> int:
    """Return the move played in the game or, for an endgame, the first legal move other than the best."""
    if problem.played:
        return problem.rules.parse_move(position, problem.played[0])
    best = problem.rules.parse_move(position, problem.best)
    return next(move for move in position.legal_moves() if move != best)


def corners_open(game: Game, position: Position, move: int) -> set[int]:
    """Return the corners that the opponent can take after a move."""
    after = position.copy()
    after.play(move)
    if after.is_over() or after.side_to_move == position.side_to_move:
        return set()
    return corners(game, after) & {
        square for each in after.legal_moves() for square in game.squares_of(after, each)[-1:]
    }


def corners(game: Game, position: Position) -> set[int]:
    squares = game.squares(position)
    columns = game.board_columns
    if squares is None or columns is None:
        return set()
    return {0, columns - 1, len(squares) - columns, len(squares) - 1}


def square_name(game: Game, square: int) -> str:
    row, column = divmod(square, game.board_columns or 1)
    return game.column_name(column) + game.row_name(row)


def region(game: Game, position: Position, move: int) -> Hint:
    """Return a hint that names and highlights the quarter of the board in which a move ends."""
    squares = game.squares(position)
    columns = game.board_columns
    target = game.squares_of(position, move)[-1:]
    if squares is None or columns is None or not target:
        return Hint("The best move is not on the board.")
    rows = len(squares) // columns
    row, column = divmod(target[0], columns)
    across = range(columns // 2)
    down = range(rows // 2)
    if column >= columns // 2:
        across = range(columns // 2, columns)
    if row >= rows // 2:
        down = range(rows // 2, rows)
    named = f"{'upper' if down[0] == 0 else 'lower'} {'left' if across[0] == 0 else 'right'}"
    quarter = tuple(each * columns + other for each in down for other in across)
    return Hint(f"The best move is in the {named} quarter of the board.", quarter)
