from __future__ import annotations

from pathlib import Path

import pytest

from quietmove.engine.games.othello.game_files import read_game_file
from quietmove.engine.games.othello.game_files.conversion import convert
from quietmove.engine.games.othello.notation import START
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import play_moves
from quietmove.referee.config.model import COLORS, EngineConfig, GameSpec
from quietmove.referee.config.openings import in_order, read_openings
from quietmove.referee.config.validation import adapter
from quietmove.referee.errors import SetupError
from quietmove.referee.game.record import GameRecord, MoveRecord
from quietmove.referee.match.setup import MatchSetup, pair_games
from quietmove.referee.seats import check_game

OTHER = EngineConfig("other", ("b",))
SHORTEST_GAME = "f5d6c5f4e3f6g5e6e7"  # White has lost all discs after nine moves


def write(directory: Path, text: str) -> Path:
    path = directory / "openings.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("line", ["f5d6c3", "F5 D6 C3", "f5d6 c3", "6 4 4 3 3 6", "6 4 d6 3 6  # mixed", "\tf5\td6c3"])
def test_notations(tmp_path: Path, line: str) -> None:
    assert read_openings(write(tmp_path, line), "othello") == (("f5", "d6", "c3"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5d6\nf5f5", r"openings.txt:2: move 2: .f5. is not legal"),
        ("a1", r"openings.txt:1: move 1: .a1. is not legal"),
        ("f5 xyzzy", r"openings.txt:1: move 2: 'xyzzy' is not a move"),
        ("6 4 4", r"openings.txt:1: move 2: '4'"),
        ("f5pass", r"openings.txt:1: move 2: 'pass' is not legal"),
        (SHORTEST_GAME, r"openings.txt:1: the game is over"),
        ("# nothing", "must contain at least one opening, such as f5d6c3"),
    ],
)
def test_bad_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        read_openings(write(tmp_path, text), "othello")


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"gone\.txt: No such file"):
        read_openings(tmp_path / "gone.txt", "othello")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(SetupError, match=r"openings: /dev/zero: must be a regular file"):
        read_openings(Path("/dev/zero"), "othello")
    with pytest.raises(SetupError, match="must be UTF-8"):
        read_openings(tmp_path / "bytes", "othello")


def test_each_opening_is_played_with_colours_swapped() -> None:
    alpha, beta = EngineConfig("alpha", ("a",)), EngineConfig("beta", ("b",))
    specs = pair_games(alpha, beta, 5, (("f5", "d6"), ("f5", "f4")))
    assert [(spec.black.name, "".join(spec.opening)) for spec in specs] == [
        ("alpha", "f5d6"),
        ("beta", "f5d6"),
        ("alpha", "f5f4"),
        ("beta", "f5f4"),
        ("alpha", "f5d6"),
    ]


def test_each_game_of_a_match_has_a_seed_that_follows_from_that_of_the_match() -> None:
    seeded = EngineConfig("seeded", ("a", "--seed={seed}"), options=(("Seed", "{seed}"),))

    def seeds(seed: int) -> list[str]:
        specs = pair_games(seeded, OTHER, 4, seed=seed)
        players = [spec.player(color) for spec, color in zip(specs, COLORS * 2, strict=True)]
        assert all(player.command[1] == f"--seed={player.options[0][1]}" for player in players)
        return [player.command[1] for player in players]

    assert len({*seeds(1), *seeds(2)}) == 8
    assert seeds(2) == seeds(2)


def test_openings_of_a_match_without_a_file() -> None:
    for source, given, plies in (("built-in", 0, 8), ("random", 5, 5)):
        setup = MatchSetup("othello")
        openings = setup.openings(source, given, "sequential", 1, 4)
        assert openings[0] != openings[1]
        assert ({len(each) for each in openings}, setup.problems) == ({plies}, [])
    setup = MatchSetup("tictactoe")
    setup.openings("built-in", 0, "sequential", 1, 4)
    assert "built-in, which is for othello" in setup.problems[0]


GAMES = ("f5d6c3d3c4g5c6", "f5d6c3d3e3f3c5", "f5d6c5f4", "f5d6c3g5e6f4c4")
PLACED = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"  # FFO position 41
OVER = f"{'X' * 63}- O"


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    path = tmp_path / "games.txt"
    path.write_text("".join(f"{played_out(game)}\n" for game in GAMES))
    return path


def played_out(moves: str) -> str:
    """Return a game that begins with these moves and has an end."""
    game = get_game("othello")
    position = game.initial()
    play_moves(game, position, [moves])
    while legal := position.legal_moves():
        if (text := game.format_move(legal[0])) != "pass":
            moves += text
        position.play(legal[0])
    return moves


@pytest.mark.parametrize("ending", [".txt", ".ggf", ".wtb", ".jsonl"])
def test_the_first_moves_of_games_are_openings_once_each(transcripts: Path, ending: str) -> None:
    path = transcripts.with_suffix(ending)
    if path != transcripts:
        convert(transcripts, path)
    found = [" ".join(opening) for opening in read_openings(path, "othello", plies=4)]
    assert found == ["f5 d6 c3 d3", "f5 d6 c5 f4", "f5 d6 c3 g5"]
    assert len(read_openings(path, "othello", plies=7)) == 4


def test_openings_that_lead_to_one_position_count_once(tmp_path: Path) -> None:
    path = write(tmp_path, "# three\n\nc4c3d3\n   \nd3c3c4 # again\nd3c3\n")
    assert read_openings(path, "othello") == (("c4", "c3", "d3"), ("d3", "c3"))


@pytest.mark.parametrize(
    ("plies", "message"),
    [
        (0, r"openings: .*games.ggf contains whole games, so openings_plies must be given"),
        (99, r"games.ggf: line 1: has \d+ moves, but 99 are needed"),
    ],
)
def test_games_need_a_number_of_moves_that_they_have(transcripts: Path, plies: int, message: str) -> None:
    path = transcripts.with_suffix(".ggf")
    convert(transcripts, path)
    with pytest.raises(SetupError, match=message):
        read_openings(path, "othello", plies)
    with pytest.raises(SetupError, match=r"games.ggf: must be text with tictactoe moves"):
        read_openings(path, "tictactoe", plies)


def test_a_game_that_is_over_is_no_opening(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    (tmp_path / "games.txt").write_text(SHORTEST_GAME + "\n")
    convert(tmp_path / "games.txt", path)
    with pytest.raises(SetupError, match=r"games.jsonl: line 1: the game is over after 9 moves"):
        read_openings(path, "othello", plies=9)
    assert len(read_openings(path, "othello", plies=8)) == 1


@pytest.mark.parametrize("ending", [".pgn", ".sgf"])
def test_a_short_game_is_an_opening_with_all_its_moves(tmp_path: Path, ending: str) -> None:
    (tmp_path / "lines.txt").write_text("c4c3d3c5\nd3c5\n")
    convert(tmp_path / "lines.txt", path := tmp_path / f"book{ending}")
    assert read_openings(path, "othello") == (("c4", "c3", "d3", "c5"), ("d3", "c5"))
    assert read_openings(path, "othello", 2) == (("c4", "c3"), ("d3", "c5"))


def test_a_line_may_end_with_the_name_of_its_opening(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("C4c3D3c5B3\tCow Bat Bamboo\nC4\tX-square 1st\nC4c3\tD3\n")
    openings = (("c4", "c3", "d3", "c5", "b3"), ("c4",), ("c4", "c3", "d3"))
    assert read_openings(tmp_path / "names.txt", "othello") == openings


def test_positions_of_obf(tmp_path: Path) -> None:
    path = tmp_path / "places.obf"
    path.write_text(f"% three\n{PLACED}; G8:+0; % FFO 41\n{START} X;\n{PLACED};\n")
    assert read_openings(path, "othello") == ((PLACED,), ())
    path.write_text(f"{PLACED};\n{OVER};\n")
    with pytest.raises(SetupError, match=r"places.obf:2: the game is over after 0 moves"):
        read_openings(path, "othello")
    path.write_text("XO X\n")
    with pytest.raises(SetupError, match=r"places.obf:1: squares: must be 64 characters from X, O and -"):
        read_openings(path, "othello")


def test_the_order_is_that_of_the_file_or_of_a_seed() -> None:
    openings = [(str(number),) for number in range(50)]
    assert in_order(openings, "sequential", 1) == openings
    shuffled = in_order(openings, "random", 1)
    assert sorted(shuffled) == sorted(openings) != shuffled
    assert shuffled == in_order(openings, "random", 1) != in_order(openings, "random", 2)
    assert [number for (number,) in shuffled[:3]] == ["19", "27", "44"]  # the same on every machine


def test_a_game_from_a_position_keeps_it(tmp_path: Path) -> None:
    player = EngineConfig("a", ("a",))
    spec = GameSpec("othello", (PLACED, "h5"), player, player)
    assert spec.position == PLACED == get_game("othello").format_position(spec.begin())
    moves = (MoveRecord("h5", "opening"),)
    record = GameRecord(spec, moves, "resign", "black", 0.0, -64, "...")
    again = adapter(GameRecord).validate_json(record.to_json(), strict=True)
    assert again == record
    assert again.transcript.start == PLACED
    assert f"Begins   {PLACED}" in record.text()
    (tmp_path / "games.jsonl").write_text(record.to_json() + "\n")
    (played,) = read_game_file(tmp_path / "games.jsonl")
    assert " ".join(played.board) == PLACED


def test_the_project_plays_othello_and_cannot_set_up_a_position() -> None:
    ours, project = EngineConfig("a", ("a",)), EngineConfig("c", ("c",), protocol="project")
    with pytest.raises(SetupError, match="must be empty with protocol=project"):
        check_game(GameSpec("othello", (PLACED,), project, ours))
    with pytest.raises(SetupError, match="game: must be othello in this protocol, not tictactoe"):
        check_game(GameSpec("tictactoe", (), ours, project))
