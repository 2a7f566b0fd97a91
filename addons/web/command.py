"""``quietmove-referee serve``: play, watch and replay games in a browser."""

from __future__ import annotations

import ipaddress
import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import click

from quietmove.engine.common.command_line import examples, open_option, port_option, proxies_option
from quietmove.referee.arguments.word_lists import WordListCommand, word_list_option
from quietmove.referee.errors import SetupError

PLAIN = (
    "It asks for the password. This is plain HTTP: others on the network can read everything, including the password.\n"
    "On a network you do not control, put a reverse proxy with TLS in front, and name it with --trusted-proxy.\n"
)
EPILOG = examples(
    "quietmove-referee serve --open",
    "quietmove-referee serve --store my.sqlite",
    "quietmove-referee serve engines.toml --port 8080",
    "quietmove-referee serve --engine cmd=quietmove name=quick movetime=100 \\",
    "  --engine cmd=./mine protocol=project",
)


@click.command(cls=WordListCommand, epilog=EPILOG)
@click.argument("config", required=False, type=click.Path(path_type=Path))
@word_list_option("--engine", "engines", text="An engine to offer.")
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="FILE.py:CLASS",
    help="A game of your own to offer. May be repeated.",
)
@click.option(
    "--store",
    "stores",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A tournament store to show, or a folder of stores. May be repeated.",
)
@click.option(
    "--host",
    metavar="NAME",
    default="127.0.0.1",
    help="A name or address of this machine. Other machines cannot reach the default, 127.0.0.1; an address that they"
    " can reach requires a password.",
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    help="Read the password from the first line of this file instead of asking for it. You can also set the"
    " environment variable QUIETMOVE_PASSWORD.",
)
@proxies_option
@port_option
@open_option
def serve(
    config: Path | None,
    engines: tuple[list[str], ...],
    games: tuple[str, ...],
    stores: tuple[Path, ...],
    host: str,
    password_file: Path | None,
    proxies: tuple[str, ...],
    port: int,
    opens: bool,
) -> None:
    """Serve pages to play, watch and replay games in a browser.

    CONFIG is a TOML file with [defaults] and an [[engine]] table for each engine to offer, as in a tournament's
    configuration. Engines from --engine are added to these.

    Only these engines can be started; the default is quietmove itself. Likewise, only the Python files you name are
    run, and only the tournament stores you name are shown. The printed address contains a token, without which the
    server rejects all requests. Ctrl-C stops all games and engines.
    """
    from quietmove.addons.web.passwords import read_password
    from quietmove.addons.web.server import run
    from quietmove.addons.web.sessions import GameSessions
    from quietmove.addons.web.setup import read_setup

    check_proxies(proxies)
    chosen, playable = read_setup(config, engines, games)
    password = read_password(password_file) if password_file else os.environ.get("QUIETMOVE_PASSWORD", "")

    def ready(address: str, once: str) -> None:
        click.echo(f"The page is at {address}\n{'' if 'token=' in address else PLAIN}Ctrl-C stops the server.")
        if opens:
            webbrowser.open(once)  # other users see this address in the process list, so it works only once

    sessions = GameSessions(chosen, own_games=playable)
    run(sessions, ready, stores, host=host, port=port, password=password, ask=ask_password, proxies=proxies)


def check_proxies(proxies: Sequence[str]) -> None:
    """Check that each proxy is an address or a network.

    :raises SetupError: if any proxy is invalid.
    """
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            wrong = f"--trusted-proxy: expected an address or a network such as 10.0.0.0/8, not {proxy!r}"
            raise SetupError(wrong) from None


def ask_password() -> str:
    """Prompt for a new password, typed twice.

    :raises SetupError: if standard input is not a terminal.
    """
    if not sys.stdin.isatty():
        wrong = "--host: a password is required; set it with --password-file or QUIETMOVE_PASSWORD"
        raise SetupError(wrong)
    return str(click.prompt("Password for other machines", hide_input=True, confirmation_prompt=True, err=True))
