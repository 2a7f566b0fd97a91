"""The interface of a seat: the operations that a match needs from a player of any kind, such as an engine process."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.lines import OptionLine
from quietmove.engine.values import Info, Limits
from quietmove.referee.clock import Clock
from quietmove.referee.config.model import Color, EngineConfig, Reason
from quietmove.referee.config.validation import Setting, SettingValue

Move = TypeVar("Move", int, str)
MAX_MOVE_WORDS = 8  # the words at the start of a reply in which a move is looked for
MAX_QUOTED = 80  # maximum length of an engine's line or an error quoted in a verdict, in characters


@dataclass(frozen=True, slots=True)
class Turn:
    """A request for a move.

    :param moves: all moves of the game so far, in the game's notation.
    :param clocks: the current clocks of both players.
    :param start: the start position in the game's notation, or "" for the initial position.
    :param view: the position as this player knows it, in a game with hidden information; it includes the moves.
    """

    moves: tuple[str, ...]
    clocks: Mapping[Color, Clock]
    view: str | None = None
    start: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A player's answer.

    :param line: the line that was meant as the answer, or None if none arrived in time.
    :param move: the move it contains, in the game's notation, or None if it does not have the form of a move.
    :param elapsed_ms: the time from the request to the arrival of the line, in milliseconds.
    :param claim: the engine's last report on its own search.
    :param ponder: the expected reply, on which the player would ponder, in the game's notation, or None.
    """

    line: str | None
    move: str | None
    elapsed_ms: float
    claim: Info[str] | None = None
    ponder: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a player failed to start a game.

    :param detail: the failure, worded to complete a sentence that starts with the engine's name.
    """

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Objection:
    """A problem with an engine's configuration.

    :param option: the engine's option at fault, or None if the problem concerns the whole engine.
    :param engine: the index of the engine among those checked.
    """

    option: str | None
    text: str
    engine: int = 0


@dataclass(frozen=True, slots=True)
class Listener:
    """Callbacks for the communication between the referee and a seat during a game.

    :param line: called with ``<`` or ``>`` and the line from or to the player.
    :param info: called with each report of a running search.
    """

    line: Callable[[str, str], None] | None = None
    info: Callable[[Info[str]], None] | None = None


class Seat(ABC):
    """A player in a game. Methods never raise for a player's fault. The creator of a seat must :meth:`end` it.

    :cvar settings: settings that only this kind of seat has, stored in ``EngineConfig.settings``.
    :cvar can_resign: whether ``resign`` is a valid reply in this protocol.
    :cvar whole_games: whether the player can play only whole games. If so, it must be asked for each of its moves from
        the start, including forced passes, and cannot start from another position.
    :cvar analyses: whether it reports on a running search, and on several best moves with the option ``MultiPV``.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()
    can_resign: ClassVar[bool] = False
    whole_games: ClassVar[bool] = False
    analyses: ClassVar[bool] = False

    def __init__(self, config: EngineConfig, game: str) -> None:
        self.config = config
        self.game = game
        self.grid = get_game(game).grid
        self.color: Color = "black"
        self.opening: Sequence[str] = ()  # the moves that start the next game
        self.listener = Listener()

    @classmethod
    def setting_of(cls, config: EngineConfig, name: str) -> SettingValue:
        """Return the value of the setting ``name`` in ``config``, or its default declared in :attr:`settings`."""
        values: dict[str, SettingValue] = {row.name: row.default for row in cls.settings}
        return {**values, **dict(config.settings)}[name]

    def setting(self, name: str) -> SettingValue:
        """Return the value of the setting ``name`` in this player's configuration."""
        return self.setting_of(self.config, name)

    # ---- checks before a game

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        """Yield a message for each part of ``config`` that this kind of seat does not support."""
        yield from ()

    @classmethod
    def game_problems(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Yield the reasons why this kind of seat cannot play ``game`` from ``opening``."""
        yield from ()

    @classmethod
    def game_problems_for(cls, config: EngineConfig, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Yield the reasons why a player with these settings cannot play ``game`` from ``opening``."""
        return cls.game_problems(game, opening)

    async def objections(self) -> list[Objection]:
        """Return the player's objections to its configuration, or an empty list if the player cannot be started."""
        return []

    async def offered(self) -> list[OptionLine]:
        """Return the options that the player declares, or an empty list if its protocol has no options.

        :raises SetupError: if it does not start or complete its handshake.
        """
        return []

    # ---- a game

    @abstractmethod
    async def start(self, color: Color, listener: Listener) -> Failure | None:
        """Start a game as ``color``, whether the seat is new or reused; return the failure, or None."""

    @abstractmethod
    async def think(self, turn: Turn) -> Answer:
        """Request a move and return the answer; wait for it as long as the clock or the stall timeout allows."""

    def stop(self) -> None:  # noqa: B027 (most players cannot be stopped)
        """Tell a thinking player to reply immediately; :meth:`think` returns the reply."""

    def ponder(self, turn: Turn) -> None:  # noqa: B027 (most players do not ponder)
        """Start pondering on ``turn``, whose last move is the expected reply, during the opponent's turn.

        The next call of :meth:`think` passes the move actually played.
        """

    @property
    def is_silent(self) -> bool:
        """Whether the player has sent nothing since its start."""
        return False

    def hint_at_silence(self, position: Position | None = None) -> str:
        """Return a hint about why a player might not reply, to append to a sentence; by default ""."""
        return ""

    def resigns(self, answer: Answer) -> bool:
        """Return whether an answer is a resignation. Text after the word ``resign`` is a reason and is ignored."""
        return self.can_resign and re.match(r"resign\b", answer.move or "", re.IGNORECASE) is not None

    def objection(self, position: Position, answer: Answer, error: GameError | None) -> str:
        """Return the reason why an answer is not played in ``position``, as a clause that starts with ``which``.

        :param error: the game's error for the move, or None if the line is not a move.
        """
        if error is None:
            return "which is not a move of its protocol"
        return f"which cannot be played: {shortened(str(error))}"

    async def has_left(self, seconds: float) -> bool:
        """Return whether the player has ended, or ends within ``seconds``, so that no reply can arrive."""
        return False

    async def describe_end(self) -> str:
        """Describe how the player ended, worded to complete a sentence that starts with its name."""
        return "left the game"

    async def keep(self) -> bool:
        """Prepare for another game after one without a fault; return whether the seat can be reused."""
        return False

    def leave_game(self) -> None:
        """Detach the listener, because the game is over and recorded."""
        self.listener = Listener()

    def fits(self, config: EngineConfig, game: str) -> bool:
        """Return whether this seat can play ``game`` with ``config``, that is, was started in the same way."""
        return game == self.game and config.reuse_key == self.config.reuse_key

    @property
    def stderr(self) -> str:
        """The last part of the player's standard error in this game."""
        return ""

    @abstractmethod
    async def end(self, *, patient: bool = True) -> None:
        """End the player and all its processes."""

    # ---- helpers

    def limits(self, turn: Turn, *, ponder: bool = False) -> Limits:
        """Return the limits of a search. An expired clock is sent as 1 ms, because its margin is still running."""
        limit = self.config.limit
        if limit.base_ms is None:
            return Limits(depth=limit.depth, nodes=limit.nodes, movetime=limit.movetime_ms, ponder=ponder)
        own, other = turn.clocks[self.color], turn.clocks["white" if self.color == "black" else "black"]
        left, other_left = (None if ms is None else max(1, int(ms)) for ms in (own.remaining_ms, other.remaining_ms))
        return Limits(
            time=left,
            increment=own.control.increment_ms,
            movestogo=own.movestogo,
            opponent_time=other_left,
            opponent_increment=other.control.increment_ms,
            ponder=ponder,
        )

    def _patience(self, turn: Turn) -> float:
        """Return the maximum wait for the answer to ``turn``, in seconds."""
        patience_ms = turn.clocks[self.color].patience_ms
        return (self.config.stall_timeout_ms if patience_ms is None else patience_ms) / 1000


def shortened(text: str) -> str:
    """Shorten a text to at most :data:`MAX_QUOTED` characters."""
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 3] + "..."


def leading_move(text: str, parse: Callable[[str], Move]) -> tuple[Move, str]:
    """Return the legal move with which a player's reply starts, and the words after it.

    :param parse: parses a legal move, or raises a GameError.
    :raises GameError: if no leading words are a legal move; the error is the one for the whole text.
    """
    try:
        return parse(text), ""
    except GameError:
        words = text.split()[:MAX_MOVE_WORDS]
        for end in range(len(words) - 1, 0, -1):
            with suppress(GameError):
                return parse(" ".join(words[:end])), text.split(maxsplit=end)[end]
        raise
