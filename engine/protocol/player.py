"""The engine as an in-process player: text moves in, a text move out, without a subprocess."""

from __future__ import annotations

from collections.abc import Sequence

from quietmove.engine.protocol.lines import OptionLine, parse_option
from quietmove.engine.protocol.options import OPTIONS, apply_option, find_option
from quietmove.engine.session import Session
from quietmove.engine.values import Info, Limits, SearchResult


class Player:
    """A player of one game at a time. Only :meth:`stop` may be called from another thread.

    :param game: the game with its parameters.
    :raises UnknownGameError: if there is no such game.
    """

    def __init__(self, game: str) -> None:
        self._session = Session()
        apply_option(self._session, find_option("Game"), game)
        self._moves: tuple[str, ...] = ()
        self._start = ""

    def declared(self) -> list[OptionLine]:
        return [line for option in OPTIONS if (line := parse_option(option.declare()))]

    def set_option(self, name: str, value: str) -> None:
        """Set an engine option.

        :raises OptionError: if there is no such option, or it rejects the value.
        """
        apply_option(self._session, find_option(name), value)

    def new_game(self) -> None:
        """Start a new game."""
        self._session.new_game()
        self._moves, self._start = (), ""

    def follow(self, moves: Sequence[str], start: str = "") -> None:
        """Set up the position after ``moves``, given in the game's canonical notation.

        :param start: the starting position in the game's notation, or "" for the initial position.
        :raises GameError: if the position or a move is invalid.
        """
        if tuple(moves[: len(self._moves)]) != self._moves or start != self._start:
            game = self._session.game
            self._session.set_up(game.parse_position(start.split()) if start else game.initial())
            self._moves, self._start = (), start
        for text in moves[len(self._moves) :]:
            self._session.position.play(self._session.game.parse_move(self._session.position, text))
        self._moves = tuple(moves)

    def see(self, view: str) -> None:
        """Set up a view, the position as known to one player of a game with hidden cards.

        :raises GameError: if the view is invalid.
        """
        self._session.set_up(self._session.game.parse_position(view.split()))
        self._moves, self._start = (), view

    def is_short(self, limits: Limits) -> bool:
        """Return whether a search of the position takes less time than two thread switches."""
        return self._session.is_short(limits)

    def choose(self, limits: Limits) -> tuple[str, Info[str] | None]:
        """Search the position in the calling thread, and return the move and the last info line for it.

        :raises QuietmoveError: if there is no move to choose, or the search fails.
        """
        infos = list[Info[int]]()
        results = list[SearchResult]()
        errors = list[Exception]()
        self._session.go(limits, infos.append, results.append, errors.append, in_this_thread=True)
        if errors:
            raise errors[0]
        move = results[0].move
        assert move is not None
        best = next((info for info in reversed(infos) if info.rank == 1), None)
        spell = self._session.game.format_move
        return spell(move), None if best is None else best.at_the_end(results[0]).with_moves(spell)

    def stop(self) -> None:
        """Stop a running search as soon as possible; :meth:`choose` then returns the best move so far."""
        self._session.stop()
