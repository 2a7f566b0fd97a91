"""The page on which games are played, watched and replayed, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from quietmove.referee.game.saved import SavedGame, Spec, write_game
from quietmove.referee.game.transcript import MoveRecord
from tests.e2e.web.conftest import MUTE, OWN_GAME, WAIT_MS, Server, assert_all_can_use, opened, serving

GGF = "(;GM[Othello]PC[x]PB[ann]PW[bob]RE[+2]TY[8]BO[8 {} *]B[F5]W[D6]B[C3]W[D3];)"
START = "---------------------------O*------*O---------------------------"
SQUARE = "#board .field button"
ITEM = "#board .picture button"
LIFTED = f"{SQUARE}[aria-pressed=true]"


def begin(page: Any, game: str, parameters: str, black: str, white: str) -> None:
    page.locator("#new").evaluate("element => element.open = true")
    page.select_option("#gamename", game)
    page.fill("#parameters", parameters)
    page.select_option("#who0", black)
    page.select_option("#who1", white)
    page.click("#form button[type=submit]")
    page.wait_for_selector("#new:not([open])")


def moves(page: Any) -> int:
    return int(page.locator("#moves li").count())


def play_on(page: Any) -> None:
    """Make the first move that is offered, or one of the first piece that can be lifted, until the game is over."""
    choice = f"{SQUARE}:is(.can, .lifts), {ITEM}.can, #board .choices button"
    over = "#status:text-matches('the game is over.*[(]', 'i')"  # with the result: the referee has said so
    while True:
        page.wait_for_selector(f"{choice}, {over}")
        if page.locator(over).count():
            return
        before = moves(page)
        if before % 4 < 2:
            page.locator(choice).first.click()
        else:
            page.locator(choice).first.focus()
            page.keyboard.press("Enter")
        if page.locator(LIFTED).count():
            page.locator(f"{SQUARE}.can").first.click()
        page.wait_for_selector(f"#moves li:nth-child({before + 1})")


def test_a_whole_game_is_clicked_through(page: Any) -> None:
    loaded, late = page.evaluate(
        """() => {
          const links = [...document.querySelectorAll("link[rel=modulepreload]")].map(link => link.href);
          const named = [...links, ...[...document.scripts].map(script => script.src)];
          const names = performance.getEntriesByType("resource").map(each => each.name);
          const modules = names.filter(name => name.endsWith(".js"));
          return [modules.length, modules.filter(name => !named.includes(name))];
        }"""
    )
    assert loaded > 10
    assert late == []  # no module is asked for only when another one has come
    begin(page, "othello", "4x4", "person", "engine quick")
    play_on(page)
    status = page.inner_text("#status")
    assert "wins by" in status or "a draw" in status
    discs = [int(page.inner_text(f"#player{side} .count")) for side in (0, 1)]
    assert sum(discs) == page.locator("#board .piece").count()
    empty = 16 - sum(discs)
    shown = [int(each) for each in page.inner_text("#end .result").split("\u2013")]
    assert sum(shown) == 16
    assert shown[0] - shown[1] == (discs[0] - discs[1]) + empty * ((discs[0] > discs[1]) - (discs[0] < discs[1]))
    assert page.inner_text("#end-detail").startswith(
        f"{moves(page)} plies{f'; {empty} empty square' if empty else '.'}"
    )
    page.focus("#moves")
    page.keyboard.press("Home")
    assert page.locator("#board .piece").count() == 4
    assert page.locator("#takeback").is_enabled()
    page.focus("#copy")
    page.keyboard.press("End")  # which scrolls the page from here
    assert page.locator("#board .piece").count() == 4
    page.click("#forward")
    assert page.locator("#board .placed").count() == 1
    page.click("#playon")
    page.wait_for_selector("#status:text('your move')")
    assert moves(page) == 2  # the move that was kept, and the engine's answer
    page.click("#takeback")
    page.wait_for_selector("#moves li", state="detached")
    page.wait_for_selector(f"{SQUARE}.can")
    assert page.locator("#takeback").is_disabled()
    page.click("#resign")
    assert page.locator("#status:text-matches('resigns')").count() == 0
    page.click("#resign:text('Really resign?')")
    page.wait_for_selector("#status:text-matches('^The game is over: .* resigns')")
    page.wait_for_selector("#end-title:text('White wins')")
    assert page.locator(".player.turn").count() == 0  # though there are moves to try
    page.click("#swap")
    page.wait_for_selector("#player1 .name:text('White: you')")
    page.wait_for_selector("#status:text('your move')")
    assert page.locator("#end").is_hidden()


def test_a_game_is_named_kept_opened_again_and_deleted(page: Any, server: Server, tmp_path: Path) -> None:
    begin(page, "othello", "", "person", "engine quick")
    page.click(f"{SQUARE}.can[aria-label^='f5']")
    page.wait_for_selector("#moves li:nth-child(2)")
    page.wait_for_selector(f"{SQUARE}.can")
    assert page.inner_text("#opening") in ("", "Perpendicular", "Diagonal", "Parallel")
    page.click("#resign")
    page.click("#resign")
    page.wait_for_selector("#status:text-matches('resigns')")
    played = page.inner_text("#moves")
    page.click("#back")
    page.wait_for_function("() => location.hash.startsWith('#replay=') && location.hash.endsWith('&at=1')")
    address = page.evaluate("location.hash")
    page.reload()
    page.wait_for_selector("#moves button[aria-current]:text('1. f5')")
    assert page.inner_text("#end-title") == "White wins"
    assert page.locator("#rematch").is_visible()
    page.click("#mygames summary")
    row = page.locator("#kept-list li").first
    expect(row).to_contain_text("you – quick, level 5, novice")
    expect(row).to_contain_text("0-1 (\u221264) · 2 moves")
    row.get_by_text("Rename").click()
    page.keyboard.type("my first")
    page.keyboard.press("Enter")
    expect(row.get_by_role("button").first).to_have_text("my first")
    page.goto(f"http://{server.host}/")
    page.wait_for_selector("#board .piece")
    page.click("#mygames summary")
    page.click("#kept-list button:text('my first')")
    page.wait_for_selector("#moves li:nth-child(2)")
    assert page.inner_text("#moves") == played
    assert page.inner_text("#player0 .name") == "Black: you"
    assert [page.inner_text(f"#player1 .{each}") for each in ("name", "limit")] == [
        "White: quick",
        "level 5: novice (Elo 810)",
    ]
    assert page.input_value("#who1") == "engine quick"
    kinds = {"txt": "f5 ", "ggf": "(;GM[Othello]", "jsonl": '{"spec"', "svg": "<svg", "png": "\x89PNG"}
    for kind, begins in kinds.items():
        with page.expect_download() as saving:
            page.click(f"#files [data-kind={kind}]")
        path = tmp_path / f"game.{kind}"
        saving.value.save_as(path)
        assert path.read_bytes().decode("latin-1").startswith(begins)
    page.locator("#replay").evaluate("element => element.open = true")
    for kind in ("jsonl", "ggf", "txt"):
        page.set_input_files("#file", tmp_path / f"game.{kind}")
        page.wait_for_selector("#moves li:nth-child(2)")
        assert page.inner_text("#moves") == played
    assert_all_can_use(page)
    page.check("#kept-list li:has-text('my first') input")
    page.click("#kept-delete:text('Delete')")
    assert page.locator("#kept-list button:text('my first')").is_visible()
    page.click("#kept-delete:text('Really delete?')")
    expect(page.locator("#kept-list button:text('my first')")).to_have_count(0)
    page.goto(f"http://{server.host}/?deleted{address}")  # whose moves are shown nevertheless
    page.wait_for_selector("#moves button[aria-current]:text('1. f5')")
    assert page.inner_text("#moves") == played


def test_a_game_that_is_opened_is_saved_as_it_was_kept(page: Any, server: Server, tmp_path: Path) -> None:
    def saved(kind: str) -> str:
        with page.expect_download() as saving:
            page.click(f"#files [data-kind={kind}]")
        saving.value.save_as(tmp_path / f"game.{kind}")
        return (tmp_path / f"game.{kind}").read_text()

    moves = [{"move": "f5", "by": "black", "elapsed_ms": 1500}, {"move": "d6", "by": "white", "score": 300}]
    names = {"black": {"name": "Zoë"}, "white": {"name": "quietmove, level 5, novice"}}
    kept = {
        "spec": {"game": "othello", "seed": 7, **names},
        "moves": moves,
        "reason": "resign",
        "detail": "Black (you) resigns",
        "margin_black": -64.0,
        "event": "a club evening",
        "date": "1999-12-31 23:59:59",
        "people": ["black"],
        "opponent": {"level": 5},
    }
    file = server.stores.parent / "quietmove" / "games" / "as-it-was.jsonl"
    file.write_text(json.dumps(kept))
    page.goto(f"http://{server.host}/?kept#replay=%2Fapi%2Fkept%2Fas-it-was")
    page.wait_for_selector("#moves li:nth-child(2)")
    file.unlink()
    for _ in range(2):
        record = SavedGame.read(saved("jsonl"))
        assert record.model_copy(update={"start": "", "spec": record.spec.model_copy(update={"seed": 7})}) == (
            SavedGame.read(json.dumps(kept))
        )
        for written in ("DT[1999-12-31 23:59:59]", "PB[Zoë]", "PW[quietmove, level 5, novice]", "PC[a club evening]"):
            assert written in saved("ggf")
        page.locator("#replay").evaluate("element => element.open = true")
        page.set_input_files("#file", tmp_path / "game.jsonl")
        page.wait_for_function("() => !location.hash.includes('replay')")


def test_kept_games_are_searched_and_several_deleted(page: Any, server: Server) -> None:
    folder = server.stores.parent / "quietmove" / "games"
    for number, moves in ((1, ("a1",)), (2, ("a1", "b2")), (3, ())):
        records = tuple(MoveRecord(move, "black") for move in moves)
        spec = Spec(game="tictactoe" if number < 3 else "nim")
        saved = SavedGame(spec=spec, moves=records, event=f"lesson {number}", date=f"2001-01-0{number} 10:00:00")
        write_game(saved, folder / f"lesson-{number}.jsonl", replaces=False)

    def expect_listed(*titles: str) -> None:
        expect(page.locator("#kept-list li button:first-of-type")).to_have_text(list(titles))

    page.click("#mygames summary")
    page.fill("#kept-search", "LESSON")
    expect_listed("lesson 3", "lesson 2", "lesson 1")
    page.select_option("#kept-sort", "oldest")
    expect_listed("lesson 1", "lesson 2", "lesson 3")
    page.select_option("#kept-game", "tictactoe")
    expect_listed("lesson 1", "lesson 2")
    page.select_option("#kept-sort", "longest")
    expect_listed("lesson 2", "lesson 1")
    assert_all_can_use(page)
    page.check("#kept-all")
    for _ in range(2):
        page.click("#kept-delete")
    expect_listed()
    assert page.inner_text("#kept-none") == "No game is like this."
    page.select_option("#kept-game", "")
    expect_listed("lesson 3")
    page.check("#kept-list input")
    assert page.is_checked("#kept-all")
    for _ in range(2):
        page.click("#kept-delete")
    expect_listed()
    assert list(folder.glob("lesson-*")) == []


def test_a_move_is_taken_before_the_opponent_has_been_started(page: Any) -> None:
    held: list[Any] = []

    def pass_on(socket: Any) -> None:
        server = socket.connect_to_server()

        def tell(message: str) -> None:  # the server asks for the first move when all engines are there
            if json.loads(message)["type"] == "turn" and not held:
                held.append(message)
                page.evaluate("() => { document.body.dataset.held = true; }")
            else:
                socket.send(message)

        server.on_message(tell)
        page.release = lambda: socket.send(held[0])

    begin(page, "othello", "", "person", "engine quick")
    page.wait_for_selector("#status:text('your move')")
    assert page.title() == "Your move - Games - Quietmove"
    for _ in range(2):
        page.click("#resign")
    page.wait_for_selector("#end-title:visible")
    assert page.title() == "Games - Quietmove"
    page.route_web_socket("**/sessions/*", pass_on)
    page.click("#rematch")
    page.wait_for_selector("body[data-held]")
    page.click(f"{SQUARE}.can[aria-label^='f5']")
    page.release()
    page.wait_for_selector("#moves li:nth-child(2)")
    assert page.inner_text("#moves li:nth-child(1)") == "1. f5"


@pytest.mark.parametrize("button", ["#playon", "#form button", "#paste button"])
def test_what_leaves_a_game_that_runs_asks_first(page: Any, button: str) -> None:
    begin(page, "tictactoe", "", "person", "person")
    page.wait_for_selector("#status:text('your move')")
    page.locator(f"{SQUARE}.can").first.click()
    page.wait_for_selector("#moves li:nth-child(1)")
    address = page.evaluate("location.hash")
    page.locator("#new").evaluate("element => element.open = true")
    if button == "#paste button":
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.evaluate("() => navigator.clipboard.writeText('b2 a1')")
        page.locator("h1").click()
        page.keyboard.press("Control+v")
    else:
        page.locator(button).first.click()
    page.locator(f"{button}:text('Leave this game?')").click()
    page.wait_for_function("(old) => location.hash !== old", arg=address)
    page.wait_for_selector("#return:visible")


def test_what_is_pasted_and_is_no_game_is_said(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.wait_for_selector("#board .piece")
    page.evaluate("() => navigator.clipboard.writeText('the quick brown fox')")
    page.keyboard.press("Control+v")
    page.wait_for_selector("#error:visible:text(\"'the' is no move\")")
    assert page.locator("#error").evaluate("line => line.checkVisibility()")


def test_the_address_says_what_is_shown_and_what_was_replaced_comes_back(page: Any, server: Server) -> None:
    page.goto(f"http://{server.host}/?again#game=othello&moves=f5d6c3d3c4&at=4")
    page.wait_for_selector("#moves li:nth-child(5)")
    assert page.locator("#moves [aria-current]").inner_text().startswith("4. d3")
    page.click("#forward")
    expect(page.locator("#opening")).to_have_text("Tiger")
    page.wait_for_function("() => location.hash === '#game=othello&moves=f5+d6+c3+d3+c4'")
    page.select_option("#who1", "engine quick")
    page.click("#playon")
    page.wait_for_selector("#status:text('your move')")
    page.wait_for_function("() => location.hash.startsWith('#session=')")
    played = page.inner_text("#moves")
    page.click("#editor summary")
    page.click(f"{SQUARE} >> nth=0")
    page.wait_for_selector("#moves li", state="detached")
    page.click("#return")
    page.wait_for_selector(f"{SQUARE}.can")
    page.wait_for_selector("#status:text('your move')")
    assert page.inner_text("#moves") == played
    page.click("#return")
    page.wait_for_selector("#moves li:nth-child(5)")


@pytest.mark.parametrize("cut", ["game=oth", "game=othello&moves=f5+d", "replay=%2Fapi%2Fkept%2Foth"])
def test_an_address_that_was_cut_short_leaves_the_usual_board(page: Any, server: Server, cut: str) -> None:
    page.goto(f"http://{server.host}/?{len(cut)}#{cut}")
    page.wait_for_selector("#error:visible")
    page.locator(f"{SQUARE}.can").first.click()
    page.wait_for_selector("#status:text('your move')")


def test_a_game_that_is_gone_leaves_a_page_to_begin_another(page: Any, server: Server) -> None:
    page.goto("about:blank")  # a new fragment alone would not load the page again
    page.goto(f"http://{server.host}/#session=gone")
    page.wait_for_selector("#status:text-matches('that game is gone', 'i')")
    assert page.locator("#board .piece").count() == 4
    begin(page, "tictactoe", "", "person", "engine quick")
    page.locator(f"{SQUARE}.can").first.click()
    page.wait_for_selector("#moves li:nth-child(2)")
    page.evaluate("""() => fetch(`/api/sessions/${new URLSearchParams(location.hash.slice(1)).get("session")}`,
        { method: "DELETE" })""")
    page.wait_for_selector("#status:text('What was played of it is in My games.')")
    page.click("#mygames summary")
    page.click("#kept-list button >> nth=0")
    page.wait_for_selector("#moves li:nth-child(2) [aria-current]")  # where it goes on
    page.click("#playon")
    page.wait_for_selector("#status:text('your move')")


def test_a_lost_connection_is_found_again_and_the_game_goes_on(context: Any, server: Server) -> None:
    with opened(context, server, "net::ERR_FAILED", "403 (Forbidden)") as page:
        lose_the_connection(page)


def lose_the_connection(page: Any) -> None:
    sockets: list[Any] = []

    def pass_on(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/sessions/*", pass_on)
    begin(page, "othello", "", "person", "engine quick")
    page.click(f"{SQUARE}.can >> nth=0")
    page.wait_for_selector("#moves li:nth-child(2)")
    page.wait_for_selector(f"{SQUARE}.can")
    sockets[-1].close(code=1001)
    while len(sockets) < 2:
        page.wait_for_timeout(20)
    page.wait_for_selector("#status:text('your move')")
    page.click(f"{SQUARE}.can >> nth=0")
    page.wait_for_selector("#moves li:nth-child(4)")
    page.route("**/api/server", lambda route: route.abort())
    page.route_web_socket("**/sessions/*", lambda socket: socket.close(code=1001))
    sockets[-1].close(code=1001)
    page.wait_for_selector("#status:text('open the address that it prints')")
    assert page.locator("#board .piece").count() == 8
    page.unroute("**/api/server")
    page.context.clear_cookies()
    page.wait_for_selector("#status:text('has printed, with its token')")


def test_a_page_that_is_loaded_again_keeps_the_players(page: Any) -> None:
    page.locator("#new").evaluate("element => element.open = true")
    page.select_option("#gamename", "tictactoe")
    page.select_option("#who0", "engine quick")
    page.select_option("#who1", "person")
    page.select_option("#level0", "3")
    page.select_option("#limit0", "depth=4")
    page.click("#form button[type=submit]")
    page.wait_for_selector("#status:text('your move')")
    page.locator(f"{SQUARE}.can").first.click()
    page.wait_for_selector("#moves li:nth-child(3)")
    page.reload()
    page.wait_for_selector(f"{SQUARE}.can")
    assert page.input_value("#gamename") == "tictactoe"
    page.click("#takeback")
    page.wait_for_selector("#moves li:nth-child(3)", state="detached")
    page.wait_for_selector(f"{SQUARE}.can")
    assert page.inner_text("#player1 .name") == "O: you"
    assert (page.input_value("#who0"), page.input_value("#level0")) == ("engine quick", "3")
    assert page.inner_text("#player0 .limit") == "level 3: novice, 4 plies"


def test_a_level_that_was_chosen_stays_though_the_server_is_slow(page: Any) -> None:
    """What the server says of a game has its usual level; it came after a person had chosen another one."""
    held: list[Any] = []
    page.wait_for_selector("#status:text('Choose the players and begin')")
    page.route("**/api/game?name=*", lambda route: held.append(route))
    with page.expect_request("**/api/game?name=*"):
        page.select_option("#gamename", "tictactoe")
    page.select_option("#level1", "3")
    held[0].continue_()
    page.wait_for_selector("#legend0:text-is('X')")
    assert page.input_value("#level1") == "3"


@pytest.mark.parametrize(
    ("game", "parameters"), [("connect", "4x4x3"), ("nim", "1,2"), ("capture", ""), ("einstein", "")]
)
def test_every_game_has_a_board(page: Any, game: str, parameters: str) -> None:
    begin(page, game, parameters, "person", "engine quick")
    play_on(page)
    assert moves(page) > 1
    page.wait_for_selector("#why:text-matches('^A review')" if game == "einstein" else "#review")
    assert page.locator("#review").is_visible() == (game != "einstein")
    assert page.inner_text("#why").startswith("A review is not possible") == (game == "einstein")


def test_what_cannot_be_done_in_a_game_is_said(page: Any) -> None:
    page.select_option("#gamename", "whist")
    page.wait_for_selector("#why:text('do not see all cards')")
    assert page.locator("#analyse").is_hidden()
    assert page.locator("#copynumbers").is_hidden()
    page.select_option("#gamename", "tictactoe")
    page.wait_for_selector("#analyse")
    assert page.inner_text("#why") == ""


def test_a_sentence_leaves_the_name_of_an_engine_as_it_is(page: Any) -> None:
    begun = """async (texts) => {
      const { sentence } = await import("/static/players.js");
      return texts.map((text) => sentence(text, [{ name: "mine", person: false }, { name: "person", person: true }]));
    }"""
    texts = ["mine (black) crashed", "person (white) resigns", "the game is over: a draw"]
    assert page.evaluate(begun, texts) == [texts[0], "Person (white) resigns", "The game is over: a draw"]


def test_a_person_plays_cards_and_sees_those_of_the_engine_at_the_end(page: Any) -> None:
    begin(page, "whist", "2x4 3", "person", "engine quick")
    page.wait_for_selector(f"{ITEM}.can")
    assert page.locator("#board .back").count() == 3 + 1  # and the stock
    assert page.locator("#takeback, #playon").filter(visible=True).count() == 0
    play_on(page)
    page.keyboard.press("Home")
    assert page.locator("#board .back").count() == 1
    assert page.locator("#board .card").count() == 6
    assert page.locator("#playon").is_visible()


def test_a_stone_of_a_picture_is_taken_by_keys(page: Any) -> None:
    begin(page, "nim", "1,3", "person", "engine quick")
    page.wait_for_selector(f"{ITEM}.can")
    page.locator(f"{ITEM}[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    said = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert said == "pile 2, stone 2 of 3: takes 2, legal move"
    assert page.locator("#board .going").count() == 2
    page.keyboard.press("Enter")
    page.wait_for_selector("#moves li:nth-child(2)")
    assert page.inner_text("#moves li:nth-child(1)") == "1. 2-2"
    page.wait_for_selector("#status:text-matches('^White played [12]-1[.] Black: your move[.]$')")
    page.check("#analyse")  # of the two stones that were left the engine has taken one
    page.wait_for_selector(f"{ITEM}.can[aria-label$='takes 1, legal move, wins']")
    assert page.text_content("#board text.score.best") == "wins"


def test_a_game_that_is_won_and_few_nodes_are_said_as_they_are(page: Any) -> None:
    begin(page, "connect", "4x4x3", "engine quick", "engine level")
    page.wait_for_selector("#status:text-matches('the game is over', 'i')")
    assert all(len(text) == 2 for text in page.locator("#graph text").all_text_contents())  # a win is at the edge
    assert "0.0 M" not in page.inner_text("#thinking-box")


def test_two_engines_are_watched_and_a_reload_finds_the_game(page: Any) -> None:
    begin(page, "othello", "6x6", "engine quick", "engine level")
    page.wait_for_selector("#moves li:nth-child(3)")
    page.reload()
    page.wait_for_selector("#status:text-matches('the game is over', 'i')")
    assert moves(page) > 20
    assert page.locator("#graph path").count() == 2
    first, other = page.inner_text("#moves"), page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(f"#moves li:nth-child({moves(page)})")
    assert other.inner_text("#moves") == first
    other.close()


def test_a_piece_is_lifted_and_moved_by_clicks_keys_and_dragging(page: Any) -> None:
    def cell(number: int) -> Any:
        return page.locator(f"{SQUARE}[aria-label^='{number},']")

    def made(count: int) -> str:
        page.wait_for_selector(f"#moves li:nth-child({count})")
        page.wait_for_selector(f"{SQUARE}.lifts")
        return str(page.inner_text(f"#moves li:nth-child({count})"))

    begin(page, "capture", "X-XO--X--O", "person", "person")
    page.wait_for_selector(f"{SQUARE}.lifts")
    cell(2).click()
    assert page.locator("#board .choices button").all_text_contents() == ["1-2", "3-2"]
    cell(1).click()
    assert page.locator("#board .choices").count() == 0
    assert page.locator(LIFTED).get_attribute("aria-label") == "1, Black, lifted, can move to 2"
    cell(7).click()
    assert page.inner_text("#board .heard") == "7, Black is lifted; it can move to 6, 8."
    page.keyboard.press("Escape")
    assert page.locator(LIFTED).count() == 0
    cell(7).click()
    cell(8).click()
    assert made(1) == "1. 7-8"
    cell(10).focus()
    for key in ("Enter", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert made(2) == "2. 10-9"
    cell(8).drag_to(cell(9))
    assert made(3) == "3. 8-9"
    assert page.locator("#board .piece").count() == 4
    cell(5).click()  # which only one move reaches
    assert made(4) == "4. 4-5"
    page.set_viewport_size({"width": 300, "height": 700})
    width, seen = page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= seen
    assert cell(10).bounding_box()["width"] > 29  # a long row is scrolled


def test_games_are_pasted_and_imported(page: Any, tmp_path: Path) -> None:
    page.click("#replay summary")
    page.fill("#transcript", "f5d6c3 d3")
    page.click("#paste button")
    page.wait_for_selector("#moves li:nth-child(4)")
    page.fill("#transcript", "f5 a1")
    page.click("#paste button")
    page.wait_for_selector("#error:text('move 2')")
    assert moves(page) == 4
    (tmp_path / "two.ggf").write_text(f"{GGF.format(START)}\n{GGF.format(START).replace('ann', 'zoe')}\n")
    page.set_input_files("#file", tmp_path / "two.ggf")
    page.wait_for_selector("#imported option:nth-child(2)", state="attached")
    page.select_option("#imported", "1")
    page.wait_for_selector("#player0:has-text('zoe')")
    (tmp_path / "one.obf").write_text(f"{'X' * 10}{'O' * 20}{'-' * 34} O; a1:+2\n")
    page.set_input_files("#file", tmp_path / "one.obf")
    page.wait_for_selector("#moves li", state="detached")
    assert page.locator("#board .piece.side1").count() == 20
    (tmp_path / "bad.wtb").write_bytes(b"no game")
    page.set_input_files("#file", tmp_path / "bad.wtb")
    page.wait_for_selector("#error:visible")


def test_moves_that_are_tried_stand_beside_the_game(page: Any) -> None:
    def listed() -> list[str]:
        return [" ".join(each.split()) for each in page.locator("#moves li").all_inner_texts()]

    def put(square: str, count: int) -> None:
        page.click(f"{SQUARE}[aria-label^='{square}']")
        page.wait_for_selector(f"#moves button[aria-current]:text('{count}. {square}')")

    replay(page, "tictactoe", "b2 b1 a1 c3")
    page.focus("#moves")
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    put("c1", 3)
    put("a3", 4)
    page.keyboard.press("Home")  # on the board it goes through the line that is shown
    for _ in range(3):
        page.keyboard.press("PageDown")
    put("b3", 4)
    page.fill("#comment", "wins")
    page.keyboard.press("Enter")
    assert listed() == ["1. b2", "2. b1", "3. a1", "3. c1 4. a3", "4. b3 wins", "4. c3"]
    assert_all_can_use(page)
    with page.expect_download():
        page.click("#files [data-kind=txt]")
    page.wait_for_selector("#status:text('without variations and comments')")
    page.click("#promote")
    assert listed()[3:5] == ["3. c1 4. b3 wins", "4. a3"]
    page.click("#promote")
    assert listed() == ["1. b2", "2. b1", "3. c1", "3. a1 4. c3", "4. b3", "wins", "4. a3"]
    page.click("#moves button:text('3. a1')")
    assert page.locator("#delete").is_hidden()  # what was played stays
    page.click("#moves button:text('4. a3')")
    page.click("#delete")
    assert listed()[-1] == "wins"
    page.click("#moves button:text('4. b3')")
    page.select_option("#who1", "person")
    page.click("#playon")  # the game goes on from there
    page.wait_for_selector("#status:text('your move')")
    assert listed() == ["1. b2", "2. b1", "3. c1", "4. b3"]


def test_the_board_is_turned_and_its_notation_chosen(page: Any) -> None:
    page.locator("#display").evaluate("element => element.open = true")
    page.click("#turn")
    last, first = (page.locator(f"{SQUARE}[aria-label^='{name}']").bounding_box() for name in ("h8", "a1"))
    assert last["x"] < first["x"]
    assert last["y"] < first["y"]
    page.select_option("#notation", "numbers")
    page.check("#sound")
    page.reload()
    page.wait_for_selector(f"{SQUARE}[aria-label^='8 8']")
    assert page.locator("#board svg text").all_text_contents()[:8] == list("12345678")
    assert page.is_checked("#sound")
    page.click(f"{SQUARE}[aria-label^='4 6']")  # d3, which begins a game
    page.wait_for_selector("#moves li:nth-child(2)")
    assert page.inner_text("#moves li:nth-child(1)") == "1. 4 6"
    page.evaluate("localStorage.clear()")


def replay(page: Any, game: str, transcript: str) -> None:
    page.select_option("#gamename", game)
    page.locator("#replay").evaluate("element => element.open = true")
    page.fill("#transcript", transcript)
    page.click("#paste button")
    if page.locator("#paste button.sure").count():  # a game runs, and would be left
        page.click("#paste button")
    page.wait_for_selector(f"#moves li:nth-child({len(transcript.split())}) [aria-current]")  # its end is shown
    page.click("#first")


def test_each_move_is_scored_and_a_game_is_looked_over(page: Any) -> None:
    replay(page, "tictactoe", "b2 b1 a1 c3")
    page.click("#hint")
    page.wait_for_selector("#hinted:text('Hint: ')")
    assert page.locator("#board text.score").count() == 1
    page.check("#book")
    page.wait_for_selector("#board text.score >> nth=3")  # the four corners
    page.uncheck("#book")
    page.check("#analyse")
    expect(page.locator("#board text.score")).to_have_count(9, timeout=WAIT_MS)
    assert page.locator("#board .best").count() >= 1
    page.focus("#moves")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#board text.score")).to_have_count(5, timeout=WAIT_MS)
    assert page.locator(f"{SQUARE}[aria-label*='legal move, wins']").count() >= 1
    page.uncheck("#analyse")
    page.wait_for_selector("#board text.score", state="detached")
    page.wait_for_selector("#board .legal")
    page.select_option("#effort", "movetime=5000")
    page.click("#review")
    page.wait_for_selector("#moves li:nth-child(2) .note:text('loses?')")
    page.wait_for_selector("#progress", state="hidden")
    assert page.inner_text("#totals caption") == "Exact from move 1 on"
    page.click("#graph .found")
    assert page.inner_text("#moves [aria-current]").startswith("2. b1")
    assert page.inner_text("#found-text") == "2. b1?, a mistake: it loses, exactly."
    assert page.locator("#board circle.better").count() >= 2
    better = page.inner_text("#better").split()[1]
    page.click("#better")  # which plays it beside the game
    page.wait_for_selector(f"#moves li.aside [aria-current]:text('2. {better}')")
    cells = page.locator("#totals tr:has-text('Mistakes') td").all_text_contents()
    assert cells == ["0", "1"]
    page.click("#playon")
    page.wait_for_selector("#totals tr", state="detached")


def test_a_transcript_is_shown_though_a_game_was_chosen_just_before(page: Any) -> None:
    """What the server says of the game comes after the transcript was sent, and the transcript's answer after that."""
    page.wait_for_selector("#status:text('Choose the players and begin')")
    held: dict[str, Any] = {}

    def hold(route: Any) -> None:
        held["replay" if route.request.url.endswith("replay") else "game"] = route

    page.route("**/api/game?name=*", hold)
    page.route("**/api/replay", hold)
    page.locator("#replay").evaluate("element => element.open = true")
    page.fill("#transcript", "b2")
    with page.expect_request("**/api/game?name=*"):
        page.select_option("#gamename", "tictactoe")
    with page.expect_request("**/api/replay"):
        page.click("#paste button")
    with page.expect_response("**/api/game?name=*"):
        held["game"].continue_()
    page.wait_for_selector("#legend0:text-is('X')", state="attached")
    held["replay"].continue_()
    page.wait_for_selector("#moves li:nth-child(1) [aria-current]")


def test_an_engine_that_writes_no_info_gives_its_move_as_a_hint(context: Any, tmp_path: Path) -> None:
    (tmp_path / "engine").write_text(MUTE)
    words = ("--engine", "name=mute", f"cmd=sh -c '. {tmp_path}/engine' d6")
    with (
        serving(*words, XDG_DATA_HOME=str(tmp_path)) as (process, address),
        opened(context, Server(address, process, tmp_path)) as page,
    ):
        replay(page, "othello", "f5")
        page.click("#last")
        page.click("#hint")
        page.wait_for_selector("#hinted:text-is('Hint: d6')")
        assert page.locator("#board circle.pv").count() == 1
        page.check("#analyse")
        page.wait_for_selector("#thinking tbody tr:has-text('d6')")
        assert page.locator("#error").is_hidden()
        page.uncheck("#analyse")
        page.click("#review")
        page.wait_for_selector("#error:text('writes no scores')")


def test_a_position_is_set_up_on_the_squares_and_as_text(page: Any) -> None:
    page.click("#editor summary")
    page.click("#clear")
    expect(page.locator("#board .piece")).to_have_count(0, timeout=WAIT_MS)
    page.focus(f"{SQUARE}[aria-label^='a1']")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_selector("#status:text('Black to move.')")
    assert page.input_value("#edited") == f"XO{'-' * 62} X"
    assert page.locator("#board .legal").count() == 1
    page.select_option("#tomove", "1")
    page.wait_for_selector("#status:text('White to move.')")
    page.fill("#edited", "XO")
    page.keyboard.press("Enter")
    page.wait_for_selector("#error:text('2 fields')")
    assert page.locator("#board .piece").count() == 2
    page.fill("#edited", f"XO{'-' * 62} X")
    page.keyboard.press("Enter")
    page.wait_for_selector("#status:text('Black to move.')")
    page.select_option("#who1", "person")
    page.click("#playon")
    page.wait_for_selector("#status:text('your move')")
    page.click(f"{SQUARE}[aria-label^='c1']")
    page.wait_for_selector("#status:text('Black wins by 64')")


def test_what_cannot_be_a_position_stays_on_the_board(page: Any) -> None:
    page.select_option("#gamename", "tictactoe")
    expect(page.locator(SQUARE)).to_have_count(9, timeout=WAIT_MS)
    page.click("#editor summary")
    page.click(f"{SQUARE}[aria-label^='b2']")
    page.wait_for_selector("#error:visible")
    page.keyboard.press("Home")  # draws the same step again
    assert page.locator("#board text.letter.side0").all_text_contents() == ["X"]
    assert page.input_value("#edited") == "----X---- X"
    page.select_option("#tomove", "1")
    page.wait_for_selector("#status:text('O to move.')")
    assert page.locator("#error").is_hidden()


def test_the_game_that_was_chosen_last_is_shown(page: Any, tmp_path: Path) -> None:
    (tmp_path / "two.ggf").write_text(f"{GGF.format(START)}\n{GGF.format(START).replace('ann', 'zoe')}\n")
    held: list[Any] = []
    page.route("**/api/opened", lambda route: route.continue_() if held else held.append(route))
    page.click("#replay summary")
    page.set_input_files("#file", tmp_path / "two.ggf")
    page.wait_for_selector("#imported option:nth-child(2)", state="attached")
    page.select_option("#imported", "1")
    page.wait_for_selector("#player0:has-text('zoe')")
    with page.expect_response("**/api/opened") as answer:
        held[0].continue_()
    answer.value.finished()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert "zoe" in page.inner_text("#player0")


def test_what_is_copied_is_said(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#replay summary")
    page.fill("#transcript", "f5d6c3")
    page.click("#paste button")
    page.wait_for_selector("#moves li:nth-child(3)")
    page.click("#copy")
    page.wait_for_selector("#status:text('The moves are copied.')")
    assert page.evaluate("() => navigator.clipboard.readText()") == "f5 d6 c3"
    page.click("#copynumbers")
    page.wait_for_selector("#status:text('The moves are copied as numbers.')")
    assert page.evaluate("() => navigator.clipboard.readText()") == "6 4 4 3 3 6"
    page.evaluate("() => navigator.clipboard.writeText('6 4 4 3 3 6 4 6')")
    page.keyboard.press("Control+v")
    page.wait_for_selector("#moves li:nth-child(4)")


def test_a_telephone_is_wide_enough(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.wait_for_selector("#begin").bounding_box()["y"] < 700
    page.fill("#parameters", "9x9")
    page.click("#form button[type=submit]")
    page.wait_for_selector("label:has(#parameters) + #error:text('9x9')")
    assert page.get_attribute("#parameters", "aria-invalid") == "true"
    assert 0 <= page.locator("#error").bounding_box()["y"] < 740
    begin(page, "othello", "", "person", "engine quick")
    page.wait_for_selector(f"{SQUARE}.can")
    width, seen = page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= seen
    first = page.locator(SQUARE).first.bounding_box()
    assert first["width"] > 35
    assert first["y"] > 0  # the form, which was chosen from, stands below the board


def test_axe_finds_nothing_serious(page: Any) -> None:
    begin(page, "tictactoe", "", "person", "engine level")
    page.wait_for_selector(f"{SQUARE}.can")
    page.check("#analyse")
    expect(page.locator("#board text.score")).to_have_count(9, timeout=WAIT_MS)
    for part in ("new", "howto", "editor", "replay"):
        page.locator(f"#{part}").evaluate("element => element.open = true")
    page.wait_for_function("() => document.getElementById('rulesboard').naturalWidth > 0")
    assert page.get_attribute("#rulesboard", "alt") == "Tic-tac-toe after some moves"
    assert_all_can_use(page)
    replay(page, "tictactoe", "b2 b1 a1 c3")
    page.select_option("#effort", "movetime=5000")
    page.click("#review")
    page.wait_for_selector("#moves .note")
    page.click("#last")
    assert_all_can_use(page)


def test_who_plays_by_buttons_stays_on_them(page: Any) -> None:
    begin(page, OWN_GAME, "", "person", "engine quick")
    page.wait_for_selector("#status:text('your move')")
    page.focus("#board .choices button >> nth=2")
    page.keyboard.press("Enter")
    page.wait_for_selector("#moves li:nth-child(2)")
    page.wait_for_selector("#board .choices button:focus")
    assert page.evaluate("() => document.querySelector('#board pre').tabIndex") == 0  # a wide one is scrolled by keys
    page.locator("#board .choices button").last.evaluate("button => { button.id = 'kept'; }")
    page.check("#analyse")
    page.wait_for_selector("#thinking tbody tr")  # which has drawn the page anew
    assert page.locator("#kept").is_visible()
    page.uncheck("#analyse")
    assert page.inner_text("#board pre").endswith("to move")
    for _ in range(2):
        page.click("#resign")
    page.wait_for_selector("#board pre:text-matches('game over$')")


def test_who_passes_by_keys_is_on_the_board_for_the_next_move(page: Any) -> None:
    page.select_option("#gamename", "whist")
    page.fill("#parameters", "1x5 2")
    page.locator("#parameters").press("Enter")
    page.wait_for_selector("#status:text('your move')")  # nothing is drawn any more
    page.locator("#editor").evaluate("element => element.open = true")
    page.fill("#edited", "s1s2 s4s5 - B")  # Black loses the first trick, passes, and then plays the other card
    page.locator("#edited").press("Enter")
    page.wait_for_selector("#status:text-is('Black to move.')")
    page.click("#playon")
    page.wait_for_selector("#status:text('your move')")  # a click before that tries a move beside the game
    page.locator(f"{ITEM}.can").first.click()
    page.focus("#board .choices button")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"{ITEM}.can:focus")


def test_a_game_is_played_opened_again_tried_and_reviewed_by_keys_alone(page: Any) -> None:
    def reach(selector: str, key: str) -> None:
        """Press Tab until an element is reached, and then a key."""
        for _ in range(150):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                break
            page.keyboard.press("Tab")
        else:
            raise AssertionError(f"Tab does not reach {selector}")
        page.keyboard.press(key)

    def put(square: str, count: int) -> None:
        reach(f"{SQUARE}[tabindex='0']", "ArrowUp")
        for key in ["ArrowUp", "ArrowLeft", "ArrowLeft", *steps_to(square), "Enter"]:
            page.keyboard.press(key)
        page.wait_for_selector(f"#moves button[aria-current]:text('{count}. {square}')")

    reach("#gamename", "t")
    reach("#who1", "y")
    reach("#form button[type=submit]", "Enter")
    page.wait_for_selector("#status:text('your move')")
    for count, square in enumerate(("b2", "b1", "a1", "c2", "c3"), 1):
        put(square, count)
    page.wait_for_selector("#end-title:text('X wins')")
    assert_all_can_use(page)
    reach("#mygames summary", "Enter")
    row = page.locator("#kept-list li", has_text="tictactoe").first  # other games of this server may have gone on since
    row.locator("button").first.evaluate("button => { button.id = 'just-played'; }")
    reach("#just-played", "Enter")
    page.wait_for_selector("#return:visible")  # to the game that was just played, whose end is shown as before
    reach("#first", "Enter")
    put("c1", 1)
    page.keyboard.press("PageUp")
    reach("#moves li.aside button", "Enter")
    page.wait_for_selector("#moves li.aside button[aria-current]:text('1. c1')")
    assert_all_can_use(page)
    reach("#moves li:not(.aside) button", "Enter")
    page.wait_for_selector("#moves li:not(.aside) button[aria-current]:text('1. b2')")
    reach("#review", "Enter")
    page.wait_for_selector("#totals caption")
    reach("#graph .found", "Enter")
    page.wait_for_selector("#found-text:text('2. b1?')")
    reach("#better", "Enter")
    page.wait_for_selector("#moves li.aside button[aria-current]:text-matches('^2. ')")
    assert_all_can_use(page)


def steps_to(square: str) -> list[str]:
    """Return the keys that lead from a1 to a square that is named by its label."""
    return ["ArrowRight"] * (ord(square[0]) - ord("a")) + ["ArrowDown"] * (int(square[1]) - 1)
