"""The search for better values of an engine's options, as a tournament of the engine against itself."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quietmove.referee.config.model import OWN_ENGINE
from quietmove.tournament.comparing.comparison import DEFAULT_LIMIT, opening_key
from quietmove.tournament.config.config import read_tournament
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.statistics.spsa import read_parameters

__all__ = ["Search"]

FORMAT = "spsa"
PAIRS_AT_ONCE = 8  # enough for 16 processors
FEW = 25  # one of so many is few
SIDES = ("up", "down")  # the names of the two engines


@dataclass(frozen=True, slots=True)
class Search:
    """What is tuned, and how long.

    :param options: of the engine, ``NAME=START:LEAST:MOST[:STEP]`` each.
    :param rate: as format spsa has it; ``None`` for its default.
    :param limit: as a configuration has it; ``None`` for :data:`DEFAULT_LIMIT`.
    :param openings: a file; ``None`` for random openings.
    :param pairs_at_once: as format spsa has it; ``None`` for up to :data:`PAIRS_AT_ONCE`, and few beside all pairs.
    :param settings: overrides of any key of a configuration.
    """

    options: Sequence[str]
    pairs: int
    rate: float | None = None
    command: str = OWN_ENGINE
    limit: str | None = None
    game: str = "othello"
    openings: Path | None = None
    seed: int = 1
    settings: Sequence[str] = ()
    pairs_at_once: int | None = None

    def tournament(self) -> Tournament:
        """Return the tournament; its engines are asked whether they take the values to begin with.

        :raises TournamentError: with everything that is wrong.
        """
        try:
            parameters = read_parameters(", ".join(self.options))
            command = shlex.split(self.command)
        except (TournamentError, ValueError) as error:
            raise TournamentError(f"tune: {error}") from None
        defaults = {
            "command": command,
            "limit": self.limit or DEFAULT_LIMIT,
            "options": {each.name: each.start for each in parameters},
        }
        data = {
            "name": f"tune {' '.join(each.name for each in parameters)}",
            "game": self.game,
            "format": FORMAT,
            "seed": self.seed,
            "parameters": ", ".join(self.options),
            "pairs": self.pairs,
            "pairs_at_once": self.pairs_at_once or max(1, min(PAIRS_AT_ONCE, self.pairs // FEW)),
            "defaults": defaults,
            "engine": [{"name": name} for name in SIDES],
        }
        data |= {} if self.rate is None else {"rate": self.rate}
        return read_tournament(data | opening_key(self.game, self.openings, self.settings), self.settings)
