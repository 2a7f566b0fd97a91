"""The page on which games are played and replayed, and the one that asks for a password, in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from quietmove.referee.game.saved import SavedGame, Spec, write_game
from quietmove.referee.game.transcript import MoveRecord
from tests.addons.conftest import (
    OWN_GAME,
    WAIT_MS,
    Server,
    expect_all_can_use,
    expect_no_wider_than_the_window,
    opened,
    serving,
    shows,
    unfold,
    watched,
)

SECRET = "correct horse & 8+ letters"
START = "---------------------------O*------*O---------------------------"
GGF = "(;GM[Othello]PC[x]PB[{}]PW[bob]RE[+2]TY[8]BO[8 " + START + " *]B[F5]W[D6]B[C3]W[D3];)\n"
SQUARE = "#board .field button"
PIECE = "#board .piece"
SCORE = "#board text.score"
ITEM = "#board .picture button"
LIFTED = f"{SQUARE}[aria-pressed=true]"
CHOICE = f"{SQUARE}:is(.can, .lifts), {ITEM}.can, .choices button"
YOUR_MOVE = "#status:text('your move')"


def begin(page: Any, game: str, parameters: str, black: str, white: str) -> None:
    """Start a game and, if a person is Black, wait until it has begun: until then, a click does nothing."""
    request_game(page, game, parameters, black, white)
    if black == "person":
        page.wait_for_selector(CHOICE)


def request_game(page: Any, game: str, parameters: str, black: str, white: str) -> None:
    new_game(page)
    page.select_option("#gamename", game)
    page.fill("#parameters", parameters)
    page.select_option("#who0", black)
    page.select_option("#who1", white)
    page.click("#form button[type=submit]")
    page.wait_for_selector("#new", state="hidden")


def choose_panel(page: Any, name: str) -> None:
    """Open a panel, unless it is open."""
    tab = page.locator(f"#{name}-tab")
    if tab.get_attribute("aria-expanded") != "true":
        tab.click()


def set_up(page: Any) -> None:
    """Open the position editor."""
    choose_panel(page, "more")
    page.click("#editor-tab")


def new_game(page: Any) -> None:
    """Open the form for a new game."""
    choose_panel(page, "more")
    page.click("#another")


def choose(page: Any, **fields: str) -> None:
    """Choose in the form for a new game, and begin none."""
    new_game(page)
    for name, value in fields.items():
        page.select_option(f"#{name}", value)
    page.click("#new [data-closes]")


def my_games(page: Any) -> None:
    """Open the first page, and its list of all the games that are kept, if there are any."""
    page.click("h1 a")
    page.wait_for_selector("#kept-list li, #kept-none:not(:empty)")
    if page.locator("#kept-more").is_visible():
        page.click("#kept-more")
        page.wait_for_selector("#kept-list.all li")


def open_game(page: Any) -> None:
    """Open the form for a game that is pasted, or read from a file."""
    choose_panel(page, "more")
    page.click("#import")


def square(page: Any, name: str) -> Any:
    return page.locator(f"{SQUARE}[aria-label^='{name}']")


def wait_for_move(page: Any, number: int) -> None:
    page.wait_for_selector(f"#moves li:nth-child({number})")


def wait_for_current(page: Any, text: str) -> None:
    """Wait until a move of the list, such as ``1. f5``, is the one that is shown."""
    page.wait_for_selector(f"#moves button[aria-current]:text('{text}')")


def expect_moves(page: Any, *texts: str) -> None:
    expect(page.locator("#moves li")).to_have_text(list(texts))


def play_on(page: Any, most: int = 100) -> int:
    """Make the first move offered, by clicks and keys, until the game is over or has enough moves; return how many."""
    over = "#status:text-matches('the game is over.*[(]|wins.*[(]|a draw.*[(]', 'i')"  # the result
    while True:
        page.wait_for_selector(f"{CHOICE}, {over}")
        before = page.locator("#moves li").count()
        is_over = page.locator(over).count()
        if is_over or before >= most:
            return int(before)
        lifts = page.locator(f"{SQUARE}.lifts").count()
        first = page.locator(f"{SQUARE}.lifts" if lifts else CHOICE).first
        if before % 4 < 2:
            first.click()
        else:
            first.press("Enter")
        if lifts:
            page.locator(LIFTED).wait_for()
            page.locator(f"{SQUARE}.can").first.click()
        wait_for_move(page, before + 1)


def replay(page: Any, game: str, transcript: str) -> None:
    choose(page, gamename=game)
    open_game(page)
    page.fill("#transcript", transcript)
    page.click("#paste button")
    page.wait_for_selector(f"#moves li:nth-child({len(transcript.split())}) [aria-current]")  # the last move is shown
    page.click("#first")


def save(page: Any, kind: str, folder: Path) -> Path:
    """Save the game that is shown as a file, and return its path."""
    choose_panel(page, "more")
    with page.expect_download() as saving:
        page.click(f"#files [data-kind={kind}]")
    path = folder / f"game.{kind}"
    saving.value.save_as(path)
    return path


def resign(page: Any) -> None:
    page.click("#resign")
    page.click("#resign:text('Really resign?')")
    page.wait_for_selector("#end-title:visible")


@pytest.mark.smoke
def test_a_whole_game_is_clicked_through(page: Any) -> None:
    late = """() => {
      const links = [...document.querySelectorAll("link[rel=modulepreload]")].map(link => link.href);
      const named = [...links, ...[...document.scripts].map(script => script.src)];
      const names = performance.getEntriesByType("resource").map(each => each.name);
      const modules = names.filter(name => name.endsWith(".js"));
      return [modules.length > 10, modules.filter(name => !named.includes(name))];
    }"""
    shows(page, late, [True, []])  # a module is requested only once the previous one has arrived
    begin(page, "othello", "4x4", "person", "engine quick")
    made = play_on(page)
    expect(page.locator("#status")).to_have_text(re.compile("wins by|a draw"))
    passes = page.locator("#moves li:has-text('pass')").count()
    expect(page.locator("#end-detail")).to_have_text(
        re.compile(f"^{made - passes} moves" + (f", {passes} pass" if passes else r"\b(?!.*pass)"))
    )
    page.focus("#moves")
    page.keyboard.press("Home")
    expect(page.locator(PIECE)).to_have_count(4)
    expect(page.locator("#takeback")).to_be_enabled()
    page.keyboard.press("ArrowRight")
    expect(page.locator(PIECE)).to_have_count(5)
    expect(page.locator("#board .placed")).to_have_count(1)
    page.click("#playon")
    page.wait_for_selector(YOUR_MOVE)
    expect(page.locator("#moves li")).to_have_count(2)  # the premove, and the engine's reply
    page.click("#takeback")
    expect_moves(page)
    page.wait_for_selector(f"{SQUARE}.can")
    expect(page.locator("#takeback")).to_be_disabled()
    resign(page)
    page.wait_for_selector("#status:text-matches('^The game is over: .* resigns')")
    expect(page.locator("#end-title")).to_have_text("You lost")
    expect(page.locator(".player.turn")).to_have_count(0)  # no one is to move, although moves can be tried
    page.click("#swap")
    page.wait_for_selector("#player1:has([aria-label=White]) .name:text('You')")
    page.wait_for_selector(YOUR_MOVE)
    expect(page.locator("#end")).to_be_hidden()


LONG = "c4 c5 b6 d3 c6 b4 d2 e3 b5 c3 e2 a5 f2 e1 d6 g2"


def test_a_move_is_taken_back_within_a_frame_and_the_graph_keeps_its_past(page: Any) -> None:
    """The earlier moves are not replayed; what the engine said of them stays."""
    replay(page, "othello", LONG)
    page.click("#last")
    begin_here = page.locator("#playon")
    begin_here.click()
    page.wait_for_selector(YOUR_MOVE)
    before = page.locator("#moves li").count()
    page.locator(f"{SQUARE}.can").first.click()
    wait_for_move(page, before + 2)
    page.wait_for_selector(YOUR_MOVE)
    page.locator(f"{SQUARE}.can").first.click()
    wait_for_move(page, before + 4)
    page.wait_for_selector(YOUR_MOVE)
    taken = """async () => {
      const counts = new Set();
      const look = () => counts.add(document.querySelectorAll("#moves li").length);
      new MutationObserver(look).observe(document.getElementById("moves"), { childList: true });
      document.getElementById("takeback").click();
      await new Promise(requestAnimationFrame);
      look();
      const once = [...counts];
      await new Promise(done => setInterval(() => document.querySelector("#board button.can") && done(), 10));
      look();
      return [once, [...counts]];
    }"""
    assert page.evaluate(taken) == [[before + 2], [before + 2]]
    expect(page.locator("#moves li")).to_have_count(before + 2)
    page.click("#takeback")
    expect(page.locator("#moves li")).to_have_count(before)
    page.wait_for_selector(YOUR_MOVE)
    page.click("#toast button:text('Undo')")
    expect(page.locator("#moves li")).to_have_count(before + 2)
    expect(page.locator("#toast")).to_be_empty()
    page.wait_for_selector(YOUR_MOVE)


def test_a_game_of_two_engines_is_paused_and_continues(page: Any) -> None:
    new_game(page)
    unfold(page, "limits")
    for side in (0, 1):
        page.select_option(f"#who{side}", "engine quick")
        page.select_option(
            f"#level{side}", "20"
        )  # lower levels stop early, and the game must not end before it is paused
        page.select_option(f"#limit{side}", "movetime=2000")
    page.click("#form button[type=submit]")
    wait_for_move(page, 2)
    page.click("#pause")
    page.wait_for_selector("#playon:visible")
    count = page.locator("#moves li").count()
    page.wait_for_function("() => location.hash.startsWith('#replay=')")  # the game has been saved
    expect(page.locator("#moves li")).to_have_count(count)
    page.click("#playon")
    wait_for_move(page, count + 1)
    page.click("#graph-tab")
    expect(page.locator("#graph path.by0")).to_be_attached()  # the earlier moves still have scores
    page.click("#pause")


@pytest.mark.smoke
def test_a_game_is_named_kept_opened_again_and_deleted(page: Any, server: Server, tmp_path: Path) -> None:
    begin(page, "othello", "", "person", "engine quick")
    square(page, "f5").click()
    wait_for_move(page, 2)
    page.wait_for_selector(f"{SQUARE}.can")
    resign(page)
    played = page.inner_text("#moves")
    page.click("#back")
    page.wait_for_function("() => location.hash.startsWith('#replay=') && location.hash.endsWith('&at=1')")
    address = page.evaluate("location.hash")
    page.reload()
    wait_for_current(page, "1. f5")
    expect(page.locator("#end-title")).to_have_text("You lost")
    expect(page.locator("#rematch")).to_be_visible()
    my_games(page)
    row = page.locator("#kept-list li").first
    expect(row).to_contain_text("Quick, level 5, novice")
    expect(row.locator(".result.lost")).to_have_text("Lostresigned")
    expect(row).to_contain_text("you were Black · ")
    expect(row).to_contain_text("2 moves")
    row.get_by_text("Rename").click()
    page.locator("#kept-list input[aria-label^=Title]").fill("my first")
    page.keyboard.press("Enter")
    page.click("#kept-list a:text('my first')")
    shown = page.locator("#moves")
    expect(shown).to_have_text(played, use_inner_text=True)
    expect(page.locator("#player0 .name")).to_have_text("You")
    expect(page.locator("#player1 .name")).to_have_text("quick")
    expect(page.locator("#player1 .limit").first).to_have_text("level 5: novice (Elo 810)")
    expect(page.locator("#who1")).to_have_value("engine quick")
    assert save(page, "png", tmp_path).read_bytes().startswith(b"\x89PNG")
    file = save(page, "ggf", tmp_path)
    page.click("#first")
    open_game(page)
    page.set_input_files("#file", file)
    page.wait_for_selector("#moves li:nth-child(2) [aria-current]")
    expect(shown).to_have_text(played, use_inner_text=True)
    my_games(page)
    page.check("#kept-list li:has-text('my first') input")
    page.click("#kept-delete:text('Delete')")
    page.click("#kept-delete:text('Really delete?')")
    expect(page.locator("#kept-list a:text('my first')")).to_have_count(0)
    page.goto(f"http://{server.host}/play?deleted{address}")  # the deleted game's moves are displayed nevertheless
    wait_for_current(page, "1. f5")
    expect(shown).to_have_text(played, use_inner_text=True)


def test_a_game_that_is_opened_is_saved_as_it_was_kept(page: Any, server: Server, tmp_path: Path) -> None:
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
    path = tmp_path / "game.jsonl"
    path.write_text(json.dumps(kept))
    for _ in range(2):  # the second time, the file that the page has saved
        open_game(page)
        with page.expect_file_chooser() as choosing:
            page.click("#file")
        choosing.value.set_files(path)
        page.wait_for_selector("#replay", state="hidden")
        wait_for_move(page, 2)
        record = SavedGame.read(save(page, "jsonl", tmp_path).read_text())
        spec = record.spec.model_copy(update={"seed": 7})
        assert record.model_copy(update={"start": "", "spec": spec}) == SavedGame.read(json.dumps(kept))


def test_kept_games_are_searched_and_several_deleted(page: Any, server: Server) -> None:
    for number, moves in ((1, ("a1",)), (2, ("a1", "b2")), (3, ())):
        records = tuple(MoveRecord(move, "black") for move in moves)
        spec = Spec(game="tictactoe" if number < 3 else "nim")
        date = f"2001-01-0{number} 10:00:00"
        saved = SavedGame(spec=spec, moves=records, given=len(moves[1:]), event=f"lesson {number}", date=date)
        write_game(saved, server.kept / f"lesson-{number}.jsonl", replaces=False)

    def expect_listed(*numbers: int) -> None:
        titles = [f"lesson {number}" for number in numbers]
        expect(page.locator("#kept-list li a")).to_have_text(titles)

    my_games(page)
    page.fill("#kept-search", "LESSON")
    expect_listed(3, 2, 1)
    page.select_option("#kept-sort", "oldest")
    expect_listed(1, 2, 3)
    page.select_option("#kept-game", "tictactoe")
    expect_listed(1, 2)
    first, second = page.locator("#kept-list small:not(.result small)").all_inner_texts()
    assert ("from move" in first, "from move 2" in second) == (False, True)
    page.check("#kept-all")
    page.focus("#kept-delete:text('Delete')")
    for _ in range(3):  # holding a key does not confirm the question it opens
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    page.locator("#kept-delete:text('Really delete?')").blur()
    page.dblclick("#kept-delete:text('Delete')")  # neither does a double click
    page.click("#kept-delete:text('Really delete?')")
    expect(page.locator("#kept-none")).to_have_text("No game matches.")
    page.select_option("#kept-game", "")
    expect_listed(3)
    [left] = server.kept.glob("lesson-*")
    left.unlink()


def test_a_move_is_taken_before_the_opponent_has_been_started(page: Any) -> None:
    held: list[str] = []

    def pass_on(socket: Any) -> None:
        server = socket.connect_to_server()

        def tell(message: str) -> None:  # the server requests the first move once all engines are ready
            if json.loads(message)["type"] == "turn" and not held:
                held.append(message)
                page.evaluate("() => { document.body.dataset.held = true; }")
            else:
                socket.send(message)

        server.on_message(tell)
        page.release = lambda: socket.send(held[0])

    begin(page, "othello", "", "person", "engine quick")
    page.wait_for_selector(YOUR_MOVE)
    expect(page).to_have_title("Your move - Play - Quietmove")
    resign(page)
    expect(page).to_have_title("Play - Quietmove")
    page.route_web_socket("**/sessions/*", pass_on)
    page.click("#rematch")
    page.wait_for_selector("body[data-held]")
    square(page, "f5").click()
    page.release()
    wait_for_move(page, 2)
    expect(page.locator("#moves li").first).to_have_text("1. f5")


def test_the_address_says_what_is_shown_and_what_was_replaced_comes_back(page: Any, server: Server) -> None:
    page.goto(f"http://{server.host}/play?again#game=othello&moves=f5d6c3d3c4&at=4")
    wait_for_move(page, 5)
    wait_for_current(page, "4. d3")
    page.click("#forward")
    expect(page.locator("#opening")).to_have_text("Tiger")
    page.wait_for_function("() => location.hash === '#game=othello&moves=f5+d6+c3+d3+c4'")
    choose(page, who1="engine quick")
    page.click("#playon")
    page.wait_for_selector(YOUR_MOVE)
    page.wait_for_function("() => location.hash.startsWith('#session=')")
    played = page.inner_text("#moves")
    set_up(page)
    page.click(f"{SQUARE} >> nth=0")
    expect_moves(page)
    choose_panel(page, "more")
    page.click("#return")
    page.wait_for_selector(f"{SQUARE}.can")
    page.wait_for_selector(YOUR_MOVE)
    expect(page.locator("#moves")).to_have_text(played, use_inner_text=True)
    page.click("#return")
    wait_for_move(page, 5)


def test_the_current_move_of_a_long_game_is_seen_in_the_list(page: Any, server: Server) -> None:
    moves = "e6f4c3c4c5c6e3d3c7b3a2f3g4a3b2a1b4e7d2e2f7g5d1f2e8g3g1a4h6f5g2b1g6d6a5e1d7f1b5b6a7f6a6h3g7b7h2a8h5h4"
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"http://{server.host}/play?long#game=othello&moves={moves}&at=50")
    wait_for_current(page, "50. h4")
    expect(page.locator("#moves button[aria-current]")).to_be_in_viewport(ratio=0.99)
    page.set_viewport_size({"width": 1280, "height": 640})  # room for fewer moves
    expect(page.locator("#moves button[aria-current]")).to_be_in_viewport(ratio=0.99)


def test_whoever_must_pass_is_told(page: Any, server: Server) -> None:
    page.goto(f"http://{server.host}/play?pass#game=othello+4x4&moves=d3b4a2d2c4d4&at=6")
    wait_for_current(page, "6. d4")
    choose(page, who1="engine quick")
    sent: list[str] = []

    def relay(socket: Any) -> None:
        """Pass on all messages, with another after each turn, as if a comment came while the pass is on its way."""
        server = socket.connect_to_server()
        socket.on_message(lambda text: (sent.append(text), server.send(text)))
        server.on_message(lambda text: [socket.send(each) for each in (text, '{"type": "talk", "talk": []}')])

    page.route_web_socket(re.compile("/sessions/"), relay)
    page.click("#playon")
    wait_for_move(page, 8)  # the pass needs no click and has no number
    assert len([text for text in sent if "pass" in text]) == 1
    expect(page.locator("#moves li").nth(6)).to_have_text("pass")
    expect(page.locator("#moves li").nth(7)).to_have_text(re.compile(r"^7\. "))
    page.click("#return")
    page.wait_for_selector("#moves button[aria-current]:text('6. d4')")
    page.click("header .push")
    page.uncheck("#autopass")
    page.click("#display [data-closes]")
    page.click("#playon")
    expect(page.locator("#status")).to_have_text("Your move. Your only move is a pass.")
    field, button = (page.locator(each).bounding_box() for each in ("#board .field", ".choices button"))
    assert button["x"] >= field["x"] + field["width"]  # the button covers no square
    page.locator(".choices button").press("Enter")
    expect(page.locator("#moves li").nth(6)).to_have_text("pass")
    page.evaluate("() => localStorage.clear()")


def test_an_address_of_no_game_leaves_a_page_to_begin_another(page: Any, server: Server) -> None:
    for number, cut in enumerate(("game=oth", "game=othello&moves=f5+d", "replay=%2Fapi%2Fkept%2Foth")):
        page.goto(f"http://{server.host}/play?{number}#{cut}")
        page.wait_for_selector("#error:visible")
        page.locator(f"{SQUARE}.can").first.click()
        page.wait_for_selector(YOUR_MOVE)
    page.goto(f"http://{server.host}/?gone#session=gone")
    page.wait_for_selector("#status:text-matches('this game no longer exists', 'i')")
    expect(page.locator(PIECE)).to_have_count(4)
    begin(page, "tictactoe", "", "person", "engine quick")
    page.locator(f"{SQUARE}.can").first.click()
    wait_for_move(page, 2)
    page.evaluate("""() => fetch(`/api/sessions/${new URLSearchParams(location.hash.slice(1)).get("session")}`,
        { method: "DELETE" })""")
    page.wait_for_selector("#status:text('Its moves are in My games.')")
    my_games(page)
    page.click("#kept-list a >> nth=0")
    page.wait_for_selector("#moves li:nth-child(2) [aria-current]")  # the position after which it continues
    page.click("#playon")
    page.wait_for_selector(YOUR_MOVE)


@pytest.mark.smoke
def test_a_lost_connection_is_found_again_and_the_game_goes_on(context: Any, server: Server) -> None:
    sockets: list[Any] = []

    def pass_on(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    with opened(context, server, "net::ERR_FAILED", "403 (Forbidden)") as page:
        page.route_web_socket("**/sessions/*", pass_on)
        begin(page, "othello", "", "person", "engine quick")
        page.click(f"{SQUARE}.can >> nth=0")
        wait_for_move(page, 2)
        page.wait_for_selector(f"{SQUARE}.can")
        sockets[-1].close(code=1001)
        while len(sockets) < 2:
            page.wait_for_timeout(20)  # Playwright has no event for a forwarded socket
        page.wait_for_selector(YOUR_MOVE)
        page.click(f"{SQUARE}.can >> nth=0")
        wait_for_move(page, 4)
        page.route("**/api/server", lambda route: route.abort())
        page.route_web_socket("**/sessions/*", lambda socket: socket.close(code=1001))
        sockets[-1].close(code=1001)
        page.wait_for_selector("#status:text('open the address that it prints')")
        expect(page.locator(PIECE)).to_have_count(8)
        page.unroute("**/api/server")
        page.context.clear_cookies()
        page.wait_for_selector("#status:text('printed by quietmove-referee serve, including its token')")


def test_no_move_is_offered_until_a_new_game_has_begun(context: Any, server: Server) -> None:
    sockets: list[Any] = []
    with opened(context, server) as page:
        page.route_web_socket("**/sessions/*", lambda socket: sockets.append(socket))
        request_game(page, "othello", "", "person", "engine quick")
        expect(page.locator(f"{SQUARE}.can")).to_have_count(0)
        sockets[0].connect_to_server()
        page.click(f"{SQUARE}.can >> nth=0")
        wait_for_move(page, 2)


def test_a_double_click_begins_one_game_and_a_reload_keeps_its_players(page: Any) -> None:
    new_game(page)
    page.select_option("#gamename", "tictactoe")
    page.select_option("#who0", "engine quick")
    page.select_option("#who1", "person")
    page.select_option("#level0", "3")
    unfold(page, "limits")
    page.select_option("#limit0", "depth=4")
    page.dblclick("#form button[type=submit]")
    page.wait_for_selector(YOUR_MOVE)
    expect(page.locator("#return")).to_be_hidden()  # no game was replaced
    page.locator(f"{SQUARE}.can").first.click()
    wait_for_move(page, 3)
    page.reload()
    wait_for_move(page, 3)
    expect(page.locator("#gamename")).to_have_value("tictactoe")
    page.click("#takeback")
    expect(page.locator("#moves li")).to_have_count(1)
    page.wait_for_selector(f"{SQUARE}.can")
    expect(page.locator("#player1 .name")).to_have_text("You")
    expect(page.locator("#who0")).to_have_value("engine quick")
    expect(page.locator("#level0")).to_have_value("3")
    expect(page.locator("#player0 .limit").first).to_have_text("level 3: novice, 4 plies")


def test_a_level_that_was_chosen_stays_though_the_server_is_slow(page: Any) -> None:
    """What the server says of a game has its usual level; it came after a person had chosen another one."""
    held: list[Any] = []
    new_game(page)
    page.route("**/api/replay", lambda route: held.append(route))
    with page.expect_request("**/api/replay"):
        page.select_option("#gamename", "tictactoe")
    page.select_option("#level1", "3")
    held[0].continue_()
    page.wait_for_selector("#legend0:text-is('X')")
    expect(page.locator("#level1")).to_have_value("3")


def test_what_leaves_a_game_that_runs_asks_first(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("() => navigator.clipboard.writeText('b2 a1')")
    begin(page, "tictactoe", "", "person", "person")
    for button, number in (("#form button[type=submit]", 1), ("#paste button[type=submit]", 1)):
        page.wait_for_selector(YOUR_MOVE)
        page.locator(f"{SQUARE}.can").first.click()
        wait_for_move(page, number)
        address = page.evaluate("location.hash")
        if button.startswith("#paste"):
            page.keyboard.press("Control+v")
        else:
            new_game(page)
            page.locator(button).click()
        page.locator(f"{button}:text('Leave this game?')").click()
        page.wait_for_function("(old) => location.hash !== old", arg=address)
        choose_panel(page, "more")
        page.wait_for_selector("#return:visible")


def test_every_game_has_a_board(page: Any) -> None:
    """The games that no other test plays on squares: by columns, with dice, and with pieces that move."""
    for game, parameters in (("connect", "4x4x3"), ("capture", ""), ("einstein", "")):
        begin(page, game, parameters, "person", "engine quick")
        expect(page.locator("#moves li:nth-child(3)")).to_have_count(0)  # the moves of the previous game are gone
        assert play_on(page, 4) > 1
        resign(page)
        choose_panel(page, "lines")
        if game == "einstein":
            expect(page.locator("#why")).to_have_text(re.compile("^Games with chance cannot be reviewed"))
            expect(page.locator("#review")).to_be_hidden()
        else:
            expect(page.locator("#review")).to_be_visible()


@pytest.mark.parametrize(
    ("game", "moves", "squares"),
    [
        ("connect4", "d d e c f b g", [38, 39, 40, 41]),
        ("tictactoe", "a1 a2 b1 b2 c2 a3 c3 b3 c1", [0, 1, 2, 5, 8]),  # two lines
        ("tictactoe", "a1 b1 c1 b2 a2 c2 b3 a3 c3", []),
    ],
)
def test_the_lines_that_win_are_marked(page: Any, server: Server, game: str, moves: str, squares: list[int]) -> None:
    page.goto(f"http://{server.host}/play?{len(moves)}#game={game}&moves={moves.replace(' ', '+')}")
    expect(page.locator("#moves li")).to_have_count(len(moves.split()))
    found = page.evaluate(
        "game => fetch('/api/replay', game).then((answer) => answer.json())",
        {"method": "POST", "body": json.dumps({"game": game, "moves": moves})},
    )
    assert found["steps"][-1]["won"] == squares
    expect(page.locator("#board .won")).to_have_count(len(squares))
    expect(page.locator(".count:not(:empty)")).to_have_count(0)


def test_no_hint_is_offered_before_the_die_is_thrown(page: Any, server: Server) -> None:
    page.goto(f"http://{server.host}/play?throw#game=einstein")
    expect(page.locator("#hint")).to_be_visible()
    expect(page.locator("#hint")).to_be_disabled(timeout=10_000)


def test_a_person_plays_cards_and_sees_those_of_the_engine_at_the_end(page: Any) -> None:
    choose(page, gamename="whist")
    choose_panel(page, "lines")
    page.wait_for_selector("#why:text('would reveal hidden cards')")
    expect(page.locator("#analyse")).to_be_hidden()
    expect(page.locator("#copynumbers")).to_be_hidden()
    begin(page, "whist", "2x4 3", "person", "engine quick")
    page.wait_for_selector(f"{ITEM}.can")
    expect(page.locator("#board .back")).to_have_count(3 + 1)  # the engine's cards and the stock
    expect(page.locator("#takeback, #playon").filter(visible=True)).to_have_count(0)
    play_on(page)
    page.keyboard.press("Home")
    expect(page.locator("#board .back")).to_have_count(1)
    expect(page.locator("#board .card")).to_have_count(6)
    expect(page.locator("#playon")).to_be_visible()
    new_game(page)
    page.select_option("#gamename", "tictactoe")
    page.click("#studyboard")  # opens with the switch of the engine in view
    page.wait_for_selector("#analyse")
    expect(page.locator("#why")).to_have_text("")


def test_a_stone_of_a_picture_is_taken_by_keys(page: Any) -> None:
    begin(page, "nim", "1,3", "person", "engine quick")
    page.wait_for_selector(f"{ITEM}.can")
    page.locator(f"{ITEM}[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    said = "pile 2, stone 2 of 3: takes 2, legal move"
    expect(page.locator(":focus")).to_have_attribute("aria-label", said)
    expect(page.locator("#board .going")).to_have_count(2)
    page.keyboard.press("Enter")
    wait_for_move(page, 2)
    expect(page.locator("#moves li").first).to_have_text("1. 2-2")
    page.wait_for_selector("#status:text-matches('^Your move[.] White played [12]-1[.]$')")
    choose_panel(page, "lines")
    page.check("#analyse")  # the engine has taken one of the two remaining stones
    page.wait_for_selector(f"{ITEM}.can[aria-label$='takes 1, legal move, wins']")
    expect(page.locator(f"{SCORE}.best")).to_have_text("wins")


def test_two_engines_are_watched_and_a_reload_finds_the_game(page: Any) -> None:
    begin(page, "othello", "6x6", "engine quick", "engine level")
    wait_for_move(page, 3)
    page.reload()
    page.wait_for_selector("#end-title:visible")
    wait_for_move(page, 20)
    expect(page.locator("#graph path")).to_have_count(2)
    played, other = page.inner_text("#moves"), page.context.new_page()
    other.goto(page.url)
    expect(other.locator("#moves")).to_have_text(played, use_inner_text=True)
    other.close()


def test_a_piece_is_lifted_and_moved_by_clicks_keys_and_dragging(page: Any) -> None:
    def cell(number: int) -> Any:
        return square(page, f"{number},")

    def expect_made(text: str) -> None:
        number = int(text.partition(".")[0])
        expect(page.locator("#moves li").nth(number - 1)).to_have_text(text)
        page.wait_for_selector(f"{SQUARE}.lifts")

    begin(page, "capture", "X-XO--X--O", "person", "person")
    page.wait_for_selector(f"{SQUARE}.lifts")
    cell(2).click()
    expect(page.locator(".choices button")).to_have_text(["1-2", "3-2"])
    cell(1).click()
    expect(page.locator(".choices")).to_have_count(0)
    expect(page.locator(LIFTED)).to_have_attribute("aria-label", "1, Black, lifted, can move to 2")
    cell(7).click()
    expect(page.locator("#board .heard")).to_have_text("7, Black is lifted; it can move to 6, 8.")
    page.keyboard.press("Escape")
    expect(page.locator(LIFTED)).to_have_count(0)
    cell(7).click()
    cell(8).click()
    expect_made("1. 7-8")
    cell(10).focus()
    for key in ("Enter", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect_made("2. 10-9")
    cell(8).drag_to(cell(9))
    expect_made("3. 8-9")
    expect(page.locator(PIECE)).to_have_count(4)
    cell(5).click()  # only one move leads to this square
    expect_made("4. 4-5")
    page.set_viewport_size({"width": 300, "height": 700})
    expect_no_wider_than_the_window(page)
    # The board scrolls instead of shrinking.
    shows(page, f"() => document.querySelector('{SQUARE}').getBoundingClientRect().width > 29", True)


def test_games_are_pasted_and_imported(page: Any, tmp_path: Path) -> None:
    held: list[Any] = []
    page.route("**/api/opened", lambda route: route.continue_() if held else held.append(route))
    open_game(page)
    page.fill("#transcript", "f5d6c3 d3")
    page.click("#paste button")
    wait_for_move(page, 4)
    open_game(page)
    page.fill("#transcript", "f5 a1")
    page.click("#paste button")
    expect(page.locator("label:has(#transcript) + #error")).to_contain_text("move 2")
    expect(page.locator("#moves li")).to_have_count(4)
    (tmp_path / "two.ggf").write_text(GGF.format("ann") + GGF.format("zoe"))
    page.set_input_files("#file", tmp_path / "two.ggf")
    expect(page.locator("#imported > li")).to_have_count(2)
    expect_all_can_use(page)
    page.fill("#imported-search", "ZOE")
    expect(page.locator("#imported-count")).to_have_text("1 game")
    page.click("#imported button")
    page.wait_for_selector("#player0:has-text('zoe')")
    with page.expect_response("**/api/opened") as answer:
        held[0].continue_()  # the first game arrives after the second one, which was chosen last
    answer.value.finished()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(page.locator("#player0")).to_contain_text("zoe")
    page.fill("#transcript", "")
    page.fill("#start", "hello")
    page.click("#paste button")
    expect(page.locator("label:has(#start) + #error")).to_contain_text("moves belong in the field Moves")
    page.fill("#start", GGF.format("eve"))
    page.click("#paste button")
    expect(page.locator("#player0")).to_contain_text("eve")
    (tmp_path / "one.obf").write_text(f"{'X' * 10}{'O' * 20}{'-' * 34} O; a1:+2\n")
    page.set_input_files("#file", tmp_path / "one.obf")
    expect_moves(page)
    expect(page.locator(f"{PIECE}.side1")).to_have_count(20)
    (tmp_path / "bad.wtb").write_bytes(b"no game")
    page.set_input_files("#file", tmp_path / "bad.wtb")
    page.wait_for_selector("#error:visible")


def test_moves_that_are_tried_stand_beside_the_game(page: Any, tmp_path: Path) -> None:
    def put(name: str, count: int) -> None:
        square(page, name).click()
        wait_for_current(page, f"{count}. {name}")

    replay(page, "tictactoe", "b2 b1 a1 c3")
    page.focus("#moves")
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    put("c1", 3)
    put("a3", 4)
    page.keyboard.press("Home")  # on the board, this key steps through the displayed line
    for _ in range(3):
        page.keyboard.press("PageDown")
    put("b3", 4)
    page.fill("#comment", "wins")
    page.keyboard.press("Enter")
    expect_moves(page, "1. b2", "2. b1", "3. a1", "3. c1 4. a3", "4. b3 wins", "4. c3")
    save(page, "txt", tmp_path)
    page.wait_for_selector("#status:text('without variations and comments')")
    page.click("#promote")
    expect_moves(page, "1. b2", "2. b1", "3. a1", "3. c1 4. b3 wins", "4. a3", "4. c3")
    page.click("#promote")
    expect_moves(page, "1. b2", "2. b1", "3. c1", "3. a1 4. c3", "4. b3", "wins", "4. a3")
    page.click("#moves button:text('3. a1')")
    wait_for_current(page, "3. a1")
    expect(page.locator("#delete")).to_be_hidden()  # moves of the game cannot be deleted
    page.click("#moves button:text('4. a3')")
    page.click("#delete")
    expect_moves(page, "1. b2", "2. b1", "3. c1", "3. a1 4. c3", "4. b3", "wins")
    page.click("#moves button:text('4. b3')")
    choose(page, who1="person")
    page.click("#playon")  # the game continues from there
    page.wait_for_selector(YOUR_MOVE)
    expect_moves(page, "1. b2", "2. b1", "3. c1", "4. b3")


def test_the_board_is_turned_and_its_notation_chosen(page: Any) -> None:
    page.click("header .push")
    page.check("[name=theme][value=wood]")
    page.check("[name=mode][value=dark]")
    shows(page, "() => getComputedStyle(document.body).backgroundColor", "rgb(19, 22, 20)")
    page.locator("#size").press("Home")  # half of the available space
    page.click("#turn")
    turned = f"""() => {{
      const place = (name) => document.querySelector(`{SQUARE}[aria-label^='${{name}}']`).getBoundingClientRect();
      return [place("h8").x < place("a1").x, place("h8").y < place("a1").y];
    }}"""
    shows(page, turned, [True, True])
    page.select_option("#notation", "numbers")
    page.check("#sound")
    expect(page.locator("#board .legal:visible")).to_have_count(4)
    page.uncheck("#marks [value=legal]")
    expect(page.locator("#board .legal:visible")).to_have_count(0)
    page.reload()
    square(page, "8 8").wait_for()
    shows(
        page,
        "() => [...document.querySelectorAll('#board svg text')].slice(0, 8).map(each => each.textContent)",
        list("12345678"),
    )
    expect(page.locator("#sound")).to_be_checked()
    expect(page.locator("#board .legal:visible")).to_have_count(0)
    expect(page.locator("html")).to_have_attribute("data-theme", "wood")
    shows(page, "() => getComputedStyle(document.body).backgroundColor", "rgb(19, 22, 20)")
    shows(page, "() => document.querySelector('.boardbox').clientWidth < 400", True)
    square(page, "4 6").click()  # d3, which starts a game
    wait_for_move(page, 2)
    expect(page.locator("#moves li").first).to_have_text("1. 4 6")
    page.evaluate("localStorage.clear()")


@pytest.mark.smoke
def test_each_move_is_scored_and_a_game_is_looked_over(page: Any) -> None:
    replay(page, "tictactoe", "b2 b1 a1 c3")
    page.click("#hint")
    page.wait_for_selector("#hinted:text('Hint: ')")
    expect(page.locator(SCORE)).to_have_count(1)
    choose_panel(page, "lines")
    page.check("#book")
    page.wait_for_selector(f"{SCORE} >> nth=3")  # the four corners
    page.uncheck("#book")
    page.check("#analyse")
    expect(page.locator(SCORE)).to_have_count(9)
    page.wait_for_selector("#board .best")
    page.focus("#moves")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator(SCORE)).to_have_count(5)
    page.wait_for_selector(f"{SQUARE}[aria-label*='legal move, wins']")
    page.select_option("#lines", "1")
    expect(page.locator(SCORE)).to_have_count(1)
    page.select_option("#lines", "every move")
    page.wait_for_selector("#why:text('Solved.')")
    page.uncheck("#analyse")
    expect(page.locator(SCORE)).to_have_count(0)
    # The last result comes back without the server.
    shows(
        page,
        f"() => {{ document.querySelector('#analyse').click(); return document.querySelectorAll('{SCORE}').length; }}",
        5,
    )
    page.uncheck("#analyse")
    page.wait_for_selector("#board .legal")
    choose_panel(page, "accuracy")
    page.select_option("#effort", "movetime=5000")
    page.click("#review")
    page.wait_for_selector("#moves li:nth-child(2) .note:text('?')")
    page.wait_for_selector("#progress", state="hidden")
    expect(page.locator("#totals caption")).to_have_text("Exact values: 1–4")
    expect(page.locator("#totals tr:has-text('Mistakes') td")).to_have_text(["0", "1"])
    page.click("#graph .losses", position={"x": 1, "y": 20})  # the first move, which the chart of losses begins before
    page.wait_for_selector("#first:disabled")
    page.click("#graph .found")
    wait_for_current(page, "2. b1")
    expect(page.locator("#found")).to_contain_text("Mistake ? b1 loses")
    better = page.inner_text("#found-idea b").split()[0]
    expect(page.locator("#found-figures")).to_have_text(f"With best play O draws after {better}, loses after b1.")
    # The position before the mistake, with tags on both moves.
    expect(page.locator("#board text.tag")).to_have_text(["loses", "0"])
    expect(page.locator("#board text.letter")).to_have_count(1)
    page.keyboard.press("2")
    expect(page.locator("#stages :checked")).to_have_value("after")
    expect(square(page, "b1")).to_have_attribute("aria-label", "b1, O")
    page.keyboard.press("3")
    expect(square(page, better)).to_have_attribute("aria-label", f"{better}, O")
    expect(page.locator("#board text.tag")).to_have_count(0)
    page.get_by_label("Before").check()
    page.keyboard.press("ArrowRight")  # on the segments, arrows choose a segment
    expect(page.locator("#stages :checked")).to_have_value("after")
    wait_for_current(page, "2. b1")
    page.click("#better")  # plays the better line as a variation
    page.wait_for_selector(f"#moves li.aside [aria-current]:text('2. {better}')")
    expect(page.locator("#found-idea")).to_have_text(f"{better} was better.")
    page.keyboard.press("Escape")  # back at the mistake
    wait_for_current(page, "2. b1")
    expect(page.locator("#board text.tag")).to_have_count(2)
    square(page, better).click()  # a click on the position before the mistake
    page.wait_for_selector(f"#moves li.aside [aria-current]:text('2. {better}')")
    page.click("#playon")
    expect(page.locator("#totals tr")).to_have_count(0)


def test_an_opening_is_trained(page: Any) -> None:
    new_game(page)
    page.select_option("#gamename", "nim")
    expect(page.locator("#trained")).to_be_hidden()
    page.select_option("#gamename", "othello")
    page.select_option("#trained", "Tiger")
    page.select_option("#who1", "engine quick")
    page.click("#form button[type=submit]")
    wait_for_move(page, 6)  # the reply after the five opening moves
    expect(page.locator("#moves li").nth(4)).to_have_text(re.compile("c4"))
    page.wait_for_selector(YOUR_MOVE)
    square(page, "d2").click()
    expect(page.locator("#said")).to_have_text(re.compile(r"d2 \(.*\) is not in the book; it loses .* against .*\."))
    wait_for_move(page, 8)
    page.wait_for_selector(YOUR_MOVE)
    page.click("#takeback")
    expect(page.locator("#said")).to_be_hidden()
    page.wait_for_selector(YOUR_MOVE)
    resign(page)
    page.click("#rematch")
    wait_for_move(page, 6)
    expect(page.locator("#moves li").nth(4)).to_have_text(re.compile("c4"))


def test_a_review_says_why_the_better_move_was_better(page: Any) -> None:
    replay(page, "othello", "e6 f6 g6 g7 g8")
    choose_panel(page, "accuracy")
    page.click("#review")
    page.wait_for_selector("#progress", state="hidden")
    page.click("#last")
    expect(page.locator("#found h2")).to_have_text(re.compile(r"Blunder \?\? g8 lost about [\d.]+ discs"))
    expect(page.locator("#found-idea")).to_have_text(re.compile(r"f5 was better: .*(White|Black).*\."))
    expect(page.locator("#found-figures")).to_have_text(re.compile("With best play Black .* after f5, .* after g8"))


def test_an_engine_that_writes_no_info_gives_its_move_as_a_hint(page: Any) -> None:
    choose_panel(page, "lines")
    page.select_option("#analyst", "mute")
    replay(page, "othello", "f5")
    page.click("#last")
    page.click("#hint")
    page.wait_for_selector("#hinted:text-is('Hint: d6')")
    expect(page.locator("#board circle.pv")).to_have_count(1)
    choose_panel(page, "lines")
    page.check("#analyse")
    page.wait_for_selector("#thinking tbody tr:has-text('d6')")
    expect(page.locator("#error")).to_be_hidden()


@pytest.mark.smoke
def test_a_position_is_set_up_on_the_squares_and_as_text(page: Any) -> None:
    set_up(page)
    page.click("#clear")
    expect(page.locator(PIECE)).to_have_count(0)
    page.wait_for_selector("#edit-said.bad")
    square(page, "a1").focus()
    for key in ("Enter", "ArrowRight", "w"):
        page.keyboard.press(key)
    page.wait_for_selector("#edit-said.good:text('Ready. Black has 1, White has 1. Black to move, 1 move.')")
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile("^b1"))
    page.keyboard.press("e")
    expect(page.locator(PIECE)).to_have_count(1)
    page.keyboard.press("u")
    page.wait_for_selector("#edit-said.good:text('1 move.')")
    expect(page.locator("#edited")).to_have_value(f"XO{'-' * 62} X")
    expect(page.locator("#board .legal")).to_have_count(1)
    page.check("[name=tomove][value='1']")
    page.wait_for_selector("#edit-said:text('White')")
    page.fill("#edited", "XO")
    page.wait_for_selector("#edit-said.bad:text('2 fields')")
    expect(page.locator(PIECE)).to_have_count(2)
    page.click("#undo")
    expect(page.locator("#edited")).to_have_value(f"XO{'-' * 62} O")
    page.check("[name=brush][value=O]")
    boxes = [square(page, name).bounding_box() for name in ("h8", "f8")]
    page.mouse.move(boxes[0]["x"] + 9, boxes[0]["y"] + 9)
    page.mouse.down()
    page.mouse.move(boxes[1]["x"] + 9, boxes[1]["y"] + 9, steps=20)
    page.mouse.up()
    expect(page.locator("#edited")).to_have_value(f"XO{'-' * 59}OOO O")
    page.fill("#edited", f"XO{'-' * 62} X")
    page.wait_for_selector("#edit-said.good:text('Black to move, 1 move.')")
    page.click("#editor-done")
    page.wait_for_selector("#status:text('Black to move.')")
    choose(page, who1="person")
    page.click("#playon")
    page.wait_for_selector(YOUR_MOVE)
    square(page, "c1").click()
    page.wait_for_selector("#status:text('Black wins by 64')")
    expect(page.locator("#end-title > span")).to_have_text("64\u20130")
    expect(page.locator("#end-detail")).to_have_text("1 move; 61 empty squares go to the winner.")
    expect(page.locator("#player0 .count")).to_have_text("3")
    new_game(page)
    page.select_option("#gamename", "tictactoe")
    page.click("#studyboard")
    expect(page.locator(SQUARE)).to_have_count(9)
    set_up(page)
    square(page, "b2").click()
    page.wait_for_selector("#edit-said.bad")  # X has one more piece and is to move
    page.keyboard.press("Home")  # redraws the same step
    expect(page.locator("#board text.letter.side0")).to_have_text(["X"])
    expect(page.locator("#edited")).to_have_value("----X---- X")
    page.check("[name=tomove][value='1']")
    page.wait_for_selector("#edit-said.good:text('O to move')")


def test_what_is_copied_is_said_and_what_is_pasted_is_shown(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.wait_for_selector(PIECE)
    page.evaluate("() => navigator.clipboard.writeText('the quick brown fox')")
    page.keyboard.press("Control+v")
    page.wait_for_selector("#error:visible:text(\"'the' is not a move\")")
    page.evaluate("() => navigator.clipboard.writeText('f5d6c3')")
    page.keyboard.press("Control+v")
    wait_for_move(page, 3)
    choose_panel(page, "more")
    for button, said, text in (
        ("copy", "Moves copied.", "f5 d6 c3"),
        ("copynumbers", "Moves copied as numbers.", "6 4 4 3 3 6"),
    ):
        page.click(f"#{button}")
        page.wait_for_selector(f"#status:text('{said}')")
        shows(page, "() => navigator.clipboard.readText()", text)
    page.evaluate("() => navigator.clipboard.writeText('6 4 4 3 3 6 4 6')")
    page.keyboard.press("Control+v")
    wait_for_move(page, 4)
    page.evaluate("text => navigator.clipboard.writeText(text)", GGF.format("ann"))
    page.keyboard.press("Control+v")
    expect(page.locator("#player0")).to_contain_text("ann")


def test_axe_finds_nothing_serious(page: Any) -> None:
    begin(page, "tictactoe", "", "person", "engine level")
    page.wait_for_selector(f"{SQUARE}.can")
    choose_panel(page, "lines")
    page.check("#analyse")
    expect(page.locator(SCORE)).to_have_count(9)
    set_up(page)
    expect_all_can_use(page)
    choose_panel(page, "more")
    expect_all_can_use(page)
    new_game(page)
    unfold(page, "howto")
    page.wait_for_function("() => document.getElementById('rulesboard').naturalWidth > 0")
    expect(page.locator("#rulesboard")).to_have_attribute("alt", "Tic-tac-toe after some moves")
    expect_all_can_use(page)
    page.click("#new [data-closes]")
    for opens, dialog in (("header .push", "display"), ("#import", "replay")):
        page.click(opens)
        expect_all_can_use(page)
        page.click(f"#{dialog} [data-closes]")
    resign(page)
    replay(page, "tictactoe", "b2 b1 a1 c3")
    choose_panel(page, "accuracy")
    page.select_option("#effort", "movetime=5000")
    page.click("#review")
    page.wait_for_selector("#moves .note")
    page.click("#graph .found")
    page.click("#better")
    page.wait_for_selector("#moves li.aside [aria-current]")
    page.fill("#comment", "a better one")
    page.keyboard.press("Enter")
    page.wait_for_selector("#moves .comment")
    expect_all_can_use(page)


def test_who_plays_by_buttons_stays_on_them(page: Any) -> None:
    begin(page, OWN_GAME, "", "person", "engine quick")
    page.wait_for_selector(YOUR_MOVE)
    page.focus(".choices button >> nth=2")
    page.keyboard.press("Enter")
    wait_for_move(page, 2)
    page.wait_for_selector(".choices button:focus")
    expect(page.locator("#board pre")).to_have_js_property("tabIndex", 0)  # the keyboard can scroll a wide drawing
    page.locator(".choices button").last.evaluate("button => { button.id = 'kept'; }")
    choose_panel(page, "lines")
    page.check("#analyse")
    page.wait_for_selector("#thinking tbody tr")  # the page has been redrawn
    expect(page.locator("#kept")).to_be_visible()
    page.uncheck("#analyse")
    expect(page.locator("#board pre")).to_have_text(re.compile("to move$"))
    resign(page)
    expect(page.locator("#board pre")).to_have_text(re.compile("game over$"))


def test_a_game_is_played_opened_again_tried_and_reviewed_by_keys_alone(page: Any) -> None:
    def reach(selector: str, key: str) -> None:
        """Press Tab until an element is reached, and then a key."""
        for _ in range(150):
            is_reached = page.evaluate("selector => document.activeElement.matches(selector)", selector)
            if is_reached:
                break
            page.keyboard.press("Tab")
        else:
            raise AssertionError(f"Tab does not reach {selector}")
        page.keyboard.press(key)

    def put(name: str, count: int) -> None:
        reach(f"{SQUARE}[tabindex='0']", "ArrowUp")
        steps = ["ArrowRight"] * "abc".index(name[0]) + ["ArrowDown"] * (int(name[1]) - 1)
        for key in ["ArrowUp", "ArrowLeft", "ArrowLeft", *steps, "Enter"]:
            page.keyboard.press(key)
        wait_for_current(page, f"{count}. {name}")

    page.keyboard.press("n")
    reach("#gamename", "t")
    reach("#who1", "y")
    reach("#form button[type=submit]", "Enter")
    page.wait_for_selector(YOUR_MOVE)
    for count, name in enumerate(("b2", "b1", "a1", "c2", "c3"), 1):
        put(name, count)
    page.wait_for_selector("#end-title:text('X wins')")
    expect_all_can_use(page)
    reach("h1 a", "Enter")
    row = page.locator("#kept-list li", has_text="tictactoe").first  # other games may be newer by now
    row.locator("a").evaluate("link => { link.id = 'just-played'; }")
    reach("#just-played", "Enter")
    wait_for_current(page, "5. c3")  # the end of the game
    reach("#first", "Enter")
    put("c1", 1)
    page.keyboard.press("PageUp")
    reach("#moves li.aside button", "Enter")
    page.wait_for_selector("#moves li.aside button[aria-current]:text('1. c1')")
    reach("#moves li:not(.aside) button", "Enter")
    page.wait_for_selector("#moves li:not(.aside) button[aria-current]:text('1. b2')")
    reach("#review", "Enter")
    page.wait_for_selector("#mistake:visible")
    reach("#graph .found", "Enter")
    page.wait_for_selector("#found:has-text('b1 loses')")
    reach("#better", "Enter")
    page.wait_for_selector("#moves li.aside button[aria-current] .n:text('2.')")


def test_the_password_is_asked_for_until_it_is_right(context: Any) -> None:
    field = "input[type=password]:focus"
    with serving(QUIETMOVE_PASSWORD=SECRET) as (_, address):
        assert "token" not in address
        with watched(context, urlsplit(address).netloc, "403 (Forbidden)") as page:
            page.goto(address)
            page.wait_for_selector(field)
            page.keyboard.type("a guess")
            page.keyboard.press("Enter")
            page.wait_for_selector("#error:text('Wrong password.')")
            page.wait_for_selector(field)
            expect_all_can_use(page)
            page.keyboard.type(SECRET)
            page.keyboard.press("Enter")
            page.wait_for_selector("#levels :text('Level 5')")


def test_a_square_is_kept_while_the_engine_thinks_and_forgotten_by_escape(page: Any) -> None:
    """The engine's answers are held, so that it thinks as long as the test needs."""
    held: list[str] = []

    def pass_on(socket: Any) -> None:
        server = socket.connect_to_server()

        def tell(message: str) -> None:
            heard = json.loads(message)
            if held or (heard["type"] == "step" and heard["step"]["by"] == "white"):
                held.append(message)
            else:
                socket.send(message)

        server.on_message(tell)
        page.release = lambda: [socket.send(held.pop(0)) for _ in range(len(held))]

    page.route_web_socket("**/sessions/*", pass_on)
    begin(page, "othello", "", "person", "engine quick")
    page.wait_for_selector(YOUR_MOVE)
    page.keyboard.type("f5")
    page.wait_for_selector("#status:text-is('quick is thinking.')")
    square(page, "a1").click()
    page.wait_for_selector("#status:text('Your premove: a1.')")
    expect(page.locator("#board .kept")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#board .kept")).to_have_count(0)
    square(page, "f5").click()
    page.wait_for_selector("#status:text('only an empty square')")
    page.keyboard.type("a8")  # never legal this early
    page.wait_for_selector("#forget:visible")
    while len(held) < 2:
        page.wait_for_timeout(20)  # Playwright has no event for a forwarded socket
    page.release()
    page.wait_for_selector("#status:text-matches('^a8 is not legal now. Your move.')")


def test_a_reply_is_shown_when_the_discs_have_turned(page: Any) -> None:
    times = """() => { window.times = []; window.names = [];
      const seen = new MutationObserver(() => times.push(performance.now()));
      seen.observe(document.querySelector("#moves"), { childList: true });
      const turning = new MutationObserver(() => {
        const disc = document.querySelector(".flip");
        if (disc) names.push(getComputedStyle(disc).animationName);
      });
      turning.observe(document.querySelector("#board"), { childList: true, subtree: true });
    }"""
    begin(page, "othello", "", "person", "engine quick")
    page.wait_for_selector(YOUR_MOVE)
    for motion, name in (("no-preference", "flip"), ("reduce", "none")):
        page.emulate_media(reduced_motion=motion)
        page.evaluate(times)
        made = page.locator("#moves li").count()
        page.locator(f"{SQUARE}.can").first.click()
        wait_for_move(page, made + 2)
        page.wait_for_selector(YOUR_MOVE)
        shows(page, "() => [...new Set(names)]", [name])
        if name == "flip":
            shows(page, "() => times.at(-1) - times[0] >= 145", True)


def test_keys_act_on_the_whole_page_and_in_no_field(page: Any) -> None:
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open] td:text('turn the board')")
    page.keyboard.press("Escape")
    begin(page, "othello", "", "person", "engine quick")
    page.wait_for_selector(YOUR_MOVE)
    page.keyboard.press("d")
    page.keyboard.press("3")
    wait_for_move(page, 2)
    page.wait_for_selector(YOUR_MOVE)
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    wait_for_current(page, "1. d3")
    page.keyboard.press("End")
    page.keyboard.press("h")
    page.wait_for_selector("#hinted:text('Hint: ')")
    page.wait_for_selector("#hint:text('Hide the hint')")
    page.keyboard.press("Escape")
    expect(page.locator("#hinted")).to_be_hidden()
    page.keyboard.press("f")  # also starts a file name, so the board turns after a second
    shows(page, f"() => document.querySelector(`{SQUARE}[aria-label^='h8']`).offsetLeft < 100", True)
    page.keyboard.press("f")
    page.keyboard.press("x")
    expect(page.locator("#analyse")).to_be_checked()
    page.keyboard.press("x")
    page.keyboard.press("u")
    expect_moves(page)
    page.keyboard.press("n")
    page.locator("#parameters").press("u")
    expect(page.locator("#parameters")).to_have_value("u")
    page.keyboard.press("Escape")
    page.evaluate("localStorage.clear()")


def test_one_clock_for_both_starts_with_the_first_move(page: Any) -> None:
    new_game(page)
    page.select_option("#gamename", "tictactoe")
    page.select_option("#who0", "person")
    page.select_option("#who1", "engine quick")
    page.select_option("#clock", "own")
    page.fill("#minutes", "2.5")
    page.fill("#seconds", "4")
    page.click("#form button[type=submit]")
    page.wait_for_selector(YOUR_MOVE)
    expect(page.locator(".strip .limit")).to_have_text(["level 20: full strength, 2.5 min + 4 s", "X, to move"])
    expect(page.locator("#player0 .clock:not(.runs)")).to_have_text("2:30")
    page.locator(f"{SQUARE}.can").first.click()
    expect(page.locator("#player0 .clock.runs")).to_have_text(re.compile("2:3[0-3]|2:[012]"))
    page.reload()
    page.wait_for_selector(YOUR_MOVE)
    expect(page.locator("#clock")).to_have_value("own")
    expect(page.locator("#minutes")).to_have_value("2.5")


def test_the_first_page_goes_on_begins_and_lists(context: Any, tmp_path: Path) -> None:
    with (
        serving(XDG_DATA_HOME=str(tmp_path)) as (process, address),
        opened(context, Server(address, process, tmp_path)) as page,
    ):
        my_games(page)
        expect_all_can_use(page)
        expect(page.locator("#going-title")).to_have_text("Play your first game")
        expect(page.locator("main :is(button, .button).primary:visible")).to_have_count(1)
        expect(page.locator("#rating, #practice, svg.curve").locator("visible=true")).to_have_count(0)
        page.click("#begin:text('Play level 1')")
        page.wait_for_selector(YOUR_MOVE)
        expect(page.locator("#player1 .limit")).to_contain_text("level 1: ")
        page.locator(f"{SQUARE}.can").first.click()
        wait_for_move(page, 2)
        played = page.inner_text("#moves")
        page.click("h1 a")
        expect(page.locator("#going-title")).to_have_text("Your move")
        expect(page.locator("#going-text")).to_contain_text("level 1, move 3")
        expect(page.locator("main :is(button, .button).primary:visible")).to_have_count(1)
        page.click("#continue")
        page.wait_for_selector(YOUR_MOVE)
        expect(page.locator("#moves")).to_have_text(played, use_inner_text=True)
        page.evaluate("""() => fetch(`/api/sessions/${new URLSearchParams(location.hash.slice(1)).get("session")}`,
            { method: "DELETE" })""")
        page.wait_for_selector("#status:text('Its moves are in My games.')")
        page.click("h1 a")  # the game just left is the latest saved game
        expect(page.locator("#going-title")).to_have_text("Your move")
        page.click("#board")  # its squares are too small to play on
        page.wait_for_selector(YOUR_MOVE)
        expect(page.locator("#moves")).to_have_text(played, use_inner_text=True)
        page.locator(f"{SQUARE}.can").first.click()  # a game is saved once a player has moved
        wait_for_move(page, 4)
        page.wait_for_selector(YOUR_MOVE)
        resign(page)
        page.set_viewport_size({"width": 390, "height": 844})
        page.click("h1 a")
        expect(page.locator("#going-title")).to_have_text(re.compile("An even game: level [0-9]+"))
        even = page.locator("#levels :checked").get_attribute("value")
        expect(page.locator("#begin")).to_have_text(f"Play level {even}")
        expect(page.locator("#kept-list li .result.lost")).to_have_text("Lostresigned")
        expect(page.locator("#rating-games")).to_have_text("1 game against levels")
        expect_no_wider_than_the_window(page)
        expect_all_can_use(page)
        page.click("#begin")
        page.wait_for_selector(YOUR_MOVE)
        expect(page.locator("#moves li")).to_have_count(0)
        page.evaluate("localStorage.clear()")


def test_two_people_play_on_two_machines(page: Any, server: Server) -> None:
    """The other machine is a browser without the cookie of this server, which the address of the seat lets in."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    begin(page, "tictactoe", "", "person", "away")
    page.wait_for_selector("#alone:visible")  # this server only serves this machine
    page.click("#copyseat:text('Copy the address')")
    page.wait_for_selector("#copyseat:text('Copied')")
    address = page.evaluate("() => navigator.clipboard.readText()")
    assert re.fullmatch(rf"http://{re.escape(server.host)}/seat/[\w-]+", address)
    expect_all_can_use(page)
    page.click("#copywatch:text('Copy the address for spectators')")
    page.wait_for_selector("#copywatch:text('Copied')")
    to_watch = page.evaluate("() => navigator.clipboard.readText()")
    audience, away = (page.context.browser.new_context() for _ in range(2))
    for each in (audience, away):
        each.set_default_timeout(WAIT_MS)
    third = audience.new_page()
    third.goto(to_watch)
    third.wait_for_selector("#status:text('A person is thinking.')")
    expect(page.locator("#waiting")).to_be_visible()  # the player has not joined yet
    with watched(away, server.host) as other:
        other.goto(address)
        other.wait_for_selector("#status:text('The other player is thinking.')")
        expect(page.locator("#waiting")).to_be_hidden()
        for each in (page, other):  # no engine hints, and no one can take back a move alone
            expect(each.locator("#hint, #scoring").filter(visible=True)).to_have_count(0)
            expect(each.locator("#takeback")).to_be_disabled()
        square(page, "b2").click()
        other.wait_for_selector(YOUR_MOVE)
        expect(page.locator("#status")).to_have_text("The other player is thinking.")
        square(other, "a1").click()
        page.wait_for_selector(YOUR_MOVE)
        other.reload()
        wait_for_move(other, 2)
        wait_for_move(third, 2)
        expect(third.locator("#resign, #takeback, #rematch").filter(visible=True)).to_have_count(0)
        square(page, "b1").click()
        other.wait_for_selector(YOUR_MOVE)
        page.click("#takeback")
        other.wait_for_selector("#question-text:text('X asks to take a move back.')")
        expect(page.locator("#status")).to_contain_text("You have asked to take a move back.")
        other.click("#accept")
        for each in (page, other, third):
            expect_moves(each, "1. b2", "2. a1")
        other.fill("#talk-panel input", "well played")
        other.press("#talk-panel input", "Enter")
        expect(page.locator("#talk-panel li")).to_have_text(["O well played"])
        page.click("#draw")
        page.click("#draw:text('Really offer it?')")
        other.click("#decline")
        expect(page.locator("#status")).to_contain_text("The offer of a draw was declined.")
        resign(page)
        other.wait_for_selector("#end-title:text('You won')")
        page.wait_for_selector("#end-title:text('You lost')")
        third.wait_for_selector("#end-title:text('O wins')")
        expect(other.locator("#error")).to_be_hidden()
        other.click("#review")
        other.wait_for_selector("#mistake:visible")
        expect(third.locator("#rematch, #playon, #review").filter(visible=True)).to_have_count(0)
        other.click("#rematch")
        page.click("#accept")
        other.wait_for_selector("#status:text('X: your move'), #status:text('Your move')")
        expect_moves(other)
        other.goto(address)  # the link opens the new game
        other.wait_for_selector(YOUR_MOVE)
    away.close()
    audience.close()


def test_the_sides_are_drawn_by_lot(page: Any) -> None:
    new_game(page)
    page.select_option("#who1", "person")
    page.check("#bylot")
    drawn = page.evaluate(
        """async () => {
          const { NewGame } = await import("/static/new_game.js");
          const form = new NewGame(() => {});
          form.engines = [{ name: "quick" }];
          document.getElementById("who1").value = "engine quick";
          return Array.from({ length: 200 }, () => form.players().map(({ person }) => Boolean(person)).join());
        }"""
    )
    assert set(drawn) == {"false,true", "true,false"}


SIDES = {(1280, 800): 672, (1920, 1080): 936, (390, 844): 374, (844, 390): 374, (640, 400): 360}
SEEN = """() => [...document.querySelectorAll("#board, #actions button, .strip, .say, .acts2 button")]
  .filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect())
  .every(({ left, top, right, bottom }) => left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight)"""


def test_all_of_the_moment_is_seen_in_every_window(page: Any) -> None:
    """The last of the sizes is that of 1280x800 at 200 %."""

    def expect_all_is_seen(on_a_phone: int = SIDES[390, 844]) -> None:
        for (width, height), side in {**SIDES, (390, 844): on_a_phone}.items():
            page.set_viewport_size({"width": width, "height": height})
            shows(page, "() => Math.round(document.querySelector('#board').getBoundingClientRect().width)", side)
            shows(page, SEEN, True)
            expect_no_wider_than_the_window(page)
        page.set_viewport_size({"width": 1280, "height": 800})

    expect_all_is_seen()
    begin(page, "othello", "", "person", "engine quick")
    page.wait_for_selector(YOUR_MOVE)
    square(page, "d3").click()
    wait_for_move(page, 2)
    page.wait_for_selector(YOUR_MOVE)
    expect_all_is_seen()
    page.keyboard.press("h")
    page.wait_for_selector("#playhint:visible")
    expect_all_is_seen()
    page.keyboard.press("Escape")
    place = page.locator("#hint").bounding_box()
    page.click("#hint")
    page.wait_for_selector("#playhint:visible")
    # A double click on the hint must not play it.
    assert page.locator("#hint").bounding_box()["x"] == place["x"] < page.locator("#playhint").bounding_box()["x"]
    page.keyboard.press("Escape")
    resign(page)
    expect_all_is_seen()
    page.goto(f"{page.url.partition('#')[0]}?mistake#game=othello&moves=e6f6g6g7g8")
    wait_for_move(page, 5)
    page.click("#review")
    page.wait_for_selector("#mistake:visible")
    page.keyboard.press("m")
    page.wait_for_selector("#better:visible")
    page.keyboard.press("1")
    mover = 1 - int(page.locator("#moves button[aria-current]").inner_text()[0] in "13579")
    expect(page.locator("#status")).to_have_text(f"{('Black', 'White')[mover]} to move.")
    expect_all_is_seen(316)
    page.keyboard.press("b")
    page.wait_for_selector("#togame:visible")
    expect_all_is_seen(316)
