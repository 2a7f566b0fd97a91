"""The bot for OpenSpiel in its own harness, and the converter of states beside the rules of both programs."""

from __future__ import annotations

import random
import subprocess
import sys

import pyspiel
import pytest

import quietmove
from quietmove.engine.errors import PositionError, UnknownGameError
from quietmove.environments.open_spiel import QuietmoveBot, to_position, to_state
from tests.fakes.processes import WAIT

GAMES = {
    "othello": "othello",
    "tic_tac_toe": "tictactoe",
    "connect_four": "connect4",
    "connect_four(rows=4,columns=5,x_in_row=3)": "connect 5x4x3",
    "connect_four(rows=4,columns=4,x_in_row=4)": "connect 4x4x4",
    "connect_four(rows=4,columns=4,x_in_row=3)": "connect",
}


@pytest.mark.parametrize(("theirs", "ours"), GAMES.items())
def test_states_and_positions_are_the_same_move_by_move(theirs: str, ours: str) -> None:
    passes = 0
    for seed in range(6):
        chance, state = random.Random(seed), pyspiel.load_game(theirs).new_initial_state()
        while not state.is_terminal():
            position = to_position(state)
            assert quietmove.Position(ours) == quietmove.Position(position.game)
            assert position.turn == position.players[state.current_player()]
            legal = {state.action_to_string(each).lower(): each for each in state.legal_actions()}
            assert len(position.legal_moves) == len(legal)
            back = to_state(position)
            assert str(back) == str(state)
            assert back.legal_actions() == state.legal_actions()
            passes += position.legal_moves == ["pass"]
            state.apply_action(chance.choice(state.legal_actions()))
        result = to_position(state).result
        assert result is not None
        assert state.returns() == [(result > 0) - (result < 0), (result < 0) - (result > 0)]
        assert to_state(to_position(state)).is_terminal()
    assert passes > 0 or theirs != "othello"


def play(first: pyspiel.Bot, second: pyspiel.Bot, game: str, seed: int = 1) -> list[float]:
    state = pyspiel.load_game(game).new_initial_state()
    returns = list(pyspiel.evaluate_bots(state, [first, second], seed))
    assert state.is_terminal()
    return returns


@pytest.mark.parametrize("game", GAMES)
def test_a_level_plays_whole_games_in_the_harness_of_openspiel(game: str) -> None:
    assert sum(play(QuietmoveBot(level=3), QuietmoveBot(level=2, seed=5), game)) == 0


def test_a_level_beats_openspiels_random_bot() -> None:
    won = [0.0, 0.0]
    for seed in range(3):
        won[0] += play(QuietmoveBot(level=8), pyspiel.make_uniform_random_bot(1, seed), "othello", seed)[0]
        won[1] += play(pyspiel.make_uniform_random_bot(0, seed), QuietmoveBot(level=8), "othello", seed)[1]
    assert won == [3, 3]


def test_a_seed_repeats_a_game_and_each_game_has_its_own() -> None:
    def games(seed: int) -> list[list[int]]:
        bots, histories = [QuietmoveBot(level=1, seed=seed), QuietmoveBot(level=2, seed=seed)], []
        for _ in range(2):
            state = pyspiel.load_game("othello").new_initial_state()
            pyspiel.evaluate_bots(state, bots, 1)
            histories.append(state.history())
        return histories

    assert games(3) == games(3)
    assert games(3)[0] != games(3)[1]


def test_what_cannot_be_converted_is_refused_by_name() -> None:
    with pytest.raises(UnknownGameError, match="game: must be one of othello, tic_tac_toe, connect_four, not 'hex'"):
        QuietmoveBot().step(pyspiel.load_game("hex").new_initial_state())
    with pytest.raises(UnknownGameError, match="not 'nim'"):
        to_state(quietmove.Position("nim"))
    with pytest.raises(PositionError, match="must have been reached by moves from the start"):
        to_state(quietmove.Position(moves="f5 d6").copy(moves=False))
    with pytest.raises(PositionError, match=r"must be a quietmove\.Position"):
        to_state("f5 d6")  # type: ignore[arg-type]
    for wrong in (21, -1, "random", "strong"):
        with pytest.raises(ValueError, match="level: must be a"):
            QuietmoveBot(level=wrong)  # type: ignore[arg-type]


def test_a_program_without_openspiel_is_told_so() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import quietmove.environments.open_spiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True, timeout=WAIT)
    last = done.stderr.splitlines()[-1]
    assert last == "ImportError: quietmove.environments.open_spiel needs OpenSpiel: pip install open_spiel"
