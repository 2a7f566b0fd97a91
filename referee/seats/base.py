"""The contract of a seat: what a match asks of a player of any kind, such as an engine's process."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Position
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.lines import GoLine, InfoLine
from quietmove.referee.config.model import Color, EngineConfig
from quietmove.referee.config.validation import Setting, SettingValue
from quietmove.referee.game.clock import Clock
from quietmove.referee.game.verdict import Reason

OPTION_WORDS = ("type", "default", "min", "max", "var")  # a part of an `option` line begins with one of these
MOST_QUOTED = 80  # characters of an engine's line, or of an error, in the sentence of a verdict


@dataclass(frozen=True, slots=True)
class Turn:
    """What a player is asked.

    :param moves: all moves of the game so far, as the game writes them.
    :param clocks: both players' clocks, as they stand.
    :param start: the position that the game began in, as the game writes it; empty for the game's usual beginning.
    :param view: the position as this player knows it, in a game with hidden information; the moves are in it.
    """

    moves: tuple[str, ...]
    clocks: Mapping[Color, Clock]
    view: str | None = None
    start: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player answered.

    :param line: the line that was meant as the answer; ``None`` if none arrived in time.
    :param move: the move that it names, as the game writes it; ``None`` if the line does not have the form of a move.
    :param elapsed_ms: milliseconds from the request to the arrival of the line.
    :param claim: the engine's last report on its own search.
    :param ponder: the reply that the player expects and would think about, as the game writes it, if there is one.
    """

    line: str | None
    move: str | None
    elapsed_ms: float
    claim: InfoLine | None = None
    ponder: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a player did not start a game.

    :param detail: what the engine did, as the rest of a sentence that begins with its name.
    """

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Objection:
    """A problem with an engine's configuration.

    :param option: the engine's option that it is about; ``None`` if it is about the engine as a whole.
    :param engine: the index of the engine, among several that are asked.
    """

    option: str | None
    text: str
    engine: int = 0


@dataclass(frozen=True, slots=True)
class Offered:
    """An option that a player says it has.

    :param kind: ``check``, ``spin``, ``combo``, ``string`` or ``button``, as UCI has them; another engine's may be any.
    :param default: its value before it is set, as it is written; empty if the player does not say.
    :param least, most: the least and the greatest number of a ``spin``, as they are written.
    :param choices: the values of a ``combo``.
    """

    name: str
    kind: str = "string"
    default: str = ""
    least: str = ""
    most: str = ""
    choices: tuple[str, ...] = ()

    @classmethod
    def read(cls, line: str) -> Offered:
        """Return the option that a line ``option name …`` of UCI declares; names and values may be several words."""
        words: dict[str, list[list[str]]] = {"name": [[]]}
        part = "name"
        for token in line.split()[2:]:
            if token in OPTION_WORDS and (token, words[part][-1]) != (part, []):  # the default may be `default`
                part = token
                words.setdefault(part, []).append([])
            else:
                words[part][-1].append(token)
        parts = {part: [" ".join(value) for value in values] for part, values in words.items()}
        name, kind, default, least, most = (parts.get(part, [""])[0] for part in ("name", *OPTION_WORDS[:4]))
        default = "" if default == "<empty>" else default
        return cls(name, kind or "string", default, least, most, tuple(parts.get("var", ())))


@dataclass(frozen=True, slots=True)
class Listener:
    """Functions that are called with what the referee and a seat say to each other during a game.

    :param line: takes ``<`` or ``>``, and the line that came from the player or went to it.
    :param info: takes each report of a running search.
    """

    line: Callable[[str, str], None] | None = None
    info: Callable[[InfoLine], None] | None = None


class Seat(ABC):
    """A player in a game. No method raises for what a player does; the caller that makes a seat must :meth:`end` it.

    :cvar settings: what can be set for this kind of seat and for no other, in ``EngineConfig.settings``.
    :cvar can_resign: whether ``resign`` is an answer in this protocol.
    :cvar whole_games: whether the player can only play whole games: it is asked for each of its moves from the first
        on, forced passes too, and can be set into no other position.
    :cvar analyses: whether it reports on a running search, several of the best moves by the option ``MultiPV``.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()
    can_resign: ClassVar[bool] = False
    whole_games: ClassVar[bool] = False
    analyses: ClassVar[bool] = False

    def __init__(self, config: EngineConfig, game: str) -> None:
        """Prepare to play ``game``."""
        self.config = config
        self.game = game
        self.grid = get_game(game).grid
        self.color: Color = "black"
        self.opening: Sequence[str] = ()  # the moves with which the next game begins
        self.listener = Listener()

    @classmethod
    def setting_of(cls, config: EngineConfig, name: str) -> SettingValue:
        """Return the value of one of :attr:`settings`, by default the one declared there."""
        values: dict[str, SettingValue] = {row.name: row.default for row in cls.settings}
        return {**values, **dict(config.settings)}[name]

    def setting(self, name: str) -> SettingValue:
        """Return the value of one of :attr:`settings` for this player."""
        return self.setting_of(self.config, name)

    # ---- what can be said before a game

    @classmethod
    def problems(cls, config: EngineConfig) -> Iterator[str]:
        """Yield what ``config`` asks for and this kind of seat cannot do."""
        yield from ()

    @classmethod
    def game_problems(cls, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Yield why this kind of seat cannot play ``game`` from ``opening``."""
        yield from ()

    @classmethod
    def game_problems_for(cls, config: EngineConfig, game: str, opening: Sequence[str]) -> Iterator[str]:
        """Yield why the player of ``config`` cannot play ``game`` from ``opening``; its settings may allow more."""
        return cls.game_problems(game, opening)

    async def objections(self) -> list[Objection]:
        """Ask the player whether it accepts its configuration; return no objections if it cannot be started."""
        return []

    async def offered(self) -> list[Offered]:
        """Ask the player which options it has; none where its kind has no way to say it.

        :raises SetupError: if it cannot be started, or does not answer its greeting.
        """
        return []

    # ---- a game

    @abstractmethod
    async def start(self, color: Color, listener: Listener) -> Failure | None:
        """Begin a game as ``color``, in a new or in a kept seat; return why that failed, or None."""

    @abstractmethod
    async def think(self, turn: Turn) -> Answer:
        """Ask for a move and wait for it, for as long as the clock or the stall deadline allows."""

    def stop(self) -> None:  # noqa: B027 (most players cannot be asked)
        """Ask a player that thinks to answer at once; :meth:`think` returns what it answers."""

    def ponder(self, turn: Turn) -> None:  # noqa: B027 (most players only think when they are asked)
        """Begin to think about ``turn``, whose last move is the expected reply, while the opponent does.

        The next call of :meth:`think` says what was played.
        """

    @property
    def is_silent(self) -> bool:
        """Whether nothing has come from the player since it was started."""
        return False

    def hint_at_silence(self, position: Position | None = None) -> str:
        """Return what may be wrong with a player that gives no answer, to follow a sentence; by default nothing."""
        return ""

    def resigns(self, answer: Answer) -> bool:
        """Tell whether an answer gives the game up; what stands behind the word is a reason."""
        return self.can_resign and re.match(r"resign\b", answer.move or "", re.IGNORECASE) is not None

    def objection(self, position: Position, answer: Answer, error: GameError | None) -> str:
        """Return why an answer is not played in ``position``, as a clause that begins with ``which``.

        :param error: what the game says of the move; None where the line is no move.
        """
        return (
            "which is no move of its protocol" if error is None else f"which cannot be played: {shortened(str(error))}"
        )

    async def has_left(self, seconds: float) -> bool:
        """Tell whether the player has ended, or ends within ``seconds``, so that no further answer can come."""
        return False

    async def describe_end(self) -> str:
        """Return how the player ended, as the rest of a sentence that begins with its name."""
        return "left the game"

    async def keep(self) -> bool:
        """Prepare for another game after one without a fault; tell whether the seat can be kept."""
        return False

    def leave_game(self) -> None:
        """Stop calling the listener: its game is over and recorded."""
        self.listener = Listener()

    def fits(self, config: EngineConfig, game: str) -> bool:
        """Tell whether a seat that was kept can play ``game`` as ``config`` says: it was started in the same way."""
        return game == self.game and config.reuse_key == self.config.reuse_key

    @property
    def stderr(self) -> str:
        """The end of what the player wrote to its standard error in this game."""
        return ""

    @abstractmethod
    async def end(self, *, patient: bool = True) -> None:
        """End the player, with everything that belongs to it."""

    # ---- helpers

    def limits(self, turn: Turn, *, ponder: bool = False) -> GoLine:
        """Return the limits of a search; a clock that has run out is told as 1 ms, since the margin still runs."""
        limit, left = self.config.limit, {}
        if limit.base_ms is None:
            return GoLine(depth=limit.depth, nodes=limit.nodes, movetime=limit.movetime_ms, ponder=ponder)
        for color, clock in turn.clocks.items():
            left[color] = None if clock.remaining_ms is None else max(1, int(clock.remaining_ms))
        return GoLine(
            btime=left["black"],
            wtime=left["white"],
            binc=turn.clocks["black"].control.increment_ms or None,
            winc=turn.clocks["white"].control.increment_ms or None,
            movestogo=turn.clocks[self.color].movestogo,
            ponder=ponder,
        )

    def _patience(self, turn: Turn) -> float:
        """Return how many seconds to wait for the answer to ``turn``."""
        patience_ms = turn.clocks[self.color].patience_ms
        return (self.config.stall_timeout_ms if patience_ms is None else patience_ms) / 1000


def shortened(text: str) -> str:
    """Return a text with at most :data:`MOST_QUOTED` characters."""
    return text if len(text) <= MOST_QUOTED else text[: MOST_QUOTED - 3] + "..."
