"""The command ``quietmove-referee check``."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from quietmove.addons.check.examination import PROTOCOLS, Outcome, Status, document, examine, refused_results
from quietmove.addons.check.examination import results as test_results
from quietmove.addons.check.subject import Subject
from quietmove.addons.check.talk import Examination, name_of
from quietmove.engine.common.command_line import Duration, examples, terminal_columns
from quietmove.engine.files import refuse_special, written_whole
from quietmove.engine.games.registry import get_game
from quietmove.engine.shared_options import complete_game
from quietmove.referee.arguments.engine_args import LIMIT_WORDS, parse_engine
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.config.validation import requirement_text, suggestion
from quietmove.referee.errors import SetupError
from quietmove.referee.seats import get_seat
from quietmove.referee.seats.pool import check_engine

MAX_COLUMNS = 1000  # line width if the output is not a terminal, so that each check is on one line

EPILOG = (
    "Quote CMD as for a shell. KEY=VALUE arguments are those of an engine in 'quietmove-referee match --help':"
    " protocol, option.NAME, margin, start, coordinates and so on. A limit, such as movetime=300, is the limit of the"
    " engine's games, and the checks use it; without a limit, each check chooses its own."
    " The default protocol is the one that CMD names (such as --protocol gtp, gtp-rhino), else uci."
    "\n\nThe exit status is 0 if no check failed, 1 if any did, and 2 if the engine cannot be checked.\n\n"
) + examples(
    "quietmove-referee check quietmove",
    "quietmove-referee check 'python3 engine.py --level 3' --only stop-races",
    "quietmove-referee check 'quietmove --project' coordinates=slide --json",
    "quietmove-referee check 'python3 me.py {color}' protocol=project line=none --results results.json",
    "quietmove-referee check 'python3 player.py' protocol=project movetime=300",
)


@click.command(epilog=EPILOG)
@click.argument("command", metavar="CMD", required=False)
@click.argument("words", metavar="[KEY=VALUE]...", nargs=-1)
@click.option("--protocol", type=click.Choice(list(PROTOCOLS)), help="The engine's protocol; short for protocol=.")
@click.option("--game", default="othello", show_default=True, shell_complete=complete_game, help="The game to play.")
@click.option("--only", multiple=True, metavar="NAME", help="Run only this check. May be repeated.")
@click.option("--quick", is_flag=True, help="Use fewer repetitions.")
@click.option(
    "--within",
    default="1s",
    show_default=True,
    type=Duration("ms", most=600_000),
    metavar="TIME",
    help="Time limit for actions without a search, such as stopping: 500ms, 2s. A bare number is in milliseconds.",
)
@click.option(
    "--at-most",
    default="60s",
    show_default=True,
    type=Duration("s", most=86_400_000),
    metavar="TIME",
    help="Time limit for all checks together; unfinished checks are skipped. A bare number is in seconds.",
)
@click.option("--list", "as_list", is_flag=True, help="List the checks without running them.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write the results to this file in the format of Gradescope's autograder (results.json), with a one-point"
    " test for each check.",
)
def check(
    command: str | None,
    words: tuple[str, ...],
    protocol: str | None,
    game: str,
    only: tuple[str, ...],
    quick: bool,
    within: int,
    at_most: int,
    as_list: bool,
    as_json: bool,
    results: Path | None,
) -> None:
    """Check how an engine behaves outside a normal game, with one line per check: ok, FAIL, skip or info.

    The engine is started many times. It gets requests during a search, is stopped at random moments, and has to handle
    split lines, meaningless lines, clocks and the end of its input.
    """
    chosen = [f"protocol={protocol}"] if protocol else []
    if command is None:
        if not as_list:
            raise SetupError("CMD: specify the command of the engine to check")
        _list(_choose(protocol or "uci", only))
        return
    config = _config(command, [*words, *chosen], game)
    rows = _choose(config.protocol, only)
    if as_list:
        _list(rows)
        return
    if problems := [each.text for each in check_engine(config, get_game(game).name)]:
        if results:
            _write(results, refused_results("\n".join(problems)))
        raise SetupError(problems)
    limit = config.limit if any(word.partition("=")[0] in LIMIT_WORDS for word in words) else None
    subject = Subject(config, get_game(game), within, quick, at_most, limit)
    outcomes = _run(subject, rows, as_json)
    if results:
        _write(results, test_results(subject.game, outcomes))
    raise click.exceptions.Exit(1 if any(outcome.status == "FAIL" for outcome in outcomes) else 0)


def _config(command: str, words: Sequence[str], game: str) -> EngineConfig:
    """Return the configuration of the engine to check.

    :raises SetupError: if the arguments do not describe an engine, or the engine cannot play the game.
    """
    config = parse_engine([f"cmd={command}", *words])
    if config.protocol not in PROTOCOLS:
        raise SetupError(f"protocol: must be one of {', '.join(PROTOCOLS)}, not {config.protocol!r}")
    game = get_game(game).name
    if problems := list(get_seat(config.protocol).game_problems(game, ())):
        raise SetupError(problems)
    return config


def _choose(protocol: str, only: tuple[str, ...]) -> list[Examination]:
    """Return a protocol's checks, or only the named ones.

    :raises SetupError: if a name is unknown.
    """
    rows = PROTOCOLS[protocol].examinations
    names = [name_of(row) for row in rows]
    if unknown := [name for name in only if name not in names]:
        allowed = f"--only: must be one of {', '.join(names)} with protocol={protocol}"
        raise SetupError(requirement_text(allowed, unknown[0], suggestion(unknown[0], names)))
    return [row for row in rows if name_of(row) in only or not only]


def _list(rows: Sequence[Examination]) -> None:
    width = max(len(name_of(row)) for row in rows)
    for row in rows:
        line = f"{name_of(row):<{width}}  {(row.__doc__ or '').splitlines()[0]}"
        click.echo(textwrap.fill(line, terminal_columns(MAX_COLUMNS), subsequent_indent=" " * (width + 2)))


def _write(path: Path, found: dict[str, Any]) -> None:
    """Write a JSON document to a file.

    :raises SetupError: if the file cannot be written.
    """
    refuse_special(path, SetupError, "--results: ")
    with written_whole([path], SetupError) as (file,):
        file.write(f"{json.dumps(found, indent=1)}\n".encode())


def _run(subject: Subject, rows: Sequence[Examination], as_json: bool) -> list[Outcome]:
    """Run the checks, print each outcome and return all of them."""
    width = max(len(name_of(row)) for row in rows)
    outcomes = []
    for outcome in examine(subject, rows):
        outcomes.append(outcome)
        if not as_json:
            click.echo(f"{outcome.status:<4}  {outcome.name:<{width}}  {outcome.text}")
    counts = Counter(outcome.status for outcome in outcomes)
    if as_json:
        click.echo(json.dumps(document(subject, outcomes)))
    else:
        parts = ", ".join(f"{counts[status]} {status}" for status in get_args(Status) if counts[status])
        seconds = sum(outcome.seconds for outcome in outcomes)
        click.echo(f"{len(outcomes)} checks in {seconds:.0f} s: {parts}")
    return outcomes
