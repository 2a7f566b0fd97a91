"""Builds the engine of one commit in a separate process, so that the page's server can stop the build.

    python -m quietmove.addons.runner.build_commit REPOSITORY COMMIT BUILD ENGINE

An empty BUILD or ENGINE stands for Quietmove's own command. The engine's keys are printed as JSON, and errors go to
standard error. The build stops when standard input ends, which means that the server has exited.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from quietmove.engine.common.errors import QuietmoveError
from quietmove.tournament.git_builds import built_engines


def main() -> None:
    """Build the engine, and print its keys."""
    repository, commit, build, engine = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the exception also stops the build
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        (keys,) = built_engines(Path(repository), (commit,), build or None, engine or None, len)
    except QuietmoveError as error:
        raise SystemExit(str(error)) from None
    sys.stdout.write(json.dumps(keys))


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
