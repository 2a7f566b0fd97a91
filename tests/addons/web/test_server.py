"""The server of the pages where a request or a message comes too late."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.websockets import WebSocket

from quietmove.addons.web.app import Pages, talk
from quietmove.addons.web.boards import Json
from quietmove.addons.web.requests import PageRequest
from quietmove.addons.web.routes import answer_with
from quietmove.addons.web.server import bind
from quietmove.addons.web.sessions import GameSessions

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import Message


def test_a_request_that_is_answered_too_late_is_refused_when_the_server_ends() -> None:
    begun, enough = asyncio.Event(), threading.Event()

    def work(request: PageRequest) -> Json:
        loop.call_soon_threadsafe(begun.set)
        enough.wait()
        return {}

    async def body() -> Message:
        return {"type": "http.request", "body": b"{}"}

    async def scenario() -> Response:
        nonlocal loop
        loop = asyncio.get_running_loop()
        request = Request({"type": "http", "method": "POST", "headers": []}, body)
        answer = asyncio.ensure_future(answer_with(Pages(GameSessions(())).in_thread(PageRequest, work))(request))
        await begun.wait()
        answer.cancel()
        try:
            return await answer
        finally:
            enough.set()

    loop: asyncio.AbstractEventLoop
    assert asyncio.run(scenario()).status_code == 503


def test_the_body_of_an_answer_is_sent_at_once() -> None:
    with (
        bind("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as connection,
    ):
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_page_that_is_found_gone_by_a_message_to_it_ends_the_conversation() -> None:
    taken: list[str] = []
    refused = asyncio.Event()
    texts = iter(["websocket.connect", "one", "two"])

    async def receive() -> dict[str, Any]:
        text = next(texts)
        if text == "two":
            await refused.wait()
        return {"type": text} if text.startswith("websocket") else {"type": "websocket.receive", "text": text}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            refused.set()
            raise OSError("the page has closed the connection")

    async def take(text: str) -> None:
        taken.append(text)

    async def converse() -> None:
        socket = WebSocket({"type": "websocket", "path": "/", "headers": []}, receive, send)  # type: ignore[arg-type]
        await socket.accept()
        messages: asyncio.Queue[Any] = asyncio.Queue()
        messages.put_nowait({"type": "news"})
        await talk(socket, messages, take, 100)

    asyncio.run(asyncio.wait_for(converse(), 60))
    assert taken == ["one", "two"]
