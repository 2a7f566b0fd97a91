"""``quietmove practice``: practise positions from your own games in a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from quietmove.addons.practice.hints import hints
from quietmove.addons.practice.positions import KINDS, JudgedAnswer, Practice, describe_source
from quietmove.addons.practice.problems import Problem, describe_loss, points
from quietmove.addons.practice.schedule import RECENT_DAYS, describe_history
from quietmove.engine.common.command_line import examples
from quietmove.engine.common.entry import interrupted_by_requests
from quietmove.engine.common.text import did_you_mean, printable
from quietmove.engine.errors import GameError, GameFileError, OutputError
from quietmove.engine.levels import FULL_STRENGTH
from quietmove.engine.protocol.describe import pluralize
from quietmove.engine.protocol.pictures import Marks
from quietmove.engine.search.table import Table
from quietmove.engine.session import DEFAULTS, make_table
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import ReviewEffort, exact_moves, review_of
from quietmove.engine.values import Limits
from quietmove.referee.game.saved import SavedGame, games_folder, is_program, keep_review, read_record, saved_files
from quietmove.referee.play.analyze_command import analyze_games
from quietmove.referee.play.console import Console, can_color, draw_board, open_console

EXAMPLES = examples(
    "quietmove practice",
    "quietmove practice --review",
    "quietmove practice --list --kind openings",
    "quietmove practice --json",
)
WORDS = {
    "hint": "show a question, then an area of the board, then a choice of two moves",
    "answer": "show the answer (counts as wrong)",
    "later": "skip this position for now",
    "board": "redraw the board",
    "quit": "leave",
}
HELP = ["  a move, such as d6", *(f"  {word:<7} {text}" for word, text in WORDS.items())]
REVIEW_NODES = 200_000  # nodes per search: reviewing a game of Othello takes a few seconds


@click.command(epilog=EXAMPLES)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="mistakes",
    show_default=True,
    help="Positions to practise: all mistakes, mistakes in the first 20 moves, or endgames with one best move.",
)
@click.option(
    "--level",
    type=click.IntRange(0, FULL_STRENGTH),
    metavar="N",
    help="Only endgames of difficulty N, which engine level N solves but no lower level does.",
)
@click.option("--most", type=click.IntRange(1), metavar="N", help="Maximum number of positions.")
@click.option("--more", is_flag=True, help="Practise positions that are not due yet, instead of the due ones.")
@click.option("--review", "reviews", is_flag=True, help="First review the saved games that have no review.")
@click.option(
    "--nodes", type=click.IntRange(1, 10**15), metavar="N", help="Nodes per search in a review.  [default: 200000]"
)
@click.option("--list", "lists", is_flag=True, help="List the positions with their due dates.")
@click.option("--json", "json_output", is_flag=True, help="Print the positions as one JSON object.")
def practice(
    kind: str,
    level: int | None,
    most: int | None,
    more: bool,
    reviews: bool,
    nodes: int | None,
    lists: bool,
    json_output: bool,
) -> int:
    """Practise the positions in which you made mistakes until you have learnt them.

    Each reviewed game from the web page and 'quietmove play' provides the positions in which your move lost 2 discs or
    more and one move is clearly best: every other move loses 2 discs or more. To review a game, use 'analyze' during
    the game, 'quietmove analyze FILE', the web page or --review. Type a move, or 'help' for the commands. After a wrong
    answer, a position comes back the next day; after right answers, it comes back after days, then weeks.
    """
    if nodes is not None and not reviews:
        raise click.UsageError("--nodes needs --review")
    if level is not None and kind != "endgames":
        raise click.UsageError("--level needs --kind endgames")
    folder = games_folder()
    now = datetime.now().astimezone()
    if reviews:
        review_all(folder, nodes or REVIEW_NODES, quiet=json_output)
    state = Practice(folder, kind, level)
    asked = state.schedule.later(state.problems, now) if more else state.schedule.due(state.problems, now)
    asked = asked[:most]
    for each in state.damaged:
        click.echo(printable(f"skipped: {each}"), err=True)
    if json_output:
        click.echo(json.dumps(as_object(state, now), indent=2))
    elif lists:
        click.echo("\n".join(as_lines(state, now)))
    elif not state.problems:
        click.echo("\n".join(describe_sources(folder, level)))
    elif not asked:
        click.echo("\n".join(describe_today(state, now)))
    else:
        return converse(state, asked, now)
    return 0


def review_all(folder: Path, nodes: int, *, quiet: bool) -> None:
    """Review each game that :func:`unreviewed` returns, and save the review with it."""
    table = make_table(64)
    for path, saved in unreviewed(folder):
        effort = ReviewEffort(DEFAULTS, Limits(nodes=nodes), exact_moves(saved.begin()))
        review_game(path, saved, effort, table)
        if not quiet:
            click.echo(f"reviewed {printable(path.name)}")


def review_game(path: Path, saved: SavedGame, effort: ReviewEffort, table: Table | None) -> None:
    """Review a saved game, and save the review with it.

    :raises GameError: if the game breaks the rules, or the file cannot be written.
    """
    position = saved.begin()
    moves = list[int]()
    for each in saved.moves:
        moves.append(saved.rules.parse_move(position, each.move))
        position.play(moves[-1])
    record = ReviewedGame(path.name, saved.rules, saved.begin(), tuple(moves))
    for found in analyze_games([record], effort, table):
        review = review_of(record, found.reviews, str(effort))
        keep_review(path, [each.move for each in saved.moves], review)


def unreviewed(folder: Path) -> list[tuple[Path, SavedGame]]:
    """Return the finished games with human players that can be reviewed but have no review, oldest first."""
    found = list[tuple[Path, SavedGame]]()
    for path in reversed(saved_files(folder)):
        try:
            saved = read_record(path)
            is_own = saved.people and saved.moves and not is_program(saved.spec.game) and saved.margin_black is not None
            if is_own and saved.review is None and saved.rules.kind == "perfect":
                saved.position()
                found.append((path, saved))
        except GameError:  # 'quietmove analyze' and the web page report the error
            continue
    return found


def as_object(state: Practice, now: datetime) -> dict[str, Any]:
    """Return the practice state as a JSON object: the numbers of due and learnt positions, and all positions."""
    due = {each.key for each in state.schedule.due(state.problems, now)}
    cards = state.schedule.cards
    return {
        "due": len(due),
        "learnt": state.schedule.learnt(state.problems),
        "positions": [
            {
                **asdict(each),
                "best": each.best,
                "due": each.key in due,
                "date_due": cards[each.key].due.isoformat() if each.key in cards else None,
                "answers": [[at.isoformat(), rating] for at, rating in cards[each.key].answers]
                if each.key in cards
                else [],
            }
            for each in state.problems
        ],
    }


def as_lines(state: Practice, now: datetime) -> Iterable[str]:
    """Yield a summary, then one line per position: due date, loss, source and history.

    An endgame has no source game; its line ends with the position, in the format of ``position fen``.
    """
    due = {each.key for each in state.schedule.due(state.problems, now)}
    yield summary(state, now)
    for each in [*state.schedule.due(state.problems, now), *state.schedule.later(state.problems, now)]:
        card = state.schedule.cards.get(each.key)
        when = "due" if each.key in due else card.due.astimezone(now.tzinfo).date().isoformat() if card else "new"
        asked = f"asked {describe_history(card, now)}"
        if each.kind == "endgame":
            yield f"{when:<10}  {describe_source(each)}; {asked}: {each.position}"
        else:
            loss = describe_loss(each, each.played_value, past=True)
            yield printable(f"{when:<10}  {loss:<13}  {describe_source(each)} ({each.place}); {asked}")


def summary(state: Practice, now: datetime) -> str:
    learnt = state.schedule.learnt(state.problems)
    due = len(state.schedule.due(state.problems, now))
    return f"{due} due today; {pluralize(len(state.problems), 'position')}, {learnt} learnt"


def describe_sources(folder: Path, level: int | None) -> Iterable[str]:
    """Yield the lines that explain how to get positions to practise."""
    if level is not None:
        yield f"0 due: there is no endgame of difficulty {level}"
        return
    yield "0 due: nothing to practise yet. Practice uses mistakes from your own games: play a game, then review it."
    yield "Until then, '--kind endgames' offers endgames, from easy to hard."
    if waiting := len(unreviewed(folder)):
        yield f"{pluralize(waiting, 'saved game')} without a review: review with 'quietmove practice --review'."


def describe_today(state: Practice, now: datetime) -> Iterable[str]:
    yield summary(state, now)
    asked, right = state.schedule.today(state.problems, now)
    if asked:
        yield f"Done for today: {pluralize(asked, 'position')}, {right} right."
    if reasons := state.schedule.by_reason(state.problems, now):
        shares = ", ".join(f"{text.lower()} {right} of {count}" for text, right, count in reasons)
        yield f"Right in the last {RECENT_DAYS} days: {shares}."
    coming = [card.due for each in state.problems if (card := state.schedule.cards.get(each.key))]
    if coming:
        yield f"The next is due on {min(coming).astimezone(now.tzinfo).date()}; use --more to see it sooner."


def converse(state: Practice, asked: Sequence[Problem], now: datetime) -> int:
    """Present positions until there are no more or the person quits, and return the exit status.

    :raises OutputError: if the output cannot be written.
    """
    with interrupted_by_requests(), open_console(complete) as console:
        try:
            console.write(summary(state, now))
            for number, problem in enumerate(asked, 1):
                console.write("", f"{number} of {len(asked)}: {printable(describe_source(problem))}")
                if not ask(state, problem, console):
                    break
            else:
                console.write("", *describe_today(state, datetime.now().astimezone()))
        except (EOFError, OutputError):
            pass
        except KeyboardInterrupt:
            return 130
        console.check()
    return 0


def complete(line: str) -> list[str]:
    return [word for word in WORDS if word.startswith(line)]


def ask(state: Practice, problem: Problem, console: Console) -> bool:
    """Present one position. Return whether the person wants to continue.

    :raises GameFileError: if the answer cannot be saved.
    """
    draw_problem(problem, console)
    steps = hints(problem)
    given = 0
    while True:
        line = console.read("practice> ").strip()
        word = line.lower()
        console.check()
        if word == "quit":
            return False
        if word == "later":
            return True
        if word == "help":
            console.write(*HELP)
        elif word == "board":
            draw_problem(problem, console)
        elif word == "hint":
            given = min(given + 1, len(steps))
            console.write(f"hint {given} of {len(steps)}: {steps[given - 1].text}")
        elif word == "answer":
            write_judgement(state.answer(problem, None, given, datetime.now().astimezone()), console)
            return True
        elif line:
            try:
                judged = state.answer(problem, line, given, datetime.now().astimezone())
            except GameFileError:
                raise
            except GameError as error:
                console.write(printable(f"{error}{did_you_mean(word, WORDS)}; 'help' lists the commands"))
                continue
            write_judgement(judged, console)
            return True


def draw_problem(problem: Problem, console: Console) -> None:
    game = problem.rules
    position = problem.begin()
    console.write(*draw_board(game, position, Marks(), can_color(sys.stdout)))
    console.write(f"{game.players[position.side_to_move]} to move: find the best move.")


def write_judgement(judged: JudgedAnswer, console: Console) -> None:
    """Print the verdict on an answer, the lines with their values, and when the position comes back."""
    lines = (f"  {line[0]:<4} {points(value):>4}  {' '.join(line)}" for value, line in judged.lines)
    console.write(judged.answer.text, *lines, judged.due)
