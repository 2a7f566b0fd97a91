"""``quietmove mcp``: the games as tools for an assistant, over standard input and output."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from typing import BinaryIO

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.common.origin import install_command
from quietmove.referee.config.model import OWN_ENGINE
from quietmove.referee.process.launch import resolve

PATIENCE = 0.5  # time limit, in seconds, for exiting after the input has closed


@click.command(epilog=examples("claude mcp add quietmove -- quietmove mcp", "quietmove mcp --config"))
@click.option("--config", "shows_config", is_flag=True, help="Print the entry for a client's configuration, and exit.")
def mcp(shows_config: bool) -> None:
    """Serve the games to an assistant over the Model Context Protocol, until the input closes.

    The assistant's program starts this command. Its tools set up positions, make moves, list legal moves, let a level
    of the engine move, analyse, review a game, explain a move, and show the board as a picture.
    """
    if shows_config:
        program, *words = resolve((OWN_ENGINE, "mcp"))
        click.echo(json.dumps({"mcpServers": {"quietmove": {"command": program, "args": words}}}, indent=2))
        return
    try:
        from quietmove.addons.agents.mcp_server import server
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in ("mcp", "resvg_py"):
            raise
        raise click.ClickException(f"quietmove mcp needs {library}: {install_command('mcp')}") from None
    requests, sink = os.pipe()
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(requests, 0)
    threading.Thread(target=forward, args=(source, sink), daemon=True).start()
    server.run("stdio")


def forward(source: BinaryIO, sink: int) -> None:
    """Forward the client's lines to the server, and exit soon after the input has closed.

    The library itself would first wait for a running search, up to half a minute. It also never answers a line that
    contains a lone surrogate, so surrogates become question marks, which the tools reject.
    """
    with os.fdopen(sink, "wb", 0) as requests:
        for line in source:
            with suppress(ValueError, RecursionError):
                line = json.dumps(json.loads(line), ensure_ascii=False).encode(errors="replace") + b"\n"
            requests.write(line)
    threading.main_thread().join(PATIENCE)
    os._exit(0)
