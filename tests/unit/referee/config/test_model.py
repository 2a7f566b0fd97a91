from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from quietmove.referee.arguments.engine_args import parse_engine, read_engine
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.errors import SetupError
from tests.fakes.addons import needs_dialects

ENGINE = EngineConfig("alpha", ("alpha",))


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("tc=10+0.1", TimeControl(base_ms=10_000, increment_ms=100)),
        ("tc=0.5+0", TimeControl(base_ms=500)),
        ("tc=40/60+1", TimeControl(base_ms=60_000, increment_ms=1000, moves=40)),
        ("movetime=200", TimeControl(movetime_ms=200)),
        ("nodes=1000", TimeControl(nodes=1000)),
        ("depth=6", TimeControl(depth=6)),
    ],
)
def test_time_control_reads_what_it_writes(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert str(control) == text


def test_only_times_are_scaled() -> None:
    for text, scaled in (
        ("tc=10+0.1", "tc=15+0.15"),
        ("tc=40/60+0", "tc=40/90+0"),
        ("movetime=1", "movetime=2"),
        ("nodes=7", "nodes=7"),
        ("depth=7", "depth=7"),
    ):
        assert str(TimeControl.parse(text).scaled(1.5)) == scaled
    assert TimeControl.parse("movetime=1").scaled(0.01) == TimeControl(movetime_ms=1)


HUGE = 5000 * "9"
REFUSED = "tc= tc=x tc=-1+0 tc=1+ tc=0+1 tc=0/5 tc=1e3 movetime=0 movetime=0.5 nodes=-1 depth= depth=² time=5 depth"


@pytest.mark.parametrize("text", ["", *REFUSED.split(), f"tc={HUGE}", f"tc=1+{HUGE}", f"nodes={HUGE}"])
def test_time_control_refuses(text: str) -> None:
    with pytest.raises(SetupError, match="must be"):
        TimeControl.parse(text)


def test_engine_from_words() -> None:
    words = [
        "cmd=python3 -u 'my engine.py' --fast=1",
        "name=Mine",
        "tc=10+0.1",
        "option.Move Overhead=30",
        "margin=5ms",
    ]
    assert parse_engine([*words, "start=7", "stall=9", "option.Hash=1"]) == EngineConfig(
        name="Mine",
        command=("python3", "-u", "my engine.py", "--fast=1"),
        options=(("Move Overhead", "30"), ("Hash", "1")),
        limit=TimeControl(base_ms=10_000, increment_ms=100),
        margin_ms=5,
        start_timeout_ms=7,
        stall_timeout_ms=9,
    )


def test_how_an_engine_is_started_from_words() -> None:
    words = ["cmd=a", "cwd=/x y", "cpus=0,2", "memory=256", "cpu_seconds=60", "env.A=b=c", "env.D="]
    assert parse_engine(words, ["env.A=z", "memory=1"]) == EngineConfig(
        "a", ("a",), cwd="/x y", cpus=(0, 2), memory=256, cpu_seconds=60, env=(("A", "b=c"), ("D", ""))
    )


def test_words_outrank_defaults_and_a_limit_any_other_limit() -> None:
    defaults = ["nodes=5", "margin=1", "option.Hash=1"]
    engine = parse_engine(["cmd=a", "depth=3", "option.Hash=2"], defaults)
    assert (engine.limit, engine.margin_ms, engine.options) == (TimeControl(depth=3), 1, (("Hash", "2"),))
    assert parse_engine(["cmd=a"], defaults).limit == TimeControl(nodes=5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "cmd: must be given"),
        (["cmd='a"], "cmd: must be a program and its arguments"),
        (["cmd=a", "fast"], "not 'fast'"),
        (["cmd=a", "marging=5"], "not 'marging'; did you mean margin"),
        (["cmd=a", "cmd=b"], "cmd: must be given once, not as 'a' and 'b'"),
        (["cmd=a", "depth=5", "nodes=5"], "limit: must be given once"),
        (["cmd=a", "margin=-5"], "margin: must be greater than or equal to 0, not '-5'"),
        (["cmd=a", "stall=0"], "stall: must be"),
        (["cmd=a", "name="], "name: must have at least 1 character"),
        (["cmd=a", "env.=1"], "not 'env.'"),
        (["cmd=a", "env.A=x\x00y"], "env.A: must contain only printable characters"),
        (["cmd=a", "cpus=0-1"], "cpus.0: must be"),
        (["cmd=a", "protocol=cecp"], "protocol: must be one of uci, project, ugi, json, .*not 'cecp'"),
        (["cmd=a", "protocol=project", "coordinates=one"], "coordinates: must be 'slide' or 'zero', not 'one'"),
        (["cmd=a B", "protocol=project", "line=none"], r"cmd: must contain \{color\} with line=none, .*, not a B"),
        (["cmd=a", "unit=s"], "unit: applies only to protocol project"),
        (["cmd=a", "option.X=a\nquit"], "option.X: must contain only printable"),
        (["cmd=a", "protocol=project", "option.X=1"], "option: must not be given with protocol=project"),
        pytest.param(
            ["cmd=a", "protocol=gtp", "movetime=50"], "for protocol=gtp, not movetime=50", marks=needs_dialects
        ),
        (["cmd=a", "protocol=project", "nodes=5"], "for protocol=project, not nodes=5"),
        (["cmd=a", "protocol=project", "tc=5+1"], r"for protocol=project, not tc=5\+1"),
        (["cmd=a", "protocol=project", "tc=40/5"], r"for protocol=project, not tc=40/5\+0"),
    ],
)
def test_engine_words_refused(words: list[str], message: str) -> None:
    with pytest.raises(SetupError, match=message):
        parse_engine(words)


def test_every_mistake_is_reported_at_once_and_the_rest_is_read() -> None:
    config, problems = read_engine(["cmd=a", "marging=5", "stall=0", "nodes=5", "option.X=1", "noise"], ["margin=x"])
    assert config == EngineConfig("a", ("a",), limit=TimeControl(nodes=5), options=(("X", "1"),))
    for problem, words in zip(problems, ("not 'marging'", "not 'noise'", "margin: must", "stall: must"), strict=True):
        assert problem.startswith("engine: ")
        assert words in problem


def test_a_setting_of_another_kind_of_seat_is_an_error_of_its_own_words_alone() -> None:
    defaults = ["unit=ms", "coordinates=zero"]
    assert parse_engine(["cmd=a"], defaults).settings == ()
    project = parse_engine(["cmd=a", "protocol=project", "coordinates=slide"], defaults)
    assert project.settings == (("coordinates", "slide"), ("unit", "ms"))


def test_an_engine_is_kept_for_games_that_ask_for_the_same_process() -> None:
    one = EngineConfig("a", ("a",), options=(("Hash", "1"),), margin_ms=5)
    alike = replace(one, name="b", options=(("Hash", "2"),), margin_ms=6, limit=TimeControl(nodes=9))
    assert one.reuse_key == alike.reuse_key
    others: list[dict[str, Any]] = [
        {"memory": 9},
        {"env": (("A", "b"),)},
        {"options": ()},
        {"settings": (("ponder", True),)},
    ]
    for other in others:
        assert replace(one, **other).reuse_key != one.reuse_key
