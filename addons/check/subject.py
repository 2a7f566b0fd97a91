"""The subject of a check: the engine's command, the game, the tolerances and the positions to ask about."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.optional import HiddenCards
from quietmove.referee.config.model import COLORS, Color, EngineConfig, TimeControl

MAX_PLIES = 300  # maximum length of a random game, since a user's game may never end
MAX_GAMES = 400  # maximum number of random games to search for positions of one kind
EACH_GAME = 4  # maximum number of positions taken from each random game
GAME_TURNS = 30  # moves per player and game
BRISK_MS = 300  # milliseconds per move in whole games, so that two games take 18 s
ROUND_SECONDS = 8.0  # time limit in seconds for the repetitions of one check; a good engine needs less


@dataclass(frozen=True, slots=True)
class Situation:
    """A position to ask an engine about. A player moves next unless the game is over.

    :param moves: the moves that led to the position, in the game's notation.
    :param view: the mover's knowledge of the position, in a game with hidden information.
    """

    position: Position
    moves: tuple[str, ...]
    view: str | None = None

    @property
    def color(self) -> Color:
        return COLORS[self.position.side_to_move]

    @property
    def where(self) -> str:
        """A description of the position that completes an error message."""
        return f"after {' '.join(self.moves)}" if self.moves else "in the initial position"


@dataclass(frozen=True, slots=True)
class Subject:
    """An engine to check, with its game and the time limits of the checks.

    :param config: its command, protocol and settings, and the tolerances for its start and its clock.
    :param within_ms: the time limit in milliseconds for actions without a search: to answer, to stop, to exit.
    :param quick: whether to repeat checks less often.
    :param at_most_ms: the time limit in milliseconds for all checks together.
    :param limit: the limit of its games; without one, each check chooses its own.
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
        """The time limit in seconds for a handshake step or a short search."""
        return self.config.start_timeout_ms / 1000

    def brisk(self, usual: TimeControl) -> TimeControl:
        """Return the engine's game limit, reduced to :data:`BRISK_MS` per move, or ``usual`` if no limit is given."""
        limit = self.limit
        if limit is None or limit.nodes or limit.depth:
            return limit or usual
        if limit.movetime_ms is not None:
            return TimeControl(movetime_ms=min(limit.movetime_ms, BRISK_MS))
        base = min(limit.base_ms or 0, BRISK_MS * GAME_TURNS)
        return replace(limit, base_ms=base, increment_ms=min(limit.increment_ms, BRISK_MS))

    def limited(self, limit: TimeControl) -> EngineConfig:
        """Return the engine's configuration with a different limit and a stall timeout that suits its game limit."""
        patience = self.config.start_timeout_ms if self.limit is None else self.config.stall_timeout_ms
        return replace(self.config, limit=limit, stall_timeout_ms=patience)

    def rounds(self, whole: int, quick: int) -> Iterator[int]:
        """Yield the repetition numbers, from 1, while time is left; there is always at least one."""
        deadline = time.monotonic() + ROUND_SECONDS
        for number in range(1, (quick if self.quick else whole) + 1):
            yield number
            if time.monotonic() > deadline:
                return

    def random_game(self, seed: int) -> list[Situation]:
        """Return the positions of a random game in which a player moves next, followed by the final position."""
        position = self.game.begin(seed)
        chance = random.Random(seed)
        moves: list[str] = []
        situations: list[Situation] = []
        while (legal := position.legal_moves()) and len(moves) < MAX_PLIES:
            if position.side_to_move != NATURE:
                situations.append(situation_of(self.game, position, moves))
            move = chance.choice(legal)
            moves.append(self.game.format_move(move))
            position.play(move)
        return [*situations, situation_of(self.game, position, moves)]

    def start(self) -> Situation:
        """Return the game's first position in which a player moves next."""
        return self.random_game(1)[0]

    def situations(self, count: int) -> list[Situation]:
        """Return positions from random games in which a player has a move. Each call returns the same positions."""
        chance = random.Random(1)
        games = (self.random_game(seed)[:-1] for seed in range(1, MAX_GAMES))
        return list(islice((each for game in games for each in chance.sample(game, min(EACH_GAME, len(game)))), count))

    def passes(self, count: int) -> list[Situation]:
        """Return positions from random games in which the only move is a pass."""
        games = (self.random_game(seed)[:-1] for seed in range(1, MAX_GAMES))
        every = (each for game in games for each in game)
        return list(islice((each for each in every if self._legal(each) == ["pass"]), count))

    def _legal(self, situation: Situation) -> list[str]:
        return [self.game.format_move(move) for move in situation.position.legal_moves()]

    def finished(self) -> Situation | None:
        """Return the final position of a random game, or None if the game does not end."""
        situation = self.random_game(1)[-1]
        return situation if situation.position.is_over() else None


def situation_of(game: Game, position: Position, moves: list[str]) -> Situation:
    """Return a copy of a position, with the mover's view of it in a game with hidden information."""
    view = None
    if isinstance(game, HiddenCards) and not position.is_over():
        view = game.view(position, position.side_to_move)
    return Situation(position.copy(), tuple(moves), view)
