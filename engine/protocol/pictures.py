"""SVG pictures of positions for notebooks and web pages, without style sheets, scripts or other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import hypot

from quietmove.engine.games.base import NATURE, Game, Position
from quietmove.engine.games.optional import Pictured
from quietmove.engine.games.picture import Item, Picture
from quietmove.engine.protocol.notation import play_moves

EMPTY = "-"


@dataclass(frozen=True, slots=True)
class Marks:
    """The squares to mark for the last move.

    :param placed: indices of the squares on which the move placed a piece: the empty squares it filled, or if there are
        none, the squares that now hold a different piece.
    :param changed: indices of all other squares that the move changed.
    """

    placed: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()


def marks_between(before: str | None, after: str | None) -> Marks:
    """Return the marks for the difference between two boards, each in the format of :meth:`Game.squares`."""
    differing = [i for i, (old, new) in enumerate(zip(before or "", after or "", strict=False)) if old != new]
    filled = frozenset(i for i in differing if after and after[i] != EMPTY)
    placed = frozenset(i for i in filled if before and before[i] == EMPTY) or filled
    return Marks(placed, frozenset(differing) - placed)


def last_marks(game: Game, position: Position, moves: Sequence[int]) -> Marks:
    """Return the marks for the last player's move. Chance moves after it are assumed not to change the board.

    :param moves: all moves that led to ``position``.
    """
    after = game.squares(position)
    count = 0
    if after is None:
        return Marks()
    while count < len(moves):
        position.undo()
        count += 1
        if position.side_to_move != NATURE:
            break
    before = game.squares(position)
    for move in moves[len(moves) - count :]:
        position.play(move)
    return marks_between(before, after)


def legal_squares(game: Game, position: Position) -> set[int]:
    """Return the indices of the squares on which legal moves place a piece."""
    before = game.squares(position)
    trial = position.copy()
    squares = set[int]()
    for move in trial.legal_moves():
        trial.play(move)
        squares |= marks_between(before, game.squares(trial)).placed
        trial.undo()
    return squares


UNIT = 40  # width of a stone in pixels
ITEM_EDGE = 0.4  # space around the items, in units
ITEM_CAPTION = 0.8  # height of the caption, in units
ITEM_LINE, WAY, INK, PAPER, RED = "#8a8a8a", "#d9362b", "#151515", "#fafafa", "#b3261e"
CARD = "M-.48 -.66h.96v1.32h-.96Z"
SHAPES = {
    "max": "M0 -.42L.47 .36H-.47Z",
    "min": "M0 .42L.47 -.36H-.47Z",
    "card": CARD,
    "back": CARD,
    "stone": "M-.42 0a.42 .42 0 1 0 .84 0a.42 .42 0 1 0 -.84 0Z",
}
FILLS = {"max": "#e3f2e8", "min": "#fbe9d2", "stone": "#c9973f", "back": "#5b6f9e"}
LOWER = {"max": 0.1, "min": -0.1}  # distance of the text below the centre of its triangle, in units


def picture_svg(picture: Picture, caption: str) -> str:
    """Return a picture as SVG, with a caption below it."""
    width = max(picture.width + 2 * ITEM_EDGE, 0.2 * len(caption))
    left, height = (width - picture.width) / 2, picture.height + 2 * ITEM_EDGE + ITEM_CAPTION
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{UNIT * width:.0f}" height="{UNIT * height:.0f}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(caption)}" '
            'font-family="sans-serif" text-anchor="middle" dominant-baseline="central">',
            f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
            f'<g transform="translate({left:g} {ITEM_EDGE:g})">',
            *item_lines(picture.items),
            *map(draw_item, picture.items),
            f'</g><text x="{width / 2:g}" y="{height - ITEM_CAPTION / 2:g}" font-size=".36" fill="{INK}">',
            f"{escape(caption)}</text>",
            "</svg>",
        ]
    )


def item_lines(items: tuple[Item, ...]) -> Iterator[str]:
    for item in items:
        if item.parent is not None:
            start = items[item.parent]
            colour, width = (WAY, 0.08) if item.mark in ("path", "last") else (ITEM_LINE, 0.04)
            yield (
                f'<path d="M{start.x:g} {start.y:g}L{item.x:g} {item.y:g}" stroke="{colour}" stroke-width="{width}"'
                ' fill="none"/>'
            )


def draw_item(item: Item) -> str:
    """Draw an item around its centre. An item removed by the last move is a dashed outline."""
    stroke = WAY if item.mark in ("path", "last") else INK
    fill = "none" if item.mark == "gone" else FILLS.get(item.kind, PAPER)
    dashes = ' stroke-dasharray=".1 .08" opacity=".5"' if item.mark == "gone" else ""
    half = max(0.4, 0.1 * len(item.text) + 0.1)
    outline = SHAPES.get(item.kind, f"M{-half:g} -.3h{2 * half:g}v.6h{-2 * half:g}Z")
    shape = f'<path d="{outline}" fill="{fill}" stroke="{stroke}" stroke-width=".04"{dashes}/>'
    colour = RED if item.kind == "card" and item.text[-1:] in "♥♦" else INK
    text = f'<text y="{LOWER.get(item.kind, 0)}" font-size=".36" fill="{colour}">{escape(item.text)}</text>'
    parts = ("" if item.kind == "text" else shape) + (text if item.text else "")
    return f'<g transform="translate({item.x:g} {item.y:g})">{parts}</g>'


CELL = 36  # width of a square in pixels
EDGE = 22  # space for the coordinates on each side, in pixels
CAPTION = 26
BOARD, LINE, DARK, LIGHT, LAST, LEGAL = "#2f7a54", "#1d5639", "#171a18", "#fbfbf7", "#d3224f", "#d9ecdf"
ARROW = "#e8a33d"
LAST_LETTER = "#ffb3ab"
LETTER = 28  # font size of letters drawn as pieces, in pixels
TEXT = 'font-family="sans-serif" text-anchor="middle" dominant-baseline="central"'


def board_html(game: Game, position: Position, marks: Marks) -> str:
    """Return the board as HTML: a picture, or the game's text drawing if there is no picture."""
    picture = board_svg(game, position, marks)
    return picture if picture is not None else f"<pre>{escape(game.draw(position))}</pre>"


def slider_html(boards: Sequence[str]) -> str:
    """Return HTML with several boards and a slider that selects the visible one, initially the last."""
    last = len(boards) - 1
    shown = "".join([f'<div hidden="">{board}</div>' for board in boards[:-1]] + [f"<div>{boards[-1]}</div>"])
    choose = (
        "[...this.nextElementSibling.children].forEach((board, index) => { board.hidden = index !== +this.value; })"
    )
    return (
        f'<input type="range" aria-label="Moves made" min="0" max="{last}" value="{last}" style="width:20em"'
        f' oninput="{choose}"/><div>{shown}</div>'
    )


PICTURE_SEED = 3  # seed for dealing the cards in a picture


def example_svg(game: Game) -> str | None:
    """Return an example picture to go with a game's rules, or None if the game has no picture."""
    position = game.begin(PICTURE_SEED)
    moves = play_moves(game, position, game.rules.moves.split())
    return board_svg(game, position, last_marks(game, position, moves))


def board_svg(game: Game, position: Position, marks: Marks, values: Mapping[int, str] | None = None) -> str | None:
    """Return a picture of the position, or None if the game has neither squares nor its own picture.

    Legal moves are dots, or rings around the pieces they take. A move with a value shows it in its square instead of
    the dot, or at an arrow if a piece moves; the first value stands out. The last move's piece has a dot, and the
    squares it changed have rings.

    The caption is the last line of :meth:`Game.draw`: the side to move.
    """
    squares = game.squares(position)
    columns = game.board_columns
    if squares is None or columns is None:
        caption = game.draw(position).splitlines()[-1].strip()
        return picture_svg(game.picture(position), caption) if isinstance(game, Pictured) else None
    ways = ((game.squares_of(position, move), text) for move, text in (values or {}).items())
    valued = [(way, text) for way, text in ways if way]
    rows = len(squares) // columns
    width, height = CELL * columns + 2 * EDGE, CELL * rows + 2 * EDGE + CAPTION
    caption = game.draw(position).splitlines()[-1].strip()
    size = min(13, 1.7 * width / len(caption))  # shrink the caption on small boards
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(caption)}">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *board_lines(columns, rows),
            *coordinates(game, columns, rows),
            *discs(game, squares, columns, marks),
            *legal_marks(legal_squares(game, position) - {way[-1] for way, _ in valued}, squares, columns),
            *value_marks(valued, columns),
            f'<text x="{width / 2:g}" y="{height - CAPTION / 2:g}" font-size="{size:g}" fill="{DARK}" {TEXT}>'
            f"{escape(caption)}</text></svg>",
        ]
    )


def board_lines(columns: int, rows: int) -> Iterator[str]:
    """Yield the SVG elements of the empty board."""
    width, height = CELL * columns, CELL * rows
    yield f'<rect x="{EDGE}" y="{EDGE}" width="{width}" height="{height}" fill="{BOARD}"/>'
    across = [f"M{EDGE} {EDGE + CELL * row}h{width}" for row in range(rows + 1)]
    down = [f"M{EDGE + CELL * column} {EDGE}v{height}" for column in range(columns + 1)]
    yield f'<path d="{"".join(across + down)}" stroke="{LINE}" fill="none"/>'


def coordinates(game: Game, columns: int, rows: int) -> Iterator[str]:
    """Yield the names of the columns above the board, and those of the rows on the left."""
    for column in range(columns):
        yield label(EDGE + CELL * (column + 0.5), EDGE / 2, game.column_name(column), DARK)
    for row in range(rows):
        yield label(EDGE / 2, EDGE + CELL * (row + 0.5), game.row_name(row), DARK)


def label(x: float, y: float, text: str, color: str, size: int = 12) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" {TEXT}>{escape(text)}</text>'


def discs(game: Game, squares: str, columns: int, marks: Marks) -> Iterator[str]:
    """Yield the pieces and the last move's marks, with a letter on each piece if its side has several kinds.

    If players are named after their pieces' letters, as in tic-tac-toe, only the letters are drawn.
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
    """Yield a dot for each empty square that a legal move fills, and a ring for each piece that a legal move takes."""
    for index in sorted(legal):
        empty = squares[index] == EMPTY
        yield dot(index, columns, CELL // 9, LEGAL, DARK) if empty else dot(index, columns, CELL * 0.46, "none", LEGAL)


def value_marks(valued: Sequence[tuple[tuple[int, ...], str]], columns: int) -> Iterator[str]:
    """Yield the value of each move (given by its squares), and an arrow if the move has an origin."""
    for number, (way, text) in enumerate(valued):
        color = DARK if number else LIGHT
        ends = [(EDGE + CELL * (index % columns + 0.5), EDGE + CELL * (index // columns + 0.5)) for index in way]
        (x, y), (to_x, to_y) = ends[0], ends[-1]
        if len(ends) == 2:
            length = hypot(to_x - x, to_y - y)
            over, down = (to_x - x) / length, (to_y - y) / length  # one pixel along the arrow
            head = f"M{x:g} {y:g}L{to_x:g} {to_y:g}M{to_x - 7 * (over + down):g} {to_y - 7 * (down - over):g}"
            path = f"{head}L{to_x:g} {to_y:g}L{to_x - 7 * (over - down):g} {to_y - 7 * (down + over):g}"
            yield f'<path d="{path}" fill="none" stroke="{ARROW}" stroke-width="{2 if number else 4}"/>'
            x, y, color = (x + to_x) / 2, (y + to_y) / 2 - 8, DARK
        yield label(x, y, text, color, 12 if len(text) < 5 else 10)


def dot(index: int, columns: int, radius: float, fill: str, stroke: str = "none") -> str:
    row, column = divmod(index, columns)
    x, y = EDGE + CELL * (column + 0.5), EDGE + CELL * (row + 0.5)
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}"/>'


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return an HTML table with right-aligned numbers."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(cell_html, row))}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def cell_html(cell: object) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f'<td style="text-align:right">{cell:,}</td>'
    return f'<td style="text-align:left">{escape(str(cell))}</td>'
