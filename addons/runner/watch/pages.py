"""The request handlers of the tournaments page of ``quietmove-referee serve``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from quietmove.addons.web.access import asker_of
from quietmove.addons.web.boards import Json
from quietmove.addons.web.follow import Follower
from quietmove.addons.web.pages import AddedPages, tell
from quietmove.addons.web.requests import path_number
from quietmove.addons.web.routes import WEBSOCKET, Role, Row, json_text
from quietmove.addons.web.store_reader import Reader, game_document, listed_games, store_id
from quietmove.engine.common.text import printable
from quietmove.tournament.errors import StoreError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.websockets import WebSocket

STATIC = Path(__file__).parent / "static"
HALL_FILE = "hall.sqlite"  # not a store: the queue of a folder's runs
MOST_STORES = 500  # maximum number of stores in a list
REFUSED = 4404  # close code that tells the page not to reconnect
T = TypeVar("T")


def tournament_pages(
    stores: Sequence[Path],
    starting: Sequence[Row] = (),
    beside: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> AddedPages:
    """Return the page that shows the tournaments in ``stores``, a list of files and folders.

    :param starting: the owner's routes for starting tournaments, if available.
    :param beside: a coroutine function to run while the server runs.
    """
    tournaments = Tournaments(stores, has_author=bool(starting))
    rows = [
        Row("GET", "/api/tournaments", tournaments.list, Role.PLAYER),
        Row("GET", "/api/tournaments/{name}/games", tournaments.list_games, Role.PLAYER),
        Row("GET", "/api/tournaments/{name}/games/{number}", tournaments.show_game, Role.PLAYER),
        Row(WEBSOCKET, "/tournaments/{name}/live", tournaments.watch, Role.PLAYER),
    ]
    return AddedPages("/tournaments", "Tournaments", "tournaments", STATIC, [*rows, *starting], beside)


class Tournaments:
    """The request handlers of the tournaments page.

    Requests identify a store by its short name (:func:`stores_at`), never by a path.

    :param places: store files, and folders of stores.
    :param has_author: whether the owner can start tournaments here.
    """

    def __init__(self, places: Sequence[Path], *, has_author: bool = False) -> None:
        self._places = places
        self._has_author = has_author
        self._thread = ThreadPoolExecutor(1, "stores")
        self._followers: dict[str, Follower] = {}

    async def list(self, request: Request) -> Json:
        """List the tournaments. If a store cannot be read, its entry contains the error instead."""
        stores = stores_at(self._places)
        return await self._read(
            lambda: {
                "author": self._has_author and asker_of(request).role is Role.OWNER,
                "tournaments": [
                    {"id": name, "file": path.name, **Reader(path).headline()} for name, path in stores.items()
                ],
            }
        )

    async def list_games(self, request: Request) -> Json:
        """Return the requested games of a tournament; see :func:`listed_games`."""
        reader = self._follower(request.path_params["name"]).reader
        if not reader.results:
            await self._read(reader.refresh)
        return await self._read(lambda: listed_games(reader.results, request.query_params, reader.count_plies))

    async def show_game(self, request: Request) -> Json:
        """Return a game, move by move."""
        reader = self._follower(request.path_params["name"]).reader
        number = path_number(request)
        name = request.path_params["name"]

        def read() -> Json:
            tournament = reader.tournament.name if reader.tournament else "the tournament"
            back = {"address": f"/tournaments#{name}", "text": tournament}
            return {**game_document(number, reader.game(number)[1]), "back": back}

        return await self._read(read)

    async def watch(self, socket: WebSocket) -> None:
        """Send a tournament's state, then each change, until the page disconnects."""
        await socket.accept()
        try:
            follower = self._follower(socket.path_params["name"])
        except StoreError as error:
            await socket.send_text(json_text({"type": "error", "error": str(error)}))
            await socket.close(REFUSED)
            return
        telling = asyncio.create_task(tell(socket, follower.messages()))
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass  # ignore messages from the page
        telling.cancel()

    async def _read(self, work: Callable[[], T]) -> T:
        """Run ``work`` in the thread that reads the stores, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _follower(self, name: str) -> Follower:
        """Return the follower of the store with this short name.

        :raises StoreError: if there is no such store.
        """
        path = stores_at(self._places).get(name)
        if path is None:
            raise StoreError(f"store: there is no {printable(name, 60)!r} here; it may have been deleted")
        return self._followers.setdefault(name, Follower(Reader(path), self._thread))


def stores_at(places: Sequence[Path]) -> dict[str, Path]:
    """Return the stores that exist now, at most MOST_STORES, keyed by a short name for URLs derived from the path.

    :param places: files, and folders whose ``.sqlite`` files are included.
    """
    found = [path for place in places for path in (sorted(place.glob("*.sqlite")) if place.is_dir() else [place])]
    return {store_id(path): path for path in found[:MOST_STORES] if path.name != HALL_FILE}
