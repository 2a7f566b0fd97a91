"""Run a program that evaluates positions: it reads one per line, and prints a number for each."""

from __future__ import annotations

import resource
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from math import isfinite

MOST_OUTPUT = 5_000_000  # size limit of the output, in bytes: a program may ignore the end of its input


def evaluate(command: str, positions: Sequence[str], seconds: float, *, hides_errors: bool = False) -> list[float]:
    """Return the number that a program prints for each position.

    :param seconds: the time limit for all positions.
    :param hides_errors: whether to discard the program's standard error.
    :raises ValueError: if the program fails, or does not print a finite number for each position. The message contains
        neither the command nor what the program printed.
    """
    if not (words := shlex.split(command)):
        raise ValueError("the command is empty")
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as written:
        asked.write("".join(f"{position}\n" for position in positions).encode())
        asked.seek(0)
        try:
            done = subprocess.run(
                words,
                stdin=asked,
                stdout=written,
                stderr=subprocess.DEVNULL if hides_errors else None,
                check=False,
                timeout=seconds,
                preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT)),
            )
        except OSError as error:
            raise ValueError(error.strerror) from None
        except subprocess.TimeoutExpired:
            raise ValueError(f"it took more than {seconds:g} s") from None
        written.seek(0)
        printed = written.read()
    if len(printed) >= MOST_OUTPUT:
        raise ValueError(f"it printed {MOST_OUTPUT:,} bytes or more")
    if done.returncode:
        raise ValueError(f"it ended with status {done.returncode}")
    values = []
    with suppress(ValueError):
        values = list(map(float, printed.split()))
    if len(values) != len(positions) or not all(map(isfinite, values)):
        raise ValueError(f"it must print a finite number for each of {len(positions):,} positions")
    return values
