"""The HTML shell of every page, and the pages that add-ons add to the server.

An add-on registers functions under ``pages`` in its ``ADDON``. Each is called with a :class:`PageServer` and returns
:class:`AddedPages`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import HTMLResponse, Response
from starlette.websockets import WebSocketDisconnect

from quietmove.addons.web.routes import Role, Row, folder_row
from quietmove.engine.common.addons import make_pages

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.websockets import WebSocket

    from quietmove.addons.web.sessions import GameSessions

HOME = ("/", "Games", "home")  # the page linked from the header's title
PLAY = ("/play", "Play", "play")
LAST = 100  # the default rank
STATIC = Path(__file__).parent / "static"
IMPORT = re.compile(r'^import .*"(.+)";$', re.M)
PART = re.compile(r"<!--(\w+)-->")
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Quietmove</title>
<script src="/static/theme.js"></script>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/style.css">
<link rel="stylesheet" href="/static/board.css">
<link rel="stylesheet" href="/static/table.css">
{files}
</head>
<body>
<header class="top"><h1><a class="brand" href="/"{home}>Quietmove</a></h1>
<button type="button" id="menu" class="quiet-button" popovertarget="pages" aria-label="Pages">&#x2630;</button>
<nav id="pages" popover aria-label="Pages">{links}</nav>{button}</header>
{main}
{settings}
</body>
</html>
"""
SETTINGS_BUTTON = '<button type="button" id="to-settings" class="quiet-button push">Settings</button>'


class PageServer(NamedTuple):
    """The parts of a server that an add-on's pages can use.

    :ivar sessions: the server's games; ``sessions.kept.folder`` is the folder of saved games, or None if there is none.
    :ivar stores: the files and folders named by ``--store``; pages may show these and no others.
    """

    sessions: GameSessions
    stores: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class AddedPages:
    """A page that an add-on adds to the server.

    :param page: the base name of the page's files in ``static``: ``.html`` with the ``main`` element, ``.js``, and
        optionally ``.css``. ``<!--NAME-->`` in the HTML is replaced by ``NAME.html`` from the same folder or, if it
        has no such file, from the ``static`` folder of ``addons/web``. The ``status`` element shows the current status.
    """

    path: str  # the page's address, such as ``/tournaments``; its files are served under ``path/static``
    title: str  # the page's title and link text
    page: str
    static: Path  # the folder with the page's files
    routes: Sequence[Row]  # the page's routes, each with the minimum role
    beside: Callable[[], Coroutine[Any, Any, None]] | None = None  # a task that runs as long as the server does
    rank: int = LAST  # links are sorted by rank


def installed_pages(server: PageServer) -> list[AddedPages]:
    """Return the pages of the installed add-ons, in link order."""
    return sorted(make_pages(server), key=lambda each: each.rank)


def page_rows(added: Iterable[AddedPages]) -> list[Row]:
    """Return the routes of all pages, which link to each other, and the added pages' own routes."""
    added = list(added)
    links = [PLAY[:2], *((each.path, each.title) for each in added)]
    rows = [
        Row("GET", HOME[0], _page(STATIC / HOME[2], "", HOME[0], links), Role.PLAYER),
        Row("GET", PLAY[0], _page(STATIC / PLAY[2], "", PLAY[0], links), Role.SEAT),
    ]
    for each in added:
        rows.append(Row("GET", each.path, _page(each.static / each.page, each.path, each.path, links), Role.PLAYER))
        rows.append(folder_row(f"{each.path}/static", each.static, Role.PLAYER))
        rows += each.routes
    return [*rows, folder_row("/static", STATIC, Role.SEAT)]


def shell(title: str, main: str, links: Sequence[tuple[str, str]] = (), path: str = "", files: str = "") -> str:
    """Return a page's HTML.

    :param main: the page's ``main`` element.
    :param links: addresses and texts of links to all pages; ``path`` is this page's address. A page without links has
        no settings either.
    :param files: the page's script and style elements.
    """
    current = ' aria-current="page"'
    anchors = [f'<a href="{escape(to)}"{current if to == path else ""}>{escape(text)}</a>' for to, text in links]
    home = current if path == HOME[0] and path not in dict(links) else ""
    settings = (STATIC / "settings.html").read_text(encoding="utf-8") if links else ""
    button = SETTINGS_BUTTON if links else ""
    words = {"title": escape(title), "files": files, "home": home, "links": " ".join(anchors), "main": main}
    return PAGE.format(**words, button=button, settings=settings)


def _imported(script: Path, prefix: str) -> list[str]:
    """Return the addresses of all modules that a script imports, directly or not, for preloading.

    :param prefix: the address prefix of files next to the script.
    """
    found: dict[str, None] = {}
    waiting = [(prefix, script)]
    while waiting:
        base, path = waiting.pop()
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            folder, base_of = (path.parent, base) if name.startswith("./") else (STATIC, "")
            module = folder / Path(name).name
            address = f"{base_of}/static/{module.name}"
            if address not in found:
                found[address] = None
                waiting.append((base_of, module))
    return list(found)


def _page(files: Path, prefix: str, path: str, links: Sequence[tuple[str, str]]) -> Callable[[Request], Response]:
    """Return a handler that serves a page.

    :param files: the path of the page's files, without extension.
    :param prefix: the address prefix of these files.
    :param path: the page's address.
    """
    address = f"{prefix}/static/{files.name}"
    script = files.with_suffix(".js")
    named = f'<script type="module" src="{address}.js"></script>'
    named += "".join(f'<link rel="modulepreload" href="{each}">' for each in _imported(script, prefix))
    if files.with_suffix(".css").exists():
        named += f'<link rel="stylesheet" href="{address}.css">'
    title = dict([HOME[:2], *links])[path]

    def answer(request: Request) -> Response:
        main = files.with_suffix(".html").read_text(encoding="utf-8")
        main = PART.sub(lambda found: _part(files.parent, found[1]), main)
        return HTMLResponse(shell(title, main, links, path, named))

    return answer


def _part(folder: Path, name: str) -> str:
    """Return an HTML fragment from the page's own folder or, if it has no such file, from this add-on's."""
    path = folder / f"{name}.html"
    return (path if path.exists() else STATIC / path.name).read_text(encoding="utf-8")


async def tell(socket: WebSocket, messages: AsyncIterator[str]) -> None:
    """Send messages to a page until there are no more or the page disconnects."""
    with suppress(WebSocketDisconnect, RuntimeError):  # the page has disconnected
        async for message in messages:
            await socket.send_text(message)
        await socket.close()
