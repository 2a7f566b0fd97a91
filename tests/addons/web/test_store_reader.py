"""What the page of tournaments is told, without a browser and a server."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.web import follow
from quietmove.addons.web import store_reader as reader
from quietmove.addons.web.follow import Follower
from quietmove.addons.web.replays import games_document
from quietmove.addons.web.store_reader import Reader, listed_games
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result, game_spec
from quietmove.tournament.playing.snapshot import snapshot_path
from quietmove.tournament.store.store import Store
from tests.fakes.tournament_store import MOVES, a_tournament, write_games, write_store

CUP = a_tournament("cup", ("a", "b", "c"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "cup.sqlite"
    write_store(path, CUP, 3)
    return path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    """Six games, b-c, c-b, a-c, c-a, a-b, b-a; the last two ended by a crash."""
    path = tmp_path_factory.mktemp("cup") / "cup.sqlite"
    write_store(path, CUP, 4)
    with Store.open_to_write(path) as store:
        write_games(store, 2, "crash")
        return store.results()


def document(reader: Reader) -> dict[str, Any]:
    value = json.loads(reader.refresh())
    assert isinstance(value, dict)
    return value


def test_a_store_is_read_again_when_it_has_been_written(path: Path) -> None:
    seen = Reader(path)
    found = document(seen)
    assert (found["tournament"], found["games"], found["planned"], found["over"]) == ("cup", 3, 6, False)
    with Store.open_to_write(path) as store:  # the store stays open, so its games are not yet in the main file
        write_games(store, 2)
        assert document(seen)["games"] == 5
        write_games(store, 1)
        found = document(seen)
        assert (found["games"], found["over"]) == (6, True)
    assert len(seen.results) == 6


def test_what_has_not_changed_is_not_computed_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Reader(path)
    text = seen.refresh()
    monkeypatch.setattr(reader, "document", None)
    assert seen.refresh() == text


def test_another_tournament_under_the_same_name_is_shown(path: Path) -> None:
    seen, other = Reader(path), path.with_name("other")
    seen.refresh()
    write_store(other, a_tournament("other", ("x", "y")), 2)
    other.replace(path)
    found = document(seen)
    assert (found["tournament"], found["games"], seen.headline()["tournament"]) == ("other", 2, "other")
    assert found == document(Reader(path))  # no data of the previous store is left, such as its times


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({}, [6, 5, 4, 3, 2, 1]),
        ({"engine": "a"}, [6, 5, 4, 3]),
        ({"engine": "c", "against": "a"}, [4, 3]),
        ({"against": "b"}, [6, 5, 2, 1]),
        ({"engine": "nobody"}, []),
        ({"engine": "b", "reason": "crash", "outcome": "lost"}, [5]),
        ({"outcome": "drawn"}, []),
        ({"from": "4"}, [2, 1]),
        ({"from": "999"}, []),
    ],
)
def test_games_are_chosen(results: list[Result], query: dict[str, str], numbers: list[int]) -> None:
    found = listed_games(results, query, lambda numbers: dict.fromkeys(numbers, len(MOVES)))
    assert [game["number"] for game in found["games"]] == numbers
    assert found["count"] == len(numbers) if "from" not in query else 6
    for game in found["games"]:
        assert (game["charged"] == game["white"]) == (game["reason"] == "crash")
        assert (game["plies"], game["margin"], game["result"]) == (len(MOVES), 10, "1-0")


def test_a_comma_in_a_move_is_not_counted_as_another_move(tmp_path: Path) -> None:
    with Store.create(tmp_path / "cup.sqlite", CUP) as store:
        for game, moves in zip(islice(plan_of(CUP).next_games([]), 2), (("a1,b2", "c3"), ()), strict=True):
            played = tuple(MoveRecord(move, "black") for move in moves)
            store.add(game, GameRecord(game_spec(CUP, game), played, "finished", None, 1.0, 1, "black wins"))
        results = store.results()
        report = games_document(store, results)["games"]
    listed = listed_games(results, {}, Reader(tmp_path / "cup.sqlite").count_plies)["games"]
    assert [game["plies"] for game in listed[::-1]] == [game["plies"] for game in report] == [2, 0]


@pytest.mark.parametrize("number", [4, 10**30])
def test_a_game_that_is_not_there_is_one_error(path: Path, number: int) -> None:
    with pytest.raises(StoreError, match=rf"contains no game {number}"):
        Reader(path).game(number)


async def told(messages: AsyncIterator[str]) -> dict[str, Any]:
    value = json.loads(await anext(messages))
    assert isinstance(value, dict)
    return value


def test_all_pages_are_told_what_is_read_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(follow, "SHARE_OF_TIME", 1.0)

    async def watch() -> None:
        follower = Follower(Reader(path), ThreadPoolExecutor(1))
        one, two = follower.messages(), follower.messages()
        assert (await told(one))["document"]["games"] == 3
        with Store.open_to_write(path) as store:
            write_games(store, 3)
        while (seen := (await told(two))["document"])["games"] < 6:
            pass  # this state was read before the games were written
        assert seen["over"]
        assert (await told(one))["document"] == seen
        path.rename(path.with_suffix(".moved"))
        assert "does not exist; it is shown" in (await told(one))["error"]
        path.with_suffix(".moved").rename(path)
        assert (await told(one))["document"] == seen

    asyncio.run(watch())


def test_a_pipe_in_place_of_the_running_games_is_refused(path: Path) -> None:
    os.mkfifo(snapshot_path(path))
    with pytest.raises(OSError, match="regular file"):
        reader.running_games(path, CUP)
