"""Every format played to its end with results drawn by lot, in any order of the games that run at once."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import networkx
import pytest

from quietmove.referee.config.model import EngineConfig
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import UnknownFormatError
from quietmove.tournament.formats import FORMATS, Format, get_format, plan_of
from quietmove.tournament.formats.knockout import Knockout
from quietmove.tournament.games import Result, ScheduledGame, game_spec
from quietmove.tournament.statistics.standings import standings
from tests.fakes.addons import needs_games
from tests.fakes.played_format import play_format

OPENINGS = tuple((f"o{number}",) for number in range(50))
Referee = Callable[[ScheduledGame], float]


def plan(name: str, engines: int = 5, seed: int = 1, **settings: float | str) -> Format:
    players = tuple(EngineConfig(f"e{number}", ("x",)) for number in range(engines))
    chosen = tuple(settings.items())
    return plan_of(Tournament("t", "othello", seed, OPENINGS, players, format=name, settings=chosen))


def by_lot(game: ScheduledGame) -> float:
    """Return the points of Black: the engines named first are a little stronger."""
    lots = random.Random(game.seed)
    lead = (int(game.id.white[1:]) - int(game.id.black[1:])) / 20
    return lots.choices((1.0, 0.5, 0.0), (max(0.05, 0.35 + lead), 0.3, max(0.05, 0.35 - lead)))[0]


def drawn(game: ScheduledGame) -> float:
    return 0.5


def first_wins(game: ScheduledGame) -> float:
    return float(int(game.id.black[1:]) < int(game.id.white[1:]))


def result(game: ScheduledGame, points: float) -> Result:
    opening = ",".join(game.opening)
    moves = f"{opening},{game.seed},{game.options}"  # other engine options give another game
    return Result(game.id, game.number, points, 0, "finished", None, opening, moves)


def play(format_: Format, referee: Referee = by_lot, at_once: int = 1, results: Sequence[Result] = ()) -> list[Result]:
    lots = random.Random(at_once)
    return play_format(format_, lambda game: result(game, referee(game)), at_once, lots, results)


EVERY = [
    ("round-robin", 5, {"rounds": 2}),
    ("round-robin", 4, {"rounds": 3, "cycle": "single"}),
    ("gauntlet", 6, {"rounds": 2, "seeds": 2}),
    ("neighbours", 5, {"rounds": 2, "cycle": "single"}),
    ("swiss", 7, {"rounds": 5}),
    ("swiss", 2, {"rounds": 3, "match_pairs": 2}),
    ("knockout", 6, {"match_pairs": 2, "replays": 2}),
    ("knockout", 2, {"replays": 0}),
    ("sprt", 2, {"elo0": 0.0, "elo1": 100.0}),
    ("spsa", 2, {"parameters": "Hash=10:0:50:3", "pairs": 30, "rate": 0.3}),
    ("spsa", 2, {"parameters": "Hash=10:0:50:3", "pairs": 30, "rate": 0.3, "pairs_at_once": 4}),
]


@pytest.mark.parametrize(("name", "engines", "settings"), EVERY)
def test_the_games_are_the_same_for_any_concurrency_and_after_any_kill(
    name: str, engines: int, settings: dict[str, float | str]
) -> None:
    alone = play(plan(name, engines, **settings))
    assert len({each.number for each in alone}) == len({each.id for each in alone}) == len(alone) > 0
    whole = plan(name, engines, **settings)
    assert (list(whole.next_games(alone)), whole.planned(alone)) == ([], len(alone))
    for at_once in (2, 5):
        assert play(plan(name, engines, **settings), at_once=at_once)[: len(alone)] == alone
    lots = random.Random(1)
    for kept in range(0, len(alone), max(1, len(alone) // 12)):
        known = [each for each in alone[: kept + 3] if each.number <= kept or lots.random() < 0.5]
        begun = plan(name, engines, **settings)
        offered = {game.number: game for game in itertools.islice(begun.next_games(known), 200)}
        if len(alone) > kept + 3 or known != alone[: kept + 3]:
            assert set(offered) - {each.number for each in known}
        assert all(offered[each.number].id == each.id for each in alone if each.number in offered)
        if known == alone[:kept]:
            assert play(begun, results=known) == alone


@pytest.mark.parametrize(("name", "engines", "settings"), EVERY)
def test_the_summary_fits_the_table_at_any_moment(name: str, engines: int, settings: dict[str, float | str]) -> None:
    alone = play(plan(name, engines, **settings))
    watched = plan(name, engines, **settings)
    names = watched.tournament.names
    for kept in (0, 1, len(alone) // 2, len(alone)):
        summary = watched.summary(alone[:kept])
        table = standings(names, alone[:kept], summary.order)
        assert sorted(row.name for row in table.rows) == sorted(names)
        assert summary.order is None or tuple(row.name for row in table.rows) == summary.order
        assert all(set(column.values) >= set(names) and column.help for column in summary.columns)


def test_a_single_cycle_gives_each_pair_one_game_with_colours_in_turn() -> None:
    results = play(plan("round-robin", 6, rounds=2, cycle="single"))
    assert len(results) == 2 * 15
    assert Counter(each.id.pair for each in results) == dict.fromkeys(
        itertools.combinations(map("e{}".format, range(6)), 2), 2
    )
    for pair in {each.id.pair for each in results}:
        assert {each.id.color for each in results if each.id.pair == pair} == {"black", "white"}
    black = Counter(each.id.black for each in results[:15])
    assert set(black.values()) <= {2, 3}


def test_seeds_of_a_gauntlet_meet_all_others_and_nobody_else() -> None:
    pairs = Counter(each.id.pair for each in play(plan("gauntlet", 5, rounds=3, seeds=2)))
    assert pairs == dict.fromkeys(itertools.product(("e0", "e1"), ("e2", "e3", "e4")), 6)
    assert plan("gauntlet", 3, rounds=1, seeds=3).problems() == [
        ("seeds", "must be from 1 to 2, less than the number of engines, not 3")
    ]


def test_a_tournament_of_one_is_none() -> None:
    for name in ("round-robin", "swiss", "knockout", "gauntlet"):
        assert plan(name, 1, rounds=1).problems()
        assert not plan(name, 2, rounds=1).problems()


def rounds(results: Sequence[Result]) -> list[list[tuple[str, str]]]:
    turns = sorted({each.id.round for each in results})
    return [list(dict.fromkeys(each.id.pair for each in results if each.id.round == turn)) for turn in turns]


def test_swiss_rounds_pair_halves_of_equal_scores() -> None:
    """The example's first two rounds by hand: the better half meets the other half, then the winners meet."""
    one, two, *_ = rounds(play(plan("swiss", 8, rounds=2), first_wins))
    assert one == [("e0", "e4"), ("e1", "e5"), ("e2", "e6"), ("e3", "e7")]
    assert two == [("e0", "e2"), ("e1", "e3"), ("e4", "e6"), ("e5", "e7")]


@pytest.mark.parametrize("referee", [by_lot, drawn, first_wins])
@pytest.mark.parametrize(("engines", "turns"), [(2, 1), (4, 3), (6, 5), (7, 7), (10, 9), (9, 9), (16, 8)])
def test_in_a_swiss_nobody_meets_twice_while_that_can_be_avoided(engines: int, turns: int, referee: Referee) -> None:
    played = rounds(play(plan("swiss", engines, rounds=turns), referee))
    met: set[tuple[str, str]] = set()
    for pairs in played:
        if met & set(pairs):
            others = itertools.combinations(map("e{}".format, range(engines)), 2)
            unmet = networkx.Graph(pair for pair in others if pair not in met)
            assert len(networkx.max_weight_matching(unmet)) < engines // 2
            break
        met |= set(pairs)
    for pairs in played:
        assert len(set(itertools.chain.from_iterable(pairs))) == engines - engines % 2
    rests = Counter(
        f"e{number}" for pairs in played for number in range(engines) if all(f"e{number}" not in p for p in pairs)
    )
    assert not rests or max(rests.values()) <= -(-turns // engines)


@pytest.mark.parametrize("seed", range(25))
def test_a_swiss_pairs_as_many_engines_as_possible_in_the_highest_groups(seed: int) -> None:
    """For each round, compared with a matching whose weights count the pairs within the groups, the highest first."""
    chance = random.Random(seed)
    engines = chance.randrange(6, 24, 2)
    names = [f"e{number}" for number in range(engines)]
    scores = dict.fromkeys(names, 0.0)
    met: set[frozenset[str]] = set()
    results = play(plan("swiss", engines, rounds=min(7, engines - 1)), lambda _: chance.choice((0.0, 0.5, 1.0)))
    for pairs in rounds(results):
        groups = sorted(set(scores.values()))

        def within(one: str, other: str, groups: Sequence[float] = groups) -> int:
            """Return a number whose digits, from the lowest score up, count pairs on one side of each score."""
            low, high = sorted((scores[one], scores[other]))
            return sum(100**place for place, score in enumerate(groups) if not low < score <= high)

        graph = networkx.Graph()
        for one, other in itertools.combinations(names, 2):
            if frozenset((one, other)) not in met:
                graph.add_edge(one, other, weight=within(one, other))
        best = networkx.max_weight_matching(graph, maxcardinality=True)
        if len(best) < engines // 2:
            break  # engines must meet again
        assert sum(within(*pair) for pair in pairs) == sum(within(*pair) for pair in best)
        met |= {frozenset(pair) for pair in pairs}
        for one, other in pairs:
            games = [each for each in results if each.id.pair == (one, other)]
            scores[one] += sum(each.points_first() for each in games)
            scores[other] += sum(1 - each.points_first() for each in games)


def test_the_tie_breaks_of_a_swiss_are_those_of_a_table_by_hand() -> None:
    """Three engines, three rounds of one pair of games; one rests each time and gets the two points of a match won."""
    watched = plan("swiss", 3, rounds=3)
    results = play(watched, first_wins)
    summary = watched.summary(results)
    score, buchholz, berger = (column.values for column in summary.columns)
    assert rounds(results) == [[("e0", "e1")], [("e0", "e2")], [("e1", "e2")]]
    assert score == {"e0": 6, "e1": 4, "e2": 2}
    assert buchholz == {"e0": 4 + 2 + 6, "e1": 6 + 2 + 4, "e2": 6 + 4 + 2}
    assert berger == {"e0": 2 * 4 + 2 * 2, "e1": 2 * 2, "e2": 0}
    assert summary.order == ("e0", "e1", "e2")
    assert summary.lines[1:] == ("e0 wins the tournament",)
    assert len(watched.summary(results[:-1]).lines) == 1
    level = plan("swiss", 2, rounds=1)
    assert level.summary(play(level, drawn)).lines[1:] == ("e0, e1 share first place",)


def test_buchholz_decides_before_sonneborn_berger() -> None:
    """In some of the tournaments, the two disagree about engines with the same score."""
    disagreed = 0
    for seed in range(8):
        watched = plan("swiss", 8, seed, rounds=4)
        summary = watched.summary(play(watched))
        values = [column.values for column in summary.columns]
        placed = [tuple(column[name] for column in values) for name in summary.order]
        assert placed == sorted(placed, reverse=True)
        pairs = itertools.pairwise(placed)
        disagreed += sum(one[0] == two[0] and one[1] > two[1] and one[2] < two[2] for one, two in pairs)
    assert disagreed


@pytest.mark.parametrize(("reason", "score"), [("crash", 0), ("resign", 2)])
def test_a_rest_brings_nothing_to_an_engine_that_lost_every_game_by_a_fault(reason: str, score: int) -> None:
    def judged(game: ScheduledGame) -> Result:
        found = result(game, first_wins(game))
        return replace(found, reason=reason, forfeited_by="e2") if "e2" in game.id.pair else found

    swiss = plan("swiss", 3, rounds=2)
    assert swiss.summary([]).columns[0].values["e2"] == 2  # e2 has not played yet
    summary = swiss.summary(play_format(swiss, judged, 1, random.Random(1)))
    assert summary.columns[0].values == {"e0": 4, "e1": 2, "e2": score}


def test_the_bracket_follows_the_seeds() -> None:
    cup = plan("knockout", 6)
    results = play(cup, first_wins)
    assert isinstance(cup, Knockout)
    stages = [[(match.first, match.second) for match in stage if match] for stage in cup.bracket(results)]
    assert stages == [[("e3", "e4"), ("e2", "e5")], [("e0", "e3"), ("e1", "e2")], [("e0", "e1")]]
    assert [[match.place for match in stage if match] for stage in cup.bracket(results)] == [[1, 3], [0, 1], [0]]
    summary = cup.summary(results)
    assert summary.order == ("e0", "e1", "e2", "e3", "e4", "e5")
    assert summary.lines[1:] == ("semi-final: e0 2 - 0 e3; e1 2 - 0 e2", "final: e0 2 - 0 e1", "e0 wins the tournament")
    assert summary.facts["winner"] == "e0"


def test_a_tie_is_replayed_and_then_the_seed_decides_and_says_so() -> None:
    cup = plan("knockout", 3, replays=3)
    results = play(cup, drawn)
    assert len(results) == 2 * 2 * (1 + 3)
    assert cup.summary(results).lines[-2:] == (
        "final: e0 4 - 4 e1 (e0 advances as the better seed)",
        "e0 wins the tournament",
    )

    def second_wins_the_replay(game: ScheduledGame) -> float:
        return 0.5 if game.number <= 2 else float(game.id.black > game.id.white)

    cup = plan("knockout", 2, replays=3)
    results = play(cup, second_wins_the_replay)
    assert (len(results), cup.summary(results).facts["winner"]) == (4, "e1")
    assert cup.planned(results[:2]) is None


def test_a_thousand_engines_begin_at_once() -> None:
    """Nothing is computed for games that are not asked for: the last of a million is as near as the first."""
    for name, settings in (("round-robin", {"rounds": 2}), ("gauntlet", {"rounds": 1, "seeds": 300})):
        large = plan(name, 1000, **settings)
        planned = large.planned([])
        assert planned == (4 * 499_500 if name == "round-robin" else 2 * 300 * 700)
        games = large.next_games([])
        assert [game.number for game in itertools.islice(iter(games), 3)] == [1, 2, 3]


FIVE = tuple((f"opening {number}",) for number in range(5))


def schedule(engines: str = "abcd", rounds: int = 2, seed: int = 1, name: str = "t") -> tuple[ScheduledGame, ...]:
    players = tuple(EngineConfig(engine, ("x",)) for engine in engines)
    plan = plan_of(Tournament(name, "othello", seed, FIVE, players, settings=(("rounds", rounds),)))
    games = tuple(plan.next_games([]))
    assert plan.planned([]) == len(games)
    return games


def test_each_pair_meets_once_a_round_with_each_color_over_one_opening() -> None:
    games = schedule(rounds=3)
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    assert len(games) == 6 * 3 * 2
    for one, two in zip(games[::2], games[1::2], strict=True):
        assert (one.id.round, one.id.pair, one.opening) == (two.id.round, two.id.pair, two.opening)
        assert (one.id.black, one.id.white) == (two.id.white, two.id.black) == one.id.pair


def test_a_pair_repeats_no_opening_before_the_list_is_used_up() -> None:
    games = [game for game in schedule(rounds=7) if game.id.pair == ("a", "c") and game.id.color == "black"]
    openings = [game.opening for game in games]
    assert sorted(openings[:5]) == sorted(FIVE)
    assert openings[5:] == openings[:2]


def test_neighbours_meet_those_within_reach() -> None:
    players = tuple(EngineConfig(engine, ("x",)) for engine in "abcde")
    for reach, expected in ((1, "ab bc cd de"), (2, "ab ac bc bd cd ce de"), (9, "ab ac ad ae bc bd be cd ce de")):
        chosen = (("rounds", 2), ("reach", reach))
        plan = plan_of(Tournament("t", "othello", 1, FIVE, players, format="neighbours", settings=chosen))
        games = tuple(plan.next_games([]))
        assert sorted({"".join(game.id.pair) for game in games}) == expected.split()
        assert plan.planned([]) == len(games) == 4 * len(expected.split())
        assert [game.number for game in games] == list(range(1, len(games) + 1))


def test_another_round_or_engine_leaves_the_other_games_as_they_were() -> None:
    facts = {game.id: (game.opening, game.seed) for game in schedule(rounds=2)}
    more_rounds = {game.id: (game.opening, game.seed) for game in schedule(rounds=3)}
    more_engines = {game.id: (game.opening, game.seed) for game in schedule("abcde", rounds=2)}
    assert facts.items() < more_rounds.items()
    assert facts.items() < more_engines.items()


@pytest.mark.parametrize("other", [{"seed": 2}, {"name": "u"}])
def test_name_and_seed_make_other_games(other: dict[str, object]) -> None:
    assert len({game.seed for game in schedule()}) == len(schedule())
    assert not {game.seed for game in schedule()} & {game.seed for game in schedule(**other)}  # type: ignore[arg-type]
    # Type: ignore[arg-type].
    assert [game.opening for game in schedule()] != [game.opening for game in schedule(**other)]


def test_the_schedule_is_the_same_on_every_machine_for_ever() -> None:
    first, *_, last = schedule()
    assert (first.id.pair, first.opening, first.seed) == (("a", "d"), ("opening 2",), 996497698)
    assert (last.id.pair, last.opening, last.seed) == (("c", "d"), ("opening 3",), 1088810565)


@needs_games
def test_dice_and_deals_follow_from_the_pair_and_the_round() -> None:
    engines = tuple(EngineConfig(engine, ("x",)) for engine in "abc")
    plan = plan_of(Tournament("t", "einstein", 1, FIVE, engines, settings=(("rounds", 2),)))
    seeds = [game_spec(plan.tournament, game).seed for game in plan.next_games([])]
    assert seeds[::2] == seeds[1::2]
    assert len(set(seeds)) == len(seeds) / 2
    assert (seeds[0], seeds[-1]) == (97941764, 610333874)


def test_every_format_is_found_by_its_name() -> None:
    assert all(get_format(name) is FORMATS[name] for name in FORMATS)
    with pytest.raises(UnknownFormatError, match=r"^format: must be .* not 'Round-robbin'; did you mean round-robin\?"):
        get_format("Round-robbin")
