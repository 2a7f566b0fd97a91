"""What ``import quietmove`` offers to scripts."""

from __future__ import annotations

import copy
import doctest
import gc
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import quietmove
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.errors import GameError, IllegalMoveError, LimitsError, NotationError, OptionError
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
    moved = quietmove.Position("capture").svg({"7-6": 0, "1-2": -100}) or ""
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
    analysis = quietmove.analyse(quietmove.Position(moves="f5d6c3"), depth=2, multipv=2)
    assert repr(analysis) == "<Analysis of othello: iterate over it, or ask for its best_move>"
    first = next(analysis)
    beginning = f"<Analysis of othello: depth 1, score {first.score.value / 100:g}, line {first.move}, "
    assert repr(analysis) == f"{beginning}running>"
    best = analysis.best_move
    assert repr(analysis).startswith("<Analysis of othello: depth 2, score ")
    assert repr(analysis).endswith(f", best move {best}>")


def test_an_analysis_tells_each_iteration_and_the_answer() -> None:
    position = quietmove.Position(moves="f5d6c3")
    analysis = quietmove.analyse(position, depth=5, hash=1, multipv=2, quiescence=True)
    infos = list(analysis)
    assert [(info.depth, info.rank) for info in infos] == [(depth, rank) for depth in range(1, 6) for rank in (1, 2)]
    assert analysis.best_move == infos[-2].move == infos[-2].pv[0]
    assert position.moves == ("f5", "d6", "c3")
    position.push(" ".join(infos[-2].pv))


def test_an_analysis_sees_the_moves_that_are_made_later_only_if_it_is_begun_later() -> None:
    position = quietmove.Position("tictactoe", moves="b2 a1 a2 a3")
    analysis = quietmove.analyse(position)
    position.push("c2")
    assert analysis.best_move == "c2"
    assert quietmove.analyse(position).best_move is None


def searches(before: set[threading.Thread]) -> list[threading.Thread]:
    """Return the threads of searches that have begun since."""
    return [thread for thread in threading.enumerate() if thread.name == "search" and thread not in before]


def test_leaving_an_analysis_ends_its_search() -> None:
    before = set(threading.enumerate())
    with quietmove.analyse(quietmove.Position()) as analysis:
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
        ({"depth": 0}, LimitsError, "depth: must be a whole number from 1 to 1000000000000000, not 0"),
        ({"nodes": "many"}, LimitsError, "nodes: must be a whole number from 1 to 1000000000000000, not 'many'"),
        ({"orderin": "full"}, OptionError, "no option 'orderin'; did you mean 'Ordering'"),
        ({"dept": 3}, OptionError, "no option 'dept'; did you mean 'depth'"),
        ({"hash": -1}, OptionError, "option Hash: must be a whole number from 0 to 65536"),
        ({"game": "connect"}, QuietmoveError, "game: cannot be given"),
    ],
)
def test_what_is_not_allowed_is_one_error(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        quietmove.analyse(quietmove.Position(), **given)


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
    assert done.stdout.strip() == "['quietmove', 'quietmove.engine', 'quietmove.engine.common']"
    assert {"Position", "analyse"} <= set(dir(quietmove))
    with pytest.raises(AttributeError, match="no attribute 'analyze'; did you mean 'analyse'"):
        _ = quietmove.analyze


def test_a_second_analysis_reads_no_files() -> None:
    script = """if True:
        import sys, quietmove
        def search(): return quietmove.analyse(quietmove.Position(), depth=1).best_move
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
    with quietmove.EngineProcess(
        quietmove.player(limit="nodes=500", options={"Hash": 1, "Quiescence": True})
    ) as engine:
        position = quietmove.Position(moves="f5d6")
        reply = engine.play(position)
        assert reply.move in position.legal_moves
        assert reply.nodes is not None
        assert 0 < reply.nodes <= 500
        later = quietmove.Position(fen=position.push(reply.move).fen)
        assert engine.play(later, "depth=2").depth == 2
        over = quietmove.Position(fen="X" * 64 + " X")
        with pytest.raises(QuietmoveError, match="no move to choose"):
            engine.play(over)
        with pytest.raises(QuietmoveError, match="plays othello, not tictactoe"):
            engine.play(quietmove.Position("tictactoe"))
    with pytest.raises(quietmove.EngineError, match="already closed"):
        engine.play(position)
    assert "engine" not in {thread.name for thread in set(threading.enumerate()) - before}


def test_an_engine_that_fails_is_one_error() -> None:
    with pytest.raises(QuietmoveError, match="there is no program 'no-such-engine'"):
        quietmove.EngineProcess(quietmove.player("no-such-engine"))
    with pytest.raises(QuietmoveError, match=r"engine\.command: must be"):
        quietmove.player("'")
    with pytest.raises(QuietmoveError, match=r"engine\.limit: must be"):
        quietmove.player(limit="quick")
    with pytest.raises(QuietmoveError, match="not 'colour'"):
        quietmove.player(colour="red")
    with (
        quietmove.EngineProcess(fake("crash")) as engine,
        pytest.raises(quietmove.EngineError, match="ended with status"),
    ):
        engine.play(quietmove.Position())
    with (
        quietmove.EngineProcess(fake("silence", limit="movetime=1", margin_ms=50)) as engine,
        pytest.raises(quietmove.EngineError, match="did not answer"),
    ):
        engine.play(quietmove.Position())


def test_what_is_no_player_is_an_error_that_names_it() -> None:
    engine = quietmove.player()
    with pytest.raises(QuietmoveError, match=r"config: must be a result of quietmove\.player, not 'quietmove'"):
        quietmove.EngineProcess("quietmove")  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match=r"white: must be a result of quietmove\.player, not 'quietmove'"):
        quietmove.play_game(engine, "quietmove")  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match=r"^seed: must be"):
        quietmove.play_game(engine, engine, seed="x")  # type: ignore[arg-type]
    with pytest.raises(QuietmoveError, match=r"engine\.options: must be a table, not 'Hash=1'"):
        quietmove.player(options="Hash=1")  # type: ignore[arg-type]


def test_what_an_engine_does_not_take_is_an_error_before_the_first_move() -> None:
    with pytest.raises(QuietmoveError, match="engine wrong: it has no option 'Hsh'; did you mean Hash"):
        quietmove.EngineProcess(quietmove.player(name="wrong", options={"Hsh": 3}))
    with pytest.raises(QuietmoveError, match="cannot play connect"):
        quietmove.play_game(fake("sane"), in_process("right"), game="connect")


def test_an_analysis_that_nobody_holds_searches_no_longer() -> None:
    before = set(threading.enumerate())
    for info in quietmove.analyse(quietmove.Position(moves=["f5", "d6"])):
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
    from quietmove.referee.game.record import Observer

    seen: list[str] = []

    class Listener(Observer):
        def move_made(self, ply: int, move: Any, clocks: Any) -> None:
            seen.append(move.move)

    record = quietmove.play_game(
        in_process("one"), in_process("other"), game="connect", opening="a b", observer=Listener()
    )
    assert tuple(seen) == tuple(move.move for move in record.moves)
    assert seen[:2] == ["a", "b"]
    assert record.reason == "finished"


@needs_games
def test_hidden_cards_stay_hidden_from_an_engine() -> None:
    position = quietmove.Position("whist")
    with quietmove.EngineProcess(in_process("one", options={"Deals": 2}), "whist") as engine:
        assert engine.play(position).move in position.legal_moves
    assert "?" in str(position.known_to_the_side_to_move())
    assert position.known_to_the_side_to_move() != position.fen


def test_an_analysis_is_a_table_of_its_iterations() -> None:
    analysis = quietmove.analyse(quietmove.Position(moves="f5"), depth=4)
    table = analysis._repr_html_()
    assert table.count("<tr>") == 1 + 4
    assert f"best move: {analysis.best_move}" in table
    with quietmove.analyse(quietmove.Position()) as endless:
        next(endless)
        assert "best move: not yet known" in endless._repr_html_()
    over = quietmove.analyse(quietmove.Position("tictactoe", moves="a1 b1 a2 b2 a3"), depth=3)
    assert "best move: none, the game is over" in over._repr_html_()


@pytest.mark.parametrize(
    ("options", "nodes"),
    [
        ({"Algorithm": "Minimax"}, 9 + 549_945),  # the first iteration plus the whole tree
        ({"algorithm": "minimax", "hash": 16}, 16_179),
    ],
)
def test_minimax_has_no_table_unless_one_is_asked_for(options: dict[str, object], nodes: int) -> None:
    *_, last = quietmove.analyse(quietmove.Position("tictactoe"), **options)  # type: ignore[arg-type]
    assert last.nodes == nodes


def test_values_stand_in_squares_or_at_arrows() -> None:
    position = quietmove.Position(moves="f5 d6")
    plain, valued = position.svg() or "", position.svg({"c3": 120, "C5": -30}) or ""
    assert plain.count("<circle") - valued.count("<circle") == 2
    assert re.findall(r">(1\.2|-0\.3)</text>", valued) == ["1.2", "-0.3"]
    with pytest.raises(IllegalMoveError, match="'a1' is not legal here"):
        position.svg({"a1": 0})
