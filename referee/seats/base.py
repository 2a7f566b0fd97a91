"""What a match asks of a player, whatever it is: an engine's process, or later a person or a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from quietmove.engine.games.base import get_game
from quietmove.engine.protocol.lines import InfoLine
from quietmove.referee.clock import Clock
from quietmove.referee.config import Color, EngineConfig
from quietmove.referee.record import Reason
from quietmove.referee.settings import Setting

__all__ = ["Answer", "Failure", "Listener", "Objection", "Seat", "Turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a player is asked.

    :param moves: all moves of the game so far, as the game writes them.
    :param clocks: both players' clocks, as they stand.
    :param view: the position as this player knows it, in a game with hidden information; the moves are in it.
    """

    moves: tuple[str, ...]
    clocks: Mapping[Color, Clock]
    view: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it.

    :param line: the line that was meant as the answer; ``None`` if none arrived in time.
    :param move: the move that it names, as the game writes it; ``None`` if it does not even look like one.
    :param elapsed_ms: milliseconds from the request to the arrival of the line.
    :param claim: the engine's last report on its own search.
    """

    line: str | None
    move: str | None
    elapsed_ms: float
    claim: InfoLine | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a player did not come to the board.

    :param detail: what the engine did, as the rest of a sentence that begins with its name.
    """

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Objection:
    """What speaks against playing an engine as it is configured.

    :param option: the engine's option that it is about; ``None`` if it is about the engine as a whole.
    """

    option: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told what passes between the referee and a seat while a game runs.

    :param line: takes ``<`` or ``>``, and the line that came from the player or went to it.
    :param info: takes each report of a running search.
    """

    line: Callable[[str, str], None] | None = None
    info: Callable[[InfoLine], None] | None = None


class Seat(ABC):
    """A player at the board. No method raises for what a player does; whoever makes a seat must :meth:`end` it.

    :cvar settings: what can be set for this kind of seat and for no other, in ``EngineConfig.settings``.
    :cvar can_resign: whether ``resign`` is an answer in this protocol.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()
    can_resign: ClassVar[bool] = False

    def __init__(self, config: EngineConfig, game: str) -> None:
        """Prepare to play ``game``."""
        self.config = config
        self.game = game
        self.grid = get_game(game).grid
        self.color: Color = "black"
        self.listener = Listener()

    # ---- what can be said before a game

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        """Yield what this kind of seat cannot do of what ``config`` asks for."""
        yield from ()

    @classmethod
    def refusals(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Yield why this kind of seat cannot play ``game`` from ``opening``."""
        yield from ()

    async def objections(self) -> list[Objection]:
        """Ask the player itself what speaks against its configuration; one that does not come up has none."""
        return []

    # ---- a game

    @abstractmethod
    async def start(self, color: Color, listener: Listener) -> Failure | None:
        """Begin a game as ``color``, the first one or, in a seat that was kept, another; return why that failed."""

    @abstractmethod
    async def think(self, turn: Turn) -> Answer:
        """Ask for a move and wait for it, for as long as the clock or the stall deadline allows."""

    async def has_left(self, seconds: float) -> bool:
        """Tell whether the player has gone, or goes within ``seconds``, so that no further answer can come."""
        return False

    async def describe_end(self) -> str:
        """Return how the player went, as the rest of a sentence that begins with its name."""
        return "left the game"

    async def keep(self) -> bool:
        """Make ready for another game after one that was played without a fault; tell whether that can be."""
        return False

    def leave_game(self) -> None:
        """Tell nobody any more what passes: the game that was listened to has its record."""
        self.listener = Listener()

    def fits(self, config: EngineConfig, game: str) -> bool:
        """Tell whether a seat that was kept can play ``game`` as ``config`` says."""
        return False

    @property
    def stderr(self) -> str:
        """The end of what the player wrote beside the protocol in this game."""
        return ""

    @abstractmethod
    async def end(self, *, patient: bool = True) -> None:
        """End the player, with everything that belongs to it."""

    # ---- helpers

    def _patience(self, turn: Turn) -> float:
        """Return how many seconds the answer to ``turn`` is waited for."""
        patience_ms = turn.clocks[self.color].patience_ms
        return (self.config.stall_timeout_ms if patience_ms is None else patience_ms) / 1000
