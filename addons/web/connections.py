"""How many connections may keep the server waiting, and for how long: silent ones keep nobody else from the pages.

uvicorn has no such limits: its ``timeout_keep_alive`` begins with the first answer, and ``limit_concurrency`` refuses
those who come last, so that silent connections would shut everybody else out.
"""

from __future__ import annotations

import asyncio
import resource
import time
from typing import TYPE_CHECKING, Any

import click
import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from uvicorn.config import Config

# A browser has so long to send a whole request once it is connected or has its last answer, and as long to take more of
# an answer that has filled the connection.
REQUEST_SECONDS = 20.0
MOST_WAITING = 200  # connections that may lack a whole request or leave their answer unread at one time
BACKLOG = 100  # connections that the kernel keeps, and that one turn of the loop accepts
REPORT_SECONDS = 60.0  # the least time between two lines on standard error


class Waiting:
    """The connections that keep a server waiting, the one that has done so longest first.

    :param most: so many may, unless the process may open too few files.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._connections: dict[Connection, asyncio.TimerHandle] = {}  # each has the timer that closes it
        self._quiet_until = 0.0  # the monotonic time of the next line

    def update(self, connection: Connection) -> None:
        """Let a connection begin to wait, or end its wait; if too many wait, close the one that has done so longest."""
        if not connection.is_waiting:
            self.remove(connection)
        elif connection not in self._connections:
            self._connections[connection] = connection.loop.call_later(REQUEST_SECONDS, self._close, connection)
            if len(self._connections) > self._most:
                self._close(next(iter(self._connections)))

    def remove(self, connection: Connection) -> None:
        """Forget a connection."""
        if deadline := self._connections.pop(connection, None):
            deadline.cancel()

    def _close(self, connection: Connection) -> None:
        self.remove(connection)
        connection.transport.abort()
        if time.monotonic() >= self._quiet_until:
            click.echo("note: a connection that sent no request, or read no answer, was closed", err=True)
            self._quiet_until = time.monotonic() + REPORT_SECONDS


class Connection(H11Protocol):
    """One connection of a browser. The request must come whole, and in time, and the answer be read."""

    def __init__(self, config: Config, *arguments: Any, waiting: Waiting, **named: Any) -> None:
        super().__init__(config, *arguments, **named)
        self._waiting = waiting

    @property
    def is_waiting(self) -> bool:
        """Whether a request is missing or not whole, or an answer not read; a websocket has another protocol."""
        is_missing = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        return self.transport.get_protocol() is self and (is_missing or self.flow.write_paused)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._waiting.update(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._waiting.remove(self)

    def handle_events(self) -> None:
        """Take what came."""
        super().handle_events()
        self._waiting.update(self)

    def pause_writing(self) -> None:
        """Begin to wait until the answer is read."""
        super().pause_writing()
        self._waiting.update(self)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._waiting.update(self)
