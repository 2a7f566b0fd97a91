"""A tournament as one frozen value, and that value as JSON. Whoever reads a store needs this alone, and no TOML."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from quietmove.referee.config.adjudication import Adjudication
from quietmove.referee.config.config import EngineConfig
from quietmove.referee.config.settings import SettingValue

__all__ = ["DEFAULT_FORMAT", "Tournament"]

DEFAULT_FORMAT = "round-robin"


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is to be played; all of it, so that a store that holds this value needs no other file.

    :param name: part of the identity of every game.
    :param openings: as :mod:`quietmove.referee.config.openings` reads them; they are checked.
    :param openings_order: ``random`` or ``sequential``, in which order a pair of engines meets over them.
    :param format: the name of the format, which decides who meets whom.
    :param settings: names and values of the format's own settings.
    :param concurrency: games played at once, unless the command line says otherwise; ``None`` for what the place of the
        games says: one per processor, or per thread of a cluster's workers.
    :param keep_dialogue: store what was said with every game.
    :param adjudication: when the referee ends a game before the board does.
    """

    name: str
    game: str
    seed: int
    openings: tuple[tuple[str, ...], ...]
    engines: tuple[EngineConfig, ...]
    format: str = DEFAULT_FORMAT
    settings: tuple[tuple[str, SettingValue], ...] = ()
    concurrency: int | None = None
    keep_dialogue: bool = False
    adjudication: Adjudication = field(default_factory=Adjudication)
    openings_order: str = "random"

    @property
    def names(self) -> tuple[str, ...]:
        """The engines' names, in the order of the configuration."""
        return tuple(engine.name for engine in self.engines)

    def in_sandboxes(self) -> Tournament:
        """Return the same tournament with every engine in a sandbox."""
        return replace(self, engines=tuple(replace(engine, sandbox=True) for engine in self.engines))

    def to_json(self) -> str:
        """Return the value as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Tournament:
        """Return the value that :meth:`to_json` wrote; keys that are no field are ignored.

        The types of the fields are not looked at: :mod:`quietmove.tournament.store.stored_values` checks them.
        """
        data = json.loads(text)
        known = {each.name: _as_tuples(data[each.name]) for each in fields(cls) if each.name in data}
        known["engines"] = tuple(map(EngineConfig.from_dict, data["engines"]))
        known["adjudication"] = Adjudication.from_dict(data.get("adjudication", {}))
        return cls(**known)


def _as_tuples(value: Any) -> Any:
    """Return a value of JSON with tuples for its lists."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
