"""Books of Edax and Egaroucid: files that are written here from the formats' descriptions, and what becomes of them."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from quietmove.addons.library.book import edax
from quietmove.addons.library.book.convert import convert, convert_book
from quietmove.addons.library.book.foreign import Collection, Losses
from quietmove.engine.errors import BookError
from quietmove.engine.games.base import Game
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.book import SHIPPED, SMALL, OthelloBook
from quietmove.engine.games.othello.notation import parse_square
from quietmove.engine.games.othello.symmetry import Board, board_of, canonical_board, images

Pair = tuple[int, int]  # a move in Edax's format: value and square
NO_LEAF = (-127, 65)
BEFORE_PASS = "d3 c3 b3 b2 f5 a3 a1"  # Black must pass after c1


def board_after(othello: Game, moves: str) -> Board:
    """Return the discs of the side to move and of the other side."""
    position = othello.initial()
    for move in moves.split():
        position.play(othello.parse_move(position, move))
    assert isinstance(position, OthelloPosition)
    both = position.black, position.white
    return (both[1], both[0]) if position.side_to_move else both


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little", signed=value < 0)


def edax_position(
    board: Board, value: int, links: Sequence[Pair], leaf: Pair, level: int = 21, bounds: Pair = (-64, 64)
) -> bytes:
    head = number(board[0], 8) + number(board[1], 8) + bytes(16)
    scores = b"".join(number(each, 2) for each in (value, *bounds))
    pairs = b"".join(number(score, 1) + number(move, 1) for score, move in (*links, leaf))
    return head + scores + number(len(links), 1) + number(level, 1) + pairs


def edax_file(*positions: bytes) -> bytes:
    date = number(2026, 2) + bytes([11, 26, 12, 30, 59, 0])
    options = b"".join(number(each, 4) for each in (21, 24, 2, 1, 0, len(positions)))
    return b"XADEKOOB" + bytes([4, 4]) + date + options + b"".join(positions)


def egaroucid_position(
    board: Board, value: int, level: int = 21, leaf: tuple[int, int, int] = (-126, 125, -1)
) -> bytes:
    head = number(board[0], 8) + number(board[1], 8) + number(value, 1) + number(level, 1) + number(7, 4)
    return head + b"".join(number(each, 1) for each in leaf)


def egaroucid_file(*positions: bytes) -> bytes:
    return b"DICUORAGE" + bytes([3]) + number(len(positions), 4) + b"".join(positions)


def read(tmp_path: Path, name: str, data: bytes, moves: int = 60) -> OthelloBook:
    """Return a book of ours that another program's was converted to."""
    (tmp_path / name).write_bytes(data)
    convert_book(tmp_path / name, tmp_path / "read.book", moves, overwrite=True)
    return OthelloBook(str(tmp_path / "read.book"))


def moves_of(book: OthelloBook, board: Board) -> dict[int, int]:
    return {each.move: each.value for each in book.moves(OthelloPosition(*board, 0))}


def signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


class Found(NamedTuple):
    value: int
    links: list[Pair]
    leaf: Pair
    lines: int


def edax_records(data: bytes) -> dict[Board, Found]:
    """Return the positions of a file."""
    at, found = 42, {}
    while at < len(data):
        board = int.from_bytes(data[at : at + 8], "little"), int.from_bytes(data[at + 8 : at + 16], "little")
        lines, value = int.from_bytes(data[at + 28 : at + 32], "little"), signed(data[at + 32 : at + 34])
        count = data[at + 38]
        at += 40
        pairs = [(signed(data[at + 2 * i : at + 2 * i + 1]), data[at + 2 * i + 1]) for i in range(count + 1)]
        at += 2 * count + 2
        assert board not in found
        found[board] = Found(value, pairs[:-1], pairs[-1], lines)
    return found


def first_legal(board: Board) -> int:
    return OthelloPosition(*board, 0).legal_moves()[0]


def test_all_first_moves_are_one(othello: Game, tmp_path: Path) -> None:
    """Edax has the four images of the first move as four links; behind them is one position, stored in any image."""
    start, reply = board_after(othello, ""), board_after(othello, "f5")
    links = [(-1, parse_square(each)) for each in ("d3", "c4", "f5", "e6")]
    turned = images(reply[0])[5], images(reply[1])[5]
    f6 = parse_square("f6")
    leaf = images(1 << f6)[5].bit_length() - 1
    data = edax_file(edax_position(start, -1, links, NO_LEAF), edax_position(turned, 1, [], (1, leaf), level=18))
    book = read(tmp_path, "start.dat", data)
    assert moves_of(book, start) == {move: -100 for _, move in links}
    assert moves_of(book, reply) == {f6: 100}
    assert sorted((each.below, each.value, each.depth) for each in book.entries()) == [
        (0, -100, 17),
        (1, 100, 18),
        (2, -100, 21),
    ]
    assert (book.depth, book.exact) == (21, 0)
    with_twins = edax_file(
        edax_position(start, -1, links[:1], (-1, links[1][1])), edax_position(turned, 1, [], NO_LEAF)
    )
    assert len(read(tmp_path, "twins.dat", with_twins)) == 2


def test_images_of_one_position_stand_once_and_the_deepest_search_holds(othello: Game, tmp_path: Path) -> None:
    board = board_after(othello, "f5 d6 c3")
    turned = [(images(board[0])[i], images(board[1])[i]) for i in range(8)]
    levels = [10, 10, 10, 10, 10, 30, 30, 10]
    files = {
        "twice.dat": edax_file(*(edax_position(turned[i], i, [], NO_LEAF, levels[i]) for i in range(8))),
        "twice.egbk3": egaroucid_file(*(egaroucid_position(turned[i], i, levels[i]) for i in range(8))),
    }
    for name, data in files.items():
        (entry,) = read(tmp_path, name, data).entries()
        assert entry == (*canonical_board(*board), 500, 30, False, 0)
        _, losses = convert_book(tmp_path / name, tmp_path / "read.book", overwrite=True)
        assert losses == {"merged: duplicate positions": 7}


def test_egaroucid_counts_squares_from_the_other_corner(othello: Game, tmp_path: Path) -> None:
    """Its a1 is the highest bit; of the images the least is stored, which is the same number for both ways."""
    board = board_after(othello, "f5 d6")
    theirs = [int(f"{each:064b}"[::-1], 2) for each in board]
    stored = min(zip(images(theirs[0]), images(theirs[1]), strict=True))
    assert stored == canonical_board(*board)
    move = first_legal(stored)
    book = read(tmp_path, "leaf.egbk3", egaroucid_file(egaroucid_position(stored, 3, 21, (3, move, 21))))
    assert move in moves_of(book, stored)
    assert sorted((each.value, each.depth, each.below) for each in book.entries()) == [(-300, 20, 0), (300, 21, 1)]
    (tmp_path / "again.egbk3").unlink(missing_ok=True)
    convert_book(tmp_path / "read.book", tmp_path / "again.egbk3")
    again = (tmp_path / "again.egbk3").read_bytes()
    assert again[:14] == b"DICUORAGE" + bytes([3, 2, 0, 0, 0])
    records = {again[i : i + 16]: again[i + 16 : i + 25] for i in range(14, len(again), 25)}
    key = number(stored[0], 8) + number(stored[1], 8)
    assert records[key] == number(3, 1) + number(21, 1) + number(2, 4) + bytes([130, 125, 255])


@pytest.mark.parametrize("known", ["behind", "move alone", "pass alone", "both"])
def test_the_position_behind_a_pass_takes_the_place_of_the_one_before(
    known: str, othello: Game, tmp_path: Path
) -> None:
    """White moves c1 and then moves again. Egaroucid wrote the value of a pass with the wrong sign: 7 for -7."""
    before, must_pass = board_after(othello, BEFORE_PASS), board_after(othello, f"{BEFORE_PASS} c1")
    behind = must_pass[1], must_pass[0]
    assert OthelloPosition(*must_pass, 0).legal_moves() == [PASS]
    c1, onward = parse_square("c1"), first_legal(behind)
    after = edax_position(behind, 7, [], (7, onward))
    positions = {
        "behind": [after],
        "move alone": [],
        "pass alone": [edax_position(must_pass, -7, [], (-7, PASS))],
        "both": [edax_position(must_pass, 7, [(7, PASS)], (-126, 65)), after],
    }[known]
    book = read(tmp_path, "pass.dat", edax_file(edax_position(before, 7, [(7, c1)], NO_LEAF), *positions))
    assert moves_of(book, before)[c1] == 700
    assert book.find(OthelloPosition(*must_pass, 0)) is None
    found = book.find(OthelloPosition(*behind, 0))
    assert found is not None
    assert found.value == 700
    assert (onward in moves_of(book, behind)) == (known in ("behind", "both"))


def test_edax_gets_the_position_whose_player_must_pass(othello: Game, tmp_path: Path) -> None:
    before, must_pass = board_after(othello, BEFORE_PASS), board_after(othello, f"{BEFORE_PASS} c1")
    behind = must_pass[1], must_pass[0]
    onward = first_legal(behind)
    data = egaroucid_file(
        egaroucid_position(before, 7, leaf=(2, first_legal(before), 21)),
        egaroucid_position(behind, 7, leaf=(7, onward, 21)),
    )
    (tmp_path / "pass.egbk3").write_bytes(data)
    count, losses = convert_book(tmp_path / "pass.egbk3", tmp_path / "pass.dat")
    records = edax_records((tmp_path / "pass.dat").read_bytes())
    assert count == len(records) == 3
    assert losses["added: positions with a forced pass"] == 1
    assert records[canonical_board(*must_pass)] == (-7, [(-7, PASS)], NO_LEAF, 1)
    value, links, leaf, lines = records[canonical_board(*before)]
    assert (value, [score for score, _ in links], leaf[0], lines) == (7, [7], 2, 2)
    check_as_edax((tmp_path / "pass.dat").read_bytes())


def check_as_edax(data: bytes) -> None:
    """Check what Edax asks of positions, and follow links as its negamax does, which takes each for one of the book."""
    records = edax_records(data)
    assert int.from_bytes(data[38:42], "little") == len(records)
    for board, (value, links, leaf, lines) in records.items():
        assert board == canonical_board(*board)
        position = OthelloPosition(*board, 0)
        legal = position.legal_moves()
        squares = [move for _, move in links]
        assert len(set(squares) | {leaf[1]}) == len(squares) + 1
        assert set(squares) <= set(legal)
        assert leaf[1] in legal if leaf != NO_LEAF else len(squares) == len(legal)
        following = 0
        for score, move in links:
            position.play(move)
            after = records[board_of(position)]
            assert score == -after.value
            following += after.lines
            position.undo()
        assert value == max([score for score, _ in links] + [leaf[0]])
        assert lines == following + (leaf != NO_LEAF)


def numbers(book: OthelloBook) -> dict[Board, tuple[int, bool]]:
    """Return the whole discs of each position, and whether it has moves."""
    return {(each.own, each.opp): (round(each.value / 100), each.below > 0) for each in book.entries()}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the first moves of the book that comes with the program."""
    folder = tmp_path_factory.mktemp("books")
    (folder / "whole.book").write_bytes(Path(SHIPPED).read_bytes())
    convert_book(folder / "whole.book", folder / "small.book", 9)
    return folder / "small.book"


def test_a_book_goes_to_egaroucid_and_back(small: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(convert, [str(small), str(tmp_path / "out.egbk3")])
    count = len(OthelloBook(str(small)))
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'out.egbk3'}: {count:,} positions\n")
    assert re.fullmatch(r"rounded: hundredths of a disc \([\d,]+ positions\)\n", done.stderr)
    convert_book(tmp_path / "out.egbk3", tmp_path / "back.book")
    before, after = numbers(OthelloBook(str(small))), numbers(OthelloBook(str(tmp_path / "back.book")))
    assert len(before) > 300
    assert {board: value for board, (value, _) in after.items()} == {
        board: value for board, (value, _) in before.items()
    }
    changed = {board for board, found in before.items() if after[board] != found}
    assert all(after[board][1] for board in changed)  # they gained moves to boards known from other move orders
    assert len(changed) < count / 20


def test_a_large_book_says_what_a_small_one_does(small: Path, tmp_path: Path) -> None:
    convert_book(small, tmp_path / "out.dat")
    collection = Collection(60, Losses())
    with (tmp_path / "out.dat").open("rb") as file:
        for record in edax.read(file):
            collection.add(record)
    book, entries = collection.book(), list(collection.entries())
    searches = collection.searches, book.searches
    assert len({(each.depth, each.exact) for each in searches}) == 1
    assert [each._replace(below=0) for each in entries] == [
        each._replace(below=0) for _, each in sorted(book.entries.items())
    ]
    for each in entries:
        assert (each.below > 0) == (book.entries[each[:2]].below > 0)
        assert each.below <= book.entries[each[:2]].below
    assert max(each.below for each in entries) > 3


def test_a_book_goes_to_edax_and_back(small: Path, tmp_path: Path) -> None:
    count, losses = convert_book(small, tmp_path / "out.dat")
    data = (tmp_path / "out.dat").read_bytes()
    check_as_edax(data)
    records = edax_records(data)
    book = OthelloBook(str(small))
    expanded = {board: value for board, (value, goes_on) in numbers(book).items() if goes_on}
    assert count == len(expanded) > 150
    assert {board: found.value for board, found in records.items()} == expanded
    convert_book(tmp_path / "out.dat", tmp_path / "back.book")
    back = OthelloBook(str(tmp_path / "back.book"))
    for board in expanded:
        best = book.moves(OthelloPosition(*board, 0))[0]
        known = moves_of(back, board)
        assert known[best.move] == max(known.values()) == 100 * round(best.value / 100)
    left_out = losses["left out: positions without moves, except the best one after a position"]
    assert left_out + len(numbers(back).keys() & numbers(book).keys()) == len(book)
    convert_book(tmp_path / "back.book", tmp_path / "again.dat")
    again = edax_records((tmp_path / "again.dat").read_bytes())
    assert again.keys() == records.keys()
    for board, found in records.items():  # any of several leaves with equal values may be chosen
        assert again[board]._replace(leaf=NO_LEAF) == found._replace(leaf=NO_LEAF)
        assert again[board].leaf[0] == found.leaf[0]


def test_a_value_that_bounds_meet_is_exact(othello: Game, tmp_path: Path) -> None:
    board = board_after(othello, "f5 d6 c3")
    move = first_legal(board)
    exact = edax_position(board, 4, [], (4, move), level=30, bounds=(4, 4))
    book = read(tmp_path, "exact.dat", edax_file(exact))
    assert sorted((each.value, each.depth, each.exact) for each in book.entries()) == [
        (-400, 56, True),
        (400, 57, True),
    ]
    assert book.exact == 57
    convert_book(tmp_path / "read.book", tmp_path / "out.egbk3")
    assert {(tmp_path / "out.egbk3").read_bytes()[14 + 25 * i + 17] for i in range(2)} == {60}


def test_moves_far_below_the_value_of_a_position_are_not_taken(othello: Game, tmp_path: Path) -> None:
    board, after = board_after(othello, "f5 d6"), board_after(othello, "f5 d6 c3")
    for value, taken in ((8, True), (9, False)):
        data = egaroucid_file(egaroucid_position(board, value), egaroucid_position(after, 0))
        assert bool(moves_of(read(tmp_path, "far.egbk3", data), board)) is taken


def test_unknown_values_and_late_positions_are_left_out(othello: Game, tmp_path: Path) -> None:
    lines = ("", "f5", "f5 d6", "f5 d6 c3")
    positions = [egaroucid_position(board_after(othello, moves), 0, 70) for moves in lines]
    positions[1] = egaroucid_position(board_after(othello, "f5"), -126, -1)
    book = read(tmp_path, "some.egbk3", egaroucid_file(*positions), 2)
    assert {entry[:2] for entry in book.entries()} == {canonical_board(*board_after(othello, lines[i])) for i in (0, 2)}
    assert {entry.depth for entry in book.entries()} == {0}
    _, losses = convert_book(tmp_path / "some.egbk3", tmp_path / "read.book", 2, overwrite=True)
    assert losses == {"left out: positions after more moves": 1, "left out: positions without a value": 1}


START = (0x810000000, 0x1008000000)
GOOD = edax_position(START, 0, [], (0, 19))
OTHER = egaroucid_position(START, 0, leaf=(0, 19, 21))
DAMAGED = {
    "kind.dat": (b"XADEEVAL" + edax_file(GOOD)[8:], "header, at byte 0: expected an Edax book, version 4"),
    "version.dat": (b"XADEKOOB\3" + edax_file(GOOD)[9:], "header, at byte 0: expected .* Edax book, version 4"),
    "empty.dat": (b"", "header, at byte 0: expected 42 bytes, but the file ends after 0"),
    "cut.dat": (
        edax_file(GOOD, GOOD)[:-9],
        "position 2 of 2, at byte 84: expected 40 bytes, but the file ends after 33",
    ),
    "leaf.dat": (
        edax_file(GOOD)[:-1],
        "position 1 of 1: leaf, at byte 82: expected 2 bytes, but the file ends after 1",
    ),
    "long.dat": (edax_file(GOOD) + b"\0", "byte 84: expected the end of the file after its last position"),
    "none.dat": (edax_file(), "it contains no usable positions"),
    "both.dat": (
        edax_file(edax_position((START[0] | 1, START[1] | 1), 0, [], NO_LEAF)),
        "position 1 of 1, at byte 42: board: a1 has discs of both colours",
    ),
    "centre.dat": (
        edax_file(edax_position((1, 2), 0, [], NO_LEAF)),
        "at byte 42: board: the four centre squares",
    ),
    "value.dat": (edax_file(edax_position(START, 65, [], NO_LEAF)), "at byte 42: value: must be .*, not 65"),
    "level.dat": (edax_file(GOOD, edax_position(START, 0, [], NO_LEAF, 61)), "at byte 84: level: must be .*, not 61"),
    "link.dat": (edax_file(edax_position(START, 0, [(0, 0)], NO_LEAF)), "at byte 42: move a1 is not legal"),
    "pass.dat": (edax_file(edax_position(START, 0, [], (0, PASS))), "at byte 42: move pass is not legal"),
    "kind.egbk3": (
        b"DICUORAGX" + egaroucid_file(OTHER)[9:],
        "header, at byte 0: expected .* Egaroucid book, version 3",
    ),
    "version.egbk3": (b"DICUORAGE\2" + egaroucid_file(OTHER)[10:], "header, at byte 0: .* Egaroucid book, version 3"),
    "cut.egbk3": (
        egaroucid_file(OTHER, OTHER)[:-1],
        "position 2 of 2, at byte 39: expected 25 bytes, .* ends after 24",
    ),
    "long.egbk3": (egaroucid_file(OTHER) + OTHER, "byte 39: expected the end of the file after its last position"),
    "value.egbk3": (egaroucid_file(OTHER, egaroucid_position(START, -65)), "at byte 39: value: must be .*, not -65"),
    "leaf.egbk3": (egaroucid_file(egaroucid_position(START, 0, leaf=(0, 0, 9))), "at byte 14: move a1 is not legal"),
    "foreign.book": (edax_file(GOOD), "is not an opening book"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_one_error_that_names_the_place(name: str, tmp_path: Path) -> None:
    data, fault = DAMAGED[name]
    (tmp_path / name).write_bytes(data)
    (tmp_path / "kept.book").write_bytes(b"kept")
    with pytest.raises(BookError, match=f"^book: {re.escape(str(tmp_path / name))}:? .*{fault}"):
        convert_book(tmp_path / name, tmp_path / "kept.book", overwrite=True)
    assert (tmp_path / "kept.book").read_bytes() == b"kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "kept.book"])


@pytest.mark.parametrize("name", ["random.dat", "random.egbk3"])
def test_a_changed_byte_never_breaks_the_reader(name: str, tmp_path: Path) -> None:
    draws = random.Random(7)
    whole = edax_file(GOOD, GOOD) if name.endswith("dat") else egaroucid_file(OTHER, OTHER)
    for _ in range(100):
        data = bytearray(whole)
        data[draws.randrange(len(data))] ^= 1 << draws.randrange(8)
        (tmp_path / name).write_bytes(data)
        with suppress(BookError):  # many bytes, such as dates, can have any value
            convert_book(tmp_path / name, tmp_path / "out.book", overwrite=True)
            OthelloBook(str(tmp_path / "out.book"))


@pytest.mark.soak
def test_a_book_of_any_size_is_written_as_ours(tmp_path: Path) -> None:
    draws = random.Random(3)
    free = [i for i in range(64) if not (START[0] | START[1]) >> i & 1]
    found: dict[Board, bytes] = {}
    while len(found) <= SMALL:
        own = START[0] | sum(1 << i for i in set(draws.choices(free, k=9)))
        board = canonical_board(own, START[1])
        found[board] = egaroucid_position((own, START[1]), board[0] % 9)
    large, out = tmp_path / "large.egbk3", tmp_path / "out.book"
    large.write_bytes(egaroucid_file(*found.values()))
    count, _ = convert_book(large, out)
    book = OthelloBook(str(out))
    assert SMALL < len(book) == count <= len(found)  # without positions after a forced pass
    book.check()
    entries = list(book.entries())
    assert entries == sorted(entries)
    for entry in entries[:: len(entries) // 500]:
        values = 100 * (entry.own % 9), -100 * (entry.opp % 9)  # the value after a forced pass has the opposite sign
        assert entry.value in values or not OthelloPosition(*entry[:2], 0).legal_moves()
        assert book.find(OthelloPosition(*entry[:2], 0)) == entry
    for source in (large, out):
        with pytest.raises(BookError, match=f"{source.name}: it has more than {SMALL:,} positions.* --moves"):
            convert_book(source, tmp_path / "again.dat")
    data = bytearray(out.read_bytes())
    at = 32 + 24 * (len(book) // 2)
    data[at : at + 16] = b"\xff" * 16
    out.write_bytes(data)
    damaged = OthelloBook(str(out))  # opening the file does not read all of it
    with pytest.raises(BookError, match=f"out.book is damaged: invalid position at byte {at}"):
        list(damaged.entries())
    with pytest.raises(BookError, match=r"out\.book is damaged, or its version is not"):
        convert_book(out, tmp_path / "back.egbk3")
    with pytest.raises(BookError, match=r"out\.book is damaged"):
        damaged.find(OthelloPosition(*entries[len(entries) // 2][:2], 0))


@pytest.mark.parametrize(
    ("source", "target", "fault"),
    [
        ("a.egbk3", "b.txt", "b.txt: must end in .book, .dat, .egbk3"),
        ("a.bin", "b.book", "a.bin: must end in .book, .dat, .egbk3"),
        ("a.egbk3", "a.egbk3", "a.egbk3: must not be the input file"),
        ("a.egbk3", "there.book", "there.book: already exists; use --force to overwrite it"),
        ("a.egbk3", "folder.book", "folder.book: must be a regular file"),
        ("a.egbk3", "no/b.book", "no/b.book: No such file or directory"),
        ("none.egbk3", "b.book", "none.egbk3: No such file or directory"),
        ("none.book", "b.dat", "none.book: No such file or directory"),
        ("leaf.egbk3", "b.dat", "leaf.egbk3: an Edax book must contain positions with moves, but this book has none"),
    ],
)
def test_files_that_cannot_be_are_named(source: str, target: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "a.egbk3").write_bytes(egaroucid_file(OTHER))
    (tmp_path / "leaf.egbk3").write_bytes(egaroucid_file(egaroucid_position(START, 0)))
    (tmp_path / "there.book").write_bytes(b"there")
    (tmp_path / "folder.book").mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BookError, match=f"^book: .*{re.escape(fault)}"):
        convert_book(tmp_path / source, tmp_path / target)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "there.book").read_bytes() == b"there"
