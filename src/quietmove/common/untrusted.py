"""Parsers for JSON, TOML and numbers from outside, with limits on nesting, digits and dotted keys.

Python's own parsers have none: a few bytes can take a gigabyte, or raise what is not the parser's own error.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

__all__ = ["MAX_DEPTH", "parse_json", "parse_number", "parse_toml"]

MAX_DEPTH = 100  # levels of arrays, objects and tables
MAX_DIGITS = 18  # digits of an integer, so that it fits into 64 bits
NESTING = f"must have at most {MAX_DEPTH} levels"
NUMBER = f"must have numbers of at most {MAX_DIGITS} digits"


def parse_json(data: str | bytes) -> Any:
    """Return the value of a JSON text.

    :raises ValueError: if the text is not JSON in UTF-8, or exceeds a limit; ``JSONDecodeError`` has the line.
    """
    return _within_limits(json.loads, data.decode() if isinstance(data, bytes) else data)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    :raises ValueError: if the text is not TOML, or exceeds a limit; the message of a ``TOMLDecodeError`` has the line.
    """
    import tomllib  # 5 ms, which only a configuration takes

    # The parser's time and memory grow with the square of the parts of a dotted key.
    if any(line.rpartition("=")[0].count(".") > MAX_DEPTH for line in text.split("\n")):
        raise ValueError(NESTING)
    found: dict[str, Any] = _within_limits(tomllib.loads, text)
    return found


def parse_number(text: str) -> int:
    """Return the number that ASCII digits write.

    :raises ValueError: if the text is anything else, or exceeds the limit.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise ValueError(f"must be a number of at most {MAX_DIGITS} digits, not {text[:20]!r}")
    return int(text)


def _within_limits(parse: Callable[[str], Any], text: str) -> Any:
    """Return the parsed value of a text, which has finite numbers and no deep nesting.

    :raises ValueError: if it cannot be parsed, or exceeds a limit.
    """
    try:
        value = parse(text)
    except RecursionError:
        raise ValueError(NESTING) from None
    except ValueError as error:
        if type(error) is not ValueError:  # the parser's own error
            raise
        raise ValueError(NUMBER) from None  # int() refuses thousands of digits
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict | list):
                inner += each.values() if isinstance(each, dict) else each
            elif isinstance(each, int | float) and not abs(each) < 10**MAX_DIGITS:  # NaN is not less either
                raise ValueError(f"{NUMBER}, not {str(each)[:20]}")
        level = inner
    if level:
        raise ValueError(NESTING)
    return value
