"""A board as a picture, in SVG: for notebooks and pages. The text needs no style sheet, script or other file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import hypot

from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.rules import PICTURE_SEED, rules_of
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.protocol.picture_svg import picture_svg
from quietmove.engine.protocol.squares import EMPTY, Marks, last_marks, legal_squares

CELL = 36  # pixels
EDGE = 22  # pixels that the coordinates take
CAPTION = 26
BOARD, LINE, DARK, LIGHT, LAST = "#3a8f5c", "#1f5637", "#151515", "#fafafa", "#d9362b"
ARROW = "#e8a33d"
LAST_LETTER = "#ffb3ab"
LETTER = 28  # pixels
TEXT = 'font-family="sans-serif" text-anchor="middle" dominant-baseline="central"'


def board_html(game: Game, position: Position, marks: Marks) -> str:
    """Return the board as HTML: the picture, or what the game draws as text where it has none."""
    picture = board_svg(game, position, marks)
    return picture if picture is not None else f"<pre>{escape(game.draw(position))}</pre>"


def slider_html(boards: Sequence[str]) -> str:
    """Return several boards with a slider that chooses which of them is seen; at first it is the last."""
    last = len(boards) - 1
    shown = "".join([f'<div hidden="">{board}</div>' for board in boards[:-1]] + [f"<div>{boards[-1]}</div>"])
    choose = (
        "[...this.nextElementSibling.children].forEach((board, index) => { board.hidden = index !== +this.value; })"
    )
    return (
        f'<input type="range" aria-label="Moves made" min="0" max="{last}" value="{last}" style="width:20em"'
        f' oninput="{choose}"/><div>{shown}</div>'
    )


def example_svg(game: Game) -> str | None:
    """Return the picture of a game after some moves, for those who read its rules; None where :func:`board_svg` is."""
    position = game.begin(PICTURE_SEED)
    moves = play_moves(game, position, rules_of(game).moves.split())
    return board_svg(game, position, last_marks(game, position, moves))


def board_svg(game: Game, position: Position, marks: Marks, values: Mapping[int, str] | None = None) -> str | None:
    """Return the picture, None where the game has neither squares nor a picture of its own.

    A move with a value has that in its square instead of its dot, or at an arrow where a piece moves; the first of them
    stands out.

    Legal moves are dots, or rings around what they take; the last move has a dot of its own and what it changed a ring.
    The names above and on the left are those of moves as ``f5``, the numbers below and on the right those of moves as
    ``6 4``. Below stands the last line of :meth:`Game.draw`: who is to move.
    """
    squares = game.squares(position)
    columns = game.board_columns
    if squares is None or columns is None:
        picture = game.picture(position)
        return None if picture is None else picture_svg(picture, game.draw(position).splitlines()[-1].strip())
    ways = ((game.squares_of(position, move), text) for move, text in (values or {}).items())
    valued = [(way, text) for way, text in ways if way]
    rows = len(squares) // columns
    width, height = CELL * columns + 2 * EDGE, CELL * rows + 2 * EDGE + CAPTION
    caption = game.draw(position).splitlines()[-1].strip()
    size = min(13, 1.7 * width / len(caption))  # a small board has a small caption
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(caption)}">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *lines(columns, rows),
            *coordinates(game, columns, rows),
            *discs(game, squares, columns, marks),
            *legal_marks(legal_squares(game, position) - {way[-1] for way, _ in valued}, squares, columns),
            *value_marks(valued, columns),
            f'<text x="{width / 2:g}" y="{height - CAPTION / 2:g}" font-size="{size:g}" fill="{DARK}" {TEXT}>'
            f"{escape(caption)}</text></svg>",
        ]
    )


def lines(columns: int, rows: int) -> Iterator[str]:
    """Yield the board without discs."""
    width, height = CELL * columns, CELL * rows
    yield f'<rect x="{EDGE}" y="{EDGE}" width="{width}" height="{height}" fill="{BOARD}"/>'
    across = [f"M{EDGE} {EDGE + CELL * row}h{width}" for row in range(rows + 1)]
    down = [f"M{EDGE + CELL * column} {EDGE}v{height}" for column in range(columns + 1)]
    yield f'<path d="{"".join(across + down)}" stroke="{LINE}" fill="none"/>'


def coordinates(game: Game, columns: int, rows: int) -> Iterator[str]:
    """Yield the names of the columns and rows, and on the far sides the numbers where moves are also written by two."""
    both = game.grid is not None
    below, right = 1.5 * EDGE + CELL * rows, 1.5 * EDGE + CELL * columns
    for column in range(columns):
        x = EDGE + CELL * (column + 0.5)
        yield label(x, EDGE / 2, game.column_name(column), DARK)
        if both:
            yield label(x, below, str(column + 1), "#8a8a8a")
    for row in range(rows):
        y = EDGE + CELL * (row + 0.5)
        yield label(EDGE / 2, y, game.row_name(row), DARK)
        if both:
            yield label(right, y, str(rows - row), "#8a8a8a")


def label(x: float, y: float, text: str, color: str, size: int = 12) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" {TEXT}>{escape(text)}</text>'


def discs(game: Game, squares: str, columns: int, marks: Marks) -> Iterator[str]:
    """Yield the pieces, with what the last move did; a piece that is not the only kind of its side has its letter.

    Players who are called by the letters of their pieces have these instead.
    """
    for index, letter in enumerate(squares):
        if letter != EMPTY:
            shades = (DARK, LIGHT) if game.owner(letter) == game.dark_side else (LIGHT, DARK)
            row, column = divmod(index, columns)
            middle = EDGE + CELL * (column + 0.5), EDGE + CELL * (row + 0.5)
            if game.players == game.sides:
                yield label(*middle, letter, LAST_LETTER if index in marks.placed else shades[0], LETTER)
                continue
            yield dot(index, columns, CELL * 0.42, shades[0], DARK)
            if index in marks.placed and letter in game.sides:
                yield dot(index, columns, CELL / 8, LAST)
            elif index in marks.placed | marks.changed:
                yield dot(index, columns, CELL * 0.28, "none", LAST)
            if letter not in game.sides:
                yield label(*middle, letter, shades[1])
        elif index in marks.changed:
            yield dot(index, columns, CELL / 8, LAST)


def legal_marks(legal: set[int], squares: str, columns: int) -> Iterator[str]:
    """Yield a dot in each empty square that a legal move fills, and a ring around each piece that one takes."""
    for index in sorted(legal):
        empty = squares[index] == EMPTY
        yield dot(index, columns, CELL // 9, LINE) if empty else dot(index, columns, CELL * 0.46, "none", LINE)


def value_marks(valued: Sequence[tuple[tuple[int, ...], str]], columns: int) -> Iterator[str]:
    """Yield the value of each move, which is given by its squares, and an arrow where it has an origin."""
    for number, (way, text) in enumerate(valued):
        color = DARK if number else LIGHT
        ends = [(EDGE + CELL * (index % columns + 0.5), EDGE + CELL * (index // columns + 0.5)) for index in way]
        (x, y), (to_x, to_y) = ends[0], ends[-1]
        if len(ends) == 2:
            length = hypot(to_x - x, to_y - y)
            over, down = (to_x - x) / length, (to_y - y) / length  # a step of a pixel on the way
            head = f"M{x:g} {y:g}L{to_x:g} {to_y:g}M{to_x - 7 * (over + down):g} {to_y - 7 * (down - over):g}"
            path = f"{head}L{to_x:g} {to_y:g}L{to_x - 7 * (over - down):g} {to_y - 7 * (down + over):g}"
            yield f'<path d="{path}" fill="none" stroke="{ARROW}" stroke-width="{2 if number else 4}"/>'
            x, y, color = (x + to_x) / 2, (y + to_y) / 2 - 8, DARK
        yield label(x, y, text, color, 12 if len(text) < 5 else 10)


def dot(index: int, columns: int, radius: float, fill: str, stroke: str = "none") -> str:
    row, column = divmod(index, columns)
    x, y = EDGE + CELL * (column + 0.5), EDGE + CELL * (row + 0.5)
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}"/>'
