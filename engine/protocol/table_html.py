"""Tables for notebooks, and scores as they stand in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from quietmove.engine.games.base import DECISIVE, WIN
from quietmove.engine.values import Bound

__all__ = ["score_text", "table_html"]

SIGNS: dict[Bound, str] = {"exact": "", "lower": "≥ ", "upper": "≤ "}


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table of HTML; a number stands at the right."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(cell_html, row))}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def cell_html(cell: object) -> str:
    """Return one cell."""
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f'<td style="text-align:right">{cell:,}</td>'
    return f'<td style="text-align:left">{escape(str(cell))}</td>'


def score_text(score: int | None, bound: Bound = "exact") -> str:
    """Return a score in points, or as a win or a loss with the plies to it; of an open window nothing but a dash."""
    if score is None:
        return "–"
    if abs(score) <= DECISIVE:
        return f"{SIGNS[bound]}{score / 100:g}"
    return f"{SIGNS[bound]}{'win' if score > 0 else 'loss'} in {WIN - abs(score)}"
