from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.referee.config import EngineConfig
from quietmove.referee.errors import SetupError
from quietmove.referee.openings import read_openings
from quietmove.referee.series import pair_games

SHORTEST_GAME = "f5d6c5f4e3f6g5e6e7"  # White has lost its last disc after nine moves


def write(directory: Path, text: str) -> Path:
    path = directory / "openings.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("line", ["f5d6c3", "F5 D6 C3", "f5d6 c3", "6 4 4 3 3 6", "6 4 d6 3 6  # mixed", "\tf5\td6c3"])
def test_notations(tmp_path: Path, line: str) -> None:
    assert read_openings(write(tmp_path, line), "othello") == (("f5", "d6", "c3"),)


def test_comments_and_empty_lines_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path, "# all of them\n\nf5d6\n   \nf5f4 # one more\n")
    assert read_openings(path, "othello") == (("f5", "d6"), ("f5", "f4"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5d6\nf5f5", r"openings.txt:2: token 0 .f5f5.: .f5. is not legal"),
        ("a1", r"openings.txt:1: token 0: .a1. is not legal"),
        ("f5 xyzzy", r"openings.txt:1: token 1: 'xyzzy' is no move"),
        ("6 4 4", r"openings.txt:1: token 2: '4'"),
        ("f5pass", r"openings.txt:1: token 0 'f5pass': 'pass' is not legal"),
        (SHORTEST_GAME, r"openings.txt:1: the game is over"),
        ("# nothing", "holds none"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        read_openings(write(tmp_path, text), "othello")


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"gone\.txt: No such file"):
        read_openings(tmp_path / "gone.txt", "othello")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(SetupError, match="no text in UTF-8"):
        read_openings(tmp_path / "bytes", "othello")


def test_each_opening_is_played_with_colours_swapped() -> None:
    alpha, beta = EngineConfig("alpha", ("a",)), EngineConfig("beta", ("b",))
    specs = pair_games(alpha, beta, 5, (("f5", "d6"), ("f5", "f4")))
    assert [(spec.black.name, "".join(spec.opening)) for spec in specs] == [
        ("alpha", "f5d6"),
        ("beta", "f5d6"),
        ("alpha", "f5f4"),
        ("beta", "f5f4"),
        ("alpha", "f5d6"),
    ]
