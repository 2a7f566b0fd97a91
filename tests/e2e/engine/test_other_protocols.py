"""The protocols of other programs, spoken by the real process: whole games, searches and inputs that are ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quietmove.engine.games.registry import get_game

Start = Callable[..., Any]
GAME = get_game("othello")
RECORD = "(;GM[Othello]PB[a]PW[b]TY[8]BO[8 ---------------------------O*------*O--------------------------- *];)"


def test_gtp_plays_a_whole_game_against_itself(start: Start) -> None:
    """Every move that it makes is legal, and its score at the end is that of the board."""
    engine = start("--protocol", "gtp", "--depth", "1")
    position = GAME.initial()
    while legal := position.legal_moves():
        engine.send(f"genmove {'bw'[position.side_to_move]}")
        text = engine.expect(r"= (\S+)")[1]
        assert text in map(GAME.format_move, legal)
        position.play(GAME.parse_move(position, text))
    result = position.result() // 100
    engine.answers("final_score", f"= {'B' if result > 0 else 'W'}\\+{abs(result)}" if result else "= 0")
    assert engine.end()[1] == 0


def test_gtp_is_interrupted_by_a_comment(start: Start) -> None:
    engine = start("--protocol", "gtp", "--depth", "60")
    engine.send("7 genmove b", "8 name")
    engine.answers("# interrupt", "=7 [a-h][1-8]")
    engine.expect("=8 Quietmove")


def test_ugi_plays_a_whole_game_against_itself(start: Start) -> None:
    engine = start()
    engine.answers("ugi", "ugiok")
    position, moves = GAME.initial(), ""
    while position.legal_moves():
        engine.send(f"position startpos{' moves' if moves else ''}{moves}", "go p1time 100 p2time 100 depth 1")
        text = engine.expect(r"bestmove (\S+)")[1]
        position.play(GAME.parse_move(position, "pass" if text == "0000" else text))
        moves += f" {text}"
    engine.send(f"position startpos moves{moves}")
    result = position.result()
    engine.answers("query result", f"response {'p1win' if result > 0 else 'p2win' if result < 0 else 'draw'}")


def test_nboard_plays_a_whole_game_against_itself_and_analyses_it(start: Start) -> None:
    engine = start()
    engine.answers("nboard 2", "set myname Quietmove .*")
    engine.send(f"set game {RECORD}", "set depth 1")
    position, count = GAME.initial(), 0
    while position.legal_moves():
        engine.send("go")
        text = engine.expect(r"=== (\w\w).*")[1]
        position.play(GAME.parse_move(position, "pass" if text == "PA" else text))
        engine.send(f"move {text.upper()}/1.5/0.1")
        count += 1
    side = position.side_to_move
    engine.answers("analyze", f"analysis {count} {(-position.result() if side else position.result()) / 100:.2f}")
    engine.expect("analysis 0 .*")
    engine.answers("ping 5", "pong 5")
