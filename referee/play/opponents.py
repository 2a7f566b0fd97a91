"""Who plays against a person: this engine, or another one in a process of its own."""

from __future__ import annotations

import queue
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from quietmove.engine.errors import LimitsError
from quietmove.engine.games.base import Game
from quietmove.engine.search.levels import FULL_STRENGTH
from quietmove.engine.session import DEFAULTS, Options, Session
from quietmove.engine.values import Limits, SearchResult
from quietmove.referee.play.game import GameInProgress

if TYPE_CHECKING:
    from quietmove.players import EngineProcess

__all__ = ["DEFAULT_LEVEL", "Adviser", "Choice", "Opponent", "Player", "open_player"]

DEFAULT_LEVEL = 10
USUAL_SECONDS = 5.0  # a move, where neither a level nor a limit ends the search
MOST_SECONDS = 10.0**6
RESIGN = "resign"


@dataclass(frozen=True, slots=True)
class Opponent:
    """How strong the opponent is, and which engine.

    :param level: of :data:`quietmove.engine.search.levels.LEVELS`; above them all it plays as well as it can.
    :param depth: plies at most; ``nodes`` moves made; ``seconds`` for a move. None for no such limit.
    :param engine: the command of another engine; "" for this one.
    :param protocol: that it speaks; "" for what its command names.
    :param settings: further words about it, as ``quietmove-referee match`` reads them: ``option.Hash=64``.
    """

    level: int = FULL_STRENGTH
    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    engine: str = ""
    protocol: str = ""
    settings: tuple[str, ...] = ()

    def check(self) -> None:
        """Check the values, which may come from a file.

        :raises LimitsError: naming the one that is not allowed.
        """
        bounds = {"level": (0, FULL_STRENGTH), "depth": (1, 60), "nodes": (1, 10**15), "seconds": (0.001, MOST_SECONDS)}
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if value is None and name != "level":
                continue
            kinds = (int, float) if name == "seconds" else (int,)
            if type(value) not in kinds or not least <= value <= most:
                raise LimitsError(f"{name}: a number from {least:g} to {most:g} is allowed, {value!r} came")

    @property
    def words(self) -> str:
        """What a person is told about it."""
        limits = [f"{name} {value}" for name, value in (("depth", self.depth), ("nodes", self.nodes)) if value]
        if self.seconds is not None:
            limits.append(f"{self.seconds:g} s a move")
        who = self.engine or ("Quietmove" if self.level == FULL_STRENGTH else f"Quietmove, level {self.level}")
        return ", ".join([who, *limits])

    @property
    def flags(self) -> list[str]:
        """What the command line needs to play against another engine once more."""
        if not self.engine:
            return []
        named = {"--engine": self.engine} | ({"--engine-protocol": self.protocol} if self.protocol else {})
        limits = {"--depth": self.depth, "--nodes": self.nodes, "--time": self.seconds}
        named |= {flag: f"{value:g}" if flag == "--time" else str(value) for flag, value in limits.items() if value}
        pairs = [*named.items(), *(("--engine-setting", word) for word in self.settings)]
        return [word for pair in pairs for word in pair]

    @property
    def limits(self) -> Limits:
        """When a search ends, if the level does not end it first."""
        seconds = self.seconds
        if seconds is None and self.level == FULL_STRENGTH and self.depth is None and self.nodes is None:
            seconds = USUAL_SECONDS
        return Limits(depth=self.depth, nodes=self.nodes, movetime=None if seconds is None else round(1000 * seconds))


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player answered.

    :param move: None if the player resigns.
    :param score: hundredths of the game's point, from the view of who moves; None where it is not known.
    :param depth: plies that were searched; None where it is not known.
    """

    move: int | None
    score: int | None
    depth: int | None
    seconds: float


class Player(Protocol):
    """Who chooses moves.

    :ivar whole_games: whether it plays from the first move on alone, is asked for forced passes too, and takes no move
        back.
    """

    whole_games: bool

    def choose(self, game: GameInProgress) -> Choice:
        """Return a move for the side to move.

        :raises QuietmoveError: if none could be found.
        """

    def close(self) -> bool:
        """End what runs; return whether nothing runs any more."""


class Adviser:
    """The engine in this process: as the opponent, and to give hints."""

    whole_games = False

    def __init__(self, game: Game, opponent: Opponent, seed: int) -> None:
        self._session = Session()
        settings = replace(DEFAULTS, seed=seed)
        self._session.configure(Options(game=game.name, level=opponent.level, settings=settings))
        self._limits = opponent.limits

    def choose(self, game: GameInProgress) -> Choice:
        """Return the move of the opponent's level and limits."""
        return self.search(game, self._limits)

    def search(self, game: GameInProgress, limits: Limits) -> Choice:
        """Return the move that a search with other limits finds."""
        start = time.perf_counter()
        news: queue.SimpleQueue[SearchResult | Exception] = queue.SimpleQueue()
        self._session.set_up(game.seen_by(game.side))
        self._session.go(limits, lambda info: None, news.put, news.put)
        try:
            found = news.get()
        except KeyboardInterrupt:
            self._session.stop()
            raise
        if isinstance(found, Exception):
            self._session.stop()
            raise found
        assert found.move is not None
        score = None if found.score is None else found.score.value
        return Choice(found.move, score, found.depth, time.perf_counter() - start)

    def close(self) -> bool:
        """End a search that runs; return whether none does any more."""
        self._session.stop()
        return not self._session.thinking


class OtherEngine:
    """Another engine, in a process of its own.

    :raises QuietmoveError: if it cannot be started, or does not play this game.
    """

    def __init__(self, game: Game, opponent: Opponent) -> None:
        from quietmove.players import EngineProcess, parse_engine

        limits = opponent.limits
        named: dict[str, int | str | None] = {"cmd": opponent.engine, "protocol": opponent.protocol or None}
        named |= {"depth": limits.depth, "nodes": limits.nodes, "movetime": limits.movetime}
        words = [f"{name}={value}" for name, value in named.items() if value is not None]
        self._process: EngineProcess = EngineProcess(parse_engine([*words, *opponent.settings]), game.name)
        self.whole_games = self._process.whole_games

    def choose(self, game: GameInProgress) -> Choice:
        """Return its move, or that it resigns."""
        from quietmove.api import Position

        rules = game.game
        if rules.kind == "hidden":
            position = Position(rules.name, rules.format_position(game.position))
        else:
            position = Position(rules.name, moves=game.texts())
        start = time.perf_counter()
        reply = self._process.play(position)
        move = None if reply.move == RESIGN else rules.parse_move(game.position, reply.move)
        return Choice(move, reply.score, reply.depth, time.perf_counter() - start)

    def close(self) -> bool:
        """End the process."""
        self._process.close()
        return True


def open_player(game: Game, opponent: Opponent, seed: int) -> Player:
    """Return the opponent, ready to play.

    :raises QuietmoveError: if it cannot play this game.
    """
    return OtherEngine(game, opponent) if opponent.engine else Adviser(game, opponent, seed)
