"""`quietmove-tournament serve`."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import click

from quietmove.engine.common.command_line import examples, open_option, port_option
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.options import own_game_option


@click.command(
    epilog=examples("quietmove-tournament serve --open", "quietmove-tournament serve tournaments --port 8080")
)
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@port_option
@open_option
@own_game_option
def serve(folder: Path, port: int, opens: bool) -> None:
    """Serve a page to register engines, and to start and watch tournaments.

    FOLDER, by default the current one, holds engines.toml, a .toml file for each tournament, and its store; it is
    created if necessary. Each tournament runs in its own process, which Ctrl-C here or closing the page does not stop;
    the next server finds it. The printed address contains a token, without which the server rejects all requests.
    """
    from quietmove.addons.web.server import run
    from quietmove.addons.web.sessions import GameSessions

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TournamentError(f"{folder}: cannot be created: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise TournamentError(f"{folder}: is not writable")

    def ready(address: str, once: str) -> None:
        click.echo(f"The page is at {address}\nCtrl-C stops the server, but no tournament.")
        if opens:
            webbrowser.open(once)  # visible to other users in the process list, so it works only once

    run(GameSessions([]), ready, [folder], host="127.0.0.1", port=port, password="", ask=str, home="/tournaments")
