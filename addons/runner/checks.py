"""The checks of a folder's engines: ``quietmove-referee check`` in a process, and the latest report of each engine."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from pathlib import Path
from typing import Any

from quietmove.addons.web.boards import Json
from quietmove.engine.common.processes import python_command
from quietmove.engine.common.text import printable
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.files import locked, written_whole
from quietmove.referee.arguments.engine_args import spell_engine
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import names
from quietmove.referee.errors import SetupError

CHECKS = "checks.json"  # the file with the latest check of each engine


class Checks:
    """The checks in one folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / CHECKS
        self._checking = asyncio.Lock()

    async def run(self, config: EngineConfig) -> Json:
        """Check an engine with ``quietmove-referee check``, save the report and return it.

        Only one check runs at a time.

        :raises SetupError: if the engine cannot be checked.
        """
        command, *words = spell_engine(config)
        options = ["check", "--json", "--", command.removeprefix("cmd="), *words]
        async with self._checking:
            output = await module_output(self._path.parent, "quietmove.referee", *options)
        found = {"config": _digest(config), "at": time.time(), "examinations": json.loads(output)["examinations"]}
        await asyncio.to_thread(self._save, config.name, found)
        return _report(found)

    def report(self, name: str, config: EngineConfig | None) -> Json | None:
        """Return the latest report of an engine, or None if this configuration has not been checked."""
        found = self._load().get(name)
        if not isinstance(found, dict) or config is None or found.get("config") != _digest(config):
            return None
        return _report(found)

    def _save(self, name: str, found: Json) -> None:
        with locked(self._path, SetupError), written_whole([self._path], SetupError) as (file,):
            file.write(json.dumps(self._load() | {name: found}).encode())

    def _load(self) -> dict[str, Any]:
        try:
            found = parse_json(self._path.read_bytes())
        except (OSError, ValueError):  # missing or damaged: the next check rewrites it
            return {}
        return found if isinstance(found, dict) else {}


async def module_output(folder: Path, module: str, *words: str) -> bytes:
    """Run a module of this package in a separate process, and return its output; cancelling stops the process.

    The process's standard input stays open until this process exits, so the module can notice the exit.

    :raises SetupError: with the module's error message, if it prints no output.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *python_command(module, *words),
            cwd=folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:  # an argument has a null byte, or more than 128 kB
        raise SetupError(f"engine: cannot be started: {getattr(error, 'strerror', error)}") from None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        output, errors = await asyncio.gather(process.stdout.read(), process.stderr.read())
        await process.wait()
    finally:
        if process.returncode is None:  # the server is stopping
            process.terminate()
    if not output:
        raise SetupError(printable(errors.decode(errors="replace").strip().removeprefix("error: ")))
    return output


def _digest(config: EngineConfig) -> str:
    """Return a hash of the engine's configuration without its limit. A report is stale once the hash changes."""
    values = [str(getattr(config, key)) for key in names(EngineConfig) if key != "limit"]
    return hashlib.blake2b(json.dumps(values).encode(), digest_size=8).hexdigest()


def _report(found: Json) -> Json:
    """Return the report of a check: its date, its results, the number of failures and the seconds it took."""
    rows = found["examinations"]
    failed = sum(row["status"] == "FAIL" for row in rows)
    return {"at": found["at"], "failed": failed, "examinations": rows, "seconds": sum(row["seconds"] for row in rows)}
