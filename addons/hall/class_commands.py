"""`quietmove-tournament class`: a class whose people hand in programs that play each other."""

from __future__ import annotations

import fcntl
import os
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quietmove.engine.common.command_line import LazyGroup, examples, number_option, port_option, proxies_option
from quietmove.engine.common.entry import flush_or_drop_output, interrupted_by_requests
from quietmove.referee.errors import SetupError

if TYPE_CHECKING:
    from quietmove.addons.hall.people import Newcomer, People

HERE = "quietmove.addons.hall.class_commands"
COMMANDS = {
    "add": (f"{HERE}:add", "Add people to a class."),
    "backup": (f"{HERE}:backup", "Save a class to one file."),
    "compare": (f"{HERE}:compare", "List programs that are similar to those of an earlier class."),
    "handout": (f"{HERE}:handout", "Write the students' handout, with starter programs."),
    "install": (f"{HERE}:install", "Install the packages that Python programs may use."),
    "key": (f"{HERE}:key", "Print a new key for a person."),
    "marks": (f"{HERE}:marks", "Import marks that were given by hand."),
    "new": (f"{HERE}:new", "Create the folder of a class."),
    "next": (f"{HERE}:next_class", "Create the class of the next term."),
    "play": (f"{HERE}:play", "Play the pending games."),
    "remove": (f"{HERE}:remove", "Remove a person from a class."),
    "restore": (f"{HERE}:restore", "Restore a class from a backup."),
    "serve": (f"{HERE}:serve", "Serve the pages of a class."),
    "teams": (f"{HERE}:teams", "Put students into random teams."),
}
PLAIN = "This is plain HTTP: on a network you do not control, put it behind a reverse proxy with TLS.\n"
MOST_SPECTATORS = 1000  # maximum number of idle connections; browsers keep some open

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
    """Let people hand in programs, which are checked and play each other."""


@click.command()
@folder_argument
@click.option(
    "--people",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A CSV file with one name per line. A header can name the columns: name (or first name and surname), ID,"
    " e-mail, role (student, assistant or teacher) and team.",
)
@click.option("--title", default="Othello", show_default=True, metavar="TEXT", help="Title of the pages.")
@click.option(
    "--names", is_flag=True, help="Show real names instead of pseudonyms on the board until people choose a name."
)
def new(folder: Path, people: Path, title: str, names: bool) -> None:
    """Create the folder of a class, and print each person's key once, as CSV with the columns name,key.

    Only hashes of the keys are saved. The folder's class.toml contains all settings. If none of the people is a
    teacher, a teacher named 'teacher' is added, whose key is printed on standard error.
    """
    from quietmove.addons.hall.settings import CLASS_FILE, default_text

    def fill(part: Path) -> None:
        (part / CLASS_FILE).write_text(default_text(title, shown_by_name=names), encoding="utf-8")

    if not title.isprintable() or not title or len(title) > 100 or '"' in title or "\\" in title:
        raise SetupError(f"--title: must be 1 to 100 printable characters without quotes, not {title!r}")
    _create_class(folder, people, fill)


@click.command("next")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--people", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The people, as for 'class new'."
)
@number_option("--weeks", 0, "By how many weeks the dates in class.toml move; the times of day stay.", low=0)
@number_option("--best", 0, "Make the N best players of OLD's last ladder anchors, under pseudonyms.", low=0, high=20)
def next_class(old: Path, new: Path, people: Path, weeks: int, best: int) -> None:
    """Create the folder NEW for the next term of the class OLD, and print each person's key, as 'class new' does.

    NEW gets the settings, packages, evaluator and anchors of OLD, but not its people and what they handed in. Tasks ask
    other questions in each check, and finals draw another seed.
    """
    from quietmove.addons.hall.next_term import copy_class

    _create_class(new, people, lambda part: copy_class(old, part, weeks, best))


def _create_class(folder: Path, people: Path, fill: Callable[[Path], None]) -> None:
    """Create a class with the people in a file, and print their keys.

    :param fill: writes class.toml into the new folder.
    """
    from quietmove.addons.hall.backups import created_folder
    from quietmove.addons.hall.people import TEACHER, Newcomer, People, folded
    from quietmove.addons.hall.settings import CLASS_FILE, read_settings
    from quietmove.addons.web.database import open_hall

    found = _read_people(people)
    added = [] if TEACHER in {each.role for each in found} else [Newcomer(TEACHER, TEACHER)]
    if added and folded(TEACHER) in {folded(name) for each in found for name in (each.name, each.team)}:
        wrong = f"must give someone the role {TEACHER}, because the default teacher's name {TEACHER!r} is taken"
        raise SetupError(f"--people: {people}: {wrong}")
    with interrupted_by_requests(), created_folder(folder) as part:
        fill(part)
        by_name = read_settings(part).names == "names"
        with closing(open_hall(part, make=True)) as database:
            keys = People(database).add([*found, *added], shown_by_name=by_name)
        print_keys({each.name: keys[each.name] for each in found})
    if added:
        click.echo(f"The teacher's key is {keys[TEACHER]}", err=True)
    who = "1 person" if len(found) == 1 else f"{len(found)} people"
    click.echo(
        f"Added {who} to {folder}; these keys are shown only once. The settings are in"
        f" {folder / CLASS_FILE}.\nNext: quietmove-tournament class serve {folder}",
        err=True,
    )


def _read_people(file: Path) -> list[Newcomer]:
    """Return the people in a file, and say what was ignored."""
    from quietmove.addons.hall.roster import read_file

    found = read_file(file)
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    return found.people


def _people_of(folder: Path) -> People:
    """Return the people of a class."""
    from quietmove.addons.hall.people import People
    from quietmove.addons.web.database import open_hall

    return People(open_hall(folder))


def hide_own_packages() -> None:
    """In ``PATH``, replace this process's virtual environment with the Python that it is based on.

    Otherwise a class's programs could import this package and play with its engine.
    """
    own, outside = Path(sys.executable).parent, f"{sys.base_prefix}/bin"
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(outside if Path(each).absolute() == own else each for each in folders)


def print_keys(keys: Mapping[str, str], folder: Path | None = None) -> None:
    """Print each person's key as CSV.

    :param folder: the class, if the keys are valid already.
    :raises SetupError: if they cannot be printed.
    """
    from quietmove.addons.hall.people import csv_text

    try:
        click.echo(csv_text([("name", "key"), *keys.items()]), nl=False)
    except OSError as error:
        flush_or_drop_output()
        again = f"; 'quietmove-tournament class key {folder} NAME' issues a new key" if folder else ""
        raise SetupError(f"standard output: {error.strerror}{again}") from None


@click.command()
@folder_argument
@click.argument("people", metavar="FILE|NAME")
def add(folder: Path, people: str) -> None:
    """Add people to a class, and print their keys once, as CSV. The server can keep running.

    FILE is a list as for 'class new'. An argument that is not a file is the NAME of one person.
    """
    from quietmove.addons.hall.people import Newcomer, name_refusal
    from quietmove.addons.hall.settings import read_settings

    if Path(people).is_file():
        found = _read_people(Path(people))
    elif reason := name_refusal(people):
        raise SetupError(f"name: {reason}")
    else:
        found = [Newcomer(people)]
    by_name = read_settings(folder).names == "names"
    print_keys(_people_of(folder).add(found, shown_by_name=by_name), folder)


@click.command()
@folder_argument
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--address", default="http://SERVER:8000/", show_default=True, metavar="URL", help="The server's address."
)
def handout(folder: Path, target: Path, address: str) -> None:
    """Write a class's handout and a starter program in each allowed language into the new folder TARGET.

    The handout, handout.html, contains the protocol, the tasks, the deadlines and the marks, as class.toml sets them.
    It prints on two pages. The server shows it at /handout.
    """
    from quietmove.addons.hall.handout import write
    from quietmove.addons.hall.settings import read_settings

    write(read_settings(folder), f"{address.removesuffix('/')}/", target)
    click.echo(f"{target}: handout.html and the starters", err=True)


@click.command(context_settings={"ignore_unknown_options": True})
@folder_argument
@click.argument("options", nargs=-1, metavar="[OPTION]...", type=click.UNPROCESSED)
def install(folder: Path, options: tuple[str, ...]) -> None:
    """Install the packages that class.toml lists for Python programs, replacing those installed before.

    OPTIONs are passed to pip, such as '--no-index --find-links FOLDER' for packages that are already on this machine.
    """
    from quietmove.addons.hall.building import install_packages
    from quietmove.addons.hall.settings import read_settings

    hide_own_packages()
    settings = read_settings(folder)
    install_packages(folder.absolute(), settings, options)
    click.echo(f"{', '.join(settings.packages)}: ready for programs that are handed in from now on", err=True)


@click.command()
@folder_argument
@click.argument("old", type=click.Path(path_type=Path))
def compare(folder: Path, old: Path) -> None:
    """List the programs of a class that are similar to one of OLD, the folder of an earlier class.

    The code of the starter programs is left out. The list is not a verdict.
    """
    from quietmove.addons.hall.alike import alike_across
    from quietmove.addons.hall.player import STARTERS

    for new, earlier, each in alike_across(folder, old, sorted(STARTERS.iterdir())):
        one, other = (f"{entry.person} v{entry.version} {entry.assignment}".strip() for entry in (new, earlier))
        play = f", the same move in {each.play.share:.0%} of {each.play.positions} positions" if each.play else ""
        click.echo(f"{one}, and {other} in {old}: {each.text:.0%} of the text{play}")


@click.group()
def marks() -> None:
    """Import marks that were given by hand."""


@marks.command("import")
@folder_argument
@click.argument("file", type=click.Path(path_type=Path))
def import_marks(folder: Path, file: Path) -> None:
    """Enter the points in FILE, for parts of the mark that class.toml lists as 'by hand'. The server can keep running.

    FILE is a CSV file whose header names the columns: name or ID, points and, optionally, comment, part and assignment.
    If it contains a mistake, nothing is entered.
    """
    from quietmove.addons.hall.hand_marks import HandMarks, read_marks
    from quietmove.addons.hall.people import TEACHER, People
    from quietmove.addons.hall.roster import file_bytes
    from quietmove.addons.hall.settings import read_settings
    from quietmove.addons.web.database import open_hall

    database = open_hall(folder)
    found, notes = read_marks(file_bytes(file), str(file), read_settings(folder), People(database))
    HandMarks(database, folder).enter(found, TEACHER)
    for note in notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"Points entered: {len(found)}", err=True)


@click.command()
@folder_argument
@click.argument("name")
def remove(folder: Path, name: str) -> None:
    """Remove a person from a class.

    The person's key stops working, and their versions stop playing unless another member of the team is left.
    """
    from quietmove.addons.hall.people import TEACHER

    _people_of(folder).remove(name, TEACHER)


@click.command()
@folder_argument
@click.argument("name")
def key(folder: Path, name: str) -> None:
    """Issue a new key for a person and print it as CSV. The old key stops working."""
    from quietmove.addons.hall.people import TEACHER

    print_keys({name: _people_of(folder).give_key(name, TEACHER)}, folder)


@click.command()
@folder_argument
@click.argument("file", type=click.Path(path_type=Path))
def backup(folder: Path, file: Path) -> None:
    """Save a class to a new file: people, versions, ladder, finals and settings. The server can keep running."""
    from quietmove.addons.hall.backups import back_up

    with interrupted_by_requests():
        back_up(folder, file)
    click.echo(f"{folder} is saved in {file}; 'quietmove-tournament class restore {file} FOLDER' restores it", err=True)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@folder_argument
@click.option(
    "--max-megabytes",
    type=click.IntRange(1, 10**9),
    default=2000,
    show_default=True,
    metavar="N",
    help="Maximum size of the folder.",
)
def restore(file: Path, folder: Path, max_megabytes: int) -> None:
    """Create the folder of a class from a backup, on this or another machine. A damaged backup is rejected."""
    from quietmove.addons.hall.backups import restore as restore_class

    with interrupted_by_requests():
        restore_class(file, folder, max_megabytes)
    click.echo(f"Next: quietmove-tournament class serve {folder}", err=True)


@click.command()
@folder_argument
@number_option("--size", 2, "The usual number of members; some teams have one more or one less.", low=2, high=100)
@number_option("--seed", 1, "The same seed gives the same teams.", low=0, high=2**31 - 1)
def teams(folder: Path, size: int, seed: int) -> None:
    """Put all students who take part alone into random teams, and print these as CSV. The server can keep running.

    People keep their keys. Nobody may have handed in anything yet, because the members of a team share their versions.
    """
    from quietmove.addons.hall.people import TEACHER, csv_text
    from quietmove.addons.hall.settings import read_settings

    by_name = read_settings(folder).names == "names"
    found = _people_of(folder).make_teams(size, seed, TEACHER, shown_by_name=by_name)
    rows = [(member, team) for team, members in found.items() for member in members]
    click.echo(csv_text([("name", "team"), *rows]), nl=False)


@click.command()
@folder_argument
def play(folder: Path) -> int:
    """Play the pending games of a class's ladder or final.

    'class serve' starts this command automatically. It exits once the ladder is stopped and no final is running.
    Ctrl-C finishes the running games first.
    """
    from quietmove.addons.hall.player import play_class

    absolute = folder.absolute()
    if not absolute.is_dir():
        raise SetupError(f"{folder}: is not a class folder")
    hide_own_packages()
    os.chdir(absolute)  # entries' commands use paths relative to this folder
    return play_class(absolute)


@click.command()
@folder_argument
@port_option
@click.option(
    "--host",
    metavar="NAME",
    default="127.0.0.1",
    help="A name or address of this machine. The default, 127.0.0.1, accepts no connections from other machines;"
    " 0.0.0.0 accepts all.",
)
@proxies_option
@click.option(
    "--open/--no-open", "opens", default=None, help="Open the page in the browser; by default only at a terminal."
)
def serve(folder: Path, port: int, host: str, proxies: tuple[str, ...], opens: bool | None) -> None:
    """Serve the pages of a class: people hand in programs, see the results of the checks, and follow the ladder.

    Programs are compiled and run only in a sandbox. If this machine has none, uploads are rejected, and the page and
    this command explain how to fix it. Ctrl-C or SIGTERM stops the server; after a crash, the next one continues.
    """
    from quietmove.addons.hall.app import create_app
    from quietmove.addons.hall.building import PACKAGES, missing_program
    from quietmove.addons.hall.hall import UNKNOWN_ENTRY, Hall
    from quietmove.addons.hall.settings import read_settings
    from quietmove.addons.web.command import check_proxies
    from quietmove.addons.web.server import ANY, bind, serve_app
    from quietmove.referee.process import sandbox

    check_proxies(proxies)
    hide_own_packages()
    settings = read_settings(folder)
    absolute = folder.absolute()
    listener = bind(host, port)
    lock = os.open(absolute, os.O_RDONLY)  # held until the process exits
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise SetupError(f"{folder}: another process is already serving it") from None
    hall = Hall(absolute, settings, sandbox.missing_requirement())
    os.chdir(absolute)  # entries' commands use paths relative to this folder
    address, number = listener.getsockname()[:2]
    shown = f"http://{'127.0.0.1' if address in ANY else f'[{address}]' if ':' in address else address}:{number}/"

    def ready() -> None:
        click.echo(f"The class is at {shown}\n{PLAIN if address in ANY else ''}Press Ctrl-C to stop it.")
        for path in hall.moved:
            click.echo(f"note: {path}: {UNKNOWN_ENTRY}", err=True)
        if hall.refusal:
            click.echo(f"note: nothing can be handed in: {hall.refusal}", err=True)
        for language in settings.languages:
            if missing := missing_program(settings, language):
                click.echo(f"note: {language} cannot be handed in: this machine has no {missing!r}", err=True)
        if settings.packages and not (absolute / PACKAGES).is_dir():
            click.echo(f"note: python cannot be handed in: run 'quietmove-tournament class install {folder}'", err=True)
        sys.stdout.flush()
        if opens or (opens is None and sys.stdout.isatty() and has_display()):
            webbrowser.open(shown)

    serve_app(create_app(hall), listener, ready, proxies, MOST_SPECTATORS)


def has_display() -> bool:
    """Return whether a browser can open a window here, rather than run inside the terminal."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
