"""A dialect is one class and one row; here a third one is added, and spoken in process and by a real process."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quietmove import commands
from quietmove.engine.errors import OptionError
from quietmove.engine.protocol import dialects, runner, wire
from quietmove.engine.protocol.dialects import DEFAULT, DIALECTS, DialectEntry, detect, find_dialect
from quietmove.engine.protocol.wire import LINE_LIMIT

Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]

# A complete module for another dialect, with a setting and a reply from a search.
EXTRA = """
from dataclasses import dataclass

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.protocol.dialect import Dialect
from quietmove.engine.protocol.options import DialectSettings, Spin
from quietmove.engine.values import Limits


@dataclass(frozen=True, slots=True)
class ExtraSettings(DialectSettings):
    depth: int = 2


def print_nothing(info):
    pass


class Extra(Dialect):
    greeting = "EXTRA"
    settings_type = ExtraSettings
    rows = (Spin("--depth", "depth", "plies of each search", 1, 9, holder=ExtraSettings),)

    def handle(self, line):
        match line.split():
            case ["extra"]:
                self._write("id name Quietmove", "extraok")
            case ["go"]:
                limits = Limits(depth=self.settings.get("depth"))
                self.session.go(limits, print_nothing, lambda result: self._post(lambda: self.answer(result)), print)
            case ["fail"]:
                raise QuietmoveError("this dialect failed")
            case ["quit"]:
                self.over = True
            case _:
                self._write(f"unknown: {line[:20]}")

    def answer(self, result):
        self._write(f"bestmove {self.spell(result.move)} at depth {result.depth}")
        self.over = True
"""
ROW = DialectEntry("extra", "third_dialect:Extra", ("extra",), "The beginning of a third protocol.")


@pytest.fixture
def third(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "third_dialect.py").write_text(EXTRA)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(dialects, "DIALECTS", (*DIALECTS, ROW))
    yield tmp_path
    sys.modules.pop("third_dialect", None)


def spoken(pipes: Pipes, text: str, entry: DialectEntry | None = None, status: int = 0) -> list[str]:
    source, sink, written = pipes(text)
    assert runner.run(entry, source=source, sink=sink) == status
    return written().splitlines()


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("uci", "uci"),
        ("  game B 5 0 0\r", "project"),
        ("gamecock", "uci"),
        ("isready game", "uci"),
        ("joho isready", "uci"),
        ("4 6", "uci"),
        ("", "uci"),
        (" \x00", "uci"),
    ],
)
def test_the_first_word_chooses_a_dialect_that_declares_it(line: str, name: str) -> None:
    assert detect(line).name == name


def test_each_row_leads_to_a_class_and_no_word_to_two() -> None:
    words = [word for entry in DIALECTS for word in entry.first_words]
    assert len(words) == len(set(words))
    assert DEFAULT.name == "uci"
    for entry in DIALECTS:
        assert find_dialect(entry.name) is entry
        kind = entry.load()
        assert all(row.holder is kind.settings_type for row in kind.rows)
        assert all(row.parse(row.default) == kind.settings_type().get(row.field) for row in kind.rows if row.default)
    with pytest.raises(
        OptionError, match="must be one of uci, project, ugi, nboard, gtp, not 'ucci'; did you mean 'uci'"
    ):
        find_dialect("ucci")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\n \nextra\nquit\nextra\n", ["id name Quietmove", "extraok"]),
        ("extra\nnonsense", ["id name Quietmove", "extraok", "unknown: nonsense"]),
        ("isready\nextra\nquit\n", ["readyok"]),
    ],
)
def test_a_third_dialect_is_detected(third: Path, pipes: Pipes, text: str, written: list[str]) -> None:
    assert spoken(pipes, text) == written


def test_a_third_dialect_is_chosen_by_its_name(third: Path, pipes: Pipes) -> None:
    assert spoken(pipes, "isready", find_dialect("extra")) == ["unknown: isready"]


def test_a_long_line_is_no_command_unless_a_dialect_says_more(third: Path, pipes: Pipes) -> None:
    assert spoken(pipes, "u" * (LINE_LIMIT + 1) + "\nquit\n", find_dialect("extra")) == [
        "unknown: a line of more than "
    ]


def test_an_error_of_a_dialect_is_the_end_with_status_one(
    third: Path, pipes: Pipes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spoken(pipes, "extra\nfail\nextra\n", status=1) == ["id name Quietmove", "extraok"]
    assert capsys.readouterr().err == "error: this dialect failed\n"


def test_a_conversation_may_end_while_its_input_is_open(third: Path) -> None:
    """The answer of a search, not a line, ends it: the thread that waits for lines must hear of that."""
    (source, feeder), (reader, sink) = os.pipe(), os.pipe()
    os.write(feeder, b"go\n")
    try:
        assert runner.run(find_dialect("extra"), source=source, sink=sink) == 0
        assert os.read(reader, 100) == b"bestmove d3 at depth 2\n"
    finally:
        for end in (source, feeder, reader, sink):
            os.close(end)


def test_a_setting_of_a_third_dialect_is_a_flag(third: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[object] = []
    monkeypatch.setattr(wire, "own_output", lambda: 1)
    monkeypatch.setattr(runner, "run", lambda entry, settings, sink: chosen.append(settings.get("depth")))
    assert commands.run_command(["--protocol", "extra", "--depth", "7"]) == 0
    assert commands.run_command(["--protocol", "extra"]) == 0
    assert commands.run_command(["--protocol", "extra", "--depth", "10"]) == 2
    assert chosen == [7, 2]
