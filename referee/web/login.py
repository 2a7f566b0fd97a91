"""The password of a server that other machines can reach: how it is checked, and how often it may be tried."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

from quietmove.engine.printable import explain
from quietmove.referee.errors import SetupError
from quietmove.referee.web.pages import PAGE, STATIC

__all__ = ["LEAST_LETTERS", "PUBLIC", "Password", "login_page", "read_password"]

LEAST_LETTERS = 8
MOST_TRIES = 5  # wrong passwords from one address within WINDOW_SECONDS
WINDOW_SECONDS = 60.0
MOST_ADDRESSES = 1000  # whose tries are remembered
PUBLIC = ("/static/style.css", "/static/icon.svg")  # what the page needs, and anybody may see


class Password:
    """A password, with the wrong tries of each address."""

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the password.

        :raises SetupError: if it is too short.
        """
        if len(text) < LEAST_LETTERS:
            raise SetupError(f"the password: must be at least {LEAST_LETTERS} characters, not {len(text)}")
        self._digest = _digest(text)
        self._clock = clock
        self._wrong: dict[
            str, list[float]
        ] = {}  # when each address was wrong, the address that was wrong last at the end

    def refusal(self, body: bytes, address: str) -> str:
        """Return why a form that came from ``address`` does not open the door, or an empty text."""
        now = self._clock()
        tries = [at for at in self._wrong.pop(address, []) if now - at < WINDOW_SECONDS]
        if len(tries) >= MOST_TRIES:
            self._wrong[address] = tries
            return f"{MOST_TRIES} wrong passwords came from this address within a minute; wait a minute."
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        if hmac.compare_digest(_digest(given), self._digest):
            return ""
        self._wrong[address] = [*tries, now]
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))
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


def login_page(wrong: str = "") -> str:
    """Return the page that asks for the password, and says what was wrong with the last one."""
    error = f'<p id="error" role="alert">{escape(wrong)}</p>' if wrong else ""
    main = (STATIC / "login.html").read_text(encoding="utf-8").replace("<!--error-->", error)
    return PAGE.format(title="Log in", files="", links="", main=main)


def _digest(text: str) -> bytes:
    """Return what is compared: as long for every password."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
