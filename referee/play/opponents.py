"""Who plays against a person: this engine in this process, or another one in a process of its own."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.levels import FULL_STRENGTH, level_name
from quietmove.referee.api import parse_engine, player
from quietmove.referee.config.model import VARIED, EngineConfig
from quietmove.referee.game.saved import SavedGame, Strength
from quietmove.referee.process.launch import with_seed

USUAL_LIMIT = "movetime=5000"  # ends a search that neither a level nor a limit ends
LEVEL_LIMIT = "depth=60"  # a level ends every search before this depth
PATIENCE_MS = 10**9  # this engine never loses on time


@dataclass(frozen=True, slots=True)
class Opponent:
    """How strong the opponent is, and which engine.

    :param level: a level of :data:`quietmove.engine.levels.LEVELS`, or a higher number for the best play.
    :param limit: the limit of a move, such as ``depth=8`` or ``movetime=2000``; empty if the level alone limits it.
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
        level = "" if self.level == FULL_STRENGTH else f", level {self.level}, {level_name(self.level)}"
        who = self.engine or f"Quietmove{level}"
        return f"{who}, {limit}" if self.limit else who

    @property
    def title(self) -> str:
        """The name in a file; that of another engine is its program's name alone."""
        return self.config(0).name if self.engine else self.words

    @property
    def strength(self) -> Strength | None:
        """What a file says of this engine; None for another engine."""
        return None if self.engine else Strength(level=self.level, limit=self.limit)

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
        config = player(
            limit=self.limit or (USUAL_LIMIT if self.level == FULL_STRENGTH else LEVEL_LIMIT),
            options={"Level": self.level, **dict(VARIED)},
            protocol="in-process",
            margin_ms=PATIENCE_MS,
            stall_timeout_ms=PATIENCE_MS,
        )
        return with_seed(config, seed)


def opponent_of(saved: SavedGame) -> Opponent | None:
    """Return who played against a person in a saved game, None where the file does not tell it."""
    strength = saved.opponent
    return None if strength is None else Opponent(strength.level, strength.limit)
