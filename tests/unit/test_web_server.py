"""The server of the pages: its beginning and its end."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette

from quietmove.referee.web.server import PageServer


def test_an_end_that_is_asked_for_twice_is_an_end_in_order() -> None:
    """A second Ctrl-C would leave the games of the page, and print a traceback."""
    ended: list[str] = []

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        ended.append("games")

    async def scenario() -> None:
        server = PageServer(uvicorn.Config(Starlette(lifespan=lifespan)), twice)
        servers.append(server)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            await server._serve([listener])

    def twice() -> None:
        for _ in range(2):
            servers[0].handle_exit(signal.SIGINT, None)

    servers: list[PageServer] = []
    asyncio.run(scenario())
    assert ended == ["games"]
    assert servers[0].failure is None
