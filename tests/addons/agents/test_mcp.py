"""``quietmove mcp`` as a real process, spoken to by the library's own client."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

import quietmove
from quietmove.engine.common.origin import install_command
from tests.e2e.test_planted_modules import mark, run_among_planted  # noqa: F401 (a fixture)
from tests.fakes.processes import WAIT

if TYPE_CHECKING:
    from mcp import ClientSession

Ask = Callable[..., Any]


@dataclass(frozen=True)
class Client:
    """The library's own client of a server; its loop runs in another thread."""

    portal: BlockingPortal
    session: ClientSession

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Return the value of a tool, or the text of its error."""
        result = await self.session.call_tool(tool, arguments)
        if result.is_error:
            return result.content[0].text  # type: ignore[union-attr]
        value = result.structured_content
        return value["result"] if value and list(value) == ["result"] else value or result.content[0]

    def ask(self, tool: str, **arguments: Any) -> Any:
        return self.portal.call(partial(self.call, tool, **arguments))


@asynccontextmanager
async def connected() -> AsyncIterator[ClientSession]:
    from mcp import ClientSession, StdioServerParameters, stdio_client  # half a second, which only one worker needs

    command = StdioServerParameters(command=sys.executable, args=["-m", "quietmove", "mcp"])
    async with stdio_client(command) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Start one server for all tests; each begins a game of its own."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connected()) as session:
        yield Client(portal, session)


@pytest.fixture
def ask(client: Client) -> Ask:
    return client.ask


def test_every_tool_says_what_it_takes_and_gives(client: Client) -> None:
    tools = client.portal.call(client.session.list_tools).tools
    assert len(tools) == 11
    for tool in tools:
        assert tool.description
        properties = tool.input_schema["properties"]
        assert all("description" in each for each in properties.values()) or tool.name in ("undo", "analyse_position")
        assert tool.output_schema or tool.name == "board_picture"
        assert tool.input_schema["additionalProperties"] is False
    changing = {tool.name for tool in tools if not (tool.annotations and tool.annotations.read_only_hint)}
    assert changing == {"new_game", "play", "undo", "engine_move"}


def test_an_assistant_plays_a_whole_game(ask: Ask) -> None:
    """Play random moves against a level without random errors, which wins the same game each time; then review it."""
    told, chance = ask("new_game", game="othello 6x6"), random.Random(1)
    while not told["result"]:
        assert sorted(told["legal_moves"]) == sorted(ask("legal_moves"))
        told = ask("play", moves=chance.choice(told["legal_moves"]))
        if not told["result"]:
            told = ask("engine_move", level=15)
            assert told["last_move"] == told["moves"][-1]
    position = quietmove.Position("othello 6x6", moves=told["moves"])
    assert (position.is_over, told["to_move"]) == (True, "")
    rows = [line.split() for line in str(position).splitlines()]
    assert [line.split() for line in told["board"].splitlines()] == [
        rows[0],
        *(row[:-1] for row in rows[1:7]),  # each row is numbered only once
        rows[-1],
    ]
    assert position.result is not None
    assert told["result"] == f"White wins by {-position.result:g}"
    reviewed = ask("review_game", nodes=2000)
    assert reviewed["moves"] == len(position.moves)
    assert reviewed["mistakes"]["Black"] > reviewed["mistakes"]["White"]
    assert len(reviewed["worst"]) == min(15, sum(reviewed["mistakes"].values()))
    for line in reviewed["worst"]:
        number, player, move, *_ = line.split()
        assert move.rstrip("?!") == position.moves[int(number[:-1]) - 1]
        assert move.endswith(("?!", "?"))
        assert player in ("Black", "White")
    assert "game: already over" in ask("engine_move")
    assert "game: already over" in ask("analyse_position")
    assert len((ask("undo", count=3))["moves"]) == len(position.moves) - 3


def test_an_assistant_asks_about_a_position(ask: Ask) -> None:
    ask("new_game", moves="f5 d6 c3 d3 c4 f4")
    first, second = ask("analyse_position", seconds=20, depth=8, lines=2)
    expected = quietmove.analyse(
        quietmove.Position(moves="f5 d6 c3 d3 c4 f4"), quietmove.Limit(depth=8), multipv=2, hash=16
    )
    lines = {info.rank: info for info in expected}
    assert [first["move"], second["move"]] == [lines[1].move, lines[2].move]
    assert (float(first["value"]), first["depth"]) == (lines[1].score.value / 100, 8)
    assert float(first["value"]) >= float(second["value"])
    explained = ask("explain_move", move=first["move"].upper())
    assert explained["review"].startswith(f"7. Black {first['move']}")
    assert explained["expected"].split()[0] == first["move"] == first["line"].split()[0]
    assert explained["legal_moves_left_to_the_opponent"] > 0
    assert set(explained["estimate_before"]) == set(explained["estimate_after"])
    assert {"mobility", "potential mobility", "corners", "parity"} < set(explained["estimate_before"])
    assert explained["reasons"] == []  # there are no reasons against the best move
    worse = ask("explain_move", move="f3")
    assert worse["review"].startswith("7. Black f3? ")
    assert any("f3" in reason and "White has" in reason for reason in worse["reasons"])
    picture = ask("board_picture")
    data = base64.b64decode(picture.data)
    assert (data[:8], picture.mime_type) == (b"\x89PNG\r\n\x1a\n", "image/png")
    assert min(struct.unpack(">II", data[16:24])) > 300
    assert (ask("show"))["moves"] == ["f5", "d6", "c3", "d3", "c4", "f4"]


def test_a_won_ending_is_explained_in_moves(ask: Ask) -> None:
    ask("new_game", game="nim 1,2", moves="")
    assert "2-1 win in 3;" in (ask("explain_move", move="2-1"))["review"]
    assert "2-2?? " in (ask("explain_move", move="2-2"))["review"]
    assert set(ask("list_games")) == set(quietmove.games()) - {"einstein", "whist"}


def test_the_review_of_a_game_fits_in_two_kilobytes(client: Client, ask: Ask) -> None:
    """A game of random moves has as many mistakes as any."""
    moves = [quietmove.Board.format_move(move) for move in quietmove.Board().random_game(3)]
    ask("new_game", moves=" ".join(moves))
    result = client.portal.call(client.session.call_tool, "review_game", {"nodes": 500})
    text = "".join(part.text for part in result.content)  # type: ignore[union-attr]
    assert len(json.loads(text)["worst"]) == 15
    assert len(text.encode()) < 2048


def test_several_games_are_told_apart_by_their_ids(ask: Ask) -> None:
    first = ask("new_game", moves="f5")
    second = ask("new_game", game="nim 1,2", game_id="piles")
    assert (first["game_id"], second["game_id"]) == ("1", "piles")
    assert (ask("play", moves="2-1", game_id="piles"))["moves"] == ["2-1"]
    assert (ask("show"))["moves"] == ["f5"]
    assert (ask("undo", game_id="piles"))["last_move"] == ""
    assert (ask("new_game", game_id="piles"))["game"] == "othello"
    for number in range(98):
        ask("new_game", game_id=f"more {number}")
    assert "there are already 100 games" in ask("new_game", game_id="too many")
    assert (ask("new_game", game_id="more 5"))["moves"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("play", {"moves": "f5 a1"}, "'a1' is not legal here; legal: f4 d6 f6"),
        ("new_game", {"game": "chess"}, "game: must be one of capture, connect"),
        ("new_game", {"game": "game.py:Game"}, "game: must be one of"),
        ("new_game", {"game": "whist"}, "whist has hidden cards"),
        ("new_game", {"game": "einstein"}, "einstein has dice"),
        ("new_game", {"position": "XO"}, "position"),
        ("undo", {}, "count: must be at most 0 (the number of moves made), not 1"),
        ("explain_move", {"move": "a1"}, "'a1' is not legal here"),
        ("analyse_position", {"seconds": 1000}, "seconds: must be less than or equal to 30, not 1000"),
        ("play", {}, "moves: is required"),
        ("show", {"game_id": "b"}, "game_id: must be one of 1"),
        (
            "new_game",
            {"id": "second"},
            "no argument 'id'; the arguments of new_game are game, position, moves, game_id",
        ),
        ("new_game", {"postion": "X"}, "no argument 'postion'; did you mean 'position'?"),
        ("engine_move", {"lvl": 20}, "no argument 'lvl'"),
        ("undo", {"n": 3}, "no argument 'n'"),
        ("list_games", {"game": "nim"}, "no argument 'game'; list_games takes no arguments"),
        ("show_board", {"game": "nim"}, "Unknown tool: show_board"),
    ],
)
def test_what_is_not_allowed_is_answered_and_changes_nothing(
    ask: Ask, tool: str, arguments: dict[str, Any], text: str
) -> None:
    ask("new_game")
    before = ask("show")
    said = ask(tool, **arguments)
    assert isinstance(said, str)
    assert text in said
    assert "Traceback" not in said
    assert "http" not in said
    assert "\n" not in said
    assert ask("show") == before


def test_the_printed_configuration_starts_this_installation(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "quietmove", "mcp", "--config"], capture_output=True, text=True, timeout=WAIT
    )
    (entry,) = json.loads(done.stdout)["mcpServers"].values()
    command = [entry["command"], *entry["args"]]
    assert Path(entry["command"]).is_absolute()
    done = subprocess.run(
        command, cwd=tmp_path, env={"PATH": ""}, input="", capture_output=True, text=True, timeout=WAIT
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("missing", ["mcp", "resvg_py"])
def test_without_the_extra_the_command_says_which(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from quietmove.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code, "mcp"], capture_output=True, text=True, timeout=WAIT)
    assert done.returncode == 1
    assert done.stderr == f"error: quietmove mcp needs {missing}: {install_command('mcp')}\n"


def test_requests_at_the_same_time_are_answered_in_their_order_each_about_its_own_game(client: Client) -> None:
    async def ask_all() -> list[Any]:
        return await asyncio.gather(
            client.call("review_game", nodes=20_000),
            client.call("new_game", game="nim 1,2,3"),
            *(client.call("play", moves=move) for move in ("1-1", "2-2", "3-3")),
        )

    client.ask("new_game", moves="f5 d6 c3 d3 c4 f4 f6 f3")
    reviewed, begun, *played = client.portal.call(ask_all)
    assert reviewed["moves"] == 8
    assert begun["game"] == "nim 1,2,3"
    assert [each["moves"] for each in played] == [["1-1"], ["1-1", "2-2"], ["1-1", "2-2", "3-3"]]


def test_half_a_surrogate_pair_is_an_error_and_a_closed_input_ends_a_search() -> None:
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    command = [sys.executable, "-m", "quietmove", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None

        def send(number: int, method: str, **params: Any) -> None:
            document = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            print(json.dumps(document), file=process.stdin, flush=True)

        send(1, "initialize", **params)
        send(2, "tools/call", name="play", arguments={"moves": "\ud800"})
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        assert [answer["id"] for answer in answers] == [1, 2]
        assert answers[1]["result"]["isError"]
        send(3, "tools/call", name="analyse_position", arguments={"seconds": 30})
        send(4, "tools/list")
        assert json.loads(process.stdout.readline())["id"] == 4  # the search is running
        process.stdin.close()
        try:
            assert process.wait(15) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


@pytest.mark.soak
def test_the_command_imports_nothing_of_the_working_folder(tmp_path: Path, mark: Path) -> None:  # noqa: F811
    run_among_planted(tmp_path, mark, ("quietmove", "mcp"))
