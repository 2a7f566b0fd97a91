"""Plays the games of a tournament that its store does not hold yet.

Games are handed to a pool, and their records come back to the one thread that writes the store. Where they are played
(:mod:`quietmove.tournament.playing.backends`) makes no difference here: what is sent is a frozen
:class:`~quietmove.referee.config.model.GameSpec`, what comes back a frozen
:class:`~quietmove.referee.game.record.GameRecord`.

Long games are kept in the store move by move, so that they go on where they stood when a run was stopped.
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

LONG_MS = 60_000  # the moves of a game are kept if an engine has more than a minute for MOVES_OF_ENGINE of them
MOVES_OF_ENGINE = 30  # about as many moves as an engine makes in a game of Othello


def play_missing(
    store: Store,
    pool: Pool,
    notice: Notice = ignore_notice,
    stopping: threading.Event | None = None,
    observer: Callable[[ScheduledGame], Observer] | None = None,
    kept_above_ms: int = LONG_MS,
) -> Iterator[tuple[ScheduledGame, GameRecord]]:
    """Play the games that the format asks for and the store does not hold; yield each when it has been stored.

    The format is asked again after every finished game, with all results so far. A game for which the machine has no
    room is played later, and ``notice`` is told that fewer are played at once. Once ``stopping`` is set, the games that
    run are played to their end. A long game goes on after the moves that the store has kept of it.

    :param observer: a function that returns the observer of a game; it is used where games are played in this process.
    :param kept_above_ms: the time for 30 moves above which a game is long; see :func:`is_long`.
    :raises TournamentError: if a game could not be played for a reason that is no engine's fault.
    :raises StoreError: if a game cannot be stored.
    :raises ClusterError: if the other machines are gone.
    :raises ShortageError: if the machine has no room for a single game.
    :raises StartError: if one of two engines did not start, twice in one game.
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
            except CancelledError:  # all games of the cluster are cancelled then
                raise ClusterError("the scheduler of the cluster is gone") from None
            except StoreError:  # a move could not be kept
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
    """Begin a game; a long one after the moves that are kept of it, and from then on its moves are kept."""
    spec = game_spec(store.tournament, game)
    if not is_long(spec, kept_above_ms):
        games.begin(game, spec, observers)
        return
    played = store.saved_moves(game)
    known = len(split_opening(spec.opening)[1]) + len(played)
    if played:
        notice(f"game {game.number} goes on after ply {known}, {played[-1].move}")
    games.begin(game, spec, [*observers, MoveKeeper(store, game.number, known)], played)


def is_long(spec: GameSpec, above_ms: int = LONG_MS) -> bool:
    """Tell whether the moves of a game are kept: one of its engines has more than ``above_ms`` for 30 moves.

    A game without a time limit is not long: it comes out the same only from its beginning, for an engine that is
    started anew has lost its table. Nor is one with a player that cannot be set into the middle of a game.
    """
    players = spec.black, spec.white
    longest = max(player.limit.time_ms(MOVES_OF_ENGINE) or 0 for player in players)
    return longest > above_ms and not any(get_seat(player.protocol).whole_games for player in players)


class MoveKeeper(Observer):
    """Writes each move of a game into the store."""

    def __init__(self, store: Store, number: int, known: int) -> None:
        """Keep the moves after the first ``known`` plies of the game with this number."""
        self._store = store
        self._number = number
        self._known = known

    def move_made(self, ply: int, move: MoveRecord, clocks: Clocks) -> None:
        if ply > self._known:
            self._store.keep(self._number, ply, move)
