"""``quietmove lab lecture``: a lecture in ten steps, on the page of search trees."""

from __future__ import annotations

import webbrowser

import click

from quietmove.engine.common.command_line import port_option

NAMES = ("minimax", "ordering", "quiescence")  # the sections of lectures.md


@click.command("lecture")
@click.argument("name", type=click.Choice(NAMES))
@port_option
@click.option("--open/--no-open", "opens", default=True, help="Whether to open the page in a web browser.")
def command(name: str, port: int, opens: bool) -> None:
    """Show the lecture NAME in the browser: ten search trees in large type.

    Page Down or n shows the next one, Page Up or p the previous one. The arrow keys step through the search, and the
    space bar runs it. Ctrl-C stops the server.
    """
    from quietmove.addons.web.server import run
    from quietmove.addons.web.sessions import GameSessions

    def ready(address: str, once: str) -> None:
        click.echo(f"The lecture is at {address}\nCtrl-C stops the server.")
        if opens:
            webbrowser.open(once)  # other users see this address in the process list, so it works only once

    run(GameSessions([]), ready, host="127.0.0.1", port=port, password="", ask=str, home=f"/tree#lecture={name}")
