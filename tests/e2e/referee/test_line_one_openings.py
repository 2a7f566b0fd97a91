"""Openings that a moves-only program reads in line one; real processes."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from quietmove.referee.arguments.engine_args import parse_engine
from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec, TimeControl
from quietmove.referee.errors import SetupError
from quietmove.referee.game.host import GameHost

PROGRAM = f"cmd={sys.executable} -m quietmove --project"


def spec(opening: tuple[str, ...], *words: str) -> GameSpec:
    program = parse_engine([PROGRAM, "name=program", "protocol=project", "depth=1", *words])
    other = EngineConfig("other", protocol="in-process", limit=TimeControl(depth=1))
    return GameSpec("othello", opening, program, other, keep_dialogue=True, adjudication=Adjudication(max_plies=8))


@pytest.mark.parametrize(
    ("opening", "is_black"), [(("d3",), True), (("f5", "d6", "c3"), False), (("d3", "c3", "c4", "e3"), True)]
)
def test_a_game_begins_after_the_moves_of_line_one(opening: tuple[str, ...], is_black: bool) -> None:
    found = spec(opening, "openings=line")
    if not is_black:
        found = replace(found, black=found.white, white=found.black)
    with GameHost() as host:
        record = host.play(found)
    assert record.reason == "adjudicated", record.detail
    assert tuple(move.move for move in record.moves[: len(opening)]) == opening
    lines = [line for line in record.dialogue if "game " in str(line)]
    assert "".join(opening) in str(lines[0])


@pytest.mark.parametrize(
    ("opening", "words", "said"),
    [
        (("d3",), (), "opening: must be empty with protocol=project, not d3"),
        (("d3", "pass"), ("openings=line",), "must be moves without a pass"),
        (("---------------------------OX------XO--------------------------- X",), ("openings=line",), "must be moves"),
    ],
)
def test_what_line_one_cannot_say_is_refused(opening: tuple[str, ...], words: tuple[str, ...], said: str) -> None:
    with pytest.raises(SetupError, match=said), GameHost() as host:
        host.play(spec(opening, *words))


def test_openings_without_line_one_are_refused() -> None:
    with pytest.raises(SetupError, match="openings: must be none with line=none"):
        parse_engine(["cmd=./x {color}", "protocol=project", "line=none", "openings=line"])
