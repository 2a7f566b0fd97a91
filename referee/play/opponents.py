"""Who plays against a person: this engine in this process, or another one in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.games.base import Game
from quietmove.engine.search.levels import FULL_STRENGTH
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.play.players import parse_engine, player

__all__ = ["Opponent", "usual_opponent"]

DEFAULT_LEVEL = 10
USUAL_LIMIT = "movetime=5000"  # where neither a level nor a limit ends the search
LEVEL_LIMIT = "depth=60"  # which no search reaches that a level ends
PATIENCE_MS = 10**9  # no clock of this engine is to be won or lost


@dataclass(frozen=True, slots=True)
class Opponent:
    """How strong the opponent is, and which engine.

    :param level: of :data:`quietmove.engine.search.levels.LEVELS`; above them all it plays as well as it can.
    :param limit: of a move, such as ``depth=8`` or ``movetime=2000``; empty for none but that of the level.
    :param engine: the command of another engine; empty for this one.
    :param settings: further words about it, as ``quietmove-referee match`` reads them: ``option.Hash=64``.
    """

    level: int = FULL_STRENGTH
    limit: str = ""
    engine: str = ""
    settings: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What a person is told about it."""
        kind, _, value = self.limit.partition("=")
        limit = f"{int(value) / 1000:g} s a move" if kind == "movetime" else f"{kind} {value}"
        who = self.engine or ("Quietmove" if self.level == FULL_STRENGTH else f"Quietmove, level {self.level}")
        return f"{who}, {limit}" if self.limit else who

    @property
    def flags(self) -> list[str]:
        """What the command line needs to play against another engine once more."""
        if not self.engine:
            return []
        kind, _, value = self.limit.partition("=")
        limit = ["--time", f"{int(value) / 1000:g}"] if kind == "movetime" else [f"--{kind}", value]
        settings = [word for each in self.settings for word in ("--engine-setting", each)]
        return ["--engine", self.engine, *(limit if self.limit else []), *settings]

    def config(self, seed: int) -> EngineConfig:
        """Return the opponent as a player; what this engine leaves to chance follows from ``seed``.

        :raises SetupError: naming what is wrong.
        """
        if self.engine:
            return parse_engine([f"cmd={self.engine}", self.limit or USUAL_LIMIT, *self.settings])
        return player(
            limit=self.limit or (USUAL_LIMIT if self.level == FULL_STRENGTH else LEVEL_LIMIT),
            options={"Level": self.level, "Seed": seed},
            protocol="in-process",
            margin_ms=PATIENCE_MS,
            stall_timeout_ms=PATIENCE_MS,
        )


def usual_opponent(game: Game) -> Opponent:
    """Return who plays where nobody was chosen: in a game that is solved, one that cannot be beaten."""
    return Opponent(FULL_STRENGTH if game.solved else DEFAULT_LEVEL)
