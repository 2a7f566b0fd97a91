"""The lessons page: the guide ``lessons.md``, one section per idea."""

from __future__ import annotations

import re
from pathlib import Path

from quietmove.addons.lab.trees_page import STATIC
from quietmove.addons.web.boards import Json
from quietmove.addons.web.pages import AddedPages, PageServer
from quietmove.addons.web.routes import Role, Row

GUIDE = Path(__file__).parent / "lessons.md"
COURSE = Path(__file__).parent / "course.md"
LECTURES = Path(__file__).parent / "lectures.md"
ITEM = re.compile(r"- `([^`]+)`: (.+)")


def lesson_pages(server: PageServer) -> AddedPages:
    """Return the lessons page, which is the same for every server."""
    rows = [_row("lessons", GUIDE), _row("course", COURSE), _row("lectures", LECTURES)]
    return AddedPages("/lessons", "Lessons", "lessons", STATIC, rows, rank=4)


def _row(name: str, guide: Path) -> Row:
    """Return the route that serves a guide's sections."""
    found = {name: read_lessons(guide.read_text(encoding="utf-8"))}
    return Row("GET", f"/api/{name}", lambda request: found, Role.PLAYER)


def read_lessons(guide: str) -> list[Json]:
    """Return the sections of the guide: ``title``, ``paragraphs``, and ``items``.

    An item has a ``target``, which is a command line or a page address, and the result to ``expect``. Texts mark
    `code` and **results** as in Markdown.
    """
    lessons = []
    for section in re.split(r"^## ", guide, flags=re.M)[1:]:
        title, _, rest = section.partition("\n")
        texts = [" ".join(block.split()) for block in re.split(r"\n\n|\n(?=- )", rest.strip())]
        items = [found for found in map(ITEM.fullmatch, texts) if found]
        lessons.append(
            {
                "title": title,
                "paragraphs": [text for text in texts if not ITEM.fullmatch(text)],
                "items": [{"target": found[1], "expect": found[2]} for found in items],
            }
        )
    return lessons
