"""`quietmove-tournament serve` and `queue`."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path

import click

from quietmove.engine.common.command_line import examples, open_option, port_option
from quietmove.engine.common.text import printable
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

    FOLDER, by default the current one, contains engines.toml, and a .toml file and a store for each tournament. It is
    created if necessary. Each tournament runs in its own process. Neither Ctrl-C nor closing the page stops it, and the
    next server shows it again. The printed address contains a token, without which the server rejects all requests.
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
        click.echo(f"The page is at {address}\nCtrl-C stops the server, but not the tournaments.")
        if opens:
            webbrowser.open(once)  # other users see this address in the process list, so it works only once

    run(GameSessions([]), ready, [folder], host="127.0.0.1", port=port, password="", ask=str, home="/tournaments")


@click.command(
    epilog=examples("quietmove-tournament queue", "quietmove-tournament queue tournaments --first my.sqlite")
)
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--first", metavar="STORE", help="Play this run now; the current one finishes its games and waits.")
@click.option("--stop", metavar="STORE", help="Stop this run once its running games are finished.")
@click.option("--resume", metavar="STORE", help="Add this run to the end of the queue.")
@click.option("--pause/--continue", "pauses", default=None, help="Start no more games until --continue.")
def queue(folder: Path, first: str | None, stop: str | None, resume: str | None, pauses: bool | None) -> None:
    """List the runs of FOLDER, which 'quietmove-tournament serve' plays one after another, and change their order.

    A running server applies a change within a second; otherwise, the next server applies it.
    """
    from quietmove.addons.runner.run_queue import RunChangeRequest, RunQueue

    admin = RunQueue(folder.absolute())
    for name, change in (
        (first, {"wanted": "running", "first": True}),
        (stop, {"wanted": "stopped"}),
        (resume, {"wanted": "running"}),
    ):
        if name is not None:
            admin.change_run(admin.store(name), RunChangeRequest.model_validate(change))
    if pauses is not None:
        admin.runs.pause(pauses)
    listed = admin.list_runs()
    for run in listed["runs"]:
        of = f" of {run['planned']}" if run.get("planned") else ""
        text = run.get("error") or f"{run['tournament']}, {run['games']}{of} games"
        reason = f" ({run['reason']})" if run["reason"] else ""
        click.echo(printable(f"{run['state']:<8} {run['store']}: {text}{reason}"))
    if not listed["runs"]:
        click.echo(f"{folder}: no runs")
    if listed["paused"]:
        click.echo("The queue is paused; --continue resumes it.")
