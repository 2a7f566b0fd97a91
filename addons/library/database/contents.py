"""``quietmove database list`` and ``remove``: count a database's games by year, and delete some."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import click

from quietmove.addons.library.database.add import BLOCK, database_option, default_database
from quietmove.addons.library.database.show import Years
from quietmove.addons.library.database.store import Copies, GameDatabase, unpacked
from quietmove.engine.common.command_line import examples
from quietmove.engine.common.text import printable
from quietmove.engine.errors import DatabaseError
from quietmove.engine.games.othello.game_files.game import INITIAL, PlayedGame, complete
from quietmove.engine.protocol.describe import pluralize

MAX_EVENTS = 3  # maximum number of events named per year


@dataclass(frozen=True, slots=True)
class YearOfGames:
    """The games of one year.

    :ivar year: the year, or None for games without a year.
    :ivar events: the number of events; ``largest`` contains the names of the events with the most games.
    :ivar nameless: the number of games in which neither player is named.
    """

    year: int | None
    games: int
    events: int
    largest: tuple[str, ...]
    nameless: int


def years_of(database: GameDatabase) -> list[YearOfGames]:
    """Return a database's games by year, starting with the games without a year.

    :raises DatabaseError: if the database cannot be read.
    """
    rows = database.select(
        "SELECT year, count(*), count(DISTINCT nullif(e.text, '')), sum(b.text = '' AND w.text = '') FROM game"
        " JOIN name b ON b.number = black JOIN name w ON w.number = white JOIN name e ON e.number = event"
        " GROUP BY year ORDER BY year"
    )
    named = database.select(
        "SELECT year, text FROM game JOIN name ON name.number = event WHERE text != '' GROUP BY year, event"
        " ORDER BY count(*) DESC"
    )
    largest: dict[object, list[str]] = {}
    for year, text in named:
        largest.setdefault(year, []).append(str(text))
    return [
        YearOfGames(year, games, events, tuple(largest.get(year, [])[:MAX_EVENTS]), nameless)
        for year, games, events, nameless in rows
    ]


@click.command(name="list", epilog=examples("quietmove database list", "quietmove database list --json"))
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_games(file: Path | None, as_json: bool) -> None:
    """Print the number of games in the database by year, with the largest events of each year."""
    with GameDatabase(file or default_database()) as database:
        years = years_of(database)
    if as_json:
        rows = [
            {"year": each.year, "games": each.games, "events": each.events, "nameless": each.nameless} for each in years
        ]
        click.echo(json.dumps({"games": sum(each.games for each in years), "years": rows}))
        return
    click.echo(f"{pluralize(sum(each.games for each in years), 'game')}")
    for each in years:
        more = ", ..." if each.events > len(each.largest) else ""
        nameless = f"; {each.nameless:,} without players" if each.nameless else ""
        events = f"  {', '.join(each.largest)}{more}" if each.largest else ""
        click.echo(printable(f"{each.year or 'no year':>7}{each.games:>10,}{nameless}{events}"))


@click.command(epilog=examples("quietmove database remove --years 1985", "quietmove database remove --event Cup"))
@database_option
@click.option("--years", type=Years(), metavar="YEARS", help="Only games of a year, or of a range such as 1985-2010.")
@click.option("--player", default="", metavar="NAME", help="Only games of a player; part of the name is enough.")
@click.option("--event", default="", metavar="NAME", help="Only games of an event; part of the name is enough.")
def remove(file: Path | None, years: tuple[int, int] | None, player: str, event: str) -> None:
    """Remove the games that match all given options from the database. At least one option is required.

    The remaining games are written to a new file, which then replaces the old one.
    """
    if not (years or player or event):
        raise click.UsageError("at least one of --years, --player and --event is required")
    path = file or default_database()
    with GameDatabase(path) as database:
        gone = database.numbers_of(player, years, None)
        if event:
            gone &= {
                number
                for number, text in database.select(
                    "SELECT game.number, text FROM game JOIN name ON name.number = event"
                )
                if event.lower() in str(text).lower()
            }
        if not gone:
            raise DatabaseError(f"database: {path}: no game matches; 'quietmove database list' lists years and events")
        rest = (number for number in range(1, database.count + 1) if number not in gone)
        left = rewrite(path, games_of(database, rest))
    click.echo(f"{path}: {pluralize(len(gone), 'game')} removed, {left:,} left")


def games_of(database: GameDatabase, numbers: Iterable[int]) -> Iterator[PlayedGame]:
    """Yield the complete games with the given game numbers."""
    for number in numbers:
        ((moves, margin, black, white, event, year, date, start),) = database.games([number])
        squares, side = start.split() if start else INITIAL
        yield complete(
            PlayedGame(
                f"game {number}",
                (squares, side),
                tuple(unpacked(moves)),
                margin,
                players=(database.name(black), database.name(white)),
                event=database.name(event),
                date=date or str(year or ""),
            )
        )


def rewrite(path: Path, games: Iterator[PlayedGame]) -> int:
    """Replace a database with one that contains these games, and return their number.

    :raises DatabaseError: if the new file cannot be written. The old file is then unchanged.
    """
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f"{path.name}-") as folder:
            made = Path(folder, "games.sqlite")
            copies = Copies()
            with GameDatabase(made, create=True) as database:
                while block := list(islice(games, BLOCK)):
                    database.add(block, copies)
                count = database.count
                database.pack()
            made.replace(path)
            for ending in ("-wal", "-shm"):  # the replaced file's log
                Path(f"{path}{ending}").unlink(missing_ok=True)
    except OSError as error:
        raise DatabaseError(f"database: {path}: {error.strerror}") from None
    return count
