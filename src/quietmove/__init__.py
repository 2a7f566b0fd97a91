"""Quietmove: an Othello engine with a line protocol, a referee that judges its games and a tournament that rates it.

The three parts are :mod:`quietmove.engine`, :mod:`quietmove.referee` and :mod:`quietmove.tournament`. In a checkout
they are the folders with these names at the top level; here they are symbolic links.

This package exports the interface for scripts and notebooks, from :mod:`quietmove.engine.api` and
:mod:`quietmove.referee.api`, and the names that add-ons register:
>>> import quietmove
>>> position = quietmove.Position("othello", moves="f5 d6")
>>> quietmove.analyse(position, quietmove.Limit(depth=4)).best_move in position.legal_moves
True
"""

from __future__ import annotations

import os
import sys

from quietmove.engine.common import VERSION

if os.path.exists(f"{__path__[0]}/../../scripts/build_backend.py"):  # noqa: PTH110 (pathlib would slow the start)
    from quietmove.engine.common.stale import StaleFinder

    sys.meta_path.insert(0, StaleFinder)

TYPE_CHECKING = False  # importing typing would double the start-up time, during which Ctrl-C prints a traceback
if TYPE_CHECKING:
    from typing import Any

    from quietmove import environments as environments
    from quietmove.engine.api import Analysis, Position, analyse, games
    from quietmove.engine.common.errors import ArgumentError as ArgumentError
    from quietmove.engine.common.errors import QuietmoveError
    from quietmove.engine.errors import (
        BookError as BookError,
    )
    from quietmove.engine.errors import (
        BusyError as BusyError,
    )
    from quietmove.engine.errors import (
        DatabaseError as DatabaseError,
    )
    from quietmove.engine.errors import (
        GameError as GameError,
    )
    from quietmove.engine.errors import (
        GameFileError as GameFileError,
    )
    from quietmove.engine.errors import (
        IllegalMoveError as IllegalMoveError,
    )
    from quietmove.engine.errors import (
        LimitsError as LimitsError,
    )
    from quietmove.engine.errors import (
        NotationError as NotationError,
    )
    from quietmove.engine.errors import (
        OptionError as OptionError,
    )
    from quietmove.engine.errors import (
        OutputError as OutputError,
    )
    from quietmove.engine.errors import (
        PositionError as PositionError,
    )
    from quietmove.engine.errors import (
        SuiteError as SuiteError,
    )
    from quietmove.engine.errors import (
        ThreadError as ThreadError,
    )
    from quietmove.engine.errors import (
        TrainingError as TrainingError,
    )
    from quietmove.engine.errors import (
        UnknownGameError as UnknownGameError,
    )
    from quietmove.engine.errors import (
        WeightsError as WeightsError,
    )
    from quietmove.engine.errors import (
        WorkerError as WorkerError,
    )
    from quietmove.engine.games.othello.public_board import Board
    from quietmove.engine.limit import Limit
    from quietmove.engine.values import SCORE_WIN, Info, Score
    from quietmove.referee.api import AsyncEngine, Engine, Reply, play_game, player
    from quietmove.referee.config.model import Adjudication, EngineConfig
    from quietmove.referee.errors import (
        EngineError as EngineError,
    )
    from quietmove.referee.errors import (
        GameInterruptedError as GameInterruptedError,
    )
    from quietmove.referee.errors import (
        PauseError as PauseError,
    )
    from quietmove.referee.errors import (
        RefereeError as RefereeError,
    )
    from quietmove.referee.errors import (
        SetupError as SetupError,
    )
    from quietmove.referee.errors import (
        ShortageError as ShortageError,
    )
    from quietmove.referee.errors import (
        StartError as StartError,
    )
    from quietmove.referee.game.game_files import GameFile, read_games, write_games
    from quietmove.referee.game.record import GameRecord, Observer
    from quietmove.referee.game.transcript import MoveRecord, Transcript, read_transcript
    from quietmove.tournament.api import Table, Tournament
    from quietmove.tournament.errors import (
        ConfigFileError as ConfigFileError,
    )
    from quietmove.tournament.errors import (
        MissingStoreError as MissingStoreError,
    )
    from quietmove.tournament.errors import (
        StoreError as StoreError,
    )
    from quietmove.tournament.errors import (
        TournamentError as TournamentError,
    )
    from quietmove.tournament.errors import (
        UnknownFormatError as UnknownFormatError,
    )

__version__ = VERSION
__all__ = [
    "SCORE_WIN",
    "Adjudication",
    "Analysis",
    "AsyncEngine",
    "Board",
    "Engine",
    "EngineConfig",
    "GameFile",
    "GameRecord",
    "Info",
    "Limit",
    "MoveRecord",
    "Observer",
    "Position",
    "QuietmoveError",
    "Reply",
    "Score",
    "Table",
    "Tournament",
    "Transcript",
    "__version__",
    "analyse",
    "games",
    "play_game",
    "player",
    "read_games",
    "read_transcript",
    "write_games",
]
MODULES = {  # the names that each module provides
    "engine.api": "Analysis Position analyse games",
    "engine.games.othello.public_board": "Board",
    "engine.limit": "Limit",
    "engine.values": "SCORE_WIN Info Score",
    "referee.api": "AsyncEngine Engine Reply play_game player",
    "referee.config.model": "Adjudication EngineConfig",
    "referee.game.game_files": "GameFile read_games write_games",
    "referee.game.record": "GameRecord Observer",
    "referee.game.transcript": "MoveRecord Transcript read_transcript",
    "tournament.api": "Table Tournament",
}
ERRORS = ("engine.common.errors", "engine.errors", "referee.errors", "tournament.errors")  # all exceptions


def __getattr__(name: str) -> Any:
    """Import the scripting interface on first use, so that commands start quickly."""
    from importlib import import_module

    from quietmove.engine.common.addons import load_added

    modules = [module for module, names in MODULES.items() if name in names.split()]
    for module in ERRORS if name.endswith("Error") else modules:
        if hasattr(provider := import_module(f"quietmove.{module}"), name):
            return getattr(provider, name)
    if name == "environments":  # a package with optional requirements, which programs without it do not load
        return import_module("quietmove.environments")
    if name.startswith("__"):  # tools ask every module for names such as __path__ and __wrapped__
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if location := _added_names().get(name):
        return load_added(location)
    from quietmove.engine.common.text import did_you_mean

    hint = did_you_mean(name, __dir__())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    from importlib import import_module

    errors = {name for module in ERRORS for name in dir(import_module(f"quietmove.{module}")) if name.endswith("Error")}
    return sorted({*__all__, *errors, *_added_names()})


def _added_names() -> dict[str, str]:
    """Return the location of each name that add-ons export here."""
    from quietmove.engine.common.addons import added

    return added("names", core=dict.fromkeys(__all__))
