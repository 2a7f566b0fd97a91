"""Tasks: a program answers questions about positions, one per line, and the server checks its answers.

The questions are random, so programs cannot know them in advance. Othello programs get no tasks: they play games.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache, reduce
from operator import xor
from typing import Any, NamedTuple

from quietmove.addons.hall.confined import Ended
from quietmove.addons.shared.textbook import TextbookSearch
from quietmove.engine.common.addons import load
from quietmove.engine.common.text import printable
from quietmove.engine.games.in_a_row.game import InARow
from quietmove.engine.games.in_a_row.position import InARowPosition
from quietmove.engine.games.registry import get_game

QUESTIONS = 10  # questions per task
TOLERANCE = 0.006  # maximum error of a number, which may be rounded to two decimals
FASTEST = 100  # value of an immediate win; each ply before the win costs 1
MOST_ANSWERS = 20_000  # size limit of a program's answers to a task, bytes
MOST_SHOWN = 200  # maximum length of a line in a report, in characters
TREE_LEAVES = 9  # maximum absolute value of a random tree's leaves
INFINITE = 10**9

Tree = Any  # an integer, or a list of trees
Asked = tuple[str, str]  # a question without the task's name, and its answer


class Task(NamedTuple):
    """A kind of question.

    :ivar help: a description of the question and the answer.
    :ivar ask: returns a question; the second argument is the question's number, from 0.
    """

    help: str
    ask: Callable[[random.Random, int], Asked]


def questions(name: str, seed: int) -> list[Asked]:
    """Return the questions of a task with their answers; the same seed gives the same questions."""
    chance = random.Random(f"{name} {seed}")
    found = (TASKS[name].ask(chance, number) for number in range(QUESTIONS))
    return [(f"{name} {question}", answer) for question, answer in found]


@cache
def example(name: str) -> Asked:
    """Return a sample question of a task, and its answer."""
    return questions(name, 1)[1]


def judged(name: str, asked: list[Asked], done: Ended, seconds: float) -> dict[str, Any]:
    """Judge a program's answers to a task, and return the verdict in the format of a check's outcome."""
    lines = [printable(line.strip(), MOST_SHOWN) for line in done.output.decode("utf-8", "replace").splitlines()]
    answers = [*lines, *[""] * len(asked)]
    wrong = [place for place, (_, right) in enumerate(asked) if not _agree(answers[place], right)]
    text = f"{len(asked) - len(wrong)} of {len(asked)} answers are right"
    end = f"it wrote {len(lines):,} lines" if len(lines) > len(asked) else "" if done.is_good else f"it {done.how}"
    evidence = None
    if wrong:
        question, right = asked[wrong[0]]
        given = repr(answers[wrong[0]]) if wrong[0] < len(lines) else f"nothing: the program {done.how}"
        text += f"; {question}: must be {right}, not {given}"
        talk = [(f"0 > {question}", f"0 < {answer}") for (question, _), answer in zip(asked, lines, strict=False)]
        errors = done.error.decode("utf-8", "replace").splitlines()[-20:]
        evidence = {
            "moves": [],
            "legal": [],
            "dialogue": [line for both in talk for line in both],
            "stderr": [printable(line, MOST_SHOWN) for line in errors],
        }
    elif end:
        text += f", but {end}"
    return outcome(name, "FAIL" if wrong or end else "ok", text, seconds, evidence)


def outcome(
    name: str, status: str, text: str, seconds: float, evidence: dict[str, list[str]] | None = None
) -> dict[str, Any]:
    """Return a verdict in the format of a check's outcome."""
    found = {"name": name, "status": status, "text": printable(text, 400), "seconds": seconds, "evidence": evidence}
    return {**found, "applies": True, "required": False}


def _agree(given: str, right: str) -> bool:
    with suppress(ValueError):
        return abs(float(given) - float(right)) < TOLERANCE
    return given == right


# ---- games


def _reached(name: str, chance: random.Random, moves: int) -> tuple[InARow, InARowPosition]:
    """Return a game and its position after ``moves`` random moves, or fewer if every next move would end the game."""
    game = get_game(name)
    assert isinstance(game, InARow)
    position = game.initial()
    for _ in range(moves):
        choices = sorted(position.legal_moves())
        chance.shuffle(choices)
        for move in choices:
            position.play(move)
            if not position.is_over():
                break
            position.undo()
        else:
            break
    return game, position


class Solved(NamedTuple):
    """A position's value for X by minimax, where a quicker win has a higher value, and the size of its tree.

    :ivar nodes: the number of positions, including itself; ``leaves`` is the number of finished games among them.
    """

    value: int
    nodes: int
    leaves: int


def _solve(game: InARow, position: InARowPosition, known: dict[str, Solved]) -> Solved:
    """Solve a position.

    :param known: the results so far, by position.
    """
    key = game.format_position(position)
    if key not in known:
        if position.is_over():
            return Solved(_sign(position.result()) * FASTEST, 1, 1)
        values, nodes, leaves = zip(*_solve_moves(game, position, known).values(), strict=True)
        known[key] = Solved((min if position.side_to_move else max)(values), 1 + sum(nodes), sum(leaves))
    return known[key]


def _solve_moves(game: InARow, position: InARowPosition, known: dict[str, Solved]) -> dict[int, Solved]:
    """Solve the position after each move, by ascending move. Each ply before a win costs 1."""
    found = {}
    for move in sorted(position.legal_moves()):
        position.play(move)
        below = _solve(game, position, known)
        position.undo()
        found[move] = below._replace(value=below.value - _sign(below.value))
    return found


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _winner(game: InARow, position: InARowPosition, chance: random.Random) -> Asked:
    if moves := sorted(position.legal_moves()):  # unlike the earlier moves, the last one may end the game
        position.play(chance.choice(moves))
    cells = game.format_position(position).split()[0]
    return cells, str(game.winner(cells))


def _value(game: InARow, position: InARowPosition, chance: random.Random) -> Asked:
    return game.format_position(position), str(_sign(_solve(game, position, {}).value))


def _nodes(game: InARow, position: InARowPosition, chance: random.Random) -> Asked:
    return game.format_position(position), str(_solve(game, position, {}).nodes)


def _leaves(game: InARow, position: InARowPosition, chance: random.Random) -> Asked:
    return game.format_position(position), str(_solve(game, position, {}).leaves)


def _pruned_nodes(game: InARow, position: InARowPosition, chance: random.Random) -> Asked:
    search = TextbookSearch(position)
    search.run(position.moves_left())
    return game.format_position(position), str(search.nodes + 1)


def _best(game: InARow, position: InARowPosition, chance: random.Random) -> Asked:
    values = _solve_moves(game, position, {})
    choose = min if position.side_to_move else max
    return game.format_position(position), str(choose(values, key=lambda move: values[move].value))


def _after(
    name: str, least: int, most: int, ask: Callable[[InARow, InARowPosition, random.Random], Asked]
) -> Callable[[random.Random, int], Asked]:
    """Return a function that asks about positions after ``least`` to ``most`` moves.

    If ``least`` is 0, its first question is about the initial position.
    """

    def asked(chance: random.Random, number: int) -> Asked:
        moves = chance.randint(max(least, 2), most) if number or least else 0
        return ask(*_reached(name, chance, moves), chance)

    return asked


# ---- trees


def _tree(chance: random.Random, depth: int, *, is_root: bool = True) -> Tree:
    if depth == 0 or (not is_root and chance.random() < 0.1):
        return chance.randint(-TREE_LEAVES, TREE_LEAVES)
    return [_tree(chance, depth - 1, is_root=False) for _ in range(chance.randint(2, 4))]


def alpha_beta(tree: Tree, low: int = -INFINITE, high: int = INFINITE, *, is_max: bool = True) -> tuple[int, int]:
    """Return a tree's value, and the number of leaves that alpha-beta visits from left to right."""
    if not isinstance(tree, list):
        return int(tree), 1
    best, count = (low, 0) if is_max else (high, 0)
    for each in tree:
        value, visited = alpha_beta(each, *((best, high) if is_max else (low, best)), is_max=not is_max)
        count += visited
        best = (max if is_max else min)(best, value)
        if best >= high if is_max else best <= low:
            break
    return best, count


def _expected(tree: Tree, ply: int = 0) -> float:
    """Return the value of a tree in which Max, a die, Min and a die take turns; a die's branches are equally likely."""
    if not isinstance(tree, list):
        return float(tree)
    values = [_expected(each, ply + 1) for each in tree]
    return sum(values) / len(values) if ply % 2 else (min if ply % 4 else max)(values)


def _spelled(tree: Tree) -> str:
    return str(tree).replace(" ", "")


def _ask_tree(place: int) -> Callable[[random.Random, int], Asked]:
    def ask(chance: random.Random, number: int) -> Asked:
        tree = _tree(chance, chance.randint(2, 4)) if number else [[3, 5, 6], [1, 2, 0], [9, 7, 8]]
        return _spelled(tree), str(alpha_beta(tree)[place])

    return ask


def _ask_uniform(place: int) -> Callable[[random.Random, int], Asked]:
    def ask(chance: random.Random, number: int) -> Asked:
        width, depth, seed = chance.randint(2, 4), chance.randint(2, 6), chance.randint(1, 1000)
        uniform_tree = load("quietmove.addons.games.tree.nodes:uniform_tree")
        return f"{width}x{depth} {seed}", str(alpha_beta(uniform_tree(width, depth, seed).nested())[place])

    return ask


def _ask_chance(chance: random.Random, number: int) -> Asked:
    tree = _tree(chance, chance.randint(2, 4))
    return _spelled(tree), f"{_expected(tree):.2f}"


# ---- sums of games


def _ask_nim(answer: Callable[[list[int]], object]) -> Callable[[random.Random, int], Asked]:
    def ask(chance: random.Random, number: int) -> Asked:
        piles = [chance.randint(0, 30) for _ in range(chance.randint(2, 5))]
        if number % 3 == 0:  # a lost position, which is rare by chance
            piles.append(reduce(xor, piles))
        return ",".join(map(str, piles)), str(answer(piles))

    return ask


def _winning_move(piles: list[int]) -> str:
    """Return the winning move in the lowest pile that has one."""
    total = reduce(xor, piles)
    moves = (f"{place}-{pile - (pile ^ total)}" for place, pile in enumerate(piles, 1) if pile ^ total < pile)
    return next(moves, "none")


def _ask_subtraction(chance: random.Random, number: int) -> Asked:
    taken = tuple(sorted(chance.sample(range(1, 8), chance.randint(2, 4))))
    heap = chance.randint(1, 60)
    return f"{heap} {','.join(map(str, taken))}", str(_grundy(heap, taken))


@cache
def _grundy(heap: int, taken: tuple[int, ...]) -> int:
    reached = {_grundy(heap - each, taken) for each in taken if each <= heap}
    return next(number for number in range(len(taken) + 1) if number not in reached)


TASKS = {
    "winner": Task(
        "cells of tic-tac-toe; 1 if X has a line, -1 if O has one, else 0", _after("tictactoe", 3, 8, _winner)
    ),
    "value": Task("a position of tic-tac-toe; its value for X: 1, 0 or -1", _after("tictactoe", 2, 9, _value)),
    "best": Task("a position of tic-tac-toe; the best cell, from 0", _after("tictactoe", 2, 7, _best)),
    "nodes": Task(
        "a position of tic-tac-toe; the number of positions in its tree, with the root",
        _after("tictactoe", 0, 6, _nodes),
    ),
    "leaves": Task("as for nodes; the number of finished games in the tree", _after("tictactoe", 0, 6, _leaves)),
    "pruned-nodes": Task(
        "as for nodes; the number of positions that alpha-beta visits, with the root",
        _after("tictactoe", 0, 6, _pruned_nodes),
    ),
    "connect-winner": Task("cells of the 4x4 connect game; as for winner", _after("connect", 3, 14, _winner)),
    "connect-value": Task("a position of the 4x4 connect game; as for value", _after("connect", 7, 14, _value)),
    "connect-best": Task(
        "a position of the 4x4 connect game; the best column, from 0", _after("connect", 7, 13, _best)
    ),
    "connect-nodes": Task("a position of the 4x4 connect game; as for nodes", _after("connect", 8, 14, _nodes)),
    "connect-leaves": Task("a position of the 4x4 connect game; as for leaves", _after("connect", 8, 14, _leaves)),
    "tree-value": Task("a tree as nested lists, Max to move; its value", _ask_tree(0)),
    "tree-leaves": Task("a tree; the number of leaves that alpha-beta visits from left to right", _ask_tree(1)),
    "uniform-value": Task("width, depth and seed of a uniform tree; its value in hundredths", _ask_uniform(0)),
    "uniform-leaves": Task("a uniform tree; the number of leaves that alpha-beta visits", _ask_uniform(1)),
    "chance-value": Task("a tree in which Max, a die, Min and a die take turns; its value, two decimals", _ask_chance),
    "nim": Task("the piles of Nim; their XOR", _ask_nim(lambda piles: reduce(xor, piles))),
    "nim-win": Task(
        "the piles of Nim; True if the side to move wins, else False", _ask_nim(lambda piles: reduce(xor, piles) != 0)
    ),
    "nim-best": Task(
        "the piles of Nim; the winning move PILE-STONES in the first pile that has one, else none",
        _ask_nim(_winning_move),
    ),
    "subtraction": Task("a heap and the stones that a move may take; its Grundy value", _ask_subtraction),
}
