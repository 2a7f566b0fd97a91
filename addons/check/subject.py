"""What is examined: an engine's command, the game, the tolerances; and the positions that it is asked about."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.referee.config.model import COLORS, Color, EngineConfig, TimeControl

MOST_PLIES = 300  # plies after which a random game ends: a user's game may have no end
MOST_GAMES = 400  # random games among which positions of a certain kind are looked for
EACH_GAME = 4  # positions that are taken from one of them
GAME_TURNS = 30  # moves of one player in a game
BRISK_MS = 300  # milliseconds a move in whole games: two games take 18 s
ROUND_SECONDS = 8.0  # seconds for all repetitions in one examination; a good engine needs fewer


@dataclass(frozen=True, slots=True)
class Situation:
    """A position that an engine is asked about; a player is to move in it unless the game is over.

    :param moves: the moves that led to the position, as the game writes them.
    :param view: what the player to move knows, in a game with hidden information.
    """

    position: Position
    moves: tuple[str, ...]
    view: str | None = None

    @property
    def color(self) -> Color:
        return COLORS[self.position.side_to_move]

    @property
    def where(self) -> str:
        """Which position it is, as a part of a sentence."""
        return f"after {' '.join(self.moves)}" if self.moves else "in the initial position"


@dataclass(frozen=True, slots=True)
class Subject:
    """An engine under examination.

    :param config: its command, protocol and settings, and the tolerances: for its start, and by how much a clock may be
        overdrawn.
    :param within_ms: milliseconds in which it must do what takes no thought: answer a question, stop, end.
    :param quick: whether fewer repetitions are enough.
    :param at_most_ms: milliseconds for all examinations together.
    :param limit: the limit of its games; without one, each examination chooses its own.
    """

    config: EngineConfig
    game: Game
    within_ms: int = 1000
    quick: bool = False
    at_most_ms: int = 60_000
    limit: TimeControl | None = None

    @property
    def within(self) -> float:
        """``within_ms`` in seconds."""
        return self.within_ms / 1000

    @property
    def start_seconds(self) -> float:
        """How long a step of the greeting may take, and a short search."""
        return self.config.start_timeout_ms / 1000

    def brisk(self, usual: TimeControl) -> TimeControl:
        """Return the limit of its games, but at most :data:`BRISK_MS` a move; ``usual`` if no limit is given."""
        limit = self.limit
        if limit is None or limit.nodes or limit.depth:
            return limit or usual
        if limit.movetime_ms is not None:
            return TimeControl(movetime_ms=min(limit.movetime_ms, BRISK_MS))
        base = min(limit.base_ms or 0, BRISK_MS * GAME_TURNS)
        return replace(limit, base_ms=base, increment_ms=min(limit.increment_ms, BRISK_MS))

    def limited(self, limit: TimeControl) -> EngineConfig:
        """Return the engine's configuration with another limit; no clock runs longer than its games allow."""
        patience = self.config.start_timeout_ms if self.limit is None else self.config.stall_timeout_ms
        return replace(self.config, limit=limit, stall_timeout_ms=patience)

    def rounds(self, whole: int, quick: int) -> Iterator[int]:
        """Yield the numbers of the repetitions, from 1, as long as there is time; there is always one."""
        deadline = time.monotonic() + ROUND_SECONDS
        for number in range(1, (quick if self.quick else whole) + 1):
            yield number
            if time.monotonic() > deadline:
                return

    def random_game(self, seed: int) -> list[Situation]:
        """Return the positions of a random game in which a player is to move, and then the last one."""
        position = self.game.begin(seed)
        chance = random.Random(seed)
        moves: list[str] = []
        found: list[Situation] = []
        while (legal := position.legal_moves()) and len(moves) < MOST_PLIES:
            if position.side_to_move != NATURE:
                found.append(situation_of(self.game, position, moves))
            move = chance.choice(legal)
            moves.append(self.game.format_move(move))
            position.play(move)
        return [*found, situation_of(self.game, position, moves)]

    def start(self) -> Situation:
        """Return the first position of the game in which a player is to move."""
        return self.random_game(1)[0]

    def situations(self, count: int) -> list[Situation]:
        """Return positions of random games in which a player has a move, the same at each call."""
        chance = random.Random(1)
        games = (self.random_game(seed)[:-1] for seed in range(1, MOST_GAMES))
        return list(islice((each for game in games for each in chance.sample(game, min(EACH_GAME, len(game)))), count))

    def passes(self, count: int) -> list[Situation]:
        """Return positions of random games in which the only move is a pass."""
        games = (self.random_game(seed)[:-1] for seed in range(1, MOST_GAMES))
        every = (each for game in games for each in game)
        return list(islice((each for each in every if self._legal(each) == ["pass"]), count))

    def _legal(self, situation: Situation) -> list[str]:
        return [self.game.format_move(move) for move in situation.position.legal_moves()]

    def finished(self) -> Situation | None:
        """Return the end of a random game, None in a game without an end."""
        situation = self.random_game(1)[-1]
        return situation if situation.position.is_over() else None


def situation_of(game: Game, position: Position, moves: list[str]) -> Situation:
    """Return a copy of a position, with what its player may know of it."""
    shows = game.kind == "hidden" and not position.is_over()
    return Situation(position.copy(), tuple(moves), game.view(position, position.side_to_move) if shows else None)
