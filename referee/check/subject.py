"""What is examined: an engine's command, the game, the tolerances; and the positions that it is asked about."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.referee.config.config import COLORS, Color, EngineConfig, TimeControl
from quietmove.referee.game.clock import Clock
from quietmove.referee.seats import Turn

if TYPE_CHECKING:
    from quietmove.referee.check.talk import Talk

__all__ = ["Situation", "Subject", "passes", "walk"]

MOST_PLIES = 300  # of a random game; a user's game may have no end
MOST_WALKS = 400  # random games among which positions of a certain kind are looked for
ROUND_SECONDS = 8.0  # for all repetitions in one examination; a good engine needs less


@dataclass(frozen=True, slots=True)
class Situation:
    """A position that an engine is asked about, a player to move in it unless the game is over.

    :param moves: that led to it, as the game writes them.
    :param view: what the player to move knows, in a game with hidden information.
    """

    position: Position
    moves: tuple[str, ...]
    view: str | None = None

    @property
    def color(self) -> Color:
        """Who is to move."""
        return COLORS[self.position.side_to_move]

    @property
    def where(self) -> str:
        """Which position it is, as a part of a sentence."""
        return f"after {' '.join(self.moves)}" if self.moves else "in the initial position"

    def turn(self, limit: TimeControl, margin_ms: int) -> Turn:
        """Return what a seat is asked, with full clocks."""
        return Turn(self.moves, {color: Clock(limit, margin_ms) for color in COLORS}, self.view)


@dataclass(frozen=True, slots=True)
class Subject:
    """An engine that is examined.

    :param config: its command, protocol and settings, and the tolerances: for its start, and by how much a clock may be
        overdrawn.
    :param open_talk: makes a conversation in the engine's protocol.
    :param within_ms: milliseconds in which it must do what takes no thought: answer a question, stop, end.
    :param quick: whether fewer repetitions are enough.
    """

    config: EngineConfig
    game: Game
    open_talk: Callable[[Subject], Talk[Any]]
    within_ms: int = 1000
    quick: bool = False

    @property
    def within(self) -> float:
        """``within_ms`` in seconds."""
        return self.within_ms / 1000

    @property
    def start_seconds(self) -> float:
        """How long a step of the greeting may take, and a short search."""
        return self.config.start_timeout_ms / 1000

    def talk(self) -> Talk[Any]:
        """Return a conversation with a process of its own, to be entered as a context."""
        return self.open_talk(self)

    def limited(self, limit: TimeControl) -> EngineConfig:
        """Return the engine's configuration with another limit, and the patience of an examination."""
        return replace(self.config, limit=limit, stall_timeout_ms=self.config.start_timeout_ms)

    def rounds(self, whole: int, quick: int) -> Iterator[int]:
        """Yield the numbers of the repetitions, from 1, as long as there is time; there is always one."""
        deadline = time.monotonic() + ROUND_SECONDS
        for number in range(1, (quick if self.quick else whole) + 1):
            yield number
            if time.monotonic() > deadline:
                return

    def start(self) -> Situation:
        """Return the first position of the game in which a player is to move."""
        return walk(self.game, random.Random(1), 0)

    def situations(self, count: int, seed: int = 1) -> list[Situation]:
        """Return positions of random games in which a player has a move, the same at each call."""
        chance = random.Random(seed)
        found: list[Situation] = []
        for _ in range(MOST_WALKS):
            if len(found) == count:
                break
            situation = walk(self.game, chance, chance.randrange(60))
            found += [] if situation.position.is_over() else [situation]
        return found

    def passes(self, count: int) -> list[Situation]:
        """Return positions of random games in which the only move is a pass."""
        found: list[Situation] = []
        for seed in range(MOST_WALKS):
            if len(found) >= count:
                break
            found += passes(self.game, random.Random(seed))
        return found[:count]

    def finished(self) -> Situation | None:
        """Return the end of a random game, None in a game without an end."""
        situation = walk(self.game, random.Random(1), MOST_PLIES)
        return situation if situation.position.is_over() else None

    def last_choice(self) -> Situation:
        """Return the last position of a random game in which a player has a move."""
        end = walk(self.game, random.Random(1), MOST_PLIES)
        plies = len(end.moves) - 1
        while (found := walk(self.game, random.Random(1), plies)).position.is_over() and plies > 0:
            plies -= 1  # the last move was one of nature
        return found


def walk(game: Game, chance: random.Random, plies: int) -> Situation:
    """Return the position after ``plies`` random moves, and as many of nature as it takes until a player's turn."""
    position, moves = game.begin(chance.getrandbits(31)), list[str]()
    while (legal := position.legal_moves()) and (len(moves) < plies or position.side_to_move == NATURE):
        move = chance.choice(legal)
        moves.append(game.format_move(move))
        position.play(move)
    return situation_of(game, position, moves)


def passes(game: Game, chance: random.Random) -> Iterator[Situation]:
    """Yield the positions of one random game in which the only move is a pass."""
    position, moves = game.begin(chance.getrandbits(31)), list[str]()
    while (legal := position.legal_moves()) and len(moves) < MOST_PLIES:
        texts = [game.format_move(move) for move in legal]
        if texts == ["pass"]:
            yield situation_of(game, position, moves)
        move = chance.randrange(len(legal))
        moves.append(texts[move])
        position.play(legal[move])


def situation_of(game: Game, position: Position, moves: list[str]) -> Situation:
    """Return a copy of a position, with what its player may know of it."""
    shows = game.kind == "hidden" and not position.is_over()
    return Situation(position.copy(), tuple(moves), game.view(position, position.side_to_move) if shows else None)
