"""A game that a user writes in plain Python: what it consists of, and how it becomes a game like the built-in ones.

The game is a class without a base, named by an entry point of the group ``quietmove.games``. A state is any value that
does not change; a move is a whole number from 0 to 65535; the players alternate, and a game that lets a player pass
lists a move for it.

========================  ==============================================================================================
``start()``               the state in which a game begins
``moves(state)``          the legal moves, at most 512, the best guess first; none when the game is over
``play(state, move)``     the state after a legal move
``result(state)``         of a finished game: 1, 0 or -1, a win, draw or loss of the first player; or its points
------------------------  ----------------------------------------------------------------------------------------------
``evaluate(state)``       optional: an estimate in points, from the first player's view
``name(move)``            optional: the text of a move, without blanks; its number if there is no such method
``side(state)``           optional: 0 or 1, who is to move; without it a position's text ends with X or O for that
``remaining(state)``      optional: an upper bound on the moves to come, which tells a search when it has seen all
``write(state)``          optional: the text of a state; Python's own if there is no such method
``read(text)``            goes with ``write``: the state of a text; raises ValueError where there is none
``squares(state)``        optional: the rows of a board, each a text with a letter of ``sides`` for a piece, ``-`` for
                          none; then the board is drawn with the last move and the legal moves, and as a picture
``squares_of(state, move)``
                          goes with ``squares``: the squares of a legal move, counted row by row from 0: ``(target,)``
                          of a piece that is put down, ``(origin, target)`` of one that moves, ``()`` of neither; then
                          the page of ``quietmove-referee serve`` lets a person play on the board
``labels``                optional attribute that goes with ``squares``: the names of the columns, and those of the rows
                          from the top, as in the names of moves; ``a``, ``b`` ... and 1, 2 ... without it
``draw(state)``           optional: the board as lines of text for a person; else the squares, or what ``write`` says
``move_count``            optional attribute: all moves are below it; a program that learns has as many actions, 65536
                          without it
``key(state)``            optional: a number that differs where states differ, quicker to compute than the text
``point``                 optional attribute: what a point is called, in a game that counts points
``rules``                 optional attribute: how the game is played, a paragraph for people
``players``, ``sides``    optional attributes: names (``Black``, ``White``) and letters (``X``, ``O``) of the two
========================  ==============================================================================================

Parameters after the game's name (``Game`` value ``hexapawn 4``) are handed to the class as one text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from quietmove.engine.errors import GameError, IllegalMoveError, NotationError, PositionError, UnknownGameError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.user.position import State, UserPosition
from quietmove.engine.games.user.source import GameFile, place_of, source_of
from quietmove.engine.move_text import PASSES

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

MOST_COLUMNS = 26  # each column has a letter
MOST_LABEL = 3  # the name of a column or a row has at most so many characters
REQUIRED = ("start", "moves", "play", "result")


class UserGame(Game):
    """A game that a user wrote.

    :param name: as :func:`quietmove.engine.games.registry.get_game` finds it, parameters included.
    :param rules: the object that knows the rules.
    """

    def __init__(self, name: str, rules: Any) -> None:
        """Take over the rules.

        :raises GameError: if an attribute of them is wrong.
        """
        self._rules = rules
        self.name = name
        self.how_to_play: str = self._attribute("rules", "", lambda text: isinstance(text, str), "a text")
        self.point = self._attribute("point", "point", is_name, "a text")
        self.sides = self._attribute("sides", ("X", "O"), are_sides, "two letters that differ, but not -")
        self.players = self._attribute("players", ("Black", "White"), are_players, "two texts")
        most = Game.move_count
        allowed = f"a whole number from 1 to {most}"
        self.move_count = self._attribute(
            "move_count", most, lambda count: type(count) is int and 1 <= count <= most, allowed
        )

    def initial(self) -> Position:
        """Return the position in which a game begins.

        :raises GameError: if the game fails.
        """
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
        except Exception as error:  # any error of read() means that the text is wrong
            raise PositionError(f"state {text!r}: must be one that the game reads: {error}") from None
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
            raise NotationError(f"{text!r} is no move; a move is a whole number")
        legal = f"legal: {' '.join(names)}" if names else "the game is over"
        raise IllegalMoveError(f"{text!r} is not legal here; {legal}")

    def format_move(self, move: int) -> str:
        """Return the game's name of ``move``.

        :raises GameError: if the game gives it none that can be written.
        """
        if not hasattr(self._rules, "name"):
            return str(move)
        text = self._call("name", move)
        if not isinstance(text, str) or len(text.split()) != 1:
            raise GameError(f"the game's name() of move {move}: must be a text without blanks, not {text!r}")
        return text.strip()

    def squares(self, position: UserPosition) -> str | None:
        """Return the board, if the game has squares.

        :raises GameError: if it is none, or has become larger or smaller.
        """
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
        """The rows and columns of the board at the start."""
        rows = self._rows(self._call("start"))
        return len(rows), len(rows[0])

    def squares_of(self, position: UserPosition, move: int) -> tuple[int, ...]:
        """Return the squares of a move, if the game has squares and says which they are.

        :raises GameError: if they are no squares of the board.
        """
        board = self.squares(position)
        if board is None or not hasattr(self._rules, "squares_of"):
            return ()
        found = self._call("squares_of", position.state, move)
        squares = tuple(found) if isinstance(found, Sequence) and not isinstance(found, str) else (None,)
        known = all(type(each) is int and 0 <= each < len(board) for each in squares)
        if not known or len(squares) > 2 or len(set(squares)) < len(squares):
            allowed = f"at most two squares, 0 to {len(board) - 1}, the origin before the target"
            raise GameError(
                f"the game's squares_of() of move {self.format_move(move)}: must be {allowed}, not {found!r:.60}"
            )
        return squares

    def column_name(self, column: int) -> str:
        return super().column_name(column) if (text := self._label(0, column)) is None else text

    def row_name(self, row: int) -> str:
        return super().row_name(row) if (text := self._label(1, row)) is None else text

    def _label(self, edge: int, index: int) -> str | None:
        """Return a label of a column (``edge`` 0) or a row (1), checked; None if the game has no labels."""
        labels = self._value("labels", Ellipsis)
        if labels is Ellipsis:
            return None
        try:
            text = labels[edge][index]
        except (LookupError, TypeError):
            text = None
        if isinstance(text, str) and len(text) <= MOST_LABEL and text.isprintable() and " " not in text:
            return text
        allowed = f"a list of texts of at most {MOST_LABEL} characters for the columns and one for the rows"
        raise GameError(f"the game's labels: must be {allowed}, not {labels!r:.100}")

    def _rows(self, state: State) -> list[str]:
        """Return the rows of squares, checked."""
        rows = list(self._call("squares", state))
        letters = {*self.sides, "-"}
        sizes = {len(row) if isinstance(row, str) and set(row) <= letters else 0 for row in rows}
        if len(sizes) != 1 or not 1 <= min(sizes) <= MOST_COLUMNS:
            allowed = f"rows of equally many letters, 1 to {MOST_COLUMNS}, of {', '.join(sorted(letters))}"
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
        """Return what the game's ``method`` returns."""
        return self._ask(f"{method}()", lambda: getattr(self._rules, method)(*arguments))

    def _value(self, name: str, usual: Any) -> Any:
        """Return the game's attribute ``name``, which it may compute; ``usual`` if it has none."""
        return self._ask(name, lambda: getattr(self._rules, name, usual))

    def _ask(self, name: str, question: Callable[[], Any]) -> Any:
        """Return the answer of the game.

        :raises GameError: if it fails.
        """
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
    """Tell whether a value is a text that can be shown."""
    return isinstance(text, str) and text.isprintable() and not text.isspace() and text != ""


def are_players(names: Any) -> bool:
    return isinstance(names, list | tuple) and len(names) == 2 and all(map(is_name, names))


def are_sides(letters: Any) -> bool:
    """Tell whether a value is the letters of two players; ``-`` is an empty square."""
    each = tuple(letters) if isinstance(letters, list | tuple | str) else ()
    return len(each) == 2 and all(is_name(one) and len(one) == 1 and one != "-" for one in each) and each[0] != each[1]


def open_game(word: str, entry: EntryPoint | GameFile, parameters: str) -> Game:
    """Return the game that ``entry`` points to.

    :param word: the game's name without its parameters.
    :raises UnknownGameError: if it cannot be loaded, takes no such parameters, or lacks a method.
    """
    try:
        make = entry.load()
        rules = make(parameters) if parameters else make()
    except (Exception, SystemExit) as error:
        source = "" if entry.value == word else f" from {entry.value}"
        what = f" with parameters {parameters!r}" if parameters else source
        place = place_of(error, entry.file) if isinstance(entry, GameFile) else ""
        raise UnknownGameError(f"game {word}: cannot be made{what}: {type(error).__name__}: {error}{place}") from None
    missing = [method for method in REQUIRED if not callable(getattr(rules, method, None))]
    if missing:
        raise UnknownGameError(
            f"game {word}: {entry.value} must have {', '.join(REQUIRED)}; {', '.join(missing)} is missing"
        )
    try:
        return UserGame(f"{word} {parameters}".strip(), rules)
    except GameError as error:
        raise UnknownGameError(f"game {word}: {error}") from None
