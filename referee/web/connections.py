"""How many connections may keep the server waiting, and for how long: silent ones keep nobody else from the pages."""

from __future__ import annotations

import asyncio
import resource
import time
from typing import TYPE_CHECKING, Any

import click
import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from quietmove.engine.printable import explain

if TYPE_CHECKING:
    from uvicorn.config import Config

__all__ = ["BACKLOG", "Connection", "RareLines", "Waiting"]

# A browser has so long to send a whole request once it is connected or has its last answer, and as long to take more of
# an answer that has filled the connection.
REQUEST_SECONDS = 20.0
MOST_WAITING = 200  # connections that may lack a whole request or leave their answer unread at one time
BACKLOG = 100  # connections that the kernel keeps, and that one turn of the loop accepts
REPORT_SECONDS = 60.0  # the least time between two lines on standard error


class RareLines:
    """Lines on standard error, one a minute at most; others are counted."""

    def __init__(self) -> None:
        self._next = 0.0
        self._left_out = 0

    def add(self, text: str) -> None:
        """Write a line, or count it."""
        if time.monotonic() < self._next:
            self._left_out += 1
            return
        more = f" ({self._left_out} more lines like this one in the last minutes)" if self._left_out else ""
        click.echo(f"{text}{more}", err=True)
        self._next, self._left_out = time.monotonic() + REPORT_SECONDS, 0

    def take_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Take an error of an event loop: a machine without room for a connection is told in a line."""
        if isinstance(context.get("exception"), OSError):
            self.add(f"error: {context['message']}: {explain(context['exception'])}")
        else:
            loop.default_exception_handler(context)


class Waiting:
    """The connections of one server that keep it waiting, the one that has done so longest first.

    :param lines: is told of those that are closed.
    """

    def __init__(self, lines: RareLines) -> None:
        self._most = min(MOST_WAITING, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._connections: dict[Connection, None] = {}
        self._lines = lines

    def add(self, connection: Connection) -> None:
        """Let a connection wait; if too many do, close the one that has waited longest."""
        self._connections[connection] = None
        if len(self._connections) > self._most:
            self.close(next(iter(self._connections)))

    def remove(self, connection: Connection) -> None:
        """Forget a connection that has sent its request, takes its answer, or has ended."""
        self._connections.pop(connection, None)

    def close(self, connection: Connection) -> None:
        """Close a connection that has waited too long."""
        self.remove(connection)
        connection.transport.abort()
        self._lines.add("note: a connection that sent no request, or read no answer, was closed")


class Connection(H11Protocol):
    """One connection of a browser. The request must come whole, and in time, and the answer be read."""

    def __init__(self, config: Config, *arguments: Any, waiting: Waiting, **named: Any) -> None:
        super().__init__(config, *arguments, **named)
        self._waiting = waiting
        self._deadline: asyncio.TimerHandle | None = None
        self._is_websocket = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._update_wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._end_wait()

    def handle_events(self) -> None:
        """Take what came."""
        super().handle_events()
        self._update_wait()

    def pause_writing(self) -> None:
        """Begin to wait until the answer is read."""
        super().pause_writing()
        self._update_wait()

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._update_wait()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Leave the connection to another protocol."""
        self._is_websocket = True
        super().handle_websocket_upgrade(event)

    def _update_wait(self) -> None:
        """Begin to wait where a request is missing or is not whole, or an answer is not read; else end the wait."""
        is_missing = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if self._is_websocket or not (is_missing or self.flow.write_paused):
            self._end_wait()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self._waiting.close, self)
            self._waiting.add(self)

    def _end_wait(self) -> None:
        self._waiting.remove(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
