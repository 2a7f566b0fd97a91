"""Every dialogue of the documents is replayed against the real process; protocol.md says how to read one."""

import queue
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quietmove.engine.protocol.dialects import DIALECTS
from quietmove.engine.protocol.options import OPTIONS
from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[3]
PROTOCOL = (ROOT / "protocol.md").read_text(encoding="utf-8")
GAMES = (ROOT / "engine" / "games" / "README.md").read_text(encoding="utf-8")
DIALOGUES = [
    (arguments.split()[1:], body.splitlines())
    for arguments, body in re.findall(r"^```dialogue(.*?)\n(.*?)^```", PROTOCOL + GAMES, re.MULTILINE | re.DOTALL)
]
ANY = "…"


class Replay:
    """One process, and the lines of it that no line of the dialogue has claimed."""

    def __init__(self, arguments: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "quietmove", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: dict[str, queue.SimpleQueue[str | None]] = {"<": queue.SimpleQueue(), "!": queue.SimpleQueue()}
        self.lenient = {"<": False, "!": False}
        self.threads = [
            threading.Thread(target=self.pump, args=("<", self.process.stdout)),
            threading.Thread(target=self.pump, args=("!", self.process.stderr)),
        ]
        for thread in self.threads:
            thread.start()

    def pump(self, mark: str, stream: "object") -> None:
        for line in stream:  # type: ignore[attr-defined]
            self.lines[mark].put(line.rstrip("\n"))
        self.lines[mark].put(None)

    def replay(self, dialogue: list[str]) -> None:
        status = 0
        for line in dialogue:
            mark, text = line[:1], line[2:]
            if mark == ">":
                print(text, file=self.process.stdin, flush=True)
            elif mark == "=":
                status = int(text.split()[-1])
            elif text == ANY:
                self.lenient[mark] = True
            else:
                self.expect(mark, text)
        self.process.stdin.close()  # type: ignore[union-attr]
        for mark, lines in self.lines.items():
            rest = list(iter(lambda lines=lines: lines.get(timeout=WAIT), None))  # type: ignore[misc]
            assert self.lenient[mark] or rest == [], "what comes after the dialogue"
        assert self.process.wait(WAIT) == status

    def expect(self, mark: str, text: str) -> None:
        pattern = re.compile(".*".join(map(re.escape, text.split(ANY))))
        while True:
            line = self.lines[mark].get(timeout=WAIT)
            assert line is not None, f"the stream ended before {text!r}"
            if pattern.fullmatch(line):
                break
            assert self.lenient[mark], f"{line!r} came in place of {text!r}"
        self.lenient[mark] = False

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()  # type: ignore[union-attr]


def play(arguments: list[str], dialogue: list[str]) -> None:
    replay = Replay(arguments)
    try:
        replay.replay(dialogue)
    finally:
        replay.close()


@pytest.mark.parametrize("index", range(len(DIALOGUES)))
def test_dialogue(index: int) -> None:
    play(*DIALOGUES[index])


def test_every_kind_of_line_is_in_the_document() -> None:
    assert len(DIALOGUES) > 10
    assert {line[:2].ljust(2) for _, dialogue in DIALOGUES for line in dialogue} == {"> ", "< ", "! ", "= "}
    assert any(arguments for arguments, _ in DIALOGUES)


def test_the_document_has_every_option_as_the_registry_has_it() -> None:
    rows = []
    for option in OPTIONS:
        default = "" if option.kind == "button" else f", default `{option.default}`"
        rows.append(f"- `{option.name}` ({option.kind}{default}): {option.allowed}; {option.help}")
    assert " ".join(rows) in " ".join(PROTOCOL.split())


def test_the_document_has_every_protocol() -> None:
    table = PROTOCOL.partition("| protocol | first word |")[2].partition("\n\n")[0].splitlines()[2:]
    for row, entry in zip(table, DIALECTS, strict=True):
        name, words, text = row.strip("| ").split(" | ")
        assert (name, text) == (f"`{entry.name}`", entry.help)
        assert all(f"`{word}`" in words for word in entry.first_words)
