"""An engine that looks at positions for a page, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.web.analysis import MOST_ANALYSES, Analysis
from quietmove.addons.web.kept import KeptGames
from quietmove.addons.web.requests import AnalysisRequest
from quietmove.engine.games.base import WIN
from quietmove.engine.games.registry import get_game
from quietmove.engine.tools.analysis.records import read_records
from quietmove.engine.tools.analysis.review import ReviewEffort, review
from quietmove.engine.values import Limits, Settings
from quietmove.referee.config.model import EngineConfig, TimeControl
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import read_game
from tests.addons.conftest import MUTE
from tests.fakes.loops import in_a_loop
from tests.fakes.processes import marked

MARK = f"QUIETMOVE_ANALYST_TEST_{os.getpid()}"  # unique, since other processes may run tests of this file
OWN = EngineConfig("own", ("quietmove",), options=(("Hash", "1"), ("Level", "0")), env=((MARK, "1"),))
DIES = EngineConfig("dies", (sys.executable, "-c", "print('uciok'); print('readyok', flush=True); input()"))
PROJECT = EngineConfig("course", ("quietmove",), "project", limit=TimeControl(depth=1))
LOOK = {"engine": "own", "game": "tictactoe", "start": "", "moves": ""}
GAME = "a2 a3 d4 b1 c4 b4 a1 d1 c1 d3 a4 pass d2"  # 4x4 Othello


class Page:
    """What a page hears of its analysis."""

    def __init__(self, engines: Sequence[EngineConfig], running: set[Analysis], kept: KeptGames | None = None) -> None:
        self.heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        keep = (kept or KeptGames(None)).keep_review
        self.analysis = Analysis({engine.name: engine for engine in engines}, running, self.heard.put_nowait, keep)

    async def ask(self, question: dict[str, object]) -> None:
        await self.analysis.take(AnalysisRequest.read(json.dumps(question)))

    async def until(self, number: int, **wanted: object) -> dict[str, Any]:
        """Return the next message on a question that says what is wanted."""
        while True:
            message = await self.heard.get()
            if message["id"] == number and wanted.items() <= message.items():
                return message


@asynccontextmanager
async def opened(*engines: EngineConfig, count: int = 1) -> AsyncIterator[list[Page]]:
    running: set[Analysis] = set()
    try:
        yield [Page(engines, running) for _ in range(count)]
    finally:
        for analysis in list(running):
            await analysis.close()
        assert marked(MARK) == 0


def firsts(lines: Sequence[dict[str, Any]]) -> dict[str, int]:
    return {line["pv"][0]["move"]: line["score"] for line in lines}


@in_a_loop
async def test_each_move_has_its_score_and_the_next_question_ends_the_search() -> None:
    async with opened(OWN) as [page]:
        await page.ask({**LOOK, "moves": "a1 b1 a2 c1", "id": 1})
        message = await page.until(1, done=True)
        scores = firsts(message["lines"])
        assert set(scores) == {"a3", "b2", "c2", "b3", "c3"}
        assert [move for move, score in scores.items() if score == WIN - 1] == ["a3"]
        assert message["lines"][0]["pv"][0] == {"move": "a3", "project": "1 1", "square": 6, "from": None}
        await page.ask({**LOOK, "moves": "a1 b1 a2 c1", "lines": 1, "threads": 1000, "memory": 2, "id": 9})
        assert list(firsts((await page.until(9, done=True))["lines"])) == ["a3"]
        await page.ask({**LOOK, "game": "othello", "moves": "f5", "id": 2})
        seen = await page.until(2)
        assert set(firsts(seen["lines"])) <= {"f6", "d6", "f4"}
        await page.ask({**LOOK, "game": "othello", "moves": "f5 f6", "id": 3})
        await page.until(3)
        assert marked(MARK) == 1
        await page.ask({"stop": True})
        assert marked(MARK) == 0


@in_a_loop
async def test_a_game_is_looked_over_as_the_command_line_does_it() -> None:
    async with opened(OWN) as [page]:
        asked = {"engine": "own", "game": "othello 4x4", "moves": GAME, "limit": "movetime=10000", "id": 7}
        await page.ask({**asked, "review": True})
        found, why = {}, {}
        while len(found) < len(GAME.split()):
            message = await page.until(7, type="review", of=len(GAME.split()))
            found[message["ply"]] = message["loss"], message["mark"]
            why[message["ply"]] = message["why"]
        game = get_game("othello 4x4")
        effort = ReviewEffort(Settings(selectivity=0), Limits(depth=60), 60)
        expected = {each.number: (each.loss, each.mark) for each in review(read_records(GAME, game)[0], effort, None)}
        assert found == expected
        assert {mark for _, mark in found.values()} >= {"", "??"}
        assert all(found[ply][1] for ply, text in why.items() if text)
        assert why[7] == "a1 lets White take the corner d1: a1 d1"


@in_a_loop
async def test_a_review_is_kept_with_its_game_and_a_deeper_one_replaces_it() -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept, running = KeptGames(Path(folder)), set[Analysis]()
        path = Path(folder, "one.jsonl")
        moves = GAME.split()
        path.write_text(
            json.dumps({"spec": {"game": "othello 4x4"}, "moves": [{"move": m, "by": "black"} for m in moves]})
        )
        page = Page([OWN], running, kept)
        asked = {"engine": "own", "game": "othello 4x4", "moves": GAME, "review": True, "limit": "movetime=10000"}
        try:
            await page.ask({**asked, "kept": "one", "id": 1})
            assert (await page.until(1, ply=1))["kept"] == "The review is saved with the game."
            review = read_game(path).review
            assert review
            assert [each.mark for each in review.moves].count("??") > 0
            shown = kept.shown("one")["review"]
            assert [each["mark"] for each in shown["moves"]] == [each.mark for each in review.moves]
            written = path.read_bytes()
            await page.ask({**asked, "kept": "one", "id": 2})
            assert "at least as deep" in (await page.until(2, ply=1))["kept"]
            await page.ask({**asked, "moves": "a2 a3", "kept": "one", "id": 3})
            assert "the game's moves differ from the reviewed moves" in (await page.until(3, ply=1))["kept"]
            await page.ask({**asked, "kept": "../one", "id": 4})
            assert "game: there is no saved game" in (await page.until(4, ply=1))["kept"]
            assert path.read_bytes() == written
        finally:
            await page.analysis.close()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"engine": "rm"}, "engine: must be own or dies, not 'rm'"),
        ({"engine": "course"}, "engine: must be own or dies, not 'course'"),
        ({"game": "whist"}, "game: whist cannot be analysed because it has hidden cards"),
        ({"game": "einstein", "review": True}, "game: a game of einstein cannot be reviewed because it has chance"),
        ({"game": 7}, "game: must be a valid string, not 7"),
        ({"moves": "a1 a1"}, "'a1' is not legal"),
        ({"start": "XO"}, "position: must have 2 fields"),
        ({"review": True, "limit": "depth=3"}, "limit: only movetime is supported here, not depth=3"),
        ({"review": True}, "limit: must be one of"),
        ({"lines": 65}, "lines: "),
        ({"memory": 0}, "memory: "),
    ],
)
@in_a_loop
async def test_a_question_that_may_not_be_asked_is_one_error(changes: dict[str, object], message: str) -> None:
    async with opened(OWN, DIES, PROJECT) as [page]:
        with pytest.raises(Exception) as caught:  # noqa: PT011 (of either package)
            await page.ask({**LOOK, **changes})
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


@in_a_loop
async def test_an_engine_that_ends_is_told_and_another_may_be_asked() -> None:
    async with opened(OWN, DIES) as [page]:
        await page.ask({**LOOK, "game": "othello", "engine": "dies", "id": 1})
        assert (await page.until(1, type="error"))["error"].startswith("the engine dies ")
        await page.ask({**LOOK, "id": 2})
        await page.until(2, done=True)


@in_a_loop
async def test_an_engine_that_writes_no_info_must_give_a_legal_move() -> None:
    """What is made of a legal one stands in test_play_page.py."""
    wrong = EngineConfig("wrong", ("sh", "-c", MUTE, "a9"), env=((MARK, "1"),))
    async with opened(wrong) as [page]:
        await page.ask({**LOOK, "engine": "wrong", "game": "othello", "limit": "movetime=1000", "id": 3})
        error = (await page.until(3, type="error"))["error"]
        assert error == "the engine wrong answered with an illegal move: 'a9'"


@in_a_loop
async def test_only_so_many_analyses_run_at_once() -> None:
    async with opened(OWN, count=MOST_ANALYSES + 1) as (page, *others):
        for each in others:
            await each.ask({**LOOK, "id": 1})
        with pytest.raises(SetupError, match=f"at most {MOST_ANALYSES} analyses can run at once"):
            await page.ask({**LOOK, "id": 1})
        await others[0].analysis.close()
        await page.ask({**LOOK, "id": 2})
        await page.until(2, done=True)
