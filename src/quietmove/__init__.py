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
    from quietmove.engine.common.errors import ArgumentError, QuietmoveError
    from quietmove.engine.errors import *
    from quietmove.engine.games.othello.public_board import Board
    from quietmove.engine.limit import Limit
    from quietmove.engine.values import SCORE_WIN, Info, Score
    from quietmove.referee.api import AsyncEngine, Engine, Reply, play_game, player
    from quietmove.referee.config.model import Adjudication, EngineConfig
    from quietmove.referee.errors import *
    from quietmove.referee.game.game_files import GameFile, read_games, write_games
    from quietmove.referee.game.record import GameRecord, Observer
    from quietmove.referee.game.transcript import MoveRecord, Transcript, read_transcript
    from quietmove.tournament.api import Table, Tournament
    from quietmove.tournament.errors import *

__version__ = VERSION
# fmt: off
__all__ = [
    "SCORE_WIN", "Adjudication", "Analysis", "ArgumentError", "AsyncEngine", "Board", "BookError", "BusyError",
    "ConfigFileError", "DatabaseError", "Engine", "EngineConfig", "EngineError", "GameError", "GameFile",
    "GameFileError", "GameInterruptedError", "GameRecord", "IllegalMoveError", "Info", "Limit", "LimitsError",
    "MissingStoreError", "MoveRecord", "NotationError", "Observer", "OptionError", "OutputError", "PauseError",
    "Position", "PositionError", "QuietmoveError", "RefereeError", "Reply", "Score", "SetupError", "ShortageError",
    "StartError", "StoreError", "SuiteError", "Table", "ThreadError", "Tournament", "TournamentError", "TrainingError",
    "Transcript", "UnknownFormatError", "UnknownGameError", "WeightsError", "WorkerError", "__version__", "analyse",
    "games", "play_game", "player", "read_games", "read_transcript", "write_games",
]
# fmt: on
MODULES = {  # the names that each module provides
    "engine.api": "Analysis Position analyse games",
    "engine.common.errors": "ArgumentError QuietmoveError",
    "engine.errors": "BookError BusyError DatabaseError GameError GameFileError IllegalMoveError LimitsError "
    "NotationError OptionError OutputError PositionError SuiteError ThreadError TrainingError UnknownGameError "
    "WeightsError WorkerError",
    "engine.games.othello.public_board": "Board",
    "engine.limit": "Limit",
    "engine.values": "SCORE_WIN Info Score",
    "referee.api": "AsyncEngine Engine Reply play_game player",
    "referee.config.model": "Adjudication EngineConfig",
    "referee.errors": "EngineError GameInterruptedError PauseError RefereeError SetupError ShortageError StartError",
    "referee.game.game_files": "GameFile read_games write_games",
    "referee.game.record": "GameRecord Observer",
    "referee.game.transcript": "MoveRecord Transcript read_transcript",
    "tournament.api": "Table Tournament",
    "tournament.errors": "ConfigFileError MissingStoreError StoreError TournamentError UnknownFormatError",
}


def __getattr__(name: str) -> Any:
    """Import the scripting interface on first use, so that commands start quickly."""
    from importlib import import_module

    from quietmove.engine.common.addons import load, load_added

    for module, names in MODULES.items():
        if name in names.split():
            return load(f"quietmove.{module}:{name}")
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
    return sorted([*__all__, *_added_names()])


def _added_names() -> dict[str, str]:
    """Return the location of each name that add-ons export here."""
    from quietmove.engine.common.addons import added

    return added("names", core=dict.fromkeys(__all__))
