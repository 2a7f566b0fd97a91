"""What a tournament of two engines answers: whether one is better, and which values of its options are best."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.engines import program_name
from quietmove.referee.config.model import OWN_ENGINE
from quietmove.referee.config.openings import BUILT_IN, RANDOM, RANDOM_OPENINGS
from quietmove.referee.process.launch import is_there
from quietmove.referee.seats.preflight import Ask, check_engines
from quietmove.tournament.config.config import load_config, read_tournament
from quietmove.tournament.definition import DEFAULT_GAME, Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats import get_format, plan_of
from quietmove.tournament.statistics.spsa import read_parameters

__all__ = ["Games", "comparison", "tuning"]

DEFAULT_LIMIT = "nodes=10000"  # a limit of nodes gives the same games on every machine
ELO1 = 20.0  # a difference worth a first look; a smaller one takes many more games
PAIRS_AT_ONCE = 8  # enough for 16 processors
LEAST_ROUNDS = 25  # a search of few pairs takes its values at least so often
KINDS = "options (NAME=VALUE, with commas between several) or the command of an engine"


@dataclass(frozen=True, slots=True)
class Games:
    """What both questions say of their games.

    :param command: the engine whose options are set.
    :param limit: as a configuration has it; ``None`` for :data:`DEFAULT_LIMIT`, or that of a file.
    :param openings: ``built-in``, ``random`` or a file; ``None`` for random openings, or those of a file.
    :param overrides: of any key of the configuration.
    :param ask: asks the engines where they play.
    """

    command: str = OWN_ENGINE
    limit: str | None = None
    game: str = DEFAULT_GAME
    openings: str | None = None
    seed: int = 1
    overrides: Sequence[str] = ()
    ask: Ask = check_engines

    def tournament(self, keys: Mapping[str, Any]) -> Tournament:
        """Return the tournament that these keys and those of the games describe; its engines are asked.

        :raises TournamentError: with everything that is wrong.
        """
        defaults = {"limit": self.limit or DEFAULT_LIMIT, **keys.get("defaults", {})}
        data = {"game": self.game, "seed": self.seed, **keys, "defaults": defaults}
        return read_tournament(data | self._openings(), self.overrides, self.ask)

    def _openings(self) -> dict[str, Any]:
        """Return the key that says where the games begin: in a file, or at random.

        None if an override says it, such as ``openings=false`` for an engine that takes no openings.
        """
        if self.openings not in (None, RANDOM):
            return {"openings": self.openings}
        if any(each.partition("=")[0].strip() == "openings" for each in self.overrides):
            return {}
        try:
            perfect = get_game(self.game).kind == "perfect"
        except UnknownGameError:
            perfect = False  # the unknown game is reported with all other mistakes
        return {"openings_random": RANDOM_OPENINGS} if perfect else {}


def comparison(first: str, second: str, games: Games, test: Mapping[str, Any], file: Path | None = None) -> Tournament:
    """Return the match that says whether ``first`` is better than ``second``.

    :param first, second: options of one engine (``Ordering=full, Hash=4``; empty for its defaults), or commands of two
        engines; with ``file`` the names of two engines in it.
    :param test: settings of format sprt; those that are left out have their defaults.
    :param file: a configuration, of which all is taken but the format.
    :raises TournamentError: with everything that is wrong.
    """
    test = {"elo1": ELO1, **test}
    if file is not None:
        return _comparison_in(file, (first, second), games, test)
    players = [_player(text, games.command) for text in (first, second)]
    names = _names([first, second], players)
    if names[0] == names[1]:
        raise TournamentError(f"compare: must be two that differ, not {first!r} twice")
    engines = [{"name": name, **player} for name, player in zip(names, players, strict=True)]
    return games.tournament({"name": _title(names), "format": "sprt", **test, "engine": engines})


def _comparison_in(path: Path, names: tuple[str, str], games: Games, test: Mapping[str, Any]) -> Tournament:
    more = [f"each.limit={games.limit}"] if games.limit else []
    if games.openings:
        is_file = games.openings not in (BUILT_IN, RANDOM)
        more += [f'openings="{Path(games.openings).absolute() if is_file else games.openings}"']
    found = load_config(path, games.seed, (*more, *games.overrides), games.ask)
    engines = {engine.name: engine for engine in found.engines}
    for name in names:
        if name not in engines:
            raise TournamentError(f"compare: must be engines of {path} ({', '.join(engines)}), not {name!r}")
    if names[0] == names[1]:
        raise TournamentError(f"compare: must be two that differ, not {names[0]!r} twice")
    settings = []
    for row in get_format("sprt").settings:
        try:
            settings.append((row.name, row.check(test.get(row.name, row.default))))
        except ValueError as error:
            raise TournamentError(f"compare: {row.name}: {error}") from None
    made = replace(
        found,
        name=_title(names),
        engines=(engines[names[0]], engines[names[1]]),
        format="sprt",
        settings=tuple(settings),
    )
    if problems := plan_of(made).problems():
        raise TournamentError(f"{key}: {text}" for key, text in problems)
    return made


def tuning(
    options: Sequence[str], pairs: int, games: Games, rate: float | None = None, pairs_at_once: int | None = None
) -> Tournament:
    """Return the tournament of an engine against itself that looks for better values of its options.

    :param options: ``NAME=START:LEAST:MOST[:STEP]`` each.
    :param rate, pairs_at_once: as format spsa has them; ``None`` for its default, and for as many as are useful.
    :raises TournamentError: with everything that is wrong.
    """
    try:
        parameters = read_parameters(", ".join(options))
        command = shlex.split(games.command)
    except (TournamentError, ValueError) as error:
        raise TournamentError(f"tune: {error}") from None
    return games.tournament(
        {
            "name": f"tune {' '.join(each.name for each in parameters)}",
            "format": "spsa",
            "parameters": ", ".join(options),
            "pairs": pairs,
            "pairs_at_once": pairs_at_once or max(1, min(PAIRS_AT_ONCE, pairs // LEAST_ROUNDS)),
            "defaults": {"command": command, "options": {each.name: each.start for each in parameters}},
            "engine": [{"name": "up"}, {"name": "down"}],
            **({} if rate is None else {"rate": rate}),
        }
    )


def _player(text: str, command: str) -> dict[str, Any]:
    """Return the keys of an engine that is given by a command, or by options of the engine ``command``."""
    try:
        words = shlex.split(text)
        program = shlex.split(command)
    except ValueError as error:
        raise TournamentError(f"compare: {text!r}: {error}") from None
    if words and "=" not in words[0] and is_there(words):
        return {"command": words}
    options = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise TournamentError(f"compare: must be {KINDS}, not {text!r}")
        options[name.strip()] = value.strip()
    return {"command": program, "options": options}


def _names(texts: Sequence[str], players: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the texts as names; a command is named after its program if that tells the two apart."""
    first, second = (
        text.strip() or "default" if "options" in player else program_name(player["command"])
        for text, player in zip(texts, players, strict=True)
    )
    return (first, second) if first != second else (texts[0].strip(), texts[1].strip())


def _title(names: Sequence[str]) -> str:
    return f"{names[0]} against {names[1]}"
