"""Programs that are alike by text or by play, among many that are not."""

from __future__ import annotations

import random
import re
import signal
import sys
import time
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner

from quietmove.addons.hall.alike import (
    LEAST_TEXT,
    Agreement,
    Likeness,
    SlowError,
    alike,
    fingerprints,
    matches,
    matches_apart,
    play_agreements,
    read_source,
    text_likeness,
)
from quietmove.addons.hall.asking import POSITIONS, answers_of
from quietmove.addons.hall.class_commands import group
from quietmove.addons.hall.entries import Entries
from quietmove.addons.hall.player import TEMPLATE
from quietmove.addons.web.database import open_hall
from quietmove.engine.games.registry import get_game
from quietmove.referee.config.model import OWN_ENGINE, EngineConfig
from tests.addons.hall.class_programs import GOOD
from tests.addons.hall.classes import add_passed, make_class

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


@pytest.mark.parametrize("people", [20, pytest.param(60, marks=pytest.mark.soak)])
def test_three_copies_are_found_and_no_other_pair(tmp_path: Path, people: int) -> None:
    first, second, third = (f"p{people - each}.1" for each in (3, 2, 1))
    sources = {f"p{number:02}.1": program(number) for number in range(people - 3)}
    for name, copied in ((first, 3), (second, 3), (third, 10)):
        sources[name] = renamed(program(copied))
    found = alike(prints_of(tmp_path, sources), fingerprints([TEMPLATE]), {})
    pairs = {("p03.1", first), ("p03.1", second), (first, second), ("p10.1", third)}
    assert {(each.first, each.second) for each in found} == pairs
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
        theirs[pair] = max(shares)  # shares of covered tokens, which exceed those of fingerprints
    copies = {("a", "b"), ("a", "d"), ("b", "d")}
    for found in (ours, theirs):
        assert set(sorted(found, key=found.__getitem__)[-3:]) == copies
        assert min(found[pair] for pair in copies) >= 0.95
    assert max(ours[pair] for pair in ours if pair not in copies) < LEAST_TEXT


def test_slow_files_share_the_time_of_their_version(tmp_path: Path) -> None:
    """Else 200 of them, which fit into one zip, would take a quarter of an hour."""

    def end(*_: object) -> None:
        raise SlowError

    paths = [tmp_path / f"A{number}.java" for number in range(20)]
    for path in paths:
        path.write_text("a " * 10_000)
    before = signal.signal(signal.SIGPROF, end)
    began = time.process_time()
    try:
        fingerprints(paths, 0.2)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert time.process_time() - began < 2


def test_characters_that_change_the_direction_are_seen(tmp_path: Path) -> None:
    (tmp_path / "player.py").write_text("a = 1  # \u202e }\u2066 if\r\nb = 'é\0'\n")
    assert read_source(tmp_path / "player.py") == "a = 1  # \\u202e }\\u2066 if\nb = 'é\0'\n"


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


def answers(seed: int, positions: int, agreeing: float) -> dict[str, str]:
    """Moves by position; a share of them is the same for everyone."""
    lots = random.Random(f"answers {seed}")
    return {str(each): "d3" if lots.random() < agreeing else str(lots.random()) for each in range(positions)}


def listed(given: dict[str, dict[str, str]]) -> set[tuple[str, str]]:
    return {(each.first, each.second) for each in alike(dict.fromkeys(given, NOTHING), NOTHING, play_agreements(given))}


@pytest.mark.parametrize("people", [5, 20])
def test_equal_play_stands_out_of_what_all_pairs_have_in_common(people: int) -> None:
    given = {f"p{number:02}.1": answers(number, 200, 0.6) for number in range(people)}
    assert listed(given) == set()
    given["copy.1"] = given["p03.1"]
    assert listed(given) == {("p03.1", "copy.1")}
    assert play_agreements(given)["p03.1", "copy.1"] == Agreement(1.0, 200)
    almost = {position: "a1" if int(position) % 10 == 0 else move for position, move in given["p03.1"].items()}
    assert listed({**given, "copy.1": almost}) == {("p03.1", "copy.1")}


def test_a_copy_stands_out_where_others_part_early_and_share_few_positions() -> None:
    given = {
        f"p{number:02}.1": {
            **answers(number, 12, 0.6),
            **{f"own {number} {each}": "a1" for each in range(188)},
        }
        for number in range(20)
    }
    assert listed(given) == set()
    given["copy.1"] = given["p03.1"]
    assert listed(given) == {("p03.1", "copy.1")}


def test_players_that_agree_by_nature_are_not_listed() -> None:
    given = {f"p{number:02}.1": answers(number, 200, 0.6) for number in range(14)}
    given |= {f"greedy{number}.1": answers(100 + number, 200, 0.93) for number in range(6)}
    assert min(play_agreements(given)[pair].share for pair in combinations(list(given)[14:], 2)) > 0.8
    assert listed(given) == set()


def test_two_players_or_few_positions_say_nothing() -> None:
    assert listed({"a": answers(1, 200, 1.0), "b": answers(2, 200, 1.0)}) == set()
    assert play_agreements({"a": answers(1, 7, 1.0), "b": answers(2, 7, 1.0)}) == {}


def program_in(folder: Path, text: str) -> EngineConfig:
    folder.mkdir()
    (folder / "player.py").write_text(text)
    return EngineConfig("a program", (sys.executable, "player.py", "{seed}"), "project", cwd=str(folder))


def test_a_program_that_plays_whole_games_is_asked_on_its_way(tmp_path: Path) -> None:
    one, other, random_one = (
        answers_of(program_in(tmp_path / str(number), text), None)
        for number, text in enumerate((GOOD["greedy"], f"{GOOD['greedy']}# a copy", GOOD["random"]))
    )
    assert len(one) == POSITIONS
    assert one == other
    assert play_agreements({"one": one, "random": random_one})["one", "random"].share < 0.8
    game = get_game("othello")
    for position, move in one.items():
        legal = game.parse_position(position.split()).legal_moves()
        assert len(legal) >= 3
        assert game.parse_move(game.parse_position(position.split()), move) in legal


def test_an_engine_that_takes_positions_is_asked_about_the_same_as_all() -> None:
    strong, weak = (
        answers_of(EngineConfig("own", (OWN_ENGINE,), options=(("Level", level),)), None) for level in ("3", "1")
    )
    assert strong.keys() == weak.keys()
    assert len(strong) == POSITIONS
    assert all(8 <= position.count("-") <= 50 for position in strong)


def test_a_program_at_fault_or_slow_is_asked_no_further(tmp_path: Path) -> None:
    choice = "    return max"
    assert choice in GOOD["greedy"]
    silent = GOOD["greedy"].replace(choice, f"    import time; time.sleep(60)\n{choice}")
    crashing = GOOD["greedy"].replace("return max", "if len(board) > 30: raise SystemExit\n    return max")
    began = time.monotonic()
    assert answers_of(program_in(tmp_path / "silent", silent), None) == {}
    assert time.monotonic() - began < 30
    assert 0 < len(answers_of(program_in(tmp_path / "crashing", crashing), None)) < POSITIONS


@pytest.mark.soak
def test_a_file_that_takes_hours_to_read_holds_nobody_up(tmp_path: Path) -> None:
    folder, text = tmp_path / "course", program(1)
    make_class(folder, ["Ada", "Bob"])
    numbers = [add_passed(folder, name, text) for name in ("Ada", "Bob")]
    (folder / "entries" / str(numbers[0]) / "source" / "A.java").write_text("a " * 30_000)
    with closing(open_hall(folder)) as database:
        entries = Entries(database, folder).all()
        ((found,), _) = Likeness(folder, [TEMPLATE]).pairs(entries, {})
    assert (found.first, found.second, found.text) == ("Ada.1", "Bob.1", 1.0)


def test_the_matching_parts_of_two_versions_have_the_same_numbers(tmp_path: Path) -> None:
    """The second program is a copy with other names, and its functions have another order."""
    own = program(1)
    head, *functions = renamed(own).split("def part")
    copy = "def part".join([head, *functions[3:], *functions[:3]])
    (one := tmp_path / "one.py").write_text(own)
    (other := tmp_path / "other.py").write_text(copy)
    ((first,), (second,)) = matches([one], [other], [TEMPLATE])
    assert ("".join(text for text, _ in first), "".join(text for text, _ in second)) == (own, copy)
    marked = [[(number, text) for text, number in parts if number is not None] for parts in (first, second)]
    functions_of_own = own.removeprefix(TEMPLATE.read_text())
    assert all(text in functions_of_own for _, text in marked[0])
    assert sum(len(text) for _, text in marked[0]) > 0.9 * len(functions_of_own)
    assert {number for number, _ in marked[0]} == {number for number, _ in marked[1]}


@pytest.mark.parametrize("huge", [b"a", pytest.param(b"a " * 2_000_000, marks=pytest.mark.soak)], ids=["", "huge"])
def test_hostile_files_are_shown_as_they_are(tmp_path: Path, huge: bytes) -> None:
    """Long lines, bytes that are not UTF-8, markup, and a file that pygments reads for hours."""
    files = {
        "long.py": b"x = [" + b"1, " * 8_000 + b"]",
        "bytes.py": b"\xff\xfe\x00 = '\x80'\r\nprint(1)\r\n",
        "markup.py": b"'</pre><script>alert(1)</script>'\n" * 30,
        "Huge.java": huge,
        "notes.bin": bytes(range(256)),
    }
    paths = []
    for name, data in files.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(data)
    began = time.monotonic()
    first, second = matches_apart(paths, paths, [TEMPLATE])
    assert time.monotonic() - began < 120
    assert [["".join(text for text, _ in parts) for parts in side] for side in (first, second)] == [
        [path.read_text("utf-8", "replace")[:200_000] for path in paths]
    ] * 2
    assert any(number is not None for _, number in first[2])


def test_programs_of_an_earlier_class_are_compared_without_the_starters(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    make_class(new, ["Ada", "Bob"])
    make_class(old, ["Ada", "Zoe"])
    add_passed(new, "Ada", program(1))
    add_passed(new, "Bob", TEMPLATE.read_text())
    add_passed(old, "Ada", TEMPLATE.read_text())
    add_passed(old, "Zoe", program(2))
    add_passed(old, "Zoe", renamed(program(1)))
    done = CliRunner().invoke(group, ["compare", str(new), str(old)], catch_exceptions=False)
    assert done.output == f"Ada v1, and Zoe v2 in {old}: 100% of the text\n"
