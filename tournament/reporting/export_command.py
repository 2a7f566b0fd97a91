"""``quietmove-tournament export``: write the games of a store for other programs.

GGF, PGN, SGF, WTHOR and transcripts support only Othello on the standard board and are written by the modules of
:mod:`quietmove.engine.games.othello.game_files`. JSON lines contain the full records. CSV is a table of games.
"""

from __future__ import annotations

import codecs
import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

import click

from quietmove.engine.common.command_line import examples
from quietmove.engine.errors import GameFileError
from quietmove.engine.files import written_whole
from quietmove.engine.games.othello.game_files import json_lines, transcripts
from quietmove.engine.games.othello.game_files.conversion import WRITERS, files_of, require_free
from quietmove.engine.games.othello.game_files.game import Losses, PlayedGame, complete
from quietmove.engine.protocol.notation import NOTATIONS
from quietmove.referee.config.model import COLORS
from quietmove.referee.game.record import GameRecord, spelling
from quietmove.referee.match.output import games_text
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.games import ScheduledGame
from quietmove.tournament.options import STORE, notation_option, store_argument
from quietmove.tournament.store.store import Store

Stored = Iterable[tuple[ScheduledGame, GameRecord]]
OF_ANY_GAME = {"csv": ".csv", "json": ".jsonl"}
# The extension of each format's files.
FORMATS = {"ggf": ".ggf", "pgn": ".pgn", "sgf": ".sgf", "wthor": ".wtb", "transcript": ".txt", **OF_ANY_GAME}
COLUMNS = (
    *("number", "round", "black", "white", "opening", "result", "points_black", "margin_black", "reason", "loser"),
    *("plies", "moves", "seconds_black", "seconds_white", "finished"),
)


@click.command(
    epilog=examples(
        "quietmove-tournament export my.sqlite --format csv > games.csv",
        "quietmove-tournament export my.sqlite -o games.wtb",
        "quietmove-tournament export my.sqlite -o full.ggf --engine full --round 1",
    ),
)
@store_argument
@click.option(
    "--format",
    "kind",
    type=click.Choice(list(FORMATS)),
    help="The output format; by default the file's extension decides.",
)
@click.option(
    "--output",
    "-o",
    type=STORE,
    help="The output file: .ggf, .pgn, .sgf, .wtb, .txt, .csv or .jsonl; by default standard output.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME",
    help="Only this engine's games; if given twice, only the games between the two engines.",
)
@notation_option
@click.option("--round", "round_number", type=click.IntRange(1), metavar="N", help="Only the games of this round.")
def export(
    store: Path,
    kind: str | None,
    output: Path | None,
    force: bool,
    engines: tuple[str, ...],
    round_number: int | None,
    notation: str | None,
) -> None:
    """Write the games of STORE as GGF, PGN, SGF, WTHOR, transcripts (a line of moves each), CSV or JSON lines.

    All but CSV and JSON lines are for games of Othello on the standard board. WTHOR consists of three files: .wtb, and
    .jou and .trn with the names. CSV has one line per game; JSON contains the full records. Data that a format cannot
    represent is counted on standard error. --notation applies to transcripts, CSV and the moves in JSON.
    """
    ending = output.suffix.lower() if output else ""
    kind = kind or next((name for name, each in FORMATS.items() if each == ending), None)
    if kind is None or (kind == "wthor" and not (output and output.name)):
        what = f"{kind or 'none'} with {output or 'no --output'}"
        raise click.UsageError(
            f"--format: must be {', '.join(FORMATS)} (wthor with --output), or match the file's extension, not {what}"
        )
    if notation and kind not in (*OF_ANY_GAME, "transcript"):
        raise click.UsageError(f"--notation: cannot be combined with {kind}, whose notation is fixed")
    targets = files_of(output.with_suffix(".wtb") if kind == "wthor" else output) if output else []
    losses = Losses()
    with Store.open_to_read(store) as opened:
        for name in engines:
            if name not in opened.tournament.names:
                raise TournamentError(f"--engine: must be one of {', '.join(opened.tournament.names)}, not {name!r}")
        require_free(targets, [store], force)
        games = (
            (game, record)
            for game, record in opened.games()
            if set(engines) <= set(game.id.pair) and round_number in (None, game.id.round)
        )
        if targets:
            with written_whole(targets, GameFileError) as files:
                count = write_games(opened, kind, files, games, losses, notation)
        else:
            count = write_games(opened, kind, [sys.stdout.buffer], games, losses, notation)
            sys.stdout.flush()
    click.echo(f"{output or 'standard output'}: {games_text(count, None)}", err=True)
    for loss, lost in losses.counted():
        click.echo(f"{loss} ({games_text(lost, None)})", err=True)


def write_games(
    store: Store,
    kind: str,
    files: Sequence[BinaryIO],
    games: Stored,
    losses: Losses,
    notation: str | None = None,
) -> int:
    """Write ``games`` of a store and return their number.

    :param kind: one of :data:`FORMATS`.
    :param files: the file, or for ``wthor`` the files of games, players and tournaments.
    :param losses: the counter of data that this format cannot represent.
    :param notation: the notation of moves, unless the format has one of its own; by default the tournament's.
    :raises TournamentError: if the format supports only Othello and the store contains another game.
    :raises GameFileError: if a game cannot be replayed.
    """
    notation = notation or store.tournament.notation
    spell = spelling(store.tournament.game, NOTATIONS[notation])
    if kind == "json":
        lines = (f"{record.in_notation(notation).to_json()}\n" for _, record in games)
        return sum(1 for line in lines if files[0].write(line.encode()))
    ends = dict(store.ends())
    if kind == "csv":
        return _write_csv(files[0], games, ends, spell)
    if store.tournament.game != "othello":
        raise TournamentError(f"--format: must be csv or json for games of {store.tournament.game!r}, not {kind}")
    write = partial(transcripts.write, spell=spell) if kind == "transcript" else WRITERS[FORMATS[kind]]
    return write(files, _played(store.tournament.name, games, ends), losses)


def _played(event: str, games: Stored, ends: dict[int, float]) -> Iterator[PlayedGame]:
    for game, record in games:
        data = record.as_dict() | {"event": event, "date": _time(ends[game.number])[:10]}
        try:
            yield complete(json_lines.read_game(f"game {game.number}", data, data["spec"]))
        except GameFileError as error:
            raise GameFileError(f"export: {error}") from None


def _write_csv(file: BinaryIO, games: Stored, ends: dict[int, float], spell: Callable[[str], str]) -> int:
    text = codecs.getwriter("utf-8")(file, "backslashreplace")  # a TextIOWrapper would close the file on errors
    table = csv.writer(text)
    table.writerow(COLUMNS)
    count = 0
    for game, record in games:
        row = [
            game.number,
            game.id.round,
            _cell(game.id.black),
            _cell(game.id.white),
            " ".join(map(spell, game.opening)),
        ]
        row += [record.result, record.points_black, record.margin_black, record.reason, record.loser]
        row += [len(record.moves), " ".join(spell(move.move) for move in record.moves)]
        used = [sum(move.elapsed_ms for move in record.moves if move.by == color) / 1000 for color in COLORS]
        table.writerow([*row, *used, _time(ends[game.number])])
        count += 1
    return count


def _cell(name: str) -> str:
    """Escape a name that a spreadsheet would interpret as a formula."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name


def _time(end: float) -> str:
    """Format an end time, given in seconds since 1970."""
    return datetime.fromtimestamp(end, UTC).isoformat(timespec="seconds")
