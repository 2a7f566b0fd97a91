"""Learn Othello: the steps in ``learn.toml``, each a text and positions to solve.

A position's value is a final result (depth 0), or that of a search to the given depth. Every other move is worth at
least two discs less, so that an answer is either right or a mistake.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from quietmove.addons.practice.problems import CLEAR, Problem
from quietmove.addons.practice.schedule import AGAIN, Schedule

FILE = Path(__file__).with_name("learn.toml")


@dataclass(frozen=True, slots=True)
class Step:
    """A step.

    :ivar reasons: the kinds of reasons of a review that the step explains.
    :ivar text: its paragraphs.
    """

    name: str
    title: str
    reasons: tuple[str, ...]
    text: tuple[str, ...]
    problems: tuple[Problem, ...]

    def solved(self, schedule: Schedule) -> int:
        """Return the number of positions whose last answer was right."""
        return sum(card.answers[-1][1] > AGAIN for card in schedule.known(self.problems))

    def as_object(self, schedule: Schedule) -> dict[str, Any]:
        """Return the step for the page."""
        shown = {"name": self.name, "title": self.title, "reasons": self.reasons, "text": self.text}
        return shown | {"count": len(self.problems), "solved": self.solved(schedule)}


@cache
def steps() -> tuple[Step, ...]:
    """Return the steps in order."""
    return tuple(map(_step, tomllib.loads(FILE.read_text(encoding="utf-8"))["step"]))


def find_step(text: str) -> Step | None:
    """Return the step with a name, or the first that explains a kind of reason."""
    return next((each for each in steps() if text in (each.name, *each.reasons)), None)


def _step(step: dict[str, Any]) -> Step:
    problems = [
        Problem(
            kind="lesson",
            game="othello",
            position=position,
            line=(answer,),
            value=value,
            second=value - CLEAR,
            depth=depth,
            exact=not depth,
            reason=step["reasons"][0] if step["reasons"] else "",
            title=step["title"],
            note=note,
        )
        for position, answer, value, depth, note in step["positions"]
    ]
    paragraphs = (" ".join(each.split()) for each in step["text"].strip().split("\n\n"))
    return Step(step["name"], step["title"], tuple(step["reasons"]), tuple(paragraphs), tuple(problems))


def lesson_problems() -> list[Problem]:
    """Return the positions of all steps."""
    return [problem for step in steps() for problem in step.problems]
