"""What an engine can do to its opponent, to the referee and to the machine: nothing in a sandbox, much without."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from quietmove.referee.arguments.engine_args import parse_engine
from quietmove.referee.cli import referee
from quietmove.referee.config.model import OWN_ENGINE, EngineConfig, GameSpec
from quietmove.referee.errors import SetupError
from quietmove.referee.game.host import play_game
from quietmove.referee.process import sandbox
from quietmove.referee.process.launch import launch_of, start_objections
from quietmove.referee.seats.pool import check_engine
from quietmove.tournament.config.config import load_config
from quietmove.tournament.playing.commands import SANDBOXES
from tests.e2e.conftest import FAKE_ENGINE, LONG, SHORT
from tests.fakes.processes import wait_until

PROCESSES = 30
LEVELS = 4  # the outer and inner bubblewrap, the engine, and its daemon

# Makes system calls under the filter of the sandbox, and locks a file twice.
SCRIPT = """
import ctypes, fcntl, json, struct, sys
from quietmove.referee.process.sandbox import call_filter

class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_char_p)]

library, lines = ctypes.CDLL(None, use_errno=True), call_filter()
assert library.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert library.prctl(22, 2, ctypes.byref(Program(len(lines) // 8, lines)), 0, 0) == 0  # PR_SET_SECCOMP
for file in (open(sys.argv[1], "r+"), open(sys.argv[1], "r+")):
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.fcntl(file, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
errors = []
for name, *words in json.loads(sys.argv[2]):
    failed = getattr(library, name)(*(word.encode() if isinstance(word, str) else word for word in words)) < 0
    errors.append(ctypes.get_errno() if failed else 0)
print(json.dumps(errors))
"""
NEW_USER = 0x10000000  # linux/sched.h: CLONE_NEWUSER
needs_a_sandbox = pytest.mark.skipif(bool(sandbox.missing_requirement()), reason=sandbox.missing_requirement())
REFUSED = [
    ("memfd_create", "hidden", 0),
    ("shmget", 0, 4096, 0o1600),
    ("msgget", 0, 0o1600),
    ("semget", 0, 1, 0o1600),
    ("unshare", NEW_USER),
    ("socket", socket.AF_PACKET, socket.SOCK_RAW, 0),
    ("socket", 40, socket.SOCK_STREAM, 0),  # AF_VSOCK, which reaches the host of a virtual machine
    ("socket", 38, socket.SOCK_SEQPACKET, 0),  # AF_ALG, the kernel's ciphers
    ("inotify_init1", 0),
    ("fcntl", 1, fcntl.F_NOTIFY, 0),
]
ALLOWED = [
    ("socket", socket.AF_UNIX, socket.SOCK_STREAM, 0),
    ("socket", socket.AF_INET6, socket.SOCK_STREAM, 0),
    ("dup", 1),
]


@pytest.fixture
def port() -> Iterator[int]:
    """Return a port of this machine that somebody listens to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def config(behaviour: str, *arguments: str, **fields: Any) -> EngineConfig:
    command = (sys.executable, "-S", str(FAKE_ENGINE), behaviour, *arguments)
    return EngineConfig(behaviour, command, **{**LONG, **fields})


@needs_a_sandbox
@pytest.mark.parametrize("confined", [True, False])
def test_an_attack_succeeds_only_without_a_sandbox(
    fakes: Any, tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch, confined: bool
) -> None:
    if confined:
        monkeypatch.setattr(sandbox, "PROCESSES", PROCESSES)
    monkeypatch.setenv("SECRET", "of the referee")
    victim = tmp_path / "file"
    env = (("ATTACK", f"{os.getpid()} {port} {victim} {PROCESSES + 10}"),)
    attacker = config("attack", env=env, sandbox=confined, cpus=(min(os.sched_getaffinity(0)),))
    record = play_game(fakes.game(attacker, config("sane", "--delay", str(port), sandbox=confined), keep_dialogue=True))
    assert record.reason == "finished", record.detail
    attempts = dict(line.split(": ") for line in record.black_stderr.splitlines())
    assert len(attempts) == 13
    assert set(attempts.values()) == {"refused" if confined else "done"}, attempts
    assert any("white < info string an intruder" in line for line in record.dialogue) is not confined
    assert victim.exists() is not confined


@needs_a_sandbox
def test_calls_that_go_around_a_sandbox_are_refused_and_no_others(tmp_path: Path) -> None:
    """Each lock of a file that two engines see succeeds, so that it carries no signal."""
    (tmp_path / "file").touch()
    words = [str(tmp_path / "file"), json.dumps(REFUSED + ALLOWED)]
    run = subprocess.run([sys.executable, "-c", SCRIPT, *words], capture_output=True, text=True, timeout=120)
    assert run.stderr == ""
    found = dict(zip(REFUSED + ALLOWED, json.loads(run.stdout), strict=True))
    assert [call for call, error in found.items() if error == errno.ENOSYS] == REFUSED


@needs_a_sandbox
@pytest.mark.parametrize("behaviour", ["fill-memory", "fill-tmp", "fill-shm"])
def test_memory_is_capped_in_a_sandbox_and_nothing_is_left(fakes: Any, behaviour: str) -> None:
    record = play_game(fakes.game(config(behaviour, sandbox=True, memory=64), config("sane", sandbox=True)))
    assert record.detail == f"{behaviour} (black) exceeded its memory limit of 64 MiB"
    assert not running_with(behaviour)


@needs_a_sandbox
def test_processes_that_an_engine_has_bubblewrap_start_count_too(fakes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary user's engine can trace bubblewrap in its sandbox, which the kernel's limit does not hold for."""
    monkeypatch.setattr(sandbox, "PROCESSES", PROCESSES)
    monkeypatch.setattr(sandbox, "_limits", list)
    record = play_game(fakes.game(config("start-many-processes", sandbox=True), config("sane")))
    assert record.detail == f"start-many-processes (black) exceeded its limit of {PROCESSES} processes and threads"


@needs_a_sandbox
def test_a_file_in_memory_counts_once_though_it_is_mapped_too(fakes: Any) -> None:
    engine = config("share-memory", sandbox=True, memory=80)
    record = play_game(fakes.game(engine, config("sane", sandbox=True), adjudication=SHORT))
    assert record.reason == "adjudicated", record.detail


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the home of this process's user, reached by a link, with a key in it."""
    (tmp_path / "data" / "me").mkdir(parents=True)
    (tmp_path / "data" / "me" / "key").write_text("key\n")
    (tmp_path / "link").symlink_to(tmp_path / "data")
    monkeypatch.setenv("HOME", str(tmp_path / "link" / "me"))
    sandbox._homes.cache_clear()
    yield tmp_path / "link" / "me"
    sandbox._homes.cache_clear()


@needs_a_sandbox
def test_an_engine_in_a_home_sees_itself_and_no_other_file_there(tmp_path: Path, home: Path) -> None:
    keys = [home / "key", home.resolve() / "key", "key"]
    found = read_from(tmp_path, home / "engine", [*keys, home / "engine"], cwd=str(home))
    assert found.startswith("#!/bin/sh")
    assert read_from(tmp_path, home / "own" / "engine", [*keys, "../key"], cwd=str(home / "own")) == ""


@needs_a_sandbox
def test_a_folder_that_is_named_is_seen(tmp_path: Path, home: Path) -> None:
    words = ["cmd=engine", "name=a", "sandbox=on", f"folder={home}"]
    binds = parse_engine(words).sandbox_bind
    assert read_from(tmp_path, home / "engine", [home / "key"], sandbox_bind=binds) == "key"


@needs_a_sandbox
def test_of_a_file_that_is_named_the_neighbours_are_not_seen(tmp_path: Path) -> None:
    """The neighbour's folder is reached from the program's own by ``..``; each has its own folder."""
    other = tmp_path / "p07"
    other.mkdir()
    (other / "player.py").write_text("player\n")
    (other / "notes").write_text("notes\n")
    words = ["../p07/player.py"]
    own = tmp_path / "p08" / "engine"
    found = read_from(tmp_path, own, [other / "player.py", other / "notes"], words, cwd=str(tmp_path / "p08"))
    assert found == "player"


def test_an_option_names_no_file_unless_it_has_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "book").touch()
    monkeypatch.chdir(tmp_path)
    assert sandbox.readable(("engine", "-u", "--book=book"), (), "", ()) == [str(tmp_path / "book")]


def test_an_argument_of_a_module_is_no_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = tmp_path / "p07" / "player.py"
    player.parent.mkdir()
    player.touch()
    monkeypatch.chdir(tmp_path)
    found = sandbox.readable(("python3", "-m", "engine", "p07/player.py"), (), "", ())
    assert str(player) in found
    assert str(player.parent) not in found


@needs_a_sandbox
@pytest.mark.parametrize("first", ["cmd", "shebang"])
def test_a_python_that_is_a_script_in_path_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    shims, engine = tmp_path / "shims", tmp_path / "own" / "engine.py"
    shims.mkdir()
    engine.parent.mkdir()
    (shims / "python3").write_text(f'#!/bin/sh\n. {tmp_path}/settings\nexec "$REAL" "$@"\n')
    (tmp_path / "settings").write_text(f"REAL={sys.executable}\n")
    engine.write_text("#!/usr/bin/env python3\nimport helper\n")
    (engine.parent / "helper.py").write_text("print(input(), flush=True)\n")
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shims}:{os.environ['PATH']}")
    command = ("python3", str(engine)) if first == "cmd" else (str(engine),)
    player = EngineConfig("a", command, sandbox=True, **LONG)
    assert not list(start_objections(player))
    record = play_game(GameSpec("othello", (), player, config("sane"), keep_dialogue=True))
    assert any("black < uci" in line for line in record.dialogue), record.detail


@needs_a_sandbox
def test_another_interpreter_that_is_a_script_in_path_is_refused_before_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "node").write_text("#!/bin/sh\nexec /usr/bin/env node\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (text,) = start_objections(EngineConfig("a", ("node", "x.js"), sandbox=True))
    assert text == f"sandbox: node: must be a program, not a script that starts another one ('{tmp_path}/node')"


@needs_a_sandbox
@pytest.mark.parametrize("name", ["python3", "pypy3"])
def test_a_program_with_the_name_of_an_interpreter_runs_in_the_sandbox_alone(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    said = read_from(tmp_path, tmp_path / "own" / name, [f"/dev/null; touch {victim}; echo ran"])
    assert said == "ran"
    assert not victim.exists()


@needs_a_sandbox
@pytest.mark.parametrize("owner", [0, 12345])
def test_a_shim_is_run_if_root_or_the_user_owns_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: int) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    shim = tmp_path / "python3"
    shim.write_text(f"#!/bin/sh\necho {sys.executable}\n")
    shim.chmod(0o755)
    os.chown(shim, owner, owner)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert bool(list(start_objections(EngineConfig("a", ("python3", "x.py"), sandbox=True)))) is (owner != 0)


@needs_a_sandbox
@pytest.mark.parametrize("prefix", ["", "./" * 140])
def test_the_first_line_of_a_script_shows_it_nothing_more(private: Path, prefix: str) -> None:
    """The kernel reads 256 bytes of a long line, and then has a shell run the script."""
    look = script(private.parent / "dl" / "look", f"#!{prefix}../private/secret\ncat ../private/secret\n")
    (text,) = start_objections(EngineConfig("a", (str(look),), cwd=str(look.parent), sandbox=True))
    assert text.startswith("sandbox: look: its first line must name an interpreter in PATH")
    with pytest.raises(SetupError):
        launch_of(EngineConfig("a", (str(look),), cwd=str(look.parent), sandbox=True), "othello")


@needs_a_sandbox
@pytest.mark.parametrize("name", ["tool", "../private/python3"])
def test_an_interpreter_for_env_must_be_one_in_path(private: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for other in ("tool", "python3"):
        script(private / other, "#!/bin/sh\n")
    look = script(private.parent / "dl" / "look", f"#!/usr/bin/env {name}\n")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{private}")
    monkeypatch.chdir(look.parent)
    assert str(private) not in sandbox.readable((str(look),), (), "", ())


LINKS = {
    "file": ("dl/book.bin", "../private/secret", "cmd=./look book.bin"),
    "option": ("dl/book.bin", "../private/secret", "cmd=./look --book=book.bin"),
    "folder": ("dl/data", "../private", "cmd=./look data"),
    "under a folder": ("dl/data", "../private", "cmd=./look data/secret"),
    "chain": ("dl/book.bin", "../dl/../private/secret", "cmd=./look book.bin"),
    "program": ("dl/tool", "../private/tool", "cmd=./tool"),
    "interpreter": ("dl/python3", "../private/python3", "cmd=./python3 look"),
    "folder of the program": ("dl/tools", "../private", "cmd=./tools/tool"),
    "library": ("dl/lib", "../private", "cmd=./bin/look"),
}


@needs_a_sandbox
@pytest.mark.parametrize(("link", "target", "command"), LINKS.values(), ids=LINKS)
def test_a_link_in_an_engines_folder_shows_what_it_leads_to_only_if_that_is_named(
    private: Path, monkeypatch: pytest.MonkeyPatch, link: str, target: str, command: str
) -> None:
    root = private.parent
    for path in (root / "dl" / "look", root / "dl" / "bin" / "look", private / "tool", private / "python3"):
        script(path, "#!/bin/sh\n")
    (root / link).symlink_to(target)
    monkeypatch.chdir(root / "dl")
    words = [command, "name=a", "sandbox=on", f"cwd={root / 'dl'}"]
    (text,) = start_objections(parse_engine(words))
    assert "outside its folder; allow it with folder=" in text
    assert not list(start_objections(parse_engine([*words, f"folder={private}"])))


@needs_a_sandbox
@pytest.mark.parametrize(
    ("linked", "hint"), [(True, "/data/book' leads nowhere; allow it with folder="), (False, "it sees only")]
)
def test_an_engine_that_fails_to_start_is_told_of_a_link_that_it_cannot_follow(
    private: Path, linked: bool, hint: str
) -> None:
    """Its command names no file behind the link, so the link is no error before the start."""
    look = script(private.parent / "dl" / "look", "#!/bin/sh\ncat data/book || exit 3\n")
    (look.parent / "data").mkdir()
    if linked:
        (look.parent / "data" / "book").symlink_to(private / "secret")
    for path in private.parent.rglob("*"):
        path.chmod(0o755)
    player = EngineConfig("a", (str(look),), cwd=str(look.parent), sandbox=True, **LONG)
    record = play_game(GameSpec("othello", (), player, config("sane")))
    assert (record.reason, hint in record.detail) == ("crash", True), record.detail
    assert record.detail.endswith(f"folder={private / 'secret'}" if linked else "with folder=")


@needs_a_sandbox
@pytest.mark.parametrize(("link", "stop"), [("book.bin", "book"), ("data", "data")])
def test_the_folder_that_the_advice_names_helps(
    private: Path, monkeypatch: pytest.MonkeyPatch, link: str, stop: str
) -> None:
    """The engine's link leads through another one, which the engine must see as well."""
    root = private.parent
    (root / "shared").mkdir()
    (root / "shared" / "data").symlink_to(private)
    (root / "shared" / "book").symlink_to("data/secret")
    file = "book.bin" if link == "book.bin" else "data/secret"
    look = script(root / "dl" / "look", f"#!/bin/sh\nread line\ncat {file}\n")
    (look.parent / link).symlink_to(f"../shared/{stop}")
    for path in root.rglob("*"):
        path.chmod(0o755)
    monkeypatch.chdir(root / "dl")
    words = [f"cmd=./look {file}", "name=a", f"cwd={root / 'dl'}", "sandbox=on"]
    (text,) = start_objections(parse_engine(words))
    advised = text.rpartition("allow it with ")[2]
    assert advised.startswith(f"folder={root / 'shared' / stop}")
    player = replace(parse_engine([*words, advised]), **LONG)
    record = play_game(GameSpec("othello", (), player, config("sane"), keep_dialogue=True))
    assert any(line.endswith("black < key") for line in record.dialogue), record.detail


@needs_a_sandbox
def test_links_within_a_folder_and_in_the_way_to_it_are_followed(private: Path) -> None:
    root = private.parent
    look = script(root / "dl" / "look", "#!/bin/sh\nread line\ncat book.bin\n")
    (look.parent / "data").mkdir()
    (look.parent / "data" / "book").write_text("moves\n")
    (look.parent / "book.bin").symlink_to("data/book")
    (root / "way").symlink_to("dl")
    for path in root.rglob("*"):
        path.chmod(0o755)
    words = [f"cmd={root / 'way' / 'look'} book.bin", "name=a", f"cwd={root / 'way'}", "sandbox=on"]
    player = replace(parse_engine(words), **LONG)
    record = play_game(GameSpec("othello", (), player, config("sane"), keep_dialogue=True))
    assert any(line.endswith("black < moves") for line in record.dialogue), record.detail


@needs_a_sandbox
def test_a_variable_of_an_engine_is_its_own_and_not_that_of_bubblewrap(tmp_path: Path) -> None:
    """The loader obeys such variables: ``LD_PRELOAD`` would run a library of the engine's outside the sandbox."""
    # Outside the sandbox, which has its own temporary folders.
    written = Path(sandbox.TEMPORARY_PLACES[0], f"loaded-{os.getpid()}")
    env = (("LD_DEBUG", "files"), ("LD_DEBUG_OUTPUT", str(written)), ("SAID", "a=b c"))
    said = read_from(tmp_path, tmp_path / "own=1" / "engine", ['/dev/null; echo "$SAID $LD_DEBUG"'], env=env)
    assert said == "a=b c files"
    assert not list(written.parent.glob(f"{written.name}*"))


@needs_a_sandbox
def test_the_programs_that_begin_a_sandbox_are_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for name in ("setpriv", "prlimit", "env"):
        script(own / name, "#!/bin/sh\necho planted\n")
    monkeypatch.setenv("PATH", f".:{own}:{os.environ['PATH']}")
    assert read_from(tmp_path, own / "engine", ["/dev/null; echo own"], cwd=str(own), env=(("A", "1"),)) == "own"


@needs_a_sandbox
def test_an_engine_does_not_see_how_its_sandbox_was_made(tmp_path: Path) -> None:
    words = "tr '\\0' '\\n' </proc/1/cmdline"
    shown = [f"/dev/null; {words} | grep -c bwrap; {words} | grep -c /var/log"]
    assert read_from(tmp_path, tmp_path / "own" / "engine", shown, sandbox_bind=("/var/log",)) == "1 0"


@needs_a_sandbox
def test_the_systems_own_links_are_followed(tmp_path: Path) -> None:
    """What lies in ``/etc/alternatives`` is reached by a user that is not root, as compilers are."""
    assert read_from(tmp_path, tmp_path / "own" / "engine", ["/etc/alternatives/awk >/dev/null && echo seen"]) == "seen"


@needs_a_sandbox
def test_nothing_in_a_sandbox_outlives_a_referee_that_is_killed() -> None:
    word = str(10**9 + os.getpid())
    engine = shlex.join(config("leave-daemon", "--seed", word, "--ply", "0").command)
    words = ["--engine", f"cmd={engine}", "name=a", "--engine", f"cmd={engine}", "name=b", "--games", "5000"]
    command = [sys.executable, "-m", "quietmove.referee", "match", "--sandbox", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as runner:
        wait_until(lambda: len(running_with(word)) >= 2 * LEVELS)
        runner.kill()
    wait_until(lambda: not running_with(word))


@needs_a_sandbox
def test_engines_of_every_kind_play_in_a_sandbox(fakes: Any, tmp_path: Path) -> None:
    """Our own engine, from its environment, and a shell script that is found in its folder and reads a file there."""
    script = tmp_path / "engine"
    script.mkdir()
    tmp_path.chmod(0o755)
    (script / "answer").write_text("uciok\n")
    (script / "engine.sh").write_text('#!/bin/sh\nread line; cat "${0%/*}/answer" extra; pwd; touch mark; read line\n')
    (script / "engine.sh").chmod(0o755)
    (tmp_path / "extra").write_text("what is in another folder\n")
    own = EngineConfig("own", (OWN_ENGINE,), sandbox=True, **LONG)
    shell = EngineConfig("shell", (str(script / "engine.sh"),), sandbox=True, cwd=str(tmp_path), **LONG)
    assert not check_engine(own, "othello")
    assert not check_engine(shell, "othello")
    record = play_game(fakes.game(own, shell, keep_dialogue=True))
    said = [line.partition("white < ")[2] for line in record.dialogue if "white < " in line]
    assert said == ["uciok", "what is in another folder", str(tmp_path)]
    assert record.white_stderr == "touch: cannot touch 'mark': Read-only file system\n"


@needs_a_sandbox
def test_a_tournament_and_a_resumed_one_put_every_engine_into_a_sandbox(tmp_path: Path) -> None:
    engine = f"command = {json.dumps(config('sane').command)}"
    engines = '[[engine]]\nname = "a"\nsandbox = false\n[[engine]]\nname = "b"'
    text = f'name = "t"\nrounds = 1\n[defaults]\nlimit = "depth=1"\n{engine}\n{engines}\n'
    (tmp_path / "t.toml").write_text(text)
    tournament = load_config(tmp_path / "t.toml")
    assert not any(each.sandbox for each in tournament.engines)
    assert all(each.sandbox for each in tournament.in_sandboxes().engines)
    assert load_config(tmp_path / "t.toml", overrides=SANDBOXES) == tournament.in_sandboxes()


def test_there_is_one_error_where_a_sandbox_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shutil.which("bwrap") or "QUIETMOVE_CI" not in os.environ, "CI installs bubblewrap"
    try:
        (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 3\n")
        (tmp_path / "bwrap").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        assert "sandbox: needs bubblewrap" in (text := error_of_a_match(capsys))
        assert "failed with 'exit status 3'; without a sandbox, play only engines that you trust" in text
        with pytest.raises(SetupError, match="exit status 3"):
            play_game(GameSpec("othello", (), config("sane", sandbox=True), config("sane")))
    finally:
        sandbox.missing_requirement.cache_clear()


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """Return a folder with a secret, beside that of an engine."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "secret").write_text("key\n")
    (tmp_path / "dl").mkdir()
    return tmp_path / "private"


def script(path: Path, text: str) -> Path:
    """Write a program, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def read_from(folder: Path, engine: Path, files: Sequence[Path | str], words: Sequence[str] = (), **fields: Any) -> str:
    """Return what an engine in a sandbox reads of some files, in one line; ``folder`` is opened for everyone."""
    engine.parent.mkdir(parents=True, exist_ok=True)
    engine.write_text("#!/bin/sh\nread line\n" + "".join(f"cat {each}\n" for each in files))
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    thief = EngineConfig("thief", (str(engine), *words), sandbox=True, **{**LONG, **fields})
    record = play_game(GameSpec("othello", (), thief, config("sane"), keep_dialogue=True))
    return " ".join(line.partition("black < ")[2] for line in record.dialogue if "black < " in line)


def error_of_a_match(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error of a match with one engine in a sandbox, which is the only one."""
    sandbox.missing_requirement.cache_clear()
    engine = f"cmd={shlex.join(config('sane').command)}"
    with pytest.raises(SetupError) as caught:
        referee(
            ["match", "--engine", engine, "name=a", "sandbox=on", "--engine", engine, "name=b"], standalone_mode=False
        )
    assert capsys.readouterr() == ("", "")
    (problem,) = caught.value.problems
    assert problem.startswith("engine a: ")
    return problem


def running_with(word: str) -> list[int]:
    """Return the processes whose command has ``word`` in it, but for the match itself."""
    commands = {each.pid: each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])}
    return [pid for pid, words in commands.items() if word in words and "--sandbox" not in words]
