"""UGI, without its process: what is other than in the UCI-style protocol."""

from __future__ import annotations

from collections.abc import Callable

from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol import runner
from quietmove.engine.protocol.lines import parse_go
from quietmove.engine.protocol.options import OPTIONS
from quietmove.engine.session import Options
from quietmove.engine.values import Limits

Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]
GAME = get_game("othello")


def answers(pipes: Pipes, *lines: str) -> list[str]:
    """Return the lines that follow `ugiok`."""
    source, sink, written = pipes("\n".join(("ugi", *lines)) + "\n")
    assert runner.run(source=source, sink=sink) == 0
    said = written().splitlines()
    return said[said.index("ugiok") + 1 :]


def test_the_options_are_those_of_the_session(pipes: Pipes) -> None:
    source, sink, written = pipes("ugi\n")
    assert runner.run(source=source, sink=sink) == 0
    said = written().splitlines()
    assert said[0].startswith("id name Quietmove")
    assert said[2:-1] == [option.declare() for option in OPTIONS if option.holder is Options]


def test_results_that_the_first_player_does_not_win(pipes: Pipes) -> None:
    lines = ["query result", "query p1turn", "query gameover", "setoption name Game value tictactoe"]
    lines += ["position startpos moves a1 b2 c3 a2 c2 c1 a3 b3 b1", "query result"]
    lines += ["position startpos moves a1 b2 b1 c1 c2 a3", "query result", "query gameover"]
    told = ("none", "true", "false", "draw", "p2win", "true")
    assert answers(pipes, *lines) == [f"response {word}" for word in told]


def test_bestmove_has_two_words_and_the_move_is_algebraic(pipes: Pipes) -> None:
    said = answers(pipes, "go depth 3")
    assert said[-1] in ("bestmove d3", "bestmove c4", "bestmove f5", "bestmove e6")
    assert all(len(word) == 2 for word in said[0].partition(" pv ")[2].split())
    assert answers(pipes, "position startpos moves f5 f6 d3 g5 h5 h4 f7 h6", "go depth 1")[-1] == "bestmove 0000"


def test_the_clocks_are_those_of_the_players() -> None:
    limits = parse_go(["p1time", "1", "p2time", "2", "p1inc", "3", "p2inc", "4"], 0, lambda _: ())
    assert limits == Limits(time=1, increment=3, opponent_time=2, opponent_increment=4)


def test_the_commands_of_uci_are_not_there(pipes: Pipes) -> None:
    assert answers(pipes, "uci", "ucinewgame", "isready") == ["readyok"]
    assert answers(pipes, "position startpos moves f5", "uginewgame", "query p1turn") == ["response true"]
