"""JSON, TOML and numbers from outside: what Python's parsers would choke on is one error."""

from __future__ import annotations

import time
from typing import Any

import pytest

from quietmove.engine.common.untrusted import MAX_DEPTH, parse_json, parse_number, parse_toml

DIGITS = "9" * 5000
JSON: list[str | bytes] = [
    "[" * 100_000,
    "[" * 500 + "]" * 500,
    '{"a": ' * 500 + "1" + "}" * 500,
    DIGITS,
    "9" * 19,
    "[1e999]",
    "[NaN]",
]
JSON += ['{"a": -Infinity}', "{", "", b"\xff", b'"\xed\xa0\x80"', "[1] 2"]
TOML = [f"a = {DIGITS}", "a = " + "[" * 5000, f"{'a.' * 150}a = 1", f"[{'a.' * 150}a]", "a = "]
TOML += ["a = " + "{a = " * 500]


@pytest.mark.parametrize("text", JSON)
def test_json_beyond_the_limits_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


@pytest.mark.parametrize("text", TOML)
def test_toml_beyond_the_limits_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_toml(text)


def test_a_long_dotted_key_takes_no_time() -> None:
    """Python's parser needs a minute and 1.7 GB for it."""
    began = time.process_time()
    with pytest.raises(ValueError, match="levels"):
        parse_toml(".".join(["a"] * 20_000) + " = 1")
    for start, end in ("[", "]"), (" [[", "]]"):
        with pytest.raises(ValueError, match="nested"):
            parse_toml(start + ".".join(["a"] * 200_000) + end)
    assert time.process_time() - began < 1


def test_what_is_within_the_limits_is_read() -> None:
    nested: Any = parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert nested[0][0] == parse_json("[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2))
    assert parse_json('{"a": [1, -2.5, null, true, "\\u00e9"]}') == {"a": [1, -2.5, None, True, "é"]}
    assert parse_toml("a.b = 999999999999999999\nc = 'x.y'") == {"a": {"b": 10**18 - 1}, "c": "x.y"}
    assert parse_number("0123") == 123


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", "٣", "²", "1_0", " 1", "9" * 19, DIGITS])
def test_a_number_is_a_few_plain_digits(text: str) -> None:
    with pytest.raises(ValueError, match="18 digits"):
        parse_number(text)


def test_toml_may_begin_with_a_byte_order_mark() -> None:
    assert parse_toml("\ufeffname = 1\n") == {"name": 1}
