"""A person's opponents: this engine (in this process) or another engine (in its own process)."""

from __future__ import annotations

from dataclasses import dataclass

from quietmove.engine.levels import FULL_STRENGTH, level_name
from quietmove.referee.api import parse_engine, player
from quietmove.referee.config.model import VARIED, EngineConfig
from quietmove.referee.game.saved import SavedGame, Strength
from quietmove.referee.process.launch import with_seed

USUAL_LIMIT = "movetime=5000"  # default limit of a search that no level limits
PATIENCE_MS = 10**9  # time margin and stall timeout with which this engine never loses on time


@dataclass(frozen=True, slots=True)
class Opponent:
    """An opponent's engine and strength.

    :param level: a level from :data:`quietmove.engine.levels.LEVELS`, or a higher number for full strength.
    :param limit: the limit per move, such as ``depth=8`` or ``movetime=2000``, or "" if only the level limits it.
    :param engine: the command of another engine, or "" for this one.
    :param settings: more KEY=VALUE arguments, as for ``quietmove-referee match``: ``option.Hash=64``.
    """

    level: int = FULL_STRENGTH
    limit: str = ""
    engine: str = ""
    settings: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """A description of the opponent for the player."""
        kind, _, value = self.limit.partition("=")
        limit = f"{int(value) / 1000:g} s a move" if kind == "movetime" else f"{kind} {value}"
        level = "" if self.level == FULL_STRENGTH else f", level {self.level}, {level_name(self.level)}"
        who = self.engine or f"Quietmove{level}"
        return f"{who}, {limit}" if self.limit else who

    @property
    def title(self) -> str:
        """The opponent's name in a saved game; for another engine, only the program's name."""
        return self.config(0).name if self.engine else self.words

    @property
    def strength(self) -> Strength | None:
        """The strength to record in a saved game, or None if the opponent is another engine."""
        return None if self.engine else Strength(level=self.level, limit=self.limit)

    @property
    def flags(self) -> list[str]:
        """The command-line flags that select this opponent again, or an empty list if it is this engine."""
        if not self.engine:
            return []
        kind, _, value = self.limit.partition("=")
        limit = ["--time", f"{int(value) / 1000:g}"] if kind == "movetime" else [f"--{kind}", value]
        settings = [word for each in self.settings for word in ("--engine-setting", each)]
        return ["--engine", self.engine, *(limit if self.limit else []), *settings]

    def config(self, seed: int) -> EngineConfig:
        """Return the opponent's configuration. If it is this engine, its random choices derive from ``seed``.

        :raises SetupError: if its command, limit or settings are invalid.
        """
        if self.engine:
            return parse_engine([f"cmd={self.engine}", self.limit or USUAL_LIMIT, *self.settings])
        config = player(
            limit=self.limit or (USUAL_LIMIT if self.level == FULL_STRENGTH else None),
            options={"Level": self.level, **dict(VARIED)},
            protocol="in-process",
            margin_ms=PATIENCE_MS,
            stall_timeout_ms=PATIENCE_MS,
        )
        return with_seed(config, seed)


def opponent_of(saved: SavedGame) -> Opponent | None:
    """Return the person's opponent in a saved game, or None if the file does not name one."""
    strength = saved.opponent
    return None if strength is None else Opponent(strength.level, strength.limit)
