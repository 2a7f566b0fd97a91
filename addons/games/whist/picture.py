"""The picture of a card table: both hands, the current trick, the stock and the tricks won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quietmove.addons.games.whist.hands import SUITS, WhistPosition, members
from quietmove.engine.games.base import Game
from quietmove.engine.games.picture import Item, Picture

SIGNS = "\u2660\u2665\u2666\u2663"  # in the order of the suits
SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
STEP = 1.08  # distance between two cards of a hand
MIN_WIDTH = 6.8  # minimum width, for the trick and the stock
HEIGHT = 5.4
MIDDLE = HEIGHT / 2
HANDS = (HEIGHT - 0.7, 0.7)  # y coordinates: the second player sits on the opposite side
TRICK = ((-0.5, MIDDLE + 0.2), (0.5, MIDDLE - 0.2))  # each player's card: x relative to the centre, and y


class CardTable:
    """The layout of a card table, as seen by one player or by a spectator of both hands.

    :param game: the game, which provides the names of players and cards.
    :param viewer: the player whose view is shown, or None to show both hands.
    :param turns: the player of each card played.
    :param full_hand: number of cards dealt to each player.
    :param stock: number of cards not dealt.
    """

    def __init__(
        self, game: Game, board: WhistPosition, viewer: int | None, turns: Sequence[int], full_hand: int, stock: int
    ) -> None:
        self._game = game
        self._board = board
        self._viewer = viewer
        self._turns = turns
        self._left = stock
        self._width = max(MIN_WIDTH, STEP * full_hand)

    def picture(self) -> Picture:
        """Return the finished picture."""
        return Picture(
            self._width, HEIGHT, (*self._hand(1), self._stock(), *self._score_items(), *self._trick(), *self._hand(0))
        )

    def _hand(self, side: int) -> list[Item]:
        """Return the cards of a hand, face down if the viewer cannot see them."""
        cards, held = self._board.hand(side)
        name, y = self._game.players[side], HANDS[side]
        places = [self._width / 2 + STEP * (place - (held - 1) / 2) for place in range(held)]
        if self._viewer == 1 - side or cards.bit_count() != held:
            label = f"{name} holds {held} cards face down"
            return [Item("back", x, y, label="" if place else label, side=side) for place, x in enumerate(places)]
        legal = self._board.legal_moves() if self._board.side_to_move == side else []
        return [
            self._card(card, x, y, side, f"{name} holds the {spoken(self._text(card))}", card in legal)
            for x, card in zip(places, members(cards), strict=True)
        ]

    def _trick(self) -> list[Item]:
        """Return the cards of the current trick, or of the last trick until the next card is led."""
        played = self._board.played
        is_over = len(played) % 2 == 0
        items = []
        for number in range(max(0, len(played) - (2 if is_over else 1)), len(played)):
            side, card = self._turns[number], played[number]
            label = f"{self._game.players[side]} {'answered' if number % 2 else 'led'} the {spoken(self._text(card))}"
            won = " and won the trick" if is_over and self._turns[-1] == side else ""
            x, y = TRICK[side]
            items.append(self._card(card, self._width / 2 + x, y, side, label + won, False))
        return [*items[:-1], *(replace(item, mark="last") for item in items[-1:])]

    def _stock(self) -> Item:
        return Item("back", 0.9, MIDDLE - 0.2, str(self._left), label=f"the stock: {self._left} cards face down")

    def _score_items(self) -> list[Item]:
        """Return the text between the hands: the trump suit and the number of tricks won by each player."""
        x = self._width - 1.05
        won = [self._board.won(side) for side in (0, 1)]
        words = [f"{count} trick{'' if count == 1 else 's'}" for count in won]
        labels = [f"{name} has won {count}" for name, count in zip(self._game.players, words, strict=True)]
        return [
            Item("text", 0.9, MIDDLE + 0.78, f"{SIGNS[0]} trumps", label=f"{SUIT_NAMES[0]} are trumps"),
            Item("text", x, MIDDLE - 0.5, f"{self._game.players[1]} {won[1]}", label=labels[1]),
            Item("text", x, MIDDLE, "tricks"),
            Item("text", x, MIDDLE + 0.5, f"{self._game.players[0]} {won[0]}", label=labels[0]),
        ]

    def _card(self, card: int, x: float, y: float, side: int, said: str, is_legal: bool) -> Item:
        text = self._text(card)
        face = f"{text[1]}{SIGNS[SUITS.index(text[0])]}"
        return Item("card", x, y, face, name=text, label=said, side=side, move=text if is_legal else "")

    def _text(self, card: int) -> str:
        return self._game.format_move(card)


def spoken(text: str) -> str:
    """Return a card such as ``s5`` in words."""
    return f"{text[1]} of {SUIT_NAMES[SUITS.index(text[0])]}"
