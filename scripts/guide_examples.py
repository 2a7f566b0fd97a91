"""The examples in the guides: commands whose output the guides show.

In a guide, an example is the block between ``<!-- example: NAME -->`` and ``<!-- end -->``, written by
``scripts/measure_all NAME``. A test runs the examples again and compares all but their times and speeds: the quick ones
always, the slow ones at night.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import termios
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / ".venv" / "bin"
# Times and speeds depend on the machine.
MEASURED = re.compile(r"\b(nps|time) \d+|\b\d+(\.\d+)? m?s\b|\b0\.\d{4}\b")


def toml_of(name: str) -> str:
    """Return the tournament's configuration with this name that its guide shows."""
    guide = (ROOT / "tournament" / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if block.startswith(f'name = "{name}"'))


class Example(NamedTuple):
    """A command and the part of its output that a guide shows.

    :param command: the command as the guide shows it.
    :param shows: regular expressions; lines that match none of them are replaced by ``...``.
    :param lines: typed lines, each with a regular expression for the last line of its reply, "" if there is none.
    :param prompt: the prompt for the typed lines; with a prompt, the command runs in a terminal.
    :param files: files in the working folder, by name.
    :param env: environment variables to set.
    :param has_command: whether the guide shows the command too.
    :param replay: when the test runs the example again: "always", "nightly" if it takes minutes, or "never" if its
        output depends on the machine.
    """

    command: str
    shows: Sequence[str] = ("",)
    lines: Sequence[tuple[str, str]] = ()
    prompt: str = ""
    files: Mapping[str, str] = {}
    env: Mapping[str, str] = {}
    has_command: bool = True
    replay: Literal["always", "nightly", "never"] = "always"

    def block(self, folder: Path) -> str:
        """Run the command in ``folder``, and return the block for the guide."""
        (folder / "tests").symlink_to(ROOT / "tests")  # for the example games
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
        variables = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "TERM": "dumb", "NO_COLOR": "1"}
        variables |= {"XDG_DATA_HOME": str(folder), "COLUMNS": "120", **self.env}
        run = self._terminal if self.prompt else self._pipe
        shown = shorten(run(folder, variables).splitlines(), self.shows)
        command = [f"$ {self.command}"] if self.has_command else []
        return "\n".join(["```text", *command, *shown, "```", ""])

    def _pipe(self, folder: Path, env: Mapping[str, str]) -> str:
        kind = {"stdout": subprocess.PIPE, "text": True, "cwd": folder, "env": env}
        if not self.lines:
            done = subprocess.run(["/bin/bash", "-c", self.command], stderr=subprocess.PIPE, check=False, **kind)  # type: ignore[call-overload]
            return str(done.stdout or done.stderr)
        with subprocess.Popen(["/bin/bash", "-c", self.command], stdin=subprocess.PIPE, **kind) as process:  # type: ignore[call-overload]
            text = converse(self.lines, process.stdin, process.stdout)
            process.stdin.close()
        return text

    def _terminal(self, folder: Path, env: Mapping[str, str]) -> str:
        near, far = pty.openpty()
        modes = termios.tcgetattr(far)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(far, termios.TCSANOW, modes)
        command = ["/bin/bash", "-c", self.command]
        with (
            subprocess.Popen(command, stdin=far, stdout=far, stderr=far, cwd=folder, env=env) as process,
            os.fdopen(os.dup(near), "w", encoding="utf-8") as to,
            os.fdopen(near, encoding="utf-8") as from_,
        ):
            os.close(far)
            text = converse(self.lines, to, from_, self.prompt)
            process.kill()
        return text


def converse(lines: Iterable[tuple[str, str]], to: IO[str], from_: IO[str], prompt: str = "") -> str:
    """Send each line, read its reply, and return the conversation.

    The text before the first line, such as a greeting, is the reply to the line "".
    """
    text = ""
    for line, last in lines:
        if line:
            text += f"{prompt}{line}\n"
            to.write(f"{line}\n")
            to.flush()
        while last:
            reply = from_.readline().removeprefix(prompt)
            text += reply
            if not reply or re.search(last, reply):
                break
    return text


def shorten(lines: Sequence[str], shows: Sequence[str]) -> list[str]:
    """Return the lines that match one of ``shows``, with ``...`` for each gap. Blank lines at a gap are left out."""
    short: list[str] = []
    for line in lines:
        is_gap = short[-1:] == ["..."]
        if any(re.search(pattern, line) for pattern in shows if line):
            short.append(line)
        elif not line and not is_gap:
            short.append("")
        elif line and not is_gap:
            short[-1:] = ["..."] if short[-1:] == [""] else [*short[-1:], "..."]
    return short


def unmeasured(block: str) -> str:
    """Return a block without times and speeds."""
    return MEASURED.sub("#", block)


MOVED = r"^  position fen"
FOUND = "^bestmove"
QUIESCENCE = "position fen -XXX-O----XXOO--OOXOOX-OOOXOXXOXOOOXXOX-OOXXOXOOOXXOXX-O-XXXXXXO X"
FULL_GAME = (
    "d3c5d6e3f4c6c4c3c2f6d2f2b5d1f5b4b3g5b6e6g4f3g3h4f1e2h3c7c1e1h5b2e7d7e8d8h2f8c8b8f7a2a1b1a3h6g2a5a4h1g1b7a6a7a8g6g8"
    "g7h7h8"
)
FAULTY_ENGINE = """
import random
import sys

from quietmove import Position

position = Position()
for line in sys.stdin:
    words = line.split()
    if words == ["uci"]:
        print("id name Mine\\nid author Me\\noption name Seed type spin default 0 min 0 max 9\\nuciok")
    elif words == ["isready"]:
        print("readyok")
    elif words[:1] == ["setoption"]:
        random.seed(int(words[-1]))
    elif words[:2] == ["position", "startpos"]:
        position = Position(moves=" ".join(words[3:]))
    elif words[:1] == ["position"]:
        position = Position("othello", " ".join(words[2:4]), moves=" ".join(words[5:]))
    elif words[:1] == ["go"]:
        move = random.choice(position.legal_moves() or ["none"])
        print(f"info depth 7 score cp 0 nodes 1 time 0 pv {move}\\nbestmove {move}")
    elif words == ["quit"]:
        break
    sys.stdout.flush()
"""
EXAMPLES: dict[str, Example] = {
    "compare": Example(
        'quietmove-tournament compare "Ordering=full" "Ordering=none" --nodes 500',
        shows=("^SPRT", "^LLR", "^Ordering=full against"),
        replay="nightly",
    ),
    "terminal": Example(
        "quietmove", lines=(("", "^Quietmove"), ("f5 6 3", MOVED), ("go depth 3", FOUND), ("quit", "")), prompt="> "
    ),
    "quiescence": Example(
        "quietmove",
        lines=(
            ("setoption name Notation value algebraic", ""),
            ("setoption name Evaluation value classic", ""),
            (QUIESCENCE, ""),
            ("go depth 1", FOUND),
            ("setoption name Quiescence value on", ""),
            ("go depth 1", FOUND),
        ),
    ),
    "level": Example(
        "quietmove",
        lines=(
            ("setoption name Notation value algebraic", ""),
            ("setoption name Level value 4", ""),
            ("position startpos moves f5 d6 c3", ""),
            ("setoption name Seed value 7", ""),
            ("go", FOUND),
            ("setoption name Seed value 8", ""),
            ("go", FOUND),
        ),
    ),
    "book": Example("quietmove book show f5"),
    "mcts": Example(
        "quietmove",
        lines=(
            ("setoption name Game value tests/example_games/connect_four.py:ConnectFour", ""),
            ("setoption name Algorithm value mcts", ""),
            ("go nodes 4000", FOUND),
        ),
    ),
    "orderings": Example("quietmove bench --orderings"),
    "default-tournament": Example(
        "quietmove-tournament run",
        shows=(
            "^orderings",
            "^full and full.q",
            "^  be needed",
            "^full is better than none",
            "^Better",
            "Engine",
            r"^\d ",
        ),
        has_command=False,
        replay="nightly",
    ),
    "analyze": Example(
        f"quietmove analyze {FULL_GAME}",
        shows=(
            *(
                "^transcript",
                "^(or )?fewer",
                "^ no",
                r"^ +(1|2|3|27|28|45|46)  [BW]",
                "choices",
                "^(Black|White)  ",
                "^Worst",
            ),
            *("^  25: ", "^  28: ", "^Value", "[▁▂▃▄▅▆▇█]{10}", "^[?]!", "^into a loss", "^value is", "^that lost"),
        ),
        env={"COLUMNS": "80"},
        replay="nightly",
    ),
    "solve-empties": Example(
        "quietmove-referee match --each depth=1 --engine cmd=quietmove name=a --engine cmd=quietmove name=b "
        "--solve-empties 14",
        shows=("^game 1/2",),
    ),
    "project-clock": Example(
        "quietmove-referee match --games 2 --engine cmd='quietmove --project' protocol=project name=project tc=20 \\\n"
        "    --engine cmd=quietmove name=quick nodes=2000",
        shows=("used",),
        replay="never",
    ),
    "no-sandbox": Example(
        "quietmove-referee match --sandbox --engine cmd=./first --engine cmd=./second",
        shows=("engine first",),
        files={"first": "", "second": ""},
        env={"PATH": str(PROGRAMS)},
    ),
    "check": Example(
        "quietmove-referee check 'python3 my_engine.py'",
        shows=(
            r"^\w+ +(handshake|isready-thinking|stop-races|infinite-holds|bad-lines)",
            "^FAIL",
            " (nodes|same-answer) ",
            "checks in",
        ),
        files={"my_engine.py": FAULTY_ENGINE},
        replay="never",
    ),
    "play": Example(
        "quietmove play --level 3 --seed 1",
        lines=(("", "discs$"), ("f5", "Opening"), ("hint", "^hint")),
        prompt="Black> ",
        replay="never",
    ),
    "dry-run": Example(
        "quietmove-tournament run --dry-run --set rounds=200 --set each.limit=tc=10+0.1 "
        "--set engine.none.options.Hash=1 --concurrency 2",
        shows=("^orderings", "engines", "games:", "game 1,", "more", "^time"),
        replay="nightly",  # starts nine engines
    ),
    "first-tournament": Example(
        "quietmove-tournament run my.toml", shows=("Engine", r"^\d "), files={"my.toml": toml_of("first")}
    ),
    "sprt": Example(
        "quietmove-tournament run sprt.toml",
        shows=("^SPRT", "^LLR"),
        files={"sprt.toml": toml_of("is-full-better")},
        has_command=False,
        replay="nightly",
    ),
    "tune": Example(
        "quietmove-tournament tune --option Exploration=300:10:500:30 --set each.options.Algorithm=mcts \\\n"
        "    --nodes 500 --games 400 --rate 0.1",
        shows=("Exploration", r"^ +\d"),
        replay="nightly",
    ),
    "pruning": Example("quietmove lab pruning", shows=("^tictactoe", "^technique", "^minimax", "^alpha-beta", r"^\+ ")),
    "trace": Example("quietmove lab trace --show prunings"),
    "ties": Example(
        'quietmove lab trace --game tictactoe --position "X-------- O" --show moves --ordering none',
        shows=("^of equal values", "worse"),
    ),
    "classify": Example("quietmove classify --branching 20 --depth 55 --chance 21      # backgammon"),
}
# The other blocks are written by hand, because they need files, machines, passwords or engines of a reader, or show
# a moment in a run.
