"""Games that a page hands in, typed or as a file, and their positions move by move."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from quietmove.engine.errors import GameError, QuietmoveError
from quietmove.engine.games.base import Game, Position
from quietmove.engine.games.othello.game_files import READERS, PlayedGame, json_lines, read_game_file, replay
from quietmove.engine.games.othello.game_files.game import complete
from quietmove.engine.games.othello.game_files.obf import positions_in
from quietmove.engine.games.othello.game_files.text_lines import read_lines
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import written_moves
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import ENDING, Line, SavedGame, is_program
from quietmove.referee.game.transcript import MoveRecord
from quietmove.referee.web.boards import Json, Steps, describe_end, describe_game
from quietmove.referee.web.requests import ReplayRequest, parse_position

__all__ = ["imported", "replayed", "tried"]

OTHELLO = "othello"
POSITIONS = ".obf"
MOST_GAMES = 500  # of one file


def imported(name: str, data: bytes) -> Json:
    """Return the games of a file: their titles, players, beginnings and moves; and whether there are more of them.

    :param name: of the file; its ending tells its kind.

    :raises SetupError, GameFileError: if it is no such file, or damaged.
    """
    ending = Path(name).suffix.lower()
    if ending not in (*READERS, POSITIONS):
        raise SetupError(f"name: must end in {', '.join((*READERS, POSITIONS))}, not {name[:60]!r}")
    read = {POSITIONS: _positions, ENDING: _records}.get(ending, _games)
    with tempfile.TemporaryDirectory(prefix="quietmove-") as folder:
        path = Path(folder) / f"games{ending}"
        path.write_bytes(data)
        found = list(islice(read(path), MOST_GAMES + 1))
    if not found:
        raise SetupError(f"{name[:60]}: must hold a game")
    return {"games": found[:MOST_GAMES], "more": len(found) > MOST_GAMES}


def replayed(request: ReplayRequest) -> Json:
    """Return a game of any kind with all its positions.

    :raises GameError: naming the move that cannot be played, or what is wrong with the position.
    """
    game = get_game(request.game)
    steps = Steps(game, parse_position(game, request.start), openings=True)
    found = [steps.first()]
    for move in written_moves(game, steps.position, request.moves):
        found.append(steps.after(MoveRecord(game.format_move(move), "opening")))
    moves = [step["move"] for step in found[1:]]
    return {
        **describe_game(game),
        "steps": found,
        "lines": tried(game, parse_position(game, request.start), moves, request.lines),
    }


def tried(game: Game, start: Position, moves: Sequence[str], lines: Iterable[Line]) -> list[Json]:
    """Return the lines that were tried beside a game, each with the steps that no line before it has.

    :param moves: that were played from ``start`` on.
    :raises GameError: if a move is not legal.
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


def _games(path: Path) -> Iterator[Json]:
    for number, played in enumerate(read_game_file(path), 1):
        yield _game(number, played)


def _game(number: int, played: PlayedGame) -> Json:
    game = get_game(OTHELLO)
    start = game.format_position(game.parse_position(played.board))
    moves = " ".join(game.format_move(move) for _, move in replay(played))
    return {
        "title": _title(number, played.players),
        "players": played.players,
        "start": start,
        "moves": moves,
        "lines": [{"moves": words, "comment": comment} for words, comment in played.lines],
    }


def _records(path: Path) -> Iterator[Json]:
    """Yield the games of a file of records, of any game."""
    for number, (place, line) in enumerate(((place, line) for place, line in read_lines(path) if line.strip()), 1):
        data = json_lines.parse(place, line)
        spec = json_lines.member(place, data, "spec", dict) or {}
        if (json_lines.member(place, spec, "game", str) or OTHELLO) == OTHELLO:
            played = complete(json_lines.read_game(place, data, spec))
            ended = describe_end(played.ending, played.beside.get("detail", ""), played.margin)
            yield {**_game(number, played), "verdict": ended}
            continue
        try:
            saved = SavedGame.read(line)
            if is_program(saved.spec.game):
                raise SetupError(f"its game is a program, {saved.spec.game}")
            saved.position()
        except QuietmoveError as error:
            raise SetupError(f"{place}: {error}") from None
        yield {
            "title": _title(number, saved.players),
            "players": saved.players,
            "start": saved.rules.format_position(saved.begin()),
            "moves": " ".join(each.move for each in saved.moves),
            "game": saved.spec.game,
            "lines": [line.model_dump() for line in saved.lines],
            "verdict": describe_end(saved.reason, saved.detail, saved.margin_black),
        }


def _title(number: int, players: Sequence[str]) -> str:
    return f"{number}. {players[0] or 'Black'} - {players[1] or 'White'}"


def _positions(path: Path) -> Iterator[Json]:
    game = get_game(OTHELLO)
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    for number, fields, _ in positions_in(lines):
        try:
            text = game.format_position(game.parse_position(fields))
        except GameError as error:
            raise SetupError(f"line {number}: {error}") from None
        yield {"title": f"position {number}", "players": ["", ""], "start": text, "moves": ""}
