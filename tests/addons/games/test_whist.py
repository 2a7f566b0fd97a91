"""The card game: its rules on hands dealt by hand, what a player knows, and the positions that no game can reach."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from quietmove.engine.errors import IllegalMoveError, PositionError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from tests.fakes.games import play_at_random

PACK = [f"{suit}{rank}" for suit in "shd" for rank in range(1, 6)]


@pytest.fixture
def game() -> Game:
    return get_game("whist")


def at(game: Game, text: str) -> Position:
    return game.parse_position(text.split())


def moves(game: Game, position: Position) -> list[str]:
    return [game.format_move(move) for move in position.legal_moves()]


def played(game: Game, seed: int, plies: int) -> Position:
    position = game.begin(seed)
    play_at_random(position, random.Random(seed), plies)
    return position


def cards(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(0, len(text), 2)} - {"-"}


def test_the_deal_follows_from_the_seed(game: Game) -> None:
    first = game.format_position(game.initial())
    assert first == "s1s5h2d1d5 s3h4h5d2d3 - B"  # every machine deals the same cards
    assert game.format_position(game.begin(0)) == first
    assert len({game.format_position(game.begin(seed)) for seed in range(100)}) > 95
    black, white, *_ = first.split()
    assert len(cards(black) | cards(white)) == 10


@pytest.mark.parametrize(
    ("played", "tricks", "next_player"),
    [
        (["d5", "d2"], (1, 0), "Black"),
        (["d1", "d2", "pass"], (0, 1), "White"),
        (["d5", "s3", "pass"], (0, 1), "White"),  # a trump
        (["h2", "d1"], (1, 0), "Black"),  # neither higher nor a trump
        (["s1", "s3", "pass", "h4", "h2"], (0, 2), "White"),
    ],
)
def test_who_wins_a_trick_leads(game: Game, played: list[str], tricks: tuple[int, int], next_player: str) -> None:
    whites = {"d5": "s3h4h5d3d2", "h2": "s3s4d1d2d3"}.get(played[0], "s3h4h5d2d3")
    if played[1] == "s3" and played[0] == "d5":
        whites = "s3h4h5h1h3"
    blacks = "s1s5h2d5d4" if "d1" in whites else "s1s5h2d1d5"
    position = at(game, f"{blacks} {whites} - B")
    play_moves(game, position, played)
    assert position.static_value() == 100 * (tricks[0] - tricks[1]) * (1 if next_player == "Black" else -1)
    assert ("Black", "White")[position.side_to_move] == next_player


def test_suit_must_be_followed_and_a_lost_lead_be_passed_on(game: Game) -> None:
    position = game.initial()
    play_moves(game, position, ["d1"])
    assert moves(game, position) == ["d3", "d2"]
    with pytest.raises(IllegalMoveError, match="legal: d2 d3"):
        game.parse_move(position, "s3")
    play_moves(game, position, ["d2"])
    assert moves(game, position) == ["pass"]
    play_moves(game, position, ["pass"])
    assert moves(game, position) == ["d3", "h5", "h4", "s3"]


def test_a_game_has_as_many_tricks_as_cards(game: Game) -> None:
    for seed in range(100):
        position = played(game, seed, 99)
        assert position.is_over()
        assert position.result() in (-500, -300, -100, 100, 300, 500)
        assert position.moves_left() == 0
        assert at(game, game.format_position(position)).result() == position.result()


def test_a_view_tells_what_the_player_knows_and_no_more(game: Game) -> None:
    """All deals that fit a view: found here by trying every hand against the whole of the play."""
    for seed in range(26):
        position = played(game, seed, seed % 13)
        for side in (0, 1):
            view = game.view(position, side)
            fields = game.format_position(position).split()
            held = 0 if fields[1 - side] == "-" else len(fields[1 - side]) // 2
            assert view.split()[1 - side] == ("?" * held or "-")
            assert view.split()[side] == fields[side]
            unseen = [card for card in PACK if card not in cards(fields[side]) | cards(fields[2])]
            fitting = []
            for hand in combinations(unseen, held):
                fields[1 - side] = "".join(hand) or "-"
                try:
                    fitting.append(game.format_position(game.parse_position(fields)))
                except PositionError:
                    continue
            seen = game.parse_position(view.split())
            assert sorted(game.format_position(deal) for deal, _ in game.deals(seen)) == sorted(fitting)
            assert game.format_position(position) in fitting
            if position.side_to_move == side:
                assert seen.legal_moves() == position.legal_moves()
            else:
                possible = {move for deal, _ in game.deals(seen) for move in deal.legal_moves()}
                assert set(seen.legal_moves()) == possible
            assert seen.static_value() == position.static_value()


def test_a_view_can_be_played_on(game: Game) -> None:
    position = at(game, "s1s5h2d1d5 ????? - B")
    play_moves(game, position, ["h2", "d4"])  # White has shown a void in hearts
    assert game.format_position(position) == "s1s5d1d5 ???? h2d4 B"
    hands = {card for deal, _ in game.deals(position) for card in cards(game.format_position(deal).split()[1])}
    assert hands == {"s2", "s3", "s4", "d2", "d3"}
    position.undo()
    assert {game.format_move(move) for move in position.legal_moves()} == set(PACK) - cards("s1s5h2d1d5")
