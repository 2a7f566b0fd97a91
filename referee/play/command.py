"""``quietmove play``: a game by hand in a terminal."""

from __future__ import annotations

import os
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quietmove.command_help import complete_color, complete_game, complete_protocol, examples
from quietmove.engine.printable import printable
from quietmove.engine.tools.number import Number

if TYPE_CHECKING:
    from quietmove.engine.games.base import Game
    from quietmove.referee.play.game import GameInProgress
    from quietmove.referee.play.match import Match, Start
    from quietmove.referee.play.opponents import Opponent

__all__ = ["play"]

EXAMPLES = examples(
    "quietmove play --level 3",
    "quietmove play --color white --time 2",
    "quietmove play --game 'connect 7x6x4' --two",
    "quietmove play --engine './my_engine --fast' --depth 8",
)


@click.command(short_help="Play a game by hand.", epilog=EXAMPLES)
@click.option(
    "--game", "name", metavar="NAME", shell_complete=complete_game, help="The game, or path/file.py:Class.  [othello]"
)
@click.option(
    "--color",
    metavar="SIDE",
    shell_complete=complete_color,
    help="Your side: first, second, random, or a player's name.  [first]",
)
@click.option("--level", type=click.IntRange(0, 20), metavar="N", help="How strong the engine plays, 0 to 20.  [10]")
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="It searches N plies deep.")
@click.option("--nodes", type=click.IntRange(1, 10**15), metavar="N", help="It searches N nodes a move.")
@click.option("--time", "seconds", type=Number(0.001, 10**6), metavar="S", help="It takes S seconds a move.")
@click.option("--engine", metavar="CMD", help="Play against another engine, which runs as CMD.")
@click.option(
    "--engine-protocol",
    "protocol",
    metavar="NAME",
    shell_complete=complete_protocol,
    help="That it speaks.  [what CMD names, else uci]",
)
@click.option(
    "--engine-setting",
    "settings",
    multiple=True,
    metavar="WORD",
    help="About it, as 'quietmove-referee match' reads it: option.Hash=64. May be repeated.",
)
@click.option("--two", is_flag=True, help="Two people play against each other.")
@click.option("--random-first-move", "random_first", is_flag=True, help="The first move is made at random.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="What all chance follows from.  [random]")
@click.option("--load", "path", type=click.Path(path_type=Path), metavar="FILE", help="Go on with a saved game.")
def play(
    name: str | None,
    color: str | None,
    level: int | None,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    engine: str | None,
    protocol: str | None,
    settings: tuple[str, ...],
    two: bool,
    random_first: bool,
    seed: int | None,
    path: Path | None,
) -> int:
    """Play a game by hand: against this engine, another one, or another person.

    A move is typed in either notation (f5, or 6 4); 'help' lists what else can be said. The first player begins, so
    --color also says who begins. Without --level, a limit (--depth, --nodes, --time) lets the engine play as well as it
    can. A game that is left is saved, and the command to go on with it is printed.
    """
    from quietmove.engine.games.registry import get_game
    from quietmove.referee.play.match import BOTH, Start
    from quietmove.referee.play.saved import read_game

    check_usage(engine, protocol or settings, level, [depth, nodes, seconds], two, path and seed is not None)
    opponent = read_opponent(level, depth, nodes, seconds, engine)
    if opponent is not None:
        opponent = replace(opponent, protocol=protocol or "", settings=settings)
    begun: GameInProgress | None = None
    if path is not None:
        named = get_game(name).name if name else ""
        saved = read_game(path, named)
        if named not in ("", saved.game):
            raise click.UsageError(f"--load: {path} holds a game of {saved.game}; --game {named} came")
        begun = saved.replay()
        game, seed = begun.game, saved.seed
        humans = frozenset(("first", "second").index(each) for each in saved.humans)
        opponent = opponent or saved.opponent
    else:
        game, seed = get_game(name or "othello"), random.randrange(2**31) if seed is None else seed
        humans = frozenset((0,))
    if two:
        humans = BOTH
    elif color is not None:
        humans = frozenset((side_of(game, color, seed),))
    return converse(Start(game, humans, opponent or usual_opponent(), seed, random_first), path, begun)


def check_usage(
    engine: str | None,
    about_it: object,
    level: int | None,
    limits: list[float | None],
    two: bool,
    seed_too: object,
) -> None:
    """Check that the options fit together.

    :param about_it: whether something was said about another engine.
    :param seed_too: whether a saved game is to be loaded, and a seed was chosen too.
    :raises click.UsageError: if they do not.
    """
    given = sum(limit is not None for limit in limits)
    if engine is not None and not engine.strip():
        raise click.UsageError(f"--engine: the command of an engine is allowed; {engine!r} came")
    if engine is not None and (level is not None or given > 1):
        raise click.UsageError("--engine: one of --depth, --nodes and --time, and no --level, is allowed")
    if about_it and engine is None:
        raise click.UsageError("--engine-protocol and --engine-setting need --engine")
    if two and (engine is not None or level is not None or given):
        raise click.UsageError("--two: no engine plays, so no --engine, --level, --depth, --nodes or --time is allowed")
    if seed_too:
        raise click.UsageError("--load: the file says what chance follows from; no --seed is allowed")


def read_opponent(
    level: int | None,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    engine: str | None,
) -> Opponent | None:
    """Return the opponent that the options describe, None where they describe none."""
    from quietmove.referee.play.opponents import Opponent

    if all(option is None for option in (level, depth, nodes, seconds, engine)):
        return None
    opponent = Opponent(depth=depth, nodes=nodes, seconds=seconds, engine=engine or "")
    return opponent if level is None else replace(opponent, level=level)


def usual_opponent() -> Opponent:
    """Return the opponent where nothing was chosen."""
    from quietmove.referee.play.opponents import DEFAULT_LEVEL, Opponent

    return Opponent(DEFAULT_LEVEL)


def side_of(game: Game, text: str, seed: int) -> int:
    """Return the side that ``text`` names.

    :raises click.UsageError: if it names none.
    """
    names = {"first": 0, "second": 1, "random": random.Random(f"{seed} side").randrange(2)}
    for side in (0, 1):
        names |= {game.players[side].lower(): side, game.sides[side].lower(): side}
    if text.lower() not in names:
        allowed = ", ".join(["first", "second", "random", *game.players])
        raise click.UsageError(f"--color: one of {allowed} is allowed, {text!r} came")
    return names[text.lower()]


def converse(start: Start, path: Path | None, begun: GameInProgress | None) -> int:
    """Play until the person leaves, and return the exit status; the game is saved also where the process is ended.

    :raises OutputError: if what is said cannot be written.
    """
    from quietmove.engine.protocol.interrupts import interrupted_by_requests, uninterrupted
    from quietmove.referee.play.board import can_color
    from quietmove.referee.play.commands import complete
    from quietmove.referee.play.console import open_console
    from quietmove.referee.play.match import Match

    matches: list[Match] = []
    with interrupted_by_requests(), open_console(lambda line: complete(matches[0], line)) as console:
        match = Match(start, console, can_color(sys.stdout), path, begun)
        matches.append(match)
        status = play_on(match)
        with uninterrupted():
            match.keep()
            closed = match.close()
        if not closed:  # a slow game's search has not stopped, and the interpreter must not end while it runs
            os._exit(status)
        if status == 0:
            console.check()
    return status


def play_on(match: Match) -> int:
    """Let the players make their moves; return the exit status, as the command line's main function says it.

    It is 0 too where the output cannot be written, which the console will say.
    """
    from quietmove.engine.errors import OutputError, QuietmoveError
    from quietmove.referee.play.commands import obey

    try:
        match.greet()
        while not match.over:
            match.turn(lambda line: obey(match, line))
            match.console.check()
    except (EOFError, OutputError):
        return 0
    except KeyboardInterrupt:
        return 130
    except QuietmoveError as error:
        match.console.write(printable(f"{match.opponent.words}: {error}"))
        return 1
    except Exception as error:  # a game written by a user may raise anything
        match.console.write(printable(f"{match.game.game.name}: {type(error).__name__}: {error}"))
        return 1
    return 0
