"""Requests that no page sends: numbers without end, deep nesting, half letters, values of other types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

DIGITS = "9" * 5000
DEEP = "[" * 100_000
# Invalid values for a field of a JSON object.
VALUES = ("null", "true", "-1", "1e999", "NaN", DIGITS, "9" * 4000, '"\\u0000"', '"\\ud800"', '"../x"', "[]", "{}")
VALUES += ("[" * 150 + "]" * 150, json.dumps("x" * 300 + ".toml"), json.dumps("٣" * 30))
BODIES = (
    b"",
    b"null",
    b"[]",
    b"{",
    b"\0",
    b"\xff\xfe",
    b'{"a": "\xed\xa0\x80"}',
    b'{"a": NaN}',
    '{"a": 1}'.encode("utf-16"),
)
BODIES += (DIGITS.encode(), DEEP.encode(), b'{"a": ' * 900 + b"1" + b"}" * 900)
# Invalid values for path and query parameters.
WORDS = ("1", "x", "9" * 19, "9" * 4300, DIGITS, "%00", "%FF", "..%2F..%2Fx", "a" * 300, "%D9%A3", "-1", "%ED%A0%80")
QUERIES = (
    "",
    *(f"?name={word}&from={word}&entry={word}&as={word}" for word in (*WORDS, "%00.wtb", "%C3%84" * 150 + ".wtb")),
)
HOSTS = ('a:"q', "[", "]", "a b", "a:999999", "a/b", "a@b", "a;b:c=d", "[::1", "a:1:2")


def paths_of(path: str) -> Iterator[str]:
    """Yield addresses of a route, whose parameters have these words, with these queries."""
    for number, query in enumerate(QUERIES):
        yield re.sub(r"\{[^}]*\}", WORDS[number % len(WORDS)], path) + query


def bodies_like(template: Mapping[str, object]) -> Iterator[bytes]:
    """Yield bodies like an object in which one key is missing, or has another value: a third of them for each key."""
    for number, key in enumerate(template):
        rest = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in template.items() if name != key]
        for part in ([], *([f"{json.dumps(key)}: {value}"] for value in VALUES[number % 3 :: 3])):
            yield f"{{{', '.join([*part, *rest])}}}".encode()
