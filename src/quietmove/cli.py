"""The command ``quietmove``. Without arguments it runs the protocol loop, which needs no command-line library."""

from __future__ import annotations

import io
import os
import sys

from quietmove.engine.common.entry import INTERRUPTED, NO_MEMORY, ignore_requests, lacks_memory
from quietmove.engine.errors import OutputError

COMPLETION = "_QUIETMOVE_COMPLETE"  # the variable by which a shell requests completions, without arguments


def main() -> int:
    """Run the process's command line and return its exit status.

    0 means success, 1 a failure such as a broken opponent, 2 invalid arguments or input, and 130 a keyboard interrupt.
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
    if status == INTERRUPTED:  # a second Ctrl-C while the process exits must not change the status
        ignore_requests()
    return status


def run() -> int:
    if sys.stdin is None:  # the process was started without it, and the next pipe would become standard input
        os.open(os.devnull, os.O_RDONLY)  # takes the lowest free descriptor, which is 0
    if len(sys.argv) == 1 and COMPLETION not in os.environ:
        from quietmove.engine.protocol import runner, wire  # commands do not load these, which saves 40 ms

        return runner.run(sink=wire.own_output())
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # some encodings lack characters
    from quietmove.commands import run_command  # the protocol loop does not import click

    return run_command(sys.argv[1:])
