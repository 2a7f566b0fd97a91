"""``quietmove database add``: add games from files to the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import islice
from pathlib import Path

import click

from quietmove.addons.library.database.store import Copies, GameDatabase
from quietmove.engine.common.command_line import examples
from quietmove.engine.common.entry import interrupted_by_requests
from quietmove.engine.common.folders import data_folder
from quietmove.engine.common.progress import with_progress
from quietmove.engine.errors import DatabaseError, GameFileError
from quietmove.engine.games.othello.game_files import complete_games
from quietmove.engine.games.othello.game_files.game import Losses
from quietmove.engine.games.othello.game_files.wthor import NAME_FILES
from quietmove.engine.protocol.describe import pluralize

BLOCK = 5000  # games per transaction
NAMES = ("players", "tournaments")  # losses reported for missing WTHOR lists of names begin with these words

database_option = click.option(
    "--database",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The database file.  [default: database.sqlite next to the folder of saved games]",
)


def default_database() -> Path:
    """Return the path of the default database.

    :raises DatabaseError: if the folder for it cannot be found or created.
    """
    try:
        folder = data_folder()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home directory
        raise DatabaseError(f"database: cannot find or create its folder: {error}") from None
    return folder / "database.sqlite"


class FileRead:
    """A file of games to add. Iterating over it adds the games block by block.

    :param database: returns the database. It is called only if there are games to add, so that a file without games
        does not create the database.
    :ivar count: the number of games read; ``new`` is the number of those that were not in the database.
    :ivar losses: the skipped games, and the problems of damaged games and of the file.
    """

    def __init__(self, database: Callable[[], GameDatabase], path: Path) -> None:
        self.path = path
        self.count = self.new = 0
        self.losses = Losses(problems=[])
        self._database = database

    def __iter__(self) -> Iterator[int]:
        """Yield the number of games read so far, after each block.

        :raises DatabaseError: if the database cannot be written; earlier blocks remain in it.
        """
        copies = Copies()
        games = complete_games(self.path, self.losses)
        while block := list(islice(games, BLOCK)):
            self.new += self._database().add(block, copies)
            self.count += len(block)
            yield self.count


@click.command(
    epilog=examples("quietmove database add WTH_*.wtb", "quietmove database add --database club.sqlite club.ggf"),
)
@click.argument("games", nargs=-1, required=True, type=click.Path(path_type=Path))
@database_option
def add(games: Sequence[Path], file: Path | None) -> None:
    """Add the Othello games in GAMES to the database, and create it if necessary.

    GAMES are files ending in .wtb (WTHOR, with its .jou and .trn next to it), .ggf, .sgf, .pgn, .txt (transcripts) or
    .jsonl; text files may be compressed (.txt.gz). Existing games are not added again, so you can repeat an interrupted
    run. If a WTHOR file was added without its lists of names, add it again with them to fill in the names. A damaged
    game is reported and skipped; all others are added.
    """
    path = file or default_database()
    problems = []
    with interrupted_by_requests(), ExitStack() as stack:

        @cache
        def database() -> GameDatabase:
            return stack.enter_context(GameDatabase(path, create=True))

        read = 0
        for each in games:
            if each.suffix.lower() in NAME_FILES:  # name files are read together with their games
                continue
            found = FileRead(database, each)
            for _ in with_progress(iter(found), None, f"{each.name}, blocks of {BLOCK:,} games"):
                pass
            read += found.count
            if found.count or not found.losses.problems:
                click.echo(f"{each}: {pluralize(found.count, 'game')}, {found.new:,} of them new")
            unnamed = {loss: count for loss, count in found.losses.not_kept.items() if loss.startswith(NAMES)}
            for title, losses in (("left out", found.losses.left_out), ("not known", unnamed)):
                for loss, count in losses.items():
                    click.echo(f"{title}: {loss} ({pluralize(count, 'game')})", err=True)
            if found.new > BLOCK:
                database().pack()
            problems += found.losses.named_problems(each)
        if read:
            click.echo(f"{path}: {pluralize(database().count, 'game')}")
    if problems:
        raise GameFileError(problems)
