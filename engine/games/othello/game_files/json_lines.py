"""JSON lines: one game per line, as an object with a subset of the keys of the referee's game records.

``quietmove-tournament games STORE --json`` prints complete records. The keys read and written here are:

- ``spec``: an object with ``game`` (``othello``), and ``black`` and ``white``, objects with the player's ``name``;
- ``moves``: a list of objects: ``move`` (``f5``, ``6 4`` or ``pass``), ``by`` (``black``, ``white``, or ``opening``),
  ``elapsed_ms`` and ``clock_ms`` (milliseconds used for the move and left on the clock), ``score`` (hundredths of a
  disc from the mover's point of view);
- ``margin_black``: Black's discs minus White's at the end; ``reason``: why the game ended, such as ``finished``;
- not in the referee's records: ``start`` (the fields of an unusual initial position), ``event`` and ``date``, and
  ``lines``, the tree of moves, as a list of objects with ``moves`` from the beginning and ``comment``; ``people``,
  ``opponent`` and ``detail`` are copied unchanged.

Only ``moves`` is required. Games other than Othello are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.errors import GameFileError, NotationError, PositionError
from quietmove.engine.games.othello.game_files.game import INITIAL, Losses, PlayedGame
from quietmove.engine.games.othello.game_files.text_lines import read_lines
from quietmove.engine.games.othello.notation import format_square, letters_of, parse_board, parse_square

SIDES = ("black", "white")
WORDS = {dict: "an object", list: "a list", str: "a string", int: "a whole number", float: "a number"}
MAX_NUMBER = 10**9
BESIDE = {"people": list, "opponent": dict, "detail": str}


def read(path: Path, losses: Losses) -> Iterator[PlayedGame]:
    """Yield the games of a JSON lines file.

    :raises GameFileError: if a line is not such an object, or a move is invalid.
    """

    def read_game_line(place: str, line: str) -> PlayedGame | None:
        data = parse(place, line)
        spec = member(place, data, "spec", dict) or {}
        if (member(place, spec, "game", str) or "othello") == "othello":
            return read_game(place, data, spec)
        losses.left_out["another game or board size"] += 1
        return None

    yield from losses.read_each(partial(read_game_line, *each) for each in read_lines(path) if each[1].strip())


def parse(place: str, line: str) -> dict[str, Any]:
    """Parse a line as a JSON object.

    :raises GameFileError: if it is not one.
    """
    try:
        data = parse_json(line)
        json.dumps(data, ensure_ascii=False).encode()  # an escape may be a lone surrogate
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise GameFileError(f"{place}: must be a JSON object, not {line.strip()[:40]!r}")
    return data


def member(place: str, data: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return the value of a key, or None if it is missing.

    :raises GameFileError: if it has the wrong type.
    """
    value = data.get(key)
    kinds = (int, float) if kind is float else kind
    wrong = isinstance(value, bool) or not isinstance(value, kinds)
    if isinstance(value, int | float):
        wrong = wrong or abs(value) > MAX_NUMBER
    if value is not None and wrong:
        raise GameFileError(f"{place}: {key}: must be {WORDS[kind]}, not {json.dumps(value)[:40]}")
    return value


def read_game(place: str, data: Mapping[str, Any], spec: Mapping[str, Any]) -> PlayedGame:
    """Return the game in a record.

    :raises GameFileError: if it has no moves, or a value has the wrong type.
    """
    records = member(place, data, "moves", list)
    if records is None:
        raise GameFileError(f"{place}: moves: must be a list")
    moves = [read_move(f"{place}: move {number}", each) for number, each in enumerate(records, 1)]
    squares, sides, times, scores, clocks = zip(*moves, strict=True) if moves else ((), (), (), (), ())
    players = [member(place, member(place, spec, side, dict) or {}, "name", str) or "" for side in SIDES]
    return PlayedGame(
        place,
        read_start(place, member(place, data, "start", str)),
        squares,
        member(place, data, "margin_black", float),
        sides,
        (players[0], players[1]),
        member(place, data, "event", str) or "",
        member(place, data, "date", str) or "",
        member(place, data, "reason", str) or "",
        times,
        scores,
        tuple(
            read_line(f"{place}: line {n}", each) for n, each in enumerate(member(place, data, "lines", list) or (), 1)
        ),
        clocks,
        {key: value for key, kind in BESIDE.items() if (value := member(place, data, key, kind))},
    )


def read_line(place: str, data: Any) -> tuple[str, str]:
    """Return the moves and the comment of a line of the move tree."""
    if not isinstance(data, dict):
        raise GameFileError(f"{place}: must be an object, not {json.dumps(data)[:40]}")
    return member(place, data, "moves", str) or "", member(place, data, "comment", str) or ""


def read_move(place: str, data: Any) -> tuple[int, int | None, int | None, int | None, int | None]:
    """Return a move, its side, the milliseconds used, its score, and the milliseconds left."""
    if not isinstance(data, dict):
        raise GameFileError(f"{place}: must be an object, not {json.dumps(data)[:40]}")
    try:
        text = member(place, data, "move", str) or ""
        move = parse_square(letters_of(text))
    except NotationError as error:
        raise GameFileError(f"{place}: {error}") from None
    side = member(place, data, "by", str)
    time = None if side == "opening" else member(place, data, "elapsed_ms", int)
    number = SIDES.index(side) if side in SIDES else None
    return move, number, time, member(place, data, "score", int), member(place, data, "clock_ms", int)


def read_start(place: str, text: str | None) -> tuple[str, str]:
    """Return the fields of a game's initial position."""
    fields = INITIAL if text is None else tuple(text.split())
    try:
        parse_board(fields)
    except PositionError as error:
        raise GameFileError(f"{place}: start: {error}") from None
    return fields[0], fields[1]


def write(files: Sequence[BinaryIO], games: Iterable[PlayedGame], losses: Losses) -> int:
    """Write the games, one per line, and return their number."""
    count = 0
    for game in games:
        text = json.dumps(as_object(game), ensure_ascii=False, separators=(",", ":"))
        files[0].write(f"{text}\n".encode())
        count += 1
    return count


def as_object(game: PlayedGame) -> dict[str, Any]:
    """Return a game as JSON data, omitting unknown values."""
    players = {side: {"name": name} for side, name in zip(SIDES, game.players, strict=True) if name}
    further = {"event": game.event, "date": game.date, "reason": game.ending}
    made: dict[str, Any] = {"spec": {"game": "othello", **players}}
    made |= {key: value for key, value in further.items() if value}
    if game.board != INITIAL:
        made["start"] = " ".join(game.board)
    if game.margin is not None:
        made["margin_black"] = int(game.margin) if game.margin == int(game.margin) else game.margin
    empty = (None,) * len(game.moves)
    rows = zip(
        game.moves, game.sides, game.elapsed_ms or empty, game.scores or empty, game.clocks_ms or empty, strict=True
    )
    made["moves"] = [as_move(*row) for row in rows]
    if game.lines:
        made["lines"] = [{"moves": moves, "comment": comment} for moves, comment in game.lines]
    return {**made, **game.beside}


def as_move(move: int, side: int | None, time: int | None, score: int | None, clock: int | None) -> dict[str, Any]:
    """Return a move as JSON data, omitting unknown values."""
    fields = {
        "move": format_square(move),
        "by": SIDES[side or 0],
        "elapsed_ms": time,
        "clock_ms": clock,
        "score": score,
    }
    return {key: value for key, value in fields.items() if value is not None}
