"""The server of the pages, at its end."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from starlette.requests import Request

from quietmove.referee.web.app import Pages
from quietmove.referee.web.boards import Json
from quietmove.referee.web.pages import answer_with
from quietmove.referee.web.requests import PageRequest
from quietmove.referee.web.sessions import GameSessions

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
