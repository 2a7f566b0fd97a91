"""The handout of a class: the protocol, languages, tasks, deadlines and marks, as class.toml sets them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, Response

from quietmove.addons.hall.backups import created_folder
from quietmove.addons.hall.building import ENDINGS, LANGUAGES
from quietmove.addons.hall.documents import LINKS, limit_text, tasks_text
from quietmove.addons.hall.hall import Hall
from quietmove.addons.hall.player import STARTERS
from quietmove.addons.hall.settings import CHECK, FINAL, SOLVED, VALUES, Assignment, ClassSettings
from quietmove.addons.hall.tasks import QUESTIONS, TASKS, example
from quietmove.addons.web.pages import shell
from quietmove.engine.games.registry import get_game
from quietmove.engine.protocol.notation import ALGEBRAIC, PROJECT, both_notations, written_moves
from quietmove.referee.config.model import EngineConfig
from quietmove.referee.seats.project import ProjectSeat
from quietmove.tournament.definition import DEFAULT_GAME

if TYPE_CHECKING:
    from starlette.requests import Request

STYLE = Path(__file__).parent / "static" / "handout.css"
FILE = "handout.html"
GAME = "f5f6c4g5h5h4g7e7h3c3b2c5b5d8"  # a short game, in which White passes before the last move
DOCUMENT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>{style}</style>
{main}
</html>
"""
RULES = (
    "The program plays one game. First it reads line one, such as <code>{line}</code>: its colour (B or W), then the "
    "maximum depth, the seconds per move and the seconds per game, where 0 means no limit.",
    "Black moves first. The program writes its own moves and reads its opponent's, one per line. A move is two "
    "numbers, such as <code>4 6</code>: the column from the left and the row from the bottom, both from 1 to 8.",
    "Without a legal move, it writes <code>pass</code>, and reads <code>pass</code> if its opponent has none. It ends "
    "when its input ends.",
    "It flushes its output after each line. Everything else, such as debug output, goes to standard error.",
)
OPENING = (
    "A sixth word in line one, such as <code>d3c3c4</code>, is an opening: moves that were already played, alternately "
    "from Black, in letters with rows from the top."
)
VALUE = (
    "After a move, it may write the value that its search found, from its point of view: <code>6 4 # value 12</code>."
)
CELLS = (
    "Cells are listed row by row from the top; in a position, the side to move follows them. The best cell or column "
    "wins quickest or, in a lost position, loses latest; of several, it is the one with the lowest number. In the 4x4 "
    "connect game, three in a row win. In a tree, Max moves first. For pruned-nodes, alpha-beta tries the cells in "
    "order, and a win counts 1 at any distance."
)
COMPILED = {  # how a language is compiled, and how a move is flushed
    "python": ("", "print(x, y, flush=True)"),
    "c": ("cc -O2 *.c -lm", r'printf("%d %d\n", x, y); fflush(stdout);'),
    "cpp": ("c++ -O2 *.cpp -lm", r"std::cout << x << ' ' << y << std::endl;"),
    "java": ("javac, jar", 'System.out.println(x + " " + y); System.out.flush();'),
    "rust": ("rustc -O", 'println!("{x} {y}"); std::io::stdout().flush().unwrap();'),
    "javascript": ("", r'process.stdout.write(x + " " + y + "\n");'),
    "go": ("go build", "fmt.Println(x, y)"),
}
HAND_IN = "marked by hand; hand in a PDF of at most {} MB"
GOAL = "at least {goal.least} points in the last {goal.games} games"
PARTS = {  # how a part of the mark is earned
    CHECK: "a version that passes",
    SOLVED: "in proportion to the tasks solved",
    VALUES: "all values that the program prints agree with minimax",
    FINAL: "from the last place, which earns nothing, to the first in equal steps",
}


def main_element(settings: ClassSettings, address: str) -> str:
    """Return the handout as a ``main`` element.

    :param address: the server's address, ending in a slash.
    """
    plays = [each for each in settings.assignments if not each.tasks]
    tasks = dict.fromkeys(name for each in settings.assignments for name in each.tasks)
    parts = [f"<h2>{escape(settings.title)}</h2>", *_assignments(settings)]
    if plays:
        parts += _protocol(settings, plays[0], has_values=any(each.evaluator for each in plays))
    parts += [*_hand_in(settings, address, with_games=bool(plays)), *(_tasks(tasks) if tasks else ())]
    return f'<main class="page handout">{"".join(parts)}</main>'


def page(hall: Hall, request: Request) -> Response:
    """Return the handout as a page of the class."""
    files = '<link rel="stylesheet" href="/class/static/handout.css">'
    main = main_element(hall.settings, str(request.base_url))
    return HTMLResponse(shell(hall.settings.title, main, LINKS, request.url.path, files))


def write(settings: ClassSettings, address: str, target: Path) -> None:
    """Write the handout and the starters of the allowed languages into a new folder.

    :raises SetupError: if the folder exists, or cannot be written.
    """
    text = DOCUMENT.format(
        title=escape(settings.title),
        style=STYLE.read_text(encoding="utf-8"),
        main=main_element(settings, address).replace('href="/starters/', 'href="'),
    )
    with created_folder(target) as part:
        (part / FILE).write_text(text, encoding="utf-8")
        for each in starters(settings).values():
            shutil.copyfile(each, part / each.name)


def starters(settings: ClassSettings) -> dict[str, Path]:
    """Return the starter program of each allowed language, except ``command``."""
    found: dict[str, Path] = {ENDINGS[path.suffix]: path for path in STARTERS.iterdir()}
    return {each: found[each] for each in settings.languages if each in found}


def _assignments(settings: ClassSettings) -> Iterator[str]:
    columns: dict[str, list[str]] = {"Assignment": [], "Opens": [], "Deadline": [], "Limit or tasks": [], "Marks": []}
    for each in settings.assignments:
        late = each.closes_for() if each.late_rule.days else None
        deadline = [_time(each, each.deadline_for()), *([f"late until {_time(each, late)}"] if late else [])]
        deadline += [str(each.late_rule)] if late else []
        limit = tasks_text(settings, each) if each.tasks else limit_text(each.limit, settings.clock)
        meanings = PARTS | {goal.text: GOAL.format(goal=goal) for goal in each.parsed_goals}
        meanings |= {
            part.name: HAND_IN.format(part.megabytes) if part.megabytes else "marked by hand"
            for part in each.parsed_marks
            if part.by_hand
        }
        marks = [f"{part.name}, {part.weight} %: {meanings[part.name]}" for part in each.parsed_marks]
        opens = _time(each, None if each.opens is None else each.seconds(each.opens))
        texts = (each.name, opens, "; ".join(filter(None, deadline)), limit, "; ".join(marks))
        for column, text in zip(columns.values(), texts, strict=True):
            column.append(escape(text))
        columns["Limit or tasks"][-1] += "" if each.tasks else f"<br>line one: <code>{_line_one(each)}</code>"
    shown = {head: cells for head, cells in columns.items() if any(cells)}
    yield _table(list(shown), zip(*shown.values(), strict=True))


def _time(settings: Assignment, seconds: float | None) -> str:
    return "" if seconds is None else settings.local(seconds).strftime("%a %-d %b %Y, %H:%M %Z")


def _line_one(settings: Assignment) -> str:
    """Return the line that tells a program that it plays Black."""
    config = EngineConfig("program", ("program",), "project", limit=settings.limit)
    return ProjectSeat(config, DEFAULT_GAME).line_one("black")


def _protocol(course: ClassSettings, settings: Assignment, *, has_values: bool) -> Iterator[str]:
    game = get_game(DEFAULT_GAME)
    line_one = _line_one(settings)
    more = [*([OPENING] if course.openings == "line" else []), *([VALUE] if has_values else [])]
    items = "".join(f"<li>{each}</li>" for each in [*(rule.format(line=line_one) for rule in RULES), *more])
    yield f"<h3>What a program does</h3><ul>{items}</ul>"
    board = escape(game.draw(game.initial()).rpartition("\n")[0])
    square = "d3 (4 6)" if course.coordinates == "letters" else "4 6 (d3)"
    lines = [f"reads  {line_one}"]
    position = game.initial()
    for move in written_moves(game, position, [GAME]):
        verb = "reads " if position.side_to_move else "writes"
        lines.append(f"{verb} {both_notations(game, [move], ALGEBRAIC, PROJECT)}")
        position.play(move)
    yield '<div class="beside"><figure><figcaption>The board before the first move. X is Black, dots are legal moves. '
    yield "Programs use the numbers at the bottom and on the right; people use the letters, and the numbers on the "
    yield f"left. The pages show both: {square}.</figcaption><pre>{board}</pre></figure>"
    yield "<figure><figcaption>A whole game, as Black sees it. At its end, White has no discs left.</figcaption>"
    yield f'<pre class="game">{escape(chr(10).join(lines))}</pre></figure></div>'


def _hand_in(settings: ClassSettings, address: str, *, with_games: bool) -> Iterator[str]:
    yield f"<h3>Handing in</h3><p>Log in at <code>{escape(address)}me</code> with your key. Hand in one file, or a zip "
    yield "with several, in which "
    yield "<code>player.toml</code> can contain settings such as <code>coordinates = &quot;zero&quot;</code>. "
    yield f"A program has one processor, {settings.memory} MB of memory and no network. "
    packages = f"the packages {', '.join(settings.packages)}" if settings.packages else "no other packages"
    yield f"Python programs can import the standard library and {escape(packages)}. From a shell:</p>"
    yield "<pre>curl -H 'Authorization: Bearer KEY' -F file=@player.py "
    yield "-F assignment=NAME " if settings.assignments[0].name else ""
    yield f"{escape(address)}api/entries</pre>"
    files = starters(settings)
    rows = []
    for language in settings.languages:
        if language in files:
            compiled, flushed = COMPILED[language]
            name = files[language].name
            starter = f'<a href="/starters/{name}" download="{name}">{name}</a>'
            cells = (compiled, flushed) if with_games else (compiled,)
            rows.append([LANGUAGES[language], starter, *(f"<code>{escape(each)}</code>" for each in cells)])
    if rows:
        yield _table(["Language", "Starter", "Compiled with", *(["A move, flushed"] if with_games else [])], rows)
    if "command" in settings.languages:
        yield "<p>Any other program can be handed in too, in a zip with a <code>player.toml</code> that names it.</p>"


def _tasks(names: Iterable[str]) -> Iterator[str]:
    yield f"<h3>Tasks</h3><p>The program reads {QUESTIONS} questions, one per line, writes one line for each, and ends "
    yield "when its input ends. Numbers can be rounded to two decimals.</p>"
    rows = [[f"<code>{escape(each)}</code>" for each in example(name)] + [escape(TASKS[name].help)] for name in names]
    yield f"<p>{CELLS}</p>"
    yield _table(["A question", "Its answer", "What is given, and what is asked"], rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. Its cells are HTML."""
    top = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
