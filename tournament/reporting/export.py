"""The games of a store in the kinds of files that other programs read.

GGF, WTHOR and transcripts hold games of Othello on its usual board alone, and are written by the modules of
:mod:`quietmove.engine.games.othello.game_files`; JSON lines are the referee's records whole; CSV is a table of games.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from quietmove.engine.errors import GameFileError
from quietmove.engine.games.othello.game_files import ggf, json_lines, transcripts, wthor
from quietmove.engine.games.othello.game_files.game import Losses, PlayedGame, complete
from quietmove.referee.game.record import GameRecord
from quietmove.tournament.errors import TournamentError
from quietmove.tournament.games import ScheduledGame
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import Timing

__all__ = ["ENDINGS", "FORMATS", "Choice", "export", "files_of"]

Write = Callable[[Sequence[BinaryIO], Iterable[PlayedGame], Losses], int]
OTHELLO: dict[str, Write] = {"ggf": ggf.write, "wthor": wthor.write, "transcript": transcripts.write}
FORMATS = (*OTHELLO, "csv", "json")
ENDINGS = {".ggf": "ggf", ".wtb": "wthor", ".txt": "transcript", ".csv": "csv", ".jsonl": "json"}
COLUMNS = (
    "number",
    "round",
    "black",
    "white",
    "opening",
    "result",
    "points_black",
    "margin_black",
    "reason",
    "loser",
    "plies",
    "moves",
    "seconds_black",
    "seconds_white",
    "finished",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which games of a tournament are meant.

    :param engines: each of them plays; none chooses nothing.
    :param round: ``None`` for all.
    :raises TournamentError: if an engine is not in the tournament, or there are more than two.
    """

    names: Sequence[str]
    engines: Sequence[str] = ()
    round: int | None = None

    def __post_init__(self) -> None:
        for engine in self.engines:
            if engine not in self.names:
                raise TournamentError(f"--engine: allowed: {', '.join(self.names)}; {engine!r} came")
        if len(set(self.engines)) > 2:
            raise TournamentError(f"--engine: two play a game; {len(set(self.engines))} came")

    def fits(self, game: ScheduledGame) -> bool:
        """Tell whether a game is meant."""
        return set(self.engines) <= set(game.id.pair) and self.round in (None, game.id.round)


def export(store: Store, kind: str, files: Sequence[BinaryIO], choice: Choice, losses: Losses) -> int:
    """Write the chosen games and return how many were written.

    :param kind: one of :data:`FORMATS`.
    :param files: the one file, or for ``wthor`` that of the games, of the players and of the tournaments.
    :param losses: counts what this kind of file cannot hold.
    :raises TournamentError: if it is for games of Othello alone.
    :raises GameFileError: if a game cannot be replayed.
    """
    times = {timing.number: timing for timing in store.timings()} if kind != "json" else {}
    games = ((game, record) for game, record in store.games() if choice.fits(game))
    if kind in OTHELLO:
        if store.tournament.game != "othello":
            raise TournamentError(
                f"export: {kind} is for games of othello; {store.tournament.game!r} came; allowed: csv, json"
            )
        return OTHELLO[kind](files, _played(store.tournament.name, games, times), losses)
    write = _write_csv if kind == "csv" else _write_json
    return write(files[0], games, times)


def _played(
    event: str, games: Iterable[tuple[ScheduledGame, GameRecord]], times: dict[int, Timing]
) -> Iterator[PlayedGame]:
    for game, record in games:
        data: dict[str, Any] = json.loads(record.to_json())
        data |= {"event": event, "date": _time(times[game.number])[:10]}
        try:
            yield complete(json_lines.read_game(f"game {game.number}", data, data["spec"]))
        except GameFileError as error:
            raise GameFileError(f"export: {error}") from None


def _write_csv(file: BinaryIO, games: Iterable[tuple[ScheduledGame, GameRecord]], times: dict[int, Timing]) -> int:
    text = codecs.getwriter("utf-8")(file, "backslashreplace")  # which leaves the file open after an error
    table = csv.DictWriter(text, COLUMNS)
    table.writeheader()
    count = 0
    for game, record in games:
        table.writerow(_row(game, record, times[game.number]))
        count += 1
    return count


def _row(game: ScheduledGame, record: GameRecord, time: Timing) -> dict[str, Any]:
    return {
        "number": game.number,
        "round": game.id.round,
        "black": _cell(game.id.black),
        "white": _cell(game.id.white),
        "opening": " ".join(game.opening),
        "result": record.result,
        "points_black": record.points_black,
        "margin_black": record.margin_black,
        "reason": record.reason,
        "loser": record.loser,
        "plies": len(record.moves),
        "moves": " ".join(move.move for move in record.moves),
        "seconds_black": round(time.black.seconds, 3),
        "seconds_white": round(time.white.seconds, 3),
        "finished": _time(time),
    }


def _write_json(file: BinaryIO, games: Iterable[tuple[ScheduledGame, GameRecord]], times: dict[int, Timing]) -> int:
    count = 0
    for _, record in games:
        file.write(f"{record.to_json()}\n".encode())
        count += 1
    return count


def _cell(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name


def _time(timing: Timing) -> str:
    """Return when a game was finished."""
    return datetime.fromtimestamp(timing.finished, UTC).isoformat(timespec="seconds")


def files_of(path: Path, kind: str) -> list[Path]:
    """Return the files that are written for ``path``, itself first."""
    return [path, *(path.with_suffix(ending) for ending in wthor.NAME_FILES)] if kind == "wthor" else [path]
