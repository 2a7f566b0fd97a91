"""Limits on idle connections, so that silent clients cannot block the pages for others.

uvicorn has no such limits: its ``timeout_keep_alive`` starts only after the first response, and ``limit_concurrency``
rejects the newest clients, so that silent connections would shut out everyone else.
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

# Time limit for a browser to send a complete request after connecting or after the last response, and to read more of a
# response if the send buffer is full.
REQUEST_SECONDS = 20.0
MOST_WAITING = 200  # maximum number of connections with an incomplete request or an unread response
BACKLOG = 100  # maximum number of connections queued by the kernel, and accepted per turn of the loop
REPORT_SECONDS = 60.0  # minimum time between log lines


class Waiting:
    """The connections that a server is waiting for, longest wait first.

    :param most: the maximum number of connections, reduced if the process's limit on open files is low.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._connections: dict[Connection, asyncio.TimerHandle] = {}  # each connection's timer, which closes it
        self._quiet_until = 0.0  # earliest monotonic time of the next log line

    def update(self, connection: Connection) -> None:
        """Start or cancel a connection's timeout. If too many connections are waiting, close the oldest."""
        if not connection.is_waiting:
            self.remove(connection)
        elif connection not in self._connections:
            self._connections[connection] = connection.loop.call_later(REQUEST_SECONDS, self._close, connection)
            if len(self._connections) > self._most:
                self._close(next(iter(self._connections)))

    def remove(self, connection: Connection) -> None:
        """Stop waiting for a connection, and cancel its timer."""
        if deadline := self._connections.pop(connection, None):
            deadline.cancel()

    def _close(self, connection: Connection) -> None:
        self.remove(connection)
        connection.transport.abort()
        if time.monotonic() >= self._quiet_until:
            click.echo("note: closed a connection that sent no request or read no response", err=True)
            self._quiet_until = time.monotonic() + REPORT_SECONDS


class Connection(H11Protocol):
    """A browser's connection, with a time limit for sending the request and reading the response."""

    def __init__(self, config: Config, *arguments: Any, waiting: Waiting, **named: Any) -> None:
        super().__init__(config, *arguments, **named)
        self._waiting = waiting

    @property
    def is_waiting(self) -> bool:
        """Whether a request is missing or incomplete, or a response is unread. Always false for a websocket."""
        is_missing = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        return self.transport.get_protocol() is self and (is_missing or self.flow.write_paused)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._waiting.update(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting for this browser."""
        super().connection_lost(exc)
        self._waiting.remove(self)

    def handle_events(self) -> None:
        """Process received data, then start or stop waiting."""
        super().handle_events()
        self._waiting.update(self)

    def pause_writing(self) -> None:
        """Start waiting for the browser to read the response."""
        super().pause_writing()
        self._waiting.update(self)

    def resume_writing(self) -> None:
        """Stop waiting for the response to be read."""
        super().resume_writing()
        self._waiting.update(self)
