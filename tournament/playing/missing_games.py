"""Play the games of a tournament that its store does not contain yet.

Games are handed to a pool, and their records return to the only thread that writes the store. It makes no difference
where they are played (:mod:`quietmove.tournament.playing.backends`): each request is a frozen
:class:`~quietmove.referee.config.model.GameSpec`, each reply a frozen
:class:`~quietmove.referee.game.record.GameRecord`.

Long games are stored move by move, so that they can continue after a run was stopped.
"""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from itertools import islice
from operator import attrgetter

from quietmove.referee.config.model import GameSpec, split_opening
from quietmove.referee.game.record import Clocks, GameRecord, MoveRecord, Observer
from quietmove.referee.match.running import Pool, RunningGames
from quietmove.referee.process.shortage import Notice, ignore_notice
from quietmove.referee.seats import get_seat
from quietmove.tournament.errors import ClusterError, StoreError, TournamentError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame, game_spec
from quietmove.tournament.store.store import Store

LONG_MS = 60_000  # moves are stored if an engine has more than a minute for MOVES_OF_ENGINE of them
MOVES_OF_ENGINE = 30  # approximate number of moves an engine makes in a game of Othello


def play_missing(
    store: Store,
    pool: Pool,
    notice: Notice = ignore_notice,
    stopping: threading.Event | None = None,
    observer: Callable[[ScheduledGame], Observer] | None = None,
    kept_above_ms: int = LONG_MS,
) -> Iterator[tuple[ScheduledGame, GameRecord]]:
    """Play the games that the format asks for and the store lacks; yield each once it has been stored.

    After every finished game the format is asked again, with all results so far. If the machine has no room for a game,
    it is played later, and ``notice`` reports the lower concurrency. Once ``stopping`` is set, running games are
    finished and no new ones are started. A long game continues after its stored moves.

    :param observer: a function that returns a game's observer; used only for games played in this process.
    :param kept_above_ms: the time for 30 moves above which a game is long; see :func:`is_long`.
    :raises TournamentError: if a game could not be played and no engine is at fault.
    :raises StoreError: if a game cannot be stored.
    :raises ClusterError: if the cluster's scheduler has stopped or cannot be reached.
    :raises ShortageError: if the machine has no room for a single game.
    :raises StartError: if one of two engines failed to start twice in one game.
    """
    plan = plan_of(store.tournament)
    results = store.results()
    begun = {result.number for result in results}
    games: RunningGames[ScheduledGame] = RunningGames(pool, notice, of_two=len(store.tournament.engines) == 2)
    while True:
        is_stopping = stopping is not None and stopping.is_set()
        if is_stopping:
            games.withdraw()
        startable = (game for game in plan.next_games(results) if game.number not in begun)
        for game in islice(startable, 0 if is_stopping else games.free):
            observers = [observer(game)] if observer else []
            _begin(games, store, game, observers, notice, kept_above_ms)
            begun.add(game.number)
        if not games:
            return
        for game, future in games.completed():
            if future is None:
                begun.remove(game.number)
                continue
            try:
                record = future.result()
            except CancelledError:  # the cluster has cancelled all games
                raise ClusterError("the cluster's scheduler has stopped or cannot be reached") from None
            except StoreError:  # a move could not be saved
                raise
            except Exception as error:
                what = f"game {game.number}, {game.id.black} - {game.id.white}"
                raise TournamentError(f"{what}, could not be played: {type(error).__name__}: {error}") from error
            insort(results, store.add(game, record), key=attrgetter("number"))
            yield game, record


def _begin(
    games: RunningGames[ScheduledGame],
    store: Store,
    game: ScheduledGame,
    observers: Sequence[Observer],
    notice: Notice,
    kept_above_ms: int,
) -> None:
    """Start a game. A long game continues after its stored moves, and its further moves are stored."""
    spec = game_spec(store.tournament, game)
    if not is_long(spec, kept_above_ms):
        games.begin(game, spec, observers)
        return
    played = store.saved_moves(game)
    known = len(split_opening(spec.opening)[1]) + len(played)
    if played:
        notice(f"game {game.number} continues after ply {known}, {played[-1].move}")
    games.begin(game, spec, [*observers, MoveKeeper(store, game.number, known)], played)


def is_long(spec: GameSpec, above_ms: int = LONG_MS) -> bool:
    """Return whether a game's moves should be stored: whether an engine has more than ``above_ms`` for 30 moves.

    A game without a time limit is never long, because a restarted engine has lost its table, and only playing the game
    again from the start gives the same game. Nor is a game with a player that cannot continue from a position.
    """
    players = spec.black, spec.white
    longest = max(player.limit.time_ms(MOVES_OF_ENGINE) or 0 for player in players)
    return longest > above_ms and not any(get_seat(player.protocol).whole_games for player in players)


class MoveKeeper(Observer):
    """An observer that writes each move of a game to the store."""

    def __init__(self, store: Store, number: int, known: int) -> None:
        """Create an observer that stores a game's moves after the first ``known`` plies, which are already stored."""
        self._store = store
        self._number = number
        self._known = known

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        if ply > self._known:
            self._store.keep(self._number, ply, move)
