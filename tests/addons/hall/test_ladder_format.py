"""The ladder, played without engines: who meets whom, and that nothing but the results decides it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from quietmove.addons.hall.ladder import Ladder
from quietmove.referee.config.model import EngineConfig
from quietmove.tournament.definition import RosterChange, Tournament
from quietmove.tournament.errors import StoreError
from quietmove.tournament.formats import plan_of
from quietmove.tournament.games import Result, ScheduledGame
from quietmove.tournament.statistics.rating import Ratings
from quietmove.tournament.statistics.standings import ratings_of, standings
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.verify import expected_games
from tests.fakes.played_format import play_format
from tests.fakes.tournament_store import write_games

ANCHORS = ("random", "level 1", "level 3", "level 5")
ELO = dict(zip(ANCHORS, (-300, -100, 100, 300), strict=True))
OPENINGS = (("f5", "d6"), ("f5", "f6"), ("f5", "f4"), ("d3", "c3"), ("d3", "e3"))


def ladder(count: int, round_number: int = 1, **settings: int | float) -> Tournament:
    names = [f"p{number:02}.1" for number in range(count)]
    engines = tuple(EngineConfig(name, protocol="in-process") for name in (*ANCHORS, *names))
    arrivals = tuple(RosterChange(name, round_number) for name in names)
    return Tournament(
        "ladder", "othello", 5, OPENINGS, engines, "ladder", tuple(settings.items()), arrivals=arrivals
    )  # fmt: skip


def strengths(tournament: Tournament) -> dict[str, float]:
    lots = random.Random(1)
    return {name: ELO.get(name, lots.gauss(0, 250)) for name in tournament.names}


def player(elo: dict[str, float]) -> Callable[[ScheduledGame], Result]:
    def end(game: ScheduledGame) -> Result:
        expected = 1 / (1 + 10 ** ((elo[game.id.white] - elo[game.id.black]) / 400))
        won = random.Random(f"{game.seed}/{game.id.black}/{game.id.white}").random() < expected
        margin = 2 if won else -2
        return Result(game.id, game.number, float(won), margin, "finished", None, "", f"{game.number}")

    return end


def played(tournament: Tournament, at_once: int = 4, results: list[Result] | None = None) -> list[Result]:
    elo = strengths(tournament)
    return play_format(plan_of(tournament), player(elo), at_once, random.Random(at_once), results or [])


@pytest.mark.parametrize("count", [10, pytest.param(60, marks=pytest.mark.soak)])
def test_all_find_their_places_and_the_ladder_rests(count: int) -> None:
    tournament = ladder(count)
    elo, results = strengths(tournament), played(tournament)
    assert 25 * count < len(results) < 50 * count
    plan = plan_of(tournament)
    assert plan.has_ended(results)
    assert plan.summary(results).facts["rests"]
    rows = standings(tournament.names, results, zero=ANCHORS).rows
    assert all(row.error <= 100 or row.games >= 60 for row in rows if row.name not in ANCHORS)
    assert sum(row.elo for row in rows if row.name in ANCHORS) == pytest.approx(0, abs=1e-6)
    wrong = [abs(row.elo - elo[row.name]) for row in rows if row.name not in ANCHORS]
    assert sum(wrong) / len(wrong) < 60


def test_each_engine_meets_every_anchor_however_few_meetings_settle_its_rating() -> None:
    tournament = ladder(2, most_pairs=1)
    results = played(tournament)
    assert {result.id.pair for result in results} >= {
        (anchor, name) for anchor in ANCHORS for name in ("p00.1", "p01.1")
    }
    assert plan_of(tournament).summary(results).facts["rests"]


def test_the_games_are_the_same_however_many_run_at_once_and_after_any_stop() -> None:
    tournament = ladder(7)
    results = played(tournament, 1)
    assert played(tournament, 13) == results
    for length in (1, 7, 40, len(results) - 1):
        assert played(tournament, 3, results[:length]) == results
    wanted = expected_games(tournament, results)
    assert [wanted[result.number].id for result in results] == [result.id for result in results]


def test_rounds_that_are_over_are_not_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class of sixty plays 66 rounds, and its pages and its player open the ladder again and again."""
    tournament = ladder(7)
    results = played(tournament)
    rated = list[int]()

    def count(names: Sequence[str], before: Sequence[Result]) -> Ratings:
        rated.append(len(before))
        return ratings_of(names, before)

    monkeypatch.setattr("quietmove.addons.hall.ladder.ratings_of", count)
    plan = plan_of(tournament)
    assert plan.summary(results).facts["round"] > 20
    assert plan.has_ended(results)
    assert len(rated) == 2, "the last round, to see that it is over, and the one after"


def test_a_version_meets_each_anchor_once_then_neighbours_and_all_meet_anchors_alike() -> None:
    tournament = ladder(6, quiet_elo=60)
    results = played(tournament)
    games = {
        result.number: game for result, game in zip(results, expected_games(tournament, results).values(), strict=True)
    }
    for name in tournament.names[len(ANCHORS) :]:
        own = [result for result in results if name in result.id.pair and result.id.color == "black"]
        assert [result.id.pair[0] for result in own[:4]] == list(ANCHORS)
        assert len({result.id.round for result in own}) == len(own), "one pair in a round"
        for color in ("black", "white"):
            first = next(each for each in results if each.id.pair == ("level 3", name) and each.id.color == color)
            fixed = games[first.number].opening, games[first.number].seed
            others = [each for each in results if each.id.pair[0] == "level 3" and each.id.color == color]
            firsts = {
                each.id.pair[1]: games[each.number] for each in reversed(others) if each.id.pair[1] not in ANCHORS
            }
            assert {(each.opening, each.seed) for each in firsts.values()} == {fixed}


def test_a_new_version_replaces_the_old_one_whose_games_stay() -> None:
    tournament = ladder(5)
    results = played(tournament)
    number = Ladder(tournament).round_number(results)
    newer = EngineConfig("p00.2", protocol="in-process")
    came = (RosterChange("p00.2", number, "p00.1"), RosterChange("", number, "p01.1"))
    more = replace(tournament, engines=(*tournament.engines, newer), arrivals=(*tournament.arrivals, *came))
    longer = played(more, 4, results)
    assert longer[: len(results)] == results
    news = Counter(name for result in longer[len(results) :] for name in result.id.pair)
    assert news["p00.2"] >= 8
    assert not {"p00.1", "p01.1"} & set(news)
    assert plan_of(more).summary(longer).facts["in_force"] == [*ANCHORS, "p02.1", "p03.1", "p04.1", "p00.2"]
    assert len(expected_games(more, longer)) == len(longer)


def test_programs_without_openings_meet_once_and_begin_at_the_initial_position() -> None:
    tournament = ladder(4)
    moves_only = tuple(
        replace(engine, protocol="project", command=("x",)) if engine.name.startswith("p") else engine
        for engine in tournament.engines
    )
    tournament = replace(tournament, engines=moves_only)
    results = played(tournament)
    games = expected_games(tournament, results)
    meetings = Counter(result.id.pair for result in results if result.id.color == "black")
    assert all(count == 1 for pair, count in meetings.items() if pair[0] not in ANCHORS)
    assert max(count for pair, count in meetings.items() if pair[0] in ANCHORS and pair[1] not in ANCHORS) > 1
    without = {game.opening for game in games.values() if not set(game.id.pair) <= set(ANCHORS)}
    assert without == {()}
    seeds = [game.seed for game in games.values() if game.id.pair == ("level 1", "p00.1")]
    assert len(set(seeds)) == len(seeds), "an anchor plays each game anew"


def test_a_store_grows_by_who_arrives_and_by_nothing_else(tmp_path: Path) -> None:
    tournament = ladder(2)
    store = tmp_path / "ladder.sqlite"
    more = ladder(3)
    late = replace(more, arrivals=(*tournament.arrivals, RosterChange("p02.1", 2)))
    with Store.create(store, tournament) as opened:
        opened.enlarge(more)  # no game has finished
        assert opened.tournament == more
        write_games(opened, 2)
        with pytest.raises(StoreError, match="must join in round 2 or later"):
            opened.enlarge(replace(ladder(4), arrivals=(*more.arrivals, RosterChange("p03.1", 1))))
        for other in (late, tournament, replace(more, seed=6), replace(more, settings=(("quiet_elo", 50.0),))):
            with pytest.raises(StoreError, match="all else must stay the same"):
                opened.enlarge(other)
        opened.enlarge(replace(ladder(4), arrivals=(*more.arrivals, RosterChange("p03.1", 2, "p00.1"))))
    with Store.open_to_read(store) as opened:
        assert opened.tournament.arrivals[-1] == RosterChange("p03.1", 2, "p00.1")
        assert opened.count() == 2


def test_who_arrives_later_changes_no_round_before() -> None:
    full = ladder(7)
    order = tuple(replace(arrival, round=1 + 3 * place) for place, arrival in enumerate(full.arrivals))
    tournament, results = replace(full, engines=full.engines[:4], arrivals=()), list[Result]()
    for arrival in order:  # each engine joins when the ladder reaches its round, or pauses before that round
        names = (*tournament.names, arrival.engine)
        engines = tuple(engine for engine in full.engines if engine.name in names)
        number = Ladder(tournament).round_number(results)
        arrival = replace(arrival, round=number)
        tournament = replace(tournament, engines=engines, arrivals=(*tournament.arrivals, arrival))
        elo = strengths(full)
        plan, end = plan_of(tournament), player(elo)
        while Ladder(tournament).round_number(results) < number + 3 and not plan.has_ended(results):
            results = sorted([*results, *map(end, plan.next_games(results))], key=lambda result: result.number)
    wanted = expected_games(tournament, results)
    assert len(results) > 60
    assert [wanted[result.number].id for result in results] == [result.id for result in results]
