"""Passwords and tokens: what opens a server, and how often it may be tried from one address."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from urllib.parse import parse_qs

from quietmove.engine.common.text import explain
from quietmove.referee.errors import SetupError

LEAST_LETTERS = 8  # a password has at least eight characters
MOST_TRIES = 5  # wrong passwords from one address within WINDOW_SECONDS
WINDOW_SECONDS = 60.0
MOST_ADDRESSES = 1000  # wrong passwords are remembered for the last 1,000 addresses


class Tries:
    """The wrong tries that came from each address within the last minute; one of IPv6 counts with its /64.

    :param most: an address may have so many.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        # Each address has the times of its wrong tries; the address with the latest one stands at the end.
        self._wrong: dict[str, list[float]] = {}

    def are_used_up(self, address: str) -> bool:
        """Tell whether no further try of an address counts now."""
        address = _network(address)
        now = self._clock()
        if tries := [at for at in self._wrong.pop(address, []) if now - at < WINDOW_SECONDS]:
            self._wrong[address] = tries
        return len(tries) >= self.most

    def note(self, address: str) -> None:
        """Note a wrong try."""
        address = _network(address)
        self._wrong[address] = [*self._wrong.pop(address, []), self._clock()]
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))


def _network(address: str) -> str:
    """Return what a machine cannot change of its address: of IPv6 the first 64 bits, of IPv4 all."""
    try:
        found = ip_address(address)
    except ValueError:  # the server's socket is none of the internet, or a proxy names no address
        return address
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped or ip_network((int(found), 64), strict=False))


class Password:
    """The password of a server, with the wrong ones that came from each address."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the password.

        :raises SetupError: if it is too short.
        """
        if len(text) < LEAST_LETTERS:
            raise SetupError(f"the password: must be at least {LEAST_LETTERS} characters, not {len(text)}")
        self._digest = _digest(text)
        self._tries = Tries(MOST_TRIES, clock)

    def refusal(self, body: bytes, address: str) -> str:
        """Return why a form that came from ``address`` does not open the door, or an empty text."""
        if self._tries.are_used_up(address):
            return f"{MOST_TRIES} wrong passwords came from this address within a minute; wait a minute."
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        if hmac.compare_digest(_digest(given), self._digest):
            return ""
        self._tries.note(address)
        return "That is not the password."


def read_password(path: Path) -> str:
    """Return the first line of a file.

    :raises SetupError: if it cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline(10_000).rstrip("\n")
    except OSError as error:
        raise SetupError(f"the password: {explain(error)}") from None
    except UnicodeDecodeError:
        raise SetupError(f"the password: {path}: not UTF-8") from None


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(18)


def _digest(text: str) -> bytes:
    """Return a digest, which is equally long for every password."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def is_same(given: str, secret: str) -> bool:
    """Return whether a text is the secret, in a time that does not tell how much of it is right."""
    return hmac.compare_digest(given.encode(), secret.encode())
