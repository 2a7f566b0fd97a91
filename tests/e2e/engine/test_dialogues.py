"""Every dialogue of the documents is replayed; engine/protocol/README.md says how to read one."""

import os
import queue
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import pytest

from quietmove.engine.errors import OptionError
from quietmove.engine.protocol.dialects import DIALECTS
from quietmove.engine.protocol.options import OPTIONS
from quietmove.engine.protocol.runner import run
from tests.fakes.processes import WAIT

ROOT = Path(__file__).parents[3]
PROTOCOL = (ROOT / "engine" / "protocol" / "README.md").read_text(encoding="utf-8")
SHARED = (ROOT / "protocol.md").read_text(encoding="utf-8")
GAMES = (ROOT / "engine" / "games" / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```dialogue(.*?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY = "…"


def dialogues_in(text: str) -> list[tuple[list[str], list[str]]]:
    """Return the program's arguments and the lines of each dialogue."""
    return [(arguments.split()[1:], body.splitlines()) for arguments, body in BLOCK.findall(text)]


DIALOGUES = dialogues_in(SHARED + PROTOCOL + GAMES)


class Replay:
    """One conversation, and the lines of it that no line of the dialogue has claimed.

    :param outputs: what the engine writes: its lines, and its errors if they are read.
    """

    def __init__(self, source: IO[str], *outputs: IO[str]) -> None:
        self.source = source
        self.outputs = dict(zip("<!", outputs, strict=False))
        self.lines: dict[str, queue.SimpleQueue[str | None]] = {mark: queue.SimpleQueue() for mark in self.outputs}
        self.lenient = dict.fromkeys(self.outputs, False)
        self.threads = [threading.Thread(target=self.pump, args=each) for each in self.outputs.items()]
        for thread in self.threads:
            thread.start()

    def pump(self, mark: str, output: IO[str]) -> None:
        for line in output:
            self.lines[mark].put(line.rstrip("\n"))
        self.lines[mark].put(None)

    def replay(self, dialogue: list[str]) -> int:
        """Hold the conversation, and return the exit status that the dialogue expects."""
        status = 0
        for line in dialogue:
            mark, text = line[:1], line[2:]
            if mark == ">":
                print(text, file=self.source, flush=True)
            elif mark == "=":
                status = int(text.split()[-1])
            elif text == ANY:
                self.lenient[mark] = True
            else:
                self.expect(mark, text)
        self.source.close()
        for mark, lines in self.lines.items():
            rest = list(iter(lambda lines=lines: lines.get(timeout=WAIT), None))  # type: ignore[misc]
            assert self.lenient[mark] or rest == [], "what comes after the dialogue"
        return status

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
        self.source.close()
        for thread in self.threads:
            thread.join()
        for output in self.outputs.values():
            output.close()


def replay_in_a_process(arguments: list[str], dialogue: list[str]) -> None:
    command = [sys.executable, "-m", "quietmove", *arguments]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    talk = Replay(process.stdin, process.stdout, process.stderr)  # type: ignore[arg-type]
    try:
        status = talk.replay(dialogue)
        assert process.wait(WAIT) == status
    finally:
        process.kill()
        process.wait()
        talk.close()


def replay_in_this_process(dialogue: list[str]) -> None:
    (source, feeder), (reader, sink) = os.pipe(), os.pipe()
    statuses = []

    def hold() -> None:
        with os.fdopen(sink, "w"):
            statuses.append(run(source=source, sink=sink))

    thread = threading.Thread(target=hold)
    thread.start()
    talk = Replay(os.fdopen(feeder, "w"), os.fdopen(reader))
    try:
        talk.replay(dialogue)
    finally:
        talk.close()
        thread.join()
        os.close(source)
    assert statuses == [0]


@pytest.mark.parametrize("index", range(len(DIALOGUES)))
def test_dialogue(index: int) -> None:
    replay(*DIALOGUES[index])


def replay(arguments: list[str], dialogue: list[str]) -> None:
    """Replay a dialogue: with arguments, errors or an exit status in a process, otherwise in this one."""
    if arguments or any(line[:1] in "!=" for line in dialogue):
        replay_in_a_process(arguments, dialogue)
    else:
        replay_in_this_process(dialogue)


def test_every_kind_of_line_is_in_the_document() -> None:
    assert len(DIALOGUES) > 10
    assert {line[:2].ljust(2) for _, dialogue in DIALOGUES for line in dialogue} == {"> ", "< ", "! ", "= "}
    assert any(arguments for arguments, _ in DIALOGUES)


def test_the_document_has_every_option_as_the_registry_has_it() -> None:
    rows = []
    for option in OPTIONS:
        is_button = option.kind == "button"
        with pytest.raises(OptionError) as error:
            option.parse("x" if is_button else "")
        allowed = str(error.value).partition(": must be ")[2].rpartition(", not ")[0]
        default = "" if is_button else f", default `{option.default}`"
        rows.append(f"- `{option.name}` ({option.kind}{default}): {allowed}; {option.help}")
    assert " ".join(rows) in " ".join(PROTOCOL.split())


def test_the_document_has_every_protocol() -> None:
    table = PROTOCOL.partition("| protocol | first word |")[2].partition("\n\n")[0].splitlines()[2:]
    for row, entry in zip(table, DIALECTS, strict=True):
        name, words, text = row.strip("| ").split(" | ")
        assert (name, text) == (f"`{entry.name}`", entry.help)
        assert all(f"`{word}`" in words for word in entry.first_words)
