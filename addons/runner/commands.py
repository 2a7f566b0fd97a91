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
    """Serve a page on which engines are registered and tournaments are started and watched.

    FOLDER, this one without it, holds all of it: engines.toml, a .toml file for each tournament, and its store. It is
    made if it is not there. Each tournament is played by a process of its own: neither Ctrl-C here nor a closed page
    ends it, and the next server finds it. The address that is printed holds a token, without which the server answers
    nobody.
    """
    from quietmove.addons.web.server import run
    from quietmove.addons.web.sessions import GameSessions

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TournamentError(f"{folder}: cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise TournamentError(f"{folder}: must be a folder that may be written")

    def ready(address: str, once: str) -> None:
        click.echo(f"The page is at {address}\nCtrl-C ends it, and no tournament.")
        if opens:
            webbrowser.open(once)  # other users of the machine see it in the list of processes

    run(GameSessions([]), ready, [folder], host="127.0.0.1", port=port, password="", ask=str, home="/tournaments")
