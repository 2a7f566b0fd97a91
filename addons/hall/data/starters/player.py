"""A starter program that plays Othello with random moves.

It first reads a line such as `game B 0 0.3 0`: its colour (B moves first), then limits of search depth, seconds per
move and seconds per game; 0 means no limit. If player.toml contains `openings = "line"`, a sixth word such as `d3c3c4`
lists moves made before the game. After that the players move in turn. The program writes its own moves as `x y`, the
column from the left and the row from the bottom, both from 1 to 8, or `pass` if it has no legal move. Write nothing
else to standard output; print debug output to sys.stderr. A number after the program's name seeds its random moves.
"""

import random
import sys

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
OTHER = {"B": "W", "W": "B"}


def beginning():
    """Return the initial position: the colour of the disc on each occupied square."""
    return {(4, 5): "W", (5, 4): "W", (4, 4): "B", (5, 5): "B"}


def turned(board, color, square):
    """Return the squares of the discs that a move flips, or an empty list if the move is illegal."""
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
    """Return the squares where a colour may move."""
    squares = [(x, y) for x in range(1, 9) for y in range(1, 9)]
    return [square for square in squares if turned(board, color, square)]


def play(board, color, square):
    """Make a move."""
    for each in [square, *turned(board, color, square)]:
        board[each] = color


def choose(board, color, moves):
    """Return the move to make. Improve this to play better than chance."""
    return random.choice(moves)


def main():
    """Play one game."""
    if len(sys.argv) > 1:
        random.seed(sys.argv[1])
    board = beginning()
    side = "B"
    line_one = input().split()
    color = line_one[1]
    opening = line_one[5] if len(line_one) > 5 else ""
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
