"""The page that asks for the password of a server, in a real browser, with keys alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from tests.e2e.web.conftest import assert_all_can_use, serving, watched

SECRET = "correct horse & 8+ letters"
FIELD = "input[type=password]"


def test_the_password_is_asked_for_until_it_is_right(context: Any) -> None:
    with serving(QUIETMOVE_PASSWORD=SECRET) as (_, address):
        assert "token" not in address
        with watched(context, urlsplit(address).netloc, "403 (Forbidden)") as page:
            page.goto(address)
            page.wait_for_selector(f"{FIELD}:focus")
            assert_all_can_use(page)
            page.keyboard.type("a guess")
            page.keyboard.press("Enter")
            page.wait_for_selector("#error:text('That is not the password.')")
            page.wait_for_selector(f"{FIELD}:focus")
            assert_all_can_use(page)
            page.keyboard.type(SECRET)
            page.keyboard.press("Enter")
            page.wait_for_selector("#who1 option", state="attached")
