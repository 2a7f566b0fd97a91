"""`quietmove-tournament class`: a class whose people hand in programs."""

from __future__ import annotations

import fcntl
import os
import sys
import webbrowser
from pathlib import Path

import click

from quietmove.engine.common.command_line import LazyGroup, examples, port_option, proxies_option
from quietmove.engine.common.text import explain
from quietmove.referee.errors import SetupError

HERE = "quietmove.addons.hall.class_commands"
COMMANDS = {
    "key": (f"{HERE}:key", "Print a new key for somebody."),
    "new": (f"{HERE}:new", "Make the folder of a class."),
    "play": (f"{HERE}:play", "Play the games that are wanted."),
    "serve": (f"{HERE}:serve", "Serve the pages of a class."),
}
PLAIN = "This is plain HTTP: put a reverse proxy with TLS before it where the network is not yours.\n"
MOST_SPECTATORS = 1000  # silent connections at one time; a browser keeps some

folder_argument = click.argument("folder", type=click.Path(path_type=Path))


@click.group(
    "class",
    cls=LazyGroup,
    places=COMMANDS,
    epilog=examples(
        "quietmove-tournament class new course --people people.csv > keys.csv",
        "quietmove-tournament class serve course --port 8000",
        "quietmove-tournament class key course 'Ada Lovelace'",
    ),
)
def group() -> None:
    """Let the people of a class hand in programs, which are examined and play each other."""


@click.command()
@folder_argument
@click.option(
    "--people",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A CSV file with a name a line; a first line may name the columns, of which 'name' and 'role' are read"
    " (student or teacher).",
)
@click.option("--title", default="Othello", show_default=True, metavar="TEXT", help="What the pages are headed with.")
@click.option("--names", is_flag=True, help="Let the board show names, and no pseudonyms, until a person chooses.")
def new(folder: Path, people: Path, title: str, names: bool) -> None:
    """Make the folder of a class, and print a key for each person, once, as CSV: name,key.

    Only hashes of the keys are kept. The folder's class.toml has all that a teacher decides. Without a teacher among
    the people there is one called 'teacher', whose key is printed on standard error.
    """
    from quietmove.addons.hall.people import TEACHER, People, csv_text, folded, read_people
    from quietmove.addons.hall.settings import CLASS_FILE, default_text, read_settings
    from quietmove.addons.web.database import open_hall

    found = read_people(people)
    if not title.isprintable() or not title or len(title) > 100 or '"' in title or "\\" in title:
        raise SetupError(f"--title: must be 1 to 100 printable letters without quotes, not {title!r}")
    added = [] if TEACHER in {role for _, role in found} else [(TEACHER, TEACHER)]
    if added and folded(TEACHER) in {folded(name) for name, _ in found}:
        raise SetupError(f"--people: {people}: must name a person with the role teacher, since one is called so")
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        raise SetupError(f"{folder}: must be a new folder; it exists") from None
    except OSError as error:
        raise SetupError(explain(error)) from None
    (folder / CLASS_FILE).write_text(default_text(title), encoding="utf-8")
    read_settings(folder)
    keys = People(open_hall(folder, make=True)).add([*found, *added], shown_by_name=names)
    click.echo(csv_text([("name", "key"), *((name, keys[name]) for name, _ in found)]), nl=False)
    if added:
        click.echo(f"The teacher's key is {keys[TEACHER]}", err=True)
    who = "1 person is" if len(found) == 1 else f"{len(found)} people are"
    click.echo(
        f"{who} in {folder}; these keys are shown once. What a teacher decides is in"
        f" {folder / CLASS_FILE}.\nNext: quietmove-tournament class serve {folder}",
        err=True,
    )


@click.command()
@folder_argument
@click.argument("name")
def key(folder: Path, name: str) -> None:
    """Print a new key for a person of the class as CSV; the old one opens nothing from now on."""
    from quietmove.addons.hall.people import TEACHER, People, csv_text
    from quietmove.addons.web.database import open_hall

    made = People(open_hall(folder)).give_key(name, TEACHER)
    click.echo(csv_text([("name", "key"), (name, made)]), nl=False)


@click.command()
@folder_argument
def play(folder: Path) -> int:
    """Play the games of a class that are wanted: the ladder's, or those of a final.

    'class serve' starts this by itself. It ends when nothing is wanted; Ctrl-C lets the games that run end.
    """
    from quietmove.addons.hall.player import play_class

    absolute = folder.absolute()
    if not absolute.is_dir():
        raise SetupError(f"{folder}: must be the folder of a class")
    os.chdir(absolute)  # commands of entries name their files from here
    return play_class(absolute)


@click.command()
@folder_argument
@port_option
@click.option(
    "--host",
    metavar="NAME",
    default="127.0.0.1",
    help="A name or address of this machine; 127.0.0.1, the default, is reached from no other one, 0.0.0.0 is reached"
    " from all.",
)
@proxies_option
@click.option(
    "--open/--no-open", "opens", default=None, help="Open the page in the browser; by default at a terminal alone."
)
def serve(folder: Path, port: int, host: str, proxies: tuple[str, ...], opens: bool | None) -> None:
    """Serve the pages of a class: people hand in, see what was found, and the ladder.

    Programs are compiled and run in a sandbox alone. Where this machine allows none, nothing is taken, and the page and
    this command say what mends it. Ctrl-C or SIGTERM ends it; a server that was killed goes on where it was.
    """
    from quietmove.addons.hall.app import create_app
    from quietmove.addons.hall.building import missing_program
    from quietmove.addons.hall.hall import UNKNOWN_ENTRY, Hall
    from quietmove.addons.hall.settings import read_settings
    from quietmove.addons.web.command import check_proxies
    from quietmove.addons.web.server import ANY, bind, serve_app
    from quietmove.referee.process import sandbox

    check_proxies(proxies)
    settings, absolute = read_settings(folder), folder.absolute()
    listener = bind(host, port)
    lock = os.open(absolute, os.O_RDONLY)  # it is held to the end of the process
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise SetupError(f"{folder}: must be served once, and another process serves it") from None
    hall = Hall(absolute, settings, sandbox.refusal())
    os.chdir(absolute)  # commands of entries name their files from here
    address, number = listener.getsockname()[:2]
    shown = f"http://{'127.0.0.1' if address in ANY else f'[{address}]' if ':' in address else address}:{number}/"

    def ready() -> None:
        click.echo(f"The class is at {shown}\n{PLAIN if address in ANY else ''}Ctrl-C ends it.")
        for path in hall.moved:
            click.echo(f"note: {path}: {UNKNOWN_ENTRY}", err=True)
        if hall.refusal:
            click.echo(f"note: nothing can be handed in: {hall.refusal}", err=True)
        for language in settings.languages:
            if missing := missing_program(settings, language):
                click.echo(f"note: {language} cannot be handed in: this machine has no {missing!r}", err=True)
        sys.stdout.flush()
        if opens or (opens is None and sys.stdout.isatty() and has_display()):
            webbrowser.open(shown)

    serve_app(create_app(hall), listener, ready, proxies, MOST_SPECTATORS)


def has_display() -> bool:
    """Tell whether a browser can show a page beside this terminal, and not in it."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
