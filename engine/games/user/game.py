"""Games written by users in plain Python: their interface, and the adapter that makes them work like built-in games.

A game is a class without a base class, registered as an entry point in the group ``quietmove.games``. A state is any
immutable value; a move is an integer from 0 to 65535. The players alternate; if passing is allowed, a pass must be
listed as a move.

========================  ==============================================================================================
``start()``               the initial state
``moves(state)``          the legal moves, at most 512, best guess first; empty if the game is over
``play(state, move)``     the state after a legal move
``result(state)``         the result of a finished game for the first player: 1, 0 or -1 (win, draw, loss), or points
------------------------  ----------------------------------------------------------------------------------------------
``evaluate(state)``       optional: an estimate in points, from the first player's point of view
``name(move)``            optional: a move as text without spaces; default: its number
``side(state)``           optional: the side to move, 0 or 1; without it, a position's text ends with X or O
``remaining(state)``      optional: an upper bound on the number of remaining moves, at which a search can stop
``write(state)``          optional: a state as text; default: its Python representation
``read(text)``            required with ``write``: the state for a text; raises ValueError if it is invalid
``squares(state)``        optional: the rows of a board, each a string with a letter of ``sides`` for each piece and
                          ``-`` for empty squares; it enables pictures with the last move and the legal moves
``squares_of(state, move)``
                          optional, with ``squares``: the squares of a legal move, row by row from 0: ``(target,)`` for
                          a piece placed, ``(origin, target)`` for a piece moved, ``()`` for neither; it lets people
                          play on the board in ``quietmove-referee serve``
``labels``                optional attribute, with ``squares``: the column names, and the row names from the top, as
                          used in moves; default: ``a``, ``b`` ... and 1, 2 ...
``draw(state)``           optional: a text drawing of the board; default: the squares, or the text of ``write``
``move_count``            optional attribute: an upper bound on all moves, the number of actions for learning programs;
                          default: 65536
``key(state)``            optional: an integer that differs for different states, faster to compute than the text
``point``                 optional attribute: the name of a point, for games that count points
``rules``                 optional attribute: a paragraph that explains how to play the game
``players``, ``sides``    optional attributes: names (``Black``, ``White``) and letters (``X``, ``O``) of the players
========================  ==============================================================================================

Parameters after the game's name (``Game`` value ``hexapawn 4``) are passed to the class as one string.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from quietmove.engine.common.addons import load
from quietmove.engine.errors import GameError, IllegalMoveError, NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.rules import Rules
from quietmove.engine.games.user.position import State, UserPosition
from quietmove.engine.games.user.source import GameFile, place_of, source_of
from quietmove.engine.move_text import PASSES

MAX_COLUMNS = 26  # one letter per column
MAX_LABEL = 3  # maximum length of the name of a column or row
REQUIRED = ("start", "moves", "play", "result")


class UserGame(Game):
    """An adapter that makes a user's object a :class:`Game`.

    :param name: its name in :func:`quietmove.engine.games.registry.get_game`, including parameters.
    :param rules: the user's object.
    """

    def __init__(self, name: str, rules: Any) -> None:
        """Read and check the attributes of the user's object.

        :raises GameError: if one of them is invalid.
        """
        self._rules = rules
        self.name = name
        self.rules = Rules(text=self._attribute("rules", "", lambda text: isinstance(text, str), "a string"))
        self.point = self._attribute("point", "point", is_name, "a string")
        self.sides = self._attribute("sides", ("X", "O"), are_sides, "two different letters other than -")
        self.players = self._attribute("players", ("Black", "White"), are_players, "two strings")
        most = Game.move_count
        allowed = f"a whole number from 1 to {most}"
        self.move_count = self._attribute(
            "move_count", most, lambda count: type(count) is int and 1 <= count <= most, allowed
        )

    def initial(self) -> Position:
        state = self._call("start")
        return UserPosition(self._rules, state, self._call("side", state) if hasattr(self._rules, "side") else 0)

    def parse_position(self, fields: Sequence[str]) -> Position:
        words = list(fields)
        side = None
        if not hasattr(self._rules, "side"):
            if len(words) < 2 or words[-1] not in self.sides:
                allowed = f"a state and the side to move, {' or '.join(self.sides)}"
                raise PositionError(f"position: must be {allowed}, not {' '.join(words)!r}")
            side = self.sides.index(words.pop())
        text = " ".join(words)
        try:
            state = self._rules.read(text) if hasattr(self._rules, "write") else ast.literal_eval(text)
            position = UserPosition(self._rules, state, self._rules.side(state) if side is None else side)
            if position.is_over():
                position.result()
        except Exception as error:  # any error raised by read() means that the text is invalid
            raise PositionError(f"state: must be text that the game can read, not {text!r}: {error}") from None
        return position

    def format_position(self, position: UserPosition) -> str:
        text = self._text(position.state)
        return text if hasattr(self._rules, "side") else f"{text} {self.sides[position.side_to_move]}"

    def parse_move(self, position: UserPosition, text: str) -> int:
        names = {self.format_move(move): move for move in position.legal_moves()}
        if text in names:
            return names[text]
        spellings = (text.lower(), "pass") if text.lower() in PASSES else (text.lower(),)
        for name, move in names.items():
            if name.lower() in spellings:
                return move
        if not hasattr(self._rules, "name") and not text.isdecimal():
            raise NotationError(f"{text!r} is not a move; a move is a whole number")
        legal = f"legal: {' '.join(names)}" if names else "the game is over"
        raise IllegalMoveError(f"{text!r} is not legal here; {legal}")

    def format_move(self, move: int) -> str:
        """Return the game's name for ``move``, or raise GameError if it is not a string without spaces."""
        if not hasattr(self._rules, "name"):
            return str(move)
        text = self._call("name", move)
        if not isinstance(text, str) or len(text.split()) != 1:
            raise GameError(f"the game's name() for move {move}: must be a string without spaces, not {text!r}")
        return text.strip()

    def squares(self, position: UserPosition) -> str | None:
        """Return the board, or None without squares; raise GameError if it is invalid or its size has changed."""
        if not hasattr(self._rules, "squares"):
            return None
        rows = self._rows(position.state)
        if (size := (len(rows), len(rows[0]))) != self._size:
            allowed, came = (f"{count} rows of {length}" for count, length in (self._size, size))
            raise GameError(f"the game's squares(): must be {allowed}, as at the start, not {came}")
        return "".join(rows)

    @property
    def board_columns(self) -> int | None:
        return self._size[1] if hasattr(self._rules, "squares") else None

    @cached_property
    def _size(self) -> tuple[int, int]:
        """The number of rows and columns of the initial board."""
        rows = self._rows(self._call("start"))
        return len(rows), len(rows[0])

    def squares_of(self, position: UserPosition, move: int) -> tuple[int, ...]:
        """Return the squares of a move, or () if the game names none; raise GameError if one is not on the board."""
        board = self.squares(position)
        if board is None or not hasattr(self._rules, "squares_of"):
            return ()
        indices = self._call("squares_of", position.state, move)
        squares = tuple(indices) if isinstance(indices, Sequence) and not isinstance(indices, str) else (None,)
        known = all(type(each) is int and 0 <= each < len(board) for each in squares)
        if not known or len(squares) > 2 or len(set(squares)) < len(squares):
            allowed = f"at most two squares, 0 to {len(board) - 1}, the origin before the target"
            raise GameError(
                f"the game's squares_of() for move {self.format_move(move)}: must be {allowed}, not {indices!r:.60}"
            )
        return squares

    def column_name(self, column: int) -> str:
        return super().column_name(column) if (text := self._label(0, column)) is None else text

    def row_name(self, row: int) -> str:
        return super().row_name(row) if (text := self._label(1, row)) is None else text

    def _label(self, edge: int, index: int) -> str | None:
        """Return the label of a column (``edge`` 0) or row (1), or None if the game has no labels."""
        labels = self._value("labels", Ellipsis)
        if labels is Ellipsis:
            return None
        try:
            text = labels[edge][index]
        except (LookupError, TypeError):
            text = None
        if isinstance(text, str) and len(text) <= MAX_LABEL and text.isprintable() and " " not in text:
            return text
        allowed = f"two lists of strings of at most {MAX_LABEL} characters, for the columns and the rows"
        raise GameError(f"the game's labels: must be {allowed}, not {labels!r:.100}")

    def _rows(self, state: State) -> list[str]:
        """Return the rows of squares after checking them."""
        rows = list(self._call("squares", state))
        letters = {*self.sides, "-"}
        sizes = {len(row) if isinstance(row, str) and set(row) <= letters else 0 for row in rows}
        if len(sizes) != 1 or not 1 <= min(sizes) <= MAX_COLUMNS:
            allowed = f"rows of equal length, 1 to {MAX_COLUMNS}, with the letters {', '.join(sorted(letters))}"
            raise GameError(f"the game's squares(): must be {allowed}, not {rows!r}")
        return rows

    def draw(self, position: UserPosition) -> str:
        state = position.state
        board = "\n".join(self._rows(state)) if hasattr(self._rules, "squares") else self._text(state)
        if hasattr(self._rules, "draw"):
            board = str(self._call("draw", state))
        rows = [f"  {row}".rstrip() for row in board.splitlines() if row.strip()]
        return "\n".join([*rows, f"  {self.turn(position)}"])

    def _text(self, state: State) -> str:
        text = self._call("write", state) if hasattr(self._rules, "write") else repr(state)
        return " ".join(str(text).split())

    def _call(self, method: str, *arguments: State) -> Any:
        return self._ask(f"{method}()", lambda: getattr(self._rules, method)(*arguments))

    def _value(self, name: str, usual: Any) -> Any:
        """Return an attribute of the game, which may be a property, or ``usual`` if the game does not have it."""
        return self._ask(name, lambda: getattr(self._rules, name, usual))

    def _ask(self, name: str, question: Callable[[], Any]) -> Any:
        """Run the game's own code and return its result; any exception becomes a GameError."""
        try:
            return question()
        except (Exception, SystemExit) as error:
            place = place_of(error, source_of(self._rules))
            raise GameError(f"the game's {name}: {type(error).__name__}: {error}{place}") from error

    def _attribute(self, name: str, usual: Any, is_right: Callable[[Any], bool], allowed: str) -> Any:
        value = self._value(name, usual)
        if not is_right(value):
            raise GameError(f"the game's {name}: must be {allowed}, not {value!r:.100}")
        return value


def is_name(text: Any) -> bool:
    """Return whether a value is a printable, non-blank string."""
    return isinstance(text, str) and text.isprintable() and not text.isspace() and text != ""


def are_players(names: Any) -> bool:
    return isinstance(names, list | tuple) and len(names) == 2 and all(map(is_name, names))


def are_sides(letters: Any) -> bool:
    """Return whether a value is a pair of letters for the players. ``-`` is reserved for empty squares."""
    each = tuple(letters) if isinstance(letters, list | tuple | str) else ()
    return len(each) == 2 and all(is_name(one) and len(one) == 1 and one != "-" for one in each) and each[0] != each[1]


def open_game(word: str, entry: GameFile | str, parameters: str) -> Game:
    """Create the game that ``entry`` refers to.

    :param word: the game's name without parameters.
    :param entry: the location, or the class in a file, of a plain Python class or of something that makes a
        :class:`Game`.
    :raises UnknownGameError: if it cannot be loaded, rejects the parameters, or lacks a method.
    """
    value, make = (entry, partial(load, entry)) if isinstance(entry, str) else (entry.value, entry.load)
    try:
        rules = make()(parameters) if parameters else make()()
    except UnknownGameError:  # the parameters are invalid
        raise
    except (Exception, SystemExit) as error:
        source = "" if value == word else f" from {value}"
        what = f" with parameters {parameters!r}" if parameters else source
        place = place_of(error, entry.file) if isinstance(entry, GameFile) else ""
        raise UnknownGameError(
            f"game {word}: cannot be created{what}: {type(error).__name__}: {error}{place}"
        ) from None
    if isinstance(rules, Game):
        return rules
    missing = [method for method in REQUIRED if not callable(getattr(rules, method, None))]
    if missing:
        raise UnknownGameError(f"game {word}: {value} must have {', '.join(REQUIRED)}; missing: {', '.join(missing)}")
    try:
        return UserGame(f"{word} {parameters}".strip(), rules)
    except GameError as error:
        raise UnknownGameError(f"game {word}: {error}") from None
