"""What the tables of the lab claim, on small sizes."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from quietmove.addons.lab import (
    branching,
    budget,
    comparison,
    deals,
    dice,
    horizon,
    impartial,
    knuth_moore,
    mcts,
    ordering,
    pruning,
)
from quietmove.addons.lab.command import EXPERIMENTS
from quietmove.addons.lab.command import lab as group
from quietmove.addons.lab.searches import AFFORDABLE, deepen, random_positions, search_once, start_position
from quietmove.addons.shared.report import Column, Report, plain_text, to_json
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.origin import install_command
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.describe import short_score
from quietmove.engine.values import Settings
from tests.fakes.games import exact_values

SMALL = {
    "branching": ["--games", "5"],
    "evaluation": ["--positions", "3"],
    "pruning": ["--depth", "4", "--runs", "2"],
    "ordering": ["--depth", "4"],
    "knuth-moore": ["--size", "2", "4", "--size", "3", "3"],
    "table": ["--depth", "4"],
    "budget": ["--nodes", "10", "--nodes", "200"],
    "pvs": ["--depth", "4"],
    "horizon": ["--positions", "3", "--depth", "1"],
    "nim": ["1,2"],
    "subtraction": ["--heap", "9"],
    "dice": ["--depth", "2"],
    "deals": ["--depth", "2", "--samples", "3", "--deals", "2", "--deals", "5"],
    "mcts": ["--positions", "3", "--seeds", "2", "--nodes", "50", "--nodes", "200"],
}


def numbers(report: Report, name: str) -> list[float]:
    """Return the cells of a column of numbers, empty ones left out."""
    return [cell for cell in report.column(name) if isinstance(cell, int | float)]


def lab(*arguments: str) -> Result:
    return CliRunner().invoke(group, list(arguments))


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in ("trace", "lecture")])
def test_an_experiment_prints_a_table_and_its_data_and_does_so_again(name: str) -> None:
    plain = lab(name, *SMALL[name])
    assert plain.exit_code == 0
    assert plain.output.count("\n") > 4
    document, again = (json.loads(lab(name, *SMALL[name], "--json").output) for _ in range(2))
    times = ("seconds", "fastest", "slowest")
    rows, same = (
        [{key: row[key] for key in row if key not in times} for row in each["rows"]] for each in (document, again)
    )
    assert (document | {"rows": rows}, document["experiment"]) == (again | {"rows": same}, name)
    assert document["title"] in " ".join(plain.output.split())
    assert all(word in plain.output for row in rows for head in row for word in head.replace("+", "+ ").split())
    assert max(map(len, plain.output.splitlines())) <= 104


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pruning", "--depth", "0"], "depth"),
        (["pruning", "--depth", "2", "--plot", "figure.pdf"], "must be a file ending in .svg or .png"),
        (["pruning", "--depth", "2", "--plot", "no/such/folder/figure.svg"], "does not exist"),
        (["knuth-moore", "--size", "9", "9"], "at most 50000 leaves, not"),
        (["nim", "three"], "not 'three'"),
        (["nim", "0,0"], "at most 9 digits, not all 0"),
        (["subtraction", "--takes", "0"], "a list of allowed takes such as 1,3,4, not '0'"),
        (["dice", "--game", "tree"], "must be a game of chance"),
        (["deals", "--game", "tree"], "hidden cards"),
        (["mcts", "--game", "einstein"], "must not have dice"),
        (["mcts", "--game", "tree 1x3"], "one move is better than another"),
        (["trace", "--position", "7 max"], "the game is already over"),
        (["branching", "--position", f"{'X' * 64} O"], "the game is already over"),
        (["ordering", "--game", "tree", "--positions", "13"], "--positions: must be at most 3 in this game, not 13"),
        (["trace", "--textbook", "--algorithm", "pvs"], "--textbook: expected --algorithm minimax or alphabeta"),
        (["evaluation", "--program", " "], "--program: the command is empty"),
        (["evaluation", "--program", "echo five"], "--program: it must print a finite number for each of 10 positions"),
        (["evaluation", "--program", "echo 5"], "--program: it must print a finite number for each of 10 positions"),
        (["evaluation", "--program", "false"], "--program: it ended with status 1"),
        (["evaluation", "--program", "yes nan"], "--program: it printed 5,000,000 bytes or more"),
        (["evaluation", "--positions", "2", "--program", "echo 1 1e999"], "a finite number for each of 2 positions"),
    ],
)
def test_a_wrong_usage_is_one_clear_error(arguments: list[str], message: str) -> None:
    result = lab(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert not isinstance(result.exception, QuietmoveError)


@pytest.mark.parametrize(
    "arguments",
    [
        ["pruning", "--game", "no-such"],
        ["evaluation", "--evaluation", "no-such"],
        ["branching", "--position", "X"],
        ["trace", "--position", "[1,2"],
        ["trace", "--game", "othello", "--depth", "11"],
    ],
)
def test_an_error_of_a_game_is_ours(arguments: list[str]) -> None:
    result = lab(*arguments)
    assert isinstance(result.exception, QuietmoveError)
    assert "\n" not in str(result.exception)


def test_without_matplotlib_a_figure_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = lab("pruning", "--depth", "2", "--plot", str(tmp_path / "figure.svg"))
    assert result.exit_code == 2
    assert install_command("plots") in result.output
    assert list(tmp_path.iterdir()) == []


def test_pruning_keeps_the_value_and_saves_nodes() -> None:
    report = pruning.measure()
    assert report.column("value") == ["0"] * 5
    nodes = numbers(report, "nodes")
    assert nodes[0] == 549_945  # one node for every sequence of one or more moves
    assert nodes[1] == 18_296  # the textbook's, without the root
    assert nodes == sorted(nodes, reverse=True)
    assert len(set(nodes)) == 5
    times = list(zip(*(report.column(name) for name in ("fastest", "seconds", "slowest")), strict=True))
    assert times.pop(1) == (None, None, None)
    assert all(0 < float(row[0] or 0) <= float(row[1] or 0) <= float(row[2] or 0) for row in times)


def test_a_game_that_is_too_long_is_pruned_to_a_depth_that_ends_in_seconds() -> None:
    report = pruning.measure("othello", runs=1)
    assert numbers(report, "nodes")[0] == sum(start_position("othello").perft(ply) for ply in range(1, 9)) < AFFORDABLE
    assert "at depth 8" in report.title
    assert "Depth 8 is the deepest" in report.notes[-1]
    assert "deepest" not in " ".join((*pruning.measure(runs=1).notes, *pruning.measure("othello", 2, 1).notes))
    assert ordering.measure("othello").title.startswith("othello at depth 8")


def test_orders_are_compared_over_many_positions() -> None:
    report = ordering.measure("connect", 4, 20)
    assert report.column("value") == ["20 of 20 right"] * 4
    roots = random_positions("connect", 20, 1, ordering.OPENING_PLIES)
    assert len({root.key for root in roots}) == 20
    found = [deepen(root, 4, Settings("alphabeta", "static"))[-1] for root in roots]
    assert numbers(report, "nodes")[2] == round(sum(each.nodes for each in found) / 20)
    factors = [each.nodes ** (1 / each.depth) for each in found]
    assert numbers(report, "branching factor")[2] == pytest.approx(sum(factors) / 20, abs=1e-4)
    assert sum(numbers(report, "fewest in")) >= 20
    assert ordering.measure("connect", 4, 20, 2).rows != report.rows


def test_the_depth_for_many_positions_is_the_deepest_that_is_affordable_in_all_of_them_together() -> None:
    report = ordering.measure("connect", None, 100)
    assert "at depth 7:" in report.title
    roots = random_positions("connect", 100, 1, ordering.OPENING_PLIES)
    seven, eight = (
        sum(search_once(root, depth, Settings("minimax", "none")).nodes for root in roots) for depth in (7, 8)
    )
    assert seven <= AFFORDABLE < eight
    assert numbers(report, "nodes")[0] == round(seven / 100)


def test_positions_near_the_end_do_not_make_the_others_shallow() -> None:
    """Some of so many positions of tic-tac-toe have one move left; the others are searched deeper."""
    report = ordering.measure("tictactoe", None, 100)
    assert "at depth 8:" in report.title
    assert numbers(report, "nodes")[0] > 1000


def test_the_branching_factor_is_that_of_the_positions_of_games() -> None:
    report = branching.measure("tictactoe", None, 50)
    assert report.column("plies") == ["1 to 10", "all"]
    assert report.rows[0][1:] == report.rows[1][1:]
    assert report.rows[0][3:] == (1, 9)
    assert branching.measure("tictactoe", "XO-XO---- X", 30).rows[0][4] == 5
    report = branching.measure("nim 1", None, 3)
    assert report.rows == [("1 to 10", 3, 1.0, 1, 1), ("all", 3, 1.0, 1, 1)]
    assert "--branching 1.00 --depth 1" in report.notes[-1]
    assert branching.measure("einstein", None, 5).notes[-1].endswith(" --chance 6.0")
    assert branching.measure("whist", None, 5).rows[0][4] == 5


def test_a_student_s_evaluator_is_checked_by_values(tmp_path: Path) -> None:
    """The program counts discs, from the side to move: it is right by one evaluator and wrong by another."""
    program = tmp_path / "mine.py"
    program.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    board, side = line.split()\n"
        "    own = board.count(side)\n"
        "    print(own - (len(board) - board.count('-') - own))\n"
    )
    game = get_game("othello")
    for evaluation in ("classic", "discs"):
        report = lab("evaluation", "--evaluation", evaluation, "--program", f"{sys.executable} -S {program}", "--json")
        found = json.loads(report.output)
        assert len(found["rows"]) == 10
        for row in found["rows"]:
            position = game.parse_position(row["position"].split())
            position.choose_evaluator(evaluation)
            assert row["value"] == position.static_value() / 100
            assert row["difference"] == pytest.approx(row["program"] - row["value"], abs=1e-4)
        off = sum(row["difference"] != 0 for row in found["rows"])
        assert (off == 0) == (evaluation == "discs")
        assert f"differs in {off} of 10" in found["notes"][-1]


def test_a_better_order_keeps_the_value_and_saves_nodes() -> None:
    report = ordering.measure("connect", 6)
    assert report.column("order") == ["minimax", "natural", "centre first", "best first"]
    assert len(set(report.column("value"))) == 1
    nodes = numbers(report, "nodes")
    assert nodes == sorted(set(nodes), reverse=True)
    factors = numbers(report, "branching factor")
    assert factors == pytest.approx([count ** (1 / 6) for count in nodes], rel=1e-3)
    assert f"{math.sqrt(factors[0]):.2f}" in " ".join(report.notes)


def test_perfect_order_meets_knuth_and_moore_exactly() -> None:
    report = knuth_moore.measure(1, 3, [(2, 5), (3, 4), (4, 4), (6, 3), (1, 3)])
    assert report.column("seed") == [1, 2, 3] * 5
    formula = numbers(report, knuth_moore.THEOREM)
    assert formula[::3] == [8 + 4 - 1, 9 + 9 - 1, 16 + 16 - 1, 36 + 6 - 1, 1]
    assert numbers(report, "perfect order") == formula
    orders = ("perfect order", "random order", "worst order", "all leaves")
    for counts in zip(*(numbers(report, order) for order in orders), strict=True):
        assert list(counts) == sorted(counts)
    assert numbers(report, "all leaves")[::3] == [32, 81, 256, 216, 1]
    for leaves, visited, deeper in zip(
        *(numbers(report, name) for name in ("all leaves", "random order", "deeper")), strict=True
    ):
        assert visited**deeper == pytest.approx(leaves, rel=1e-2)


@pytest.mark.parametrize(
    ("measure", "game", "names"),
    [
        (comparison.measure_table, "othello", ("nodes without", "nodes with", "look-ups", "hits", "hit rate %")),
        (comparison.measure_table, "connect", ("nodes without", "nodes with", "look-ups", "hits", "hit rate %")),
        (
            comparison.measure_pvs,
            "othello",
            ("alpha-beta nodes", "PVS nodes", "null windows", "re-searches", "searched again %"),
        ),
    ],
)
def test_a_technique_keeps_the_value_and_saves_nodes(
    measure: Callable[[str, int], Report], game: str, names: tuple[str, ...]
) -> None:
    report = measure(game, 8)
    values = [short_score(each.value) for each in deepen(start_position(game), 8, Settings("alphabeta", "none"))]
    assert report.column("value") == values
    plain, saving, tries, successes, rates = (numbers(report, name) for name in names)
    assert sum(saving) < sum(plain)
    assert saving[-1] < plain[-1]
    for tried, hit, rate in zip(tries, successes, rates, strict=True):
        assert 0 <= hit <= tried
        assert rate == pytest.approx(100 * hit / max(1, tried), abs=0.01)
    assert successes[-1] > 0


@pytest.mark.parametrize("game", ["othello", "connect", "tictactoe"])
def test_a_budget_is_kept_and_its_move_is_a_whole_iteration_s(game: str) -> None:
    report = budget.measure(game, None, (1, 20, 100, 500, 3000))
    for used, allowed in zip(numbers(report, "nodes used"), numbers(report, "budget"), strict=True):
        assert used <= max(allowed, 9)  # the first iteration always completes
    depths = numbers(report, "depth")
    assert depths == sorted(depths)
    assert depths[0] == 1 < depths[-1]
    same = report.column("same as that depth alone")
    assert same == [True] * len(depths)
    assert all(report.column("move"))


@pytest.mark.parametrize(("game", "fields"), [("othello 4x4", "OOO-OOO-OXO-X--- X"), ("connect", "----------XO--OX X")])
def test_a_budget_that_reaches_the_end_finds_one_of_the_best_moves(game: str, fields: str) -> None:
    report = budget.measure(game, fields, (200, 30_000))
    assert report.column("same as that depth alone") == [True, True]
    assert "If several moves are best" in report.notes[-1]
    rules = get_game(game)
    values = exact_values(rules.parse_position(fields.split()))
    assert values[rules.parse_move(rules.parse_position(fields.split()), str(report.rows[-1][3]))] == max(
        values.values()
    )


def test_quiescence_repairs_what_the_horizon_hides() -> None:
    report = horizon.measure(20, 1, 2)
    rows: list[Any] = [row[2:] for row in report.rows if row[0] == "capture"]
    for without, following, repaired, spoilt, error, less in rows:
        assert following < without / 2
        assert repaired - spoilt == round((without - following) * 20 / 100)
        assert less < error
    shown = re.search(
        r"in 'capture ([XO-]+)' depth (\d) gives (\S+) without quiescence and (\S+) with it", report.notes[-1]
    )
    assert shown
    for follow, value in ((False, shown[3]), (True, shown[4])):
        position = get_game(f"capture {shown[1]}").initial()
        assert search_once(position, int(shown[2]), Settings(quiescence=follow)).value == round(100 * float(value))


def test_nim_by_theory_is_nim_by_brute_force_for_all_piles_of_three_up_to_eight() -> None:
    report = impartial.measure_nim([f"{a},{b},{c}" for a in range(9) for b in range(a, 9) for c in range(max(b, 1), 9)])
    names = ("piles", "XOR", "Grundy", "by the tree", "brute force", "search", "winning moves")
    for piles, xor, *grundy, verdict, search, moves in zip(*(report.column(name) for name in names), strict=True):
        a, b, c = map(int, str(piles).split(","))
        assert grundy == [xor, xor] == [a ^ b ^ c] * 2
        assert verdict == search == ("win" if xor else "loss")
        assert bool(moves) == bool(xor)
    assert report.column("Grundy of each pile") == report.column("piles")


def test_nim_of_any_size_is_solved_by_its_xor() -> None:
    report = impartial.measure_nim(["100,3", "123456789,123456788,1", "1,2,3,4,5,6,7,8,9"])
    assert report.column("XOR") == [103, 0, 1]
    assert report.column("winning moves") == ["1-97", "", "1-1 3-1 5-1 7-1 9-1"]
    for wrong in ("1234567890", "3,,4"):
        with pytest.raises(click.UsageError, match="at most 9 digits"):
            impartial.measure_nim([wrong])


def test_nim_says_in_words_what_is_too_much() -> None:
    report = impartial.measure_nim(["30,30,5", "25,26,27,28,29,30"])
    assert report.column("by the tree") == [5, None]
    assert report.column("brute force") == ["win", "too many: 530,122,320"]
    assert report.column("search") == ["too many", "too many"]


def test_the_table_of_the_subtraction_game() -> None:
    report = impartial.measure_subtraction(15, "1,3,4")
    assert report.column("Grundy") == [0, 1, 0, 1, 2, 3, 2] * 2 + [0, 1]
    assert report.column("brute force") == ["win" if value else "loss" for value in numbers(report, "Grundy")]
    assert report.rows[6][-1] == "4"
    assert report.notes[1] == "The values repeat every 7 stones."
    assert report.notes[2] == "A heap is lost if and only if heap mod 7 is 0 or 2."


def test_star_pruning_keeps_the_value_and_saves_nodes() -> None:
    report = dice.measure("einstein", 3, 8, 1)
    assert report.column("value") == report.column("value by Star2")
    plain, first, second = (numbers(report, name) for name in ("nodes without pruning", "Star1", "Star2"))
    assert all(pruned <= whole for pruned, whole in zip(first, plain, strict=True))
    assert second[-1] < first[-1] < plain[-1]  # at one ply, Star2's probing may cost more than it saves
    assert dice.rolled("einstein", 8, 1).side_to_move in (0, 1)


def test_monte_carlo_converges_to_all_deals() -> None:
    report = deals.measure("whist", 3, 20, 1, (1, 10, 100, 100_000))
    errors = numbers(report, "mean error")
    assert len(errors) == 4
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 2 * errors[1] > 0
    assert errors[-1] == 0
    assert numbers(report, "deals")[-1] == 252  # the opponent holds 5 of the 10 unseen cards
    nodes = numbers(report, "nodes a sample")
    assert nodes == sorted(nodes)
    for mean, largest in zip(errors, numbers(report, "largest error"), strict=True):
        assert mean <= largest


@pytest.mark.parametrize("game", ["connect", "othello 4x4", "tictactoe"])
def test_monte_carlo_tree_search_converges_to_minimax(game: str) -> None:
    report = mcts.measure(game, 6, 4, 1, 70, (50, 500, 200_000))
    for way in ("mcts", "alpha-beta"):
        assert numbers(report, f"{way} right %")[-1] == numbers(report, f"{way} proven %")[-1] == 100
        assert numbers(report, f"{way} error")[-1] == 0
    assert numbers(report, "mcts right %")[0] < 100
    assert numbers(report, "mcts error")[0] > 0


@pytest.mark.parametrize("game", ["tictactoe", "othello 4x4"])
def test_the_truth_about_a_decision_is_minimax_s(game: str) -> None:
    for decision in mcts.decisions(game, 5, 3):
        values = {move: mcts.points(value) for move, value in exact_values(decision.position).items()}
        assert decision.value == max(values.values())
        assert decision.best == {move for move, value in values.items() if value == decision.value} < set(values)


def test_a_game_too_large_for_the_truth_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "EXACT_NODES", 1000)
    result = lab("mcts", "--game", "connect 7x6x4")
    assert result.exit_code == 2
    assert "--game: must be solvable within 1,000 nodes per move" in result.output


def test_the_walk_through_as_a_tree() -> None:
    lines = lab("trace").output.splitlines()
    assert lines[0] == "max to move (-inf, +inf)"
    assert [line for line in lines if "refutes" in line] == ["    1 refutes: 2 3 not tried, 2 leaves saved"]
    assert [line for line in lines if line.startswith(("  =", "  <"))] == ["  = 3", "  <= 1", "  = 7"]
    assert lines[-10:] == [
        "= 7",
        "",
        "move   value",
        "1          3  exact",
        "2        <=1  bound",
        "3          7  exact",
        "",
        "value 7",
        "10 positions below the root, 7 leaves visited",
        "1 cutoff: 2 moves not tried, 2 leaves saved",
    ]
    leaves = [line.partition("= ")[2] for line in lines if line.endswith("(over)")]
    assert leaves == [f"{leaf} (over)" for leaf in (3, 5, 6, 1, 9, 7, 8)]
    last = lab("trace", "--algorithm", "pvs").output.splitlines()[-1]
    assert last.endswith("2 leaves saved, counted in each search of a branch")


def test_the_log_of_prunings_is_a_line_for_each_cutoff() -> None:
    lines = lab("trace", "--show", "prunings").output.splitlines()
    assert lines[:2] == ["2: alpha 3, beta +inf: 1 returns 1; 2 3 not tried, 2 leaves", ""]
    line, *moves, totals = lab("trace", "--show", "prunings", "--json").output.splitlines()
    assert json.loads(line)["node"] == ["2"]
    assert [json.loads(move)["bound"] for move in moves] == ["exact", "upper", "exact"]
    assert {"value": 700, "leaves": 7, "saved": 2}.items() <= json.loads(totals).items()
    assert lab("trace", "--show", "moves", "--json").output.splitlines() == [*moves, totals]


def test_a_root_move_whose_winner_is_known_is_exact() -> None:
    lines = lab("trace", "--game", "tictactoe", "--position", "XX-O----- O", "--show", "moves").output.splitlines()
    assert lines[1:4] == [
        "b2         1  exact  win in 2",
        "c1         1  exact  win in 4",
        "a3         1  exact  win in 4 or sooner",
    ]


def test_the_printed_tree_turns_every_value_to_the_first_player() -> None:
    lines = lab("trace", "--position", "[[3,5],[2,9]] min", "--algorithm", "minimax").output.splitlines()
    assert [line for line in lines if line.startswith(("= ", "  =", "  1 is"))] == [
        "  = 5",
        "  1 is best so far: (-inf, 5)",
        "  = 9",
        "= 5",
    ]


def test_the_trace_as_lines_is_what_the_protocol_describes() -> None:
    lines = lab("trace", "--game", "tictactoe", "--depth", "2", "--json").output.splitlines()
    events = [json.loads(line) for line in lines]
    assert {event["event"] for event in events} == {"enter", "bounds", "cutoff", "value"}
    assert events[0] == {"event": "enter", "ply": 0, "move": None, "side": "X", "depth": 2, "alpha": None, "beta": None}
    assert events[-1]["event"] == "value"


def test_a_report_as_text() -> None:
    report = Report(
        "example",
        "A title",
        (Column("name"), Column("count", ",d"), Column("share", ".1f"), Column("right")),
        [("one", 1234567, 0.25, True), ("three", 8, None, False)],
        (),
        ("A note.", f"{'Long ' * 30}ones are wrapped."),
        {"seed": 3},
    )
    assert plain_text(report).splitlines() == [
        "A title",
        "",
        "name       count  share  right",
        "one    1,234,567    0.2    yes",
        "three          8            no",
        "",
        "A note.",
        ("Long " * 20).rstrip(),
        f"{'Long ' * 10}ones are wrapped.",
    ]
    document = json.loads(to_json(report))
    assert document["rows"][1] == {"name": "three", "count": 8, "share": None, "right": False}
    assert document["parameters"] == {"seed": 3}


def test_a_narrow_terminal_breaks_no_word_of_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((40, 24)))
    names = ("moves of the first player", "moves of the second", "share of both")
    report = Report("example", "Title " * 10, tuple(map(Column, names)), [(1, 2, 3)], (), ("Note " * 20,))
    assert max(map(len, plain_text(report).splitlines())) <= 40
