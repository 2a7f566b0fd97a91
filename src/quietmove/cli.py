"""The command ``quietmove``: without an argument the protocol loop, which needs no library for command lines."""

from __future__ import annotations

import io
import os
import sys

from quietmove.engine.common.entry import INTERRUPTED, NO_MEMORY, ignore_requests, lacks_memory
from quietmove.engine.errors import OutputError

COMPLETION = "_QUIETMOVE_COMPLETE"  # a shell asks for completions by this variable, without arguments


def main() -> int:
    """Run the command line that the process was given and return its exit status.

    0 is success, 1 a game that the opponent broke, 2 a usage that is not allowed, 130 an interrupt from the keyboard.
    """
    try:
        status = run()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except OutputError as error:
        sys.stderr.write(f"error: {error}\n")
        status = 1
    except Exception as error:
        if not lacks_memory(error):
            raise
        sys.stderr.write(NO_MEMORY)
        status = 1
    if status == INTERRUPTED:  # a second Ctrl-C, which came while the process ends, must not change the status
        ignore_requests()
    return status


def run() -> int:
    if sys.stdin is None:  # the process was started without it: the next pipe would be taken for the input
        os.open(os.devnull, os.O_RDONLY)  # the lowest free number, which is that of standard input
    if len(sys.argv) == 1 and COMPLETION not in os.environ:
        from quietmove.engine.protocol import runner, wire  # a command does not wait for the search: 40 ms of `--help`

        return runner.run(sink=wire.own_output())
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # some encodings have not every letter
    from quietmove.commands import run_command  # click is not imported for the protocol loop

    return run_command(sys.argv[1:])
