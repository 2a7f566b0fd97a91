"""Game data for pages. Each position is prepared here, so that pages do not need to know any rules."""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.in_a_row.game import InARow
from quietmove.engine.games.optional import HiddenCards, Pictured
from quietmove.engine.games.othello.opening_names import opening_name
from quietmove.engine.games.picture import Item
from quietmove.engine.protocol.describe import describe_result
from quietmove.engine.protocol.notation import PROJECT
from quietmove.engine.protocol.pictures import EMPTY, Marks, marks_between
from quietmove.referee.game.transcript import MoveRecord, result_of
from quietmove.referee.game.usual_level import usual_level

Json = dict[str, Any]
# The default values of a picture item's fields. Fields with these values are omitted from messages.
USUAL = {field.name: field.default for field in fields(Item)}


def describe_game(game: Game) -> Json:
    """Return a game's constant data, such as its name, its players and its board size.

    ``start`` is the initial position, or "" if cards are dealt. A board is ``editable`` if positions consist only of
    squares and the side to move. ``owners`` maps the letters on the board to players, and ``dark`` is the player
    whose pieces are dark. ``level`` is the default engine level.
    """
    first = game.initial()
    squares = game.squares(first) or ""
    columns = game.board_columns or 0
    rows = len(squares) // columns if columns else 0
    letters = set(squares) - {EMPTY}
    return {
        "game": game.name,
        "players": list(game.players),
        "sides": list(game.sides),
        "owners": dict(zip(game.sides, (0, 1), strict=True)) | {each: game.owner(each) for each in sorted(letters)},
        "kind": game.kind,
        "dark": game.dark_side,
        "point": game.point,
        "columns": columns if rows else 0,
        "rows": rows,
        "columnNames": [game.column_name(column) for column in range(columns)],
        "rowNames": [game.row_name(row) for row in range(rows)],
        "start": "" if game.kind == "hidden" else game.format_position(first),
        "editable": rows > 0 and game.format_position(first) == f"{squares} {game.sides[first.next_player]}",
        "numbered": game.grid is not None,
        "byColumn": game.grid is not None and game.grid.rows is None,
        "level": usual_level(game),
    }


class Steps:
    """Plays a game move by move, and returns a *step* for each position: the page data that shows it.

    :ivar position: the position after the last step; do not modify it.
    """

    def __init__(self, game: Game, position: Position, viewer: int | None = None, *, openings: bool = False) -> None:
        """Start at ``position``, which must not be used elsewhere afterwards.

        :param viewer: in a game with hidden information, the player whose knowledge limits what steps contain; None
            for no limit.
        :param openings: whether steps include opening names and book moves.
        """
        self.game = game
        self.position = position
        self._viewer = viewer
        self._openings = openings
        self._book = game.open_book() if openings else None
        self._squares = game.squares(self._seen())

    def first(self) -> Json:
        """Return the step before the first move."""
        return self._step(Marks())

    def after(self, move: MoveRecord) -> Json:
        """Make a move, and return the step after it.

        :raises GameError: if the move is illegal.
        """
        self.position.play(self.game.parse_move(self.position, move.move))
        before, self._squares = self._squares, self.game.squares(self._seen())
        return {
            **self._step(marks_between(before, self._squares)),
            "move": move.move,
            "project": PROJECT.write(self.game.grid, move.move),
            "by": move.by,
            "elapsed": move.elapsed_ms,
            "clock": move.clock_ms,
            "score": move.score if self._viewer is None else None,
        }

    def _step(self, marks: Marks) -> Json:
        game = self.game
        position = self._seen()
        squares = self._squares
        over = position.is_over()
        side = position.side_to_move
        picture = describe_picture(game, self.position, self._viewer)
        is_told = not over and self._viewer in (None, side)
        return {
            "board": squares,
            "picture": picture,
            "text": game.draw(position) if squares is None and picture is None else None,
            "caption": None if squares is None or game.grid else game.draw(position).splitlines()[-1].strip(),
            "position": self._text(),
            "placed": sorted(marks.placed),
            "changed": sorted(marks.changed),
            "toMove": None if over or side == NATURE else side,
            "legal": [describe_move(game, self.position, each) for each in self.position.legal_moves() if is_told],
            "counts": None if squares is None or game.point == "line" else self._counts(squares),
            "won": winning_squares(game, squares) if over and squares else [],
            "result": describe_result(game, position) if over else None,
            "margin": position.result() if over else None,
            **self._theory(),
        }

    def _theory(self) -> Json:
        """Return the opening's name, and the book moves as search lines, best first.

        Return an empty dictionary if openings are not shown.
        """
        if not self._openings:
            return {}
        known = self._book.moves(self.position) if self._book else []
        lines = [
            {"depth": each.depth, "score": each.value, "pv": [describe_move(self.game, self.position, each.move)]}
            for each in known
        ]
        return {"opening": opening_name(self.position), "book": lines if self._book else None}

    def _seen(self) -> Position:
        """Return the position, limited to what the viewer knows."""
        if self._viewer is None:
            return self.position
        return self.game.parse_position(self._text().split())

    def _text(self) -> str:
        if self._viewer is None or not isinstance(self.game, HiddenCards):
            return self.game.format_position(self.position)
        return self.game.view(self.position, self._viewer)

    def _counts(self, squares: str) -> list[int]:
        """Return each side's number of pieces."""
        owners = [self.game.owner(letter) for letter in squares if letter != EMPTY]
        return [owners.count(side) for side in (0, 1)]


def winning_squares(game: Game, squares: str) -> list[int]:
    """Return the squares of the finished lines on a board of an N-in-a-row game; [] for other games."""
    if not isinstance(game, InARow):
        return []
    found = set[int]()
    for column, row, (right, down) in product(range(game.columns), range(game.rows), ((1, 0), (0, 1), (1, 1), (-1, 1))):
        cells = [(column + at * right, row + at * down) for at in range(game.length)]
        if all(0 <= x < game.columns and y < game.rows for x, y in cells):
            line = [y * game.columns + x for x, y in cells]
            if {squares[index] for index in line} in ({"X"}, {"O"}):
                found.update(line)
    return sorted(found)


def describe_picture(game: Game, position: Position, viewer: int | None = None) -> Json | None:
    """Return a position's picture, or None if the game has no pictures. Items contain only non-default values."""
    if not isinstance(game, Pictured):
        return None
    picture = game.picture(position, viewer)
    unusual = [[(name, getattr(item, name)) for name in USUAL] for item in picture.items]
    items = [{name: value for name, value in each if value != USUAL[name]} for each in unusual]
    return {"width": picture.width, "height": picture.height, "items": items}


def describe_end(reason: str, detail: str, margin_black: float | None) -> Json | None:
    """Return a game's ending as page data, or None if it has no result."""
    if margin_black is None:
        return None
    if reason != "finished":  # a finished game's board shows the result
        margin = f"{margin_black:+g}".replace("-", "\N{MINUS SIGN}")
        detail = detail or reason or f"the file gives only the result, {margin}"
    return {"reason": reason, "detail": detail, "result": result_of(margin_black), "margin": margin_black}


def describe_move(game: Game, position: Position, move: int) -> Json:
    """Return a legal move in the game's and the Othello project's notation, with its target and any origin square."""
    text = game.format_move(move)
    *origin, target = game.squares_of(position, move) or (None,)
    return {
        "move": text,
        "project": PROJECT.write(game.grid, text),
        "square": target,
        "from": origin[0] if origin else None,
    }
