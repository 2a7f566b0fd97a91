"""EinStein würfelt nicht! (Ingo Althöfer 2004): five by five squares, six numbered pieces each, and a die.

Before each move the die is rolled, which is a chance move. The player moves the piece with that number, or, if it has
been captured, the one with the next lower or the next higher number. Black starts in the upper left corner and moves
one square right, down or diagonally in between; White moves the other way. Moving onto a piece of either colour
captures it. A player who reaches the opposite corner, or captures all of the opponent's pieces, wins 100 points.

In the original game the players choose how to place their pieces. Here both use the same order, given by the game's
parameter and mirrored for White.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from quietmove.addons.games.einstein.pieces import CELLS, STEP_VALUE, TURN_VALUE, EinsteinPosition
from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Game
from quietmove.engine.games.parsing import read_side, require_fields
from quietmove.engine.games.rules import Rules

if TYPE_CHECKING:
    from quietmove.engine.search.root_search import AnySearch
    from quietmove.engine.search.table import Table
    from quietmove.engine.values import Limits, Settings

DIRECTIONS = ("se", "s", "e", "nw", "n", "w")  # Black moves in the first three, White in the others
STEPS = (6, 5, 1, -6, -5, -1)  # the change of the square's number in each direction
TRIANGLE = (0, 1, 2, 5, 6, 10)  # initial squares of Black's pieces, in the order of the parameter
START = "145263"  # low and high numbers mixed, so that no piece is stuck for long


class Einstein(Game):
    """The game with a given initial order of the pieces.

    :param order: the numbers 1 to 6 as placed: Black's on the squares a1 b1 c1 a2 b2 a3, White's on the opposite ones.
    """

    kind = "chance"
    point = "point"
    move_count = 56
    sides = ("B", "W")
    rules = Rules(
        "EinStein würfelt nicht!",
        "Each side has six pieces numbered 1 to 6, Black in the upper left corner and White in the lower right. The "
        "die is rolled before each move, and the piece with that number moves one square towards the opposite corner: "
        "straight or diagonally. If it has been captured, the piece with the next lower or next higher number moves. A "
        "piece on the target square is captured, even one of the same side. The first player to reach the opposite "
        "corner or to capture all of the opponent's pieces wins.",
        "145263: the order of the pieces",
        ("einsteinwurfeltnicht", "ewn"),
        moves="4 4se 3",
    )

    def __init__(self, order: str = START) -> None:
        self.name = "einstein" if order == START else f"einstein {order}"
        self.order = order

    def new_search(
        self,
        position: EinsteinPosition,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float],
    ) -> AnySearch:
        from quietmove.addons.games.chance import ChanceDeepening  # imported on demand: only the engine searches

        return ChanceDeepening(position, table, settings, limits, clock)

    def initial(self) -> EinsteinPosition:
        black = [TRIANGLE[self.order.index(str(number))] for number in range(1, 7)]
        return EinsteinPosition([*black, *(CELLS - 1 - square for square in black)], 0, 0)

    def parse_position(self, fields: Sequence[str]) -> EinsteinPosition:
        """Parse 25 squares, the next player (B, W) and the die (1 to 6, or ``-`` before the roll).

        The squares are a1 b1 … e5: 1 to 6 for Black's pieces, a to f for White's, ``-`` for an empty square.
        """
        require_fields(fields, 3, "squares, next player and die")
        text, side, die = fields
        places = read_squares(text)
        player = read_side(self.sides, side)
        if die != "-" and die not in tuple("123456"):
            raise PositionError(f"die: must be 1 to 6, or - before the roll, not {die!r}")
        return EinsteinPosition(places, player, 0 if die == "-" else int(die))

    def format_position(self, position: EinsteinPosition) -> str:
        return f"{''.join(cells(position))} {self.sides[position.next_player]} {position.rolled or '-'}"

    def parse_move(self, position: EinsteinPosition, text: str) -> int:
        lower = text.lower()
        number, direction = lower[:1], lower[1:]
        if number not in tuple("123456") or (direction and direction not in DIRECTIONS):
            raise NotationError(
                f"{text!r} is not a move; a move is a roll from 1 to 6, or a piece and a direction (e, s, se, w, n, nw)"
            )
        move = 8 * int(number) + DIRECTIONS.index(direction) if direction else int(number)
        return self.require_legal(position, move, text)

    def format_move(self, move: int) -> str:
        return str(move) if move < 8 else f"{move // 8}{DIRECTIONS[move % 8]}"

    def draw(self, position: EinsteinPosition) -> str:
        squares = cells(position)
        rows = [f"  {row + 1} {' '.join(squares[5 * row : 5 * row + 5])}" for row in range(5)]
        player = self.players[position.next_player]
        state = (
            f"{player} to move, the die shows {position.rolled}"
            if position.rolled
            else f"the die is rolled for {player}"
        )
        if position.is_over():
            state = "game over"
        return "\n".join(["    a b c d e", *rows, f"  {state}; Black's pieces are 1-6, White's a-f for 1-6"])

    def squares(self, position: EinsteinPosition) -> str:
        return "".join(cells(position))

    def squares_of(self, position: EinsteinPosition, move: int) -> tuple[int, ...]:
        if move < 8:
            return ()
        origin = position.squares[6 * position.next_player + move // 8 - 1]
        return origin, origin + STEPS[move % 8]

    def planes(self, position: EinsteinPosition, side: int) -> tuple[int, list[list[int]]]:
        squares = cells(position)
        letters = "abcdef123456" if side else "123456abcdef"
        pieces = [[int(piece == letter) for piece in squares] for letter in letters]
        return 5, [*pieces, [position.rolled] * CELLS]

    @property
    def board_columns(self) -> int:
        return 5

    def owner(self, piece: str) -> int:
        return int(piece.isalpha())

    def explain(self, position: EinsteinPosition) -> list[tuple[str, int]]:
        mine, theirs = position.races()
        return [("shorter way", STEP_VALUE * (theirs - mine)), ("next to move", TURN_VALUE)]


def cells(position: EinsteinPosition) -> list[str]:
    """Return the board as 25 characters."""
    text = ["-"] * CELLS
    for piece, square in enumerate(position.squares):
        if square >= 0:
            text[square] = "123456abcdef"[piece]
    return text


def read_squares(text: str) -> list[int]:
    """Parse the 25 squares and return the square of each piece, or -1 for a captured piece."""
    if len(text) != CELLS or set(text) - set("123456abcdef-"):
        shown = text if len(text) <= 40 else text[:40] + "..."
        raise PositionError(f"squares: must be 25 characters from 1-6, a-f and -, not {shown!r}")
    for piece in "123456abcdef":
        if text.count(piece) > 1:
            raise PositionError(f"piece {piece}: must occur at most once, not {text.count(piece)} times")
    return [text.find(piece) for piece in "123456abcdef"]


def make_game(parameters: str = "") -> Einstein:
    """Return the game with the given order of the pieces.

    :param parameters: the initial order of the pieces, by default ``145263``.
    :raises UnknownGameError: if it is not a permutation of 1 to 6.
    """
    if parameters and sorted(parameters) != list("123456"):
        raise UnknownGameError(
            f"game einstein: must be the numbers 1 to 6 in any order, such as {START}, not {parameters!r}"
        )
    return Einstein(parameters or START)
