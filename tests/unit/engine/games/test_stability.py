"""The discs called stable are never turned, whatever is played."""

from __future__ import annotations

import random

from quietmove.engine.games.othello.stability import stable_discs
from quietmove.engine.games.registry import get_game
from tests.fakes.games import play_at_random
from tests.fakes.othello import slow_flips

CORNERS = 0x8100000000000081
FULL = 0xFFFFFFFFFFFFFFFF


def nearly_full(seed: int) -> tuple[int, int]:
    """Return the discs of a board with 1 to 5 empty squares: of a random game, or of any mix."""
    choices = random.Random(seed)
    empties = 1 + seed % 5
    if seed % 2:
        vacant = sum(1 << square for square in choices.sample(range(64), empties))
        own = choices.getrandbits(64) | (choices.getrandbits(64) if seed % 4 == 1 else 0)
        return own & ~vacant, ~own & ~vacant & FULL
    position = get_game("othello").initial()
    play_at_random(position, choices, left=empties)
    return position.black, position.white  # type: ignore[attr-defined]


def turned_ever(own: int, opp: int, seen: set[tuple[int, int]]) -> int:
    """Return the discs of ``opp`` and of ``own`` that any further moves turn, either side to move at any time."""
    if (own, opp) in seen:
        return 0
    seen.add((own, opp))
    turned = 0
    for mine, theirs in ((own, opp), (opp, own)):
        for square in range(64):
            if not (own | opp) >> square & 1 and (discs := slow_flips(mine, theirs, square)):
                turned |= discs | turned_ever(theirs ^ discs, mine | discs | 1 << square, seen)
    return turned


def test_a_stable_disc_is_never_turned() -> None:
    stable = unstable = 0
    for seed in range(80):
        own, opp = nearly_full(seed)
        turned = turned_ever(own, opp, set())
        for mine, theirs in ((own, opp), (opp, own)):
            found = stable_discs(mine, theirs, 0)
            assert found & ~mine == 0
            assert found & turned == 0, (seed, hex(mine), hex(theirs))
            assert found & CORNERS == mine & CORNERS
            stable += found.bit_count()
            unstable += (mine & ~found).bit_count()
    assert stable > 1000
    assert unstable > 100


def test_on_a_full_board_every_disc_is_stable() -> None:
    for seed in range(50):
        own = random.Random(seed).getrandbits(64)
        assert stable_discs(own, own ^ FULL, 0) == own


def test_an_edge_is_judged_by_all_that_can_be_added_to_it() -> None:
    """The two discs at the end of a full edge are safe; with the corner open they are not."""
    edge = 0b11111111
    assert stable_discs(0b00111100, edge ^ 0b00111100, 0) == 0b00111100
    assert stable_discs(0b01111110, 0, 0) == 0
    assert stable_discs(0b00000111, 0b01111000, 0) == 0b00000111
