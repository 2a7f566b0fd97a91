"""The command line in process: what it prints, and the exit status of each way to end."""

import sys

import pytest

from quietmove.engine import cli, commands
from quietmove.engine.protocol import project, uci, wire


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["quietmove", *arguments])
    return cli.main()


def test_no_argument_is_the_protocol_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    monkeypatch.setattr(wire, "own_output", lambda: 77)
    monkeypatch.setattr(uci, "run", lambda sink: called.append(sink))
    assert run(monkeypatch) == 0
    assert called == [77]


def test_perft_and_divide(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "perft", "3", "--divide") == 0
    *moves, total = capsys.readouterr().out.splitlines()
    assert moves == ["d3 (4 6): 14", "c4 (3 5): 14", "f5 (6 4): 14", "e6 (5 3): 14"]
    assert total.startswith("perft 3: 56 leaves, ")


@pytest.mark.parametrize("position", ["XO X", "XO" * 32, "Z" * 64 + " X"])
def test_a_position_that_is_none_is_a_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], position: str
) -> None:
    assert run(monkeypatch, "perft", "3", "--position", position) == 2
    assert capsys.readouterr().err.startswith("quietmove: ")


def test_bench(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "bench", "--depth", "2") == 0
    nodes, signature = capsys.readouterr().out.splitlines()
    assert signature == f"Bench: {nodes.split()[0]}"


@pytest.mark.parametrize(
    ("arguments", "terms", "coordinates", "unit"),
    [
        ([], None, "slide", 1000),
        (["--milliseconds", "--coordinates", "zero"], None, "zero", 1),
        (["--color", "B"], project.Terms(0, 4), "slide", 1000),
        (["--color", "W", "--depth", "6"], project.Terms(1, 6), "slide", 1000),
        (["--color", "W", "--move-time", "1.5"], project.Terms(1, None, 1500), "slide", 1000),
        (["--color", "B", "--game-time", "60", "--depth", "9"], project.Terms(0, 9, None, 60_000), "slide", 1000),
        (["--color", "B", "--move-time", "0"], project.Terms(0, 4), "slide", 1000),
        (["--color", "B", "--move-time", "50", "--milliseconds"], project.Terms(0, None, 50), "slide", 1),
    ],
)
def test_the_project_player_gets_its_terms(
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    terms: project.Terms | None,
    coordinates: str,
    unit: int,
) -> None:
    called = []
    monkeypatch.setattr(project, "run", lambda *values: called.append(values))
    assert run(monkeypatch, "--project", *arguments) == 0
    assert called == [(terms, coordinates, unit)]


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(wire, "own_output", lambda: 77)
    monkeypatch.setattr(uci, "run", interrupt)
    monkeypatch.setattr(project, "run", interrupt)
    assert run(monkeypatch) == 130
    assert run(monkeypatch, "--project") == 130


def test_running_uncompiled_is_said_aloud(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("quietmove.engine.games.base.__file__", "base.py")
    cli.warn_if_uncompiled()
    assert capsys.readouterr().err.startswith("quietmove: running uncompiled")
    monkeypatch.setattr("quietmove.engine.games.base.__file__", "base.so")
    cli.warn_if_uncompiled()
    assert capsys.readouterr().err == ""


def test_run_command_shows_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.run_command(["--color", "B"]) == 2
    assert "--color needs --project" in capsys.readouterr().err
