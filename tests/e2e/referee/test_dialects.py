"""Engines of any two protocols play each other, as real processes; one of them is not ours."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace

import pytest

import quietmove
from quietmove.referee.config.model import EngineConfig, GameSpec, TimeControl
from quietmove.referee.game.host import GameHost, play_game
from tests.fakes.addons import needs_dialects, present_games

OPENING = ("f5", "f6", "d3")
RHINO = shutil.which("gtp-rhino", path=f"{os.environ.get('PATH', '')}:/usr/games")
CI_INSTALLS_IT = "QUIETMOVE_CI" in os.environ

MUST_PASS = ("f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6")  # Black must pass
PLACE = ("-OOO-X---OOOOX--OOOOOXO-OOXXOXX-OOOXXXXXOXXOXX--XXXXXX----XXX--- O",)  # White is to move, and must be told so
INSIDE = EngineConfig("inside", protocol="in-process", limit=TimeControl(depth=1))


def ours(protocol: str, *flags: str) -> EngineConfig:
    """Return this engine behind a protocol; the flag is what a user would write."""
    command = ("quietmove", "--protocol", protocol, *flags)
    return EngineConfig(protocol, command, protocol=protocol, limit=TimeControl(depth=1))


def spec_of(black: EngineConfig, white: EngineConfig, opening: tuple[str, ...] = ()) -> GameSpec:
    return GameSpec("othello", opening, black, white)


@pytest.mark.parametrize(
    ("engine", "openings"),
    [
        (ours("ugi"), (OPENING, PLACE)),
        pytest.param(ours("gtp", "--depth", "1"), (OPENING, OPENING), marks=needs_dialects),
        pytest.param(ours("nboard"), (OPENING, PLACE), marks=needs_dialects),
        (ours("project"), ((), ())),
    ],
)
def test_our_engine_plays_both_colours_in_each_protocol(
    engine: EngineConfig, openings: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    """In one process where the protocol has another game, from an opening or a position where it can."""
    with GameHost(4) as host:
        for opening, (black, white) in zip(openings, ((engine, INSIDE), (INSIDE, engine)), strict=True):
            record = host.play(spec_of(black, white, opening))
            assert record.reason == "finished", record.detail
            assert record.transcript.start == (opening[0] if opening == PLACE else "")
            assert record.transcript.position().is_over


JSON_PLAYER = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    assert told["data"] < len(told["moves"]) if "data" in told else len(told["moves"]) < 4
    print(json.dumps({"move": told["legal_moves"][-1], "data": len(told["moves"])}), flush=True)
"""


@pytest.mark.parametrize("game", present_games("othello", "einstein", "whist", "capture", "nim"))
def test_a_player_that_speaks_json_plays_games_of_every_kind(game: str) -> None:
    """As both colours in one process, which is given back what it wrote, but not that of the game before."""
    player = EngineConfig("json", (sys.executable, "-S", "-c", JSON_PLAYER), "json")
    with GameHost(4) as host:
        for black, white in ((player, INSIDE), (INSIDE, player)):
            record = host.play(GameSpec(game, (), black, white))
            assert record.reason == "finished", record.detail


def test_a_bot_that_is_started_for_each_turn() -> None:
    """As Botzone does it; a shell's loop is the player."""
    bot = "import json; told = json.loads(input()); print(json.dumps({'move': told['legal_moves'][0]}))"
    loop = f'while read -r line; do printf "%s\\n" "$line" | {sys.executable} -S -c "{bot}"; done'
    player = EngineConfig("bot", ("sh", "-c", loop), "json", limit=TimeControl(depth=1))
    record = play_game(GameSpec("tictactoe", (), player, INSIDE))
    assert record.reason == "finished", record.detail


@needs_dialects
def test_a_gtp_engine_that_refuses_to_begin() -> None:
    script = r"while read -r line; do [ $line = clear_board ] && printf '? out of order\n\n' || printf '=\n\n'; done"
    record = play_game(spec_of(EngineConfig("rebel", ("sh", "-c", script), "gtp"), INSIDE))
    assert record.reason == "illegal"
    assert "refused 'clear_board': ? out of order" in record.detail


@needs_dialects
@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_a_move_that_was_taken_back_is_forgotten_by_the_engine(protocol: str) -> None:
    flags = ["--depth", "1"] if protocol == "gtp" else []
    command = [sys.executable, "-m", "quietmove", "--protocol", protocol, *flags]
    with quietmove.Engine(quietmove.player(command, limit="depth=1")) as engine:
        for moves in ("f5", "d3", "d3 c3 c4", "e6"):
            position = quietmove.Position("othello", moves=moves)
            assert engine.best_move(position).move in position.legal_moves


@needs_dialects
@pytest.mark.skipif(
    RHINO is None and not CI_INSTALLS_IT, reason="the program gtp-rhino, of Debian's package grhino, is not there"
)
def test_a_match_against_an_independent_engine() -> None:
    """Both agree on the rules for two whole games. In one it is told a pass, which it need not know, and refuses."""
    assert RHINO is not None, "CI installs grhino"
    rhino = EngineConfig("rhino", (RHINO,), protocol="gtp", limit=TimeControl(depth=1), stall_timeout_ms=60000)
    for black, white, opening in ((INSIDE, rhino, MUST_PASS), (rhino, INSIDE, OPENING)):
        record = play_game(replace(spec_of(black, white, opening), keep_dialogue=True))
        assert record.reason == "finished", record.detail
        assert opening == OPENING or any(" white < ?" in line for line in record.dialogue)
