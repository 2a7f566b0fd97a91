"""Descriptions of the built-in games for people: title, parameters, and the rules in a paragraph."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.games.base import Game


@dataclass(frozen=True, slots=True)
class Rules:
    """The description of a game.

    :param title: the game's usual name.
    :param text: the rules in one paragraph.
    :param parameters: the parameters that can follow the name, default first; "" if there are none.
    :param also: other names that people look for, in lower case and without spaces.
    :param moves: the moves that lead to the position in the picture; the seed is :data:`PICTURE_SEED`.
    """

    title: str
    text: str
    parameters: str = ""
    also: tuple[str, ...] = ()
    moves: str = ""


PICTURE_SEED = 3  # seed for dealing the cards in a picture
IN_A_ROW = "{}: columns, rows, and number in a row"
RULES = {
    "othello": Rules(
        "Othello",
        "Black begins. A move places a disc on an empty square so that one or more of the opponent's discs lie in a "
        "straight line, in any of the eight directions, between it and another disc of the same colour; all discs "
        "enclosed this way are flipped. A move must flip at least one disc. A player who cannot move passes; when "
        "neither side can move, the game is over, and the side with more discs wins. Empty squares go to the winner.",
        "8x8 (the default), 6x6 or 4x4",
        ("reversi", "iago"),
        moves="f5 d6 c3",
    ),
    "tictactoe": Rules(
        "Tic-tac-toe",
        "X begins. A move marks an empty cell. The first player with three in a row wins: across, up or along a "
        "diagonal. A full board without a row is a draw.",
        IN_A_ROW.format("3x3x3"),
        ("noughtsandcrosses", "xo", "ttt"),
        moves="b2 b1 c1 a1 a3",
    ),
    "connect": Rules(
        "Connect (three in a row)",
        "Connect Four on a board of 4x4 cells with three in a row. Black begins. A move drops a disc into a column, "
        "where it falls to the lowest empty cell. The first player with three discs in a row wins: across, up or along "
        "a diagonal. A full board without a row is a draw. The usual game is connect4.",
        IN_A_ROW.format("4x4x3"),
        moves="b a c c d",
    ),
    "connect4": Rules(
        "Connect Four",
        "Black begins. A move drops a disc into one of seven columns, where it falls to the lowest of six empty cells. "
        "The first player with four discs in a row wins: across, up or along a diagonal. A full board without a row is "
        "a draw.",
        IN_A_ROW.format("7x6x4"),
        ("connectfour", "fourinarow", "4inarow"),
        moves="d d e c f b g",
    ),
    "capture": Rules(
        "Capture",
        "Pieces of two colours stand on a row of cells. Black begins. A piece moves to the next cell on its left or "
        "right, if that cell is empty or holds an opponent's piece, which is captured. The game is over when one side "
        "has no pieces left, or after 20 moves without a capture; the side with more pieces wins.",
        "the row: X--O--X--O--X--O, with X for Black, O for White and - for an empty cell",
        moves="7-6 4-5 6-5",
    ),
    "subtraction": Rules(
        "Subtraction",
        "There is one heap of stones. Black begins. A move takes one, two or three stones from it. Whoever takes the "
        "last stone wins: a player who cannot move loses. The parameters change how many stones a move may take.",
        "21 3: stones in the heap and the maximum per move; or 100 1,3,4: the numbers that a move may take",
        ("bachet", "21"),
        moves="2 3",
    ),
    "nim": Rules(
        "Nim",
        "There are several piles of stones. Black begins. A move takes any number of stones, at least one, from one "
        "pile. Whoever takes the last stone wins.",
        "the piles: 3,4,5",
        moves="3-2 1-1",
    ),
    "einstein": Rules(
        "EinStein würfelt nicht!",
        "Each side has six pieces numbered 1 to 6, Black in the upper left corner and White in the lower right. The "
        "die is rolled before each move, and the piece with that number moves one square towards the opposite corner: "
        "straight or diagonally. If it has been captured, the piece with the next lower or next higher number moves. A "
        "piece on the target square is captured, even one of the same side. The first player to reach the opposite "
        "corner or to capture all of the opponent's pieces wins.",
        "145263: the order of the pieces",
        ("einsteinwurfeltnicht", "ewn"),
        moves="4 4se 3",
    ),
    "whist": Rules(
        "Whist for two",
        "Each player is dealt five of fifteen cards: spades, hearts and diamonds, ranked 1 to 5. Black leads a card, "
        "and the other player must follow suit if possible. The higher card of the suit led wins the trick, but any "
        "spade beats the other suits. The winner leads to the next trick. The player with more tricks wins.",
        "3x5 5: suits x ranks, and cards per hand",
        ("cards",),
        moves="d4 d2 s1",
    ),
    "tree": Rules(
        "A search tree",
        "A textbook tree. Max and Min move in turn, and Max begins. A move chooses one of the branches, numbered from "
        "left to right. The game is over at a leaf, whose number Max receives and Min pays.",
        "depth, branches and seed of a random tree; see 'tree' in the games' guide",
        ("minimax",),
        moves="1",
    ),
}


def rules_of(game: Game) -> Rules:
    """Return a game's description; games written by users provide one as an attribute of their class."""
    word = game.name.partition(" ")[0]
    return RULES.get(word) or Rules(word, getattr(game, "how_to_play", ""))
