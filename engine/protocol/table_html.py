"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table of HTML; a number stands at the right."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(map(cell_html, row))}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def cell_html(cell: object) -> str:
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f'<td style="text-align:right">{cell:,}</td>'
    return f'<td style="text-align:left">{escape(str(cell))}</td>'
