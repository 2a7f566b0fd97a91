"""The messages between the server and a page, where the connection breaks between two of them."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.websockets import WebSocket

from quietmove.referee.web.app import talk


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
