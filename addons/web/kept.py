"""The saved games in a folder: list, show, rename, delete, and convert them to other formats."""

from __future__ import annotations

import os.path
import time
from collections import Counter
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

from quietmove.addons.web.analysis import describe_review
from quietmove.addons.web.boards import Json, Steps, describe_end, describe_game
from quietmove.addons.web.imports import tried
from quietmove.addons.web.requests import ChangeRequest, DownloadRequest, ListRequest, RecordRequest
from quietmove.engine.common.addons import find_hook
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameFileError, UnknownGameError
from quietmove.engine.files import locked
from quietmove.engine.games.base import NATURE, Game
from quietmove.engine.games.othello.game_files import ggf, json_lines, pgn, sgf
from quietmove.engine.games.othello.game_files.game import Losses, complete
from quietmove.engine.games.registry import get_game
from quietmove.engine.tools.analysis.reviews import Review, accuracy
from quietmove.referee.config.model import COLORS
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import (
    ENDING,
    SavedGame,
    has_words,
    is_program,
    keep_review,
    new_path,
    openings_of,
    read_game,
    read_record,
    saved_files,
    search_text,
    write_game,
)
from quietmove.referee.game.transcript import Transcript
from quietmove.referee.game.verdict import finished

SORTS: dict[str, tuple[Callable[[Json], Any], bool]] = {  # each order's key, and whether the order is descending
    "newest": (lambda summary: summary["date"] or summary["kept"], True),
    "oldest": (lambda summary: summary["date"] or summary["kept"], False),
    "longest": (lambda summary: summary["plies"], True),
    "title": (lambda summary: (summary["title"] or " - ".join(summary["players"])).lower(), False),
}
MOST_GAMES = 500  # maximum length of a list
WRITERS = {"ggf": ggf.write, "sgf": sgf.write, "pgn": pgn.write}


class KeptGames:
    """The saved games in a folder; a game's name is its file name without extension.

    :ivar folder: the folder, or None if no games are saved.
    :param own_engine: the name of the server's engine with levels, or "".
    """

    def __init__(self, folder: Path | None, own_engine: str = "") -> None:
        self.folder = folder
        self._own_engine = own_engine

    def keep(self, saved: SavedGame, path: Path | None) -> Path | None:
        """Save a game, and return its file, or None if there is no folder.

        :param path: the game's file, or None for a new file.
        :raises GameFileError: if the file cannot be written.
        """
        if self.folder is None:
            return None
        if path is not None:
            write_game(saved, path, replaces=True)
            return path
        with locked(self.folder / ENDING, GameFileError):
            return _write_new(saved, self.folder)

    def add(self, request: RecordRequest) -> Json:
        """Save a game from elsewhere unless it is already saved, and return its name.

        Moves without a player are attributed to the side to move.

        :raises SetupError, GameFileError: if this server saves no games, or the game cannot be written.
        :raises GameError: if a move is illegal.
        """
        if self.folder is None:
            raise SetupError("saved games: not available, because a server open to other machines saves none")
        saved = with_movers(request.record)
        with locked(self.folder / ENDING, GameFileError):
            there = (path for path in saved_files(self.folder) if is_same_game(path, saved))
            path = next(there, None) or _write_new(saved, self.folder)
        return {"name": path.stem}

    def listed(self, running: Container[Path] = (), asked: ListRequest | None = None) -> Json:
        """Return the requested games (at most MOST_GAMES), the number that match, and the kinds of all saved games.

        :param running: files of running games, which are not listed.
        """
        files = saved_files(self.folder) if self.folder else []
        kept = [_summary(path) for path in files if path not in running]
        asked = asked or ListRequest()
        chosen = [each for each, text in kept if asked.game in ("", _kind(each)) and has_words(text, asked.search)]
        key, is_reversed = SORTS[asked.sort]
        games = sorted((each for each in chosen if "error" not in each), key=key, reverse=is_reversed)
        return {
            "games": [*games, *(each for each in chosen if "error" in each)][:MOST_GAMES],
            "count": len(chosen),
            "kinds": sorted({_kind(each) for each, _ in kept} - {""}),
        }

    def shown(self, name: str) -> Json:
        """Return a game with all its positions.

        :raises SetupError, GameFileError: if there is no such game, or it cannot be read.
        """
        return self.described(RecordRequest(record=read_game(self._path(name))))

    def find(self, name: str) -> tuple[Path, SavedGame] | None:
        """Return a game's file and the game, or None if it was deleted or is damaged."""
        with suppress(SetupError, GameFileError):
            return (path := self._path(name)), read_game(path)
        return None

    def described(self, request: RecordRequest) -> Json:
        """Return a game with all its positions. ``record`` contains the other data of the saved game.

        :raises QuietmoveError: if there is no such game or position, or a move is illegal.
        """
        saved = request.record
        steps = Steps(saved.rules, saved.begin(), openings=True)
        return {
            "review": describe_kept_review(saved),
            **describe_game(saved.rules),
            "seats": [self._seat(saved, side) for side in (0, 1)],
            "steps": [steps.first(), *map(steps.after, saved.moves)],
            "lines": tried(saved.rules, saved.begin(), [each.move for each in saved.moves], saved.lines),
            "verdict": describe_end(saved.reason, saved.detail, saved.margin_black),
            "record": saved.model_dump(mode="json", exclude={"moves", "lines", "review"}, exclude_defaults=True),
        }

    def change(self, name: str, change: ChangeRequest) -> None:
        """Change a game's title (empty for none) or the lines saved with it.

        :raises SetupError, GameFileError: see :meth:`shown`, or if the game cannot be written.
        :raises GameError: if a move in the lines is illegal.
        """
        path = self._path(name)
        with locked(path, GameFileError):
            saved = read_game(path)
            if change.lines is not None:
                tried(saved.rules, saved.begin(), [each.move for each in saved.moves], change.lines)
                saved = saved.model_copy(update={"lines": change.lines})
            if change.title is not None:
                saved = saved.model_copy(update={"event": change.title})
            write_game(saved, path, replaces=True)

    def keep_review(self, name: str, moves: Sequence[str], review: Review) -> bool:
        """Save a review with a game unless a review at least as deep exists. Return whether it was saved.

        :param moves: the reviewed moves.
        :raises SetupError, GameFileError: see :meth:`change`, or if the game has different moves.
        """
        return keep_review(self._path(name), moves, review)

    def delete(self, name: str) -> None:
        """Delete a game.

        :raises SetupError: if there is no such game.
        """
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        """Return a game's file.

        :raises SetupError: if there is no such game, or this server saves none.
        """
        if self.folder is None:
            raise SetupError("saved games: not available, because a server open to other machines saves none")
        path = self.folder / f"{name}{ENDING}"
        if path.parent != self.folder or not os.path.isfile(path):  # noqa: PTH113 (is_file() raises at a long name)
            raise SetupError(f"game: there is no saved game {name[:60]!r}; it may have been deleted")
        return path

    def _seat(self, saved: SavedGame, side: int) -> Json:
        """Return a player as page data. ``request``, if present, selects the same player again."""
        seat: Json = {"name": saved.players[side], "person": False, "limit": None}
        if COLORS[side] in saved.people:
            return {**seat, "request": {"person": True}}
        if saved.opponent is None or not self._own_engine:
            return seat
        limit, name = saved.opponent.limit, seat["name"].partition(", ")[0]  # the page shows the level next to the name
        asked = {"person": False, "engine": self._own_engine, "level": saved.opponent.level, "limit": limit}
        return {**seat, "name": name, "limit": limit or None, "request": asked}


def _write_new(saved: SavedGame, folder: Path) -> Path:
    path = new_path(folder, saved.spec.game)
    write_game(saved, path, replaces=False)
    return path


def with_movers(saved: SavedGame) -> SavedGame:
    """Return a game with the player of each move filled in, and with its result if it is over.

    A move without a player is attributed to the side to move.
    """
    position, moves = saved.begin(), []
    for number, record in enumerate(saved.moves):
        side = position.side_to_move
        is_open = record.by == "opening" and number >= saved.given and side != NATURE
        moves.append(replace(record, by=COLORS[side]) if is_open else record)
        position.play(saved.rules.parse_move(position, record.move))
    ended: Json = {}
    if saved.margin_black is None and position.is_over():
        ended = {"margin_black": finished(position.result(), saved.rules.players).margin_black, "reason": "finished"}
    return saved.model_copy(update={"moves": tuple(moves), **ended})


def is_same_game(path: Path, saved: SavedGame) -> bool:
    """Return whether a file contains a game with the same rules, start, players, date and moves."""
    if _summary(path)[0].get("plies") != len(saved.moves):
        return False
    try:
        there = read_record(path)
    except GameFileError:
        return False
    facts = (
        (each.spec.game, each.start, each.players, each.date, [move.move for move in each.moves])
        for each in (there, saved)
    )
    return next(facts) == next(facts)


def describe_kept_review(saved: SavedGame) -> Json | None:
    """Return a game's review as page data, or None if there is none or its number of moves is different."""
    review = saved.review
    if review is None or len(review.moves) != len(saved.moves):
        return None
    position = saved.begin()
    found = []
    for record, each in zip(saved.moves, review.moves, strict=True):
        found.append(describe_review(saved.rules, position, each))
        position.play(saved.rules.parse_move(position, record.move))
    sides = [COLORS.index(color) for color in saved.people]
    practised_in = find_hook("practised")
    practised = practised_in(saved) if practised_in else {}
    return {"moves": found, "limit": review.limit, "date": review.date, "own": sides, "practised": practised}


def downloaded(request: DownloadRequest) -> Json:
    """Return the text of a file with a game, or with a picture of its final position.

    :raises GameError: if a move is illegal.
    :raises SetupError: if this game does not support the format.
    """
    saved, game = request.record, request.game
    if request.kind == "svg":
        if (picture := Transcript(game, saved.moves, start=saved.start).svg()) is None:
            raise SetupError(f"picture: {game} has no pictures")
        return {"text": picture}
    if game != "othello":
        raise SetupError(f"{request.kind.upper()} supports only othello, not {game}")
    data = saved.model_dump(mode="json", exclude_defaults=True)
    file = BytesIO()
    WRITERS[request.kind]([file], [complete(json_lines.read_game("the game", data, data.get("spec", {})))], Losses())
    return {"text": file.getvalue().decode()}


def _summary(path: Path) -> tuple[Json, str]:
    """Return a file's list entry and its searchable text. For an unreadable file, the entry contains the error."""
    changed, size = 0, 0
    with suppress(OSError):  # the file may have been deleted in the meantime
        changed = path.stat().st_mtime_ns
        size = path.stat().st_size
    return _summary_of(path, changed, size)


# Without the cache, a list of 1,000 games takes 0.3 s of processor time for each letter typed in the search field.
@lru_cache(maxsize=4096)
def _summary_of(path: Path, changed: int, size: int) -> tuple[Json, str]:
    shown = {"name": printable(path.stem), "title": printable(path.name)}
    try:
        path.name.encode()
        saved = read_record(path)
    except UnicodeEncodeError:
        return {**shown, "error": "the name of this file is not UTF-8"}, shown["title"].lower()
    except GameFileError:
        return {**shown, "error": "this file contains no game"}, shown["title"].lower()
    players = [name or side for name, side in zip(saved.players, _sides(saved.spec.game), strict=True)]
    summary = {
        "name": path.stem,
        "title": saved.event,
        "date": saved.date,
        "kept": time.strftime("%Y-%m-%d", time.localtime(changed / 1e9)),
        "game": saved.spec.game,
        "opening": "".join(openings_of(saved)[-1:]),
        "players": players,
        "result": saved.result,
        "margin": saved.margin_black,
        "reason": saved.reason,
        "plies": len(saved.moves),
        "accuracy": [accuracy(saved.review, side) for side in (0, 1)] if saved.review else None,
        "marks": [_count_marks(saved.review, side) for side in (0, 1)] if saved.review else None,
        "people": list(saved.people),
        "given": saved.given,
        "starts": bool(saved.start),
    }
    return summary, f"{search_text(saved)} {' '.join(players).lower()}"


def _count_marks(review: Review, side: int) -> list[int]:
    """Count a side's moves marked ``?!``, ``?`` and ``??``."""
    marks = Counter(each.mark for each in review.moves if each.side == side)
    return [marks[mark] for mark in ("?!", "?", "??")]


def _kind(summary: Json) -> str:
    """Return a game's name without size or rules, or "" for a file without a game."""
    return str(summary.get("game", "")).partition(" ")[0]


def _sides(game: str) -> tuple[str, str]:
    """Return the names of a game's sides. A Python game is not run for this, and gets the default names."""
    with suppress(UnknownGameError):
        return Game.players if is_program(game) else get_game(game).players
    return Game.players
