"""Positions of Whist for two, compiled.

A card is ``ranks * suit + rank``, from 0, spades first; a set of cards is a bitset of these numbers. An unknown hand is
represented by the set of cards that may be in it and the number of cards in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython
from cython.cimports.quietmove.addons.games.whist.hands import MAX_CARDS, PASS
from cython.cimports.quietmove.engine.games.bit_tricks import mixed, popcount

from quietmove.engine.games.base import Position

__all__ = ["MAX_CARDS", "PASS", "SUITS", "WhistPosition", "members"]

SUITS = "shdc"  # spades (trumps), hearts, diamonds, clubs

NO_CARD = cython.declare(cython.int, -1)


class WhistPosition(Position):
    """A position: two hands, known or not, and the cards played.

    :param ranks: number of cards in each suit.
    :param full_hand: number of cards dealt to each player.
    :param hands: the sets of cards that Black and White may hold.
    :param held: the number of cards in each hand.
    :param played: all cards played, in order.
    :param tricks: the number of tricks won by Black and by White.
    :param side: 0 if Black is to move, 1 if White is.
    :param passing: whether passing is the only legal move.
    """

    hands: list[int]
    held: list[int]
    tricks: list[int]
    lead: list[int]
    passing: list[bool]
    shown: list[int]

    def __init__(
        self,
        ranks: cython.int,
        full_hand: cython.int,
        hands: Sequence[int],
        held: Sequence[int],
        played: Sequence[int] = (),
        tricks: Sequence[int] = (0, 0),
        side: cython.int = 0,
        passing: cython.bint = False,
    ) -> None:
        super().__init__()
        self.ranks = ranks
        self.full_hand = full_hand
        self.first_side = side
        i: cython.int
        for i in range(2):
            self.hands[i] = hands[i]
            self.held[i] = held[i]
            self.tricks[i] = tricks[i]
        for i in range(len(played)):
            self.shown[i] = played[i]
        self.lead[0] = played[len(played) - 1] if len(played) % 2 else NO_CARD
        self.passing[0] = passing
        self.key = self.key_here()

    def suit_of(self, card: cython.int) -> cython.ulonglong:
        """Return the set of all cards in the suit of a card."""
        whole: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << self.ranks) - 1
        return whole << (card // self.ranks * self.ranks)

    def beats(self, card: cython.int, led: cython.int) -> cython.bint:
        """Return whether ``card`` wins the trick against the card led."""
        if card // self.ranks == led // self.ranks:
            return card > led
        return card < self.ranks

    def key_here(self) -> cython.ulonglong:
        """Return a key for everything that determines the value: hands, current trick, tricks won and side to move."""
        here: cython.int = 2 * self.ply
        side: cython.int = (self.first_side + self.ply) & 1
        both: cython.ulonglong = self.hands[here + 1] << 32 | self.hands[here]
        rest: cython.int = (self.lead[self.ply] + 1) * 4 + 2 * side + (1 if self.passing[self.ply] else 0)
        rest = (rest * 32 + self.tricks[here]) * 32 + self.tricks[here + 1]
        return mixed(both) ^ mixed(rest + (cython.cast(cython.ulonglong, 1) << 63))

    def generate(self, moves: cython.p_int, start: cython.int) -> cython.int:
        ply: cython.int = self.ply
        if self.passing[ply]:
            moves[start] = PASS
            return 1
        here: cython.int = 2 * ply + ((self.first_side + ply) & 1)
        cards: cython.ulonglong = self.hands[here]
        if self.held[here] == 0:
            return 0
        if self.lead[ply] != NO_CARD:
            suit: cython.ulonglong = self.suit_of(self.lead[ply])
            if popcount(cards & ~suit) < self.held[here]:  # the hand must contain a card of the suit
                cards &= suit
        end: cython.int = start
        card: cython.int
        for card in range(MAX_CARDS - 1, -1, -1):
            if cards >> card & 1:
                moves[end] = card
                end += 1
        return end - start

    def make(self, move: cython.int) -> None:
        ply: cython.int = self.ply
        here: cython.int = 2 * ply
        side: cython.int = (self.first_side + ply) & 1
        led: cython.int = self.lead[ply]
        i: cython.int
        for i in range(here, here + 2):
            self.hands[i + 2] = self.hands[i]
            self.held[i + 2] = self.held[i]
            self.tricks[i + 2] = self.tricks[i]
        self.ply = ply + 1
        self.passing[ply + 1] = False
        self.lead[ply + 1] = NO_CARD
        if move != PASS:
            self.shown[2 * self.full_hand - self.held[here] - self.held[here + 1]] = move
            here += 2
            self.held[here + side] -= 1
            self.hands[here + side] &= ~(cython.cast(cython.ulonglong, 1) << move)
            if led == NO_CARD:
                self.lead[ply + 1] = move
            else:
                if move // self.ranks != led // self.ranks:  # a player who does not follow suit is void in it
                    self.hands[here + side] &= ~self.suit_of(led)
                if self.beats(move, led):
                    self.tricks[here + side] += 1
                    self.passing[ply + 1] = self.held[here + side] > 0
                else:
                    self.tricks[here + 1 - side] += 1
            if self.held[here + side] == 0:
                self.hands[here + side] = 0
        self.key = self.key_here()

    def unmake(self) -> None:
        self.ply -= 1
        self.key = self.key_here()

    def evaluate(self) -> cython.int:
        here: cython.int = 2 * self.ply
        side: cython.int = (self.first_side + self.ply) & 1
        return 100 * (self.tricks[here + side] - self.tricks[here + 1 - side])

    def final_score(self) -> cython.int:
        return self.evaluate()

    def remaining(self) -> cython.int:
        return self.held[2 * self.ply] + self.held[2 * self.ply + 1]

    @property
    def must_pass(self) -> bool:
        """Whether passing is the only legal move."""
        return bool(self.passing[self.ply])

    @property
    def played(self) -> list[int]:
        """The cards played, in order."""
        return [self.shown[i] for i in range(2 * self.full_hand - self.remaining())]

    def hand(self, side: int) -> tuple[int, int]:
        """Return the set of cards that ``side`` may hold, and the number of cards in its hand."""
        return self.hands[2 * self.ply + side], self.held[2 * self.ply + side]

    def won(self, side: int) -> int:
        """Return the number of tricks won by ``side``."""
        return self.tricks[2 * self.ply + side]

    def trick(self, led: int, card: int) -> tuple[bool, int]:
        """Return whether ``card`` beats ``led``, and the cards of the suit led (0 if ``card`` follows suit)."""
        followed = card // self.ranks == led // self.ranks
        return bool(self.beats(card, led)), 0 if followed else self.suit_of(led)

    def with_hands(self, hands: Sequence[int]) -> WhistPosition:
        """Return the same position with other hands of the same size, without its history."""
        held = (self.hand(0)[1], self.hand(1)[1])
        tricks = (self.won(0), self.won(1))
        return WhistPosition(
            self.ranks, self.full_hand, hands, held, self.played, tricks, self.side_to_move, self.must_pass
        )

    def copy(self) -> WhistPosition:
        return self.with_hands((self.hand(0)[0], self.hand(1)[0]))


def members(cards: int) -> list[int]:
    """Return the cards of a set in order."""
    return [card for card in range(MAX_CARDS) if cards >> card & 1]
