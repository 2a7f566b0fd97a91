"""``quietmove mcp``: the games as tools of an assistant, over standard input and output."""

from __future__ import annotations

import click

from quietmove.common.command_line import examples

__all__ = ["mcp"]


@click.command(epilog=examples("claude mcp add quietmove -- quietmove mcp"))
def mcp() -> None:
    """Serve the games to an assistant by the Model Context Protocol, until the input closes.

    The assistant's program starts this command. Its tools set up a position, play, list the legal moves, let a level
    of the engine move, analyse, review a game, explain a move, and show the board as a picture.
    """
    try:
        from quietmove.mcp_server import server
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in ("mcp", "resvg_py"):
            raise
        raise click.ClickException(f"quietmove mcp needs {library}: pip install 'quietmove[mcp]'") from None
    server.run("stdio")
