"""The lessons: each command prints the numbers that its lesson expects, and each link shows its tree."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from math import inf
from typing import Any
from urllib.parse import parse_qsl

import pytest
from click.testing import CliRunner

from quietmove.addons.lab.classify import classify
from quietmove.addons.lab.command import lab
from quietmove.addons.lab.lessons import COURSE, GUIDE, LECTURES, read_lessons
from quietmove.addons.lab.trees_page import TreeRequest, tree_of
from quietmove.addons.lab.winner import winner
from quietmove.engine.games.registry import get_game

LESSONS = [lesson for guide in (GUIDE, COURSE) for lesson in read_lessons(guide.read_text(encoding="utf-8"))]
ITEMS = sorted({(item["target"], item["expect"]) for lesson in LESSONS for item in lesson["items"]})
COMMANDS = {"lab": lab, "classify": classify, "winner": winner}
Tree = list[Any]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        pytest.param(*item, marks=pytest.mark.soak) if "549,945" in item[1] else item  # two seconds to print all nodes
        for item in ITEMS
        if item[0].startswith("quietmove ")
    ],
)
def test_a_command_prints_the_numbers_of_its_lesson(target: str, words: str) -> None:
    _, name, *arguments = shlex.split(target)
    done = CliRunner().invoke(COMMANDS[name], arguments)
    assert done.exit_code == 0, done.output
    expected = re.findall(r"\*\*(.+?)\*\*", words)
    missing = [each for each in expected if not re.search(rf"(?<![\d.,]){re.escape(each)}(?![\d])", done.output)]
    assert (missing, bool(expected)) == ([], True)


@pytest.mark.parametrize("address", [target for target, _ in ITEMS if target.startswith("/tree#game")])
def test_a_page_shows_the_tree_of_its_lesson(address: str) -> None:
    path, _, fragment = address.partition("#")
    request: dict[str, Any] = dict(parse_qsl(fragment))
    if "depth" in request:
        request["depth"] = int(request["depth"])
    answer = tree_of(TreeRequest.read(json.dumps(request)))
    assert (path, answer["shown"] in ("whole", "simulations")) == ("/tree", True)


def test_a_lesson_names_its_lecture() -> None:
    titles = [lecture["title"] for lecture in read_lessons(LECTURES.read_text(encoding="utf-8"))]
    named = {target.partition("#lecture=")[2] for target, _ in ITEMS if target.startswith("/tree#lecture")}
    assert named == set(titles)


def test_the_course_has_fifteen_tasks_with_each_task_of_a_class() -> None:
    tasks = pytest.importorskip("quietmove.addons.hall.tasks").TASKS
    course = read_lessons(COURSE.read_text(encoding="utf-8"))
    assert [lesson["title"].split(".")[0] for lesson in course] == [str(number) for number in range(1, 16)]
    asked = [
        tomllib.loads(item["target"])["tasks"]
        for lesson in course
        for item in lesson["items"]
        if item["target"].startswith("tasks")
    ]
    assert {name for names in asked for name in names} == set(tasks)


def leaves_visited(node: Tree | int, most: float = inf, least: float = -inf, *, deep: bool, is_max: bool = True) -> Any:
    """Return the value of a tree and the number of leaves that alpha-beta visits.

    :param least, most: alpha and beta.
    :param deep: whether bounds are handed down; otherwise they come from one ply above.
    """
    if isinstance(node, int):
        return node, 1
    best, visited = (-inf if is_max else inf), 0
    for child in node:
        alpha, beta = (max(least, best), most) if is_max else (least, min(most, best))
        if not deep:
            alpha, beta = (best, inf) if is_max else (-inf, best)
        value, count = leaves_visited(child, beta, alpha, deep=deep, is_max=not is_max)
        visited += count
        best = max(best, value) if is_max else min(best, value)
        if best >= most if is_max else best <= least:
            break
    return best, visited


@pytest.mark.parametrize(("size", "deep", "visited"), [("2x8", True, 242), ("2x8", False, 256), ("6x3", True, 216)])
def test_the_worst_order_leaves_deep_cutoffs_alone(size: str, deep: bool, visited: int) -> None:
    position: Any = get_game(f"tree {size} 1 worst").initial()
    assert leaves_visited(position.tree.nested(), deep=deep)[1] == visited
