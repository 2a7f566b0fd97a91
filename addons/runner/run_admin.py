"""The owner's request handlers for the tournaments page: engines, definitions, runs and exports.

An engine's command can run any code, so these handlers require the token of a server that only this machine can reach.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shlex
import time
import zipfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from pydantic import Field
from starlette.responses import Response

from quietmove.addons.runner.person import TABLE, PersonMove, answer_for_person, waiting_boards
from quietmove.addons.runner.register import Register
from quietmove.addons.runner.report.page import html_report
from quietmove.addons.runner.watch.pages import tournament_pages
from quietmove.addons.shared.toml_text import toml_text
from quietmove.addons.web.boards import Json
from quietmove.addons.web.database import HALL_FILE
from quietmove.addons.web.pages import AddedPages, PageServer
from quietmove.addons.web.requests import PageRequest, in_thread
from quietmove.addons.web.routes import Role, Row
from quietmove.addons.web.runs import Runs, Wanted, WantedRun
from quietmove.addons.web.store_reader import store_id
from quietmove.engine.api import Position
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processes import python_command
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.engine.common.untrusted import parse_json, parse_toml
from quietmove.engine.files import locked, written_whole
from quietmove.engine.games.othello.game_files.game import Losses
from quietmove.engine.limit import Limit
from quietmove.engine.protocol.lines import OptionLine
from quietmove.referee.api import Engine
from quietmove.referee.arguments.engine_args import program_name, spell_engine
from quietmove.referee.config.model import OWN_ENGINE, EngineConfig
from quietmove.referee.config.openings import RANDOM
from quietmove.referee.config.validation import names
from quietmove.referee.errors import EngineError, SetupError
from quietmove.referee.seats import SEATS
from quietmove.referee.seats.pool import offered
from quietmove.tournament.config.config import load_config, read_tournament
from quietmove.tournament.config.preview import estimate
from quietmove.tournament.definition import DEFAULT_GAME, Tournament
from quietmove.tournament.errors import ConfigFileError, RefusedError, TournamentError
from quietmove.tournament.formats import FORMATS, plan_of
from quietmove.tournament.options import file_stem
from quietmove.tournament.reporting.document import document
from quietmove.tournament.reporting.export_command import write_games
from quietmove.tournament.store.store import Store

if TYPE_CHECKING:
    from starlette.requests import Request

LEVELS = Path(__file__).parent / "data" / "levels.toml"
CHECKS = "checks.json"  # the file with the latest check of each engine
KINDS = {"sprt": "Compare two", "round-robin": "Round robin", "gauntlet": "Gauntlet", "swiss": "Swiss"}
KINDS |= {"knockout": "Knockout"}
GREETED = ("uci", "ugi", "gtp")  # protocols whose engines answer a greeting
TRIED = (*GREETED, "nboard", "project", "json")  # protocols to try if none is specified; the first that works is used
TRIED_MS = 4000  # timeout of each try, in milliseconds; a Python program may import libraries first
RESERVED = ("engines", "class", "hall")  # file names that are neither definitions nor stores
PREVIEWED = 20  # random openings for a preview; generating the full number takes a second
MOST_NAME = 100  # maximum length of a name
EXPORTS = {"csv": "csv", "json": "jsonl", "ggf": "ggf", "transcript": "txt", "wthor": "zip", "report": "html"}
WTHOR = ("wtb", "jou", "trn")


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


class RunRequest(PageRequest):
    """A tournament to save or run: a file in the folder, TOML text, or keys and the names of registered engines."""

    file: str = ""
    text: str = ""
    keys: Annotated[dict[str, Any], Field(default_factory=dict)]
    engines: tuple[str, ...] = ()
    plays: bool = True  # False: only save the definition


class RunChangeRequest(PageRequest):
    """A requested change to a run."""

    wanted: Wanted | None = None
    first: bool = False
    now: bool = False  # whether to stop without finishing the running games
    rounds: Annotated[int, Field(ge=1)] | None = None  # new total number of rounds


class QueueRequest(PageRequest):
    """A requested change to the queue."""

    paused: bool


def run_admin_pages(server: PageServer) -> AddedPages:
    """Return the tournaments page with the owner's controls, for the first writable folder among the stores."""
    stores = server.stores
    folder = next((place.absolute() for place in stores if place.is_dir() and os.access(place, os.W_OK)), None)
    if folder is None:
        return tournament_pages(stores)
    admin = RunAdminPages(folder)
    return tournament_pages(stores, admin.rows(), admin.runs.keep_going)


class RunAdminPages:
    """The owner's request handlers for one folder.

    :ivar runs: the folder's runs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = Runs(folder)
        self._checking = asyncio.Lock()
        # Cached headline of each store, with the tournament and game count it was computed for.
        self._known: dict[str, tuple[object, Json]] = {}

    def rows(self) -> list[Row]:
        """Return the routes. Engine commands can run any code, so most routes are for the owner only."""
        return [
            Row("GET", "/api/engines", lambda request: asyncio.to_thread(self.engines), Role.OWNER),
            Row("POST", "/api/engines", in_thread(EngineRequest, self.put_engine), Role.OWNER),
            Row("POST", "/api/engines/offered", in_thread(EngineRequest, self.options), Role.OWNER),
            Row("POST", "/api/engines/built", self.build_commit, Role.OWNER),
            Row("POST", "/api/engines/check", self.check_table, Role.OWNER),
            Row("DELETE", "/api/engines/{name:path}", self.remove_engine, Role.OWNER),
            Row("POST", "/api/engines/{name:path}/check", self.check_engine, Role.OWNER),
            Row("GET", "/api/runs", lambda request: asyncio.to_thread(self.list_runs), Role.OWNER),
            Row("POST", "/api/runs", in_thread(RunRequest, self.begin), Role.OWNER),
            Row("POST", "/api/runs/preview", in_thread(RunRequest, self.preview), Role.OWNER),
            Row("PUT", "/api/runs", in_thread(QueueRequest, self.change_queue), Role.OWNER),
            Row("PUT", "/api/runs/{store}", self.change, Role.OWNER),
            Row("GET", "/api/people", lambda request: asyncio.to_thread(waiting_boards, self.folder), Role.OWNER),
            Row("POST", "/api/people/{name}", self.answer_for_person, Role.OWNER),
            Row("GET", "/api/runs/{store}/export", self.export, Role.PLAYER),
        ]

    # ---- engines

    def engines(self) -> Json:
        """Return the register, with each engine's latest check and the choices for the form."""
        register = Register(self.folder)
        checks = self._checks()
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
                    "check": _report(checks.get(each.name), each.config),
                }
                for each in register.engines
            ],
            "protocols": list(SEATS),
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
            tried = list(TRIED)  # the command implies no other protocol
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
        hint = f"; tried {', '.join(TRIED)}; choose the engine's protocol" if len(tried) > 1 else ""
        raise SetupError(f"{answers[0]}{hint}")

    def _unnamed(self, table: Mapping[str, Any]) -> EngineConfig:
        """Return the configuration of a form's engine, with a limit that all protocols accept and without its options.

        The form need not contain a name.
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
        return await self._check(engine.config)

    async def check_table(self, request: Request) -> Json:
        """Check the engine described by a form before it is registered, and return the result."""
        table = EngineRequest.read(await request.body()).full_table()
        return await self._check(await asyncio.to_thread(lambda: Register(self.folder).described(table)))

    async def build_commit(self, request: Request) -> Json:
        """Build the engine of a commit, and return its name, command and further keys for the form.

        :raises SetupError: if the build fails.
        """
        asked = BuildRequest.read(await request.body())
        repository = str(Path(self.folder, asked.repository).expanduser())
        words = [repository, asked.commit, asked.build.strip(), asked.engine.strip()]
        keys = json.loads(await self._output("quietmove.addons.runner.build_commit", *words))
        return {"name": keys["name"], "command": shlex.join(keys["command"]), "more": toml_text({"cwd": keys["cwd"]})}

    async def _output(self, module: str, *words: str) -> bytes:
        """Run a module of this package in a separate process, and return its output; cancelling stops the process.

        The process's standard input stays open until this process exits, so the module can notice the exit.

        :raises SetupError: with the module's error message, if it prints no output.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *python_command(module, *words),
                cwd=self.folder,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except (OSError, ValueError) as error:  # an argument that contains NUL or exceeds 128 kB
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

    async def _check(self, config: EngineConfig) -> Json:
        """Run ``quietmove-referee check``, save the result and return it. One check runs at a time.

        :raises SetupError: if the engine cannot be checked.
        """
        command, *words = spell_engine(config)
        options = ["check", "--json", "--", command.removeprefix("cmd="), *words]
        async with self._checking:
            output = await self._output("quietmove.referee", *options)
        found = {"config": _digest(config), "at": time.time(), "examinations": json.loads(output)["examinations"]}
        await asyncio.to_thread(self._save_check, config.name, found)
        report = _report(found, config)
        assert report is not None
        return report

    def _save_check(self, name: str, found: Json) -> None:
        path = self.folder / CHECKS
        with locked(path, SetupError), written_whole([path], SetupError) as (file,):
            file.write(json.dumps(self._checks() | {name: found}).encode())

    def _checks(self) -> dict[str, Any]:
        try:
            found = parse_json((self.folder / CHECKS).read_bytes())
        except (OSError, ValueError):  # missing or damaged: the next check rewrites it
            return {}
        return found if isinstance(found, dict) else {}

    # ---- runs

    def list_runs(self) -> Json:
        """Return the folder's runs (queued ones first), its saved definitions, and the choices for the form."""
        wanted = self.runs.requested()
        playing = self.runs.playing()
        stores = sorted(path for path in self.folder.glob("*.sqlite") if path.name != HALL_FILE)
        runs = [self._run(path, wanted.get(path.name), path.name in playing) for path in stores]
        order = ("runs", "stopping", "waits", "stopped", "over", "unreadable")
        runs.sort(key=lambda run: (order.index(run["state"]), run["place"]))
        kinds = {
            name: {
                "title": title,
                "settings": [
                    {key: getattr(row, key) for key in ("name", "default", "required", "help", "choices")}
                    for row in FORMATS[name].settings
                ],
            }
            for name, title in KINDS.items()
        }
        files = [path.name for path in sorted(self.folder.glob("*.toml")) if path.stem not in RESERVED]
        return {
            "folder": str(self.folder),
            "runs": runs,
            "paused": self.runs.is_paused,
            "files": [name for name in files if not (self.folder / name).with_suffix(".sqlite").exists()],
            "kinds": kinds,
            "levels": LEVELS.read_text(encoding="utf-8"),
            "cores": len(usable_processors()),
        }

    def _run(self, path: Path, row: WantedRun | None, is_played: bool) -> Json:
        """Return a run's entry in the list. Data computed from its games is cached until the store changes."""
        try:
            with Store.open_to_read(path) as store:
                told = (store.tournament, store.count())
                known = self._known.get(path.name)
                if known is None or known[0] != told:
                    self._known[path.name] = known = (told, _headline(store))
        except QuietmoveError as error:
            known = (None, {"error": str(error)})
        wanted = row.wanted if row else "stopped"
        is_over = known[1].get("is_over", False)
        state = "over" if is_over else "waits" if wanted == "running" else "stopped"
        if is_played:
            state = "stopping" if row and wanted != "running" else "runs"
        elif "error" in known[1]:
            state = "unreadable"
        place, reason = (row.place, row.reason) if row else (0, "")
        return {"store": path.name, "id": store_id(path), "state": state, "place": place, "reason": reason, **known[1]}

    def preview(self, asked: RunRequest) -> Json:
        """Return a form's tournament as TOML, with its errors.

        If there are none, also return the number of games, the estimated duration and remarks.
        """
        data, text = self._definition(asked)
        found: Json = {"toml": text, "file": f"{_stem(data)}.toml", "problems": [], "games": None, "seconds": None}
        try:
            few = {**data, "openings": None, "openings_random": PREVIEWED} if data.get("openings") == RANDOM else data
            few = {key: value for key, value in few.items() if value is not None}
            tournament = read_tournament(few, ask=_ask_nobody, folder=self.folder)
        except ConfigFileError as error:
            return found | {"problems": list(error.problems)}
        games = plan_of(tournament).planned([])
        seconds = estimate(tournament)
        at_once = tournament.concurrency or len(usable_processors())
        whole = games * seconds / at_once if games is not None and seconds is not None else None
        return found | {
            "games": games,
            "seconds": whole,
            "remarks": plan_of(tournament).remarks() if few == data else [],
        }

    def begin(self, asked: RunRequest) -> Json:
        """Save a definition and, unless the request is only to save it, queue its run.

        Return the names of the definition file and of the store.
        """
        data, text = self._definition(asked)
        stem = _stem(data)
        if stem in RESERVED or not stem or len(stem) > MOST_NAME:
            wrong = f"must have 1 to {MOST_NAME} characters, and must not be {' or '.join(RESERVED)}"
            raise SetupError(f"name: {wrong}: {printable(str(data.get('name', '')), 60)!r}")
        path, store = self.folder / (asked.file or f"{stem}.toml"), self.folder / f"{stem}.sqlite"
        with locked(path, TournamentError):
            if asked.plays and store.exists() and store.stat().st_size:
                raise RefusedError(409, f"name: {store.name} already exists; resume that run, or choose another name")
            if not asked.file and path.exists() and path.read_bytes() != text.encode():
                raise RefusedError(409, f"name: {path.name} already exists with other contents; choose another name")
            tournament = load_config(path) if asked.file else read_tournament(data, folder=self.folder)
            if not asked.file:
                with written_whole([path], TournamentError) as (file,):
                    file.write(text.encode())
            if asked.plays:
                Store.create(store, tournament).close()
                self.runs.want(store.name, "running")
        return {"file": path.name, "store": store.name, "id": store_id(store)}

    def _definition(self, asked: RunRequest) -> tuple[dict[str, Any], str]:
        """Return the requested tournament, and the text of its file.

        :raises SetupError: if it cannot be read.
        """
        if not (asked.file or asked.text):
            data = self._composed(asked)
            return data, toml_text(data)
        text = asked.text
        if asked.file:
            path = self.folder / asked.file
            if asked.file not in (each.name for each in self.folder.glob("*.toml") if each.is_file()):
                raise RefusedError(
                    404, f"file: must be a .toml file in {self.folder}, not {printable(asked.file, 60)!r}"
                )
            text = path.read_text(encoding="utf-8", errors="replace")
        try:
            return parse_toml(text), text
        except ValueError as error:
            raise SetupError(f"{asked.file or 'the file'}: invalid TOML: {error}") from None

    def _composed(self, asked: RunRequest) -> dict[str, Any]:
        """Return a form's keys with the tables of its engines. The form's limit is for engines without their own."""
        register = Register(self.folder)
        tables = [dict(register.engine(name).table) for name in asked.engines]
        if not isinstance(given := asked.keys.get("defaults", {}), dict):
            raise SetupError("defaults: must be a table")
        defaults = {**register.defaults, **({"limit": given["limit"]} if given.get("limit") else {})}
        keys = {key: value for key, value in asked.keys.items() if key not in ("defaults", "engine")}
        return {**keys, "defaults": defaults, "engine": tables}

    async def answer_for_person(self, request: Request) -> Json:
        """Pass a person's move to the game that waits for it; see :func:`.person.answer_for_person`."""
        asked = PersonMove.read(await request.body())
        return await asyncio.to_thread(answer_for_person, self.folder, request.path_params["name"], asked)

    def change_queue(self, asked: QueueRequest) -> Json:
        """Pause or continue the queue, and return the list of runs."""
        self.runs.pause(asked.paused)
        return self.list_runs()

    async def change(self, request: Request) -> Json:
        """Stop or resume a run, move it to the front of the queue, or add rounds. Return its list entry."""
        asked = RunChangeRequest.read(await request.body())
        return await asyncio.to_thread(self.change_run, self.store(request.path_params["store"]), asked)

    def change_run(self, path: Path, asked: RunChangeRequest) -> Json:
        """Make the requested change to the run of a store, and return its list entry."""
        if asked.rounds is not None and path.name in self.runs.playing():
            raise RefusedError(409, f"run: {path.name} is running; stop it before adding rounds")
        if asked.rounds is not None:
            with Store.open_to_write(path) as store:
                store.enlarge(_with_rounds(store.tournament, asked.rounds))
        if asked.wanted == "stopped" and asked.now:
            self.runs.want(path.name, "stopped")
            self.runs.stop_now(path.name)
        elif asked.wanted is not None or asked.first:
            self.runs.want(path.name, asked.wanted or "running", first=asked.first)
        return self._run(path, self.runs.requested().get(path.name), path.name in self.runs.playing())

    def store(self, name: str) -> Path:
        """Return the folder's store with this name, with or without its extension.

        :raises RefusedError: if there is none.
        """
        for path in self.folder.glob("*.sqlite"):
            if name in (path.name, path.stem) and path.name != HALL_FILE:
                return path
        raise RefusedError(404, f"run: there is no {printable(name, 60)!r} in this folder")

    async def export(self, request: Request) -> Response:
        """Return a run's games as a file; the query parameter ``as`` selects the format."""
        kind = request.query_params.get("as", "")
        if kind not in EXPORTS:
            raise SetupError(f"as: must be one of {', '.join(EXPORTS)}, not {printable(kind, 60)!r}")
        path = self.store(request.path_params["store"])
        name = quote(f"{path.stem}.{EXPORTS[kind]}", errors="replace")
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        data = await asyncio.to_thread(_exported, path, kind)
        return Response(data, media_type="application/octet-stream", headers=headers)


def _ask_nobody(engines: Any, game: str) -> list[list[Any]]:
    return [[] for _ in engines]


def _digest(config: EngineConfig) -> str:
    """Return a hash of the engine's configuration without its limit. A report is stale once the hash changes."""
    return hashlib.blake2b(
        json.dumps([str(getattr(config, key)) for key in names(EngineConfig) if key != "limit"]).encode(), digest_size=8
    ).hexdigest()


def _report(found: Any, config: EngineConfig | None) -> Json | None:
    """Return an engine's check results with the number of failures, or None without results for its configuration."""
    if not isinstance(found, dict) or config is None or found.get("config") != _digest(config):
        return None
    rows = found["examinations"]
    failed = sum(row["status"] == "FAIL" for row in rows)
    return {"at": found["at"], "failed": failed, "examinations": rows, "seconds": sum(row["seconds"] for row in rows)}


def _headline(store: Store) -> Json:
    """Return a run's data for the list of runs, computed from its games."""
    tournament = store.tournament
    results = store.results()
    plan = plan_of(tournament)
    summary = plan.summary(results)
    return {
        "tournament": tournament.name,
        "game": tournament.game,
        "format": tournament.format,
        "engines": tournament.names,
        "games": len(results),
        "planned": plan.planned(results),
        "most": plan.values.get("most_games"),
        "rounds": plan.values.get("rounds"),
        "is_over": plan.has_ended(results),
        "accepted": summary.facts.get("accepted"),
        "lines": summary.lines,
    }


def _with_rounds(tournament: Tournament, rounds: int) -> Tournament:
    """Return a copy of the tournament with this total number of rounds.

    :raises SetupError: if its format has no rounds.
    """
    settings = dict(tournament.settings)
    if "rounds" not in settings:
        raise SetupError(f"rounds: the format {tournament.format} has no rounds")
    return replace(tournament, settings=tuple((settings | {"rounds": rounds}).items()))


def _stem(data: Mapping[str, Any]) -> str:
    """Return the base name of a tournament's files."""
    return file_stem(str(data.get("name", "")))


def _exported(path: Path, kind: str) -> bytes:
    """Return a store's games in one of the export formats, or as an HTML report."""
    with Store.open_to_read(path) as store:
        if kind == "report":
            found = document(store.tournament, store.results(), store.times())
            return html_report(store, found).encode()
        files = [BytesIO() for _ in (WTHOR if kind == "wthor" else (kind,))]
        write_games(store, kind, files, store.games(), Losses())
        if kind != "wthor":
            return files[0].getvalue()
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for ending, file in zip(WTHOR, files, strict=True):
                archive.writestr(f"{path.stem}.{ending}", file.getvalue())
        return packed.getvalue()
