"""Games as the page gets them: each position drawn up here, so that the page needs to know no rules."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.othello.opening_names import opening_name
from quietmove.engine.games.picture import Item
from quietmove.engine.protocol.describe import describe_result
from quietmove.engine.protocol.notation import PROJECT
from quietmove.engine.protocol.pictures import EMPTY, Marks, marks_between
from quietmove.referee.game.transcript import MoveRecord, result_of
from quietmove.referee.game.usual_level import usual_level

Json = dict[str, Any]
# An item of a picture has these values unless the page is told otherwise.
USUAL = {field.name: field.default for field in fields(Item)}


def describe_game(game: Game) -> Json:
    """Return what does not change during a game: its name, its players and the size of its board, if it has one.

    ``start`` is where a game usually begins, empty where cards are dealt. A board is editable where a position is
    written as its squares and the side to move. ``owners`` says whose piece a letter of the board is, ``dark`` whose
    pieces are drawn dark. ``level`` is that of an engine where nobody has chosen one.
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
    """A game move by move: the position is kept, and each step is what the page draws after one move.

    :ivar position: after the last step; nobody else may change it.
    """

    def __init__(self, game: Game, position: Position, viewer: int | None = None, *, openings: bool = False) -> None:
        """Begin at ``position``, which is taken over.

        :param viewer: the player of a game with hidden information who looks at it: no step has anything that this
            player does not know. None sees all.
        :param openings: whether the steps have the names of openings and the moves of the game's book.
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
        """Make a move that was played, and return the step after it.

        :raises GameError: if it is not legal.
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
            "counts": None if squares is None else self._counts(squares),
            "result": describe_result(game, position) if over else None,
            "margin": position.result() if over else None,
            **self._theory(),
        }

    def _theory(self) -> Json:
        """Return what is known of the opening: its name, and the book's moves as lines of a search, the best first."""
        if not self._openings:
            return {}
        known = self._book.moves(self.position) if self._book else []
        lines = [
            {"depth": each.depth, "score": each.value, "pv": [describe_move(self.game, self.position, each.move)]}
            for each in known
        ]
        return {"opening": opening_name(self.position), "book": lines if self._book else None}

    def _seen(self) -> Position:
        """Return the position as the viewer knows it."""
        if self._viewer is None:
            return self.position
        return self.game.parse_position(self._text().split())

    def _text(self) -> str:
        if self._viewer is None:
            return self.game.format_position(self.position)
        return self.game.view(self.position, self._viewer)

    def _counts(self, squares: str) -> list[int]:
        """Return how many pieces each side has."""
        owners = [self.game.owner(letter) for letter in squares if letter != EMPTY]
        return [owners.count(side) for side in (0, 1)]


def describe_picture(game: Game, position: Position, viewer: int | None = None) -> Json | None:
    """Return the picture of a position, of each item what is not as usual; None if the game draws none."""
    picture = game.picture(position, viewer)
    if picture is None:
        return None
    unusual = [[(name, getattr(item, name)) for name in USUAL] for item in picture.items]
    items = [{name: value for name, value in each if value != USUAL[name]} for each in unusual]
    return {"width": picture.width, "height": picture.height, "items": items}


def describe_end(reason: str, detail: str, margin_black: float | None) -> Json | None:
    """Return how a game ended; None for one that has not, as far as its file says."""
    if margin_black is None:
        return None
    if reason != "finished":  # a finished game's board says how it ended
        detail = detail or reason or "the file does not say why"
    return {"reason": reason, "detail": detail, "result": result_of(margin_black), "margin": margin_black}


def describe_move(game: Game, position: Position, move: int) -> Json:
    """Return a legal move in both notations, with the square that it ends on and the one that it comes from, if any."""
    text = game.format_move(move)
    *origin, target = game.squares_of(position, move) or (None,)
    return {
        "move": text,
        "project": PROJECT.write(game.grid, text),
        "square": target,
        "from": origin[0] if origin else None,
    }
