"""The owner's request handlers for the runs of a folder: the queue, its changes, and exports of games."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from pydantic import Field
from starlette.responses import Response

from quietmove.addons.runner.definitions import Definitions, RunRequest
from quietmove.addons.runner.exports import EXPORTS, exported
from quietmove.addons.runner.person import PersonMove, answer_for_person, waiting_boards
from quietmove.addons.web.boards import Json
from quietmove.addons.web.database import HALL_FILE
from quietmove.addons.web.requests import PageRequest, in_thread
from quietmove.addons.web.routes import Role, Row
from quietmove.addons.web.runs import Runs, Wanted, WantedRun
from quietmove.addons.web.store_reader import store_id
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.referee.errors import SetupError
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import RefusedError
from quietmove.tournament.formats import FORMATS, plan_of
from quietmove.tournament.store.store import Store

if TYPE_CHECKING:
    from starlette.requests import Request

LEVELS = Path(__file__).parent / "data" / "levels.toml"
KINDS = {"sprt": "Compare two", "round-robin": "Round robin", "gauntlet": "Gauntlet", "swiss": "Swiss"}
KINDS |= {"knockout": "Knockout"}


class RunChangeRequest(PageRequest):
    """A requested change to a run."""

    wanted: Wanted | None = None
    first: bool = False
    now: bool = False  # whether to stop without finishing the running games
    rounds: Annotated[int, Field(ge=1)] | None = None  # new total number of rounds


class QueueRequest(PageRequest):
    """A requested change to the queue."""

    paused: bool


class RunQueue:
    """The runs of one folder.

    :ivar runs: their requested states and processes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = Runs(folder)
        self._definitions = Definitions(folder)
        # Cached headline of each store, with the tournament and game count it was computed for.
        self._known: dict[str, tuple[object, Json]] = {}

    def rows(self) -> list[Row]:
        """Return the routes. Engine commands can run any code, so all except the export are for the owner only."""
        return [
            Row("GET", "/api/runs", lambda request: asyncio.to_thread(self.list_runs), Role.OWNER),
            Row("POST", "/api/runs", in_thread(RunRequest, self.begin), Role.OWNER),
            Row("POST", "/api/runs/preview", in_thread(RunRequest, self._definitions.preview), Role.OWNER),
            Row("PUT", "/api/runs", in_thread(QueueRequest, self.change_queue), Role.OWNER),
            Row("PUT", "/api/runs/{store}", self.change, Role.OWNER),
            Row("GET", "/api/people", lambda request: asyncio.to_thread(waiting_boards, self.folder), Role.OWNER),
            Row("POST", "/api/people/{name}", self.answer_for_person, Role.OWNER),
            Row("GET", "/api/runs/{store}/export", self.export, Role.PLAYER),
        ]

    def begin(self, asked: RunRequest) -> Json:
        """Save a definition and, unless the request is only to save it, queue its run.

        Return the names of the definition file and of the store.
        """
        path, store = self._definitions.save(asked)
        if asked.plays:
            self.runs.want(store.name, "running")
        return {"file": path.name, "store": store.name, "id": store_id(store)}

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
        return {
            "folder": str(self.folder),
            "runs": runs,
            "paused": self.runs.is_paused,
            "files": self._definitions.unused(),
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
        data = await asyncio.to_thread(exported, path, kind)
        return Response(data, media_type="application/octet-stream", headers=headers)


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
