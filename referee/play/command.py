"""``quietmove play``: a game by hand in a terminal."""

from __future__ import annotations

import random
import sys
from pathlib import Path

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
from quietmove.engine.protocol.notation import PROGRAMS
from quietmove.engine.shared_options import complete_color, complete_game
from quietmove.referee.game.saved import read_game
from quietmove.referee.game.usual_level import usual_level
from quietmove.referee.play.commands import complete, obey
from quietmove.referee.play.console import can_color, open_console
from quietmove.referee.play.game import GameInProgress, Training
from quietmove.referee.play.opponents import Opponent, opponent_of
from quietmove.referee.play.play_session import BOTH, PlaySession, Start, people_of

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
    help="How strong the engine plays, 0 (a beginner) to 20."
    f"  [default: {DEFAULT_LEVEL}, or 20 in a game that is solved at once]",
)
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="It searches N plies deep.")
@click.option("--nodes", type=click.IntRange(1, 10**15), metavar="N", help="It searches N nodes a move.")
@click.option("--time", "movetime", type=Duration("s"), metavar="TIME", help="For a move: 500ms, 2s; a bare N is in s.")
@click.option("--engine", metavar="CMD", help="Play against another engine, which runs as CMD.")
@click.option(
    "--engine-setting",
    "settings",
    multiple=True,
    metavar="WORD",
    help="About it, as 'quietmove-referee match' reads it: option.Hash=64, protocol=gtp. May be repeated.",
)
@click.option(
    "--coordinates",
    type=click.Choice(tuple(PROGRAMS)),
    default="slide",
    show_default=True,
    help="Numbers: slide from 1, rows from the bottom; zero from 0, rows from the top.",
)
@click.option(
    "--opening",
    metavar="NAME",
    shell_complete=complete_opening,
    help="Train an opening of Othello, by its name or its moves, against replies of the book.",
)
@click.option("--two", is_flag=True, help="Two people play against each other.")
@click.option("--random-first-move", "random_first", is_flag=True, help="The first move is made at random.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="What all chance follows from.  [default: random]"
)
@click.option("--load", "path", type=click.Path(path_type=Path), metavar="FILE", help="Go on with a saved game.")
def play(
    name: str | None,
    color: str | None,
    level: int | None,
    depth: int | None,
    nodes: int | None,
    movetime: int | None,
    engine: str | None,
    settings: tuple[str, ...],
    coordinates: str,
    opening: str | None,
    two: bool,
    random_first: bool,
    seed: int | None,
    path: Path | None,
) -> int:
    """Play a game by hand: against this engine, another one, or another person.

    A move is typed in either notation (f5, or 6 4); 'help' lists what else can be said. The first player begins, so
    --color also says who begins. Without --level, a limit (--depth, --nodes, --time) lets the engine play as well as it
    can. A game that is left is saved, and the command to go on with it is printed.

    With --opening the game begins after the moves of an opening, which 'quietmove book names' lists. As far as 20 moves
    the replies are those of the book that are good or popular, and each of your moves is judged at once. Then your
    mistakes are shown, and 'quietmove practice' asks for them.
    """
    others = {"--two": two, "--random-first-move": random_first, "--load": path is not None}
    training = training_of(opening, name, [flag for flag, is_given in others.items() if is_given])
    limits = {"depth": depth, "nodes": nodes, "movetime": movetime}
    given = [f"{kind}={value}" for kind, value in limits.items() if value is not None]
    check_usage(engine, settings, level, given, two, path is not None and seed is not None)
    opponent: Opponent | None = None
    if level is not None or given or engine is not None:
        strength = FULL_STRENGTH if level is None else level
        opponent = Opponent(strength, "".join(given), engine or "", settings)
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
        path = path if saved.people else None  # a file of another program is not written over
    else:
        game = get_game(name or "othello")
        seed = random.randrange(2**31) if seed is None else seed
        humans = frozenset((0,))
    if two:
        humans = BOTH
    elif color is not None:
        humans = frozenset((side_of(game, color, seed),))
    start = Start(
        game, humans, opponent or Opponent(usual_level(game)), seed, random_first, PROGRAMS[coordinates], training
    )
    return converse(start, path, begun)


def training_of(opening: str | None, game: str | None, others: list[str]) -> Training | None:
    """Return what is trained; None without an opening.

    :param others: the options that were given and do not fit to one.
    :raises click.UsageError: if there is no such opening, or it does not fit.
    """
    if opening is None:
        return None
    if others:
        raise click.UsageError(f"--opening: must be given without {others[0]}")
    if game not in (None, "othello"):
        raise click.UsageError(f"--opening: must be given with --game othello, not {game}")
    begin_training = need_hook("training", "practice", "--opening")
    try:
        training: Training = begin_training(opening)
    except GameError as error:
        raise click.UsageError(f"--opening: {error}") from None
    return training


def check_usage(
    engine: str | None, settings: tuple[str, ...], level: int | None, limits: list[str], two: bool, seed_too: bool
) -> None:
    """Check that the options fit together.

    :param settings: what was said about another engine.
    :param seed_too: whether a saved game is to be loaded, and a seed was chosen too.
    :raises click.UsageError: if they do not.
    """
    if engine is not None and not engine.strip():
        raise click.UsageError(f"--engine: must be the command of an engine, not {engine!r}")
    if len(limits) > 1:
        raise click.UsageError("--depth, --nodes, --time: must be at most one of them")
    if engine is not None and level is not None:
        raise click.UsageError("--level: must be left out where --engine plays")
    if settings and engine is None:
        raise click.UsageError("--engine-setting: must be left out without --engine")
    if two and (engine is not None or level is not None or limits):
        raise click.UsageError("--engine, --level, --depth, --nodes, --time: must be left out with --two")
    if seed_too:
        raise click.UsageError("--seed: must be left out with --load, whose file says what chance follows from")


def side_of(game: Game, text: str, seed: int) -> int:
    """Return the side that ``text`` names.

    :raises click.UsageError: if it names none.
    """
    names = {"first": 0, "second": 1, "random": random.Random(f"{seed} side").randrange(2)}
    for side in (0, 1):
        names |= {game.players[side].lower(): side, game.sides[side].lower(): side}
    if text.lower() not in names:
        allowed = ", ".join(["first", "second", "random", *game.players])
        raise click.UsageError(f"--color: must be one of {allowed}, not {text!r}")
    return names[text.lower()]


def converse(start: Start, path: Path | None, begun: GameInProgress | None) -> int:
    """Play until the person leaves, and return the exit status; the game is saved also where the process is ended.

    :raises OutputError: if what is said cannot be written.
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
    """Let the players make their moves; return the exit status, as the command line's main function says it.

    It is 0 too where the output cannot be written, which the console will say.
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
    except Exception as error:  # a game written by a user may raise anything
        session.console.write(printable(f"{session.game.game.name}: {type(error).__name__}: {error}"))
        return 1
    return 0
