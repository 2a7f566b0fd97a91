"""Convert the arguments of ``quietmove-referee match`` to the specs of its games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.games.registry import get_game
from quietmove.referee.arguments.engine_args import read_engine
from quietmove.referee.config.model import Adjudication, EngineConfig, GameSpec
from quietmove.referee.config.openings import RANDOM, Opening, in_order, random_openings, read_openings
from quietmove.referee.config.validation import read
from quietmove.referee.errors import RefereeError, SetupError
from quietmove.referee.process.launch import with_seed
from quietmove.referee.seats import check_game
from quietmove.referee.seats.pool import objections

DEFAULT_GAME = "othello"


class MatchSetup:
    """A converter for command-line arguments. It collects all problems, and :meth:`plan` reports them together."""

    def __init__(self, game: str) -> None:
        self.problems: list[str] = []
        self.game: str | None = game
        try:
            self.game = get_game(game).name
        except QuietmoveError as error:
            self.problems.append(str(error))
            self.game = None

    def engines(
        self, engines: tuple[list[str], ...], each: list[str], in_sandboxes: bool = False
    ) -> tuple[EngineConfig | None, ...]:
        """Return the two engines, with None for each invalid one. Checking the valid ones may start them."""
        if len(engines) != 2:
            more = "; for more than two, use quietmove-tournament" if len(engines) > 2 else ""
            self.problems.append(f"match: must have exactly two engines, not {len(engines)}{more}")
        configs = []
        for words in engines:
            config, problems = read_engine(words, each)
            self.problems += problems
            configs.append(replace(config, sandbox=True) if config and in_sandboxes else config)
        playable = [config for config in configs if config]
        if len(playable) == 2 and playable[0].name == playable[1].name:
            self.problems.append(f"match: names must differ (name=), not both be {playable[0].name}")
        self.problems += [each.text for each in objections(playable, self.game or DEFAULT_GAME)]
        return (*configs, None, None)[:2]

    def openings(self, source: str | None, plies: int, order: str, seed: int, games: int) -> Sequence[Opening]:
        """Return the openings in a file, random ones for ``games`` games, or just the empty opening.

        :param source: :data:`BUILT_IN`, :data:`RANDOM` or a file.
        """
        if source is not None and self.game is not None:
            try:
                if source == RANDOM:
                    return random_openings(self.game, (games + 1) // 2, plies, seed)
                return in_order(read_openings(Path(source), self.game, plies), order, seed)
            except RefereeError as error:
                self.problems.append(str(error))
        return ((),)

    def adjudication(self, words: Mapping[str, str | None]) -> Adjudication:
        """Return the rules for ending games early, from command-line values; None selects a default."""
        rules, mistakes = read(
            Adjudication, {name: word for name, word in words.items() if word is not None}, words=True
        )
        self.problems += [f"--{str(path[0]).replace('_', '-')}: {text}" for path, text in mistakes]
        return rules or Adjudication()

    def transcripts(self, directory: Path | None) -> None:
        """Check that a directory contains no other match, and create it if no problems were found."""
        if directory is None:
            return
        try:
            if existing := next(directory.glob("game-*.txt"), None):
                self.problems.append(f"transcripts: must be a new or empty directory, not one with {existing.name}")
            elif not self.problems:
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
        seed: int,
    ) -> list[GameSpec]:
        """Return the specs of all games of the match.

        :raises SetupError: listing every problem.
        """
        if first and second and self.game is not None:
            try:
                specs = pair_games(first, second, games, openings, self.game, dialogue, adjudication, seed)
            except SetupError as error:
                self.problems += error.problems
        if self.problems:
            raise SetupError(list(dict.fromkeys(self.problems)))  # a mistake in --each is found for both engines
        return specs


def pair_games(
    first: EngineConfig,
    second: EngineConfig,
    games: int,
    openings: Sequence[tuple[str, ...]] = ((),),
    game: str = "othello",
    keep_dialogue: bool = False,
    adjudication: Adjudication | None = None,
    seed: int = 1,
) -> list[GameSpec]:
    """Return the specs of ``games`` games, with each opening played twice. ``first`` begins each pair as Black.

    Both games of a pair have the same dice and deals.

    :param seed: the base of each game's own seed, for engines that use one.
    """
    specs = []
    rules = adjudication or Adjudication()
    for index in range(games):
        opening = openings[index // 2 % len(openings)]
        engines = (second, first) if index % 2 else (first, second)
        black, white = (with_seed(engine, Random(f"{seed} {index}").getrandbits(31)) for engine in engines)
        specs.append(check_game(GameSpec(game, opening, black, white, keep_dialogue, index // 2 + 1, rules)))
    return specs
