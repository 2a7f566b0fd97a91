"""The games of a server, in this process, with real engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quietmove.addons.web.boards import Steps, describe_game
from quietmove.addons.web.requests import AnalysisRequest, GameRequest, MoveRequest
from quietmove.addons.web.session import GameSession
from quietmove.addons.web.sessions import MOST_SESSIONS, GameSessions
from quietmove.addons.web.thinking import moves_of
from quietmove.engine.errors import GameError
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.protocol.pictures import EMPTY
from quietmove.engine.values import Info, Score
from quietmove.referee.config.model import COLORS, Color, EngineConfig, TimeControl
from quietmove.referee.errors import SetupError
from quietmove.referee.game.saved import read_game
from quietmove.referee.game.usual_level import usual_level
from tests.fakes.loops import in_a_loop
from tests.fakes.processes import marked, wait_until

HEXAPAWN = Path(__file__).parents[2] / "example_games" / "hexapawn" / "hexapawn.py"
WAIT = 60.0
MARK = "QUIETMOVE_SESSIONS_TEST"
SLOW = EngineConfig("slow", ("quietmove",), options=(("Hash", "1"),), limit=TimeControl(depth=50))
ENGINES = {"black": {"engine": "slow"}, "white": {"engine": "slow"}}
INSIDE = EngineConfig("inside", protocol="in-process", limit=TimeControl(depth=1))
REPORT = Info(Score(100), depth=3, nodes=50, pv=("h5",))
PEOPLE = {"game": "tictactoe", "black": {"person": True}, "white": {"person": True}}


@asynccontextmanager
async def opened(*engines: EngineConfig, grace: float = WAIT, games: Sequence[str] = ()) -> AsyncIterator[GameSessions]:
    """The games of a server, which have ended when the block is left."""
    sessions = GameSessions(engines, grace, games)
    try:
        yield sessions
    finally:
        await sessions.close_all()


async def until(session: GameSession, kind: str) -> dict[str, Any]:
    """Watch a session until a message of a kind comes, and return it."""
    watcher = session.watch()
    while (message := await watcher.get()) is not None and message["type"] != kind:
        pass
    session.leave(watcher)
    assert message is not None
    return message


async def asked(session: GameSession, ply: int) -> None:
    """Wait until a person is asked for a move after ``ply`` moves."""
    while session.snapshot()["turn"] is None or len(session.steps) <= ply:
        await asyncio.sleep(0.01)


def begin(sessions: GameSessions, request: dict[str, Any]) -> GameSession:
    return sessions.open(GameRequest.model_validate(request))


def answer(session: GameSession, ply: int, move: str) -> str:
    """Play a person's move; return what is wrong with it, or an empty text."""
    try:
        session.answer(MoveRequest(ply=ply, move=move))
    except SetupError as error:
        return str(error)
    return ""


@in_a_loop
async def test_a_game_that_nobody_watches_ends_and_leaves_no_engine() -> None:
    async with opened(replace(SLOW, env=((MARK, "1"),)), grace=0.1) as sessions:
        session = begin(sessions, ENGINES)
        watcher = session.watch()
        while (await watcher.get())["type"] != "thinking":
            pass
        assert await asyncio.to_thread(marked, MARK) >= 2
        session.leave(watcher)
        await asyncio.to_thread(wait_until, lambda: session.name not in sessions.sessions and not marked(MARK))


@in_a_loop
async def test_people_play_and_one_resigns() -> None:
    async with opened() as sessions:
        session = begin(sessions, PEOPLE)
        turn = await until(session, "turn")
        assert turn["turn"]["color"] == "black"
        assert answer(session, 0, "z9").startswith("'z9' is not legal here; legal: b2 a1")
        assert answer(session, 0, "b2") == ""
        assert (await until(session, "step"))["step"]["placed"] == [4]
        await asked(session, 1)
        assert answer(session, 1, "resign") == ""
        verdict = session.snapshot()["verdict"]
        assert (verdict["result"], verdict["detail"]) == ("1-0", "O resigns")
        assert answer(session, 1, "a1") == "the game is over"


@in_a_loop
async def test_a_person_whose_clock_has_run_out_has_lost_on_time() -> None:
    async with opened() as sessions:
        session = begin(sessions, {**PEOPLE, "black": {"person": True, "limit": "tc=0.1"}})
        for ply, move in enumerate(("b2", "a1")):  # clocks stop before the first move
            await asked(session, ply)
            assert answer(session, ply, move) == ""
        verdict = (await until(session, "end"))["verdict"]
        assert (verdict["reason"], verdict["detail"]) == ("timeout", "X lost on time")


@in_a_loop
async def test_a_page_that_reads_late_gets_each_step_once() -> None:
    async with opened() as sessions:
        session = begin(sessions, PEOPLE)
        await until(session, "turn")
        late = session.watch()
        assert answer(session, 0, "b2") == ""
        await until(session, "step")
        assert len((await late.get())["steps"]) == 1
        assert (await late.get())["ply"] == 1


@in_a_loop
async def test_a_game_whose_board_fails_ends_with_its_error(tmp_path: Path) -> None:
    text = HEXAPAWN.read_text()
    assert text.count("return divmod(move, 64)") == 1
    (tmp_path / "wrong.py").write_text(text.replace("return divmod(move, 64)", "return [80 * state[1]]"))
    name = f"{tmp_path}/wrong.py:Hexapawn"
    async with opened(games=[name]) as sessions:
        session = begin(sessions, {**PEOPLE, "game": name})
        await until(session, "turn")
        assert answer(session, 0, "a1a2") == ""
        verdict = (await until(session, "end"))["verdict"]
        assert verdict["result"] == "*"
        assert verdict["detail"].startswith("the game's squares_of() for move b3a2: must be at most two squares")
        assert answer(session, 1, "b3b2") == "the game is over"


@in_a_loop
async def test_all_tables_may_be_taken() -> None:
    async with opened() as sessions:
        opened_games = [begin(sessions, PEOPLE) for _ in range(MOST_SESSIONS)]
        watchers = [session.watch() for session in opened_games]
        with pytest.raises(SetupError, match=f"at most {MOST_SESSIONS} games can run at once; end one first"):
            begin(sessions, PEOPLE)
        for number in (2, 3):
            opened_games[number].leave(watchers[number])
        await asked(opened_games[3], 0)
        assert answer(opened_games[3], 0, "resign") == ""
        while opened_games[3].verdict is None:
            await asyncio.sleep(0.01)
        for number in (3, 2):  # the finished game is removed first
            assert opened_games[number].name in sessions.sessions
            begin(sessions, PEOPLE).watch()
            assert opened_games[number].name not in sessions.sessions


def texts(value: object) -> Iterator[str]:
    """Yield every text in a message, the number of its session left out, which is drawn by lot."""
    if isinstance(value, dict):
        yield from (text for key, each in value.items() if key != "id" for text in texts(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in texts(each))
    elif isinstance(value, str):
        yield value


def written(card: str) -> tuple[str, ...]:
    """Return how a card such as ``s5`` may stand in a message."""
    sign, name = {"s": ("\u2660", "spades"), "h": ("\u2665", "hearts"), "d": ("\u2666", "diamonds")}[card[0]]
    return card, f"{card[1]}{sign}", f"{card[1]} of {name}"


@pytest.mark.parametrize("person", COLORS)
@in_a_loop
async def test_a_person_is_told_no_hidden_card(person: Color) -> None:
    async with opened(INSIDE) as sessions:
        other: Color = "white" if person == "black" else "black"
        session = begin(sessions, {"game": "whist", person: {"person": True}, other: {"engine": "inside"}})
        whole = get_game("whist").format_position(session.spec.begin()).split()
        hand = [whole[COLORS.index(other)][i : i + 2] for i in range(0, 10, 2)]
        watcher, plies, told = session.watch(), 0, 0
        while (message := await watcher.get()) is not None and message["type"] != "end":
            said = " | ".join(texts(message))
            if message["type"] == "step":
                plies += 1
                step = message["step"]
                assert step["score"] is None
                if step["move"] in hand:
                    hand.remove(step["move"])
                    told += 1
            assert not [text for card in hand for text in written(card) if text in said]
            if message["type"] == "turn" and message["turn"]["color"] == person:
                session.search_reported(person, REPORT)  # a report from the side to move
                await asyncio.sleep(0)
                assert session.snapshot()["thinking"] == []
                assert answer(session, plies, session.steps[-1]["legal"][0]["move"]) == ""
        assert (hand, told) == ([], 5)
        assert message is not None
        assert message["steps"][0]["position"] == " ".join(whole)
        assert message["steps"] == session.snapshot()["steps"]


@in_a_loop
async def test_a_game_whose_board_has_no_names_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "unnamed.py"
    broken = "def __init__(self):\n        super().__init__()\n        self.labels = 'ab', '1'\n"
    file.write_text(f"{HEXAPAWN.read_text()}\n\nclass Unnamed(Hexapawn):\n    {broken}")
    name = f"{file}:Unnamed"
    async with opened(games=[name]) as sessions:
        with pytest.raises(GameError, match="the game's labels: must be two lists of strings"):
            begin(sessions, {**PEOPLE, "game": name})
        assert sessions.sessions == {}


@in_a_loop
async def test_what_cannot_be_played_with_hidden_cards_is_refused() -> None:
    async with opened(INSIDE) as sessions:
        with pytest.raises(SetupError, match="only one person can play whist"):
            begin(sessions, {**PEOPLE, "game": "whist"})
        players = {"black": {"person": True}, "white": {"engine": "inside"}}
        with pytest.raises(SetupError, match="all cards must be known, but 252 deals are possible"):
            begin(sessions, {**players, "game": "whist", "position": "s1s4s5d1d4 ????? - B"})


@in_a_loop
async def test_the_cards_that_were_shown_are_played() -> None:
    players = {"game": "whist", "black": {"person": True}, "white": {"engine": "inside"}}
    async with opened(INSIDE) as sessions:
        whist = get_game("whist")
        shown = whist.format_position(whist.initial())
        for changes in ({"position": shown}, {"opening": "d1 d2"}):
            spec = begin(sessions, {**players, **changes}).spec
            assert whist.format_position(spec.begin()) == shown
        dealt = {whist.format_position(begin(sessions, players).spec.begin()) for _ in range(3)}
        assert len(dealt) > 1


def test_a_line_names_the_items_that_it_chooses() -> None:
    game = get_game("nim")
    found = moves_of(game, game.initial(), ("3-4", "1-1", "3-1", "2-4"))
    assert [each.get("item") for each in found] == ["3.2", "1.3", "3.1", None]
    assert "item" not in moves_of(game, game.initial(), ("3-4",), 1)[0]


@in_a_loop
async def test_whoever_watches_engines_sees_all_cards() -> None:
    async with opened(INSIDE) as sessions:
        session = begin(sessions, {"game": "whist", "black": {"engine": "inside"}, "white": {"engine": "inside"}})
        assert "?" not in session.snapshot()["steps"][0]["position"]
        assert "steps" not in await until(session, "end")


@pytest.mark.parametrize("name", game_names())
def test_each_game_has_a_board(name: str) -> None:
    game = get_game(name)
    described = describe_game(game)
    assert described["level"] == usual_level(game)  # the terminal has the same default
    columns = described["columns"]
    step = Steps(game, game.initial()).first()
    drawn = [step[each] is not None for each in ("board", "picture", "text")]
    assert drawn == [columns > 0, columns == 0, False]
    assert columns == 0 or set(step["board"]) <= {*described["owners"], EMPTY}
    assert (columns, described["rows"]) == (5, 5) or name != "einstein"


def test_pieces_of_several_kinds_have_an_owner_each() -> None:
    game = get_game("einstein")
    owners = describe_game(game)["owners"]
    assert {letter: owners[letter] for letter in "16af"} == {"1": 0, "6": 0, "a": 1, "f": 1}
    step = Steps(game, game.parse_position(["1-----2------------b----a", "B", "-"])).first()
    assert step["counts"] == [2, 2]
    assert step["caption"].startswith("the die is rolled for Black")


@in_a_loop
async def test_who_takes_all_back_and_resigns_has_resigned_the_game_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(INSIDE) as sessions:
        sessions.keep_in(tmp_path)
        monkeypatch.setattr("time.strftime", lambda form: "2001-02-03 04:05:06")
        first = begin(sessions, PEOPLE)
        await asked(first, 0)
        assert answer(first, 0, "b2") == ""
        await asked(first, 1)
        monkeypatch.undo()
        again = begin(sessions, {**PEOPLE, "instead": first.name})
        await asked(again, 0)
        [file] = tmp_path.iterdir()
        assert len(read_game(file).moves) == 1  # the file does not change until the game continues or ends
        assert answer(again, 0, "resign") == ""
        [kept] = sessions.kept.listed()["games"]
        assert (kept["date"], kept["result"], kept["plies"]) == ("2001-02-03 04:05:06", "0-1", 0)


@in_a_loop
async def test_a_game_is_kept_once_however_often_moves_are_taken_back(tmp_path: Path) -> None:
    async with opened(INSIDE) as sessions:
        sessions.keep_in(tmp_path)
        first = begin(sessions, PEOPLE)
        for ply, move in enumerate(("b2", "a1")):
            await asked(first, ply)
            assert answer(first, ply, move) == ""
        while len(first.steps) < 3:
            await asyncio.sleep(0.01)
        again = begin(sessions, {**PEOPLE, "opening": "b2", "instead": first.name})
        assert first.name not in sessions.sessions
        [file] = tmp_path.iterdir()
        assert [move.move for move in read_game(file).moves] == ["b2", "a1"]
        for ply, move in ((1, "c3"), (2, "resign")):
            await asked(again, ply)
            assert answer(again, ply, move) == ""
        while again.verdict is None:
            await asyncio.sleep(0.01)
        assert list(tmp_path.iterdir()) == [file]
        kept = sessions.kept.listed()["games"][0]
        assert (kept["result"], kept["plies"], kept["players"]) == ("0-1", 2, ["X", "O"])
        shown = sessions.kept.shown(kept["name"])
        assert [step["move"] for step in shown["steps"][1:]] == ["b2", "c3"]
        for name in (f"../{tmp_path.name}/{kept['name']}", "none"):
            with pytest.raises(SetupError, match="there is no saved game"):
                sessions.kept.delete(name)
        sessions.kept.delete(kept["name"])
        assert sessions.kept.listed()["games"] == []


@in_a_loop
async def test_a_game_with_moves_taken_back_has_its_moves_at_once_and_as_they_were_played(tmp_path: Path) -> None:
    """Nothing is replayed: who moved, the engine's scores and the clocks stay those of the game before."""
    async with opened(INSIDE) as sessions:
        sessions.keep_in(tmp_path)
        clock = {"limit": "tc=10+0"}
        game = {"black": {"person": True, **clock}, "white": {"engine": "inside", **clock}}
        first = begin(sessions, {**game, "opening": "d3 c3"})
        for ply in (2, 4):
            await asked(first, ply)
            assert answer(first, ply, first.steps[-1]["legal"][0]["move"]) == ""
        await asked(first, 6)
        before = first.moves
        taken = " ".join(each.move for each in before[:4])
        again = begin(sessions, {**game, "opening": taken, "instead": first.name})
        steps = again.snapshot()["steps"]
        assert [step.get("by") for step in steps[1:]] == ["opening", "opening", "black", "white"]
        assert again.moves == before[:4]
        assert steps[4]["score"] is not None
        assert steps[4]["clock"] == before[3].clock_ms < 10_000
        await asked(again, 4)
        assert again.snapshot()["turn"]["clocks"]["white"] == before[3].clock_ms
        other = begin(sessions, {**game, "opening": "d3 e3", "instead": again.name})
        kept = sessions.kept.listed()["games"][0]["name"]
        later = begin(sessions, {**game, "opening": taken, "kept": kept})  # as after a server restart
        assert later.moves == before[:4]
        assert [move.by for move in other.moves] == ["opening"] * 2  # a different line is not a continuation


@in_a_loop
async def test_only_the_moves_played_in_a_game_belong_to_its_players(tmp_path: Path) -> None:
    """A continued game stays one file, and a branch has its own, in which nobody chose the earlier moves."""
    async with opened(INSIDE) as sessions:
        sessions.keep_in(tmp_path)
        game = {"black": {"person": True}, "white": {"engine": "inside"}}
        first = begin(sessions, game)
        for ply in (0, 2):
            await asked(first, ply)
            assert answer(first, ply, first.steps[-1]["legal"][0]["move"]) == ""
        await asked(first, 4)
        sessions.close(first.name)
        [file] = tmp_path.iterdir()
        before = read_game(file)
        moves = [each.move for each in before.moves]
        assert (len(moves), before.given, before.was_helped) == (4, 0, False)

        async def play_on(plies: int, **changes: object) -> Path:
            """Play one move more from a ply of the saved game, and return the file."""
            opening = {"opening": " ".join(moves[:plies]), "kept": file.stem, **changes}
            later = begin(sessions, {**game, **opening})
            await asked(later, plies)
            assert answer(later, plies, later.steps[-1]["legal"][-1]["move"]) == ""
            while len(later.moves) == plies:
                await asyncio.sleep(0.01)
            sessions.close(later.name)
            assert later.path is not None
            return later.path

        branch = await play_on(2)
        pasted = await play_on(4, kept="")
        assert file not in (branch, pasted)
        assert [read_game(each).given for each in (branch, pasted)] == [2, 4]
        assert await play_on(4) == file
        assert len(list(tmp_path.iterdir())) == 3
        after = read_game(file)
        assert (after.date, after.given, after.was_helped) == (before.date, 0, False)
        assert after.moves[:4] == before.moves


@in_a_loop
async def test_a_game_with_an_analysis_or_moves_taken_back_is_saved_as_helped(tmp_path: Path) -> None:
    async with opened(INSIDE) as sessions:
        sessions.keep_in(tmp_path)
        game = {"black": {"person": True}, "white": {"engine": "inside"}}
        for help_given in ("none", "hint", "review", "takeback"):
            session = begin(sessions, game)
            await asked(session, 0)
            if help_given in ("hint", "review"):
                sessions.check_analysis(AnalysisRequest(game="othello", moves="", review=help_given == "review"))
            if help_given == "takeback":
                session = begin(sessions, {**game, "instead": session.name})
                await asked(session, 0)
            assert answer(session, 0, "d3") == ""
            await asked(session, 2)
            sessions.close(session.name)
            assert session.path is not None
            assert read_game(session.path).was_helped is (help_given in ("hint", "takeback"))


FRIENDS = {"game": "tictactoe", "black": {"person": True}, "white": {"person": True, "away": True}}


def say(session: GameSession, viewer: Color | None, **message: object) -> str:
    """Send a message of one of two people; return what is wrong with it, or an empty text."""
    try:
        session.hear(MoveRequest.model_validate(message), viewer)
    except SetupError as error:
        return str(error)
    return ""


@in_a_loop
async def test_two_people_have_the_same_rights_on_both_machines() -> None:
    """Each resigns at any time, offers, answers offers and writes; nobody takes a move back alone."""
    async with opened(INSIDE) as sessions:
        first = begin(sessions, FRIENDS)
        seat = first.seats["white"]
        await asked(first, 0)
        assert "offer: must be draw, not takeback" in say(first, "white", offer="takeback")
        assert answer(first, 0, "b2") == ""
        await asked(first, 1)
        with pytest.raises(SetupError, match="the other player must agree"):
            begin(sessions, {**FRIENDS, "instead": first.name})
        assert say(first, None, say="hello") == say(first, "white", say=" hi ") == ""
        assert first.snapshot("white")["talk"] == [{"by": "black", "text": "hello"}, {"by": "white", "text": "hi"}]
        assert say(first, None, offer="takeback") == ""
        assert "there is no offer" in say(first, None, accept=True)  # players cannot accept their own offer
        assert say(first, "white", accept=False) == ""
        assert first.snapshot()["offer"] is None
        watcher = first.watch("white")
        assert say(first, None, offer="takeback") == say(first, "white", accept=True) == ""
        messages = [watcher.get_nowait() for _ in range(watcher.qsize())]
        moved = next(each["id"] for each in messages if each and each["type"] == "moved")
        again = sessions.sessions[moved]
        assert (len(again.steps), sessions.session_of_seat(seat)) == (1, moved)
        assert again.snapshot("white")["talk"][0]["text"] == "hello"
        await asked(again, 0)
        assert say(again, None, offer="draw") == say(again, "white", accept=True) == ""
        assert again.verdict == {
            "reason": "adjudicated",
            "detail": "the players agreed to a draw",
            "result": "1/2-1/2",
            "margin": 0,
        }
        assert say(again, "white", offer="rematch") == say(again, None, accept=True) == ""
        third = sessions.sessions[sessions.session_of_seat(seat) or ""]
        assert third.seats == {"black": seat}
        await asked(third, 0)
        assert answer(third, 0, "resign") == ""  # although the person on the other machine is to move
        assert (third.verdict or {})["result"] == "1-0"
        assert (third.verdict or {})["detail"] == "O resigns"
        await asyncio.gather(third.task, return_exceptions=True)
        assert "only the players" in say(third, "watcher", say="me too")


@pytest.mark.parametrize("assisted", [False, True])
@in_a_loop
async def test_no_engine_is_asked_about_a_running_game_between_people(assisted: bool) -> None:
    async with opened(INSIDE) as sessions:
        session = begin(sessions, {**FRIENDS, "assisted": assisted})
        assert session.snapshot("white")["assisted"] is assisted
        await asked(session, 0)
        assert answer(session, 0, "b2") == ""
        await asked(session, 1)
        here = AnalysisRequest(game="tictactoe", moves="b2")
        if assisted:
            sessions.check_analysis(here)
        else:
            for moves in ("b2", "b2 a1"):
                with pytest.raises(SetupError, match="is played without an engine"):
                    sessions.check_analysis(AnalysisRequest(game="tictactoe", moves=moves))
        sessions.check_analysis(AnalysisRequest(game="tictactoe", moves="a1"))
        seat, review = session.seats["white"], here.model_copy(update={"review": True})
        for question in (here, review):
            with pytest.raises(SetupError, match="review their game once it is over"):
                sessions.check_analysis(question, seat)
        assert answer(session, 1, "resign") == ""
        sessions.check_analysis(review, seat)
        for question in (here, AnalysisRequest(game="tictactoe", moves="a1", review=True)):
            with pytest.raises(SetupError, match="review their game once it is over"):
                sessions.check_analysis(question, seat)
        sessions.check_analysis(here)  # the owner may analyse anything
