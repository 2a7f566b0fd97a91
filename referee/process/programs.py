"""Which program a command starts on this machine, and where a game's seed goes in it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from quietmove.referee.config.model import OWN_ENGINE, PROCESS_KEYS, SEED_PLACE, EngineConfig
from quietmove.referee.process import sandbox
from quietmove.referee.process.launch import Launch

__all__ = ["is_there", "launch_of", "processors", "resolve", "start_objections", "with_seed"]


def resolve(command: Sequence[str]) -> tuple[str, ...]:
    """Return ``command`` as it is started here; :data:`OWN_ENGINE` is the script beside the interpreter, or the module.

    So the engine is found even if its environment is not activated.
    """
    if command[0] != OWN_ENGINE:
        return tuple(command)
    script = Path(sys.executable).with_name(OWN_ENGINE)
    own = (str(script),) if script.is_file() else (sys.executable, "-m", OWN_ENGINE)
    return (*own, *command[1:])


def is_there(command: Sequence[str]) -> bool:
    """Tell whether there is such a program, and it may be run."""
    return shutil.which(resolve(command)[0]) is not None


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def with_seed(engine: EngineConfig, seed: int) -> EngineConfig:
    """Return ``engine`` with the seed of its game wherever its command or options ask for it."""
    return replace(
        engine,
        command=tuple(word.replace(SEED_PLACE, str(seed)) for word in engine.command),
        options=tuple((name, value.replace(SEED_PLACE, str(seed))) for name, value in engine.options),
    )


def launch_of(config: EngineConfig, game: str) -> Launch:
    """Return how the process of an engine is started for a game.

    :raises OSError: if the working directory of this process is gone.
    :raises SetupError: if it is to run in a sandbox, and there can be none.
    """
    words = resolve(config.command)
    bare = Launch(
        program=os.path.abspath(shutil.which(words[0]) or words[0]),  # noqa: PTH100  (links are kept: a venv is one)
        arguments=words,
        cwd=os.path.abspath(config.cwd),  # noqa: PTH100
        env={**os.environ, **dict(config.env)},
        keys={name: getattr(config, name) for name in PROCESS_KEYS},
    )
    if not config.sandbox:
        return bare
    named = [*(value for _, value in config.options), game.partition(" ")[0]]  # they may name files, as arguments may
    return sandbox.confined(bare, named, _binds(config), config.env)


def _binds(config: EngineConfig) -> list[str]:
    """Return what an engine may read beside the files that its command and its options name."""
    binds = [*config.sandbox_bind, *([config.cwd] if config.cwd else [])]
    if config.command[0] == OWN_ENGINE:  # an editable installation keeps the package elsewhere
        package = Path(__file__).parents[2]
        binds += [str(package), *(str(each.resolve()) for each in package.iterdir() if each.is_symlink())]
    return binds


def start_objections(config: EngineConfig) -> Iterator[str]:
    """Yield why the process of an engine cannot be started as its configuration says."""
    if not is_there(config.command):
        yield f"there is no program {config.command[0]!r}, or it may not be run"
    if config.cwd and not (os.path.isdir(config.cwd) and os.access(config.cwd, os.X_OK)):
        yield f"cwd: there is no folder {config.cwd!r}, or it may not be entered"
    if absent := sorted(set(config.cpus) - os.sched_getaffinity(0)):
        allowed = ", ".join(map(str, sorted(os.sched_getaffinity(0))))
        yield f"cpus: must be among {allowed}, not {', '.join(map(str, absent))}"
    if config.sandbox and (text := sandbox.refusal()):
        yield text
    for path in config.sandbox_bind:
        if not os.path.exists(path):  # noqa: PTH110 (which takes a text of any length)
            yield f"sandbox_bind: there is no {path!r}"
