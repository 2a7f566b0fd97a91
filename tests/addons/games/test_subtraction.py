"""The subtraction game by its theory: what the engine answers, beside a brute force that knows the rule alone."""

from __future__ import annotations

import pytest

from quietmove.addons.games.subtraction import MAX_PLIES, cycle
from quietmove.engine.games.base import WIN
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import describe_terms
from quietmove.engine.protocol.player import Player
from quietmove.engine.values import Limits
from tests.fakes.processes import WAIT
from tests.fakes.talk import SessionTalk

LARGEST = 300
SETS = [
    *("1", "2", "3", "10"),
    "1,3,4",
    "2,5,7",
    "1,4,9,16,25,36,49,64",
    "3,10,41",
]


def takes_of(text: str) -> list[int]:
    return list(map(int, text.split(","))) if "," in text else list(range(1, int(text) + 1))


def brute_force(takes: list[int]) -> list[int]:
    """Return the score of each heap for the side to move, from the rule alone: the quickest win, the slowest loss."""
    scores: list[int] = []
    for heap in range(LARGEST + 1):
        children = [-scores[heap - take] for take in takes if take <= heap]
        scores.append(max((score - (1 if score > 0 else -1) for score in children), default=-WIN))
    return scores


@pytest.mark.parametrize("text", SETS)
def test_every_heap_is_answered_rightly(text: str) -> None:
    takes, player = takes_of(text), Player(f"subtraction {LARGEST} {text}")
    scores = brute_force(takes)
    farthest = WIN - MAX_PLIES
    for heap in range(takes[0], LARGEST + 1):
        player.see(f"{heap} X")
        move, claim = player.choose(Limits(goal="solve") if heap % 2 else Limits(movetime=1000))
        assert claim is not None
        assert claim.score.value == (max(scores[heap], farthest) if scores[heap] > 0 else min(scores[heap], -farthest))
        rest = heap - int(move)
        assert (-scores[rest] > 0) == (scores[heap] > 0), "a move of a won heap leaves a lost one"
        assert WIN - abs(scores[heap]) > MAX_PLIES or WIN - abs(scores[heap]) == 1 + WIN - abs(scores[rest])


@pytest.mark.parametrize("text", SETS)
def test_values_and_their_period(text: str) -> None:
    takes, values = takes_of(text), list[int]()
    for heap in range(5_001):
        reached = {values[heap - take] for take in takes if take <= heap}
        values.append(next(value for value in range(65) if value not in reached))
    game = get_game(f"subtraction {LARGEST} {text}")
    for heap in (0, 1, 2, 63, 64, 65, 299, LARGEST):
        said = describe_terms(game, game.parse_position([str(heap), "X"]))[3:]
        assert said[0] == f"  Grundy value {values[heap]}: {'a win' if values[heap] else 'a loss'}"
    found = cycle(bytes(values), takes[-1])
    assert found is not None
    first, period = found
    assert values[first:-period] == values[first + period :]
    assert not first or values[:-period] != values[period:]
    assert f"the values repeat every {period} stones" in said[1]
    if "," not in text:
        assert (first, period) == (0, int(text) + 1)
        assert said[2] == f"  a heap is lost if and only if heap mod {period} is 0"


def test_a_heap_of_a_hundred_thousand() -> None:
    player = Player("subtraction 100000 1,3,4")  # heaps 0 and 2, and these plus any multiple of 7
    for heap in range(99_990, 100_001):
        player.see(f"{heap} O")
        move, claim = player.choose(Limits(movetime=1000))
        assert claim is not None
        assert (claim.score.value < 0) == (heap % 7 in (0, 2))
        assert claim.score.value < 0 or (heap - int(move)) % 7 in (0, 2)


def test_a_depth_and_an_algorithm_ask_for_a_search() -> None:
    player = Player("subtraction 1000 3")
    _, claim = player.choose(Limits(depth=3))
    assert claim is not None
    assert (claim.score.value, claim.depth) == (0, 3)
    assert claim.nodes
    player.set_option("Algorithm", "alphabeta")
    _, claim = player.choose(Limits(nodes=1000))
    assert claim is not None
    assert claim.score.value == 0


def test_a_known_answer_keeps_to_what_is_asked() -> None:
    talk = SessionTalk(game="subtraction 501 3", multipv=3)
    talk.begin(Limits(infinite=True))
    infos = [talk.said.get(timeout=WAIT) for _ in range(3)]
    assert talk.session.thinking, "an infinite search answers when it is stopped"
    talk.session.stop()
    assert [(info.rank, info.pv[0], info.score.value) for info in infos] == [
        (1, 1, WIN - 251),  # one stone leaves 500; then two moves together take four
        (2, 3, 250 - WIN),
        (3, 2, 250 - WIN),
    ]
    assert talk.answer()[1].move == 1
    assert talk.go(Limits(searchmoves=(2,), movetime=10))[1].move == 2


def test_where_nobody_can_move_the_game_is_over() -> None:
    game = get_game("subtraction 9 2,3")
    assert [game.parse_position([str(heap), "X"]).is_over() for heap in (0, 1, 2)] == [True, True, False]
    assert game.draw(game.initial()).splitlines()[-1] == "  X (Black) to move, takes 2 or 3; stones: 9"
    assert [game.format_move(move) for move in game.initial().legal_moves()] == ["3", "2"]
