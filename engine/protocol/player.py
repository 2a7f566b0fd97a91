"""The engine as a player in this process: moves in and a move out, as texts, without a dialogue and its process."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.protocol.lines import GoLine, InfoLine
from quietmove.engine.protocol.options import OPTIONS, apply_option, find_option
from quietmove.engine.protocol.uci import to_limits
from quietmove.engine.session import Session
from quietmove.engine.values import Info, Limits, SearchResult


class Player:
    """One game at a time, one question at a time; only :meth:`stop` is for another thread.

    :param game: the game with its parameters.
    :raises UnknownGameError: if there is no such game.
    """

    def __init__(self, game: str) -> None:
        self._session = Session()
        apply_option(self._session, find_option("Game"), game)
        self._moves: tuple[str, ...] = ()
        self._start = ""

    def declared(self) -> list[str]:
        return [option.declare() for option in OPTIONS]

    def set_option(self, name: str, value: str) -> None:
        """Set one of the engine's options.

        :raises OptionError: if there is no such option, or it does not take this value.
        """
        apply_option(self._session, find_option(name), value)

    def new_game(self) -> None:
        """Forget the last game."""
        self._session.new_game()
        self._moves, self._start = (), ""

    def follow(self, moves: Sequence[str], start: str = "") -> None:
        """Go to the position after ``moves``, which are the game's own texts.

        :param start: where the game began, as the game writes it; empty for the game's initial position.
        :raises GameError: if there is no such position, or a move is not legal.
        """
        if tuple(moves[: len(self._moves)]) != self._moves or start != self._start:
            game = self._session.game
            self._session.set_up(game.parse_position(start.split()) if start else game.initial())
            self._moves, self._start = (), start
        for text in moves[len(self._moves) :]:
            self._session.position.play(self._session.game.parse_move(self._session.position, text))
        self._moves = tuple(moves)

    def see(self, view: str) -> None:
        """Go to the position that a player of a game with hidden cards knows as ``view``.

        :raises GameError: if there is no such position.
        """
        self._session.set_up(self._session.game.parse_position(view.split()))
        self._moves, self._start = (), view

    def is_short(self, limits: GoLine) -> bool:
        """Tell whether a search of the position takes less time than the way to another thread and back."""
        return self._session.is_short(self._limits_of(limits))

    def choose(self, limits: GoLine) -> tuple[str, InfoLine | None]:
        """Search the position in the thread of the caller; return the move and the last report of its line.

        :raises QuietmoveError: if there is nothing to choose, or the search cannot be carried out so.
        """
        infos, results, errors = list[Info](), list[SearchResult](), list[Exception]()
        asked = self._limits_of(limits)
        self._session.go(asked, infos.append, results.append, errors.append, in_this_thread=True)
        if errors:
            raise errors[0]
        move = results[0].move
        assert move is not None
        best = next((info for info in reversed(infos) if info.multipv == 1), None)
        claim = None
        if best is not None:
            claim = InfoLine(depth=best.depth, score=best.score.value, bound=best.score.bound, nodes=best.nodes)
        return self._session.game.format_move(move), claim

    def _limits_of(self, limits: GoLine) -> Limits:
        return to_limits(limits, self._session.position.side_to_move)[0]

    def stop(self) -> None:
        """End a search that runs as soon as possible; :meth:`choose` then returns what it has found."""
        self._session.stop()
