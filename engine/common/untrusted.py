"""Parsers for JSON, TOML and numbers from outside, with limits on nesting and digits.

Python's own parsers have none: a few bytes can take a gigabyte, or raise an error that is not the parser's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 100  # levels of arrays, objects and tables
MAX_DIGITS = 18  # digits of an integer, so that it fits into 64 bits
NESTING = f"nested more than {MAX_DEPTH} levels deep"
NUMBER = f"a number is not finite or has more than {MAX_DIGITS} digits"


def parse_json(data: str | bytes, *, finite: bool = True) -> Any:
    """Return the value of a JSON text.

    :param finite: whether NaN and infinity, which some programs write, exceed the limits.
    :raises ValueError: if the text is not JSON in UTF-8, or exceeds a limit; a ``JSONDecodeError`` has the line.
    """
    text = data.decode() if isinstance(data, bytes) else data
    number = _finite if finite else float
    return _parse(lambda: json.loads(text, parse_int=_integer, parse_float=number, parse_constant=number))


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; its numbers may be infinite.

    :raises ValueError: if the text is not TOML, or exceeds a limit; the message of a ``TOMLDecodeError`` has the line.
    """
    import tomllib  # 5 ms, which only a configuration takes

    # The parser's time and memory grow with the square of the parts of a dotted key, and of the name of a table.
    keys = (line if line.lstrip().startswith("[") else line.rpartition("=")[0] for line in text.split("\n"))
    if any(key.count(".") > MAX_DEPTH for key in keys):
        raise ValueError(NESTING)
    found: dict[str, Any] = _parse(lambda: tomllib.loads(text))
    return found


def parse_number(text: str) -> int:
    """Return the number that ASCII digits write.

    :raises ValueError: if the text is anything else, or exceeds the limit.
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
    """Return what a parser returns, if it is not nested too deeply.

    :raises ValueError: of the parser, or if a limit is exceeded.
    """
    try:
        value = parse()
    except RecursionError:
        raise ValueError(NESTING) from None
    except ValueError as error:
        if type(error) is not ValueError:  # the parser's own error
            raise
        raise ValueError(NUMBER) from None  # int() takes no 4,301 digits
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        tables = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [inner for table in tables for inner in table]
    if level:
        raise ValueError(NESTING)
    return value
