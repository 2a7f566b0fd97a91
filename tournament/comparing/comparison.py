"""The question whether one engine is better than another, and the match that answers it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from quietmove.engine.errors import UnknownGameError
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import OWN_ENGINE
from quietmove.referee.process.programs import is_there
from quietmove.tournament.config.config import load_config, read_tournament
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.formats import get_format, plan_of

__all__ = ["DEFAULT_LIMIT", "Question", "opening_key"]

DEFAULT_LIMIT = "nodes=10000"  # the same games on every machine
ELO1 = 20.0  # a difference worth a first look; a smaller one takes many more games
RANDOM_OPENINGS = 5000  # as many pairs of games before one opening comes again
FORMAT = "sprt"
KINDS = "options (NAME=VALUE, with commas between several) nor the command of an engine"


@dataclass(frozen=True, slots=True)
class Question:
    """Whether ``first`` is better than ``second``.

    :param first, second: options of one engine (``Ordering=full, Hash=4``; empty for its defaults), or commands of two
        engines; with ``config`` the names of two engines in it.
    :param config: a configuration, of which all is taken but the format.
    :param command: the engine whose options these are.
    :param limit: as a configuration has it; ``None`` for that of ``config``, or :data:`DEFAULT_LIMIT`.
    :param openings: a file; ``None`` for those of ``config``, or random ones.
    :param test: settings of the format; those that are left out have their defaults.
    :param settings: overrides of any key of the configuration.
    """

    first: str
    second: str
    config: Path | None = None
    command: str = OWN_ENGINE
    limit: str | None = None
    game: str = "othello"
    openings: Path | None = None
    seed: int = 1
    test: Mapping[str, Any] = field(default_factory=dict)
    settings: Sequence[str] = ()

    def tournament(self) -> Tournament:
        """Return the match that answers the question.

        :raises TournamentError: with everything that is wrong.
        """
        test = {"elo1": ELO1} | dict(self.test)
        if self.config is not None:
            return self._of_file(self.config, test)
        players = [_player(text, self.command) for text in (self.first, self.second)]
        names = _names([self.first, self.second], players)
        if names[0] == names[1]:
            raise TournamentError(f"compare: both are {self.first!r}; two that differ are needed")
        engines = [{"name": name, **player} for name, player in zip(names, players, strict=True)]
        data = {"name": _title(names), "game": self.game, "format": FORMAT, "seed": self.seed, **test}
        data |= {"defaults": {"limit": self.limit or DEFAULT_LIMIT}, "engine": engines}
        return read_tournament(data | opening_key(self.game, self.openings, self.settings), self.settings)

    def _of_file(self, path: Path, test: dict[str, Any]) -> Tournament:
        """Return the match between two engines of a configuration."""
        more = [f"each.limit={self.limit}"] if self.limit else []
        more += [f'openings="{self.openings.absolute()}"'] if self.openings else []
        found = load_config(path, self.seed, (*more, *self.settings))
        engines = {engine.name: engine for engine in found.engines}
        names = (self.first, self.second)
        for name in names:
            if name not in engines:
                raise TournamentError(f"compare: {path} has no engine {name!r}; it has {', '.join(engines)}")
        if names[0] == names[1]:
            raise TournamentError(f"compare: both are {names[0]!r}; two that differ are needed")
        rows = get_format(FORMAT).settings
        settings = []
        for row in rows:
            try:
                settings.append((row.name, row.check(test.get(row.name, row.default))))
            except ValueError as error:
                raise TournamentError(f"compare: {row.name}: {error}") from None
        made = replace(
            found,
            name=_title(names),
            engines=(engines[names[0]], engines[names[1]]),
            format=FORMAT,
            settings=tuple(settings),
        )
        if problems := plan_of(made).problems():
            raise TournamentError("\n".join(f"{key}: {text}" for key, text in problems))
        return made


def opening_key(game: str, path: Path | None, settings: Sequence[str]) -> dict[str, Any]:
    """Return the key of a configuration that says where the games begin: in a file, or at random.

    None if one of ``settings`` says it, such as ``openings=false`` for an engine that takes no openings.
    """
    if path is not None:
        return {"openings": str(path)}
    if any(each.partition("=")[0].strip() == "openings" for each in settings):
        return {}
    try:
        perfect = get_game(game).kind == "perfect"
    except UnknownGameError:
        perfect = False  # which is reported with everything else
    return {"openings_random": RANDOM_OPENINGS} if perfect else {}


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
            raise TournamentError(f"compare: {text!r} is neither {KINDS}")
        options[name.strip()] = value.strip()
    return {"command": program, "options": options}


def _names(texts: Sequence[str], players: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return short names: what differs."""
    one, other = (player.get("options", {}) for player in players)
    if list(one) == list(other) and len(one) == 1:
        return str(*one.values()), str(*other.values())
    commands = [PurePath(player["command"][0]).name for player in players]
    if "options" not in players[0] and "options" not in players[1] and commands[0] != commands[1]:
        return commands[0], commands[1]
    return texts[0].strip() or "default", texts[1].strip() or "default"


def _title(names: Sequence[str]) -> str:
    return f"{names[0]} against {names[1]}"
