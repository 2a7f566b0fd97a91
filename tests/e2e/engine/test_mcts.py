"""Monte Carlo tree search as its guide shows it."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


def timeless(line: str) -> str:
    return re.sub(r"(nps|time) \d+", r"\1 N", line)


def test_the_search_in_the_guide(engine: Any, documents: dict[str, str]) -> None:
    section = documents["engine/README.md"].partition("## Monte Carlo tree search")[2]
    _, *shown = section.partition("```text\n")[2].partition("```")[0].splitlines()
    typed = [line for line in shown if line.startswith(("setoption", "go"))]
    engine.send(*(line.replace("tests/", f"{ROOT}/tests/") for line in typed))
    last = engine.expect("bestmove .*")
    said = [*engine.skipped, last[0].strip()]
    assert list(map(timeless, said)) == list(map(timeless, shown[len(typed) :]))
    assert len(said) == 4
