"""What ``import quietmove`` offers to scripts."""

from __future__ import annotations

import asyncio
import copy
import doctest
import gc
import math
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import quietmove
from quietmove import Limit, Position, Score
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError, IllegalMoveError, LimitsError, NotationError, OptionError
from quietmove.engine.games import base
from quietmove.engine.values import DECISIVE, SCORE_WIN, Limits
from quietmove.referee.config.model import EngineConfig
from tests.fakes.addons import needs_games
from tests.fakes.processes import WAIT


def test_a_position_tells_who_moves_and_how_it_ended() -> None:
    position = quietmove.Position("tictactoe", moves="b2 a1 a2 a3")
    assert (position.turn, position.is_over, position.result) == ("X", False, None)
    position.push("c2")
    assert (position.is_over, position.result, position.legal_moves) == (True, 1, [])
    assert position.pop() == "c2"
    assert position.moves == ("b2", "a1", "a2", "a3")
    over = quietmove.Position("othello", "XX" + "-" * 62 + " X")
    assert (over.result, quietmove.Position(fen="O" + "-" * 63 + " X").result) == (64, -64)


def test_positions_are_values() -> None:
    one, other = quietmove.Position("tictactoe", moves="a1 b2 c3"), quietmove.Position("tictactoe", moves="c3 b2 a1")
    assert one == other
    assert len({one.key, other.key, quietmove.Position("tictactoe").key}) == 2
    for changing in (one, quietmove.Board()):
        with pytest.raises(TypeError, match="unhashable"):
            hash(changing)
    assert quietmove.Position("tictactoe", "--------- X") == quietmove.Position("tictactoe") != one
    assert quietmove.Position("connect") != quietmove.Position("othello") != "othello"
    assert one.pop() == "c3"
    assert one.push("c3") is one
    assert one == other


@pytest.mark.parametrize("name", quietmove.games())
def test_a_position_of_any_game_can_be_pickled_with_its_moves(name: str) -> None:
    position = quietmove.Position(name)
    for _ in range(2):
        position.push(position.legal_moves[0])
    read = pickle.loads(pickle.dumps(position))
    assert (read, read.moves, read.key) == (position, position.moves, position.key)
    for same in (read, position.copy(), copy.deepcopy(position)):
        assert [same.pop(), same.pop()] == list(reversed(position.moves))
        assert same == quietmove.Position(name)
    later = quietmove.Position(name, position.fen)
    assert pickle.loads(pickle.dumps(later)) == later
    assert later.copy() == copy.deepcopy(later) == position.copy(moves=False) == later
    assert position.copy(moves=False).moves == ()


def test_a_board_has_the_words_of_a_position() -> None:
    board, position = quietmove.Board(), quietmove.Position()
    for move in quietmove.Board().random_game(5):
        board.push(move)
        position.push(board.format_move(move))
        assert (board.fen, board.turn, board.discs) == (position.fen, position.turn, position.discs)
        assert (board.is_over, board.result) == (position.is_over, position.result)
        assert list(map(board.format_move, board.moves)) == list(position.moves)
        assert sorted(map(board.format_move, board.legal_moves)) == sorted(position.legal_moves)
    assert position.players == ("black", "white")
    assert quietmove.Position("tictactoe").players == ("X", "O")
    for copied in (board.copy(), board.copy(moves=False)):
        assert copied == board
    assert board.copy().pop() == board.pop()
    assert board.copy(moves=False).moves == []


def test_the_squares_of_a_position() -> None:
    position = quietmove.Position(moves="f5")
    assert (position["f5"], position["D4"], position["e5"], position["a1"]) == ("X", "O", "X", "-")
    assert position.discs == (4, 1)
    assert quietmove.Position("tictactoe", moves="b2 c1").discs == (1, 1)
    assert quietmove.Position("connect", moves="a a b")["a4"] == "X"
    for square in ("i1", "a9", "d", "", 3):
        with pytest.raises(NotationError, match="square: must be one from a1 to h8, not"):
            position[square]


@needs_games
def test_positions_of_the_small_games() -> None:
    assert quietmove.Position("einstein").turn == "nature"
    assert quietmove.Position("einstein", moves="6").discs == (6, 6)
    with pytest.raises(QuietmoveError, match="game: nim is not played on a board of squares"):
        _ = quietmove.Position("nim").discs
    moved = quietmove.Position("capture").svg({"7-6": Score(0), "1-2": Score(-100)}) or ""
    assert moved.count('stroke="#e8a33d"') == 2
    assert ">-1</text>" in moved


def test_a_line_with_a_mistake_changes_nothing() -> None:
    position = quietmove.Position(moves="f5")
    with pytest.raises(IllegalMoveError, match="'a1' is not legal here"):
        position.push("d6 c3 a1")
    with pytest.raises(NotationError, match="'zz' is not a move"):
        position.push("d6 zz")
    assert position.moves == ("f5",)
    assert position.fen == quietmove.Position(moves="f5").fen


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"game": 5}, "game: must be a string, not 5"),
        ({"fen": 5}, "fen: must be a string, not 5"),
        ({"moves": 5}, "moves: must be a string or a list of strings, not 5"),
        ({"moves": [5]}, r"moves: must be a string or a list of strings, not \[5\]"),
    ],
)
def test_what_is_no_text_is_one_error(given: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=message):
        quietmove.Position(**given)


def test_a_position_is_no_sequence_of_squares() -> None:
    position = quietmove.Position()
    with pytest.raises(GameError, match="move: must be a string, not 5"):
        position.read(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not iterable"):
        list(position)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="not a container"):
        _ = "d4" in position  # type: ignore[operator]


def test_copies_are_independent_and_can_be_read_back() -> None:
    position = quietmove.Position("connect", moves="a b")
    other = position.copy().push("c")
    assert (position.moves, other.moves) == (("a", "b"), ("a", "b", "c"))
    assert eval(repr(position), {"Position": quietmove.Position}).fen == position.fen
    assert str(position).splitlines()[0].split() == ["a", "b", "c", "d"]


def test_an_analysis_is_described_as_far_as_it_has_been_read() -> None:
    analysis = quietmove.analyse(quietmove.Position(moves="f5d6c3"), quietmove.Limit(depth=2), multipv=2)
    first = next(iter(analysis))
    assert repr(analysis).startswith("<Analysis of othello: depth ")
    assert analysis.infos[0] == first
    best = analysis.best_move
    assert repr(analysis).startswith("<Analysis of othello: depth 2, score ")
    assert repr(analysis).endswith(f", best move {best}>")


def test_an_analysis_tells_each_iteration_and_the_answer() -> None:
    position = quietmove.Position(moves="f5d6c3")
    analysis = quietmove.analyse(position, quietmove.Limit(depth=5), hash=1, multipv=2, quiescence=True)
    infos = list(analysis)
    assert list(analysis) == infos == list(analysis.infos)
    assert [(info.depth, info.rank) for info in infos] == [(depth, rank) for depth in range(1, 6) for rank in (1, 2)]
    assert analysis.best_move == infos[-2].move == infos[-2].pv[0]
    assert position.moves == ("f5", "d6", "c3")
    position.push(" ".join(infos[-2].pv))


def test_an_analysis_sees_the_moves_that_are_made_later_only_if_it_is_begun_later() -> None:
    position = quietmove.Position("tictactoe", moves="b2 a1 a2 a3")
    analysis = quietmove.analyse(position, quietmove.Limit(infinite=True))
    position.push("c2")
    assert analysis.best_move == "c2"
    with pytest.raises(GameError, match="no move to choose"):
        quietmove.analyse(position, quietmove.Limit(infinite=True))


def searches(before: set[threading.Thread]) -> list[threading.Thread]:
    """Return the threads of searches that have begun since."""
    return [thread for thread in threading.enumerate() if thread.name == "search" and thread not in before]


def test_leaving_an_analysis_ends_its_search() -> None:
    before = set(threading.enumerate())
    with quietmove.analyse(quietmove.Position(), quietmove.Limit(infinite=True)) as analysis:
        for info in analysis:
            if info.depth == 4:
                break
        (thread,) = searches(before)
    assert analysis.best_move is not None
    thread.join(WAIT)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"limit": 5}, LimitsError, "limit: must be depth=N, .*, not 5"),
        ({"limit": "depth=x"}, LimitsError, "limit: must be depth=N, .*, not 'depth=x'"),
        ({"depth": 3}, OptionError, r"no option 'depth'; write analyse\(position, Limit\(depth=…\)\)"),
        ({"orderin": "full"}, OptionError, "no option 'orderin'; did you mean 'Ordering'"),
        ({"hash": -1}, OptionError, "option Hash: must be a whole number from 0 to 65536"),
        ({"game": "connect"}, QuietmoveError, "game: cannot be given"),
    ],
)
def test_what_is_not_allowed_is_one_error(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        quietmove.analyse(quietmove.Position(), **{"limit": "depth=1", **given})


def test_the_docstrings_run() -> None:
    outcome = doctest.testmod(quietmove)
    assert outcome.failed == 0
    assert outcome.attempted > 1


def test_the_python_of_the_guides_runs(documents: dict[str, str]) -> None:
    ran = {}
    for name, text in documents.items():
        if name.startswith("addons/"):  # add-ons test their own guides
            continue
        example = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
        outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
        assert outcome.failed == 0
        ran[name] = outcome.attempted
    assert [name for name, examples in ran.items() if examples] == ["src/quietmove/README.md"]


def test_a_plain_import_loads_neither_the_search_nor_a_game() -> None:
    script = "import sys, quietmove; print(sorted(name for name in sys.modules if name.startswith('quietmove')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True, timeout=WAIT)
    core = ["quietmove", "quietmove.engine", "quietmove.engine.common", "quietmove.engine.common.stale"]
    assert done.stdout.strip() == str(core)
    assert {"Position", "analyse"} <= set(dir(quietmove))
    with pytest.raises(AttributeError, match="no attribute 'analyze'; did you mean 'analyse'"):
        _ = quietmove.analyze


def test_a_second_analysis_reads_no_files() -> None:
    script = """if True:
        import sys, quietmove
        def search(): return quietmove.analyse(quietmove.Position(), quietmove.Limit(depth=1)).best_move
        search()
        sys.addaudithook(lambda event, _: event in ("open", "os.listdir") and print(event))
        search()"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True, timeout=WAIT)
    assert done.stdout == ""


FAKE = Path(__file__).parents[1] / "fakes" / "fake_engine.py"


def fake(behaviour: str, **settings: Any) -> Any:
    return quietmove.player([sys.executable, str(FAKE), behaviour], name=behaviour, **settings)


def in_process(name: str, **settings: Any) -> Any:
    return quietmove.player("", name=name, protocol="in-process", limit="depth=1", **settings)


def test_an_engine_in_a_process_answers_for_any_position() -> None:
    before = set(threading.enumerate())
    with quietmove.Engine(quietmove.player(limit="nodes=500", options={"Hash": 1, "Quiescence": True})) as engine:
        position = quietmove.Position(moves="f5d6")
        reply = engine.best_move(position)
        assert reply.move in position.legal_moves
        assert reply.nodes is not None
        assert 0 < reply.nodes <= 500
        later = quietmove.Position(fen=position.push(reply.move).fen)
        assert engine.best_move(later, "depth=2").depth == 2
        over = quietmove.Position(fen="X" * 64 + " X")
        with pytest.raises(QuietmoveError, match="no move to choose"):
            engine.best_move(over)
        with pytest.raises(QuietmoveError, match="plays othello, not tictactoe"):
            engine.best_move(quietmove.Position("tictactoe"))
    with pytest.raises(quietmove.EngineError, match="already closed"):
        engine.best_move(position)
    assert "engine" not in {thread.name for thread in set(threading.enumerate()) - before}


@pytest.mark.parametrize(
    "wait", ["take(SimpleQueue())", "engine.best_move(Position(), 'movetime=1000000')", "play_game(slow, slow)"]
)
def test_an_interrupt_that_does_not_wake_the_waiting_thread_ends_the_wait(wait: str) -> None:
    """Another thread gets the signal. A signal that arrives just before the wait has the same effect."""
    script = f"""if True:
        import signal, threading
        from queue import SimpleQueue
        from quietmove import Engine, Position, play_game, player
        from quietmove.engine.common.entry import take
        def interrupt(): signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        slow = player("", protocol="in-process", limit="movetime=1000000")
        with Engine(slow) as engine:
            try:
                threading.Timer(0.2, interrupt).start()
                {wait}
            except KeyboardInterrupt:
                print(engine.best_move(Position(), "depth=1").move)"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True, timeout=WAIT)
    assert done.stdout.strip() in Position().legal_moves


def test_an_engine_that_fails_is_one_error() -> None:
    with pytest.raises(QuietmoveError, match="there is no program 'no-such-engine'"):
        quietmove.Engine(quietmove.player("no-such-engine"))
    for sandbox in (False, True):
        with pytest.raises(QuietmoveError, match="command: must be given"):
            quietmove.Engine(EngineConfig("one", sandbox=sandbox))
    with pytest.raises(QuietmoveError, match=r"engine\.command: must be"):
        quietmove.player("'")
    with pytest.raises(QuietmoveError, match=r"engine\.limit: must be"):
        quietmove.player(limit="quick")
    with pytest.raises(QuietmoveError, match="not 'colour'"):
        quietmove.player(colour="red")
    with (
        quietmove.Engine(fake("crash")) as engine,
        pytest.raises(quietmove.EngineError, match="ended with status"),
    ):
        engine.best_move(quietmove.Position())
    with (
        quietmove.Engine(fake("silence", limit="movetime=1", margin_ms=50)) as engine,
        pytest.raises(quietmove.EngineError, match="did not answer"),
    ):
        engine.best_move(quietmove.Position())


def test_the_default_limit_of_a_level_does_not_weaken_it() -> None:
    levels = [quietmove.player(options={"Level": level}) for level in (0, 19, 20)]
    assert [str(each.limit) for each in levels] == ["depth=60", "depth=60", "nodes=1000000"]
    others = quietmove.player(), quietmove.player("./other", options={"Level": 20})
    assert [str(each.limit) for each in others] == ["depth=6", "depth=6"]


def test_what_is_no_player_is_an_error_that_names_it() -> None:
    engine = quietmove.player()
    with pytest.raises(QuietmoveError, match=r"command: must be a command or a result of quietmove\.player, not 5"):
        quietmove.Engine(5)  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match=r"white: must be a command or a result of quietmove\.player, not 5"):
        quietmove.play_game(engine, 5)  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match=r"limit: must be given to quietmove\.player"):
        quietmove.Engine(engine, limit="depth=1")
    with pytest.raises(QuietmoveError, match=r"observer: must be a quietmove\.Observer, not 5"):
        quietmove.play_game(engine, engine, observer=5)  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match=r"^seed: must be"):
        quietmove.play_game(engine, engine, seed="x")  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match=r"engine\.options: must be a table, not 'Hash=1'"):
        quietmove.player(options="Hash=1")  # type: ignore[arg-type]


def test_what_an_engine_does_not_take_is_an_error_before_the_first_move() -> None:
    with pytest.raises(QuietmoveError, match="engine wrong: it has no option 'Hsh'; did you mean Hash"):
        quietmove.Engine(quietmove.player(name="wrong", options={"Hsh": 3}))
    with pytest.raises(QuietmoveError, match="cannot play connect"):
        quietmove.play_game(fake("sane"), in_process("right"), game="connect")


def test_an_analysis_that_nobody_holds_searches_no_longer() -> None:
    before = set(threading.enumerate())
    for info in quietmove.analyse(quietmove.Position(moves=["f5", "d6"]), quietmove.Limit(infinite=True)):
        if info.depth == 3:
            (thread,) = searches(before)
            break
    gc.collect()
    thread.join(WAIT)  # the thread is exiting, which may take longer than close() waits
    assert not thread.is_alive()


def test_a_judged_game_may_be_adjudicated() -> None:
    one = in_process("one")
    record = quietmove.play_game(one, one, adjudication=quietmove.Adjudication(max_plies=3), opening="f5 d6")
    assert (len(record.moves), record.reason) == (3, "adjudicated")
    with pytest.raises(QuietmoveError, match="max_plies: must be more than the 2 plies of an opening"):
        quietmove.play_game(one, one, adjudication=quietmove.Adjudication(max_plies=2), opening="f5 d6")


def test_a_judged_game_is_told_as_it_happens() -> None:
    seen: list[str] = []

    class Listener(quietmove.Observer):
        def move_made(self, ply: int, move: Any, clocks: Any) -> None:
            seen.append(move.move)

    record = quietmove.play_game(
        in_process("one"), in_process("other"), game="connect", opening="a b", observer=Listener()
    )
    assert tuple(seen) == tuple(move.move for move in record.moves)
    assert seen[:2] == ["a", "b"]
    assert record.reason == "finished"


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (Limit(depth=8), "depth=8"),
        (Limit(nodes=1000), "nodes=1000"),
        (Limit(movetime=500), "movetime=500"),
        (Limit(clock="40/300+2"), "tc=40/300+2"),
        (Limit(depth=8, movetime=500), "depth=8 movetime=500"),
        (Limit(infinite=True), "infinite"),
    ],
)
def test_a_limit_is_read_from_its_text(limit: Limit, text: str) -> None:
    assert (str(limit), Limit.parse(text)) == (text, limit)


def test_a_time_has_a_unit_and_what_is_no_limit_is_an_error() -> None:
    assert Limit.parse("movetime=0.5s") == Limit.parse("movetime=500ms") == Limit(movetime=500)
    for wrong in (
        "",
        "depth",
        "depth=0",
        "depth=1 depth=2",
        "tc=x",
        "movetime=1h",
        "infinite=1",
        "infinite depth=3",
        5,
    ):
        with pytest.raises(LimitsError):
            Limit.parse(wrong)  # type: ignore[arg-type]
    for given in ({}, {"depth": 0}, {"depth": True}, {"movetime": 0.5}, {"clock": "x"}, {"infinite": True, "depth": 1}):
        with pytest.raises(LimitsError):
            Limit(**given)  # type: ignore[arg-type]
    with pytest.raises(LimitsError, match=r"movetime: must be a whole number of milliseconds from 1 to .*, not 0\.5"):
        Limit(movetime=0.5)  # type: ignore[arg-type]


def test_a_search_keeps_to_the_clock_of_its_limit() -> None:
    assert Limit(clock="40/300+2").search_limits() == Limits(time=300_000, increment=2_000, movestogo=40)
    assert next(iter(quietmove.analyse(Position(), Limit(clock="0.1")))).depth == 1


def test_scores_are_ordered_and_spelled_as_in_the_protocol() -> None:
    scores = [
        Score(2 - quietmove.SCORE_WIN),
        Score(-150, "upper"),
        Score(0),
        Score(250),
        Score(quietmove.SCORE_WIN - 3),
    ]
    assert sorted([*scores[2:], *scores[:2]]) == scores
    assert list(map(str, scores)) == ["loss 2", "cp -150 upperbound", "cp 0", "cp 250", "win 3"]
    assert [score.discs for score in scores] == [-math.inf, -1.5, 0, 2.5, math.inf]
    assert [score.wins_in for score in scores] == [-2, None, None, None, 3]
    assert [score.is_exact for score in scores] == [True, False, True, True, True]
    won = list(quietmove.analyse(Position("connect", moves="a a"), Limit(infinite=True)))[-1].score
    assert (won.wins_in, won.discs) == (9, math.inf)
    assert (SCORE_WIN, DECISIVE) == (base.WIN, base.DECISIVE)


def test_an_engine_analyses_in_its_process() -> None:
    position = Position(moves="f5d6")
    with quietmove.Engine(limit=Limit(depth=4), options={"Hash": 1}) as engine:
        analysis = engine.analyse(position)
        assert [info.depth for info in analysis] == [info.depth for info in analysis.infos] == [1, 2, 3, 4]
        assert analysis.best_move == analysis.infos[-1].move
        with engine.analyse(position, Limit(infinite=True)) as endless:
            assert next(iter(endless)).move in position.legal_moves
            with pytest.raises(quietmove.BusyError, match="an analysis is running"):
                engine.best_move(position)
        assert endless.best_move in position.legal_moves
        assert engine.best_move(position, "depth=2").depth == 2
        with pytest.raises(LimitsError, match="an engine's process takes one of"):
            engine.best_move(position, Limit(depth=2, nodes=5))
    with quietmove.Engine(fake("crash")) as engine, pytest.raises(quietmove.EngineError, match="ended with status"):
        list(engine.analyse(position))


def test_handlers_share_an_asynchronous_engine() -> None:
    games = ("f5", "f5 d6", "f5 f6")

    async def handle() -> None:
        async with quietmove.AsyncEngine(limit="nodes=300", options={"Hash": 1}) as engine:
            replies = await asyncio.gather(*(engine.best_move(Position(moves=game)) for game in games))
            for game, reply in zip(games, replies, strict=True):
                assert reply.move in Position(moves=game).legal_moves
            analysis = engine.analyse(Position(), Limit(depth=3))
            assert [info.depth async for info in analysis] == [1, 2, 3]
            assert await analysis in Position().legal_moves
            waiting = asyncio.create_task(engine.best_move(Position(), Limit(infinite=True)))
            await asyncio.sleep(0)
            waiting.cancel()  # a client has left
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (await engine.best_move(Position(), Limit(depth=1))).depth == 1
        engine = await quietmove.AsyncEngine(in_process("one"))
        assert (await engine.best_move(Position())).move in Position().legal_moves
        await engine.close()
        with pytest.raises(quietmove.EngineError, match="already closed"):
            await engine.best_move(Position())
        with pytest.raises(quietmove.EngineError, match="not started"):
            await quietmove.AsyncEngine("quietmove").best_move(Position())

    asyncio.run(handle())


@pytest.mark.parametrize("ending", [".wtb", ".ggf", ".sgf", ".pgn", ".txt", ".jsonl"])
def test_games_are_written_and_read_in_every_format(ending: str, tmp_path: Path) -> None:
    one = in_process("one")
    record = quietmove.play_game(one, in_process("other"), opening="f5 d6")
    path = tmp_path / f"games{ending}"
    lost = quietmove.write_games(path, [record, record.transcript, quietmove.read_transcript("f5 d6 c3")])
    games = quietmove.read_games(path)
    for _ in range(2):  # each iteration reads the file again
        first, same, *unfinished = list(games)
        assert [move.move for move in first.moves] == [move.move for move in record.moves]
        assert (first.result, first.margin_black) == (record.result, record.margin_black)
        assert same == first
        if ending == ".wtb":
            assert (unfinished, [key for key in lost if key.startswith("left out")]) == ([], list(lost)[:1])
        else:
            assert [(move.move, unfinished[0].result) for move in unfinished[0].moves] == [
                ("f5", "*"),
                ("d6", "*"),
                ("c3", "*"),
            ]
        assert (first.black == "one") == ("not kept: players" not in lost)
        assert ((first.moves[-1].score or 0) == record.moves[-1].score) == ("not kept: scores of moves" not in lost)
    with pytest.raises(quietmove.GameFileError, match="already exists"):
        quietmove.write_games(path, [record])
    quietmove.write_games(path, [record], overwrite=True)
    assert len(list(games)) == 1


def test_reading_games_says_what_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    event = '[Event "club"]\n[Date "2024.01.01"]\n\n'
    path.write_text(f"{event}1. f5 d6 2. c3\n\n{event}1. a1\n\n{event}1. f5 f6\n")
    games = quietmove.read_games(path)
    assert [len(game.moves) for game in games] == [3, 2]
    assert games.lost == {"left out: damaged": 1, "not kept: events": 2, "not kept: dates": 2}
    assert "a1, is not legal" in games.problems[0]
    with pytest.raises(quietmove.GameFileError, match="No such file"):
        quietmove.read_games(tmp_path / "none.sgf")
    with pytest.raises(quietmove.GameFileError, match="game 1: must be a game of othello, not connect"):
        quietmove.write_games(tmp_path / "connect.sgf", [quietmove.read_transcript("a a", "connect")])
    assert not (tmp_path / "connect.sgf").exists()
    with pytest.raises(quietmove.GameFileError, match=r"must end in \.wtb, "):
        quietmove.write_games(tmp_path / "games.docx", [])


def test_a_tournament_is_run_and_returns_its_table(tmp_path: Path) -> None:
    level = {"protocol": "in-process", "options": {"Level": 0}}
    definition = {
        "name": "two",
        "rounds": 1,
        "defaults": {"limit": "depth=2"},
        "engine": [{"name": "full", "protocol": "in-process"}, {"name": "beginner", **level}],
    }
    table = quietmove.Tournament(definition).run(tmp_path / "two.sqlite")
    assert [(row["name"], row["games"], row["points"]) for row in table] == [("full", 2, 2.0), ("beginner", 2, 0.0)]
    assert table.document["games"] == 2
    assert "full" in str(table).splitlines()[0]
    assert "full" in table._repr_html_()
    with pytest.raises(quietmove.StoreError):
        quietmove.Tournament(definition).run(tmp_path / "two.sqlite")
    with pytest.raises(quietmove.ConfigFileError, match="nmae"):
        quietmove.Tournament({**definition, "nmae": "x"})
    file = tmp_path / "two.toml"
    file.write_text('name = "two"\nrounds = 1\n[[engine]]\nname = "a"\nprotocol = "in-process"\nlimit = "depth=1"\n')
    with pytest.raises(quietmove.ConfigFileError, match="engine"):
        quietmove.Tournament(file)


def test_every_name_is_exported_and_described() -> None:
    for name in dir(quietmove):
        value = getattr(quietmove, name)
        assert name in ("SCORE_WIN", "__version__") or value.__doc__
    for name in ("IllegalMoveError", "LimitsError", "SetupError", "EngineError", "ShortageError", "ArgumentError"):
        assert name in dir(quietmove)
        assert issubclass(getattr(quietmove, name), quietmove.QuietmoveError)


@needs_games
def test_hidden_cards_stay_hidden_from_an_engine() -> None:
    position = quietmove.Position("whist")
    with quietmove.Engine(in_process("one", options={"Deals": 2}), game="whist") as engine:
        assert engine.best_move(position).move in position.legal_moves
    assert "?" in str(position.known_to_the_side_to_move())
    assert position.known_to_the_side_to_move() != position.fen


def test_an_analysis_is_a_table_of_its_iterations() -> None:
    analysis = quietmove.analyse(quietmove.Position(moves="f5"), quietmove.Limit(depth=4))
    table = analysis._repr_html_()
    assert table.count("<tr>") == 1 + 4
    assert f"best move: {analysis.best_move}" in table
    with quietmove.analyse(quietmove.Position(), quietmove.Limit(infinite=True)) as endless:
        next(iter(endless))
        assert "best move: not yet known" in endless._repr_html_()


@pytest.mark.parametrize(
    ("options", "nodes"),
    [
        ({"Algorithm": "Minimax"}, 9 + 549_945),  # the first iteration plus the whole tree
        ({"algorithm": "minimax", "hash": 16}, 16_179),
    ],
)
def test_minimax_has_no_table_unless_one_is_asked_for(options: dict[str, object], nodes: int) -> None:
    *_, last = quietmove.analyse(quietmove.Position("tictactoe"), quietmove.Limit(infinite=True), **options)
    assert last.nodes == nodes


def test_values_stand_in_squares_or_at_arrows() -> None:
    position = quietmove.Position(moves="f5 d6")
    plain, valued = position.svg() or "", position.svg({"c3": Score(120), "C5": Score(-30)}) or ""
    assert plain.count("<circle") - valued.count("<circle") == 2
    assert re.findall(r">(1\.2|-0\.3)</text>", valued) == ["1.2", "-0.3"]
    with pytest.raises(IllegalMoveError, match="'a1' is not legal here"):
        position.svg({"a1": Score(0)})
    for wrong in (5, {"c3": 120}, [1]):
        with pytest.raises(QuietmoveError, match="values: must be a mapping of moves to"):
            position.svg(wrong)  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match="move: must be a string, not 5"):
        position.svg({5: Score(0)})  # type: ignore[dict-item]
