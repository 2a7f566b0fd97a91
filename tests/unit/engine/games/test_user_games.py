"""A game in plain Python: played like ours, its mistakes one clear line each, its keys the same in every process."""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from quietmove.engine.errors import GameError, IllegalMoveError, NotationError, PositionError, UnknownGameError
from quietmove.engine.games import registry
from quietmove.engine.games.base import MAX_MOVES, WIN, Position
from quietmove.engine.games.registry import get_game, known_game
from quietmove.engine.games.user.game import UserGame, open_game
from quietmove.engine.games.user.source import GameFile
from quietmove.engine.protocol.notation import play_moves
from quietmove.engine.protocol.options import find_option
from quietmove.engine.protocol.uci import Uci
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.node import INFINITE, MAX_DEPTH, Search
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings
from quietmove.referee.config.model import EngineConfig, GameSpec
from quietmove.referee.game.record import GameRecord
from quietmove.referee.game.saved import SavedGame
from quietmove.referee.game.transcript import Transcript
from tests.fakes.processes import WAIT

EXAMPLE = Path(__file__).parents[3] / "example_games" / "hexapawn"


class Take:
    """Take one, two or three of a heap; who takes the last one wins. The state is the heap."""

    def start(self) -> int:
        return 10

    def moves(self, heap: int) -> list[int]:
        return list(range(1, min(3, heap) + 1))

    def play(self, heap: int, count: int) -> int:
        return heap - count

    def result(self, heap: int) -> int:
        raise AssertionError("overridden")


class Turns(Take):
    """The same, with the side in the state, so that the result can be told."""

    def start(self) -> tuple[int, int]:  # type: ignore[override]
        return 10, 0

    def moves(self, state: tuple[int, int]) -> list[int]:  # type: ignore[override]
        return super().moves(state[0])

    def play(self, state: tuple[int, int], count: int) -> tuple[int, int]:  # type: ignore[override]
        return state[0] - count, 1 - state[1]

    def result(self, state: tuple[int, int]) -> int:  # type: ignore[override]
        return 1 if state[1] else -1

    def side(self, state: tuple[int, int]) -> int:
        return state[1]

    def remaining(self, state: tuple[int, int]) -> int:
        return state[0]


class Points(Turns):
    """The winner's points are what was taken last."""

    point = "stone"
    players = ("Ann", "Bob")

    def start(self) -> tuple[int, int, int]:  # type: ignore[override]
        return 7, 0, 0

    def play(self, state: tuple[int, int, int], count: int) -> tuple[int, int, int]:  # type: ignore[override]
        return state[0] - count, 1 - state[1], count

    def result(self, state: tuple[int, int, int]) -> int:  # type: ignore[override]
        return state[2] if state[1] else -state[2]

    def evaluate(self, state: tuple[int, int, int]) -> float:
        return state[2] / 4


@pytest.fixture
def hexapawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., UserGame]]:
    monkeypatch.syspath_prepend(EXAMPLE)

    def make(parameters: str = "") -> UserGame:
        game = open_game("hexapawn", "hexapawn:Hexapawn", parameters)
        assert isinstance(game, UserGame)
        return game

    yield make
    sys.modules.pop("hexapawn", None)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], Uci]]:
    """Return a function that installs a game as ``mine`` and opens a conversation about it."""
    rooms: list[Any] = []

    def entry(rules: Any) -> Uci:
        point = EntryPoint("mine", "nowhere:mine", registry.GROUP)
        monkeypatch.setattr("quietmove.engine.games.user.game.load", lambda location: lambda: rules)
        monkeypatch.setattr(registry, "entry_points_of", lambda group: {"mine": point})
        lines: SimpleQueue[str] = SimpleQueue()
        uci = Uci(lambda *written: [lines.put(line) for line in written] and None)
        uci.lines = lines  # type: ignore[attr-defined]
        uci.handle("setoption name Game value mine")
        rooms.append(uci)
        return uci

    yield entry
    for uci in rooms:
        uci.session.close()
    get_game.cache_clear()


def values(position: Position, settings: Settings, table: Table | None, depth: int) -> list[int]:
    """Return the value at each depth from 1 on."""
    searches = [Deepening(position, table, settings, Limits(depth=plies)) for plies in range(1, depth + 1)]
    return [list(search.iterations())[-1].score.value for search in searches]


def broken(**methods: Any) -> Any:
    """Return a game of turns with some of its methods replaced."""
    return type("Broken", (Turns,), {name: staticmethod(method) for name, method in methods.items()})()


def leave(*_: object) -> Any:
    raise SystemExit(3)


def interrupt(*_: object) -> Any:
    raise KeyboardInterrupt


def fail(*arguments: Any) -> Any:
    raise ZeroDivisionError("my mistake")


def test_known_values_are_found(hexapawn: Callable[..., UserGame]) -> None:
    assert values(hexapawn().initial(), Settings(), Table(1), 12)[-1] == 6 - WIN
    assert values(UserGame("turns", Turns()).initial(), Settings(), Table(1), 99)[-1] == WIN - 5
    assert UserGame("turns", Turns()).parse_position(["(8,", "1)"]).perft(2) == 9
    game = UserGame("points", Points())
    assert values(game.initial(), Settings(), None, 99)[-1] == 100
    assert [game.parse_position([text]).static_value() for text in ("(5,1,2)", "(0,1,2)")] == [-50, -200]


def test_a_game_without_sides_writes_who_is_to_move() -> None:
    game = UserGame("take", Take())
    position = game.initial()
    position.play(3)
    assert game.format_position(position) == "7 O"
    again = game.parse_position(["7", "O"])
    assert (again.key, again.side_to_move) == (position.key, 1)
    assert again.key != game.parse_position(["7", "X"]).key
    assert game.draw(position) == "  7\n  O (White) to move"
    with pytest.raises(PositionError, match="must be a state and the side to move, X or O, not '7'"):
        game.parse_position(["7"])


def test_a_game_says_how_it_is_played() -> None:
    class Told(Turns):
        rules = "Take one or two of ten; the last one wins."

    assert UserGame("told", Told()).rules.text == Told.rules
    assert UserGame("turns", Turns()).rules.text == ""


def test_moves_have_the_names_that_the_game_gives_them(hexapawn: Callable[..., UserGame]) -> None:
    game = hexapawn("4")
    position = game.initial()
    play_moves(game, position, ["a1a2", "D4D3"])
    assert game.format_position(position) == "bbb----bw----www w"
    with pytest.raises(IllegalMoveError, match="'a1a2' is not legal here; legal: a2a3 b1b2"):
        game.parse_move(position, "a1a2")
    with pytest.raises(NotationError, match="a move is a whole number"):
        UserGame("take", Take()).parse_move(UserGame("take", Take()).initial(), "one")


def test_the_squares_of_a_move_and_their_names_are_checked(hexapawn: Callable[..., UserGame]) -> None:
    game = hexapawn("4")
    position = game.initial()
    play_moves(game, position, ["a1a2"])
    names = [game.column_name(square % 4) + game.row_name(square // 4) for square in range(16)]
    for move in position.legal_moves():
        origin, target = game.squares_of(position, move)
        assert f"{names[origin]}{names[target]}" == game.format_move(move)
    rules: Any = game._rules
    for wrong in (None, "ab", 3, [16], [-1], [0, True], [1, 1], [0, 1, 2]):
        rules.squares_of = lambda state, move, wrong=wrong: wrong
        with pytest.raises(GameError, match=r"squares_of\(\) for move a1a2: must be at most two squares, 0 to 15"):
            game.squares_of(position, 64 * 12 + 8)
    for wrong in (None, 3, ["ab"], ["abcd", [1, 2, 3, 4]], ["abcd", ["four"] * 4], [["a b"], "1"], [["\n"], "1"]):
        rules.labels = wrong
        with pytest.raises(GameError, match=r"the game's labels: must be two lists of strings of at most 3 characters"):
            assert game.column_name(0) + game.row_name(0) == "never"
    type(rules).labels = property(fail)
    with pytest.raises(GameError, match="the game's labels: ZeroDivisionError: my mistake"):
        game.row_name(0)
    rules.squares = lambda state: ["--"]
    with pytest.raises(GameError, match=r"squares\(\): must be 4 rows of 4, as at the start, not 1 rows of 2"):
        game.squares(position)
    points = UserGame("points", Points())  # without squares
    assert points.squares_of(points.initial(), 1) == ()
    assert (points.column_name(1), points.row_name(1)) == ("b", "2")


@pytest.mark.parametrize(
    ("attribute", "wrong"),
    [
        *(("sides", each) for each in (None, "XX", "-O", ("XX", "O"), ("X",), (1, 2), ("", "O"))),
        *(("players", each) for each in (None, ("A",), (1, 2), ("", "B"), ("A\n", "B"))),
        *(("point", each) for each in (None, 5, "", " ")),
    ],
)
def test_the_names_that_a_game_gives_are_checked(
    monkeypatch: pytest.MonkeyPatch, attribute: str, wrong: object
) -> None:
    monkeypatch.setattr(f"{__name__}.Wrong", type("Wrong", (Turns,), {attribute: wrong}), raising=False)
    with pytest.raises(UnknownGameError, match=rf"^game mine: the game's {attribute}: must be .*, not "):
        open_game("mine", f"{__name__}:Wrong", "")


@pytest.mark.parametrize(
    ("fields", "message"),
    [("wwb--- w", "9 of w, b and - are allowed"), ("bbb---www x", "not in tuple"), ("", "not enough values")],
)
def test_what_a_game_cannot_read_is_one_error(hexapawn: Callable[..., UserGame], fields: str, message: str) -> None:
    with pytest.raises(PositionError, match=r"^state: must be text that the game can read") as caught:
        hexapawn().parse_position(fields.split())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (broken(moves=fail), "the game's moves(): ZeroDivisionError: my mistake"),
        (broken(play=fail), "the game's play(): ZeroDivisionError: my mistake"),
        (broken(evaluate=fail), "the game's evaluate(): ZeroDivisionError: my mistake"),
        (broken(remaining=fail), "the game's remaining(): ZeroDivisionError: my mistake"),
        (
            broken(moves=lambda state: range(513)),
            "moves(): ValueError: Broken: must return at most 512 moves, not 513",
        ),
        (broken(moves=lambda state: [-1]), "a move must be a whole number from 0 to 65535, not -1"),
        (broken(moves=lambda state: ["a"]), "moves(): TypeError: "),
        (
            broken(result=lambda state: 2),
            "result(): ValueError: must be 1, 0 or -1 (from the first player's point of view), not 2",
        ),
        (broken(evaluate=lambda state: 291), "must be a number of points from -290 to 290, not 291"),
        (broken(evaluate=lambda state: float("nan")), "must be a number of points from -290 to 290, not nan"),
        (broken(remaining=lambda state: -1), "remaining(): ValueError: must be a whole number of at least 0, not -1"),
        (broken(play=lambda state, move: (state[0] - move, 0)), "side(): ValueError: must be 1, since the players"),
        (broken(play=lambda state, move: object()), "play(): TypeError: a state of type object has no __repr__"),
        (broken(start=leave), "the game's start(): SystemExit: 3"),
        (broken(play=interrupt), "the game's play(): KeyboardInterrupt:"),
    ],
)
def test_a_mistake_is_one_line_and_the_conversation_goes_on(
    installed: Callable[[Any], Uci], rules: Any, message: str
) -> None:
    uci = installed(rules)
    uci.handle("go depth 9")
    assert uci.session.wait(WAIT)
    uci.handle("isready")
    lines = list(iter(uci.lines.get, "readyok"))  # type: ignore[attr-defined]
    errors = [line for line in lines if line.startswith("info string error: ")]
    assert message in errors[0]
    assert all("\n" not in line and "Traceback" not in line for line in lines)
    assert not uci.session.thinking
    assert [line for line in lines if line.startswith("bestmove ")] in ([], lines[-1:])


def test_a_mistake_deep_in_the_tree_ends_the_search_and_leaves_the_position_whole() -> None:
    def moves(state: tuple[int, int]) -> list[int]:
        return fail() if state[0] == 3 else Turns().moves(state)  # type: ignore[no-any-return]

    game = UserGame("broken", broken(moves=moves))
    position = game.initial()
    before = position.key, game.format_position(position), position.ply
    for algorithm in ("minimax", "alphabeta", "pvs"):
        for ordering in ORDERINGS:
            with pytest.raises(GameError, match="my mistake"):
                values(position, Settings(algorithm, ordering), Table(1), 9)
            assert (position.key, game.format_position(position), position.ply) == before
    for whole in (lambda: Minimax(position).value(9), lambda: position.perft(9)):
        with pytest.raises(GameError, match="my mistake"):
            whole()
    assert position.legal_moves() == [1, 2, 3]


def test_a_move_that_fails_is_not_made() -> None:
    game = UserGame("broken", broken(play=fail))
    position = game.initial()
    with pytest.raises(GameError, match="my mistake"):
        position.play(1)
    assert (position.ply, game.format_position(position)) == (0, "(10, 0)")
    with pytest.raises(IllegalMoveError):
        position.play(4)


def test_a_slow_game_is_stopped_after_the_move_at_hand() -> None:
    calls = 0

    def play(state: tuple[int, int], count: int) -> tuple[int, int]:
        nonlocal calls
        calls += 1
        if calls == 50:
            search.stop()
        return Turns().play(state, count)

    search = Deepening(UserGame("slow", broken(play=play)).initial(), None, Settings("minimax"), Limits())
    list(search.iterations())
    assert calls == 50
    assert search.result().move is not None


def test_a_key_is_the_same_in_every_process() -> None:
    script = (
        "from dataclasses import dataclass\nfrom quietmove.engine.games.user.position import UserPosition\n"
        "@dataclass(frozen=True)\nclass Heap:\n    size: int\n    name: str = 'heap'\n"
        "class Rules:\n    def moves(self, state): return []\n    play = result = moves\n"
        "states = [(3, 'a', None, (1.5, b'x')), 'heap', b'heap', 12345678901234567890123, Heap(3), (Heap(1),)]\n"
        "print([UserPosition(Rules(), state, 0).key for state in states])"
    )
    keys = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True, timeout=WAIT)
        keys.add(done.stdout)
    assert len(keys) == 1


def test_what_cannot_be_made_into_a_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(value: str, parameters: str = "") -> str:
        with pytest.raises(UnknownGameError) as caught:
            open_game("mine", value, parameters)
        return str(caught.value)

    assert "cannot be created from nowhere:Game: ModuleNotFoundError" in refused("nowhere:Game")
    assert "decimal:Decimal must have start, moves, play, result; missing: start, moves, play, result" in refused(
        "decimal:Decimal"
    )
    monkeypatch.syspath_prepend(EXAMPLE)
    assert "with parameters '9': ValueError: a size from 3 to 6 is allowed" in refused("hexapawn:Hexapawn", "9")
    sys.modules.pop("hexapawn", None)


@pytest.fixture
def source(documents: dict[str, str]) -> str:
    """Return the game of the guide."""
    guide = documents["engine/games/README.md"].partition("## Write a game")[2]
    return guide.partition("```python\n")[2].partition("```")[0]


def test_a_game_is_read_from_a_file(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is taken from the current directory, and the game's name is good in every other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Take.py").write_text(source, encoding="utf-8")
    game = find_option("Game").parse("Take.py:Take")
    assert game == f"{tmp_path / 'Take.py'}:Take"
    monkeypatch.chdir("/")
    *_, info = Deepening(get_game(str(game)).initial(), None, Settings(), Limits(depth=10)).iterations()
    assert info.score.value == WIN - 5


def test_a_pipe_is_refused_without_a_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(UnknownGameError, match="must be a regular file"):
        get_game(f"{tmp_path / 'pipe.py'}:Game")


def test_a_mistake_in_a_file_shows_its_line(source: str, tmp_path: Path) -> None:
    late, early, broken = tmp_path / "late.py", tmp_path / "early.py", tmp_path / "broken.py"
    late.write_text(source.replace("state[0] - move", "state[0] - move // (state[0] - 10)"), encoding="utf-8")
    position = get_game(f"{late}:Take").initial()
    with pytest.raises(GameError, match=r"^the game's play\(\): ZeroDivisionError: .* \(late\.py, line 11\)$"):
        position.play(3)
    early.write_text(source + "1 // 0\n", encoding="utf-8")
    with pytest.raises(UnknownGameError, match=r"ZeroDivisionError: .* \(early\.py, line 18\)$"):
        get_game(f"{early}:Take")
    broken.write_text(source + "def\n", encoding="utf-8")
    with pytest.raises(UnknownGameError, match=r"SyntaxError: .*line 18\)$"):
        get_game(f"{broken}:Take")
    for name, text in (("nowhere.py:Take", "FileNotFoundError"), ("late.py:Tack", "'Tack'")):
        with pytest.raises(UnknownGameError, match=text):
            get_game(f"{tmp_path}/{name}")


GOMOKU = f"{Path(__file__).parents[3] / 'example_games' / 'gomoku.py'}:Gomoku"


@pytest.mark.parametrize("ordering", ["none", "full"])
def test_a_board_of_19x19_is_searched(ordering: str) -> None:
    """Black has an open four in the last row, White none: the last but one of 353 moves wins."""
    game = get_game(GOMOKU)
    position = game.initial()
    assert len(position.legal_moves()) == position.perft(1) == 361
    play_moves(game, position, ["o19", "a1", "p19", "c1", "q19", "e1", "r19", "n19"])
    search = Deepening(position, Table(1), Settings(ordering=ordering), Limits(depth=2))
    *_, info = search.iterations()
    assert (game.format_move(info.pv[0]), info.score.value) == ("s19", WIN - 1)
    position.undo()
    position.undo()
    search = Deepening(position, None, Settings(ordering=ordering), Limits(depth=2))
    assert [info.score.value for info in search.iterations()] == [0, 0]


class Wide:
    """Each of 361 moves leads to the same state: with a table, a search may be deep and wide at once."""

    def start(self) -> tuple[int, int]:
        return 0, 0

    def moves(self, state: tuple[int, int]) -> range:
        return range(361)

    def play(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        return state[0] + 1, 1 - state[1]

    def result(self, state: tuple[int, int]) -> int:
        return 0

    def key(self, state: tuple[int, int]) -> int:
        return state[0]


def test_a_search_ends_where_there_is_no_room_for_more_moves() -> None:
    position = UserGame("wide", Wide()).initial()
    search = Search(position, Table(1), Settings(), lambda: False)
    assert search.run(MAX_DEPTH, -INFINITE, INFINITE, position.legal_moves(), True) == 0
    assert search.seldepth == ((1 << 15) - 3 * MAX_MOVES) // 361 + 1
    assert position.ply == 0


def test_a_name_that_is_no_class_is_answered_by_the_classes(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text("number = 3\nclass One: pass\nclass Other: pass\n")
    for name in ("number", "Onne"):
        with pytest.raises(UnknownGameError) as caught:
            get_game(f"{tmp_path}/two.py:{name}")
        assert str(caught.value).endswith(f"it has no class '{name}'; its classes are: One, Other")
        assert str(caught.value).count("two.py") == 1
    (tmp_path / "wrong.py").write_text("def x(:\n")
    with pytest.raises(UnknownGameError) as caught:
        get_game(f"{tmp_path}/wrong.py:X")
    assert str(caught.value).count("line 1") == 1


def test_a_file_that_data_names_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text("from pathlib import Path; Path('proof').touch()\nclass Game: ...\n", encoding="utf-8")
    engine = EngineConfig("a")
    for name in ("evil.py:Game", " evil.py:Game 4", f"{tmp_path}/evil.py:Game", "./evil.py:Other"):
        spec = GameSpec(name, (), engine, engine)
        for named in (
            spec.begin,
            GameRecord(spec, (), "finished", None, 0.5, 0, "").svg,
            Transcript(name).position,
            lambda name=name: SavedGame.read(json.dumps({"spec": {"game": name}, "moves": []})).rules,
        ):
            with pytest.raises(UnknownGameError, match="is a Python file; to run it, pass --game"):
                named()
    assert not Path("proof").exists()
    assert known_game("othello") is get_game("othello")


def test_the_file_itself_is_run_and_no_compiled_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text("class Game: ...\n", encoding="utf-8")
    other = compile("from pathlib import Path; Path('proof').touch()\nclass Game: ...\n", "game.py", "exec")
    compiled = Path(cache_from_source(str(tmp_path / "game.py")))
    compiled.parent.mkdir()
    flags = (1).to_bytes(4, "little")  # Python loads such a file without checking the source (PEP 552)
    compiled.write_bytes(MAGIC_NUMBER + flags + bytes(8) + marshal.dumps(other))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        file = GameFile.read("game.py:Game")
        assert file is not None
        assert isinstance(file.load(), type)
    assert not (tmp_path / "proof").exists()
