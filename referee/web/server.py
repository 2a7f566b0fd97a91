"""Runs the pages of a house on a port of this machine."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Sequence

import uvicorn

from quietmove.referee.errors import RefereeError
from quietmove.referee.web.app import MOST_QUESTION, create_app
from quietmove.referee.web.guard import new_token
from quietmove.referee.web.house import DEFAULT_ENGINES, House
from quietmove.referee.web.pages import AddedPages
from quietmove.referee.web.setup import PageSetup

__all__ = ["run"]

LOOPBACK = "127.0.0.1"
PATIENCE_SECONDS = 2  # for open connections at the end


def run(setup: PageSetup, ready: Callable[[str], None], added: Sequence[AddedPages] = ()) -> None:
    """Serve until Ctrl-C or SIGTERM; ``ready`` gets the address with its token once it can be opened.

    :param added: pages of other packages.
    :raises RefereeError: if the port is taken.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, setup.port))
    except OSError as error:
        raise RefereeError(f"--port {setup.port}: {error.strerror}") from None
    number, token = listener.getsockname()[1], new_token()
    hosts = [f"{name}:{number}" for name in (LOOPBACK, "localhost")]

    failures: list[Exception] = []

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            try:
                ready(f"http://{LOOPBACK}:{number}/?token={token}")
            except Exception as error:  # such as a standard output that is full
                failures.append(error)
                self.should_exit = True

    app = create_app(House(setup.engines or DEFAULT_ENGINES, own_games=setup.games), hosts, token, added)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=PATIENCE_SECONDS,
        ws_max_size=MOST_QUESTION * 4,
    )
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # uvicorn raises the signal once more when all has ended
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with listener:
        Server(config).run(sockets=[listener])
    if failures:
        raise failures[0]
