"""Nothing that an engine starts outlives its game, nor the referee, whatever either of them does."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.game.host import play_game
from quietmove.referee.process import sandbox
from quietmove.referee.process.launch import Launch
from quietmove.referee.process.line_process import LineProcess
from quietmove.referee.process.supervisor import usage
from quietmove.referee.seats.pool import check_engine
from tests.e2e.conftest import LONG, SHORT
from tests.fakes.processes import wait_until

RUNNER = """
import sys
from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec
from quietmove.referee.game.host import play_game
black, white = (EngineConfig(f"engine {i}", tuple(sys.argv[i].split("|")), stall_timeout_ms=10**7) for i in (1, 2))
play_game(GameSpec("othello", (), black, white, adjudication=Adjudication(max_plies=6)))
"""


@pytest.mark.parametrize(
    ("behaviour", "fields", "reason", "count"),
    [
        ("leave-daemon", {}, "adjudicated", 3),
        ("stop-itself", {"stall_timeout_ms": 300}, "stall", 2),
        ("stop-supervisor", {}, "crash", 3),
        ("kill-supervisor", {}, "crash", 3),
        ("leave-orphans", {}, "adjudicated", 2),
    ],
)
def test_nothing_outlives_its_game(fakes: Any, behaviour: str, fields: dict[str, int], reason: str, count: int) -> None:
    record = play_game(fakes.game(fakes.config(behaviour, **fields), fakes.config("sane"), adjudication=SHORT))
    fakes.wait_until_gone()
    assert record.reason == reason, record.detail
    assert len(fakes.pids) == count


def test_nothing_outlives_a_referee_that_is_killed(fakes: Any) -> None:
    daemon, stopped = fakes.command("leave-daemon"), fakes.command("stop-itself", "--ply", "1")
    with subprocess.Popen([sys.executable, "-c", RUNNER, "|".join(daemon), "|".join(stopped)]) as runner:
        wait_until(lambda: "T" in {fields(pid)[0] for pid in fakes.pids})
        assert len(fakes.living()) == 3
        runner.kill()
    fakes.wait_until_gone()


def test_an_error_of_a_broken_channel_is_kept_nowhere() -> None:
    """What nobody looks at is reported on standard error, whenever it is collected."""

    async def errors() -> list[str]:
        engine = await LineProcess.start(Launch("/bin/cat", ("cat",), "/", {}))
        (supervisor,) = (Path(f"/proc/{pid}") for pid in children_of(launcher()))
        os.kill(int(supervisor.name), signal.SIGKILL)
        wait_until(lambda: not supervisor.exists())  # the event loop has not noticed this yet
        engine.begin_game(None)
        await engine.end(patient=False)
        futures = [found for found in gc.get_objects() if type(found) is asyncio.Future and found.done()]
        # Futures of this test's event loop.
        own = [future for future in futures if future.get_loop() is asyncio.get_running_loop()]
        return [str(future) for future in own if not future.cancelled() and future.exception()]

    assert asyncio.run(errors()) == []


@pytest.mark.parametrize("number", ["KILL", "STOP"])
def test_an_engine_that_ends_its_supervisor_at_once_has_lost(fakes: Any, number: str) -> None:
    """The supervisor may not have said yet that the engine has started; that is no shortage of the machine."""
    killer = EngineConfig("killer", ("/bin/sh", "-c", f"kill -{number} $PPID"), **LONG)
    for _ in range(3):
        assert play_game(fakes.game(killer, fakes.config("sane"))).reason == "crash"


def test_a_launcher_that_was_killed_is_replaced(fakes: Any) -> None:
    game = fakes.game(fakes.config("resign"), fakes.config("sane"))
    play_game(game)
    first = launcher()
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    record = play_game(game)
    assert record.reason == "resign", record.detail
    assert launcher() != first


def test_a_program_leaves_no_socket_open_at_its_end(fakes: Any) -> None:
    engine = "|".join(fakes.command("sane"))
    command = [sys.executable, "-W", "default::ResourceWarning"]  # -X dev also reports slow callbacks
    ended = subprocess.run([*command, "-c", RUNNER, engine, engine], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("behaviour", "caps", "detail"),
    [
        ("fill-memory", {"memory": 64}, "fill-memory (black) exceeded its memory limit of 64 MiB"),
        ("burn-in-orphans", {"cpu_seconds": 1}, "exceeded its limit of 1 s of CPU time for a game"),
        ("start-many-processes", {}, "exceeded its limit of 30 processes and threads"),
        ("start-many-threads", {}, "exceeded its limit of 30 processes and threads"),
    ],
)
def test_an_engine_that_goes_over_a_cap_has_lost(
    fakes: Any, monkeypatch: pytest.MonkeyPatch, behaviour: str, caps: dict[str, int], detail: str
) -> None:
    monkeypatch.setattr(sandbox, "PROCESSES", 30)
    record = play_game(fakes.game(fakes.config(behaviour, **caps), fakes.config("sane", memory=64)))
    assert (record.reason, record.loser) == ("crash", "black")
    assert record.detail.endswith(detail)
    assert not fakes.living()


def test_the_processor_time_of_children_that_have_ended_counts() -> None:
    code = """
import os, time
if os.fork() == 0:
    while time.process_time() < 0.2: pass
    os._exit(0)
os.wait()
input("ready\\n")
"""
    before = usage([])[0]
    with subprocess.Popen([sys.executable, "-S", "-u", "-c", code], stdin=PIPE, stdout=PIPE) as engine:
        assert engine.stdout is not None
        engine.stdout.readline()
        assert usage([engine.pid])[0] - before >= 0.1
        engine.communicate(b"\n")


def test_an_engine_is_started_where_and_how_its_configuration_says(fakes: Any, tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    black = fakes.config("tell-surroundings", cwd=str(tmp_path), env=(("FAKE", "a b"),), cpus=(cpu,))
    white = fakes.config("tell-surroundings", "--ply", "1")
    record = play_game(fakes.game(black, white, adjudication=SHORT))
    assert record.reason == "adjudicated", record.detail
    assert record.black_stderr == f"{tmp_path} a b [{cpu}]\n"
    assert record.white_stderr == f"{Path.cwd()} None {sorted(os.sched_getaffinity(0))}\n"


def test_a_place_that_is_not_there_is_named_before_the_first_game(fakes: Any) -> None:
    config = fakes.config("sane", cwd="/nowhere", cpus=(4095,))
    allowed = ", ".join(map(str, sorted(os.sched_getaffinity(0))))
    assert [objection.text for objection in check_engine(config, "othello")] == [
        "cwd: there is no folder '/nowhere', or it cannot be entered",
        f"cpus: must be among {allowed}, not 4095",
    ]
    record = play_game(fakes.game(fakes.config("sane", cwd="/nowhere"), fakes.config("sane")))
    assert record.detail == "sane (black) cannot be started: /nowhere: No such file or directory"


def launcher() -> int:
    """Return the child of this process that forks the supervisors."""
    (pid,) = (
        each for each in children_of(os.getpid()) if b"supervisor.py" in Path(f"/proc/{each}/cmdline").read_bytes()
    )
    return pid


def children_of(pid: int) -> list[int]:
    return [int(word) for path in Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]


def fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
