"""Passwords and tokens, and the limit on wrong attempts per address."""

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

LEAST_LETTERS = 8  # minimum length of a password
MOST_TRIES = 5  # maximum number of wrong passwords from one address within WINDOW_SECONDS
WINDOW_SECONDS = 60.0
MOST_ADDRESSES = 1000  # maximum number of addresses with recorded attempts


class Tries:
    """The recent wrong attempts by address. IPv6 addresses are grouped by /64.

    :param most: the maximum number of wrong attempts per address.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._clock = clock
        # The times of each address's wrong attempts; the address with the latest attempt comes last.
        self._wrong: dict[str, list[float]] = {}

    def are_used_up(self, address: str) -> bool:
        """Return whether an address has no attempts left."""
        address = _network(address)
        now = self._clock()
        if tries := [at for at in self._wrong.pop(address, []) if now - at < WINDOW_SECONDS]:
            self._wrong[address] = tries
        return len(tries) >= self.most

    def note(self, address: str) -> None:
        """Record a wrong attempt."""
        address = _network(address)
        self._wrong[address] = [*self._wrong.pop(address, []), self._clock()]
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))


def _network(address: str) -> str:
    """Return the part of an address that a client cannot easily change: the first 64 bits of IPv6, all of IPv4."""
    try:
        found = ip_address(address)
    except ValueError:  # a Unix socket, or a proxy that sends no address
        return address
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped or ip_network((int(found), 64), strict=False))


class Password:
    """The server's password, and the recent wrong attempts per address."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Set the password.

        :raises SetupError: if the password is too short.
        """
        if len(text) < LEAST_LETTERS:
            raise SetupError(f"the password: must have at least {LEAST_LETTERS} characters, not {len(text)}")
        self._digest = _digest(text)
        self._tries = Tries(MOST_TRIES, clock)

    def refusal(self, body: bytes, address: str) -> str:
        """Return the reason to reject a login form from ``address``, or an empty string."""
        if self._tries.are_used_up(address):
            return f"{MOST_TRIES} wrong passwords were sent from this address within a minute; wait a minute."
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        if hmac.compare_digest(_digest(given), self._digest):
            return ""
        self._tries.note(address)
        return "Wrong password."


def read_password(path: Path) -> str:
    """Return the password in the first line of a file.

    :raises SetupError: if the file cannot be read or is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline(10_000).rstrip("\n")
    except OSError as error:
        raise SetupError(f"the password: {explain(error)}") from None
    except UnicodeDecodeError:
        raise SetupError(f"the password: {path}: must be UTF-8") from None


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(18)


def _digest(text: str) -> bytes:
    """Return a digest of fixed length."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def is_same(given: str, secret: str) -> bool:
    """Return whether a text equals a secret. The time taken does not depend on where they differ."""
    return hmac.compare_digest(given.encode(), secret.encode())
