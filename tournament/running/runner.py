"""Plays the games of a tournament that its store does not hold yet.

Games go through a :class:`concurrent.futures.Executor`, and their records come back to the one thread that writes the
store. Where they are played (:mod:`quietmove.tournament.running.places`) makes no difference here: what is sent is a
frozen :class:`~quietmove.referee.config.model.GameSpec`, what comes back a frozen
:class:`~quietmove.referee.game.record.GameRecord`.
"""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from itertools import islice
from operator import attrgetter

from quietmove.referee.config.model import GameSpec, split_opening
from quietmove.referee.game.observer import Observer
from quietmove.referee.game.record import GameRecord
from quietmove.referee.match.running import Pool, RunningGames
from quietmove.referee.process.launch import with_seed
from quietmove.referee.process.shortage import Notice, ignore_notice
from quietmove.referee.seats.preflight import Ask, objections
from quietmove.tournament.config.definition import Tournament
from quietmove.tournament.errors import ClusterError, StoreError, TournamentError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import ScheduledGame, pair_seed
from quietmove.tournament.running.unfinished import LONG_MS, MoveKeeper, is_long
from quietmove.tournament.store.store import Store

__all__ = ["Pool", "check_engines", "game_spec", "is_over", "play_on"]


def play_on(
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

    :param observer: returns who is told the events of a game, where games are played in this process.
    :param kept_above_ms: which games are long, as :func:`~quietmove.tournament.running.unfinished.is_long` says.
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
        startable = (game for game in plan.next_games(results) if game.number not in begun)
        for game in islice(startable, 0 if is_stopping else games.free):
            observers = [observer(game)] if observer else []
            _begin(games, store, game, observers, notice, kept_above_ms)
            begun.add(game.number)
        if not games:
            return
        for game, future in games.ended():
            if future is None:
                begun.remove(game.number)
                continue
            record = _record(game, future)
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
    played = store.kept_moves(game)
    known = len(split_opening(spec.opening)[1]) + len(played)
    if played:
        notice(f"game {game.number} goes on after ply {known}, {played[-1].move}")
    games.begin(game, spec, [*observers, MoveKeeper(store, game.number, known)], played)


def is_over(store: Store) -> bool:
    """Tell whether no game is missing."""
    results = store.results()
    played = {result.number for result in results}
    return all(game.number in played for game in plan_of(store.tournament).next_games(results))


def game_spec(tournament: Tournament, game: ScheduledGame) -> GameSpec:
    """Return what the referee is asked to play."""
    engines = {engine.name: engine for engine in tournament.engines}
    for name, options in game.options:
        engines[name] = replace(engines[name], options=tuple({**dict(engines[name].options), **dict(options)}.items()))
    return GameSpec(
        game=tournament.game,
        opening=game.opening,
        black=with_seed(engines[game.id.black], game.seed),
        white=with_seed(engines[game.id.white], game.seed),
        keep_dialogue=tournament.keep_dialogue,
        seed=pair_seed(tournament, game.id),
        adjudication=tournament.adjudication,
    )


def check_engines(tournament: Tournament, ask: Ask) -> None:
    """Refuse engines that do not exist or refuse their options, which would lose every game.

    :param ask: asks them where they play.
    :raises TournamentError: with everything that is wrong.
    """
    found = objections(tournament.engines, tournament.game, ask)
    if found:
        raise TournamentError(objection.text for objection in found)


def _record(game: ScheduledGame, future: Future[GameRecord]) -> GameRecord:
    try:
        return future.result()
    except CancelledError:  # all games of the cluster are
        raise ClusterError("the scheduler of the cluster is gone") from None
    except StoreError:  # a move could not be kept
        raise
    except Exception as error:
        what = f"game {game.number}, {game.id.black} - {game.id.white}"
        raise TournamentError(f"{what}, could not be played: {type(error).__name__}: {error}") from error
