"""The explorer and the book read moves and positions in every spelling."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from quietmove.addons.library.book.show import show as show_book
from quietmove.addons.library.explorer import ExplorerPages, ExplorerRequest
from tests.contract.test_spellings import PLACED, check_moves, check_positions


def explored(**values: str) -> str:
    return str(ExplorerPages(None).position(ExplorerRequest(**values))["step"]["position"])


def by_book(text: str, _: Path) -> str:
    """Return the position if the command prints the moves that the book knows there."""
    shown, expected = (CliRunner().invoke(show_book, ["--position", each]) for each in (text, PLACED))
    if shown.exception:
        raise shown.exception
    assert "moves known" in expected.output
    return PLACED if shown.output == expected.output else shown.output


def test_the_explorer_reads_moves_in_every_spelling(tmp_path: Path) -> None:
    check_moves(lambda text, _: explored(moves=text), tmp_path)


def test_the_explorer_reads_a_position_in_every_spelling(tmp_path: Path) -> None:
    check_positions(lambda text, _: explored(start=text), tmp_path)


def test_the_book_reads_a_position_in_every_spelling(tmp_path: Path) -> None:
    check_positions(by_book, tmp_path)
