"""What is wrong with a value that a model of pydantic refuses, in the words of all our messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["explain_problem"]

QUOTED = 60  # characters of a wrong value that a message repeats


def explain_problem(details: ErrorDetails, whole: str) -> str:
    """Return what a key must be, and what it was.

    :param whole: what it is called if the problem is that of no key.
    """
    key = ".".join(map(str, details["loc"])) or whole
    match details["type"]:
        case "missing":
            return f"{key}: must be given"
        case "json_invalid":
            return f"{key}: must be a JSON object"
        case "extra_forbidden":
            return f"{key}: there is no such key"
    allowed = re.sub(r"^.*? should ", "", details["msg"])
    return f"{key}: must {allowed}, not {repr(details['input'])[:QUOTED]}"
