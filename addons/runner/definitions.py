"""The definitions of tournaments in a folder: read from a form or a file, previewed and saved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from quietmove.addons.runner.register import Register
from quietmove.addons.shared.toml_text import toml_text
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest
from quietmove.engine.common.processors import usable_processors
from quietmove.engine.common.text import printable
from quietmove.engine.common.untrusted import parse_toml
from quietmove.engine.files import locked, written_whole
from quietmove.referee.config.openings import RANDOM
from quietmove.referee.errors import SetupError
from quietmove.tournament.config.config import load_config, read_tournament
from quietmove.tournament.config.preview import estimate
from quietmove.tournament.errors import ConfigFileError, RefusedError, TournamentError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.options import file_stem
from quietmove.tournament.store.store import Store

RESERVED = ("engines", "class", "hall")  # file names that are neither definitions nor stores
PREVIEWED = 20  # random openings for a preview; generating the full number takes a second
MOST_NAME = 100  # maximum length of a name


class RunRequest(PageRequest):
    """A tournament to save or run: a file in the folder, TOML text, or keys and the names of registered engines."""

    file: str = ""
    text: str = ""
    keys: Annotated[dict[str, Any], Field(default_factory=dict)]
    engines: tuple[str, ...] = ()
    plays: bool = True  # False: only save the definition


class Definitions:
    """The definitions in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def unused(self) -> list[str]:
        """Return the names of the definition files without a store."""
        files = [path for path in sorted(self.folder.glob("*.toml")) if path.stem not in RESERVED]
        return [path.name for path in files if not path.with_suffix(".sqlite").exists()]

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

    def save(self, asked: RunRequest) -> tuple[Path, Path]:
        """Save a definition and, unless the request is only to save it, create its store.

        Return the paths of the definition file and of the store.
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
        return path, store

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


def _ask_nobody(engines: Any, game: str) -> list[list[Any]]:
    return [[] for _ in engines]


def _stem(data: Mapping[str, Any]) -> str:
    """Return the base name of a tournament's files."""
    return file_stem(str(data.get("name", "")))
