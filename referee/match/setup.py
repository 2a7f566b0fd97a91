"""From the words of `quietmove-referee match` to the games that are to be played."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from quietmove.engine.errors import QuietmoveError
from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec
from quietmove.referee.config.validation import read
from quietmove.referee.config.words import read_engine
from quietmove.referee.errors import RefereeError, SetupError

__all__ = ["DEFAULT_GAME", "MatchSetup"]

DEFAULT_GAME = "othello"


class MatchSetup:
    """One reading of a command line. Problems are collected, and :meth:`plan` reports them all at once."""

    def __init__(self, game: str) -> None:
        from quietmove.engine.games.registry import get_game

        self.problems: list[str] = []
        self.game: str | None = game
        try:
            self.game = get_game(game).name
        except QuietmoveError as error:
            self.problems.append(str(error))
            self.game = None

    def engines(
        self, engines: tuple[str, ...], each: list[str], in_sandboxes: bool = False
    ) -> tuple[EngineConfig | None, ...]:
        """Return the two engines, each None where its words do not describe one; ask those that there are."""
        if len(engines) != 2:
            more = "; for more than two there is quietmove-tournament" if len(engines) > 2 else ""
            self.problems.append(f"match: a match has exactly two engines, {len(engines)} given{more}")
        found = []
        for words in engines:
            config, problems = read_engine(shlex.split(words), each)
            self.problems += problems
            found.append(replace(config, sandbox=True) if config and in_sandboxes else config)
        self._check_names(found)
        self._check_engines([config for config in found if config])
        return (*found, None, None)[:2]

    def openings(self, path: Path | None, plies: int, order: str, seed: int) -> Sequence[tuple[str, ...]]:
        """Return the openings of the file in this order, or the empty one."""
        from quietmove.referee.config.openings import in_order, read_openings

        if path is not None and self.game is not None:
            try:
                return in_order(read_openings(path, self.game, plies), order, seed)
            except RefereeError as error:
                self.problems.append(str(error))
        return ((),)

    def adjudication(self, words: Mapping[str, str | None]) -> Adjudication:
        """Return when the referee ends games itself, by the words of the command line; None where it gives none."""
        rules, mistakes = read(
            Adjudication, {name: word for name, word in words.items() if word is not None}, words=True
        )
        self.problems += [f"--{str(path[0]).replace('_', '-')}: {text}" for path, text in mistakes]
        return rules or Adjudication()

    def transcripts(self, directory: Path | None) -> None:
        """Refuse a directory that holds another match; create it if there are no other problems."""
        if directory is None:
            return
        try:
            found = next(directory.glob("game-*.txt"), None)
        except OSError as error:  # a name that no file can have
            self.problems.append(f"transcripts: {directory}: {error.strerror}")
            return
        if found:
            self.problems.append(f"transcripts: {directory} holds {found.name} already; give a new or empty directory")
        elif not self.problems:
            try:
                directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                self.problems.append(f"transcripts: {directory}: {error.strerror}")

    def plan(
        self,
        first: EngineConfig | None,
        second: EngineConfig | None,
        games: int,
        openings: Sequence[tuple[str, ...]],
        dialogue: bool,
        adjudication: Adjudication,
    ) -> list[GameSpec]:
        """Return the games.

        :raises SetupError: with everything that was wrong.
        """
        from quietmove.referee.match.pairs import pair_games

        if first and second and self.game is not None:
            try:
                specs = pair_games(first, second, games, openings, self.game, dialogue, adjudication)
            except SetupError as error:
                self.problems += error.problems
        if self.problems:
            raise SetupError(list(dict.fromkeys(self.problems)))  # what --each says wrongly is wrong for both
        return specs

    def _check_names(self, engines: list[EngineConfig | None]) -> None:
        names = [config.name for config in engines if config]
        if len(names) == 2 and names[0] == names[1]:
            self.problems.append(f"match: both engines are called {names[0]}; tell them apart by name=")

    def _check_engines(self, engines: list[EngineConfig]) -> None:
        from quietmove.referee.seats.preflight import check_engines

        for config, objections in zip(
            engines, check_engines(engines, self.game or DEFAULT_GAME, max(1, len(engines))), strict=True
        ):
            self.problems += [f"engine {config.name}: {objection.text}" for objection in objections]
