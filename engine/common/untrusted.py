"""Parsers for untrusted JSON, TOML and numbers, with limits on nesting and digits.

Python's own parsers have no such limits: a few bytes can take a gigabyte of memory or cause an unrelated exception.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 100  # levels of arrays, objects and tables
MAX_DIGITS = 18  # an integer with this many digits fits into 64 bits
NESTING = f"nested more than {MAX_DEPTH} levels deep"
NUMBER = f"a number is not finite or has more than {MAX_DIGITS} digits"


def parse_json(data: str | bytes, *, finite: bool = True) -> Any:
    """Parse JSON text and return its value.

    :param finite: whether to reject NaN and infinity, which some programs write.
    :raises ValueError: if the text is not JSON in UTF-8 or exceeds a limit; a ``JSONDecodeError`` includes the line.
    """
    text = data.decode() if isinstance(data, bytes) else data
    number = _finite if finite else float
    return _parse(lambda: json.loads(text, parse_int=_integer, parse_float=number, parse_constant=number))


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML text and return its tables. Numbers may be infinite, and a byte-order mark is skipped.

    :raises ValueError: if the text is not TOML or exceeds a limit; a ``TOMLDecodeError`` includes the line.
    """
    import tomllib  # takes 5 ms to import, and only configurations need it

    # The parser takes quadratic time and memory in the number of parts of a dotted key or table name.
    text = text.removeprefix("\ufeff")
    keys = (line if line.lstrip().startswith("[") else line.rpartition("=")[0] for line in text.split("\n"))
    if any(key.count(".") > MAX_DEPTH for key in keys):
        raise ValueError(NESTING)
    tables: dict[str, Any] = _parse(lambda: tomllib.loads(text))
    return tables


def parse_number(text: str) -> int:
    """Parse an unsigned integer written in ASCII digits.

    :raises ValueError: if the text is anything else or has too many digits.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS):
        raise ValueError(f"not a number of at most {MAX_DIGITS} digits: {text[:20]!r}")
    return int(text)


def _integer(text: str) -> int:
    if len(text.removeprefix("-")) > MAX_DIGITS:
        raise ValueError(NUMBER)
    return int(text)


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(NUMBER)
    return value


def _parse(parse: Callable[[], Any]) -> Any:
    """Run a parser and check the nesting of its result; raise ValueError if either fails."""
    try:
        value = parse()
    except RecursionError:
        raise ValueError(NESTING) from None
    except ValueError as error:
        if type(error) is not ValueError:  # the parser's own error
            raise
        raise ValueError(NUMBER) from None  # int() rejects numbers of more than 4,300 digits
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        tables = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [inner for table in tables for inner in table]
    if level:
        raise ValueError(NESTING)
    return value
