"""What can be found wrong with an engine before the first game: the user's mistakes, as opposed to the engine's."""

from __future__ import annotations

import asyncio
import difflib
import shutil

from quietmove.referee.config import EngineConfig
from quietmove.referee.errors import ConfigError
from quietmove.referee.players.uci import UciPlayer

__all__ = ["check_engine"]


def check_engine(config: EngineConfig, game: str) -> None:
    """Look for the command, and try the options on the engine itself.

    An engine that fails at this passes: that is a verdict, and its games will show it.

    :raises ConfigError: if there is no such command, or the engine does not take an option.
    """
    if shutil.which(config.command[0]) is None:
        raise ConfigError(f"engine {config.name}: there is no program {config.command[0]!r}, or it may not be run")
    if config.protocol == "uci" and config.options:
        asyncio.run(_try_options(config, game))


async def _try_options(config: EngineConfig, game: str) -> None:
    player = UciPlayer(config, "black", game)
    try:
        if await player.start() is not None:
            return
    finally:
        await player.end()
    declared = {name.lower(): name for name in player.declared_options}
    for name, _ in config.options:
        if name.lower() not in declared:
            close = difflib.get_close_matches(name.lower(), declared, 1)
            hint = f"did you mean {declared[close[0]]}? " if close else ""
            names = ", ".join(declared.values()) or "none"
            raise ConfigError(f"engine {config.name}: it has no option {name!r}; {hint}its options: {names}")
    if player.complaints:
        raise ConfigError(f"engine {config.name}: {'; '.join(player.complaints)}")
