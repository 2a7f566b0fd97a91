"""Tournaments in Python: run a definition and get its table."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quietmove.engine.protocol.pictures import table_html
from quietmove.tournament.config.config import load_config, read_tournament
from quietmove.tournament.playing.backends import Threads
from quietmove.tournament.playing.missing_games import play_missing
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store

SHOWN = ("place", "name", "games", "wins", "draws", "losses", "points", "elo", "error")


class Table(list[dict[str, Any]]):
    """The standings of a tournament, best engine first: the rows of ``quietmove-tournament standings --json``.

    :ivar document: the whole report: the standings, the meetings of each pair, the verdicts and so on.
    """

    def __init__(self, report: dict[str, Any]) -> None:
        super().__init__(report["standings"])
        self.document = report

    def __str__(self) -> str:
        return "\n".join(f"{row['place']:3} {row['name']:20} {row['points']:g}/{row['games']}" for row in self)

    def _repr_html_(self) -> str:
        return table_html(SHOWN, [[row[key] for key in SHOWN] for row in self], str(self.document["tournament"]))


class Tournament:
    """A tournament, as described by a file for ``quietmove-tournament run`` or by a mapping with the same keys.

    :param definition: the file's path, or the mapping, whose ``engine`` is a list of mappings.
    :raises ConfigFileError: listing everything that is wrong with it.
    """

    def __init__(self, definition: str | os.PathLike[str] | Mapping[str, Any]) -> None:
        if isinstance(definition, Mapping):
            self._tournament = read_tournament(dict(definition))
        else:
            self._tournament = load_config(Path(definition))

    def run(self, store: str | os.PathLike[str] | None = None, *, concurrency: int | None = None) -> Table:
        """Play all games, and return the table.

        :param store: a new file that keeps the games, for ``quietmove-tournament``; by default they are not kept.
        :param concurrency: the maximum number of games at a time; by default as defined, or one per processor.
        :raises StoreError: if the file exists or cannot be written.
        :raises TournamentError: if a game could not be played and no engine is at fault.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "games.sqlite") if store is None else Path(store)
            with (
                Store.create(path, self._tournament) as games,
                Threads(concurrency).pool(self._tournament, lambda text: None) as pool,
            ):
                for _ in play_missing(games, pool):
                    pass
                return Table(document(self._tournament, games.results(), games.times()))
