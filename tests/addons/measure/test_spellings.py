"""A suite reads positions in every spelling."""

from __future__ import annotations

from pathlib import Path

from quietmove.addons.measure.problems import OTHELLO, read_problems
from tests.contract.test_spellings import PLACED, check_positions


def by_suite(text: str, folder: Path) -> str:
    path = folder / "suite.obf"
    path.write_text(f"{text}; F4:+0;\n\n# another\n{PLACED}; F4:+0;\n")
    first, second = read_problems(path)
    assert first.position().key == second.position().key
    return OTHELLO.format_position(first.position())


def test_a_suite_reads_a_position_in_every_spelling(tmp_path: Path) -> None:
    check_positions(by_suite, tmp_path)
