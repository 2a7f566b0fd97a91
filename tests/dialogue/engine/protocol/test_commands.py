"""The command line in process: what it prints, and the exit status of each way to end."""

import os
import sys
from collections.abc import Callable

import pytest

from quietmove import cli
from quietmove.engine.protocol import runner, wire
from quietmove.engine.protocol.dialects import find_dialect
from quietmove.engine.protocol.project import ProjectSettings

Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["quietmove", *arguments])
    return cli.main()


@pytest.mark.parametrize("position", ["XO X", "XO" * 32, "Z" * 64 + " X"])
def test_a_position_that_is_none_is_a_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], position: str
) -> None:
    assert run(monkeypatch, "perft", "3", "--position", position) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (["--project"], ProjectSettings()),
        (["--protocol", "project"], ProjectSettings()),
        (["--coordinates", "zero", "--protocol=project", "--milliseconds"], ProjectSettings("zero", milliseconds=True)),
        (["--project", "--color", "W", "--depth=6"], ProjectSettings(color="W", depth=6)),
        (
            ["--project", "--color", "B", "--move-time", "1.5", "--game-time", "60s"],
            ProjectSettings(color="B", move_time="1.5", game_time="60s"),
        ),
    ],
)
def test_a_dialect_gets_its_settings(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], settings: ProjectSettings
) -> None:
    called: list[object] = []
    monkeypatch.setattr(wire, "own_output", lambda: 77)
    monkeypatch.setattr(runner, "run", lambda *values, sink: called.extend([*values, sink]) or 1)
    assert run(monkeypatch, *arguments) == 1
    assert called == [find_dialect("project"), settings, 77]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--protocol", "projct"],
            "--protocol: must be one of uci, project, ugi, nboard, gtp, not 'projct'; did you mean 'project'?",
        ),
        (["--protocol"], "--protocol: must be one of uci, project, ugi, nboard, gtp, not ''"),
        (["--color", "B"], "--color needs --protocol project"),
        (["--protocol", "uci", "--color", "B"], "--color needs --protocol project"),
        (["--project", "--depth", "61"], "option --depth: must be a whole number from 1 to 60, not '61'"),
        (
            ["--project", "--color", "B", "--move-time", "nan"],
            "option --move-time: must be a time such as 500ms or 2s, or a",
        ),
        (["--project", "--protocol", "uci"], "No such option"),
        (["perft", "3", "--project"], "No such option"),
    ],
)
def test_a_wrong_choice_of_a_protocol(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(monkeypatch, *arguments) == 2
    error = capsys.readouterr().err
    assert f"error: {message}" in error


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    ignored = []
    monkeypatch.setattr(wire, "own_output", lambda: 77)
    monkeypatch.setattr(runner, "run", interrupt)
    monkeypatch.setattr(cli, "ignore_requests", lambda: ignored.append(1))
    assert run(monkeypatch) == 130
    assert run(monkeypatch, "--project") == 130
    assert len(ignored) == 2  # a second one that comes while the process ends changes nothing


def test_a_closed_output_is_one_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run(monkeypatch, "perft", "1") == 1
    assert capsys.readouterr().err == "error: standard output: it is closed\n"


@pytest.mark.parametrize("name", ["uci", "gtp", "nboard", "ugi"])
def test_a_full_device_is_one_error(name: str, pipes: Pipes, capsys: pytest.CaptureFixture[str]) -> None:
    source, _, _ = pipes(f"{name}\nname\nnboard 2\n")
    sink = os.open("/dev/full", os.O_WRONLY)
    try:
        assert runner.run(find_dialect(name), source=source, sink=sink) == 1
    finally:
        os.close(sink)
    assert capsys.readouterr().err == "error: standard output: No space left on device\n"
