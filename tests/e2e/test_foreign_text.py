"""Nothing that an engine or a configuration says does more to a terminal or a file than to be read."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from quietmove import cli as engine_cli
from quietmove.engine.common.text import printable
from quietmove.referee import cli as referee_cli
from quietmove.tournament import cli as tournament_cli

ENGINE = Path(__file__).parent.parent / "fakes" / "foreign_text.py"
BIDI = "\u202e"
MAINS = {"engine": engine_cli.main, "referee": referee_cli.main, "tournament": tournament_cli.main}
MARK = "foreign"  # every hostile text contains this word


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain é ½ 石 [red]", "plain é ½ 石 [red]"),
        ("a\x1b[35mb\x9b0m", r"a\x1b[35mb\x9b0m"),
        (f"{BIDI}x\u2066\ufeff", r"\u202ex\u2066\ufeff"),
        ("two\nlines\r\v\x85\u2028", r"two\nlines\r\x0b\x85\u2028"),
        ("nul\0 bell\a del\x7f", r"nul\x00 bell\x07 del\x7f"),
        ("half \ud800", r"half \ud800"),
        ("a\tb", "a b"),
        ("x" * 2001, "x" * 2000 + " [... 1 characters more]"),
    ],
)
def test_what_is_not_printable_is_escaped(text: str, escaped: str) -> None:
    assert printable(text) == escaped


def test_a_hostile_text_does_nothing_in_any_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Each command's output is looked at character by character, that on a terminal for the engine's own ones."""
    monkeypatch.chdir(tmp_path)
    output = Commands(monkeypatch, capfdbinary).output
    engine = f"{sys.executable} -S {ENGINE}"
    words = ["--engine", f"cmd={engine}", "name=[red]a", "--engine", f"cmd={engine}", "name=b"]
    assert f"{MARK} \\x1b[35m" in output("referee match", *words)
    assert MARK in output("referee match --json", *words)
    output("referee match --dialogue --transcripts games", *words)
    for path in (tmp_path / "games").iterdir():
        assert is_harmless(path.read_bytes()), path
        assert path.read_text().count(MARK) > 10
    assert "error: engine b: " in output("referee match", *words, f"option.{MARK}=x", status=2)
    assert MARK in output("engine play --color white --engine", engine, status=None)

    engines = f'[[engine]]\nname = "[red]a"\n[[engine]]\nname = "b"\n[defaults]\ncommand = {json.dumps(engine)}\n'
    name = json.dumps(f"[bold]{MARK} {BIDI}\x1b[35m\x7f")
    (tmp_path / "t.toml").write_text(f'name = {name}\nrounds = 1\nkeep_dialogue = true\n{engines}limit = "depth=1"\n')
    assert f"[bold]{MARK}" in output("tournament run t.toml --dry-run")
    assert f"[bold]{MARK}" in output("tournament run t.toml --store s.sqlite")
    for command in ("standings s.sqlite", "standings s.sqlite --json", "games s.sqlite", "games s.sqlite 1"):
        assert MARK in output(f"tournament {command}")
    assert MARK in output("tournament games s.sqlite --json")
    output("tournament verify s.sqlite")
    assert MARK in output("tournament compare --nodes 1 --command", engine, "foreign=x", "foreign=y", status=2)
    assert MARK in on_a_terminal("t.toml", "other.sqlite")


class Commands:
    """Runs the command lines in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]) -> None:
        self.monkeypatch = monkeypatch
        self.capture = capture

    def output(self, arguments: str, *words: str, status: int | None = 0) -> str:
        """Return what a command writes, which must be harmless."""
        room, *rest = [*arguments.split(), *words]
        self.monkeypatch.setattr(sys, "argv", [room, *rest])
        with pytest.raises(SystemExit) as ended:
            sys.exit(MAINS[room]())
        streams = self.capture.readouterr()
        assert status is None or (ended.value.code or 0) == status, streams
        assert all(map(is_harmless, streams)), (rest, streams)
        return b"".join(streams).decode()


def on_a_terminal(config: str, store: str) -> str:
    """Return what a tournament writes to a terminal; no character of an engine's may be in it that is not printable."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "quietmove.tournament", "run", config, "--store", store]
    found = b""
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        with contextlib.suppress(OSError):  # the terminal is closed
            while data := os.read(ours, 65536):
                found += data
    os.close(ours)
    assert process.returncode == 0
    text = found.decode()
    assert not any(each in text for each in ("\x1b[35m", "\x7f", "\x07", "\x9b", BIDI)), text
    return text


def is_harmless(data: bytes) -> bool:
    return all(line.isprintable() for line in data.decode().split("\n"))


def test_bytes_that_are_no_text_are_one_error_or_the_name_of_a_file(tmp_path: Path) -> None:
    """A name in Latin-1, in a locale of ASCII."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    program, odd = [sys.executable, "-m", "quietmove.tournament"], b"Zo\xeb"
    (tmp_path / "t.toml").write_text(
        'name = "t"\nrounds = 1\nopenings = false\n[defaults]\nprotocol = "in-process"\nlimit = "depth=1"\n'
        '[[engine]]\nname = "\xe4"\n[[engine]]\nname = "b"\n',
        "utf-8",
    )

    def run(*words: bytes) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*program, *words], cwd=tmp_path, env=environment, capture_output=True)

    refused = run(b"run", b"t.toml", b"--dry-run", b"--set", b"name=" + odd)
    assert refused.returncode == 2
    assert all(line.startswith(b"error: ") for line in refused.stderr.splitlines())
    assert b"name=Zo\\udceb: must be text in UTF-8, not " in refused.stderr
    assert run(b"run", b"t.toml", b"--store", odd).returncode == 0
    assert run(b"standings", odd).returncode == 0
