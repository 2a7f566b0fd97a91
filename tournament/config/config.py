"""A tournament's configuration: from TOML, with every error at once, to one frozen value.

Which keys there are, and what they take, is in :mod:`quietmove.tournament.config.toml_keys`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.engine.games.user.source import GameFile
from quietmove.referee.config.adjudication import ADJUDICATION_SETTINGS, Adjudication
from quietmove.referee.config.config import EngineConfig, split_opening
from quietmove.referee.config.openings import OPENING_SETTINGS, read_openings
from quietmove.referee.config.toml_engines import Place, TableReader, read_toml, with_home
from quietmove.referee.errors import RefereeError, SetupError
from quietmove.referee.seats import get_seat
from quietmove.tournament.config.definition import DEFAULT_FORMAT, Tournament
from quietmove.tournament.config.openings import random_openings
from quietmove.tournament.config.overrides import apply_overrides
from quietmove.tournament.config.preview import too_many_games
from quietmove.tournament.config.toml_keys import DEFAULT_GAME, FixedDocument, document_model
from quietmove.tournament.errors import ConfigFileError, OpeningsError
from quietmove.tournament.formats import get_format, plan_of

__all__ = ["DEFAULT_CONFIG", "load_config", "read_tournament"]

DEFAULT_CONFIG = Path(__file__).parents[1] / "data" / "default.toml"
BUILT_IN_OPENINGS = Path(__file__).parents[1] / "data" / "openings.txt"


def load_config(path: Path = DEFAULT_CONFIG, seed: int | None = None, settings: Sequence[str] = ()) -> Tournament:
    """Read a configuration.

    :param seed: overrides the file's.
    :param settings: further overrides, as :mod:`quietmove.tournament.config.overrides` reads them.
    :raises ConfigFileError: listing everything that is wrong, each with file, line and key.
    """
    try:
        data, lines = read_toml(path)
    except SetupError as error:
        raise ConfigFileError(list(error.problems)) from None
    if seed is not None:
        data["seed"] = seed
    data, overrides = apply_overrides(data, settings)
    return _Reader(path, data, lines, overrides).tournament()


def read_tournament(data: dict[str, Any], settings: Sequence[str] = ()) -> Tournament:
    """Return the tournament that a configuration describes which is in no file; its paths begin here.

    :raises ConfigFileError: as :func:`load_config`.
    """
    changed, overrides = apply_overrides(data, settings)
    return _Reader(Path("no file"), changed, None, overrides).tournament()


class _Reader(TableReader):
    """One reading of one file; it collects the problems and raises them together at the end."""

    needs_limit = True

    def __init__(
        self, path: Path, data: dict[str, Any], lines: dict[Place, int] | None, overrides: dict[Place, str]
    ) -> None:
        super().__init__(path, data, lines, overrides)
        word, blank, parameters = str(data.get("game", "")).partition(" ")
        if (file := GameFile.read(word, str(path.parent))) is not None:  # paths begin at the configuration's folder
            self.data = {**data, "game": f"{file.value}{blank}{parameters}"}

    def tournament(self) -> Tournament:
        document = self.check(document_model(self.data.get("format", DEFAULT_FORMAT)), self.data, ())
        engines = self.engines()
        openings: tuple[tuple[str, ...], ...] = ()
        game = self.data.get("game", DEFAULT_GAME)
        self.check_engines(engines, game if is_game(game) else DEFAULT_GAME)
        if is_game(game):
            openings = self._openings(game, self.data.get("openings"))
            self._check_seats(engines, game, openings)
            self._check_adjudication(document, game, openings)
        if self.problems or document is None:
            raise self._error()
        tournament = Tournament(
            name=document.name,
            game=document.game,
            seed=document.seed,
            openings=openings,
            engines=tuple(engine for engine in engines if engine),
            format=document.format,
            settings=tuple((row.name, getattr(document, row.name)) for row in get_format(document.format).settings),
            concurrency=document.concurrency,
            keep_dialogue=document.keep_dialogue,
            adjudication=_adjudication(document),
            openings_order=str(dict(document)["openings_order"]),
        )
        for key, text in plan_of(tournament).problems() or too_many_games(tournament):
            self.problem((key,), text)
        if self.problems:
            raise self._error()
        return tournament

    def _error(self) -> ConfigFileError:
        return ConfigFileError(self.all_problems())

    def _openings(self, game: str, source: Any) -> tuple[tuple[str, ...], ...]:
        """Return the openings; none of them if there was a problem with one. The built-in ones are of one game."""
        if wanted := self._number("openings_random"):
            return self._random_openings(game, wanted)
        if source is False or (source is None and game != DEFAULT_GAME):
            return ((),)
        if isinstance(source, str) and not source.isprintable():
            return ()  # which is reported with the keys
        path = self.path.parent / with_home(source) if isinstance(source, str) else BUILT_IN_OPENINGS
        try:
            return read_openings(path, game, self._number("openings_plies"))
        except RefereeError as error:
            self.problem(("openings",), str(error).removeprefix("openings: "))
        return ()

    def _random_openings(self, game: str, count: int) -> tuple[tuple[str, ...], ...]:
        seed = self.data.get("seed", 1)
        try:
            if "openings" in self.data:
                raise OpeningsError("openings are given too; one of them is allowed")
            return random_openings(game, count, self._number("openings_plies"), seed if isinstance(seed, int) else 1)
        except OpeningsError as error:
            self.problem(("openings_random",), str(error))
        return ()

    def _number(self, key: str) -> int:
        """Return one of the settings of openings; what is wrong with it is reported elsewhere, and it counts as 0."""
        number = self.data.get(key, 0)
        row = next(row for row in OPENING_SETTINGS if row.name == key)
        return number if isinstance(number, int) and row.least <= number <= row.most else 0

    def _check_adjudication(
        self, document: FixedDocument | None, game: str, openings: tuple[tuple[str, ...], ...]
    ) -> None:
        """Ask whether games of this kind can be ended so, from the longest of the openings."""
        if document is not None:
            for text in _adjudication(document).refusals(game, max(openings, key=len, default=())):
                key, _, what = text.partition(": ")
                self.problem((key,), what)

    def _check_seats(
        self, engines: list[EngineConfig | None], game: str, openings: tuple[tuple[str, ...], ...]
    ) -> None:
        """Ask each engine's seat whether it plays this game from openings of moves and from positions."""
        samples = [next(filter(None, openings), ()), next((each for each in openings if split_opening(each)[0]), ())]
        for index, engine in enumerate(engines):
            if engine:
                seat = get_seat(engine.protocol)
                refused = next((each for each in samples if any(seat.refusals(game, each))), ())
                only_moves = not any(seat.refusals(game, ())) and not split_opening(refused)[0]
                hint = "; it needs openings = false" if only_moves else ""
                for text in seat.refusals(game, refused):
                    self.problem(("engine", index), text + hint)


def _adjudication(document: FixedDocument) -> Adjudication:
    return Adjudication(**{row.name: getattr(document, row.name) for row in ADJUDICATION_SETTINGS})


def is_game(name: object) -> bool:
    """Tell whether there is a game of this name and parameters."""
    try:
        get_game(str(name))
    except UnknownGameError:
        return False
    return True
