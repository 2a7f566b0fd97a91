"""Monte Carlo tree search: what it proves is true, its limits hold, and what it answers can be repeated."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from click.testing import CliRunner

from quietmove.commands import quietmove
from quietmove.engine.errors import GameError, LimitsError, OptionError
from quietmove.engine.games.base import DECISIVE, WIN, Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.game import UserGame
from quietmove.engine.search import mcts
from quietmove.engine.search.mcts import MonteCarlo
from quietmove.engine.search.root_search import OwnSearch
from quietmove.engine.search.uct import REWARD, Branch, Uct
from quietmove.engine.values import Info, Limits, Score, SearchResult, Settings
from tests.fakes.addons import is_deleted, needs_games, present_games
from tests.fakes.games import Endless, exact_values, play_at_random
from tests.fakes.talk import SessionTalk

FAKES = Path(__file__).parents[3] / "example_games"
SMALL = present_games(
    "tictactoe", "connect", "nim 1,2,3", "othello 4x4", "capture X-O-X-O", "tree 3x4 5", "subtraction 12 3"
)


class Broken(Endless):
    def play(self, state: int, move: int) -> int:
        if state == 7:
            raise RuntimeError("no eighth move")
        return state + 1


def position_of(game: str, text: str | None = None) -> Position:
    rules = get_game(game)
    return rules.initial() if text is None else rules.parse_position(text.split())


def late(game: str, wanted: int) -> list[Position]:
    """Return positions of random games with a move to make and few moves to come."""
    found: list[Position] = []
    for seed in range(1000):
        position = position_of(game)
        play_at_random(position, random.Random(seed), left=7)
        if not position.is_over():
            found.append(position.copy())
        if len(found) == wanted:
            break
    return found


def milliseconds() -> Callable[[], float]:
    """Return a clock that goes on by a millisecond whenever it is looked at."""
    looks = count()
    return lambda: next(looks) / 1000


def run(
    position: Position, limits: Limits, settings: Settings | None = None, clock: Callable[[], float] = perf_counter
) -> tuple[list[Info], SearchResult]:
    search = MonteCarlo(position, 1, settings or Settings(), limits, clock)
    return list(search.iterations()), search.result()


def untimed(infos: list[Info]) -> list[Info]:
    return [replace(info, time=0) for info in infos]


@pytest.mark.parametrize("game", SMALL)
def test_every_bound_holds_at_every_time(game: str) -> None:
    narrowed = 0
    for seed, position in enumerate(late(game, 6)):
        truth = exact_values(position)
        tree = Uct(position, list(truth), 0, 100, seed, lambda: False)
        while not tree.is_decided:
            tree.run(tree.nodes + 20)
            for branch in tree.branches():
                assert branch.low <= truth[branch.move] <= branch.high
                narrowed += branch.low > -WIN + 1 or branch.high < WIN - 1
        best = mcts.best_of(tree.branches())
        assert truth[best.move] == max(truth.values()) or truth[best.move] > DECISIVE
    assert narrowed > 0


def test_a_draw_is_proven() -> None:
    infos, result = run(position_of("tictactoe"), Limits())
    assert infos[-1].score == result.score == Score(0)
    assert result.nodes < 549_945  # the nodes of the whole tree


@pytest.mark.parametrize(
    ("game", "text", "move", "score"),
    [
        ("tictactoe", "XX-OO---- X", "c1", Score(WIN - 1)),
        ("tictactoe", "OO-XX--X- O", "c1", Score(WIN - 1)),
        ("connect 7x6x4", "-" * 35 + "OOO-XXX X", None, Score(WIN - 1)),
    ],
)
def test_a_win_by_the_next_move_is_proven_at_once(game: str, text: str, move: str | None, score: Score) -> None:
    position = position_of(game, text)
    infos, result = run(position, Limits())
    assert infos[-1].score == score
    position.play(infos[-1].pv[0])
    assert position.is_over()
    assert infos[-1].pv == (result.move,)
    assert result.nodes < 2000
    assert move is None or get_game(game).format_move(infos[-1].pv[0]) == move


@pytest.mark.parametrize("seed", range(5))
def test_a_loss_by_the_next_move_is_avoided(seed: int) -> None:
    position = position_of("tictactoe", "XX--O---- O")
    _, result = run(position, Limits(nodes=300), Settings(seed=seed))
    assert result.move == 2
    position = position_of("connect 7x6x4", "-" * 35 + "-XXX-OO O")
    infos, result = run(position, Limits(nodes=3000, searchmoves=(1, 2, 3, 4, 5, 6)), Settings(seed=seed))
    assert result.move == 4
    assert infos[-1].score.value < -DECISIVE  # the other end stays open: three in a row with both ends free


@needs_games
def test_a_loss_is_put_off() -> None:
    """Of two equal piles of two: to take one loses in four plies, to take two in two."""
    infos, result = run(position_of("nim 2,2"), Limits())
    assert infos[-1].score.value == -WIN + 4
    assert result.move is not None
    assert get_game("nim 2,2").format_move(result.move) in ("1-1", "2-1")


def test_what_is_proven_is_weighed_against_what_is_likely() -> None:
    def branch(place: int, visits: int, reward: int, low: int, high: int) -> Branch:
        decided = low == high or low > DECISIVE or high < -DECISIVE
        return Branch(place, place, visits, reward, low, high, decided)

    lost_at_once = branch(1, 900, 0, -WIN + 4, -WIN + 4)
    lost_later = branch(2, 100, 0, -WIN + 2, -WIN + 10)
    drawn = branch(3, 50, REWARD // 2, 0, 0)
    bad, good = branch(4, 500, REWARD // 4, -WIN, WIN), branch(5, 400, REWARD // 3, -WIN, WIN)
    likely = branch(6, 300, REWARD // 3 * 2, -WIN, WIN)
    assert mcts.best_of([lost_at_once, lost_later]) == lost_later
    assert mcts.best_of([lost_at_once, bad]) == bad
    assert mcts.best_of([bad, good]) == bad  # `bad` has more visits
    assert mcts.best_of([drawn, bad, good]) == drawn
    assert mcts.best_of([drawn, likely, good]) == drawn
    assert mcts.best_of([drawn, likely]) == likely
    assert mcts.best_of([branch(7, 0, 0, -WIN, WIN), branch(8, 0, 0, -WIN, WIN)]).place == 7


def test_another_seed_plays_other_games() -> None:
    reports = {str(untimed(run(position_of("othello"), Limits(nodes=5000), Settings(seed=s))[0])) for s in range(5)}
    assert len(reports) == 5


def test_a_slow_game_is_stopped_in_time_before_each_move_was_tried() -> None:
    """By a clock that goes on by a millisecond whenever the game makes a move; it has 300 of them."""
    made = 0

    class Slow(Endless):
        def moves(self, state: int) -> list[int]:
            return list(range(300)) if state < 10 else []

        def play(self, state: int, move: int) -> int:
            nonlocal made
            made += 1
            return state + 1

        def result(self, state: int) -> int:
            return 0

    position = UserGame("slow", Slow()).initial()
    search = MonteCarlo(position, 1, Settings(move_overhead=0), Limits(movetime=50), lambda: made / 1000)
    list(search.iterations())
    assert search.result().nodes == 50


def test_a_clock_is_shared_out_and_a_lone_move_made_at_once() -> None:
    assert 20 <= run(position_of("othello"), Limits(time=1000), clock=milliseconds())[1].time <= 300
    alone = position_of("tictactoe", "XXOOOXXO- X")
    assert run(alone, Limits(time=100_000), clock=milliseconds())[1].time <= 10


def test_a_full_tree_goes_on_to_count() -> None:
    position = position_of("othello")
    tree = Uct(position, position.legal_moves(), 0, 100, 1, lambda: False)
    while not tree.is_full:
        tree.run(2 * tree.nodes + 1000)
    used, simulations = tree.used, tree.simulations
    tree.run(tree.nodes + 200_000)
    assert tree.simulations > simulations + 1000
    assert tree.used - used < 512
    assert tree.hashfull > 950
    assert sum(branch.visits for branch in tree.branches()) == tree.simulations


def test_a_depth_is_that_of_the_line() -> None:
    infos, result = run(position_of("othello"), Limits(depth=5))
    assert [info.depth < 5 for info in infos] == [True] * (len(infos) - 1) + [False]
    assert result.depth == infos[-1].depth == len(infos[-1].pv)
    deep, _ = run(position_of("othello"), Limits(depth=200))  # ends once the tree is full
    assert deep[-1].hashfull > 950


def test_lines_are_ranked_by_visits() -> None:
    infos, _ = run(position_of("othello 6x6"), Limits(nodes=20_000, searchmoves=()), Settings(multipv=3))
    last = infos[-3:]
    assert [info.rank for info in last] == [1, 2, 3]
    assert len({info.pv[0] for info in last}) == 3
    position = position_of("tictactoe", "XX-OO---- X")
    lines, _ = run(position, Limits(), Settings(multipv=64))
    assert lines[0].score.value == WIN - 1


def test_the_score_is_the_mean_result() -> None:
    """Of a game in which every second line wins, and of a tree, whose leaves count points."""
    infos, _ = run(position_of("connect 7x6x4"), Limits(nodes=20_000))
    assert 0 < infos[-1].score.value < 100
    if not is_deleted("addons/games"):
        infos, _ = run(position_of("tree", "[[3,5],[4,4]] max"), Limits())
        assert infos[-1].score == Score(400)


@needs_games
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("------d1b----------53---- B 2", -5864),
        ("---b------e-a---1-3------ W 3", -7639),
        ("-d-----5--e---1---6--3--- B 4", -8889),
    ],
)
def test_chance_has_the_mean_of_its_outcomes(text: str, value: int) -> None:
    game = get_game("einstein")
    position = game.parse_position(text.split())
    infos, result = run(position, Limits(nodes=200_000))
    assert abs(infos[-1].score.value - value) < 150
    assert result.move is not None
    assert isinstance(game, OwnSearch)
    limits = Limits(searchmoves=(result.move,))
    *_, whole = game.new_search(position, None, Settings(), limits, time.perf_counter).iterations()
    assert value - 300 <= whole.score.value <= value


@needs_games
def test_what_all_outcomes_agree_on_is_proven() -> None:
    position = position_of("einstein", "-1c---a----------3------- W 5")
    infos, _ = run(position, Limits())
    assert infos[-1].score == Score(10_000)
    with pytest.raises(GameError, match="chance node"):
        MonteCarlo(position_of("einstein"), 1, Settings(), Limits())


def test_a_game_without_end_is_a_draw() -> None:
    infos, result = run(UserGame("endless", Endless()).initial(), Limits(nodes=2500))
    assert infos[-1].score == Score(0)
    assert result.nodes == 2500


def test_an_error_of_the_game_is_raised_and_a_move_is_there_all_the_same() -> None:
    search = MonteCarlo(UserGame("broken", Broken()).initial(), 1, Settings(), Limits(nodes=1000))
    with pytest.raises(GameError, match=r"the game's play\(\): RuntimeError: no eighth move"):
        list(search.iterations())
    assert search.result().move == 0


def test_a_game_of_a_users_own_is_solved_without_an_evaluation() -> None:
    """Hex on 3x3 is won by whoever begins: in the middle, say, and not in a corner of the short diagonal."""
    game = get_game(f"{FAKES / 'hex.py'}:Hex 3")
    infos, _ = run(game.initial(), Limits())
    assert infos[-1].score.value > DECISIVE
    corner = game.parse_move(game.initial(), "a1")
    infos, _ = run(game.initial(), Limits(searchmoves=(corner,)))
    assert infos[-1].score.value < -DECISIVE
    position = game.initial()
    for name in ("b1", "a1", "b2", "a2"):
        position.play(game.parse_move(position, name))
    infos, _ = run(position, Limits(nodes=500))
    assert infos[-1].score == Score(WIN - 1)


@pytest.mark.parametrize("goal", ["solve", "wld"])
def test_the_exact_value_is_not_its_business(goal: Any) -> None:
    with pytest.raises(LimitsError, match=f"{goal}: Algorithm must be minimax, alphabeta or pvs, not mcts"):
        MonteCarlo(position_of("tictactoe"), 1, Settings(), Limits(goal=goal))


def test_what_it_does_not_do_is_refused() -> None:
    with pytest.raises(LimitsError, match="option Trace: a search with Algorithm mcts cannot be traced"):
        SessionTalk(algorithm="mcts", trace=True).session.go(Limits(nodes=10), print, print, print, print)
    if not is_deleted("addons/games"):
        with pytest.raises(LimitsError, match="does not support games with hidden cards, such as whist"):
            SessionTalk(algorithm="mcts", game="whist").go(Limits(nodes=10))
    answer = CliRunner().invoke(quietmove, ["analyze", "f5", "--nodes", "9", "--option", "Algorithm=mcts"])
    assert answer.exit_code == 2
    assert "--option: Algorithm: must be minimax, alphabeta or pvs, not 'mcts'" in answer.output


def test_memory_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(mcts, "Uct", refuse)
    with pytest.raises(OptionError, match="Hash: not enough memory for 7 MB"):
        MonteCarlo(position_of("tictactoe"), 7, Settings(), Limits())


def test_exploration_spreads_the_visits() -> None:
    def share_of_the_best(exploration: int) -> float:
        position = position_of("othello", None)
        position.play(position.legal_moves()[0])
        tree = Uct(position, position.legal_moves(), 0, exploration, 0, lambda: False)
        tree.run(100_000)
        assert all(0 <= branch.reward <= REWARD for branch in tree.branches())
        return max(branch.visits for branch in tree.branches()) / tree.simulations

    assert share_of_the_best(20) > share_of_the_best(100) > share_of_the_best(1000)


def test_a_win_that_may_not_be_the_quickest_is_a_lower_bound() -> None:
    """The search ends with the proof of a win; what it says then must not be more than it knows."""
    bounds = set()
    for seed in range(20):
        position = position_of("tictactoe")
        for text in ("b3", "a1", "c1", "b1"):
            position.play(get_game("tictactoe").parse_move(position, text))
        infos, _ = run(position, Limits(nodes=400000), Settings(algorithm="mcts", seed=seed))
        score = infos[-1].score
        bounds.add(score.bound)
        assert score.value == WIN - 3 or (score.bound == "lower" and score.value < WIN - 3)
    assert "lower" in bounds
