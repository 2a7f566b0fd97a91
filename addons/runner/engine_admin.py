"""The owner's request handlers for a folder's engines: the register, the options that an engine offers, and checks."""

from __future__ import annotations

import asyncio
import json
import shlex
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quietmove.addons.runner.checks import Checks, module_output
from quietmove.addons.runner.person import TABLE
from quietmove.addons.runner.register import Register
from quietmove.addons.shared.toml_text import toml_text
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest, in_thread
from quietmove.addons.web.routes import Role, Row
from quietmove.engine.api import Position
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.untrusted import parse_toml
from quietmove.engine.limit import Limit
from quietmove.engine.protocol.lines import OptionLine
from quietmove.referee.api import Engine
from quietmove.referee.arguments.engine_args import program_name
from quietmove.referee.config.model import OWN_ENGINE, EngineConfig
from quietmove.referee.errors import EngineError, SetupError
from quietmove.referee.seats import is_protocol, seat_types
from quietmove.referee.seats.pool import offered
from quietmove.tournament.definition import DEFAULT_GAME

if TYPE_CHECKING:
    from starlette.requests import Request

GREETED = ("uci", "ugi", "gtp")  # protocols whose engines answer a greeting
TRIED = (*GREETED, "nboard", "project", "json")  # protocols to try if none is specified; the first that works is used
TRIED_MS = 4000  # timeout of each try, in milliseconds; a Python program may import libraries first


class EngineRequest(PageRequest):
    """An engine's table, in the format of the register."""

    table: dict[str, Any]
    more: str = ""  # additional keys as TOML
    replaces: str = ""  # the name of the engine it replaces

    def full_table(self) -> dict[str, Any]:
        """Return the table including the additional keys.

        :raises SetupError: if the additional keys are not valid TOML.
        """
        try:
            return {
                **{key: value for key, value in self.table.items() if value not in ("", {})},
                **parse_toml(self.more),
            }
        except ValueError as error:
            raise SetupError(f"further keys: invalid TOML: {error}") from None


class BuildRequest(PageRequest):
    """A request to build a commit of a repository. Empty build and engine commands stand for Quietmove's own."""

    repository: str
    commit: str
    build: str = ""
    engine: str = ""


class EngineAdmin:
    """The engines of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._checks = Checks(folder)

    def rows(self) -> list[Row]:
        """Return the routes, for the owner only."""
        return [
            Row("GET", "/api/engines", lambda request: asyncio.to_thread(self.engines), Role.OWNER),
            Row("POST", "/api/engines", in_thread(EngineRequest, self.put_engine), Role.OWNER),
            Row("POST", "/api/engines/offered", in_thread(EngineRequest, self.options), Role.OWNER),
            Row("POST", "/api/engines/built", self.build_commit, Role.OWNER),
            Row("POST", "/api/engines/check", self.check_table, Role.OWNER),
            Row("DELETE", "/api/engines/{name:path}", self.remove_engine, Role.OWNER),
            Row("POST", "/api/engines/{name:path}/check", self.check_engine, Role.OWNER),
        ]

    def engines(self) -> Json:
        """Return the register, with each engine's latest check and the choices for the form."""
        register = Register(self.folder)
        shown = ("name", "command", "protocol", "options", "limit")
        return {
            "file": str(register.path),
            "problems": register.problems,
            "engines": [
                {
                    "name": each.name,
                    "table": {key: value for key, value in each.table.items() if key in shown},
                    "more": toml_text({key: value for key, value in each.table.items() if key not in shown}),
                    "command": shlex.join(each.config.command) if each.config else "",
                    "protocol": each.config.protocol if each.config else "",
                    "options": dict(each.config.options) if each.config else {},
                    "limit": str({**register.defaults, **each.table}.get("limit", "")),
                    "check": self._checks.report(each.name, each.config),
                }
                for each in register.engines
            ],
            "protocols": list(seat_types()),
            "person": {**TABLE, "command": shlex.join(TABLE["command"])},
            "own": [asdict(option) for option in offered(EngineConfig("own", protocol="in-process"), DEFAULT_GAME)],
        }

    def put_engine(self, asked: EngineRequest) -> Json:
        """Add or change an engine in the register, and return the register."""
        Register(self.folder).put(asked.full_table(), asked.replaces)
        return self.engines()

    async def remove_engine(self, request: Request) -> Json:
        """Remove an engine from the register, and return the register."""
        await asyncio.to_thread(lambda: Register(self.folder).remove(request.path_params["name"]))
        return await asyncio.to_thread(self.engines)

    def options(self, asked: EngineRequest) -> Json:
        """Start the engine of a form, and return its protocol, its options and a name for it.

        The protocol is detected if not specified. ``seconds`` is the time until the engine had answered.
        """
        table = asked.full_table()
        protocol = self._unnamed(table).protocol
        tried = [protocol]
        if "protocol" not in table and protocol == TRIED[0]:
            tried = list(filter(is_protocol, TRIED))  # the command implies no other protocol
        patience = {} if len(tried) == 1 else {"start_timeout_ms": TRIED_MS}
        tables = [{**patience, **table, "protocol": each} for each in tried]
        began = time.monotonic()
        answers = [self._introduced(tables[0])]
        if isinstance(answers[0], QuietmoveError) and tables[1:]:  # try all others together, since most will time out
            with ThreadPoolExecutor(len(tables)) as executor:
                answers += executor.map(self._introduced, tables[1:])
        for answer in answers:
            if not isinstance(answer, QuietmoveError):
                config, offered_options = answer
                seconds = round(time.monotonic() - began, 2)
                options = [asdict(option) for option in offered_options]
                name = program_name(config.command) if config.command else OWN_ENGINE
                return {"protocol": config.protocol, "seconds": seconds, "options": options, "name": name}
        hint = f"; tried {', '.join(tried)}; choose the engine's protocol" if len(tried) > 1 else ""
        raise SetupError(f"{answers[0]}{hint}")

    def _unnamed(self, table: Mapping[str, Any]) -> EngineConfig:
        """Return the configuration with which a form's engine is started to read its options.

        It has a limit that all protocols accept and none of the form's options. The form need not contain a name.
        """
        kept = {key: table[key] for key in table if key != "options"}
        return Register(self.folder).described({"name": "engine", **kept, "limit": "depth=1"})

    def _introduced(self, table: Mapping[str, Any]) -> tuple[EngineConfig, list[OptionLine]] | QuietmoveError:
        """Start a form's engine and return its configuration and options, or the error if it does not answer.

        If its protocol has no greeting, ask it for a move instead.
        """
        try:
            config = self._unnamed(table)
            if config.protocol in GREETED or config.protocol == "in-process":
                return config, offered(config, DEFAULT_GAME)
            with Engine(config) as engine:
                engine.best_move(Position(DEFAULT_GAME), Limit(movetime=1000))
        except (SetupError, EngineError) as error:
            return error
        return config, []

    async def check_engine(self, request: Request) -> Json:
        """Check a registered engine and return the report."""
        engine = await asyncio.to_thread(lambda: Register(self.folder).engine(request.path_params["name"]))
        if engine.config is None:
            raise SetupError(f"engine {engine.name}: its table is invalid")
        return await self._checks.run(engine.config)

    async def check_table(self, request: Request) -> Json:
        """Check the engine described by a form before it is registered, and return the result."""
        table = EngineRequest.read(await request.body()).full_table()
        return await self._checks.run(await asyncio.to_thread(lambda: Register(self.folder).described(table)))

    async def build_commit(self, request: Request) -> Json:
        """Build the engine of a commit, and fill in the form: return its name, its command and the other keys.

        :raises SetupError: if the build fails.
        """
        asked = BuildRequest.read(await request.body())
        repository = str(Path(self.folder, asked.repository).expanduser())
        words = [repository, asked.commit, asked.build.strip(), asked.engine.strip()]
        keys = json.loads(await module_output(self.folder, "quietmove.addons.runner.build_commit", *words))
        return {"name": keys["name"], "command": shlex.join(keys["command"]), "more": toml_text({"cwd": keys["cwd"]})}
