"""The user's own book: kept on a page, seen in the explorer and in opening training, exported and read again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from quietmove.addons.library.explorer import ExplorerPages, ExplorerRequest, NoteRequest
from quietmove.addons.web.imports import imported
from quietmove.addons.web.kept import KeptGames
from quietmove.addons.web.requests import ChangeRequest
from quietmove.engine.errors import GameError, GameFileError
from quietmove.engine.games.registry import get_game
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import TreeLine
from tests.addons.conftest import expect_all_can_use, expect_no_wider_than_the_window, serving, watched
from tests.fakes.processes import wait_until


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "quietmove" / "games"
    folder.mkdir(parents=True)
    return folder


def test_opening_training_shows_the_note(folder: Path) -> None:
    training_of = pytest.importorskip("quietmove.addons.practice.training").training_of
    ExplorerPages(folder).keep(NoteRequest(moves="f5d6c3", note="+1, the Tiger follows"))
    training = training_of("f5d6")
    position = get_game("othello").initial()
    for move in training.moves:
        position.play(move)
    comments = [training.comment(position, move) for move in position.legal_moves()]
    assert sum(text.endswith(". Your note: +1, the Tiger follows") for text in comments) == 1
    (folder / "my-book.jsonl").write_text("{")  # the explorer reports the damage
    assert not training.comment(position, position.legal_moves()[0]).endswith("follows")


def test_a_note_belongs_to_a_position_however_it_is_reached(folder: Path) -> None:
    pages = ExplorerPages(folder)
    pages.keep(NoteRequest(moves="f5d6c3", note="+1, the Tiger follows"))
    pages.keep(NoteRequest(moves="d3", note=""))
    for moves, note, notes in (
        ("", None, dict.fromkeys(("d3", "c4", "f5", "e6"), "")),  # the four first moves are symmetric
        ("f5 d6", None, {"c3": "+1, the Tiger follows"}),
        ("d3 c5 f6", "+1, the Tiger follows", {}),
    ):
        found = pages.position(ExplorerRequest(source="book", moves=moves))
        assert (found["note"], found["notes"]) == (note, notes)
    pages.keep(NoteRequest(moves="f5d6c3", note=None))
    assert pages.position(ExplorerRequest(source="book", moves="f5 d6"))["notes"] == {}


def test_the_book_is_exported_and_is_one_of_my_games(folder: Path) -> None:
    pages = ExplorerPages(folder)
    notes = {"f5d6": "+0.5", "f5d6c3": "quiet", "f5f6": ""}
    for moves, note in notes.items():
        pages.keep(NoteRequest(moves=moves, note=note))
    text = pages.notes()["text"]
    assert text == "f5d6\t+0.5\nf5d6c3\tquiet\nf5f6\n"
    found = imported("my-book.txt", text.encode())
    assert [game["record"].get("event", "") for game in found["games"]] == list(notes.values())
    shown = KeptGames(folder).shown("my-book")
    assert [(line["moves"], line["comment"]) for line in shown["lines"]][1] == ("f5 d6 c3", "quiet")


def test_a_wrong_note_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = ExplorerPages(folder)
    for moves, error in (("", SetupError), ("f5a1", GameError), ("hello", GameError)):
        with pytest.raises(error):
            pages.keep(NoteRequest(moves=moves, note=""))
    assert list(folder.iterdir()) == []
    (folder / "my-book.jsonl").write_text("{")
    for work in (lambda: pages.keep(NoteRequest(moves="f5", note="")), pages.notes):
        with pytest.raises(GameFileError, match=r"my-book\.jsonl"):
            work()
    assert (folder / "my-book.jsonl").read_text() == "{"
    (folder / "my-book.jsonl").unlink()
    monkeypatch.setattr("quietmove.referee.game.saved.MAX_BYTES", 1000)
    for first in ("d3", "f5d6", "f5f4", "f5f6"):
        with suppress(GameFileError):  # a larger book could not be read again
            pages.keep(NoteRequest(moves=first, note="x" * 400))
    assert pages.notes()["text"].count("x") == 800
    pages.keep(NoteRequest(moves="d3", note=None))
    with pytest.raises(SetupError, match="not available"):
        ExplorerPages(None).keep(NoteRequest(moves="f5", note=""))


def test_the_book_as_the_analysis_board_saves_it(folder: Path) -> None:
    pages = ExplorerPages(folder)
    pages.keep(NoteRequest(moves="f5", note=""))
    lines = (TreeLine(moves=""), TreeLine(moves="f5 d6", comment="quiet,\nd3\tis better"))
    KeptGames(folder).change("my-book", ChangeRequest(lines=lines))
    assert pages.notes()["text"] == "f5d6\tquiet, d3 is better\n"
    assert pages.position(ExplorerRequest(source="book"))["note"] is None
    (folder / "my-book.jsonl").write_text('{"moves": [], "lines": [{"moves": "f5 d7"}]}\n')
    with pytest.raises(GameFileError, match=r"my-book\.jsonl: 'd7' is not legal here"):
        pages.position(ExplorerRequest(source="book"))


def test_the_analysis_board_keeps_a_move_without_a_note_that_others_follow(context: Any, folder: Path) -> None:
    pages = ExplorerPages(folder)
    for moves, note in (("f5", ""), ("f5d6", "good")):
        pages.keep(NoteRequest(moves=moves, note=note))
    home = str(folder.parents[1])
    with serving(XDG_DATA_HOME=home) as (_, address), watched(context, urlsplit(address).netloc) as page:
        page.goto(address)
        page.goto(f"http://{urlsplit(address).netloc}/play#replay=%2Fapi%2Fkept%2Fmy-book")
        page.click("#moves li:nth-child(2) button")
        page.fill("#comment", "best")
        page.keyboard.press("Tab")
        wait_until(lambda: "best" in pages.notes()["text"])
    assert pages.notes()["text"] == "f5\nf5d6\tbest\n"


def test_a_move_is_kept_from_the_play_page(context: Any, tmp_path: Path) -> None:
    with serving(XDG_DATA_HOME=str(tmp_path)) as (_, address), watched(context, urlsplit(address).netloc) as page:
        page.goto(address)
        page.goto(f"http://{urlsplit(address).netloc}/play#game=othello&moves=f5+d6+c3")
        expect(page.locator("#moves li")).to_have_count(3)
        page.click("#more-tab")
        page.click("#tobook")
        expect(page.locator("#crumbs [aria-current]")).to_have_text("3 c3")
        page.fill("#own-note", "+1, good")
        page.click("#own-form [type=submit]")
        expect(page.locator("#own-drop")).to_be_visible()
        for size in ((390, 844), (844, 390), (1280, 900)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            expect_no_wider_than_the_window(page)
        expect_all_can_use(page)
        page.keyboard.press("ArrowLeft")
        page.click("#own-moves button:text-is('c3: +1, good')")
        expect(page.locator("#own-note")).to_have_value("+1, good")
        with page.expect_download() as saved:
            page.click("#own-export")
        assert Path(saved.value.path()).read_text() == "f5d6c3\t+1, good\n"
        page.click("#own-drop")
        expect(page.locator("#own-drop")).to_be_hidden()
