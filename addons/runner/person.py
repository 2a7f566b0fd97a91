"""A JSON engine for a human player in a run, who makes its moves on the page.

    python -m quietmove.addons.runner.person

It writes each request to a file in its working folder, the folder of the runs. The page's server shows the position,
and answers with a second file. Both are removed after the move.
"""

from __future__ import annotations

import json
import select
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from quietmove.addons.web.boards import Json, Steps, describe_game
from quietmove.addons.web.requests import PageRequest
from quietmove.engine.common.processes import Process, python_command
from quietmove.engine.common.text import printable
from quietmove.engine.common.untrusted import parse_json
from quietmove.engine.files import read_bytes, write_whole
from quietmove.engine.games.registry import known_game
from quietmove.referee.game.transcript import MoveRecord
from quietmove.tournament.errors import RefusedError

POLL_SECONDS = 0.1  # seconds between polls for the answer
PATIENCE_MS = 30 * 24 * 3600 * 1000  # time limit of a move in milliseconds: a month
PERSON_MODULE = "quietmove.addons.runner.person"
# A person's keys in the register. A limit is required; depth=1 gives the person no clock.
TABLE: dict[str, Any] = {
    "command": python_command(PERSON_MODULE),
    "protocol": "json",
    "limit": "depth=1",
    "stall_timeout_ms": PATIENCE_MS,
}


class PersonMove(PageRequest):
    """A person's move in the game's notation; ``ply`` is the number of moves before it."""

    move: str
    ply: Annotated[int, Field(ge=0)]


def main() -> None:
    """Answer requests from standard input until end of file."""
    process = Process.here()
    asked = Path(f"person-{process.number}.json").absolute()
    answer = asked.with_suffix(".move")
    try:
        while line := sys.stdin.buffer.readline():
            answer.unlink(missing_ok=True)
            write_whole(asked, json.dumps({"process": [process.number, process.started], **json.loads(line)}).encode())
            while not answer.exists():
                if select.select([sys.stdin.buffer], [], [], POLL_SECONDS)[0]:
                    return  # end of input: the game was stopped
            move = answer.read_text()
            asked.unlink()
            sys.stdout.write(f"{json.dumps({'move': move})}\n")
            sys.stdout.flush()
    finally:
        for path in (asked, answer):
            path.unlink(missing_ok=True)


def waiting_boards(folder: Path) -> Json:
    """Return the positions in which a person must move, as page data. Remove the files of exited processes."""
    boards = []
    for path in sorted(folder.glob("person-*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):  # a foreign file, or one that has just been removed
            request = parse_json(read_bytes(path))
            if not Process(int(request["process"][0]), str(request["process"][1])).is_alive():
                path.unlink()
            elif not path.with_suffix(".move").exists():
                boards.append({"id": path.stem, **_board(request)})
    return {"boards": boards}


def _board(request: dict[str, Any]) -> Json:
    game = known_game(str(request["game"]))
    side = int(request["playerId"])
    ply = int(request["step"])
    described = {**describe_game(game), "side": side, "ply": ply}
    if game.kind == "hidden":
        position = game.parse_position(request["position"].split())
        return {**described, "step": Steps(game, position, side).first()}
    position = game.parse_position(request["start"].split()) if request["start"] else game.initial()
    *before, last = request["moves"] or [None]
    for move in before:
        position.play(game.parse_move(position, move))
    steps = Steps(game, position)
    return {**described, "step": steps.after(MoveRecord(last, "opening")) if last else steps.first()}


def answer_for_person(folder: Path, name: str, request: PersonMove) -> Json:
    """Pass a person's move to the waiting game, and return the other positions in which a person must move.

    :raises RefusedError: if the game is not waiting for this move, or the move is illegal.
    """
    boards = waiting_boards(folder)["boards"]
    board = next((each for each in boards if (each["id"], each["ply"]) == (name, request.ply)), None)
    if board is None:
        raise RefusedError(409, "move: it is not your turn in this game")
    legal = [each["move"] for each in board["step"]["legal"]]
    if request.move not in legal:
        raise RefusedError(400, f"move: must be one of {' '.join(legal)}, not {printable(request.move, 20)!r}")
    write_whole(folder / f"{name}.move", request.move.encode())
    return {"boards": [each for each in boards if each is not board]}


if __name__ == "__main__":
    main()
