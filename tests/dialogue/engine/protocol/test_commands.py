"""The command line in process: what it prints, and the exit status of each way to end."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove import cli
from quietmove.engine.protocol import runner, wire
from quietmove.engine.protocol.dialects import find_dialect
from quietmove.engine.protocol.project import ProjectSettings
from quietmove.engine.search.ordering import ORDERINGS
from tests.fakes.addons import present_protocols

Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]


LINE_END = "two\nlines"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["quietmove", *arguments])
    return cli.main()


@pytest.fixture
def quietmove(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs a command, which must succeed, and returns what it printed."""

    def printed(*arguments: str) -> str:
        assert run(monkeypatch, *arguments) == 0
        return capsys.readouterr().out

    return printed


def test_perft_of_another_game(quietmove: Callable[..., str]) -> None:
    assert quietmove("perft", "9", "--game", "tictactoe").startswith("perft 9: 255168 leaves")
    *moves, total = quietmove("perft", "18", "--game", "othello 4x4", "--divide").splitlines()
    assert [move.split(": ")[0] for move in moves] == ["b1 (2 4)", "a2 (1 3)", "d3 (4 2)", "c4 (3 1)"]
    assert total.startswith("perft 18: 60060 leaves")
    position = quietmove("perft", "1", "--game", "othello 4x4", "--position", "-----OX--XO----- O")
    assert position.startswith("perft 1: 4 leaves")


def test_the_full_ordering_beats_none_by_five_times(quietmove: Callable[..., str]) -> None:
    rows = [line.split() for line in quietmove("bench", "--orderings").splitlines()[1:]]
    nodes = {row[0]: int(row[1]) for row in rows}
    assert list(nodes) == list(ORDERINGS)
    assert nodes["full"] < nodes["static"] < nodes["none"]
    assert nodes["none"] >= 5 * nodes["full"]


def test_the_two_names_of_a_dialect_have_one_help(quietmove: Callable[..., str]) -> None:
    assert "--coordinates" in quietmove("--project", "--help") == quietmove("--protocol", "project", "--help")


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", f"{LINE_END}.txt", "x.ggf"),
        ("analyze", f"./{LINE_END}.txt"),
        ("play", "--load", f"{LINE_END}.jsonl"),
        ("--protocol", LINE_END),
    ],
)
def test_an_error_is_one_line_whatever_name_it_holds(
    tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / LINE_END).write_text("f5 d6")
    assert run(monkeypatch, *arguments) in (1, 2)
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith("error: ")
    assert r"two\nlines" in error
    assert len(error.splitlines()) <= 1 + error.count(" --help' tells")


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
        (["--protocol"], "--protocol: must be one of uci, project, ugi"),
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
    assert len(ignored) == 2  # a second signal during exit has no effect


def test_a_closed_output_is_one_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run(monkeypatch, "perft", "1") == 1
    assert capsys.readouterr().err == "error: standard output is closed\n"


@pytest.mark.parametrize("name", present_protocols("uci", "gtp", "nboard", "ugi"))
def test_a_full_device_is_one_error(name: str, pipes: Pipes, capsys: pytest.CaptureFixture[str]) -> None:
    source, _, _ = pipes(f"{name}\nname\nnboard 2\n")
    sink = os.open("/dev/full", os.O_WRONLY)
    try:
        assert runner.run(find_dialect(name), source=source, sink=sink) == 1
    finally:
        os.close(sink)
    assert capsys.readouterr().err == "error: standard output: No space left on device\n"
