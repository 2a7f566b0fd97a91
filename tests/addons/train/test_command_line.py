"""The commands of this add-on on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.commands import run_command


def test_an_error_is_one_line_whatever_name_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two\nlines").write_text("f5 d6")
    assert run_command(["train", "check", "two\nlines"]) in (1, 2)
    error = capsys.readouterr().err.splitlines()
    assert error[-1].startswith("error: ")
    assert r"two\nlines" in error[-1]
    assert len(error) == 1
