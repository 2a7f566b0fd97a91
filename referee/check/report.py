"""What the examinations of one engine have found, as documents for other programs and as text for a person."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.games.base import Game
from quietmove.referee.check.examination import Outcome
from quietmove.referee.check.subject import Subject
from quietmove.referee.check.talk import Evidence


def document(subject: Subject, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return what `check --json` prints."""
    return {
        "command": subject.config.command,
        "protocol": subject.config.protocol,
        "game": subject.game.name,
        "examinations": [{**asdict(each), "seconds": round(each.seconds, 3)} for each in outcomes],
    }


def results(game: Game, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the results in the form that Gradescope's autograder reads (``results.json``).

    Each examination is a test of one point. One that does not apply to the engine has no points, and neither has one
    that only informs. One that was skipped after a failure, or for lack of time, has failed.
    """
    tests = [_test(game, each) for each in outcomes]
    passed = sum(test.get("score", 0) for test in tests)
    return {
        "score": passed,
        "execution_time": round(sum(each.seconds for each in outcomes), 1),
        "output_format": "text",
        "tests": tests,
        "leaderboard": [{"name": "examinations passed", "value": passed}],
    }


def refused_results(reason: str) -> dict[str, Any]:
    """Return such results for an engine that cannot be examined."""
    failed = {"name": "start", "score": 0, "max_score": 1, "status": "failed", "output": printable(reason)}
    return {"score": 0, "output_format": "text", "tests": [failed], "leaderboard": []}


def _test(game: Game, outcome: Outcome) -> dict[str, Any]:
    found = {"name": outcome.name, "output": f"{outcome.status}: {outcome.text}", "output_format": "text"}
    if outcome.evidence:
        found["output"] += f"\n\n{evidence_text(game, outcome.evidence)}"
    if outcome.status == "info" or not outcome.applies:
        return found
    passed = outcome.status == "ok"
    return {**found, "score": int(passed), "max_score": 1, "status": "passed" if passed else "failed"}


def evidence_text(game: Game, evidence: Evidence) -> str:
    """Return the board, the legal moves, the dialogue and the standard error, each with a title."""
    parts = []
    if evidence.legal:
        parts.append(f"Moves so far: {' '.join(evidence.moves) or 'none'}")
        position = game.initial()
        with suppress(QuietmoveError):  # a game whose first position is dealt has no moves from the initial one
            for move in evidence.moves:
                position.play(game.parse_move(position, move))
            parts.append(game.draw(position))
        parts.append(f"Legal: {', '.join(evidence.legal)}")
    titles = {"Dialogue, > to the program, < from it:": evidence.dialogue, "Standard error:": evidence.stderr}
    parts += ["\n".join([title, *lines]) for title, lines in titles.items() if lines]
    return "\n\n".join(parts)
