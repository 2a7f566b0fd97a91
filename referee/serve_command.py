"""`quietmove-referee serve`."""

from __future__ import annotations

import shlex
import webbrowser
from pathlib import Path

import click

from quietmove.command_help import examples
from quietmove.referee.errors import SetupError
from quietmove.referee.word_lists import WordListCommand, complete_word

__all__ = ["serve"]

EPILOG = examples(
    "quietmove-referee serve --open",
    "quietmove-referee serve --store my.sqlite",
    "quietmove-referee serve --engine cmd=quietmove name=quick movetime=100 \\",
    "  --engine cmd=./mine protocol=project",
)


@click.command(cls=WordListCommand, epilog=EPILOG, short_help="Play and watch games in a browser.")
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="KEY=VALUE...",
    shell_complete=complete_word,
    help="An engine that may be chosen.",
)
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
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="0, the default, takes a free one.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def serve(engines: tuple[str, ...], games: tuple[str, ...], stores: tuple[Path, ...], port: int, opens: bool) -> None:
    """Serve a page on which games are played, watched and replayed, to the browser of this machine.

    Only the engines that are named here can be started; without --engine that is quietmove itself. Of Python files only
    those that --game names are run, and of tournaments only those that --store names are shown. The address that is
    printed holds a token, without which the server answers nobody. Ctrl-C ends all games and engines.
    """
    from quietmove.engine.games.base import get_game
    from quietmove.referee.programs import start_objections
    from quietmove.referee.web.pages import installed_pages
    from quietmove.referee.web.server import run
    from quietmove.referee.words import read_engine

    found, problems = [], []
    for words in engines:
        config, wrong = read_engine(shlex.split(words), ())
        problems += wrong
        found += [config] if config else []
    programs = [config for config in found if config.command]  # an engine in this process has none
    problems += [
        f"engine {each.name}: {objection}" for each in programs for objection in start_objections(each, "othello")
    ]
    names = [config.name for config in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems += [f"two engines are called {name}; tell them apart by name=" for name in twice]
    if problems:
        raise SetupError(problems)

    def ready(address: str) -> None:
        click.echo(f"The page is at {address}\nCtrl-C ends it.")
        if opens:
            webbrowser.open(address)

    run(found, [get_game(name).name for name in games], port, ready, installed_pages(stores))
