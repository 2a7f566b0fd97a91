"""What goes over the websockets: messages to a page, and the page's own, of which not all are taken."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from quietmove.engine.errors import QuietmoveError
from quietmove.referee.errors import SetupError
from quietmove.referee.web.table import Table, Watcher

__all__ = ["take_move", "talk"]

MOST_MESSAGES = 20  # a second from one page; more are answered by an error

Take = Callable[[Mapping[str, object]], Awaitable[None]]


async def talk(socket: WebSocket, messages: Watcher, take: Take, most: int) -> None:
    """Send ``messages`` to a page, and give its own to ``take``, until the page has gone.

    :param take: raises a ``QuietmoveError`` for what it does not take; the page is told.
    :param most: characters of one message of the page.
    """
    telling = asyncio.create_task(_tell(socket, messages))
    try:
        await _listen(socket, take, most)
    except (WebSocketDisconnect, KeyError):  # a KeyError: bytes came where a text is read
        pass
    finally:
        telling.cancel()


async def take_move(table: Table, message: Mapping[str, object]) -> None:
    """Play the move that a message asks for.

    :raises SetupError: if it cannot be played now.
    """
    ply, move = message.get("ply"), message.get("move")
    if type(ply) is not int or not isinstance(move, str):
        raise SetupError("a message has a ply, which is a number, and a move, which is a text")
    if wrong := table.answer(ply, move):
        raise SetupError(wrong)


async def _tell(socket: WebSocket, messages: Watcher) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):  # the page has gone
        while (message := await messages.get()) is not None:
            await _send(socket, message)
        await socket.close()


async def _listen(socket: WebSocket, take: Take, most: int) -> None:
    began, count = time.monotonic(), 0
    while True:
        text = await socket.receive_text()
        now = time.monotonic()
        if now - began > 1:
            began, count = now, 0
        count += 1
        number: object = None
        try:
            if count > MOST_MESSAGES:
                raise SetupError(f"more than {MOST_MESSAGES} messages a second")
            message = _document(text, most)
            number = message.get("id")
            await take(message)
        except QuietmoveError as error:
            await _send(socket, {"type": "error", "error": str(error), "id": number if type(number) is int else None})


def _document(text: str, most: int) -> Mapping[str, object]:
    """Return the object that a message is.

    :raises SetupError: if it is none.
    """
    try:
        message = json.loads(text) if len(text) <= most else None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise SetupError(f"a JSON object of at most {most} characters is allowed")
    return message


async def _send(socket: WebSocket, message: Mapping[str, object]) -> None:
    await socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
