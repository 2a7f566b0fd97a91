"""External engines for scripts and notebooks: ask an engine process for moves, or play games between two engines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from quietmove.engine.api import Position, as_position
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError
from quietmove.referee.config.engine_args import parse_engine, read_table
from quietmove.referee.config.model import COLORS, Adjudication, Color, EngineConfig, GameSpec, TimeControl
from quietmove.referee.config.validation import spell_problem
from quietmove.referee.errors import SetupError
from quietmove.referee.game.clock import Clock
from quietmove.referee.game.host import play_game as play_spec
from quietmove.referee.game.record import GameRecord, Observer
from quietmove.referee.seats import Answer, Listener, Seat, Turn, check_game, create_seat, get_seat
from quietmove.referee.seats.base import leading_move
from quietmove.referee.seats.pool import objections

if TYPE_CHECKING:
    from quietmove.engine.games.othello.public_board import Board

__all__ = ["Adjudication", "EngineError", "EngineProcess", "Reply", "parse_engine", "play_game", "player"]

T = TypeVar("T")


class EngineError(QuietmoveError):
    """An engine failed to start, exited, did not reply in time, or replied with something other than a legal move."""


def player(
    command: str | Sequence[str] = "quietmove",
    *,
    name: str | None = None,
    limit: str = "depth=6",
    options: Mapping[str, object] | None = None,
    **settings: Any,
) -> EngineConfig:
    """Return an engine's configuration, for :class:`EngineProcess` and :func:`play_game`.

    :param command: the program with its arguments, as a list or quoted as for a shell; ``quietmove`` is this engine.
    :param name: the engine's name in results; by default the program's name.
    :param limit: ``nodes=N``, ``depth=N``, ``movetime=MILLISECONDS`` or ``tc=[MOVES/]SECONDS[+SECONDS]``.
    :param options: values of the engine's own options, by name.
    :param settings: more fields of :class:`~quietmove.referee.config.model.EngineConfig`, such as ``margin_ms`` or
        ``protocol`` (by default the one that the command names), and the seat's settings, such as ``coordinates``.
    :raises SetupError: if the engine cannot be used with these settings.
    """
    if isinstance(options, Mapping):
        options = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in options.items()}
    table = {"name": name, "command": command, "limit": limit, "options": options, **settings}
    config, mistakes = read_table({key: value for key, value in table.items() if value is not None}, {}, words=True)
    if mistakes or config is None:
        raise SetupError([spell_problem(("engine", *path), text) for path, text in mistakes])
    return config


@dataclass(frozen=True, slots=True)
class Reply:
    """An engine's reply.

    :param move: a legal move, or ``resign``.
    :param milliseconds: the time from the request to the reply.
    :param score: the engine's own evaluation in hundredths of a point, from the side to move's point of view, or None
        if it reports none. ``depth`` and ``nodes`` are also as reported by the engine.
    """

    move: str
    milliseconds: float
    score: int | None
    depth: int | None
    nodes: int | None


class EngineProcess:
    """An engine running in its own process. As a context manager, it ends the process on exit.

    :ivar whole_games: whether the engine can play only whole games. Such an engine must be asked for each of its moves
        in turn, including forced passes. Its process is started at its first move in each game.
    :param config: the result of :func:`player`.
    :param game: the game to play, with its parameters.
    :raises EngineError: if the engine fails to start.
    :raises SetupError: if the program does not exist, cannot play this game, or does not accept an option.
    """

    def __init__(self, config: EngineConfig, game: str = "othello") -> None:
        require_player("config", config)
        self._config = config
        self._game = Position(game).game
        seat = get_seat(config.protocol)
        if refused := [f"engine {config.name}: {text}" for text in seat.game_problems(self._game, ())]:
            raise SetupError(refused)
        require_playable([config], game)
        self.whole_games = seat.whole_games
        self._known: tuple[str, ...] = ()  # the moves up to the engine's last reply
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="engine", daemon=True)
        self._thread.start()
        self._seat: Seat | None = None
        if not self.whole_games:
            self._start("black", config)

    def play(self, position: Position | Board, limit: str | None = None, *, stops_at_interrupt: bool = False) -> Reply:
        """Request a move and return the engine's reply.

        :param limit: the thinking limit, in the format of :func:`player`; by default the player's limit.
        :param stops_at_interrupt: whether Ctrl-C stops the search, so that its best move so far is returned.
        :raises EngineError: if the engine does not reply with a legal move; its process must then be closed.
        :raises GameError: if there is no move to choose, or the position belongs to another game.
        """
        position = as_position(position)
        if not self._thread.is_alive():
            raise EngineError(f"engine {self._config.name}: already closed")
        if position.game != self._game:
            raise GameError(f"engine {self._config.name}: plays {self._game}, not {position.game}")
        if not (legal := position.legal_moves) or position.turn == "nature":
            raise GameError("position: there is no move to choose")
        control = self._config.limit if limit is None else TimeControl.parse(limit)
        clocks = {color: Clock(control, self._config.margin_ms) for color in COLORS}
        color = COLORS[position.turn != position.players[0]]
        if self.whole_games:
            self._follow(position, color, control)
        seat = self._seat
        assert seat is not None, "the engine was started"
        seat.config = replace(self._config, limit=control)
        seat.color = color
        turn = Turn(position.moves, clocks, position.known_to_the_side_to_move())
        answer = self._wait(seat.think(turn), seat.stop if stops_at_interrupt else None)
        try:
            move = "resign" if seat.resigns(answer) else leading_move(answer.move or "", position.read)[0]
        except GameError:
            raise EngineError(f"engine {self._config.name} {self._complaint(answer, legal)}") from None
        self._known = (*position.moves, move)
        claim = answer.claim
        claims = (None, None, None) if claim is None else (claim.score.value, claim.depth or None, claim.nodes)
        return Reply(move, answer.elapsed_ms, *claims)

    def close(self) -> None:
        """End the process. Can be called more than once."""
        if self._thread.is_alive():
            self._end()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _start(self, color: Color, config: EngineConfig) -> None:
        """Start the process; if the engine fails to start, leave no process running and raise an EngineError."""
        self._seat = create_seat(config, self._game)
        try:
            failure = self._wait(self._seat.start(color, Listener()))
        except BaseException:
            self.close()
            raise
        if failure is not None:
            self.close()
            raise EngineError(f"engine {self._config.name} {failure.detail}")

    def _follow(self, position: Position, color: Color, control: TimeControl) -> None:
        """Follow a whole game: start the engine at its first move, and check at later moves that none was skipped.

        An engine that plays whole games receives its limit only once, when it is started.

        :raises GameError: if a move was skipped, or the position does not continue a game from its start.
        """
        moves = position.moves
        from_start = position.known_to_the_side_to_move() is None
        if from_start and len(moves) == COLORS.index(color):
            self._end()
            self._start(color, replace(self._config, limit=control))
        elif not from_start or not moves or moves[:-1] != self._known:
            raise GameError(
                f"engine {self._config.name}: protocol={self._config.protocol} plays whole games only, so it must be "
                f"asked for each of its moves in turn, not for one after {' '.join(moves) or 'no move'}"
            )

    def _end(self) -> None:
        seat, self._seat = self._seat, None
        if seat is not None:
            self._wait(seat.end())

    def _complaint(self, answer: Answer, legal: list[str]) -> str:
        assert self._seat is not None
        if answer.line is None:
            ended = self._wait(self._seat.has_left(0.1))
            return self._wait(self._seat.describe_end()) if ended else f"did not answer in {answer.elapsed_ms:.0f} ms"
        return f"answered {answer.line!r}; legal: {' '.join(legal)}"

    def _wait(self, work: Coroutine[Any, Any, T], stop: Callable[[], None] | None = None) -> T:
        """Run ``work`` and return its result. On an interrupt, cancel ``work``, wait for its end and re-raise.

        :param stop: called at the first interrupt instead of cancelling, so that ``work`` can end by itself.
        """
        task: list[asyncio.Task[T]] = []

        async def run() -> T:
            task.append(asyncio.ensure_future(work))
            return await task[0]

        async def cancel() -> None:
            for each in task:  # empty if the interrupt came before the work was submitted
                each.cancel()
            await asyncio.gather(*task, return_exceptions=True)

        try:
            done = asyncio.run_coroutine_threadsafe(run(), self._loop)
            try:
                return done.result()
            except KeyboardInterrupt:
                if stop is None:
                    raise
                self._loop.call_soon_threadsafe(stop)
                return done.result()
        except KeyboardInterrupt:
            asyncio.run_coroutine_threadsafe(cancel(), self._loop).result()
            raise

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()


def play_game(
    black: EngineConfig,
    white: EngineConfig,
    *,
    game: str = "othello",
    opening: str = "",
    seed: int = 0,
    keep_dialogue: bool = False,
    adjudication: Adjudication | None = None,
    observer: Observer | None = None,
) -> GameRecord:
    """Play a game between two engines and return its record. An engine's fault becomes a verdict, not an exception.

    :param opening: moves to make before the engines start, in any notation of the game.
    :param seed: the seed of the referee's dice and deals.
    :param adjudication: the rules by which the referee ends a game early; by default none.
    :param observer: an object whose methods are called for each event of the game.
    :raises UnknownGameError, NotationError, IllegalMoveError, SetupError: if the game cannot be played.
    """
    require_player("black", black)
    require_player("white", white)
    moves = Position(game, moves=opening).moves
    name = Position(game).game
    rules = adjudication or Adjudication()
    spec = GameSpec(name, moves, black, white, keep_dialogue=keep_dialogue, seed=seed, adjudication=rules)
    check_game(spec)
    require_playable([black, white], spec.game)
    return play_spec(spec, observer)


def require_player(name: str, value: object) -> None:
    """Check that ``value`` is an engine's configuration from :func:`player`, and not, say, a command.

    :raises SetupError: if it is not.
    """
    if not isinstance(value, EngineConfig):
        raise SetupError(f"{name}: must be a result of quietmove.player, not {value!r}")


def require_playable(engines: Sequence[EngineConfig], game: str) -> None:
    """Check that the engines exist, play this game and accept their options.

    :raises SetupError: with every problem found.
    """
    if problems := [each.text for each in objections(engines, game)]:
        raise SetupError(problems)
