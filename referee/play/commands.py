"""The commands of ``quietmove play``, listed in :data:`COMMANDS`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from quietmove.engine.common.errors import QuietmoveError
from quietmove.engine.common.text import did_you_mean, milliseconds, printable
from quietmove.engine.errors import GameFileError, IllegalMoveError, NotationError
from quietmove.engine.levels import FULL_STRENGTH, level_elo, level_name
from quietmove.engine.protocol.describe import (
    Command,
    describe_score,
    describe_terms,
    list_of_commands,
    pluralize,
    rules_text,
    wrapped,
)
from quietmove.engine.protocol.lines import parse_integer
from quietmove.engine.protocol.notation import both_notations
from quietmove.engine.session import DEFAULTS, make_table
from quietmove.engine.tools.analysis.records import ReviewedGame
from quietmove.engine.tools.analysis.review import ReviewEffort, exact_moves, review_of
from quietmove.engine.values import Limits
from quietmove.referee.game.saved import (
    ENDING,
    games_folder,
    has_words,
    openings_of,
    read_record,
    saved_files,
    search_text,
)
from quietmove.referee.play.analyze_command import KEPT, NOT_KEPT, analyze_games
from quietmove.referee.play.play_session import PlaySession

MAX_SHOWN = 60  # maximum length of a word quoted in an error, in characters
HINT_SECONDS = 1.0
MAX_SECONDS = 10.0**6
LISTED = 20  # number of saved games to list, newest first
ANALYSIS = Limits(nodes=300_000, movetime=500)  # limits per search; a game of Othello takes a few seconds in total


def hint(session: PlaySession, text: str) -> None:
    """Show the move the engine would play; ``text`` is its thinking time."""
    seconds = (milliseconds(text, "s") or 0) / 1000 if text else HINT_SECONDS
    if not 0 < seconds <= MAX_SECONDS:
        raise NotationError(f"hint: must be a time such as 500ms or 2s, up to {MAX_SECONDS:,.0f} s, not {text!r}")
    if seconds > HINT_SECONDS:
        session.console.write(f"thinking for at most {seconds:g} s; Ctrl-C gives the best move so far")
    session.console.write(f"hint: {session.describe(session.hint(seconds))}")


def explain(session: PlaySession, _: str) -> None:
    """Show the evaluation terms for the position, as known to the side to move."""
    if session.game.is_over:
        raise IllegalMoveError("eval: the game is over")
    session.console.write(*describe_terms(session.game.game, session.game.seen_by(session.game.side)))


def list_moves(session: PlaySession, _: str) -> None:
    """List the legal moves, in both notations."""
    legal = () if session.game.is_over else session.game.position.legal_moves()
    moves = sorted(legal, key=session.game.game.format_move)  # the generator's order would reveal its preferences
    text = f"{len(moves)} legal: {both_notations(session.game.game, moves, session.start.numbers)}" if moves else "none"
    session.console.write(*wrapped(text))


def show_book(session: PlaySession, _: str) -> None:
    """List the book moves for this position, with their values."""
    rules, position = session.game.game, session.game.position
    known = book.moves(position) if (book := rules.open_book()) else []
    moves = [
        f"{both_notations(rules, [each.move], session.start.numbers)} {describe_score(rules, each.value)}"
        for each in known
    ]
    session.console.write(*wrapped(f"book: {', '.join(moves)}" if moves else "book: does not contain this position"))


def analyze(session: PlaySession, _: str) -> None:
    """Show the value of each move in the game, and the best move."""
    if not session.game.moves:
        raise IllegalMoveError("analyze: there are no moves yet")
    rules = session.game.game
    start = session.game.begin()
    record = ReviewedGame("this game", rules, start, session.game.numbers())
    effort = ReviewEffort(DEFAULTS, ANALYSIS, exact_moves(start))
    table = make_table(64)
    for analysis in analyze_games([record], effort, table, session.console.write):
        is_kept = session.keep_review(review_of(record, analysis.reviews, str(effort)))
        session.console.write("", KEPT if is_kept else NOT_KEPT)


def set_level(session: PlaySession, text: str) -> None:
    """Show the players and the levels, or change the level."""
    if not text:
        session.greet()
        rows = [f"{each:>7}  {level_name(each):<13}  {level_elo(each):>4}" for each in range(FULL_STRENGTH + 1)]
        session.console.write("  level  name           Elo in Othello, 0 for level 0", *rows)
        return
    level = parse_integer(text)
    if level is None or not 0 <= level <= FULL_STRENGTH:
        raise NotationError(f"level: must be a whole number from 0 to {FULL_STRENGTH}, not {text}")
    session.set_level(level)


def load(session: PlaySession, text: str) -> None:
    """Continue a saved game given by file or list number; otherwise list the games that match all the words."""
    folder = games_folder()
    files = saved_files(folder)
    number = parse_integer(text)
    if number and 1 <= number <= len(files):
        session.load(files[number - 1])
        return
    if text.lower().endswith(ENDING):
        session.load(Path(text))
        return
    listed = list(islice(filter(None, (game_line(*each, text) for each in enumerate(files, 1))), LISTED))
    if text and not listed:
        expected = f"a number from the list, words that occur in a saved game, or a file that ends in {ENDING}"
        raise NotationError(f"load: must be {expected}, not {text[:MAX_SHOWN]!r}")
    where = ("their files, which you can rename and delete, are in", f"  {folder}")
    session.console.write(*listed, *(where if files else ["there are no saved games"]))


def game_line(number: int, path: Path, words: str) -> str:
    """Return a saved game's line in the list: file, title, players, opening, date, result and length.

    :param words: search terms; the line is empty if one is missing.
    """
    try:
        saved = read_record(path)
    except GameFileError:
        return "" if words else f"{number:>4}  {path.name} is not a saved game"
    if not has_words(f"{search_text(saved)} {path.stem.lower()}", words):
        return ""
    players = " - ".join(name or "?" for name in saved.players)
    result = "not over" if saved.result == "*" else saved.result
    date = saved.date.partition(" ")[0]
    facts = (
        path.stem,
        saved.event,
        players,
        *openings_of(saved)[-1:],
        date,
        result,
        pluralize(len(saved.moves), "move"),
    )
    return printable(f"{number:>4}  {'  '.join(filter(None, facts))}")


def leave(session: PlaySession, _: str) -> None:
    """End the session; an unfinished game is then saved."""
    session.over = True


def show_rules(session: PlaySession, _: str) -> None:
    session.console.write(*rules_text(session.game.game))


def show_help(session: PlaySession, _: str) -> None:
    """List the commands."""
    move = "a move", "play it, in either notation ('moves' lists them)"
    session.console.write(*list_of_commands(COMMANDS.values(), move))


COMMANDS = {
    "hint": Command("hint [TIME]", f"the engine's move after thinking for {HINT_SECONDS:g} second", hint),
    "book": Command("book", "the opening book's moves, with their values", show_book),
    "eval": Command("eval", "the terms of the evaluation", explain),
    "moves": Command("moves", "the legal moves in both notations", list_moves),
    "board": Command("board", "draw the board again", lambda session, _: session.refresh()),
    "undo": Command("undo", "go back to your last turn", lambda session, _: session.undo()),
    "redo": Command("redo", "redo what was undone", lambda session, _: session.redo()),
    "switch": Command("switch", "change sides with the engine", lambda session, _: session.switch()),
    "new": Command("new", "start a new game", lambda session, _: session.begin_again()),
    "level": Command("level [N]", "list the engine's levels, or play at level N, 0 to 20", set_level),
    "resign": Command("resign", "resign; 'undo' takes it back", lambda session, _: session.resign()),
    "save": Command(
        "save [FILE]", "save the game, also as .ggf", lambda session, text: session.save(Path(text) if text else None)
    ),
    "load": Command(
        "load [WORDS]", "list saved games that match the words, or continue one by its number or file", load
    ),
    "analyze": Command("analyze", "compare each move of the game with the best one", analyze),
    "rules": Command("rules", "how to play the game", show_rules),
    "help": Command("help", "this list (also ?)", show_help),
    "quit": Command("quit", "save the game and leave (also exit, Ctrl-C, Ctrl-D)", leave),
}
SYNONYMS = {"?": "help", "exit": "quit"}


def obey(session: PlaySession, line: str) -> None:
    """Run a command or make a move typed by a person; if that fails, print the reason and change nothing.

    Ctrl-C interrupts a long command, not the game.
    """
    word, _, rest = line.strip().partition(" ")
    if not word:
        return
    try:
        if command := COMMANDS.get(SYNONYMS.get(word.lower(), word.lower())):
            if rest.strip() and " " not in command.usage:
                raise NotationError(f"{word}: takes no arguments, not {rest.strip()!r}")
            command.run(session, rest.strip())
        else:
            session.make(line.split())
    except QuietmoveError as error:
        hint_at = (
            did_you_mean(word, COMMANDS) if isinstance(error, NotationError) and word.lower() not in COMMANDS else ""
        )
        *others, last = error.problems
        for problem in (*others, f"{last}{hint_at}"):
            session.console.write(*wrapped(printable(problem.replace(word, word[:MAX_SHOWN]))))
    except KeyboardInterrupt:
        session.console.write(f"{word}: interrupted")
    except Exception as error:  # a user-written game can raise anything
        session.console.write(*wrapped(printable(f"{word}: {type(error).__name__}: {error}")))


def complete(session: PlaySession, line: str) -> list[str]:
    """Return the commands, legal moves and levels that complete the line."""
    if line.startswith("level "):
        return [f"level {level}" for level in range(21) if f"level {level}".startswith(line)]
    game = session.game
    moves = [game.game.format_move(move) for move in game.position.legal_moves()]
    return [each for each in (*sorted(moves), *COMMANDS) if each.startswith(line.lower())]
