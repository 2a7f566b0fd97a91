"""Runs the pages of a house on a port of this machine."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from types import FrameType

import uvicorn

from quietmove.referee.errors import RefereeError
from quietmove.referee.web.app import MOST_QUESTION, create_app
from quietmove.referee.web.guard import new_token
from quietmove.referee.web.house import DEFAULT_ENGINES, House
from quietmove.referee.web.login import Password
from quietmove.referee.web.pages import AddedPages
from quietmove.referee.web.setup import PageSetup

__all__ = ["run"]

LOOPBACK = ("127.0.0.1", "::1")
ANY = ("0.0.0.0", "::")  # all addresses of this machine
PATIENCE_SECONDS = 2  # for open connections at the end
LAST_SECONDS = 30  # for all else, after which only a game of one's own can still run


def run(
    setup: PageSetup,
    ready: Callable[[str], None],
    added: Sequence[AddedPages] = (),
    ask: Callable[[], str] = lambda: "",
) -> None:
    """Serve until Ctrl-C or SIGTERM; ``ready`` gets the address once it can be opened, with its token if it has one.

    :param added: pages of other packages.
    :param ask: returns a password, if the server can be reached from other machines and ``setup`` has none.
    :raises RefereeError: if the port is taken, or this machine is not the host.
    :raises SetupError: if the password is too short.
    """
    listener = bind(setup.host, setup.port)
    address, number = listener.getsockname()[:2]
    text = setup.password or ("" if address in LOOPBACK else ask())
    password = Password(text) if text or address not in LOOPBACK else None
    names = ["localhost", f"[{address}]" if ":" in address else address]
    hosts, token = [f"{name}:{number}" for name in names], new_token()
    shown = f"http://{socket.gethostname() if address in ANY else names[1]}:{number}/"

    app = create_app(House(setup.engines or DEFAULT_ENGINES, own_games=setup.games), hosts, token, added, password)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=PATIENCE_SECONDS,
        ws_max_size=MOST_QUESTION * 4,
    )
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # uvicorn raises the signal once more when all has ended
        signal.signal(signal.SIGINT, signal.default_int_handler)
    server = PageServer(config, lambda: ready(shown if password else f"{shown}?token={token}"), LAST_SECONDS)
    with listener:
        server.run(sockets=[listener])
    if server.failure is not None:
        raise server.failure


class PageServer(uvicorn.Server):
    """A server that says when it can be reached, and ends its games however often it is told to end.

    :ivar failure: why that could not be said, such as a standard output that is full; the server has ended then.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], last_seconds: float | None = None) -> None:
        """Serve what ``config`` says, and call ``ready`` then.

        :param last_seconds: after which the whole process ends by force when it was told to end.
        """
        super().__init__(config)
        self.failure: Exception | None = None
        self._ready = ready
        self._last_seconds = last_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        try:
            self._ready()
        except Exception as error:
            self.failure = error
            self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take the first Ctrl-C; what comes while the engines end hurries nothing, and would leave them behind."""
        if self.should_exit:
            return
        if self._last_seconds is not None:
            timer = threading.Timer(self._last_seconds, end_by_force, (self._last_seconds,))
            timer.daemon = True
            timer.start()
        super().handle_exit(sig, frame)


def end_by_force(seconds: float) -> None:
    """End the process, whose threads do not: Python cannot stop a game of one's own that runs for ever."""
    os.write(2, f"Error: a game did not end within {seconds:g} seconds, and was left.\n".encode())
    os._exit(1)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to a port of a name or address of this machine.

    :raises RefereeError: if it cannot be.
    """
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError) as error:
        raise RefereeError(f"--host {host}: {getattr(error, 'strerror', None) or error}") from None
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(place)
    except OSError as error:
        listener.close()
        raise RefereeError(f"--host {host} --port {port}: {error.strerror}") from None
    return listener
