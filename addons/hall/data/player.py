"""A player of Othello that moves at random: a program to begin with.

It reads line one, `game B 0 0.3 0`: its colour (B moves first), and limits of depth, seconds a move and seconds a game,
of which 0 is none. A sixth word, such as `d3c3c4`, are moves that have been made before the game; player.toml says that
it is read: `openings = "line"`. Then moves come in turn, and it answers with its own: `x y`, column from the left and
row from the bottom, both from 1 to 8, or `pass` where it has no move. Nothing else may go to standard output; print to
sys.stderr what you want to see yourself. A number behind the name of the program makes its games the same each time.
"""

import random
import sys

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
OTHER = {"B": "W", "W": "B"}


def beginning():
    """Return the first position: the colour of the disc on each square that has one."""
    return {(4, 5): "W", (5, 4): "W", (4, 4): "B", (5, 5): "B"}


def turned(board, color, square):
    """Return the squares of the discs that a move turns; none if it is not legal."""
    found = []
    if square in board:
        return found
    for dx, dy in DIRECTIONS:
        line, (x, y) = [], square
        while board.get((x := x + dx, y := y + dy)) == OTHER[color]:
            line.append((x, y))
        if board.get((x, y)) == color:
            found += line
    return found


def legal_moves(board, color):
    """Return the squares that a colour may move to."""
    squares = [(x, y) for x in range(1, 9) for y in range(1, 9)]
    return [square for square in squares if turned(board, color, square)]


def play(board, color, square):
    """Make a move."""
    for each in [square, *turned(board, color, square)]:
        board[each] = color


def choose(board, color, moves):
    """Return the move to make. This is the place to be better than chance."""
    return random.choice(moves)


def main():
    """Play one game."""
    if len(sys.argv) > 1:
        random.seed(sys.argv[1])
    board, side, line_one = beginning(), "B", input().split()
    color, opening = line_one[1], line_one[5] if len(line_one) > 5 else ""
    for place in range(0, len(opening), 2):
        play(board, side, ("abcdefgh".index(opening[place]) + 1, 9 - int(opening[place + 1])))
        side = OTHER[side]
    is_own_turn = color == side
    while True:
        if is_own_turn:
            moves = legal_moves(board, color)
            move = choose(board, color, moves) if moves else None
            print(f"{move[0]} {move[1]}" if move else "pass", flush=True)
        else:
            line = sys.stdin.readline().split()
            if not line:
                return  # the game is over
            move = None if line == ["pass"] else (int(line[0]), int(line[1]))
        if move:
            play(board, color if is_own_turn else OTHER[color], move)
        is_own_turn = not is_own_turn


main()
