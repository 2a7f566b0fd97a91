"""The environments of PettingZoo and Gymnasium, by their own tests and beside the games."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import quietmove
from quietmove import environments
from quietmove.addons.agents.opponent import LevelBatch, LevelPlayer
from quietmove.engine.common.errors import ArgumentError
from quietmove.engine.common.origin import install_command
from quietmove.engine.errors import IllegalMoveError, PositionError, UnknownGameError
from quietmove.engine.games.registry import get_game
from tests.fakes.processes import WAIT

EXAMPLES = Path(__file__).parents[2] / "example_games"
OWN = [f"{EXAMPLES}/hexapawn/hexapawn.py:Hexapawn", f"{EXAMPLES}/gomoku.py:Gomoku"]
GAMES = [*quietmove.games(), "othello 6x6", *OWN]


def quietly(test: Callable[..., object], *arguments: Any, **options: Any) -> None:
    """Run a test of PettingZoo, which warns of every observation that is a dictionary, and of an empty board."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation|.*[oO]bservation space", UserWarning)
        test(*arguments, **options)


def random_game(env: Any, seed: int) -> list[tuple[str, Any, float]]:
    """Play a random game; return each player's name, observation and reward as its turn comes."""
    env.reset(seed=seed)
    chance, seen = random.Random(seed), []
    for agent in env.agent_iter():
        observation, reward, over, _, _ = env.last()
        seen.append((agent, observation, reward))
        env.step(None if over else chance.choice(np.flatnonzero(observation["action_mask"]).tolist()))
    return seen


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_an_environment_by_the_tests_of_pettingzoo_and_ends_with_its_result(game: str) -> None:
    quietly(api_test, environments.env(game), num_cycles=150)
    quietly(seed_test, lambda: environments.env(game), num_cycles=60)
    quietly(parallel_api_test, turn_based_aec_to_parallel(environments.env(game)), num_cycles=40)
    env = environments.raw_env(game)
    for seed in range(3):
        seen = random_game(env, seed)
        score = env._table.position.result()
        won = (score > 0) - (score < 0)
        assert {agent: reward for agent, _, reward in seen[-2:]} == {"player_0": won, "player_1": -won}
        assert not any(reward for _, _, reward in seen[:-2])


def test_the_planes_of_othello_are_the_movers_discs_and_the_others() -> None:
    env = environments.env("othello")
    env.reset(seed=1)
    env.step(19)  # d3
    seen = env.last()[0]
    position = quietmove.Position(moves="d3")
    for square, piece in enumerate(position.fen.split()[0]):
        assert seen["observation"][square // 8, square % 8].tolist() == [piece == "O", piece == "X"]
    legal = [get_game("othello").format_move(move) for move in np.flatnonzero(seen["action_mask"])]
    assert sorted(legal) == sorted(position.legal_moves)
    assert not env.observe("player_0")["action_mask"].any()


def test_the_die_is_seen_and_follows_from_the_seed() -> None:
    dice = set()
    for seed in range(40):
        env = environments.env("einstein")
        env.reset(seed=seed)
        planes = env.last()[0]["observation"]
        assert planes.shape == (5, 5, 13)
        assert planes[..., :6].sum() == planes[..., 6:12].sum() == 6
        dice.add(int(planes[0, 0, 12]))
        assert (planes[..., 12] == planes[0, 0, 12]).all()
    assert dice == {1, 2, 3, 4, 5, 6}


def test_a_hidden_hand_is_not_seen() -> None:
    """The same cards of the player lead to the same observation, whatever the other one holds."""
    env, seen = environments.raw_env("whist"), {}
    for other in ("s3h4h5d2d3", "s2s3h1h3d4"):
        env.reset(options={"fen": f"s1s5h2d1d5 {other} - B"})
        seen[other] = env.observe("player_0")["observation"], env.observe("player_1")["observation"]
    first, second = seen.values()
    assert (first[0] == second[0]).all()
    assert (first[1] != second[1]).any()
    assert first[0].shape == (3, 5, 4)
    assert first[0][..., 0].tolist() == [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0], [1, 0, 0, 0, 1]]
    env.step(0)  # s1
    planes = env.observe("player_1")["observation"]
    assert [int(planes[..., each].sum()) for each in range(4)] == [5, 0, 1, 1]


def test_a_game_without_a_board_is_seen_as_text() -> None:
    env = environments.env("nim")
    env.reset()
    assert bytes(env.last()[0]["observation"].astype(np.uint8)).rstrip(b"\0") == b"3,4,5 X"


def test_pictures() -> None:
    env = environments.env("othello", render_mode="ansi")
    env.reset()
    assert env.render() == f"{quietmove.Position()}\n"
    shapes = set()
    for game in ("othello", "whist", "tree", OWN[1]):  # with squares, with a picture, and drawn as text
        env = environments.env(game, render_mode="rgb_array")
        env.reset(seed=1)
        picture = env.render()
        assert (picture.dtype, picture.ndim, picture.shape[2]) == (np.uint8, 3, 3)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 1
        shapes.add(picture.shape)
    assert len(shapes) == 4


def test_a_game_is_rendered_by_the_test_of_pettingzoo(capsys: pytest.CaptureFixture[str]) -> None:
    quietly(render_test, lambda render_mode: environments.env("othello", render_mode=render_mode))
    assert str(quietmove.Position()) in capsys.readouterr().out


@pytest.mark.parametrize("library", ["PIL", "resvg_py"])
def test_pictures_need_the_libraries_that_draw(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    message = rf"render_mode 'rgb_array' needs {library}: {re.escape(install_command('environments'))}"
    for make in (environments.env, environments.SeatEnv):
        with pytest.raises(ImportError, match=message):
            make("othello", render_mode="rgb_array")
    environments.env("othello", render_mode="ansi")


def test_wrong_words_are_refused() -> None:
    with pytest.raises(UnknownGameError, match="must be one of"):
        environments.env("chess")
    with pytest.raises(UnknownGameError, match="game: must be a string, not 5"):
        environments.env(5)  # type: ignore[arg-type]
    assert issubclass(ArgumentError, quietmove.QuietmoveError)
    assert issubclass(ArgumentError, ValueError)  # like the errors of other environments
    with pytest.raises(ArgumentError, match="render_mode: must be None, human, ansi or rgb_array, not 'pixels'"):
        environments.env(render_mode="pixels")
    with pytest.raises(ArgumentError, match="level: must be a whole number from 0 to 20, 'random' or 'self', not 21"):
        gymnasium.make("Quietmove/Othello-v0", level=21)
    with pytest.raises(ArgumentError, match="side: must be 0, 1 or None, not 2"):
        environments.SeatEnv("nim", side=2)
    env = environments.raw_env()
    with pytest.raises(PositionError):
        env.reset(options={"fen": "X"})
    env.reset()
    with pytest.raises(IllegalMoveError):
        env.step(0)
    with pytest.raises(ArgumentError, match="action: must be the number of a move, not 'd3'"):
        env.step("d3")  # type: ignore[arg-type]
    assert env.agent_selection == "player_0"


# Each form of Othello, and how it takes an action.
FORMS: list[tuple[Callable[[], Any], Callable[[int], Any]]] = [
    (lambda: environments.raw_env(render_mode="ansi"), int),
    (lambda: environments.SeatEnv("othello", "self", render_mode="ansi"), int),
    (lambda: environments.OthelloVectorEnv(1, "self", render_mode="ansi"), lambda action: [action]),
]
WHITE_TO_MOVE = quietmove.Position(moves="f5 d6 c3")


@pytest.mark.parametrize(("make", "given"), FORMS)
def test_every_form_starts_from_a_position_and_refuses_unknown_options(
    make: Callable[[], Any], given: Callable[[int], Any]
) -> None:
    env = make()
    env.reset(seed=1, options={"fen": WHITE_TO_MOVE.fen})
    env.step(given(19))
    after = WHITE_TO_MOVE.copy().push("d3")
    assert "".join(env.render()) == f"{after}\n"
    for wrong in ({"fem": FINISHED}, {"fen": FINISHED, "seed": 1}):
        with pytest.raises(ArgumentError, match=r"options: must be {'fen': …} or None, not"):
            env.reset(options=wrong)
    for wrong_fen in (5, "XO"):
        with pytest.raises(PositionError):
            env.reset(options={"fen": wrong_fen})
    assert "".join(env.render()) == f"{after}\n"


def test_every_game_of_the_vector_form_starts_from_the_position() -> None:
    env = environments.OthelloVectorEnv(20, level=2)
    seen, info = env.reset(seed=1, options={"fen": WHITE_TO_MOVE.fen})
    discs = seen["observation"].sum(axis=(1, 2, 3))
    assert set(info["side"]) == {0, 1}
    assert (discs == np.where(info["side"] == 1, 7, 8)).all()  # the opponent has moved if the learner is Black
    with pytest.raises(PositionError, match="the game must not end before your first move"):
        env.reset(options={"fen": FINISHED})


@pytest.mark.parametrize(
    ("game", "level"),
    [("othello", 2), ("othello 6x6", 9), ("einstein", 3), ("whist", 4), ("nim", "random"), (OWN[0], 7)],
)
def test_a_copy_goes_on_as_the_environment_does(game: str, level: int | str) -> None:
    env = environments.SeatEnv(game, level)
    mask = env.reset(seed=5)[1]["action_mask"]
    mask = env.step(np.flatnonzero(mask)[0])[4]["action_mask"]
    runs = []
    for each in (deepcopy(env), env):
        now, over, run = mask, False, []
        while not over:
            seen, reward, over, _, info = each.step(np.flatnonzero(now)[-1])
            now = info["action_mask"]
            run.append((seen["observation"].tolist(), reward, info["moves"]))
        runs.append(run)
    assert runs[0] == runs[1]
    aec = environments.env(game)
    aec.reset(seed=5)
    other = deepcopy(aec)
    other.step(np.flatnonzero(other.last()[0]["action_mask"])[0])
    assert aec.agent_selection == "player_0"
    assert (aec.last()[0]["observation"] != other.observe("player_0")["observation"]).any()


@pytest.mark.parametrize("level", ["random", 2, 8])
def test_a_copy_of_the_vector_form_goes_on_as_the_environment_does(level: int | str) -> None:
    env = environments.OthelloVectorEnv(3, level)
    env.reset(seed=5)
    other = deepcopy(env)
    for _ in range(40):
        actions = other.random_actions()
        seen, rewards, *_ = other.step(actions)
        assert (env.random_actions() == actions).all()
        expected, expected_rewards, *_ = env.step(actions)
        assert (expected["observation"] == seen["observation"]).all()
        assert (expected_rewards == rewards).all()


@pytest.mark.parametrize("size", [4, 6, 8])
def test_actions_number_the_squares_of_the_board(size: int) -> None:
    game = f"othello {size}x{size}"
    env = environments.raw_env(game)
    chance, passes = random.Random(1), 0
    for seed in range(5):
        env.reset(seed=seed)
        position = quietmove.Position(game)
        while not position.is_over:
            mask = env.last()[0]["action_mask"]
            assert len(mask) == size * size + 1 == env.action_space("player_0").n
            names = [f"{'abcdefgh'[number % size]}{number // size + 1}" for number in range(size * size)] + ["pass"]
            assert {names[action] for action in np.flatnonzero(mask)} == set(position.legal_moves)
            action = chance.choice(np.flatnonzero(mask).tolist())
            env.step(action)
            position.push(names[action])
            passes += names[action] == "pass"
        assert env.rewards["player_0"] == np.sign(position.result)
    assert passes
    env.reset()
    with pytest.raises(IllegalMoveError, match=r"action: must be one of \[.*\], not 0"):
        env.step(0)


FINISHED = f"{'X' * 40}{'-' * 24} X"


def test_a_finished_position_has_its_rewards_at_once() -> None:
    env = environments.env()
    env.reset(options={"fen": FINISHED})
    rewards = {}
    for agent in env.agent_iter():
        _, rewards[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
    assert rewards == {"player_0": 1, "player_1": -1}
    with pytest.raises(PositionError, match="the game must not end before your first move"):
        environments.SeatEnv("othello", level="random").reset(options={"fen": FINISHED})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Quietmove/Othello-v0", {"level": 3, "render_mode": "rgb_array"}),
        ("Quietmove/Einstein-v0", {"level": 2, "render_mode": "ansi"}),
        ("Quietmove/Whist-v0", {"level": 4, "side": 1}),
        ("Quietmove/Nim-v0", {"level": "self"}),
        ("Quietmove/Game-v0", {"game": OWN[0], "level": "random"}),
    ],
)
def test_a_seat_is_an_environment_by_the_test_of_gymnasium(name: str, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*render", UserWarning)
        check_env(gymnasium.make(name, **options).unwrapped, skip_render_check="render_mode" not in options)


def play_seat(env: Any, seed: int) -> tuple[tuple[str, ...], float, int]:
    seen, info = env.reset(seed=seed)
    chance, over, reward = random.Random(seed), False, 0.0
    while not over:
        assert reward == 0
        assert (seen["action_mask"] == info["action_mask"]).all()
        seen, reward, over, _, info = env.step(chance.choice(np.flatnonzero(info["action_mask"]).tolist()))
    return info["moves"], reward, info["side"]


@pytest.mark.parametrize("game", ["othello", "whist", "einstein", "capture"])
def test_a_game_against_a_level_follows_from_its_seed(game: str) -> None:
    env = gymnasium.make("Quietmove/Game-v0", game=game, level=2)
    games = [play_seat(env, seed) for seed in (1, 2, 1)]
    assert games[0] == games[2] != games[1]
    if game != "whist":  # whist's moves do not include the deal
        for moves, reward, side in games:
            result = quietmove.Position(game, moves=moves).result
            assert result is not None
            assert reward == np.sign(result) * (1, -1)[side]


def test_an_illegal_action_loses() -> None:
    env = gymnasium.make("Quietmove/Othello-v0", level="random", side=0)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(0)
    assert (reward, over, info["illegal"]) == (-1, True, True)


@pytest.mark.parametrize("level", ["self", "random", 1])
def test_the_vector_form_plays_by_the_rules(level: int | str) -> None:
    """Each game is followed by a position of the engine, as far as its own moves are known."""
    count = 5
    env = gymnasium.make_vec("Quietmove/Othello-v0", num_envs=count, level=level)
    seen, _ = env.reset(seed=3)
    ended = np.zeros(count, bool)
    boards = [quietmove.Position() for _ in range(count)]
    finished = 0
    for _ in range(130 if level == "self" else 70):
        actions = env.unwrapped.random_actions()
        for game in range(count):
            mask = seen["action_mask"][game]
            assert ended[game] or mask[actions[game]] == 1
            if level == "self":
                legal = [get_game("othello").format_move(move) for move in np.flatnonzero(mask)]
                assert sorted(legal) == sorted(boards[game].legal_moves)
                own, other = (seen["observation"][game, ..., plane].sum() for plane in (0, 1))
                discs = boards[game].discs
                black = boards[game].turn == "black"
                assert [own, other] == list(discs)[:: 1 if black else -1]
                if ended[game]:
                    boards[game] = quietmove.Position()
                else:
                    boards[game].push(get_game("othello").format_move(int(actions[game])))
        seen, rewards, now_ended, cut, _ = env.step(actions)
        assert not cut.any()
        assert not rewards[ended].any()
        for game in np.flatnonzero(now_ended):
            finished += 1
            if level == "self":
                result = boards[game].result
                assert result is not None
                mover = 1 if boards[game].turn == "white" else -1  # Black moved last if White is to move
                assert rewards[game] == np.sign(result) * mover
        ended = now_ended.copy()
    assert finished >= count


def test_the_vector_form_repeats_a_seed_and_refuses_wrong_actions() -> None:
    env = environments.OthelloVectorEnv(4, level="random")
    runs = []
    for _ in range(2):
        env.reset(seed=7)
        runs.append([env.step(env.random_actions())[0]["observation"] for _ in range(80)])
    assert all((first == second).all() for first, second in zip(*runs, strict=True))
    env.reset(seed=7)
    _, rewards, over, _, _ = env.step([64, 64, 0, 900])
    assert rewards.tolist() == [-1] * 4
    assert over.all()
    assert env.step([0] * 4)[1].tolist() == [0] * 4  # the next games have started
    before = env.step(env.random_actions())[0]["observation"]
    for wrong, given in (([1, 2, 3], r"int64 of \(3,\)"), ([1.5] * 4, r"float64 of \(4,\)"), (None, r"object of \(\)")):
        with pytest.raises(ValueError, match=rf"actions: must be integers of the shape \(4,\), not {given}"):
            env.step(wrong)
    assert (env._observation()["observation"] == before).all()
    for many in (0, -1, "two"):
        with pytest.raises(ValueError, match=f"num_envs: must be a positive integer, not {many!r}"):
            environments.OthelloVectorEnv(many)
    with pytest.raises(ValueError, match="game: the vector environment supports only othello"):
        environments.OthelloVectorEnv(2, game="nim")


def test_a_replay_buffer_keeps_what_was_observed() -> None:
    """Every step returns arrays of its own; ``copy=False`` returns the same ones again."""
    env = environments.OthelloVectorEnv(3, level="self")
    buffer = [env.reset(seed=1)[0]]
    buffer += [env.step(env.random_actions())[0] for _ in range(5)]
    assert [int(seen["observation"].sum()) for seen in buffer] == [3 * discs for discs in range(4, 10)]
    assert len({seen["action_mask"].tobytes() for seen in buffer}) > 1
    env = environments.OthelloVectorEnv(3, level="self", copy=False)
    first = env.reset(seed=1)[0]
    assert env.step(env.random_actions())[0]["observation"] is first["observation"]


def test_the_vector_form_says_the_side() -> None:
    env = environments.OthelloVectorEnv(64, level="random")
    info = env.reset(seed=1)[1]
    sides = info["side"]
    assert set(sides.tolist()) == {0, 1}
    assert info["_side"].all()
    seen, *_, info = env.step(env.random_actions())
    assert (info["side"] == sides).all()
    assert (sides == (seen["observation"].sum(axis=(1, 2, 3)) % 2)).all()  # Black moves if the number of discs is even
    env = environments.OthelloVectorEnv(2, level="self")
    assert env.reset(seed=1)[1]["side"].tolist() == [0, 0]
    assert env.step(env.random_actions())[4]["side"].tolist() == [1, 1]


def test_the_vector_form_renders_every_game() -> None:
    env: Any = gymnasium.make_vec("Quietmove/Othello-v0", num_envs=2, level="self", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == (f"{quietmove.Position()}\n",) * 2
    env.step(np.array([19, 26]))
    assert env.render() == tuple(f"{quietmove.Position(moves=move)}\n" for move in ("d3", "c4"))
    env = environments.OthelloVectorEnv(2, level="self", render_mode="rgb_array")
    env.reset(seed=1)
    assert [picture.shape[2] for picture in env.render()] == [3, 3]
    with pytest.raises(ArgumentError, match="render_mode: must be None, ansi or rgb_array, not 'human'"):
        environments.OthelloVectorEnv(2, render_mode="human")


@pytest.mark.parametrize("size", [4, 6])
def test_the_vector_form_plays_on_small_boards_as_the_single_one(size: int) -> None:
    game = f"othello {size}x{size}"
    many: Any = gymnasium.make_vec("Quietmove/Othello-v0", 3, game=game, level="self")
    alone = environments.SeatEnv(game, "self")
    seen, _ = many.reset(seed=1)
    mask = alone.reset(seed=1)[1]["action_mask"]
    assert many.single_action_space.n == alone.action_space.n == size * size + 1  # type: ignore[attr-defined]
    over = False
    while not over:
        assert (seen["action_mask"] == mask).all()
        action = int(np.flatnonzero(mask)[len(np.flatnonzero(mask)) // 2])
        seen, rewards, ended, _, _ = many.step(np.full(3, action))
        observation, reward, over, _, info = alone.step(action)
        mask = info["action_mask"]
        assert (seen["observation"] == observation["observation"]).all()
        assert (ended == over).all()
        assert (rewards == reward).all()
    against = environments.OthelloVectorEnv(4, level=6, game=game)
    against.reset(seed=1)
    for _ in range(12):
        assert not np.isnan(against.step(against.random_actions())[1]).any()


@pytest.mark.parametrize("size", [4, 6, 8])
def test_a_batch_of_boards_follows_the_rules(size: int) -> None:
    game = f"othello {size}x{size}"
    boards = environments.Boards(5, size)
    positions = [quietmove.Position(game) for _ in range(5)]
    names = [f"{'abcdefgh'[number % size]}{number // size + 1}" for number in range(size * size)] + ["pass"]
    chance = random.Random(size)
    while not all(position.is_over for position in positions):
        masks = boards.legal_masks()
        moves = []
        for mask, position in zip(masks, positions, strict=True):
            assert {names[move] for move in np.flatnonzero(mask)} == set(position.legal_moves)
            moves.append(chance.choice(np.flatnonzero(mask).tolist() or [0]))
            if not position.is_over:
                position.push(names[moves[-1]])
        before = boards.copy()
        boards.push(moves)
        assert (before.legal_masks() == masks).all()
    assert [["black", "white"].index(position.turn) for position in positions] == boards.turns.tolist()
    signs = np.where(boards.turns == 0, 1, -1)
    assert (signs * boards.results()).tolist() == [position.result for position in positions]
    assert sorted(map(int.bit_count, boards.discs[0].tolist())) == sorted(positions[0].discs)
    assert (boards.planes()[0].sum(axis=(0, 1)) == list(map(int.bit_count, boards.discs[0].tolist()))).all()


def test_playouts_follow_from_their_seed_and_wrong_arrays_change_nothing() -> None:
    boards = environments.Boards(3, 6)
    results = boards.random_playouts([0, 2] * 500, seed=4)
    assert results.shape == (1000,)
    assert (results == boards.random_playouts([0, 2] * 500, seed=4)).all()
    assert (results != boards.random_playouts([0, 2] * 500, seed=5)).any()
    assert set((results % 2).tolist()) == {0}
    assert abs(results.mean()) < 5 < results.max()
    other = environments.Boards.from_discs(*boards.discs.T, size=6)
    assert (other.discs == boards.discs).all()
    other.push(other.legal_masks().argmax(axis=1))
    arena = environments.Boards(6, 6)
    arena[[5, 0]] = other.copy([1, 2])
    assert [(row == other.discs[1]).all() for row in arena.discs] == [True, False, False, False, False, True]
    with pytest.raises(ArgumentError, match="opponent: must have no square in common"):
        environments.Boards.from_discs(boards.discs[:, 0], boards.discs[:, 0])
    words = boards.discs
    for wrong in ([1, 2], [1.5] * 3, None):
        with pytest.raises(ArgumentError, match=r"moves: must be integers of the shape \(3,\)"):
            boards.push(wrong)
    good = int(boards.legal_masks()[0].argmax())
    for bad in (0, 36, 37, -1, 900):
        with pytest.raises(IllegalMoveError, match=rf"moves: board 2: must be one of \[.*\], not {bad}"):
            boards.push([good, good, bad])
    assert (boards.discs == words).all()
    for given in ({"count": 0}, {"count": 1, "size": 5}):
        with pytest.raises(ArgumentError):
            environments.Boards(**given)


def test_a_level_beats_random_play() -> None:
    env = environments.OthelloVectorEnv(4, level=9)
    env.reset(seed=1)
    assert np.concatenate([env.step(env.random_actions())[1] for _ in range(34)]).sum() <= -3


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4, 5, 6])
def test_a_level_plays_the_same_moves_in_a_batch_as_alone(level: int) -> None:
    games = 3
    batch = LevelBatch(games, level)
    alone = LevelPlayer("othello", level)
    passes = 0
    for game in range(games):
        batch.begin(70 + game, game)
        alone.begin(70 + game)
        board = quietmove.Board()
        for ply, move in enumerate(board.copy().random_game(game)):
            side = ply % 2
            black, white = (board.opponent, board.own) if side else (board.own, board.opponent)
            chosen = batch.choose(black, white, side, game)
            assert board.format_move(chosen) == alone.choose((), board.fen)
            passes += chosen == 64
            board.push(move)
    assert passes  # including the last moves, which a level plays without mistakes


@pytest.mark.parametrize(
    "script",
    [
        "import quietmove, gymnasium; quietmove.environments; gymnasium.make('Quietmove/Othello-v0')",
        "import gymnasium; gymnasium.make('quietmove.environments:Quietmove/Othello-v0')",
    ],
)
def test_the_environments_are_found_after_one_import(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, text=True, timeout=WAIT)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_without_the_extra_is_told_its_name() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import quietmove.environments"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True, timeout=WAIT)
    last = done.stderr.splitlines()[-1]
    assert last == f"ImportError: quietmove.environments needs pettingzoo: {install_command('environments')}"
