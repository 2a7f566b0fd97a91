"""How each built-in game is played, for people: its name, what its parameters are, and the rules in a paragraph."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.games.base import Game


@dataclass(frozen=True, slots=True)
class Rules:
    """What a person is told of a game.

    :param title: its name as people write it.
    :param text: one paragraph: what a move is, and who wins.
    :param parameters: what may follow the name, the usual value first; empty where nothing may.
    :param also: other names, in lower case and without blanks, by which people look for it.
    :param moves: that lead to the position of its picture, with the seed :data:`PICTURE_SEED`.
    """

    title: str
    text: str
    parameters: str = ""
    also: tuple[str, ...] = ()
    moves: str = ""


PICTURE_SEED = 3  # the cards in a picture are dealt by this seed
IN_A_ROW = "{}: columns, rows, and how many in a row"
RULES = {
    "othello": Rules(
        "Othello",
        "Black begins. A move puts a disc on an empty square so that one or more discs of the opponent, in a straight "
        "line in any of the eight directions, lie between it and another disc of one's own; all discs that are "
        "enclosed so are turned over. A move must turn at least one disc. Who cannot move passes; when neither side "
        "can move the game is over, and who has more discs wins. The empty squares count for the winner.",
        "8x8, the usual board, 6x6 or 4x4",
        ("reversi", "iago"),
        moves="f5 d6 c3",
    ),
    "tictactoe": Rules(
        "Tic-tac-toe",
        "X begins. A move puts one's letter into an empty cell. Who first has three of them in a row wins: across, up "
        "or along a diagonal. A full board without a row is a draw.",
        IN_A_ROW.format("3x3x3"),
        ("noughtsandcrosses", "xo", "ttt"),
        moves="b2 b1 c1 a1 a3",
    ),
    "connect": Rules(
        "Connect (three in a row)",
        "Connect Four on a board of 4x4 cells with three in a row. Black begins. A move drops a disc into a column, "
        "where it falls to the lowest empty cell. Who first has three discs in a row wins: across, up or along a "
        "diagonal. A full board without a row is a draw. The usual game is connect4.",
        IN_A_ROW.format("4x4x3"),
        moves="b a c c d",
    ),
    "connect4": Rules(
        "Connect Four",
        "Black begins. A move drops a disc into one of seven columns, where it falls to the lowest empty cell of six. "
        "Who first has four discs in a row wins: across, up or along a diagonal. A full board without a row is a draw.",
        IN_A_ROW.format("7x6x4"),
        ("connectfour", "fourinarow", "4inarow"),
        moves="d d e c f b g",
    ),
    "capture": Rules(
        "Capture",
        "Pieces of two colours stand on a row of cells. Black begins. A move takes a piece to the next cell on its "
        "left or right, if that is empty or holds a piece of the opponent, which is captured. The game is over when "
        "one side has no piece left, or when 20 moves have passed without a capture; who has more pieces wins.",
        "the row: X--O--X--O--X--O, with X for Black, O for White and - for an empty cell",
        moves="7-6 4-5 6-5",
    ),
    "subtraction": Rules(
        "Subtraction",
        "There is one heap of stones. Black begins. A move takes one, two or three stones from it. Who takes the last "
        "stone wins, since who cannot move loses. The parameters change how many stones a move may take.",
        "21 3: the stones of the heap and the most that a move takes; or 100 1,3,4: what a move may take",
        ("bachet", "21"),
        moves="2 3",
    ),
    "nim": Rules(
        "Nim",
        "There are some piles of stones. Black begins. A move takes any number of stones, one at least, from one pile. "
        "Who takes the last stone wins.",
        "the piles: 3,4,5",
        moves="3-2 1-1",
    ),
    "einstein": Rules(
        "EinStein würfelt nicht!",
        "Each side has six pieces with the numbers 1 to 6, Black in the upper left corner and White in the lower "
        "right. The die is rolled before each move, and the piece of that number moves one square towards the "
        "opposite corner: straight or diagonally. If it is gone, the next lower or the next higher one moves. What "
        "stands on the square is captured, also a piece of one's own. Who first reaches the opposite corner, or "
        "captures all pieces of the opponent, wins.",
        "145263: the order of the pieces",
        ("einsteinwurfeltnicht", "ewn"),
        moves="4 4se 3",
    ),
    "whist": Rules(
        "Whist for two",
        "Both players are dealt five of fifteen cards: spades, hearts and diamonds, of the ranks 1 to 5. Black leads a "
        "card, and the other player must follow suit if possible. The higher card of the suit that was led wins the "
        "trick, but any spade beats the other suits. The winner leads to the next trick. Who takes more tricks wins.",
        "3x5 5: suits x ranks, and the cards in a hand",
        ("cards",),
        moves="d4 d2 s1",
    ),
    "tree": Rules(
        "A search tree",
        "The tree of a textbook. Max moves first, then Min, in turn: a move chooses a branch, from left to right. The "
        "game is over at a leaf, whose number Max gets and Min pays.",
        "depth, branches and seed of a tree that is drawn at random; see 'tree' in the guide of the games",
        ("minimax",),
        moves="1",
    ),
}


def rules_of(game: Game) -> Rules:
    """Return what a person is told of a game; a game that a user wrote says it by its class."""
    word = game.name.partition(" ")[0]
    return RULES.get(word) or Rules(word, getattr(game, "how_to_play", ""))
