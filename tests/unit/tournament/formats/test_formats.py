from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietmove.referee.config.model import EngineConfig
from quietmove.tournament.definition import Tournament
from quietmove.tournament.errors import UnknownFormatError
from quietmove.tournament.formats import FORMATS, get_format, plan_of
from quietmove.tournament.formats.round_robin import all_pairs
from quietmove.tournament.games import ScheduledGame, seed_of

OPENINGS = tuple((f"opening {number}",) for number in range(5))


def play(engines: str = "abcd", rounds: int = 2, seed: int = 1, name: str = "t") -> tuple[ScheduledGame, ...]:
    players = tuple(EngineConfig(engine, ("x",)) for engine in engines)
    plan = plan_of(Tournament(name, "othello", seed, OPENINGS, players, settings=(("rounds", rounds),)))
    games = tuple(plan.next_games([]))
    assert plan.planned([]) == len(games)
    return games


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(2, 15))
def test_round_robin_is_every_pair_once(count: int) -> None:
    names = [f"n{i}" for i in range(count)]
    assert sorted(all_pairs(names)) == sorted(combinations(names, 2))


@pytest.mark.parametrize("count", [4, 7, 14])
def test_all_players_advance_together(count: int) -> None:
    names = [f"n{i}" for i in range(count)]
    met = Counter(dict.fromkeys(names, 0))
    for pair in all_pairs(names):
        met.update(pair)
        assert max(met.values()) - min(met.values()) <= 2


def test_each_pair_meets_once_a_round_with_each_color_over_one_opening() -> None:
    games = play(rounds=3)
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    assert len(games) == 6 * 3 * 2
    for one, two in zip(games[::2], games[1::2], strict=True):
        assert (one.id.round, one.id.pair, one.opening) == (two.id.round, two.id.pair, two.opening)
        assert (one.id.black, one.id.white) == (two.id.white, two.id.black) == one.id.pair


def test_a_pair_repeats_no_opening_before_the_list_is_used_up() -> None:
    games = [game for game in play(rounds=7) if game.id.pair == ("a", "c") and game.id.color == "black"]
    openings = [game.opening for game in games]
    assert sorted(openings[:5]) == sorted(OPENINGS)
    assert openings[5:] == openings[:2]


def test_neighbours_meet_those_within_reach() -> None:
    players = tuple(EngineConfig(engine, ("x",)) for engine in "abcde")
    for reach, expected in ((1, "ab bc cd de"), (2, "ab ac bc bd cd ce de"), (9, "ab ac ad ae bc bd be cd ce de")):
        chosen = (("rounds", 2), ("reach", reach))
        plan = plan_of(Tournament("t", "othello", 1, OPENINGS, players, format="neighbours", settings=chosen))
        games = tuple(plan.next_games([]))
        assert sorted({"".join(game.id.pair) for game in games}) == expected.split()
        assert plan.planned([]) == len(games) == 4 * len(expected.split())
        assert [game.number for game in games] == list(range(1, len(games) + 1))


def test_another_round_or_engine_leaves_the_other_games_as_they_were() -> None:
    facts = {game.id: (game.opening, game.seed) for game in play(rounds=2)}
    more_rounds = {game.id: (game.opening, game.seed) for game in play(rounds=3)}
    more_engines = {game.id: (game.opening, game.seed) for game in play("abcde", rounds=2)}
    assert facts.items() < more_rounds.items()
    assert facts.items() < more_engines.items()


@pytest.mark.parametrize("other", [{"seed": 2}, {"name": "u"}])
def test_name_and_seed_make_other_games(other: dict[str, object]) -> None:
    assert len({game.seed for game in play()}) == len(play())
    assert not {game.seed for game in play()} & {game.seed for game in play(**other)}  # type: ignore[arg-type]
    assert [game.opening for game in play()] != [game.opening for game in play(**other)]  # type: ignore[arg-type]


def test_the_schedule_is_the_same_on_every_machine_for_ever() -> None:
    first, *_, last = play()
    assert (first.id.pair, first.opening, first.seed) == (("a", "d"), ("opening 2",), 996497698)
    assert (last.id.pair, last.opening, last.seed) == (("c", "d"), ("opening 3",), 1088810565)


def test_dice_and_deals_follow_from_the_pair_and_the_round() -> None:
    games = play("abc", rounds=2)
    seeds = [seed_of(Tournament("t", "othello", 1, OPENINGS, ()), game.id) for game in games]
    assert seeds[::2] == seeds[1::2]
    assert len(set(seeds)) == len(games) / 2
    assert (seeds[0], seeds[-1]) == (97941764, 610333874)


def test_every_format_is_found_by_its_name() -> None:
    for name in FORMATS:
        found = get_format(name)
        assert found.__doc__
        assert all(row.help and row.name.isidentifier() for row in found.settings)
    with pytest.raises(UnknownFormatError, match=r"^format: must be .* not 'Round-robbin'; did you mean round-robin\?"):
        get_format("Round-robbin")
