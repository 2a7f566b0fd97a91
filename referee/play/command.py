"""``quietmove play``: a game in the terminal."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import click

from quietmove.engine.common.addons import need_hook
from quietmove.engine.common.command_line import Duration, examples
from quietmove.engine.common.entry import interrupted_by_requests, uninterrupted
from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameError, OutputError
from quietmove.engine.games.base import Game
from quietmove.engine.games.othello.opening_names import opening_moves
from quietmove.engine.games.registry import get_game
from quietmove.engine.levels import DEFAULT_LEVEL, FULL_STRENGTH
from quietmove.engine.protocol.notation import PROGRAMS, ROWS
from quietmove.engine.shared_options import complete_color, complete_game
from quietmove.referee.game.saved import read_game
from quietmove.referee.game.usual_level import usual_level
from quietmove.referee.play.commands import complete, obey
from quietmove.referee.play.console import can_color, open_console
from quietmove.referee.play.game import GameInProgress, Training
from quietmove.referee.play.opponents import Opponent, opponent_of
from quietmove.referee.play.play_session import BOTH, PlaySession, Start, people_of

COORDINATES = {**PROGRAMS, ROWS.name: ROWS}
EXAMPLES = examples(
    "quietmove play --level 3",
    "quietmove play --color white --time 2",
    "quietmove play --game 'connect 7x6x4' --two",
    "quietmove play --opening tiger --color white",
    "quietmove play --engine './my_engine --fast' --depth 8",
)


def complete_opening(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in opening_moves() if name.lower().startswith(incomplete.lower())]


@click.command(epilog=EXAMPLES)
@click.option(
    "--game",
    "name",
    metavar="NAME",
    shell_complete=complete_game,
    help="The game, or path/file.py:Class.  [default: othello]",
)
@click.option(
    "--color",
    metavar="SIDE",
    shell_complete=complete_color,
    help="Your side: first, second, random, or a player's name.  [default: first]",
)
@click.option(
    "--level",
    type=click.IntRange(0, 20),
    metavar="N",
    help="The engine's strength, from 0 (beginner) to 20."
    f"  [default: {DEFAULT_LEVEL}, or 20 in a game that is solved quickly]",
)
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="The engine searches N plies.")
@click.option("--nodes", type=click.IntRange(1, 10**15), metavar="N", help="The engine searches N nodes per move.")
@click.option(
    "--time",
    "movetime",
    type=Duration("s"),
    metavar="TIME",
    help="Time per move, such as 500ms or 2s; a bare number is in seconds.",
)
@click.option("--engine", metavar="CMD", help="Play against the engine that CMD starts.")
@click.option(
    "--engine-setting",
    "settings",
    multiple=True,
    metavar="WORD",
    help="A setting of that engine, as for 'quietmove-referee match': option.Hash=64, protocol=gtp. May be repeated.",
)
@click.option(
    "--coordinates",
    type=click.Choice(tuple(COORDINATES)),
    default="slide",
    show_default=True,
    help="How moves are numbered. slide: column and row from 1, rows from the bottom; zero: column and row from 0, rows"
    " from the top; rows: row and column from 0, rows from the top, as in the exercise on tic-tac-toe.",
)
@click.option(
    "--opening",
    metavar="NAME",
    shell_complete=complete_opening,
    help="Train an Othello opening, given by name or moves, against replies from the book.",
)
@click.option("--two", is_flag=True, help="Two people play against each other.")
@click.option("--random-first-move", "random_first", is_flag=True, help="Make the first move at random.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="Seed of all random choices.  [default: random]"
)
@click.option("--load", "path", type=click.Path(path_type=Path), metavar="FILE", help="Continue a saved game.")
def play(
    name: str | None,
    color: str | None,
    coordinates: str,
    opening: str | None,
    two: bool,
    random_first: bool,
    seed: int | None,
    path: Path | None,
    **chosen: Any,
) -> int:
    """Play a game against this engine, another engine, or another person.

    Type moves in either notation (f5, or 6 4); 'help' lists the commands. The first player moves first, so --color also
    decides who starts. Without --level, a limit (--depth, --nodes, --time) makes the engine play at full strength. An
    unfinished game is saved, and the command to continue it is printed.

    With --opening the game starts after the moves of an opening, which 'quietmove book names' lists. Up to move 20 the
    replies are good or popular book moves, and each of your moves is rated immediately. Afterwards your mistakes are
    shown, and 'quietmove practice' repeats these positions until you know them.
    """
    others = {"--two": two, "--random-first-move": random_first, "--load": path is not None}
    training = training_of(opening, name, [flag for flag, is_given in others.items() if is_given])
    opponent = chosen_opponent(**chosen)
    if two and opponent:
        raise click.UsageError("--two cannot be combined with --engine, --level, --depth, --nodes or --time")
    if path is not None and seed is not None:
        raise click.UsageError("--seed cannot be combined with --load, because the file contains the seed")
    begun: GameInProgress | None = None
    if path is not None:
        named = get_game(name).name if name else ""
        saved = read_game(path, named)
        if named not in ("", saved.spec.game):
            raise click.UsageError(f"--game: must be {saved.spec.game}, the game in {path}, not {named}")
        begun = GameInProgress.of(saved)
        game = begun.game
        seed = begun.seed
        humans = people_of(saved)
        opponent = opponent or opponent_of(saved)
        path = path if saved.people else None  # do not overwrite a file from another program
    else:
        game = get_game(name or "othello")
        seed = random.randrange(2**31) if seed is None else seed
        humans = frozenset((0,))
    if two:
        humans = BOTH
    elif color is not None:
        humans = frozenset((side_of(game, color, seed),))
    start = Start(
        game, humans, opponent or Opponent(usual_level(game)), seed, random_first, COORDINATES[coordinates], training
    )
    return converse(start, path, begun)


def training_of(opening: str | None, game: str | None, others: list[str]) -> Training | None:
    """Return the training for an opening, or None if no opening is given.

    :param others: options given that cannot be combined with --opening.
    :raises click.UsageError: if the opening does not exist, or the options conflict.
    """
    if opening is None:
        return None
    if others:
        raise click.UsageError(f"--opening cannot be combined with {others[0]}")
    if game not in (None, "othello"):
        raise click.UsageError(f"--opening needs --game othello, not {game}")
    begin_training = need_hook("training", "practice", "--opening")
    try:
        training: Training = begin_training(opening)
    except GameError as error:
        raise click.UsageError(f"--opening: {error}") from None
    return training


def chosen_opponent(
    engine: str | None, settings: tuple[str, ...], level: int | None, **limits: int | None
) -> Opponent | None:
    """Return the opponent that the options select, or None if none of them is given.

    :param settings: the settings of another engine.
    :param limits: the limits per move, of which one can be given.
    :raises click.UsageError: if the options conflict.
    """
    given = [f"{kind}={value}" for kind, value in limits.items() if value is not None]
    if engine is not None and not engine.strip():
        raise click.UsageError(f"--engine: must be an engine's command, not {engine!r}")
    if len(given) > 1:
        raise click.UsageError("--depth, --nodes and --time cannot be combined")
    if engine is not None and level is not None:
        raise click.UsageError("--level cannot be combined with --engine")
    if settings and engine is None:
        raise click.UsageError("--engine-setting needs --engine")
    if engine is None and level is None and not given:
        return None
    return Opponent(FULL_STRENGTH if level is None else level, "".join(given), engine or "", settings)


def side_of(game: Game, text: str, seed: int) -> int:
    """Return the side that ``text`` names.

    :raises click.UsageError: if it does not name a side.
    """
    names = {"first": 0, "second": 1, "random": random.Random(f"{seed} side").randrange(2)}
    for side in (0, 1):
        names |= {game.players[side].lower(): side, game.sides[side].lower(): side}
    if text.lower() not in names:
        allowed = ", ".join(["first", "second", "random", *game.players])
        raise click.UsageError(f"--color: must be one of {allowed}, not {text!r}")
    return names[text.lower()]


def converse(start: Start, path: Path | None, begun: GameInProgress | None) -> int:
    """Play until the person leaves, and return the exit status. The game is saved even if the process is terminated.

    :raises OutputError: if the output cannot be written.
    """
    opened: list[PlaySession] = []
    with interrupted_by_requests(), open_console(lambda line: complete(opened[0], line)) as console:
        session = PlaySession(start, console, can_color(sys.stdout), path, begun)
        opened.append(session)
        status = play_on(session)
        with uninterrupted():
            session.save_begun()
            session.close()
        if status == 0:
            console.check()
    return status


def play_on(session: PlaySession) -> int:
    """Let the players move in turn; return the exit status.

    The status is also 0 if the output cannot be written, because the console reports that error.
    """
    try:
        session.greet()
        while not session.over:
            session.turn(lambda line: obey(session, line))
            session.console.check()
    except (EOFError, OutputError):
        return 0
    except KeyboardInterrupt:
        return 130
    except QuietmoveError as error:
        session.console.write(printable(f"{session.start.opponent.words}: {error}"))
        return 1
    except Exception as error:  # a user-written game can raise anything
        session.console.write(printable(f"{session.game.game.name}: {type(error).__name__}: {error}"))
        return 1
    return 0
