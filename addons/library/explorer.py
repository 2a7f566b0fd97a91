"""Request handlers of the explorer page, which shows the moves played in a position.

The moves come from the default database of ``quietmove database`` or from the user's saved games. To add a file that
was dropped on the page, the server runs ``quietmove database add`` in a separate process. Saved games are indexed in
memory, and reindexed when one changes.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import threading
import time
import weakref
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from starlette.exceptions import HTTPException

from quietmove.addons.library.database.add import default_database
from quietmove.addons.library.database.contents import years_of
from quietmove.addons.library.database.questions import Filter, ask, played
from quietmove.addons.library.database.store import Copies, GameDatabase
from quietmove.addons.library.own_book import keep_note, notes_by_board, read_notes
from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.addons.web.kept import with_movers
from quietmove.addons.web.pages import AddedPages, PageServer
from quietmove.addons.web.requests import PageRequest, RecordRequest, in_query, in_thread, parse_position, path_number
from quietmove.addons.web.routes import Role, Row
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processes import python_command
from quietmove.engine.errors import GameError
from quietmove.engine.games.base import Position
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.game_files import READERS, ending_of
from quietmove.engine.games.othello.game_files.game import complete
from quietmove.engine.games.othello.game_files.json_lines import read_game
from quietmove.engine.games.othello.game_files.wthor import NAME_FILES
from quietmove.engine.games.othello.symmetry import board_of
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves, written_moves
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import SavedGame, SavedPlayer, Spec, read_record, saved_files
from quietmove.referee.game.transcript import MoveRecord

if TYPE_CHECKING:
    from starlette.requests import Request

STATIC = Path(__file__).parent / "static"
STARTING_GAMES = Path(__file__).parent / "data" / "starting_games.txt.gz"
MOST_FILE_BYTES = 100_000_000  # size limit of an uploaded file
SIDES = {"": None, "black": 0, "white": 1}
YEARS = re.compile(r"\s*(\d{4})(?:\D+(\d{4}))?\s*", re.ASCII)


class ExplorerRequest(PageRequest):
    """A request for a position, and for the moves played there in the games that match a filter.

    :ivar moves: moves from ``start``, which is empty for the initial position.
    :ivar games: the number of games to list, most recently added first.
    """

    source: Literal["mine", "book", "database"] = "database"
    start: str = ""
    moves: str = ""
    player: str = ""
    color: Literal["", "black", "white"] = ""
    years: str = ""
    games: Annotated[int, Field(strict=False, ge=0, le=500)] = 10

    @property
    def filter(self) -> Filter:
        """The filter for the games to count.

        :raises SetupError: if the years are invalid, or a color is given without a player.
        """
        match = YEARS.fullmatch(self.years) if self.years.strip() else None
        if self.years.strip() and match is None:
            raise SetupError(f"years: expected a year, or a range such as 1985-2010, not {self.years[:40]!r}")
        years = (int(match[1]), int(match[2] or match[1])) if match else None
        if years and years[0] > years[1]:
            raise SetupError(f"years: the first year must not be after the second: {self.years[:40]!r}")
        if self.color and not self.player.strip():
            raise SetupError("player: required if a color is chosen")
        return Filter(self.player.strip(), SIDES[self.color], years)


class NoteRequest(PageRequest):
    """A note of the user's own book on the last of the moves; None removes it."""

    moves: str
    note: Annotated[str, Field(max_length=500)] | None


def explorer_pages(server: PageServer) -> AddedPages:
    """Return the explorer page."""
    pages = ExplorerPages(server.sessions.kept.folder)

    async def add(request: Request) -> Json:
        return await pages.add(request.query_params.get("name", ""), await request.body())

    def open_game(request: Request) -> Json:
        return server.sessions.kept.described(RecordRequest(record=pages.game(path_number(request))))

    rows = [
        Row("GET", "/api/explorer/games/{number}", open_game, Role.PLAYER),
        Row("GET", "/api/explorer/contents", lambda request: asyncio.to_thread(pages.contents), Role.PLAYER),
        Row("GET", "/api/explorer", in_query(ExplorerRequest, pages.position), Role.PLAYER),
        Row("POST", "/api/explorer/games", add, Role.PLAYER, file=MOST_FILE_BYTES),
        Row("GET", "/api/explorer/notes", lambda request: asyncio.to_thread(pages.notes), Role.PLAYER),
        Row("POST", "/api/explorer/note", in_thread(NoteRequest, pages.keep), Role.PLAYER),
        Row("POST", "/api/explorer/start", lambda request: pages.start(), Role.PLAYER),
        Row("DELETE", "/api/explorer/problems", lambda request: pages.forget(), Role.PLAYER),
    ]
    return AddedPages("/explorer", "Explore", "explorer", STATIC, rows, rank=2)


class ExplorerPages:
    """The request handlers of one server's explorer page.

    :param folder: the folder of saved games, or None if the server saves no games and has no database.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._mine = OwnGames(folder)
        self._asking = threading.Lock()
        self._database: GameDatabase | None = None
        self._file = 0  # inode of the open database
        self._adding = ""  # name of the file being added
        self._problems: list[str] = []
        self._turn = asyncio.Lock()  # files are added one after another
        self._uploads: Path | None = None

    def position(self, request: ExplorerRequest) -> Json:
        """Return a position, the moves played there, the file being added, and the problems of earlier ones.

        ``games`` is None without a database, and if the source is the book.

        :raises QuietmoveError: if a move is illegal, the filter is invalid, or the database cannot be read.
        """
        game = get_game("othello")
        position = parse_position(game, request.start)
        words = list[str]()
        for move in written_moves(game, position, [request.moves]):
            words.append(game.format_move(move))
            position.play(move)
        if words:  # show the last step with the discs its move flipped
            position.undo()
        steps = Steps(game, position, openings=True)
        step = steps.after(MoveRecord(words[-1], "opening")) if words else steps.first()
        found: Json = {"games": None, "moves": [], "played": [], "ms": 0}
        if self._folder and request.source != "book":
            found |= self._ask(request, steps.position.copy())
        return {
            **describe_game(game),
            "step": step,
            "line": words,
            "keeps": self._folder is not None,
            **self._own(steps.position),
            "adding": self._adding,
            "problems": self._problems,
            **found,
        }

    def game(self, number: int) -> SavedGame:
        """Return a game of the database.

        :raises HTTPException: 404, if no game has this number.
        """
        with self._asking:
            database = self._opened(default_database()) if self._folder else None
            if database is None or not 1 <= number <= database.count:
                raise HTTPException(404)
            (found,) = played(database, [number])
            margin = database.games([number])[0][1]
        names = Spec(black=SavedPlayer(name=found["black"]), white=SavedPlayer(name=found["white"]))
        squares = re.findall("..", found["moves"])
        saved = SavedGame(
            spec=names, start=found["start"], moves=tuple(MoveRecord(each, "opening") for each in squares)
        )
        about = {"margin_black": margin, "event": found["event"], "date": found["date"]}
        return with_movers(saved).model_copy(update=about)

    def _own(self, position: Position) -> Json:
        """Return the own book's note on a position, or None, and those on the moves from there."""
        known = notes_by_board(self._folder) if self._folder else {}
        notes = {}
        for move in position.legal_moves() if known else ():
            after = position.copy()
            after.play(move)
            if (board := board_of(after)) in known:
                notes[get_game("othello").format_move(move)] = known[board]
        return {"note": known.get(board_of(position)), "notes": notes}

    def notes(self) -> Json:
        """Return the own book as text: a line for each of its moves, with the moves to it, a tab and the note.

        :raises SetupError: if the server saves no games.
        """
        notes = read_notes(self._require_folder())
        return {"text": "".join(f"{moves.replace(' ', '')}\t{note}".rstrip() + "\n" for moves, note in notes.items())}

    def keep(self, request: NoteRequest) -> Json:
        """Keep or remove a note of the own book.

        :raises SetupError: if there is no move, or the server saves no games.
        :raises GameError: if a move is illegal, or the book cannot be written.
        """
        game = get_game("othello")
        moves = " ".join(map(game.format_move, play_moves(game, game.initial(), [request.moves])))
        if not moves:
            raise SetupError("moves: at least one is required; a note belongs to a move")
        keep_note(self._require_folder(), moves, request.note)
        return {}

    def contents(self) -> Json:
        """Return the number of games in the database, in total and by year. Without a database, the total is 0."""
        with self._asking:
            database = self._opened(default_database()) if self._folder else None
            years = years_of(database) if database else []
        return {"games": sum(each.games for each in years), "years": list(map(asdict, years))}

    def _ask(self, request: ExplorerRequest, position: object) -> Json:
        assert isinstance(position, OthelloPosition)
        began = time.perf_counter()
        wanted = request.filter
        try:
            if request.source == "mine":
                return self._mine.ask(position, wanted, request.games) | {"ms": elapsed(began)}
            with self._asking:
                database = self._opened(default_database())
                if database is None:
                    return {}
                answer = ask(database, position, wanted, request.games)
                games = zip(answer.numbers, played(database, answer.numbers), strict=True)
                listed = [{**each, "number": number} for number, each in games]
        except GameError as error:  # the position has more discs than any indexed position
            return {"games": 0, "note": str(error)}
        return {**answer.as_object(), "played": listed, "ms": elapsed(began)}

    def _opened(self, path: Path) -> GameDatabase | None:
        """Return the database, reopened if its file was replaced, or None if there is no file."""
        file = path.stat().st_ino if path.is_file() else 0
        if file != self._file and self._database is not None:
            self._database.close()
            self._database = None
        if file and self._database is None:
            self._database = GameDatabase(path)
        self._file = file
        return self._database

    async def add(self, name: str, data: bytes) -> Json:
        """Add the games in a file to the database, and return the summary line.

        A WTHOR list of names also applies to the games uploaded before it.

        :param name: the file's name.
        :raises SetupError: if the server has no database, or the file is not a games file.
        """
        self._require_folder()
        if self._uploads is None:
            self._uploads = Path(tempfile.mkdtemp(prefix="quietmove-"))
            weakref.finalize(self, shutil.rmtree, self._uploads, ignore_errors=True)
        path = Path(self._uploads, re.sub(r"[^\w .-]", "_", Path(name).name[-60:]))
        if path.suffix.lower() not in NAME_FILES and ending_of(path) not in READERS:
            raise SetupError(f"name: must end in {', '.join((*READERS, *NAME_FILES))}, not {name[:60]!r}")
        async with self._turn:
            await asyncio.to_thread(path.write_bytes, data)
            files = [path]
            if path.suffix.lower() in NAME_FILES:
                files = [each for each in sorted(self._uploads.iterdir()) if each.suffix.lower() not in NAME_FILES]
            said = [await self._read(each) for each in files]
        return {"said": "; ".join(said)}

    async def start(self) -> Json:
        """Add the games that ship with the add-on, and return the summary line.

        :raises SetupError: if the server has no database.
        """
        self._require_folder()
        async with self._turn:
            return {"said": await self._read(STARTING_GAMES)}

    def _require_folder(self) -> Path:
        if self._folder is None:
            raise SetupError("database: not available, because the server is open to other machines")
        return self._folder

    async def _read(self, path: Path) -> str:
        """Add a file, and return the summary line.

        Delete an uploaded file if the names of all its players and tournaments are known.
        """
        self._adding = path.name
        try:
            said, is_named = await self._run(path)
        finally:
            self._adding = ""
        if is_named and path.parent == self._uploads:
            path.unlink()
        return said

    async def _run(self, path: Path) -> tuple[str, bool]:
        """Add a file in a separate process. Errors are stored for the page.

        :return: the summary line, and whether all names are known.
        """
        command = python_command("quietmove", "database", "add", str(path))
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
        try:
            out, errors = await process.communicate()
        except BaseException:  # the server is stopping; games read so far are in the database
            process.kill()
            raise
        folder = f"{path.parent}/"
        lines = errors.decode(errors="replace").replace(folder, "").splitlines()
        self._problems = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        said = out.decode(errors="replace").replace(folder, "").partition("\n")[0]
        return said, not any(line.startswith("not known: ") for line in lines)

    async def forget(self) -> None:
        """Clear the errors of the last file."""
        self._problems = []


class OwnGames:
    """The saved games as a database in memory, rebuilt when a file has been changed or deleted."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._asking = threading.Lock()
        self._known: dict[Path, int] = {}  # modification time of each indexed file
        self._names: list[str] = []  # each game's name, in database order
        self._database = GameDatabase(None)
        self._copies = Copies()

    def ask(self, position: OthelloPosition, wanted: Filter, games: int) -> Json:
        """Return the moves played in a position, and at most ``games`` games that reached it, with their names."""
        with self._asking:
            self._follow()
            answer = ask(self._database, position, wanted, games)
            listed = [
                {**game, "name": self._names[number - 1]}
                for number, game in zip(answer.numbers, played(self._database, answer.numbers), strict=True)
            ]
        return {**answer.as_object(), "played": listed}

    def _follow(self) -> None:
        """Update the database from the current files."""
        assert self._folder is not None
        files = {path: path.stat().st_mtime_ns for path in reversed(saved_files(self._folder))}
        if any(files.get(path) != changed for path, changed in self._known.items()):
            self._known = {}
            self._names = []
            self._database = GameDatabase(None)
            self._copies = Copies()
        for path in files.keys() - self._known.keys():
            self._known[path] = files[path]
            try:
                data = read_record(path).model_dump(mode="json", exclude_defaults=True)
                if data.get("spec", {}).get("game", "othello") != "othello":
                    continue
                game = complete(read_game(path.stem, data, data.get("spec", {})))
            except QuietmoveError:  # the list of saved games reports the error
                continue
            if self._database.add([game], self._copies):
                self._names.append(path.stem)


def elapsed(began: float) -> int:
    """Return the milliseconds since ``began``, a ``perf_counter`` value."""
    return round(1000 * (time.perf_counter() - began))
