"""What the search, the protocol and a person require of every game, tested for all games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from quietmove.engine.errors import GameError, IllegalMoveError, OptionError, PositionError, UnknownGameError
from quietmove.engine.games.base import DECISIVE, MAX_MOVES, MAX_PLY, NATURE, WIN, Game, Position
from quietmove.engine.games.registry import game_names, get_game
from quietmove.engine.protocol.notation import ALGEBRAIC, PROJECT, ZERO, Coordinates, Numbers, play_moves, read_move
from quietmove.engine.protocol.uci import Uci
from quietmove.engine.search.deepening import Deepening
from quietmove.engine.search.minimax import Minimax
from quietmove.engine.search.ordering import ORDERINGS
from quietmove.engine.search.table import Table
from quietmove.engine.values import Limits, Settings
from tests.fakes.addons import present_games
from tests.fakes.processes import WAIT

VARIANTS = (
    "connect 7x6x4",
    "connect 5x4x4",
    "nim 1,2,3",
    "othello 4x4",
    "othello 6x6",
    "subtraction 10 2",
    "tictactoe 4x4x3",
    "tictactoe 5x2x3",
    "tree 3x4 2",
    f"{Path(__file__).parents[1] / 'example_games' / 'hexapawn' / 'hexapawn.py'}:Hexapawn",
)
NAMES = (*game_names(), *present_games(*VARIANTS))
MOST_MOVE = 65535  # a table entry has 16 bits for a move
MOST_LEAVES = 3000  # maximum number of leaves in a tree for plain minimax
SEEDS = 12


@pytest.fixture(params=NAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return get_game(request.param)


def is_perfect(game: Game) -> bool:
    return getattr(game, "kind", "perfect") == "perfect"


def played(game: Game, seed: int) -> Iterator[Position]:
    """Yield the positions of a random game, from the first to the last: one object, which moves on."""
    choices = random.Random(seed)
    position = game.initial()
    yield position
    while moves := position.legal_moves():
        position.play(choices.choice(moves))
        yield position


@cache
def some_positions(game: Game) -> list[Position]:
    """Return positions of random games, from all their parts, the last one finished. No test may change them."""
    found = [game.initial()]
    for seed in range(SEEDS):
        line = [position.copy() for position in played(game, seed)]
        found += [line[seed * (len(line) - 1) // (SEEDS - 1)], line[-1]]
    return found


def facts(game: Game, position: Position) -> tuple[Any, ...]:
    """Return all that can be seen of a position, its history left out."""
    text, moves = game.format_position(position), position.legal_moves()
    return text, position.key, position.side_to_move, moves, position.static_value(), position.moves_left()


def test_a_game_is_found_again_by_its_name(game: Game) -> None:
    assert get_game(game.name).name == game.name
    assert get_game(f"  {game.name.replace(' ', '   ')} ").name == game.name
    assert get_game(game.name.partition(" ")[0]).name == game.name.partition(" ")[0]


@pytest.mark.parametrize("name", game_names())
def test_parameters_that_mean_nothing_are_refused(name: str) -> None:
    with pytest.raises(UnknownGameError, match=rf"^game {name}\b.*must be .*not .*@@"):
        get_game(f"{name} @@")


def test_a_game_names_its_players_and_its_point(game: Game) -> None:
    assert len(set(game.players)) == len(set(game.sides)) == 2
    assert game.point


def test_moves_are_few_different_and_small_and_their_order_is_fixed(game: Game) -> None:
    for seed in range(SEEDS):
        bounds = []
        for position in played(game, seed):
            moves = position.legal_moves()
            if position.side_to_move != NATURE and [*map(game.format_move, moves)] != ["pass"]:
                bounds.append(position.moves_left())
            assert moves == position.legal_moves() == position.copy().legal_moves()
            assert len(set(moves)) == len(moves) <= MAX_MOVES
            assert all(0 <= move <= MOST_MOVE for move in moves)
            assert position.is_over() == (not moves)
        assert position.ply < MAX_PLY
        assert bounds == sorted(bounds, reverse=True)  # the moves to come never grow
        assert all(bound >= left for left, bound in enumerate(reversed(bounds)))


def test_each_move_is_taken_back_whole(game: Game) -> None:
    for position in some_positions(game):
        before = facts(game, position)
        for move in before[3]:
            position.play(move)
            assert position.ply == 1
            assert position.key != before[1]
            position.undo()
            assert (position.ply, facts(game, position)) == (0, before)
        with pytest.raises(IllegalMoveError):
            position.undo()


def test_a_whole_game_is_taken_back(game: Game) -> None:
    for seed in range(SEEDS):
        line: list[tuple[Any, ...]] = []
        position = game.initial()
        for position in played(game, seed):
            line.append(facts(game, position))
        for earlier in reversed(line[:-1]):
            position.undo()
            assert facts(game, position) == earlier
        assert position.ply == 0


@pytest.mark.parametrize("name", [name for name in NAMES if get_game(name).evaluators])
def test_each_evaluator_follows_the_moves(name: str) -> None:
    """Its value after moves made and taken back is that of the same position set up anew, whenever it was chosen."""
    game, values = get_game(name), {}
    for evaluator in game.evaluators:
        values[evaluator] = []
        for seed in range(SEEDS):
            choices, position = random.Random(seed), game.initial()
            chosen = choices.randrange(20)
            while moves := position.legal_moves():
                if position.ply == chosen:
                    position.choose_evaluator(evaluator)
                position.play(choices.choice(moves))
                if position.ply > 1 and choices.random() < 0.3:
                    position.undo()
                if position.ply <= chosen:
                    continue
                anew = game.parse_position(game.format_position(position).split())
                anew.choose_evaluator(evaluator)
                assert position.static_value() == anew.static_value()
                assert abs(anew.static_value()) <= anew.largest_score
                if not anew.is_over():
                    assert sum(term for _, term in game.explain(anew)) == anew.static_value()
                values[evaluator].append(anew.static_value())
    assert all(len(set(found)) > 2 for found in values.values())
    default = game.evaluators[0]
    assert [evaluator for evaluator in values if values[evaluator] == values[default]] == [default]


def test_an_evaluator_that_the_game_lacks_is_refused(game: Game) -> None:
    position = game.initial()
    before = position.static_value()
    with pytest.raises(OptionError, match=r"^option Evaluation: must be .*default.*, not 'guess'$"):
        position.choose_evaluator("guess")
    assert position.static_value() == before
    for name in ("", *game.evaluators[:1]):
        position.choose_evaluator(name)
        assert position.static_value() == before


@pytest.mark.parametrize("name", [name for name in NAMES if get_game(name).evaluators])
def test_a_table_keeps_evaluators_apart(name: str) -> None:
    game, table = get_game(name), Table(1)
    position = game.initial()
    for seed in range(4):
        position = some_positions(game)[1 + 2 * seed]
        for evaluator in (*game.evaluators, ""):
            settings = Settings(evaluation=evaluator)
            *_, kept = Deepening(position.copy(), table, settings, Limits(depth=3)).iterations()
            *_, plain = Deepening(
                position.copy(), None, replace(settings, algorithm="minimax"), Limits(depth=3)
            ).iterations()
            assert (kept.score, kept.depth) == (plain.score, plain.depth)


def test_a_copy_is_equal_and_independent(game: Game) -> None:
    for position in some_positions(game):
        before = facts(game, position)
        twin = position.copy()
        assert (twin.ply, facts(game, twin)) == (0, before)
        for move in before[3][:1]:
            twin.play(move)
            assert facts(game, position) == before


def test_a_position_is_read_as_it_is_written(game: Game) -> None:
    for position in some_positions(game):
        text = game.format_position(position)
        again = game.parse_position(text.split())
        assert (again.ply, facts(game, again)) == (0, facts(game, position))
        assert "moves" not in text.split()


def test_keys_tell_positions_apart_and_the_same_text_has_the_same_key(game: Game) -> None:
    if game.kind == "hidden":
        pytest.skip("the text tells the order of the play too, which the value does not depend on")
    keys: dict[int, str] = {}
    for seed in range(SEEDS):
        for position in played(game, seed):
            text = game.format_position(position)
            assert keys.setdefault(position.key, text) == text
    assert len(keys) == len(set(keys.values()))


def test_what_is_no_position_is_refused(game: Game) -> None:
    fields = game.format_position(game.initial()).split()
    for wrong in ([], [*fields, "X"], ["@@"], ["@@", *fields[1:]], [*fields[:-1], "@@"], ["-" * 99, "X"]):
        with pytest.raises(PositionError, match="must") as caught:
            game.parse_position(wrong)
        assert len(str(caught.value).splitlines()) == 1


def test_moves_are_read_as_they_are_written(game: Game) -> None:
    for position in some_positions(game):
        moves = position.legal_moves()
        texts = [game.format_move(move) for move in moves]
        assert len(set(texts)) == len(texts)
        assert all(len(text.split()) == 1 for text in texts)
        for move, text in zip(moves, texts, strict=True):
            assert game.parse_move(position, text) == game.parse_move(position, text.upper()) == move


@pytest.mark.parametrize("coordinates", [PROJECT, ZERO, ALGEBRAIC], ids=lambda coordinates: coordinates.name)
def test_moves_come_back_from_the_wire(game: Game, coordinates: Coordinates) -> None:
    for position in some_positions(game):
        texts = list(map(game.format_move, position.legal_moves()))
        spelled = [coordinates.write(game.grid, text) for text in texts]
        numbers = coordinates if isinstance(coordinates, Numbers) else PROJECT
        assert [game.format_move(read_move(game, position, text, numbers)) for text in spelled] == texts
        if coordinates is not ALGEBRAIC and game.grid is not None:
            assert all(word.isdecimal() for text in spelled for word in text.split() if text != "pass")


def test_a_game_is_replayed_from_its_moves_in_either_notation(game: Game) -> None:
    for seed in range(SEEDS):
        *_, last = played(game, seed)
        choices, spellings = random.Random(seed), random.Random(-1 - seed)
        position, texts = game.initial(), []
        while moves := position.legal_moves():
            move = choices.choice(moves)
            texts.append(spellings.choice((PROJECT, ALGEBRAIC)).write(game.grid, game.format_move(move)))
            position.play(move)
        again = game.initial()
        play_moves(game, again, " ".join(texts).split())
        assert facts(game, again) == facts(game, last)


def test_what_is_no_move_is_refused_and_changes_nothing(game: Game) -> None:
    for position in some_positions(game):
        before = facts(game, position)
        for text in ("@@", "", "99999999999", "-1"):
            with pytest.raises(GameError):
                game.parse_move(position, text)
        for move in (-1, MOST_MOVE + 1, *({0, 1, 2, 3} - set(before[3]))):
            with pytest.raises(IllegalMoveError):
                position.play(move)
        assert facts(game, position) == before


def test_a_value_is_the_result_or_the_sum_of_its_terms(game: Game) -> None:
    for position in some_positions(game):
        value = position.static_value()
        if position.is_over():
            assert value == (-position.result() if position.side_to_move else position.result())
            assert abs(value) <= DECISIVE or abs(value) == WIN
        else:
            assert abs(value) <= DECISIVE
            assert sum(term for _, term in game.explain(position)) == value


def test_a_board_is_drawn_on_lines_of_its_own(game: Game) -> None:
    for position in some_positions(game):
        lines = game.draw(position).splitlines()
        assert lines
        assert all(line.strip() and line == line.rstrip() for line in lines)


def test_the_squares_are_those_that_are_drawn(game: Game) -> None:
    for position in some_positions(game):
        squares = game.squares(position)
        columns = game.board_columns
        if columns is None:
            assert squares is None
            assert game.grid is None
        else:
            assert squares is not None
            assert squares == game.format_position(position).split()[0]
            assert {game.owner(piece) for piece in squares if piece != "-"} <= {0, 1}
            rows = len(squares) // columns
            assert game.grid is None or (game.grid.columns, game.grid.rows or rows) == (columns, rows)
            assert len(squares) == columns * rows
            names = [game.row_name(row) for row in range(rows)]
            # One-row boards and games in plain Python are drawn without a line above the first row.
            first = 1 if names[0] and ".py:" not in game.name else 0
            drawn = [line.split() for line in game.draw(position).splitlines()[first : first + rows]]
            assert not first or [line.pop(0) for line in drawn] == names
            drawn = [line[:columns] for line in drawn]
            assert "".join(map("".join, drawn)).replace(".", "-") == squares


def test_the_squares_of_a_move_are_where_it_changes_the_board(game: Game) -> None:
    for position in some_positions(game):
        before = game.squares(position)
        for move in position.legal_moves():
            squares = game.squares_of(position, move)
            assert len(squares) <= (0 if before is None else 2)
            trial = position.copy()
            trial.play(move)
            after = game.squares(trial)
            if before is None or after is None or not squares:
                assert before == after
                continue
            target, origin = squares[-1], squares[0] if len(squares) == 2 else None
            assert game.owner(after[target]) == position.side_to_move
            assert before[target] != after[target] == (before[origin] if origin is not None else after[target])
            assert origin is None or after[origin] == "-"


def test_images_of_a_position_have_one_canonical_text(game: Game) -> None:
    for position in some_positions(game):
        text = game.canonical(position)
        try:
            image = game.parse_position(text.split())
        except PositionError:  # a canonical text need not be a valid position
            continue
        assert game.canonical(image) == text
        assert image.static_value() == position.static_value()
        assert len(image.legal_moves()) == len(position.legal_moves())


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("othello")])
def test_exchanged_players_see_the_same(name: str) -> None:
    """In the other games the players are not alike, or a position shows who began."""
    game = get_game(name)
    for position in some_positions(game):
        text = game.format_position(position).translate(str.maketrans("XO", "OX"))
        twin = game.parse_position(text.split())
        assert (twin.side_to_move, twin.static_value()) == (1 - position.side_to_move, position.static_value())
        assert len(twin.legal_moves()) == len(position.legal_moves())


def small_depth(position: Position) -> int:
    """Return the greatest depth, at most 5, that plain minimax searches quickly."""
    depth = 1
    while depth < 5 and position.perft(depth + 1) <= MOST_LEAVES:
        depth += 1
    return depth


def test_every_search_finds_the_value_of_minimax(game: Game) -> None:
    if not is_perfect(game):
        pytest.skip("minimax is for games without chance in which both players see everything")
    table = Table(1)
    unfinished = [position for position in some_positions(game) if not position.is_over()]
    for number, position in enumerate(unfinished):
        depth = min(small_depth(position), position.moves_left())
        truth = {plies: Minimax(position).value(plies) for plies in range(1, depth + 1)}
        ordering = ORDERINGS[number % len(ORDERINGS)]
        for algorithm, kept in product(("minimax", "alphabeta", "pvs"), (None, table)):
            table.clear()
            for plies in {max(1, depth - 1), depth}:
                infos = list(Deepening(position, kept, Settings(algorithm, ordering), Limits(depth=plies)).iterations())
                values = {info.depth: info.score.value for info in infos}
                expected = {each: truth[each] for each in values}
                assert values == expected, (game.format_position(position), algorithm, ordering, kept)
                assert infos[-1].score.value == truth[plies]  # a search ends early if a win or loss is proven


def test_the_protocol_plays_it(game: Game) -> None:
    lines: list[str] = []
    uci = Uci(lambda *written: lines.extend(written))
    uci.handle(f"setoption name Game value {game.name}")
    start = "position startpos moves 1" if game.kind == "chance" else "position startpos"
    for command in ("d", "moves", "eval", start, "go perft 2", "stop", "go depth 2 nodes 3000"):
        uci.handle(command)
        if command.startswith("go"):
            assert uci.session.wait(WAIT)
    assert not [line for line in lines if "error" in line]
    assert lines[-1].startswith("bestmove ")
    assert uci.session.game.name == game.name
