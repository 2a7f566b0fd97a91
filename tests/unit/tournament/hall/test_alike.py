"""Programs that are alike by text or by play, among many that are not."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from quietmove.tournament.games import GameId, Result
from quietmove.tournament.hall.alike import LEAST_TEXT, alike, fingerprints, play_agreements, text_likeness
from quietmove.tournament.hall.player import TEMPLATE

NOTHING: frozenset[int] = frozenset()
STATEMENTS = (
    "total += weight[x] * count(board, x)",
    "if x in corners and not free(board, x): total -= 40",
    "for y in range(8): total = max(total, line(board, y))",
    "while stack: total += stack.pop() % 7",
    "best = [move for move in moves if move[0] > x]",
    "try: total = table[key(board)]\n    except KeyError: total = 0",
    "total ^= mask << (x & 7)",
    "assert total < 10_000, (x, total)",
    "moves.sort(key=lambda move: -score(board, move))",
    "return total if depth == 0 else -search(board, depth - 1)",
)


def program(seed: int) -> str:
    """A program on the course's template with functions of its own."""
    lots = random.Random(seed)
    functions = []
    for number in range(6):
        lines = "\n    ".join(lots.choices(STATEMENTS, k=9))
        functions.append(f"def part{number}(board, moves, depth, x, total=0):\n    {lines}\n    return total\n")
    return TEMPLATE.read_text() + "\n\n".join(functions)


def renamed(text: str) -> str:
    """A copy with other names and comments, and other strings."""
    text = re.sub(r"\b(board|moves|total|depth|x)\b", lambda found: f"my_{found[0]}_2", text)
    return "# written by me alone\n" + text.replace("    return total", "    # the end\n    return total")


def prints_of(tmp_path: Path, sources: dict[str, str]) -> dict[str, frozenset[int]]:
    found = {}
    for name, text in sources.items():
        path = tmp_path / name / "player.py"
        path.parent.mkdir()
        path.write_text(text)
        found[name] = fingerprints([path])
    return found


def test_three_copies_are_found_among_sixty_and_no_other_pair(tmp_path: Path) -> None:
    sources = {f"p{number:02}.1": program(number) for number in range(57)}
    for number, copied in ((57, 3), (58, 3), (59, 20)):
        sources[f"p{number}.1"] = renamed(program(copied))
    found = alike(prints_of(tmp_path, sources), fingerprints([TEMPLATE]), {})
    assert {(each.first, each.second) for each in found} == {
        ("p03.1", "p57.1"),
        ("p03.1", "p58.1"),
        ("p57.1", "p58.1"),
        ("p20.1", "p59.1"),
    }
    assert all(each.text >= 0.95 for each in found)


def test_the_template_alone_makes_nobody_alike(tmp_path: Path) -> None:
    text = TEMPLATE.read_text()
    prints = prints_of(tmp_path, {"a.1": text, "b.1": text.replace("random.choice(moves)", "max(moves)")})
    assert text_likeness(prints["a.1"], prints["b.1"]) > 0.9
    assert alike(prints, fingerprints([TEMPLATE]), {}) == []


def test_likeness_is_that_of_copydetect(tmp_path: Path) -> None:
    copydetect = pytest.importorskip("copydetect")
    first, second = (program(seed).removeprefix(TEMPLATE.read_text()) for seed in (1, 2))
    sources = {"a": first, "b": renamed(first), "c": second, "d": first + second[: len(second) // 4]}
    prints = prints_of(tmp_path, sources)
    files = {name: copydetect.CodeFingerprint(str(tmp_path / name / "player.py"), 20, 8) for name in sources}
    ours, theirs = {}, {}
    for pair in combinations(sources, 2):
        ours[pair] = text_likeness(prints[pair[0]], prints[pair[1]])
        _, shares, _ = copydetect.compare_files(files[pair[0]], files[pair[1]])
        theirs[pair] = max(shares)  # of tokens that are covered, which is more than of fingerprints
    copies = {("a", "b"), ("a", "d"), ("b", "d")}
    for found in (ours, theirs):
        assert set(sorted(found, key=found.__getitem__)[-3:]) == copies
        assert min(found[pair] for pair in copies) >= 0.95
    assert max(ours[pair] for pair in ours if pair not in copies) < LEAST_TEXT


def test_other_languages_are_compared_within_themselves(tmp_path: Path) -> None:
    steps = ("x += i * x;", "if (x > i) x -= i;", "while (x % 7) x++;", "do { x ^= i << 2; } while (i--);")
    lots = random.Random(4)
    bodies = (
        f"int f{number}(int x, int i) {{ {' '.join(lots.choices(steps, k=6))} return x; }}\n" for number in range(9)
    )
    body = "".join(bodies)
    files = {
        "a.c": body,
        "b.c": f"/* mine */\n{body.replace('x', 'value')}",
        "c.java": "class C { int a; }",
        "d.bin": "d",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    prints = {name: fingerprints([tmp_path / name]) for name in files}
    assert text_likeness(prints["a.c"], prints["b.c"]) == 1.0
    assert prints["d.bin"] == NOTHING
    assert text_likeness(prints["a.c"], prints["c.java"]) == 0.0


def games(name: str, seed: int) -> list[Result]:
    """Twelve games against an anchor; who has the same seed makes the same moves."""
    found = []
    for number in range(12):
        moves = [str(random.Random(f"{seed}/{number}/{ply}").randrange(6)) for ply in range(30)]
        pair = ("random", name)
        color = "black" if number % 2 else "white"
        result = Result(GameId(number, pair, "black"), 0, 1.0, 2, "finished", None, "", ",".join(moves))
        found.append(replace(result, id=GameId(number, pair, color)))  # type: ignore[arg-type]
    return found


def test_equal_play_stands_out_of_what_all_pairs_have_in_common() -> None:
    names = [f"p{number:02}.1" for number in range(20)]
    results = [
        game for number, name in enumerate(names) for game in games(name, min(number, 18))
    ]  # the last two are one
    results = [replace(result, number=number) for number, result in enumerate(results, 1)]
    shares = play_agreements(names, ["random"], results)
    assert shares["p18.1", "p19.1"] == 1.0
    (found,) = alike(dict.fromkeys(names, NOTHING), NOTHING, shares)
    assert (found.first, found.second) == ("p18.1", "p19.1")
    assert found.play is not None
    assert found.play[1] > 4
