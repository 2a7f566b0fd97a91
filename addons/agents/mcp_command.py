"""``quietmove mcp``: the games as tools of an assistant, over standard input and output."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from typing import BinaryIO

import click

from quietmove.engine.common.command_line import examples

PATIENCE = 0.5  # seconds from the end of the input to the end of the process


@click.command(epilog=examples("claude mcp add quietmove -- quietmove mcp"))
def mcp() -> None:
    """Serve the games to an assistant by the Model Context Protocol, until the input closes.

    The assistant's program starts this command. Its tools set up a position, play, list the legal moves, let a level
    of the engine move, analyse, review a game, explain a move, and show the board as a picture.
    """
    try:
        from quietmove.addons.agents.mcp_server import server
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in ("mcp", "resvg_py"):
            raise
        raise click.ClickException(f"quietmove mcp needs {library}: pip install 'quietmove[mcp]'") from None
    requests, sink = os.pipe()
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(requests, 0)
    threading.Thread(target=forward, args=(source, sink), daemon=True).start()
    server.run("stdio")


def forward(source: BinaryIO, sink: int) -> None:
    """Forward the client's lines to the server, and end the process soon after the input has closed.

    The library waits for a search that runs then, up to half a minute. It never answers a line that spells half of a
    surrogate pair, so a question mark takes its place, which a tool refuses.
    """
    with open(sink, "wb", buffering=0) as requests:
        for line in source:
            with suppress(ValueError, RecursionError):
                line = json.dumps(json.loads(line), ensure_ascii=False).encode(errors="replace") + b"\n"
            requests.write(line)
    threading.main_thread().join(PATIENCE)
    os._exit(0)
