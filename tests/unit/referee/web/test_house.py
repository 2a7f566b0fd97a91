"""The tables of a server, in this process, with real engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.protocol.lines import InfoLine
from quietmove.engine.protocol.squares import EMPTY
from quietmove.referee.config.config import COLORS, Color, EngineConfig, TimeControl
from quietmove.referee.errors import SetupError
from quietmove.referee.web.boards import Steps, describe_game
from quietmove.referee.web.house import MOST_TABLES, House
from quietmove.referee.web.table import Table
from quietmove.referee.web.thinking import moves_of
from tests.fakes.processes import marked

HEXAPAWN = Path(__file__).parents[3] / "example_games" / "hexapawn" / "hexapawn.py"
WAIT = 60.0
MARK = "QUIETMOVE_HOUSE_TEST"
SLOW = EngineConfig("slow", ("quietmove",), options=(("Hash", "1"),), limit=TimeControl(depth=50))
ENGINES = {"black": {"engine": "slow"}, "white": {"engine": "slow"}}
INSIDE = EngineConfig("inside", protocol="in-process", limit=TimeControl(depth=1))
REPORT = InfoLine(depth=3, score=100, nodes=50, pv=("h5",))
PEOPLE = {"game": "tictactoe", "black": {"person": True}, "white": {"person": True}}


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, WAIT))


@asynccontextmanager
async def opened(*engines: EngineConfig, grace: float = WAIT, games: Sequence[str] = ()) -> AsyncIterator[House]:
    """A house whose games have ended when the block is left."""
    house = House(engines, grace, games)
    sweeping = asyncio.create_task(house.sweep())
    try:
        yield house
    finally:
        sweeping.cancel()
        await house.close_all()


async def until(table: Table, kind: str) -> dict[str, Any]:
    """Watch a table until a message of a kind comes, and return it."""
    watcher = table.watch()
    while (message := await watcher.get()) is not None and message["type"] != kind:
        pass
    table.leave(watcher)
    assert message is not None
    return message


def test_a_game_that_nobody_watches_ends_and_leaves_no_engine() -> None:
    async def scenario() -> None:
        async with opened(replace(SLOW, env=((MARK, "1"),)), grace=0.5) as house:
            table = house.open(ENGINES)
            await until(table, "thinking")
            assert await asyncio.to_thread(marked, MARK) >= 2
            while table.number in house.tables or await asyncio.to_thread(marked, MARK):
                await asyncio.sleep(0.02)

    run(scenario())


def test_people_play_and_one_resigns() -> None:
    async def scenario() -> None:
        async with opened() as house:
            table = house.open(PEOPLE)
            turn = await until(table, "turn")
            assert turn["turn"]["color"] == "black"
            assert table.answer(0, "z9").startswith("'z9' is not legal here; legal: b2 a1")
            assert table.answer(0, "b2") == ""
            assert (await until(table, "step"))["step"]["placed"] == [4]
            while table.snapshot()["turn"] is None:
                await asyncio.sleep(0)
            assert table.answer(1, "resign") == ""
            verdict = (await until(table, "end"))["verdict"]
            assert (verdict["result"], verdict["detail"]) == ("1-0", "person 2 (white) resigns")
            assert table.answer(1, "a1") == "the game is over"

    run(scenario())


def test_a_page_that_reads_late_gets_each_step_once() -> None:
    async def scenario() -> None:
        async with opened() as house:
            table = house.open(PEOPLE)
            await until(table, "turn")
            late = table.watch()
            assert table.answer(0, "b2") == ""
            await until(table, "step")
            assert len((await late.get())["steps"]) == 1
            assert (await late.get())["ply"] == 1

    run(scenario())


def test_a_game_whose_board_fails_ends_with_its_error(tmp_path: Path) -> None:
    text = HEXAPAWN.read_text()
    assert text.count("return divmod(move, 64)") == 1
    (tmp_path / "wrong.py").write_text(text.replace("return divmod(move, 64)", "return [80 * state[1]]"))
    name = f"{tmp_path}/wrong.py:Hexapawn"

    async def scenario() -> None:
        async with opened(games=[name]) as house:
            table = house.open({**PEOPLE, "game": name})
            await until(table, "turn")
            assert table.answer(0, "a1a2") == ""
            verdict = (await until(table, "end"))["verdict"]
            assert verdict["result"] == "*"
            assert verdict["detail"].startswith("the game's squares_of(): at most two squares, 0 to 8")
            assert table.answer(1, "b3b2") == "the game is over"

    run(scenario())


def test_all_tables_may_be_taken() -> None:
    async def scenario() -> None:
        async with opened() as house:
            tables = [house.open(PEOPLE) for _ in range(MOST_TABLES)]
            with pytest.raises(SetupError, match=f"{MOST_TABLES} games are being played"):
                house.open(PEOPLE)
            while tables[3].snapshot()["turn"] is None:
                await asyncio.sleep(0.01)
            assert tables[3].answer(0, "resign") == ""
            while tables[3].verdict is None:
                await asyncio.sleep(0.01)
            assert house.open(PEOPLE).number in house.tables
            assert tables[3].number not in house.tables

    run(scenario())


def test_games_end_when_all_tables_are_taken() -> None:
    async def scenario() -> None:
        async with opened() as house:
            tables = [house.open(PEOPLE) for _ in range(MOST_TABLES)]
            for table in tables:
                while table.snapshot()["turn"] is None:
                    await asyncio.sleep(0.01)
            house.close(tables[0].number)
            again = house.open(PEOPLE)
            while again.snapshot()["turn"] is None:
                await asyncio.sleep(0.01)

    run(scenario())


def texts(value: object) -> Iterator[str]:
    """Yield every text in a message, the number of its table left out, which is drawn by lot."""
    if isinstance(value, dict):
        yield from (text for key, each in value.items() if key != "id" for text in texts(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in texts(each))
    elif isinstance(value, str):
        yield value


def written(card: str) -> tuple[str, ...]:
    """Return how a card such as ``s5`` may stand in a message."""
    sign, name = {"s": ("\u2660", "spades"), "h": ("\u2665", "hearts"), "d": ("\u2666", "diamonds")}[card[0]]
    return card, f"{card[1]}{sign}", f"{card[1]} of {name}"


@pytest.mark.parametrize("person", COLORS)
def test_a_person_is_told_no_hidden_card(person: Color) -> None:
    async def scenario() -> None:
        async with opened(INSIDE) as house:
            other: Color = "white" if person == "black" else "black"
            table = house.open({"game": "whist", person: {"person": True}, other: {"engine": "inside"}})
            whole = get_game("whist").format_position(table.spec.begin()).split()
            hand = [whole[COLORS.index(other)][i : i + 2] for i in range(0, 10, 2)]
            watcher, plies, told = table.watch(), 0, 0
            while (message := await watcher.get()) is not None and message["type"] != "end":
                said = " | ".join(texts(message))
                if message["type"] == "step":
                    plies += 1
                    step = message["step"]
                    assert [step[key] for key in ("score", "depth", "nodes")] == [None] * 3
                    if step["move"] in hand:
                        hand.remove(step["move"])
                        told += 1
                assert not [text for card in hand for text in written(card) if text in said]
                if message["type"] == "turn" and message["turn"]["color"] == person:
                    table.search_reported(person, REPORT)  # of whoever is to move
                    await asyncio.sleep(0)
                    assert table.snapshot()["thinking"] == []
                    assert table.answer(plies, table.steps[-1]["legal"][0]["move"]) == ""
            assert (hand, told) == ([], 5)
            assert message is not None
            assert message["steps"][0]["position"] == " ".join(whole)
            assert message["steps"] == table.snapshot()["steps"]

    run(scenario())


def test_a_game_whose_board_has_no_names_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "unnamed.py"
    broken = "def __init__(self):\n        super().__init__()\n        self.labels = 'ab', '1'\n"
    file.write_text(f"{HEXAPAWN.read_text()}\n\nclass Unnamed(Hexapawn):\n    {broken}")
    name = f"{file}:Unnamed"

    async def scenario() -> None:
        async with opened(games=[name]) as house:
            with pytest.raises(GameError, match="the game's labels: a list of texts"):
                house.open({**PEOPLE, "game": name})
            assert house.tables == {}

    run(scenario())


def test_what_cannot_be_played_with_hidden_cards_is_refused() -> None:
    async def scenario() -> None:
        async with opened(INSIDE) as house:
            with pytest.raises(SetupError, match="one person at most can play whist"):
                house.open({**PEOPLE, "game": "whist"})
            players = {"black": {"person": True}, "white": {"engine": "inside"}}
            with pytest.raises(SetupError, match="all cards known is allowed; 252 deals fit"):
                house.open({**players, "game": "whist", "position": "s1s4s5d1d4 ????? - B"})

    run(scenario())


def test_the_cards_that_were_shown_are_played() -> None:
    async def scenario() -> None:
        players = {"game": "whist", "black": {"person": True}, "white": {"engine": "inside"}}
        async with opened(INSIDE) as house:
            whist = get_game("whist")
            shown = whist.format_position(whist.initial())
            for wish in ({"position": shown}, {"opening": "d1 d2"}):
                spec = house.open({**players, **wish}).spec
                assert whist.format_position(spec.begin()) == shown
            dealt = {whist.format_position(house.open(players).spec.begin()) for _ in range(3)}
            assert len(dealt) > 1

    run(scenario())


def test_a_line_names_the_items_that_it_chooses() -> None:
    game = get_game("nim")
    found = moves_of(game, game.initial(), ("3-4", "1-1", "3-1", "2-4"))
    assert [each.get("item") for each in found] == ["3.2", "1.3", "3.1", None]
    assert "item" not in moves_of(game, game.initial(), ("3-4",), 1)[0]


def test_whoever_watches_engines_sees_all_cards() -> None:
    async def scenario() -> None:
        async with opened(INSIDE) as house:
            table = house.open({"game": "whist", "black": {"engine": "inside"}, "white": {"engine": "inside"}})
            assert "?" not in table.snapshot()["steps"][0]["position"]
            assert "steps" not in await until(table, "end")

    run(scenario())


@pytest.mark.parametrize("name", game_names())
def test_each_game_has_a_board(name: str) -> None:
    game = get_game(name)
    described = describe_game(game)
    columns = described["columns"]
    step = Steps(game, game.initial()).first()
    drawn = [step[each] is not None for each in ("board", "picture", "text")]
    assert drawn == [columns > 0, columns == 0, False]
    assert columns == 0 or set(step["board"]) <= {*described["owners"], EMPTY}
    assert (columns, described["rows"]) == (5, 5) or name != "einstein"


def test_pieces_of_several_kinds_have_an_owner_each() -> None:
    game = get_game("einstein")
    owners = describe_game(game)["owners"]
    assert {letter: owners[letter] for letter in "16af"} == {"1": 0, "6": 0, "a": 1, "f": 1}
    step = Steps(game, game.parse_position(["1-----2------------b----a", "B", "-"])).first()
    assert step["counts"] == [2, 2]
    assert step["caption"].startswith("the die is rolled for Black")
