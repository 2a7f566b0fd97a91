"""A small version of Whist for two: some cards are dealt, and the others stay face down in the stock.

Black leads to the first trick, and the winner of each trick leads to the next. The second player must follow suit if
possible. Spades are trumps and beat every other suit; otherwise the higher card of the suit led wins. Each trick is
worth a point, and the value is the difference. Turns always alternate: a player who led and lost the trick must pass
before the winner leads.

A view shows one player's hand, and ``?`` for each of the opponent's cards. Everything else the player knows follows
from the cards played: who led, the tricks, and the suits in which the opponent is void, having failed to follow them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING

from quietmove.addons.games.whist.hands import MAX_CARDS, PASS, SUITS, WhistPosition, members
from quietmove.addons.games.whist.picture import CardTable
from quietmove.engine.errors import NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.parsing import read_side, require_fields
from quietmove.engine.games.picture import Picture
from quietmove.engine.games.rules import Rules
from quietmove.engine.move_text import PASSES

if TYPE_CHECKING:
    from quietmove.engine.search.root_search import AnySearch
    from quietmove.engine.search.table import Table
    from quietmove.engine.values import Limits, Settings

MAX_DEALS = 5000  # limit for the number of deals consistent with a player's initial hand
FORM = re.compile(r"([1-4])x([1-9]) ([1-9])")


class Whist(Game):
    """Two-player whist with a configurable deck and hand size.

    :param suits: number of suits, spades first.
    :param ranks: number of cards in each suit, 1 being the lowest.
    :param full_hand: number of cards dealt to each player.
    """

    kind = "hidden"
    point = "trick"
    move_count = PASS + 1
    sides = ("B", "W")
    rules = Rules(
        "Whist for two",
        "Each player is dealt five of fifteen cards: spades, hearts and diamonds, ranked 1 to 5. Black leads a card, "
        "and the other player must follow suit if possible. The higher card of the suit led wins the trick, but any "
        "spade beats the other suits. The winner leads to the next trick. The player with more tricks wins.",
        "3x5 5: suits x ranks, and cards per hand",
        ("cards",),
        moves="d4 d2 s1",
    )

    def __init__(self, suits: int = 3, ranks: int = 5, full_hand: int = 5) -> None:
        self.name = "whist" if (suits, ranks, full_hand) == (3, 5, 5) else f"whist {suits}x{ranks} {full_hand}"
        self.suits = suits
        self.ranks = ranks
        self.full_hand = full_hand

    def new_search(
        self,
        position: WhistPosition,
        table: Table | None,
        settings: Settings,
        limits: Limits,
        clock: Callable[[], float],
    ) -> AnySearch:
        from quietmove.addons.games.hidden import HiddenDeepening  # imported on demand: only the engine searches

        return HiddenDeepening(position, table, settings, limits, clock, game=self)

    def initial(self) -> WhistPosition:
        return self.begin(0)

    def begin(self, seed: int) -> WhistPosition:
        cards = range(self.suits * self.ranks)
        pack = sorted(cards, key=lambda card: hashlib.blake2b(f"{seed}/{card}".encode(), digest_size=8).digest())
        hands = [as_set(pack[: self.full_hand]), as_set(pack[self.full_hand : 2 * self.full_hand])]
        return WhistPosition(self.ranks, self.full_hand, hands, (self.full_hand, self.full_hand))

    def view(self, position: WhistPosition, side: int) -> str:
        return self.spell_position(position, 1 - side)

    def format_position(self, position: WhistPosition) -> str:
        return self.spell_position(position)

    def planes(self, position: WhistPosition, side: int) -> tuple[int, list[list[int]]]:
        """Return four planes with a row per suit: the hand, the cards played (own, opponent's), and the card led."""
        played = position.played
        cards: tuple[list[int], list[int]] = ([], [])
        for card, player in zip(played, self.replay(played)[2], strict=False):
            cards[player].append(card)
        table = played[-1:] if len(played) % 2 else []
        sets = [position.hand(side)[0], *map(as_set, (cards[side], cards[1 - side], table))]
        return self.ranks, [[each >> card & 1 for card in range(self.suits * self.ranks)] for each in sets]

    def spell_position(self, position: WhistPosition, hidden: int | None = None) -> str:
        """Return the position as text, with the hand of the player ``hidden`` face down."""
        hands = [self.spell_hand(*position.hand(player), hidden=player == hidden) for player in range(2)]
        return f"{hands[0]} {hands[1]} {self.spell(position.played) or '-'} {self.sides[position.side_to_move]}"

    def parse_position(self, fields: Sequence[str]) -> WhistPosition:
        """Parse two hands, the cards played in order and the side to move.

        A hand is a list of cards (``s5h2``), or ``?`` for each card if unknown, or ``-`` if it is empty.
        """
        require_fields(fields, 4, "two hands, cards played and side to move")
        hands = [None if text and set(text) == {"?"} else self.read_cards(text) for text in fields[:2]]
        played = self.read_cards(fields[2])
        counts = [len(text) if cards is None else len(cards) for text, cards in zip(fields, hands, strict=False)]
        if hands == [None, None]:
            raise PositionError("hands: at most one can be unknown, not both")
        every = [*(hands[0] or ()), *(hands[1] or ()), *played]
        for card in every:
            if every.count(card) > 1:
                raise PositionError(
                    f"card {self.format_move(card)}: must occur only once, not {every.count(card)} times"
                )
        side = read_side(self.sides, fields[3])
        return self._dealt(hands, counts, played, every, side)

    def _dealt(
        self, hands: list[list[int] | None], counts: list[int], played: list[int], every: list[int], side: int
    ) -> WhistPosition:
        """Return the position after checking that a game can reach it."""
        tricks, voids, turns = self.replay(played)
        known = [as_set(cards or ()) for cards in hands]
        for player, name in enumerate(self.players):
            total = counts[player] + sum(mover == player for mover in turns[:-1])
            if total != self.full_hand:
                raise PositionError(f"{name}: cards in hand and played must total {self.full_hand}, not {total}")
            if known[player] & voids[player]:
                held = self.spell(members(known[player] & voids[player]))
                raise PositionError(f"{name}: cannot hold {held} after failing to follow that suit")
            if hands[player] is None:
                known[player] = as_set(range(self.suits * self.ranks)) & ~as_set(every) & ~voids[player]
                if known[player].bit_count() < counts[player]:
                    raise PositionError(
                        f"{name}: holds {counts[player]} cards, but only {known[player].bit_count()} are possible"
                    )
        over = not any(counts)
        allowed = {turns[-3] if over else turns[-1]}  # the next player, or at the end the last trick's leader
        if len(played) % 2 == 0 and len(played) > 0:
            allowed.add(turns[-3])  # the leader of the last trick must pass after losing it
        if side not in allowed:
            names = " or ".join(self.sides[each] for each in sorted(allowed))
            raise PositionError(f"side to move: must be {names} after these cards, not {self.sides[side]!r}")
        passing = side != turns[-1] and not over
        return WhistPosition(self.ranks, self.full_hand, known, counts, played, tricks, side, passing)

    def replay(self, played: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """Return both players' tricks, the suits in which each is known to be void, and the player of each card.

        The last list has one more entry at the end, for the next player.

        :raises PositionError: if a player plays a suit after failing to follow it.
        """
        rules = WhistPosition(self.ranks, self.full_hand, (0, 0), (0, 0))
        tricks, voids, turns = [0, 0], [0, 0], [0]
        for index, card in enumerate(played):
            player = turns[-1]
            if voids[player] >> card & 1:
                text = self.format_move(card)
                raise PositionError(f"{text!r}: {self.players[player]} plays this suit after failing to follow it")
            if index % 2 == 0:
                turns.append(1 - player)
                continue
            wins, voided = rules.trick(played[index - 1], card)
            voids[player] |= voided
            winner = player if wins else 1 - player
            tricks[winner] += 1
            turns.append(winner)
        return tricks, voids, turns

    def deals(self, position: WhistPosition) -> list[tuple[Position, int]]:
        black, white = (
            [as_set(hand) for hand in combinations(members(cards), held)] for cards, held in map(position.hand, (0, 1))
        )
        return [(position.with_hands(hands), 1) for hands in product(black, white)]

    def read_cards(self, text: str) -> list[int]:
        """Parse a list of cards, or ``-`` for an empty list."""
        if text == "-":
            return []
        cards = [text[i : i + 2] for i in range(0, len(text), 2)]
        if not cards or not all(self.is_card(card) for card in cards):
            shown = text if len(text) <= 60 else text[:60] + "..."
            raise PositionError(
                f"cards: must be a list such as s{self.ranks}, with suits {SUITS[: self.suits]} and ranks 1 to "
                f"{self.ranks}, or a ? for each unknown card of a hand, or - for none, not {shown!r}"
            )
        return [self.card(card) for card in cards]

    def is_card(self, text: str) -> bool:
        """Return whether ``text`` is a card of the deck."""
        return len(text) == 2 and text[0] in SUITS[: self.suits] and text[1] in "123456789"[: self.ranks]

    def card(self, text: str) -> int:
        """Return the number of a card."""
        return SUITS.index(text[0]) * self.ranks + int(text[1]) - 1

    def spell(self, cards: Iterable[int]) -> str:
        """Format cards as text without spaces."""
        return "".join(map(self.format_move, cards))

    def spell_hand(self, cards: int, held: int, hidden: bool = False) -> str:
        """Format a hand for :meth:`parse_position`."""
        if held == 0:
            return "-"
        return "?" * held if hidden or cards.bit_count() != held else self.spell(members(cards))

    def parse_move(self, position: WhistPosition, text: str) -> int:
        lower = text.lower()
        if lower not in PASSES and not self.is_card(lower):
            cards = f"suits {SUITS[: self.suits]} and ranks 1 to {self.ranks}"
            raise NotationError(f"{text!r} is not a move; a move is a card ({cards}) or pass")
        return self.require_legal(position, PASS if lower in PASSES else self.card(lower), text)

    def format_move(self, move: int) -> str:
        return "pass" if move == PASS else f"{SUITS[move // self.ranks]}{move % self.ranks + 1}"

    def draw(self, position: WhistPosition) -> str:
        lines = []
        for side, name in enumerate(self.players):
            hand = self.spell_hand(*position.hand(side))
            cards = " ".join(hand if "?" in hand else [hand[i : i + 2] for i in range(0, len(hand), 2)])
            lines.append(f"  {name:7}{cards}   tricks {position.won(side)}")
        played = list(map(self.format_move, position.played))
        lines.append(f"  played {' '.join(played) or '-'}")
        table = f", {played[-1]} was led" if len(played) % 2 else ""
        state = f"{self.players[position.side_to_move]} to move{table}" + (", must pass" if position.must_pass else "")
        lines.append(f"  {'game over' if position.is_over() else state}; spades are trumps")
        return "\n".join(lines)

    def picture(self, position: WhistPosition, viewer: int | None = None) -> Picture:
        turns = self.replay(position.played)[2]
        stock = self.suits * self.ranks - 2 * self.full_hand
        return CardTable(self, position, viewer, turns, self.full_hand, stock).picture()

    def explain(self, position: WhistPosition) -> list[tuple[str, int]]:
        return [("tricks so far", position.static_value())]


def as_set(cards: Iterable[int]) -> int:
    return sum(1 << card for card in cards)


def make_game(parameters: str = "") -> Whist:
    """Return the game with the given deck and hand size.

    :param parameters: suits, ranks and cards per hand, by default ``3x5 5``.
    :raises UnknownGameError: if the parameters are malformed, give too many cards or deals, or leave no stock.
    """
    match = FORM.fullmatch(parameters or "3x5 5")
    if match:
        suits, ranks, hand = map(int, match.groups())
        cards = suits * ranks
        if 2 * hand < cards <= MAX_CARDS and comb(cards - hand, hand) <= MAX_DEALS:
            return Whist(suits, ranks, hand)
    raise UnknownGameError(
        f"game whist: must be SUITSxRANKS HAND such as 3x5 5, with at most {MAX_CARDS} cards for two hands and a stock "
        f"and at most {MAX_DEALS} deals consistent with one hand, not {parameters!r}"
    )
