"""The picture of a game without squares, in SVG: its items as the pages draw them, without a style sheet."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from quietmove.engine.games.picture import Item, Picture

UNIT = 40  # a stone is so many pixels wide
EDGE = 0.4  # units of space around the items
CAPTION = 0.8  # units
LINE, WAY, INK, PAPER, RED = "#8a8a8a", "#d9362b", "#151515", "#fafafa", "#b3261e"
CARD = "M-.48 -.66h.96v1.32h-.96Z"
SHAPES = {
    "max": "M0 -.42L.47 .36H-.47Z",
    "min": "M0 .42L.47 -.36H-.47Z",
    "card": CARD,
    "back": CARD,
    "stone": "M-.42 0a.42 .42 0 1 0 .84 0a.42 .42 0 1 0 -.84 0Z",
}
FILLS = {"max": "#e3f2e8", "min": "#fbe9d2", "stone": "#c9973f", "back": "#5b6f9e"}
LOWER = {"max": 0.1, "min": -0.1}  # a text lies so many units below the middle of its triangle


def picture_svg(picture: Picture, caption: str) -> str:
    """Return the picture with a line of text below it."""
    width = max(picture.width + 2 * EDGE, 0.2 * len(caption))
    left, height = (width - picture.width) / 2, picture.height + 2 * EDGE + CAPTION
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{UNIT * width:.0f}" height="{UNIT * height:.0f}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(caption)}" '
            'font-family="sans-serif" text-anchor="middle" dominant-baseline="central">',
            f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
            f'<g transform="translate({left:g} {EDGE:g})">',
            *lines(picture.items),
            *map(drawn, picture.items),
            f'</g><text x="{width / 2:g}" y="{height - CAPTION / 2:g}" font-size=".36" fill="{INK}">',
            f"{escape(caption)}</text>",
            "</svg>",
        ]
    )


def lines(items: tuple[Item, ...]) -> Iterator[str]:
    """Yield the line to each item that has a parent."""
    for item in items:
        if item.parent is not None:
            start = items[item.parent]
            colour, width = (WAY, 0.08) if item.mark in ("path", "last") else (LINE, 0.04)
            yield (
                f'<path d="M{start.x:g} {start.y:g}L{item.x:g} {item.y:g}" stroke="{colour}" stroke-width="{width}"'
                ' fill="none"/>'
            )


def drawn(item: Item) -> str:
    """Return one item around its middle; what the last move took is a dashed outline."""
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
