"""The server of the pages: its beginning and its end."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request

from quietmove.referee.web.app import Pages
from quietmove.referee.web.boards import Json
from quietmove.referee.web.house import House
from quietmove.referee.web.server import PageServer

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import Message


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


FOR_EVER = """
import signal, uvicorn
from quietmove.referee.web.server import PageServer
PageServer(uvicorn.Config(None), print, 0.1).handle_exit(signal.SIGINT, None)
while True:
    pass
"""


def test_a_game_that_runs_for_ever_does_not_keep_the_server_from_its_end() -> None:
    ended = subprocess.run([sys.executable, "-c", FOR_EVER], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr) == (1, "Error: a game did not end within 0.1 seconds, and was left.\n")


def test_a_request_that_is_answered_too_late_is_refused_when_the_server_ends() -> None:
    begun, enough = asyncio.Event(), threading.Event()

    def work(wish: Json) -> Json:
        loop.call_soon_threadsafe(begun.set)
        enough.wait()
        return {}

    async def body() -> Message:
        return {"type": "http.request", "body": b"{}"}

    async def scenario() -> Response:
        nonlocal loop
        loop = asyncio.get_running_loop()
        request = Request({"type": "http", "method": "POST", "headers": []}, body)
        answer = asyncio.ensure_future(Pages(House(())).answer_with(work)(request))
        await begun.wait()
        answer.cancel()
        try:
            return await answer
        finally:
            enough.set()

    loop: asyncio.AbstractEventLoop
    assert asyncio.run(scenario()).status_code == 503
