"""Serves the pages on a port of this machine."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import uvicorn

from quietmove.addons.web.app import MOST_QUESTION, create_app
from quietmove.addons.web.connections import BACKLOG, MOST_WAITING, Connection, Waiting
from quietmove.addons.web.pages import PageServer, installed_pages
from quietmove.addons.web.passwords import Password, new_token
from quietmove.addons.web.sessions import MOST_SESSIONS, GameSessions
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameFileError
from quietmove.referee.errors import RefereeError
from quietmove.referee.game.host import SWITCH_SECONDS
from quietmove.referee.game.saved import games_folder
from quietmove.referee.process.loop import RefereeLoop
from quietmove.referee.process.shortage import allow_files

if TYPE_CHECKING:
    from starlette.types import ASGIApp

LOOPBACK = ("127.0.0.1", "::1")
ANY = ("0.0.0.0", "::")  # all addresses of this machine
GRACE_SECONDS = 2  # time for open connections to close when the server stops


def run(
    sessions: GameSessions,
    ready: Callable[[str, str], None],
    stores: Sequence[Path] = (),
    *,
    host: str,
    port: int,
    password: str,
    ask: Callable[[], str],
    proxies: Sequence[str] = (),
    home: str = "/",
) -> None:
    """Serve until Ctrl-C or SIGTERM, in the referee's event loop so that engines are not charged for server delays.

    :param ready: called once the server is reachable, with its address (including any token) and a one-time address.
    :param stores: tournament files and folders that pages may show.
    :param host: the name or address of this machine to serve on.
    :param port: the port, or 0 for any free port.
    :param password: the pages' password, or "" if not set yet.
    :param ask: returns a password if other machines can connect and none is set.
    :param home: the page that opens first.
    :param proxies: addresses and networks whose forwarding headers are trusted.
    :raises RefereeError: if the port is taken, or the host is not this machine.
    :raises SetupError: if the password is too short.
    """
    listener = bind(host, port)
    address, number = listener.getsockname()[:2]
    text = password or ("" if address in LOOPBACK else ask())
    secret = Password(text) if text or address not in LOOPBACK else None
    names = ["localhost", f"[{address}]" if ":" in address else address]
    if secret is None:  # only this machine can connect
        try:
            sessions.keep_in(games_folder())
        except GameFileError as error:
            click.echo(f"note: games are not saved: {printable(str(error))}", err=True)
    hosts = [f"{name}:{number}" for name in names]
    token = new_token()
    code = new_token()
    shown = f"http://{socket.gethostname() if address in ANY else names[1]}:{number}/"

    pages = installed_pages(PageServer(sessions, stores))
    app = create_app(sessions, hosts, token, pages, secret, code, home)
    places = (shown, shown) if secret else (f"{shown}?token={token}", f"{shown}?token={code}")
    serve_app(app, listener, lambda: ready(*places), proxies)


def serve_app(
    app: ASGIApp,
    listener: socket.socket,
    ready: Callable[[], None],
    proxies: Sequence[str] = (),
    most_waiting: int = MOST_WAITING,
) -> None:
    """Serve an application until Ctrl-C or SIGTERM.

    :param ready: called once the application is reachable.
    :param most_waiting: the maximum number of idle connections, such as those of spectators.
    """
    allow_files(MOST_SESSIONS, others=4 * most_waiting)
    connection: Any = partial(Connection, waiting=Waiting(most_waiting))
    config = uvicorn.Config(
        app,
        http=connection,
        backlog=BACKLOG,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws_max_size=MOST_QUESTION * 4,
    )
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # uvicorn raises the signal again after shutdown
        signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.setswitchinterval(SWITCH_SECONDS)
    with listener, asyncio.Runner(loop_factory=RefereeLoop) as runner:
        ready()
        runner.run(uvicorn.Server(config).serve([listener]))


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket on a name or address of this machine.

    :raises RefereeError: if the socket cannot be opened.
    """
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        # Headers and body of a response are separate packets. The kernel would hold the second until the browser
        # acknowledges the first, which takes 40 ms; asyncio disables this only on sockets it creates itself.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, UnicodeError) as error:
        wrong = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        raise RefereeError(f"--host {host} --port {port}: {wrong}") from None
