"""Conversion of games that a page sends, as text or as a file, into positions move by move."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.addons.web.requests import ReplayRequest, parse_position
from quietmove.engine.common.addons import find_hook
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.processes import python_command
from quietmove.engine.errors import GameError, GameFileError, IllegalMoveError, NotationError, PositionError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.othello.game_files import (
    POSITIONS,
    READERS,
    PlayedGame,
    ending_of,
    flipello,
    json_lines,
    kind_of,
    read_game_file,
)
from quietmove.engine.games.othello.game_files.game import Losses, complete
from quietmove.engine.games.othello.game_files.obf import positions_in
from quietmove.engine.games.othello.game_files.text_lines import PACKED, read_lines
from quietmove.engine.games.othello.game_files.wthor import NAME_FILES
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import written_moves
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import ENDING, SavedGame, TreeLine, is_program
from quietmove.referee.game.transcript import MoveRecord

OTHELLO = "othello"
MOST_UNPACKED = 16_000_000  # size limit of an unpacked file, in bytes
READING_SECONDS = 10  # time limit for reading an uploaded file
FEN = re.compile(r"(?:[pP1-8]{1,8}/){7}[pP1-8]{1,8}(?:\[[pP]*\])?\s+[wb]\b[-\s\d]*")  # in Flipello
LINK = re.compile(r"https?://\S+")
SIDE = re.compile(r"\S\S\s+[^\s\d|-]\s*$")  # a word of one letter after the squares
RUN = re.compile(r"(?:[a-h][1-8][ +,-]?){3,}", re.IGNORECASE)  # squares in a link
MOST_GAMES = 500  # only the first games of a larger file are shown


def imported_apart(name: str, data: bytes, sizes: str = "") -> Json:
    """Run :func:`imported` in a separate process, which is killed after READING_SECONDS.

    :raises SetupError: as :func:`imported`, or if reading takes too long, or too much memory.
    """
    request = json.dumps([name, sizes]).encode() + b"\n" + data
    command = python_command(__name__)
    try:
        done = subprocess.run(command, input=request, capture_output=True, check=True, timeout=READING_SECONDS)
    except subprocess.TimeoutExpired:
        raise SetupError(f"{name[:60]}: reading the file takes longer than {READING_SECONDS} s") from None
    except subprocess.CalledProcessError as error:
        raise SetupError(f"{name[:60]}: reading the file ended with status {error.returncode}") from None
    found: Json = json.loads(done.stdout)
    if "error" in found:
        raise SetupError(found["error"])
    return found


def main() -> None:
    """Read a line of JSON (the name and the sizes) and then the files from standard input; print JSON."""
    signal.alarm(READING_SECONDS + 1)  # the server may have exited
    name, sizes = json.loads(sys.stdin.buffer.readline())
    try:
        found = imported(name, sys.stdin.buffer.read(), sizes)
    except QuietmoveError as error:
        found = {"error": error.problems}
    json.dump(found, sys.stdout)


def imported(name: str, data: bytes, sizes: str = "") -> Json:
    """Return a file's first MOST_GAMES games in saved form, each with a title, and whether there are more.

    Damaged games are skipped and named in ``problems``.

    :param name: the file name. Its extension determines the format, unless the text's beginning identifies the format.
    :param sizes: for a WTHOR file, the sizes of its lists of players and of tournaments, such as ``2016 0``; they
        follow the file in ``data``.
    :raises SetupError, GameFileError: if the format is not supported, or the file is damaged.
    """
    ending = ending_of(Path(name))
    is_packed = name.lower().endswith(PACKED)
    if ending not in (*READERS, POSITIONS):
        raise SetupError(f"name: must end in {', '.join((*READERS, POSITIONS))}, not {name[:60]!r}")
    if is_packed:
        _check_unpacked(data)
    with tempfile.TemporaryDirectory(prefix="quietmove-") as folder:
        path = Path(folder) / f"games{ending}{PACKED if is_packed else ''}"
        for name_ending, size in reversed([*zip(NAME_FILES, sizes.split(), strict=False)]):
            if not size.isdecimal() or int(size) > len(data):
                raise SetupError(f"sizes: must be two numbers of bytes, not {sizes[:40]!r}")
            at = len(data) - int(size)
            if at < len(data):
                path.with_suffix(name_ending).write_bytes(data[at:])
            data = data[:at]
        path.write_bytes(data)
        read = {POSITIONS: _positions, ENDING: _records}.get(kind_of(path), _games)
        losses = Losses(problems=[])
        found = list(islice(read(path, losses), MOST_GAMES + 1))
    problems = losses.named_problems(Path(name[:60]))
    if not found:
        raise SetupError(problems or f"{name[:60]}: contains no games")
    games = [
        {"title": _title(number, saved), "record": saved.model_dump(mode="json", exclude_defaults=True)}
        for number, saved in enumerate(found[:MOST_GAMES], 1)
    ]
    return {"games": games, "more": len(found) > MOST_GAMES, "problems": problems}


def _check_unpacked(data: bytes) -> None:
    """Check the unpacked size of a compressed file. Damage is ignored here and reported when the file is read.

    :raises SetupError: if the size is too large; a megabyte can expand to a gigabyte.
    """
    with suppress(OSError, EOFError, zlib.error), gzip.GzipFile(fileobj=BytesIO(data)) as file:
        if len(file.read(MOST_UNPACKED + 1)) > MOST_UNPACKED:
            raise SetupError(f"file: must be at most {MOST_UNPACKED:,} bytes unpacked")


def replayed(request: ReplayRequest) -> Json:
    """Return a game of any kind with all its positions. A position in the moves field is accepted, and vice versa.

    Either field can contain a link that holds moves. If the position lacks the side to move, the first player moves if
    possible, and ``asks`` is true.

    :raises GameError: if a move is illegal or the position is invalid. If the text seems to belong in the other field,
        the message says so.
    """
    request = _from_link(request)
    game = get_game(request.game)
    start, moves = request.start, request.moves
    if request.game == OTHELLO:
        start, moves = (_from_flipello(text) for text in (start, moves))
    if (_is_position(game, moves) and not _is_position(game, start)) or (not moves.strip() and _has_move(game, start)):
        start, moves = moves, start
    full = _with_side(game, start)
    try:
        steps = Steps(game, parse_position(game, full), openings=True)
    except PositionError as error:
        what = str(error).removeprefix("position: ")
        raise PositionError(f"position: {what}; moves belong in the field Moves") from None
    found = [steps.first()]
    try:
        for move in written_moves(game, steps.position, [moves]):
            found.append(steps.after(MoveRecord(game.format_move(move), "opening")))
    except (NotationError, IllegalMoveError) as error:
        # The squares of a position can begin with "--", which also spells a pass.
        is_position = len(found) == 1 and (isinstance(error, NotationError) or moves.lstrip().startswith("--"))
        hint = "; a position belongs in the field Position" if is_position else ""
        raise type(error)(f"{error}{hint}") from None
    return {**describe_game(game), "steps": found, "asks": full != start}


def _from_link(request: ReplayRequest) -> ReplayRequest:
    """Return the game that a link holds, or the same request if it contains no link.

    A link copied from a page of this server names the game. In other links, the longest run of squares is the moves.

    :raises NotationError: if the link is not valid or contains no moves.
    """
    link = (request.moves.strip() or request.start.strip()).replace("&amp;", "&")
    if not LINK.fullmatch(link):
        return request
    try:
        parts = urlsplit(link)
    except ValueError as error:
        raise NotationError(f"link: is not valid ({error}): {link[:80]!r}") from None
    values = dict(parse_qsl(f"{parts.query}&{parts.fragment}"))
    if "game" in values:
        return ReplayRequest(game=values["game"], start=values.get("start", ""), moves=values.get("moves", ""))
    runs = RUN.findall(unquote(link))
    if not runs:
        raise NotationError(f"link: contains no moves, such as f5d6c3: {link[:80]!r}")
    return ReplayRequest(moves=max(runs, key=len))


def _with_side(game: Game, text: str) -> str:
    """Return the text of a position. If only the side to move is missing, add the first side that has a move."""
    found = list[tuple[bool, int, str]]()
    for full in (text, *(f"{text} {side}" for side in game.sides if not SIDE.search(text))):
        with suppress(GameError):
            position = game.parse_position(full.split())
            if full == text:
                return text
            must_pass = [game.format_move(move) for move in position.legal_moves()] == ["pass"]
            found.append((must_pass, len(found), full))
    return min(found)[-1] if found else text


def _from_flipello(text: str) -> str:
    """Convert a Flipello position or moves to Othello's notation; return any other text unchanged.

    In a position, ``P`` and ``w`` stand for Black, who moves first. The pieces in hand and the counters are skipped.
    """
    if not FEN.fullmatch(text.strip()):
        return flipello.moves_text(text)
    board, side, *_ = text.split()
    rows = board.partition("[")[0].replace("P", "X").replace("p", "O")
    return f"{rows} {'X' if side == 'w' else 'O'}"


def _is_position(game: Game, text: str) -> bool:
    """Return whether a text is a position and does not also start with a move, as some numbers do."""
    try:
        game.parse_position(_with_side(game, text).split())
    except GameError:
        return False
    return not _has_move(game, text)


def _has_move(game: Game, text: str) -> bool:
    """Return whether a text starts with a legal first move of a game."""
    try:
        return next(written_moves(game, game.initial(), [text]), None) is not None
    except GameError:
        return False


def tried(game: Game, start: Position, moves: Sequence[str], lines: Iterable[TreeLine]) -> list[Json]:
    """Return a game's variations, each with the steps that neither the game nor an earlier variation contains.

    :param moves: the moves played from ``start``.
    :raises GameError: if a move is illegal.
    """
    known = {tuple(moves[:count]) for count in range(len(moves) + 1)}
    found = []
    for line in lines:
        words = tuple(line.moves.split())
        count = max(count for count in range(len(words) + 1) if words[:count] in known)
        known |= {words[:more] for more in range(count, len(words) + 1)}
        position = start.copy()
        for word in words[:count]:
            position.play(game.parse_move(position, word))
        steps = Steps(game, position, openings=True)
        new = [steps.after(MoveRecord(word, "opening")) for word in words[count:]]
        found.append({"moves": line.moves, "comment": line.comment, "steps": new})
    return found


def _games(path: Path, losses: Losses) -> Iterator[SavedGame]:
    """Yield the games of Othello in a file; damage to the file itself ends the iteration."""
    with_names = find_hook("named_games") if path.suffix == ".wtb" else None
    try:
        games = read_game_file(path, losses)
        yield from losses.read_each(partial(_saved, game) for game in (with_names(games) if with_names else games))
    except GameFileError as error:
        losses.add(error)


def _saved(played: PlayedGame) -> SavedGame:
    """Return a game of Othello in saved form."""
    try:
        return SavedGame.read(json.dumps(json_lines.as_object(complete(played))))
    except QuietmoveError as error:
        raise GameFileError(f"{played.place}: {str(error).removeprefix(f'{played.place}: ')}") from None


def _records(path: Path, losses: Losses) -> Iterator[SavedGame]:
    """Yield the saved games, of any kind, in a JSON lines file."""
    lines = (each for each in read_lines(path) if each[1].strip())
    yield from losses.read_each(partial(_record, *each) for each in lines)


def _record(place: str, line: str) -> SavedGame:
    data = json_lines.parse(place, line)
    spec = json_lines.member(place, data, "spec", dict) or {}
    if (json_lines.member(place, spec, "game", str) or OTHELLO) == OTHELLO:
        return _saved(json_lines.read_game(place, data, spec))
    try:
        saved = SavedGame.read(line)
        if is_program(saved.spec.game):
            raise SetupError(f"the game must not be a Python program, as {saved.spec.game} is")
        saved.position()
    except QuietmoveError as error:
        raise GameFileError(f"{place}: {error}") from None
    return saved


def _title(number: int, saved: SavedGame) -> str:
    """Return a game's title in the list of a file's games: its number, players, discs, event and date.

    If there is an event but no player's name, the title is the event alone.
    """
    black, white = saved.players
    if saved.event and not black and not white:
        return saved.event
    margin = saved.margin_black
    discs = (
        f"{(64 + margin) / 2:g}\u2013{(64 - margin) / 2:g}" if saved.spec.game == OTHELLO and margin is not None else ""
    )
    facts = [f"{number}. {black or 'Black'} - {white or 'White'}", discs, saved.event, saved.date[:10]]
    return ", ".join(filter(None, facts))


def _positions(path: Path, losses: Losses) -> Iterator[SavedGame]:
    rows = positions_in(line for _, line in read_lines(path))
    yield from losses.read_each(partial(_position, number, fields) for number, fields, _ in rows)


def _position(number: int, fields: Sequence[str]) -> SavedGame:
    game = get_game(OTHELLO)
    try:
        text = game.format_position(game.parse_position(fields))
    except GameError as error:
        raise GameFileError(f"line {number}: {error}") from None
    return SavedGame(start=text, moves=(), event=f"position {number}")


if __name__ == "__main__":
    main()
