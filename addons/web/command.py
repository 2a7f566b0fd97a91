"""`quietmove-referee serve`."""

from __future__ import annotations

import ipaddress
import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import click

from quietmove.engine.common.command_line import examples, open_option, port_option, proxies_option
from quietmove.referee.config.word_lists import WordListCommand, word_list_option
from quietmove.referee.errors import SetupError

PLAIN = (
    "It asks for the password. This is plain HTTP: others on the network can read what is sent, the password too;\n"
    "put a reverse proxy with TLS before it, named by --trusted-proxy, where the network is not yours.\n"
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
@word_list_option("--engine", "engines", text="An engine that may be chosen.")
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="FILE.py:CLASS",
    help="A game of your own that may be chosen. May be repeated.",
)
@click.option(
    "--store",
    "stores",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A tournament's store to be shown, or a folder of stores. May be repeated.",
)
@click.option(
    "--host",
    metavar="NAME",
    default="127.0.0.1",
    help="A name or address of this machine; 127.0.0.1, the default, is reached from no other one. Any other asks for a"
    " password.",
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    help="The password is its first line, instead of being asked for. QUIETMOVE_PASSWORD in the environment does the"
    " same.",
)
@proxies_option
@port_option
@open_option
def serve(
    config: Path | None,
    engines: tuple[str, ...],
    games: tuple[str, ...],
    stores: tuple[Path, ...],
    host: str,
    password_file: Path | None,
    proxies: tuple[str, ...],
    port: int,
    opens: bool,
) -> None:
    """Serve a page on which games are played, watched and replayed, to the browser of this machine.

    CONFIG is a TOML file with [defaults] and a table [[engine]] for each engine that may be chosen, as in the
    configuration of a tournament. It stands before --engine, which adds engines.

    Only the engines that are named so can be started; without any that is quietmove itself. Of Python files only those
    that are named so are run, and of tournaments only those whose stores are named are shown. The address that is
    printed holds a token, without which the server answers nobody. Ctrl-C ends all games and engines.
    """
    from quietmove.addons.web.passwords import read_password
    from quietmove.addons.web.server import run
    from quietmove.addons.web.sessions import GameSessions
    from quietmove.addons.web.setup import read_setup

    check_proxies(proxies)
    chosen, playable = read_setup(config, engines, games)
    password = read_password(password_file) if password_file else os.environ.get("QUIETMOVE_PASSWORD", "")

    def ready(address: str, once: str) -> None:
        click.echo(f"The page is at {address}\n{'' if 'token=' in address else PLAIN}Ctrl-C ends it.")
        if opens:
            webbrowser.open(once)  # other users of the machine see it in the list of processes

    sessions = GameSessions(chosen, own_games=playable)
    run(sessions, ready, stores, host=host, port=port, password=password, ask=ask_password, proxies=proxies)


def check_proxies(proxies: Sequence[str]) -> None:
    """Check that each is an address or a network.

    :raises SetupError: if one is not.
    """
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            wrong = f"--trusted-proxy: must be an address or a network such as 10.0.0.0/8, not {proxy!r}"
            raise SetupError(wrong) from None


def ask_password() -> str:
    """Return the password that a person types twice.

    :raises SetupError: if nobody is at a terminal.
    """
    if not sys.stdin.isatty():
        wrong = "--host: other machines are let in by a password; give it by --password-file or QUIETMOVE_PASSWORD"
        raise SetupError(wrong)
    return str(click.prompt("Password for other machines", hide_input=True, confirmation_prompt=True, err=True))
