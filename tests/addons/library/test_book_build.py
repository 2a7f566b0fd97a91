"""How a book is built: values that are carried back, what is gone into next, and the work file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from quietmove.addons.library.book.build import BATCH, build_book, judge, promising
from quietmove.addons.library.book.graph import START, Batch, Graph, SearchedValue
from quietmove.addons.shared.search_depth import SearchDepth, made_by
from quietmove.addons.shared.work_file import WorkFile
from quietmove.engine.errors import BookError
from quietmove.engine.games.base import Game
from quietmove.engine.games.othello.board import OthelloPosition
from quietmove.engine.games.othello.book import OthelloBook
from quietmove.engine.games.othello.symmetry import Board, canonical_board
from quietmove.engine.search.table import Table
from quietmove.engine.session import Session
from quietmove.engine.values import Limits
from tests.fakes.processes import WAIT

EFFORT = SearchDepth(depth=2, exact=6)


def pieces(work: Path) -> list[bytes]:
    with WorkFile(work, "book work", None, BookError) as file:
        return list(file)


def board(*squares: int) -> Board:
    """Return a made-up board of the start's discs and others; only their number matters here."""
    return START[0] | sum(1 << square for square in squares), START[1]


def grown(*batches: tuple[Board, Iterable[tuple[Board, bool, int | None]]]) -> Graph:
    """Return a graph: of each position what follows it, with a pass or without, and its value where it is new."""
    graph = Graph()
    for parent, followers in batches:
        rows = list(followers)
        searched = {child: SearchedValue(value, 2, exact=False) for child, _, value in rows if value is not None}
        graph.add(Batch({parent: [(child, passed) for child, passed, _ in rows]}, searched))
    graph.settle()
    return graph


def values(graph: Graph) -> dict[Board, int]:
    return {(entry.own, entry.opp): entry.value for entry in graph.entries()}


A, B, C, D = board(0), board(1), board(0, 1), board(1, 2)
E, F = board(2), board(0, 3)


def test_values_are_carried_back_through_passes_and_transpositions() -> None:
    graph = grown(
        (START, [(A, False, 30), (B, False, 70)]),
        (A, [(C, False, 50)]),
        (B, [(C, True, None), (D, False, 200)]),
    )
    assert values(graph) == {C: 50, D: 200, A: -50, B: 50, START: 50}
    assert {(entry.own, entry.opp): entry.below for entry in graph.entries()} == {START: 4, A: 1, B: 2, C: 0, D: 0}


def test_what_is_gone_into_next_costs_the_fewest_plies_and_losses() -> None:
    """A costs one ply, B one and a loss of 20: 6 times 20 for the player with the book, 2 times for the opponent."""
    first = grown((START, [(A, False, -30), (B, False, -10)]))
    assert first.next_boards(9) == [A, B]
    assert first.next_boards(1) == [A]
    second = grown((START, [(A, False, -30), (B, False, -10)]), (A, [(C, False, 30)]))
    assert second.next_boards(9) == [B, C]  # 100 + 40 versus 100 + 100
    far = grown((START, [(A, False, -80), (B, False, -10)]), (A, [(C, False, 80)]))
    assert far.next_boards(9) == [C, B]  # 100 + 100 versus 100 + 140


def test_one_player_has_the_book_all_along() -> None:
    """Behind B both players have lost something: 20 the first, 30 the second; one of them had the book."""
    graph = grown(
        (START, [(A, False, -30), (B, False, -10), (E, False, 80)]),
        (A, [(F, False, 30)]),
        (B, [(C, False, 10), (D, False, 40)]),
    )
    assert graph.next_boards(9) == [F, C, E, D]  # 200, 200 + 2 * 20, 100 + 2 * 110, 200 + 6 * 20 + 2 * 30


def test_a_move_that_turns_out_worse_gives_way() -> None:
    graph = grown((START, [(A, False, -30), (B, False, -10)]), (A, [(C, False, -600)]))
    assert values(graph)[START] == 10
    assert graph.next_boards(1) == [B]


def test_what_was_searched_to_the_end_is_not_gone_into() -> None:
    graph = Graph()
    graph.add(
        Batch(
            {START: [(A, False), (B, False)]}, {A: SearchedValue(0, 9, exact=True), B: SearchedValue(0, 9, exact=False)}
        )
    )
    graph.settle()
    assert graph.next_boards(9) == [B]


def test_a_value_is_that_of_the_engine_with_an_empty_table(othello: Game) -> None:
    position = othello.initial()
    for move in ("f5", "d6", "c3", "d3", "c4"):
        position.play(othello.parse_move(position, move))
    assert isinstance(position, OthelloPosition)
    own, opp = (position.white, position.black) if position.side_to_move else (position.black, position.white)
    session = Session()
    session.table = Table(4)
    session.set_up(position)
    scores: list[int] = []
    session.go(Limits(depth=6), lambda info: scores.append(info.score.value), lambda _: None, print)
    assert session.wait(WAIT)
    assert judge(SearchDepth(6, 0), canonical_board(own, opp)) == SearchedValue(scores[-1], 6, exact=False)


def test_the_end_of_a_game_is_exact() -> None:
    full = (1 << 40) - 1
    assert judge(SearchDepth(2, 6), (full, 0)) == SearchedValue(6400, 24, exact=True)
    near = judge(SearchDepth(2, 30), (full ^ 2 ^ 4, 2))
    assert near.exact
    assert near.depth > 2


def test_only_moves_that_are_worth_a_look_are_followed() -> None:
    """Five moves follow f5 d6; the board after each is canonical, none comes twice."""
    (first,) = promising(SearchDepth(8, 6), START)  # all four moves are symmetric
    assert first[0] == canonical_board(*first[0])
    assert not first[1]
    followers = [each for each, _ in promising(SearchDepth(8, 6), first[0])]
    assert len(followers) == 2  # the third, parallel opening is much worse
    assert len(set(followers)) == 2


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    build_book(EFFORT, 40, folder / "whole.book", folder / "work", 1, lambda _: None)
    return folder


def test_a_book_that_was_built_can_be_read(built: Path, othello: Game) -> None:
    book = OthelloBook(str(built / "whole.book"))
    assert len(book) >= 40
    start = book.find(othello.initial())
    assert start is not None
    assert start.below == len(book) - 1
    assert {othello.format_move(each.move) for each in book.moves(othello.initial())} == {"d3", "c4", "f5", "e6"}


@pytest.mark.parametrize("batches", [0, 1, 3])
def test_a_build_goes_on_behind_its_last_batch(batches: int, built: Path, tmp_path: Path) -> None:
    whole = pieces(built / "work")
    assert len(whole) > 4
    with WorkFile(tmp_path / "work", "book work", {**made_by(EFFORT), "batch": BATCH}, BookError) as file:
        for piece in whole[:batches]:
            file.append(piece)
    counts: list[int] = []
    build_book(EFFORT, 40, tmp_path / "again.book", tmp_path / "work", 1, counts.append)
    assert (tmp_path / "again.book").read_bytes() == (built / "whole.book").read_bytes()
    assert pieces(tmp_path / "work") == whole
    assert len(counts) == len(whole) - batches + 1


def test_no_position_is_searched_twice(built: Path) -> None:
    batches = [json.loads(piece) for piece in pieces(built / "work")]
    followers = [tuple(child[:2]) for moves, _ in batches for _, _, after in moves for child in after]
    searched = [tuple(row[:2]) for _, searches in batches for row in searches]
    assert len(searched) == len(set(searched)) < len(followers)
    assert set(searched) == set(followers)


def test_a_book_grows_and_a_smaller_one_is_its_beginning(built: Path, tmp_path: Path) -> None:
    (tmp_path / "work").write_bytes((built / "work").read_bytes())
    build_book(EFFORT, 10, tmp_path / "small.book", tmp_path / "work", 1, lambda _: None)
    build_book(EFFORT, 10, tmp_path / "fresh.book", tmp_path / "other", 1, lambda _: None)
    assert (tmp_path / "small.book").read_bytes() == (tmp_path / "fresh.book").read_bytes()
    build_book(EFFORT, 40, tmp_path / "fresh.book", tmp_path / "other", 1, lambda _: None)
    assert (tmp_path / "fresh.book").read_bytes() == (built / "whole.book").read_bytes()
    assert pieces(tmp_path / "other") == pieces(tmp_path / "work") == pieces(built / "work")


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=f"book: {tmp_path}: must be a file in an existing folder"):
        build_book(EFFORT, 40, tmp_path, tmp_path / "work", 1, lambda _: None)
    assert list(tmp_path.iterdir()) == []
