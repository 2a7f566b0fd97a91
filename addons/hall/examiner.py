"""Builds and checks entries in order of arrival, several in parallel, each on its own processor."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from quietmove.addons.hall import values
from quietmove.addons.hall.building import (
    COMPILED,
    MOST_PROGRAM_BYTES,
    build_engine,
    missing_interpreter,
    shown_text,
    shown_to_students,
)
from quietmove.addons.hall.confined import Confined, Ended
from quietmove.addons.hall.cores import Cores, class_cores
from quietmove.addons.hall.entries import Entries, Entry, State
from quietmove.addons.hall.settings import VALUES, Assignment, ClassSettings
from quietmove.addons.hall.tasks import MOST_ANSWERS, judged, outcome, questions
from quietmove.addons.web.database import WriteTurn
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processes import python_command
from quietmove.engine.common.text import printable
from quietmove.referee.arguments.engine_args import spell_engine
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import adapter
from quietmove.referee.errors import SetupError
from quietmove.referee.process.launch import Launch, launch_of
from quietmove.tournament.definition import DEFAULT_GAME

MOST_REPORT = 4 << 20  # size limit of a report, bytes
MOST_ERROR = 20_000  # size limit of standard error, bytes
LEASE_SECONDS = 0.2  # seconds between polls for a free processor
EXTRA_SECONDS = 30.0  # extra seconds for the check process to start and exit
# Matches the end of a run, or a compiler's output, if the kernel killed a process for lack of memory.
KILLED = re.compile(r"status 137|signal 9 \(SIGKILL\)|Killed signal|was ended$")
COMPILER_ERROR = re.compile(r"error\b|undefined reference|multiple definition", re.IGNORECASE)
MISSING_MODULE = re.compile(r"No module named ")
KEPT_KEYS = ("name", "status", "text", "seconds", "evidence", "applies")


class Examiners:
    """Runs the tasks that build and check entries. Use it from one event loop.

    :param settings: returns the current class settings.
    :param turn: waits until the database can be written.
    """

    def __init__(self, entries: Entries, settings: Callable[[], ClassSettings], turn: WriteTurn) -> None:
        self._entries = entries
        self._turn = turn
        self._settings = settings
        self._news = asyncio.Event()
        self._running: set[Confined] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._again: set[int] = set()  # entries being checked again after a fault of the machine

    def start(self) -> None:
        """Start checking entries."""
        numbers = class_cores(self._settings())
        self._cores = Cores(self._entries.folder, numbers, from_below=True)
        for _ in range(self._settings().examiners or max(1, len(numbers) // 2)):
            self._tasks.append(asyncio.create_task(self._work(numbers[0])))
        self.wake()

    def wake(self) -> None:
        """Wake the tasks, since an entry may be waiting."""
        self._news.set()

    async def stop(self) -> None:
        """Stop all running checks; the next server restarts them."""
        for task in self._tasks:
            task.cancel()
        for each in list(self._running):
            each.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(self, only: int) -> None:
        """Check entries one after another, each on a free processor or, if the class has only one, on ``only``."""
        entry = None
        while True:
            core = None
            try:
                await self._turn.come()
                if entry is not None:  # its verdict could not be saved
                    self._entries.give_back(entry.number)
                    entry = None
                if not any(each.state == "received" for each in self._entries.waiting()):
                    self._news.clear()
                    await self._news.wait()
                    continue
                core = self._cores.lease()
                if core is None and not self._cores.is_single:  # a game will end soon and free its processor
                    await asyncio.sleep(LEASE_SECONDS)
                    continue
                entry = self._entries.take()
                if entry is not None:
                    await self._examine(entry, only if core is None else core)
                    entry = None
            except (OSError, sqlite3.Error, QuietmoveError) as error:  # for example a full disk
                print(f"note: retrying the checks in {EXTRA_SECONDS:.0f} s: {error}", file=sys.stderr)  # noqa: T201
                await asyncio.sleep(EXTRA_SECONDS)
            finally:
                if core is not None:
                    self._cores.release(core)

    async def _examine(self, entry: Entry, core: int) -> None:
        """Build and check an entry, and save the verdict."""
        settings = self._settings()
        assignment = settings.of(entry.assignment)
        report: dict[str, Any] = {"build": None, "examinations": []}
        if assignment is None:
            reason = f"the assignment {entry.assignment!r} is no longer in the class; tell your teacher"
            return self._decide(entry.number, "refused", reason, report)
        player = self._entries.player(entry.number)
        source = f"entries/{entry.number}/source"
        compiler = build_engine(settings, player, source)
        program: bytes | None = None
        if compiler is not None:
            done = await self._run(
                Confined(launch_of(compiler, DEFAULT_GAME), settings.build_seconds, MOST_PROGRAM_BYTES, MOST_ERROR)
            )
            report["build"] = {"how": done.how, "output": _lines(done.error)}
            if KILLED.search(" ".join([*report["build"]["output"], done.how])) and self._try_again(entry.number):
                return None
            if not (done.is_good and done.output):
                lines = report["build"]["output"]
                first = next(filter(COMPILER_ERROR.search, lines), (lines or [done.how])[0])
                why = first if not done.is_good else "the compiler produced no program"
                return self._decide(entry.number, "refused", f"compiling failed: {why}", report)
            program = done.output
        if entry.language == "command" and (
            reason := missing_interpreter(self._entries.folder / source / str(player.main))
        ):
            return self._decide(entry.number, "refused", reason, report)
        self._entries.built(entry.number, program, COMPILED.get(entry.language, ""))
        if assignment.tasks:
            report["examinations"] = await self._ask(entry, assignment.tasks, settings.check_seconds, core)
            if any(KILLED.search(row["text"]) for row in report["examinations"]) and self._try_again(entry.number):
                return None
            _name_packages(report["examinations"], settings)
            solved = any(row["status"] == "ok" for row in report["examinations"])
            reason = "" if solved else f"no task was solved; {report['examinations'][0]['text']}"
            return self._decide(entry.number, "passed" if solved else "refused", reason, report)
        done = await self._run(self._check(entry, settings, assignment, core))
        try:
            rows = json.loads(done.output)["examinations"]
        except (ValueError, KeyError):
            if self._try_again(entry.number):
                return None
            last = (_lines(done.error) or [""])[-1]
            reason = f"checking failed twice: {last or done.how}; tell your teacher"
            return self._decide(entry.number, "refused", reason, report)
        required = settings.needed_for(assignment.limit)
        report["examinations"] = [
            {**{key: row[key] for key in KEPT_KEYS}, "required": row["name"] in required} for row in rows
        ]
        _name_packages(report["examinations"], settings)
        reason = verdict(report["examinations"])
        if KILLED.search(reason) and self._try_again(entry.number):
            return None
        if assignment.evaluator and not reason:
            report["examinations"].append(
                await self._compare_values(entry, assignment.evaluator, settings.check_seconds, core)
            )
        return self._decide(entry.number, "refused" if reason else "passed", reason, report)

    async def _ask(self, entry: Entry, tasks: Sequence[str], at_most: float, core: int) -> list[dict[str, Any]]:
        """Ask an entry the questions of each task, and return the outcomes. A task gets 3/4 of the remaining time."""
        rows = []
        end = time.monotonic() + at_most
        for name in tasks:
            asked = questions(name, secrets.randbits(64))
            text = "".join(f"{question}\n" for question, _ in asked).encode()
            began = time.monotonic()
            try:
                launch = launch_of(replace(entry.engine, cpus=(core,)), DEFAULT_GAME)
                seconds = max(1.0, round((end - began) * 3 / 4, 1))
                done = await self._run(Confined(launch, seconds, MOST_ANSWERS, MOST_ERROR, text))
            except SetupError as error:  # for example a missing interpreter
                done = Ended(b"", b"", f"cannot start: {error}")
            rows.append(judged(name, asked, done, time.monotonic() - began))
        return rows

    async def _compare_values(self, entry: Entry, evaluator: str, at_most: float, core: int) -> dict[str, Any]:
        """Compare the values that an entry prints with minimax, and return the outcome."""
        request = {
            "engine": adapter(EngineConfig).dump_python(entry.engine),
            "evaluator": evaluator,
            "cpu": core,
        }
        words = python_command(values.__name__)
        launch = Launch(sys.executable, tuple(words), str(self._entries.folder), dict(os.environ), {"cpus": [core]})
        seconds = at_most + EXTRA_SECONDS
        done = await self._run(Confined(launch, seconds, MOST_REPORT, MOST_ERROR, json.dumps(request).encode()))
        with suppress(ValueError):
            return dict(json.loads(done.output))
        text = f"not finished: {(_lines(done.error) or [done.how])[-1]}"
        return outcome(VALUES, "skip", text, seconds)

    def _try_again(self, number: int) -> bool:
        """Requeue an entry after a machine fault, such as lack of memory, and return True.

        At the second fault, only return False.
        """
        if number in self._again:
            return False
        self._again.add(number)
        self._entries.give_back(number)
        return True

    def _decide(self, number: int, state: State, reason: str, report: dict[str, Any]) -> None:
        folder = self._entries.folder.absolute()
        self._entries.decide(number, state, shown_text(reason, folder), shown_to_students(report, folder))
        self._again.discard(number)

    def _check(self, entry: Entry, settings: ClassSettings, assignment: Assignment, core: int) -> Confined:
        """Return a run of `quietmove-referee check` for an entry."""
        command, *others = spell_engine(replace(entry.engine, cpus=(core,), clock=settings.clock))
        words = python_command(
            "quietmove.referee", "check", command.removeprefix("cmd="), *others, str(assignment.limit)
        )
        words += ["--json", "--quick", "--at-most", f"{settings.check_seconds}s"]
        launch = Launch(sys.executable, tuple(words), str(self._entries.folder), dict(os.environ), {"cpus": [core]})
        return Confined(launch, settings.check_seconds + EXTRA_SECONDS, MOST_REPORT, MOST_ERROR)

    async def _run(self, confined: Confined) -> Ended:
        self._running.add(confined)
        try:
            ended = await asyncio.shield(asyncio.to_thread(confined.run))
        finally:
            self._running.discard(confined)
        await self._turn.come()  # for the verdict
        return ended


def verdict(examinations: list[dict[str, Any]]) -> str:
    """Return why an entry is refused, or "" if it passes.

    A required check that was skipped, after a failure or for lack of time, also fails the entry.
    """
    missed = [row for row in examinations if row["required"] and row["applies"] and row["status"] in ("FAIL", "skip")]
    missed.sort(key=lambda row: row["status"] != "FAIL")
    if not missed:
        return ""
    counts = Counter(row["status"] for row in examinations if row["applies"])
    return f"{missed[0]['name']}: {missed[0]['text']} ({counts['ok']} of {counts.total()} checks passed)"


def _name_packages(examinations: list[dict[str, Any]], settings: ClassSettings) -> None:
    """Append what a program can import to the outcome of each check that failed for a missing module."""
    allowed = ", ".join(settings.packages) or "no packages"
    for row in examinations:
        if MISSING_MODULE.search("\n".join([row["text"], *(row["evidence"] or {"stderr": ()})["stderr"]])):
            row["text"] += f"; besides its own files and the standard library, a program can import {allowed}"


def _lines(data: bytes) -> list[str]:
    return [printable(line, 400) for line in data.decode("utf-8", "replace").splitlines()[:200]]
