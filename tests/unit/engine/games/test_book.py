"""The opening book: its file, its symmetries, how a move is chosen, and when a session plays one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from quietmove.engine.errors import BookError, OptionError
from quietmove.engine.games.base import BookMove, Game, Position
from quietmove.engine.games.othello.board import PASS, OthelloPosition
from quietmove.engine.games.othello.book import SHIPPED, SMALL, Entry, OthelloBook, book_of, pack_book
from quietmove.engine.games.othello.symmetry import canonical_board, images
from quietmove.engine.protocol.project import Project, ProjectSettings
from quietmove.engine.search.book import choose
from quietmove.engine.values import Limits
from tests.fakes.processes import WAIT
from tests.fakes.talk import SessionTalk

D6 = 43
KNOWN = "f5 d6 c3"  # in every serious book, and without symmetry


@pytest.fixture(scope="module")
def book() -> OthelloBook:
    return book_of(SHIPPED)


def position_of(own: int, opp: int, side: int = 0) -> OthelloPosition:
    return OthelloPosition(opp, own, 1) if side else OthelloPosition(own, opp, 0)


def after(game: Game, moves: str) -> Position:
    position = game.initial()
    for move in moves.split():
        position.play(game.parse_move(position, move))
    return position


def test_all_images_of_a_position_give_the_turned_moves(book: OthelloBook, othello: Game) -> None:
    position = after(othello, KNOWN)
    assert isinstance(position, OthelloPosition)
    black, white, side = position.black, position.white, position.side_to_move
    moves = book.moves(position)
    assert moves
    for number in range(8):
        image = OthelloPosition(images(black)[number], images(white)[number], side)
        turned = book.moves(image)
        assert [1 << each.move for each in turned] == [images(1 << each.move)[number] for each in moves]
        assert [(each.value, each.below) for each in turned] == [(each.value, each.below) for each in moves]
        for seed in ("1", "2", "3"):
            chosen = choose(moves, 500, seed).move
            assert 1 << choose(turned, 500, seed).move == images(1 << chosen)[number]


def test_moves_of_one_value_have_one_order_in_all_images(othello: Game, tmp_path: Path) -> None:
    position = after(othello, KNOWN)
    assert isinstance(position, OthelloPosition)
    boards = {canonical_board(position.white, position.black)}
    for move in position.legal_moves():
        position.play(move)
        boards.add(canonical_board(position.black, position.white))
        position.undo()
    (tmp_path / "level.book").write_bytes(pack_book([Entry(*each, 0, 9, False, 1) for each in boards], 9, 0))
    level = OthelloBook(str(tmp_path / "level.book"))
    moves = [each.move for each in level.moves(position)]
    assert sorted(moves) == sorted(position.legal_moves())
    for number in range(8):
        image = OthelloPosition(images(position.black)[number], images(position.white)[number], 1)
        assert [1 << each.move for each in level.moves(image)] == [images(1 << move)[number] for move in moves]


def test_a_position_that_was_not_gone_into_has_no_moves(othello: Game, tmp_path: Path) -> None:
    """Some of what follows it may be there by another order of moves, but not what is best."""
    position = after(othello, "f5")
    assert isinstance(position, OthelloPosition)
    entries = [Entry(*canonical_board(position.white, position.black), 0, 9, False, 0)]
    position.play(D6)
    entries.append(Entry(*canonical_board(position.black, position.white), 0, 9, False, 0))
    position.undo()
    (tmp_path / "leaf.book").write_bytes(pack_book(entries, 9, 0))
    leaf = OthelloBook(str(tmp_path / "leaf.book"))
    assert leaf.find(position) == entries[0]
    assert leaf.moves(position) == []


def test_a_file_says_what_was_packed(tmp_path: Path) -> None:
    board = canonical_board(0x810000000, 0x1008000000)
    entries = [Entry(*board, -6400, 14, False, 70000), Entry(1, 2, 6400, 20, True, 0)]
    (tmp_path / "some.book").write_bytes(pack_book(entries, 14, 20))
    book = OthelloBook(str(tmp_path / "some.book"))
    assert list(book.entries()) == sorted(entries)
    assert (len(book), book.depth, book.exact) == (2, 14, 20)
    assert book.find(position_of(*board, side=1)) == entries[0]
    assert book.find(position_of(4, 2)) is None


def test_a_pass_in_the_book_does_not_change_the_view(tmp_path: Path) -> None:
    """After either move the opponent must pass: the value behind it is that of the player who made it."""
    own, opp = 1 << 7 | 1 << 63, 1 << 6 | 1 << 62
    position = position_of(own, opp)
    assert set(position.legal_moves()) == {5, 61}
    position.play(5)
    assert position.legal_moves() == [PASS]
    child = canonical_board(position.black, position.white)
    entries = [Entry(*canonical_board(own, opp), 300, 5, False, 1), Entry(*child, 300, 5, False, 0)]
    (tmp_path / "pass.book").write_bytes(pack_book(entries, 5, 0))
    found = OthelloBook(str(tmp_path / "pass.book")).moves(position_of(own, opp))
    assert [(each.move, each.value) for each in found] == [(5, 300), (61, 300)]


WHOLE = pack_book([Entry(1, 2, 3, 4, False, 5), Entry(2, 1, 3, 4, False, 5)], 14, 20)
DAMAGED = {
    "foreign": b"QMWEIGHT" + WHOLE[8:],
    "empty": b"",
    "short header": WHOLE[:20],
    "version": WHOLE[:8] + b"\2" + WHOLE[9:],
    "header": WHOLE[:20] + b"\3" + WHOLE[21:],
    "short": WHOLE[:-1],
    "long": WHOLE + b"\0",
    "records": WHOLE[:40] + b"\xff" + WHOLE[41:],
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_that_is_no_whole_book_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.book"
    path.write_bytes(DAMAGED[name])
    fault = "is not an opening book" if name in ("foreign", "empty") else "is damaged, or its version is not 1"
    with pytest.raises(BookError, match=f"^book: {re.escape(str(path))} {fault}$"):
        OthelloBook(str(path))


def test_the_shipped_book_is_small_and_sane(book: OthelloBook) -> None:
    assert Path(SHIPPED).stat().st_size <= 2_000_000
    assert 1000 <= len(book) <= SMALL
    entries = list(book.entries())
    boards = [each[:2] for each in entries]
    assert boards == sorted(set(boards))
    for entry in entries[::20]:
        own, opp, value, depth, exact, below = entry
        assert own & opp == 0
        assert canonical_board(own, opp) == (own, opp)
        position = position_of(own, opp)
        legal = position.legal_moves()
        assert legal != [PASS]
        assert abs(value) <= 6400
        if exact and legal:
            assert depth == 64 - (own | opp).bit_count() <= book.exact
        if below:
            moves = book.moves(position)
            assert {each.move for each in moves} <= set(legal)
            assert value == max(each.value for each in moves)
            assert below <= len(moves) + sum(each.below for each in moves)


def test_a_seed_chooses_among_the_moves_that_are_good_enough() -> None:
    moves = [BookMove(move, value, 14, False, 9) for move, value in ((1, 50), (2, 50), (3, 20), (4, -60))]
    chosen = {variety: {choose(moves, variety, f"{seed}").move for seed in range(60)} for variety in (0, 29, 30, 110)}
    assert chosen == {0: {1, 2}, 29: {1, 2}, 30: {1, 2, 3}, 110: {1, 2, 3, 4}}
    again = [[choose(moves, 110, f"{seed}").move for seed in range(60)] for _ in range(2)]
    assert again[0] == again[1]


def with_book(**options: object) -> SessionTalk:
    return SessionTalk(**{"own_book": True, **options})


def test_a_move_of_the_book_is_played_without_a_search(book: OthelloBook, othello: Game) -> None:
    talk = with_book()
    talk.session.set_up(after(othello, "f5"))
    (info,), result = talk.go(Limits(nodes=5))
    best = book.moves(after(othello, "f5"))
    assert (info.nodes, result.nodes, info.book_moves) == (0, 0, len(best))
    assert (info.score.value, info.pv[0], result.move) == (best[0].value, best[0].move, best[0].move)
    position = after(othello, "f5")
    for move in info.pv:
        position.play(move)
    assert result.ponder == info.pv[1]
    assert talk.session.position.ply == 1


def test_the_four_first_moves_are_one_and_the_seed_chooses() -> None:
    played = []
    for seed in range(40):
        talk = with_book(seed=seed)
        first, second = (talk.go(Limits(nodes=5))[1].move for _ in range(2))
        assert first == second
        played.append(first)
    assert set(played) == {19, 26, 37, 44}


@pytest.mark.parametrize(
    "options", [{"own_book": False}, {"own_book": False, "book_file": SHIPPED}, {"multipv": 2}, {"trace": True}]
)
def test_a_search_is_made_where_one_is_asked_for(options: dict[str, object], othello: Game) -> None:
    talk = with_book(**options)
    talk.session.set_up(after(othello, KNOWN))
    infos, result = talk.go(Limits(depth=2))
    assert result.nodes > 0
    assert not any(info.book_moves for info in infos)


def test_an_analysis_without_an_end_searches() -> None:
    talk = with_book()
    talk.begin(Limits(infinite=True))
    assert talk.said.get(timeout=WAIT).nodes > 0
    talk.session.stop()
    assert talk.answer()[1].nodes > 0


def test_the_end_of_the_game_is_searched_though_the_book_knows_a_move(book: OthelloBook) -> None:
    late = max(
        (entry for entry in book.entries() if entry.below), key=lambda entry: (entry.own | entry.opp).bit_count()
    )
    talk = with_book()
    talk.session.set_up(position_of(late.own, late.opp))
    assert talk.go(Limits(depth=2))[1].nodes == 0
    talk.begin(Limits(goal="wld"))
    assert talk.said.get(timeout=WAIT).nodes > 0
    talk.session.stop()
    talk.answer()


def test_a_ponder_search_keeps_the_move_until_the_hit() -> None:
    talk = with_book()
    talk.begin(Limits(ponder=True))
    assert talk.said.get(timeout=WAIT).book_moves == 4
    assert talk.session.thinking
    assert talk.said.empty()
    talk.session.ponderhit()
    assert talk.answer()[1].nodes == 0


def test_what_is_not_in_the_book_is_searched(othello: Game, played: Callable[[int, int], Position]) -> None:
    talk = with_book()
    talk.session.set_up(played(3, 30))
    assert book_of(SHIPPED).moves(talk.session.position) == []
    assert talk.go(Limits(depth=2))[1].nodes > 0


def test_a_game_without_a_book_is_searched_and_takes_no_file(tmp_path: Path) -> None:
    for game in ("connect", "othello 6x6"):
        talk = with_book(game=game)
        assert talk.session.book is None
        assert talk.go(Limits(depth=2))[1].nodes > 0
        before = talk.session.options
        with pytest.raises(OptionError, match=f"option BookFile: must be default \\({game} has no opening book\\)"):
            talk.session.configure(before.changed("book_file", "some.book"))
        assert talk.session.options == before


def test_the_project_player_plays_the_book_where_it_is_told_to() -> None:
    sent: list[str] = []
    player = Project(sent.append, settings=ProjectSettings("slide", color="B", book=True))
    player.begin()
    assert player.session.wait(WAIT)
    assert player.session.book is not None
    assert sent[0] in ("4 6", "3 5", "6 4", "5 3")
    assert Project(sent.append).session.book is None
