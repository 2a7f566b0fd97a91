from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.tournament.definition import Tournament
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import GameId, Result, game_spec
from quietmove.tournament.reporting.document import document
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.timing import Times, Used, pace

NAMES = ("alpha", "[b]eta[/b]", "gamma")
TOURNAMENT = Tournament(
    "three [x]",
    "othello",
    5,
    (("f5", "d6"), ()),
    tuple(EngineConfig(name, ("x",)) for name in NAMES),
    settings=(("rounds", 1),),
)
RESULTS = [
    Result(GameId(1, (NAMES[0], NAMES[1]), "black"), 1, 1, 12, "finished", None, "", "1"),
    Result(GameId(1, (NAMES[0], NAMES[1]), "white"), 2, 0.5, 0, "finished", None, "", "2"),
    Result(GameId(1, (NAMES[1], NAMES[2]), "black"), 3, 1, 64, "crash", NAMES[2], "", "3"),
]


TIMES = Times({"alpha": Used(moves=3, seconds=0.5, longest=0.25, nodes=10)}, [104, 102, 100], 100)


def written(*args: Any) -> dict[str, Any]:
    """Return the document as a script reads it."""
    value = json.loads(json.dumps(document(*args), allow_nan=False))
    assert isinstance(value, dict)
    return value


def test_the_document_has_everything_that_is_shown() -> None:
    value = written(TOURNAMENT, RESULTS, TIMES)
    assert (value["tournament"], value["games"], value["planned"], value["seed"]) == ("three [x]", 3, 6, 5)
    assert (value["format"], value["settings"], value["point"]) == ("round-robin", {"rounds": 1}, "disc")
    assert value["verdicts"] == {"finished": 2, "crash": 1}
    assert value["progress"] == {
        "games_per_second": 0.5,
        "seconds_left": 6,
        "first_ended": 100,
        "last_ended": 104,
    }
    rows = {row["name"]: row for row in value["standings"]}
    best = rows["alpha"]
    assert (best["place"], best["points"], best["margin"], best["margins"]) == (1, 1.5, 12, [[0, 1], [12, 1]])
    assert best["elo"] > 0
    assert (best["used"]["moves"], best["used"]["seconds"]) == (3, 0.5)
    assert (rows["gamma"]["verdicts"], rows["gamma"]["forfeits"]) == ({"crash": 1}, 1)
    assert rows["gamma"]["margins"] == [[-64, 1]]
    assert value["standings"][-1]["superiority"] is None


def test_each_two_that_met_have_their_own_score() -> None:
    one, other = written(TOURNAMENT, RESULTS)["meetings"]
    assert (one["first"], one["second"], one["points"]) == ("alpha", "[b]eta[/b]", 1.5)
    assert (one["wins"], one["draws"], one["losses"]) == (1, 1, 0)
    assert (one["pentanomial"], one["estimate"]["score"]) == ([0, 0, 0, 1, 0], 0.75)
    assert other["estimate"] is None


def test_an_infinite_elo_is_null() -> None:
    found = [replace(RESULTS[0], number=1), replace(RESULTS[1], number=2, points_black=0.0)]
    (meeting,) = written(TOURNAMENT, found)["meetings"]
    assert meeting["pentanomial"] == [0, 0, 0, 0, 1]
    assert meeting["estimate"]["elo"] is None
    assert 0.5 < meeting["estimate"]["superiority"] < 1


def test_a_format_adds_its_columns_and_facts() -> None:
    settings: tuple[tuple[str, Any], ...] = (("rounds", 2), ("match_pairs", 1))
    value = written(replace(TOURNAMENT, format="swiss", settings=settings), [])
    keys = [column["key"] for column in value["columns"]]
    assert keys
    assert all(key in row for key in keys for row in value["standings"])
    settings = (("elo0", 0.0), ("elo1", 20.0))
    value = written(replace(TOURNAMENT, format="sprt", settings=settings, engines=TOURNAMENT.engines[:2]), RESULTS[:2])
    assert value["summary"]["lower"] < 0 < value["summary"]["llr"] < value["summary"]["upper"]
    assert [point["pairs"] for point in value["summary"]["trajectory"]] == [0, 1]


@pytest.mark.parametrize(
    ("finished", "speed"),
    [
        ((), None),
        ((7, 8), None),
        ((5, 5, 5), None),  # no measurable time passed between them
        ((4, 0, 2, 6), 0.5),  # games finish in any order
        ((0, 2, 4, 6, 1000, 1002, 1004), 0.5),  # the run was stopped and resumed
    ],
)
def test_the_speed_leaves_pauses_out(finished: tuple[float, ...], speed: float | None) -> None:
    assert pace(finished) == speed


def stored(path: Path) -> Store:
    store = Store.create(path, TOURNAMENT)
    moves = (
        MoveRecord("f5", "opening"),
        MoveRecord("d6", "black", 30, nodes=7),
        MoveRecord("c3", "white", 20),
        MoveRecord("d3", "black", 50, nodes=8),
    )
    for game in list(plan_of(TOURNAMENT).next_games([]))[:2]:
        store.add(game, GameRecord(game_spec(TOURNAMENT, game), moves, "finished", None, 1.0, 10, "well played"))
    return store


def test_a_store_tells_the_times_of_its_games(tmp_path: Path) -> None:
    with stored(tmp_path / "t.sqlite") as store:
        times = store.times()
        black, white = (getattr(store.game(1)[0].id, color) for color in ("black", "white"))
        assert times.used == dict.fromkeys((black, white), Used(3, 0.1, 0.05, 15))  # each engine was Black once
        assert times.first == min(times.ends) == dict(store.ends())[1]
        assert sorted(times.ends) == sorted(dict(store.ends()).values())
        value = document(TOURNAMENT, store.results(), times)
        assert sum(row["used"]["moves"] for row in value["standings"]) == 6
