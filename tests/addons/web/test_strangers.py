"""What strangers can do before they are let in: silent connections, and guesses of the password."""

from __future__ import annotations

import http.client
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.addons.conftest import Server, serving
from tests.addons.web.test_serving import WAIT, ask, heard, open_session, wait_for_turn, watching
from tests.fakes.processes import wait_until

SILENT = 400  # number of connections, which exceeds the server's limit on open files
FILES_OF_SERVER = 128


@contextmanager
def most_files(most: int) -> Iterator[None]:
    """Let this process, and those that it starts, have so many open files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, before[1]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contextmanager
def with_few_files(*words: str, **variables: str) -> Iterator[tuple[ExitStack, Server]]:
    """A server that may have few open files, and a stack for the connections to it."""
    with ExitStack() as opened:
        with most_files(FILES_OF_SERVER):
            process, address = opened.enter_context(serving(*words, **variables))
        opened.enter_context(most_files(SILENT + 500))
        yield opened, Server(address, process, Path())


def test_silent_connections_keep_nobody_from_the_pages() -> None:
    """Some say nothing, some the beginning of a request, some that a form comes which does not."""
    with with_few_files("--engine", "name=quick", "protocol=in-process", "depth=1") as (opened, server):
        page = opened.enter_context(watching(server, f"/sessions/{open_session(server)}"))
        wait_for_turn(page)
        host, _, port = server.host.partition(":")
        beginnings = (b"", b"GET / HTTP/1.1\r\nHost:", b"GET / HTTP/1.1\r\nContent-Length: 9\r\nHost: x\r\n\r\n")
        for number in range(SILENT):
            silent = opened.enter_context(socket.create_connection((host, int(port))))
            silent.sendall(beginnings[number % 3])
            if number % 100 == 0:
                assert ask(server, "GET", "/")[0] == 200
        page.send('{"ply": 0, "move": "f5"}')
        assert heard(page, "step")["ply"] == 1
        assert heard(page, "step")["ply"] == 2
        assert ask(server, "GET", "/")[0] == 200


def guess(host: str, source: str, claimed: str, body: bytes = b"password=not+this+one") -> str:
    """Send a password from an address of this machine, with a header that claims another; return the answer."""
    connection = http.client.HTTPConnection(host, timeout=WAIT, source_address=(source, 0))
    headers = {"Origin": f"http://{host}", "X-Forwarded-For": claimed}
    connection.request("POST", "/login", body, headers)
    answer = connection.getresponse()
    text = f"{answer.status} {answer.read().decode()}"
    connection.close()
    return text


def test_only_a_trusted_proxy_says_who_guesses() -> None:
    with serving("--trusted-proxy", "127.0.0.2", QUIETMOVE_PASSWORD="a long password") as (_, address):
        host = address.split("/")[2]
        for proxy, is_believed in (("127.0.0.1", False), ("127.0.0.2", True)):
            answers = [guess(host, proxy, f"192.0.2.{number}") for number in range(6)]
            assert ["wrong passwords were sent from" in each for each in answers] == [False] * 5 + [not is_believed]
        # An address behind the proxy does not lock out the others.
        locked = [guess(host, "127.0.0.2", "192.0.2.99") for _ in range(6)]
        assert "wrong passwords were sent" in locked[-1]
        assert guess(host, "127.0.0.2", "192.0.2.98", b"password=a+long+password").startswith("303")


def test_the_address_that_a_browser_is_started_with_opens_once(server: Server) -> None:
    """Other users of the machine can read it in the list of processes; it has no token."""
    opened = server.stores.parent / "opened"
    wait_until(opened.exists)
    path = opened.read_text().strip().removeprefix(f"http://{server.host}")
    assert server.token not in path
    status, headers, _ = ask(server, "GET", path, cookie=None)
    assert (status, server.token in headers["set-cookie"]) == (303, True)
    assert ask(server, "GET", path, cookie=None)[0] == 403


def test_who_reads_no_answer_keeps_nobody_from_the_pages() -> None:
    """Each asks for a file that anybody may see, many times over, and takes none of it."""
    with with_few_files(QUIETMOVE_PASSWORD="a long password") as (opened, server):
        host, _, port = server.host.partition(":")
        for _ in range(FILES_OF_SERVER):
            deaf = opened.enter_context(socket.socket())
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect((host, int(port)))
            deaf.setblocking(False)
            deaf.send(b"GET /static/style.css HTTP/1.1\r\nHost: x\r\n\r\n" * 400)
        assert ask(server, "GET", "/static/style.css", cookie=None)[0] == 200
