"""The registry of dialects, and how the first line of a conversation chooses one."""

from collections.abc import Callable

import pytest

from quietmove.engine.errors import OptionError
from quietmove.engine.protocol import runner
from quietmove.engine.protocol.dialects import DEFAULT, DIALECTS, detect, find_dialect
from tests.fakes.addons import needs_dialects

Pipes = Callable[[str], tuple[int, int, Callable[[], str]]]


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
        ("player 1", "uci"),
        ("gtp", "uci"),
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
    with pytest.raises(OptionError, match=r"must be one of uci, project, ugi(, .*)?, not 'ucci'; did you mean 'uci'"):
        find_dialect("ucci")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        pytest.param("\n \nnboard 2\nping 1\nquit\nping 2\n", "pong 1", marks=needs_dialects),
        ("\n \nugi\nquit\nugi\n", "ugiok"),
        ("isready\nnboard 2\nping 1\nquit\n", "readyok"),
    ],
)
def test_the_first_line_alone_chooses_the_dialect(pipes: Pipes, text: str, last: str) -> None:
    source, sink, read = pipes(text)
    assert runner.run(source=source, sink=sink) == 0
    assert read().splitlines()[-1] == last
