"""`quietmove-tournament report`: a tournament as one HTML file for a browser, without a server or network.

It is the tournaments page (:mod:`quietmove.addons.runner.watch.pages`) with a board for replays, and its JavaScript
modules bundled into one script.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from shlex import join
from typing import Any

import click

from quietmove.addons.web.replays import chosen, games_document
from quietmove.engine.common.command_line import examples, number_option
from quietmove.engine.common.text import printable
from quietmove.engine.errors import GameFileError, UnknownGameError
from quietmove.engine.files import written_whole
from quietmove.engine.games.othello.game_files.conversion import require_free
from quietmove.referee.match.score import fixed, signed
from quietmove.tournament.definition import Tournament
from quietmove.tournament.options import STORE, notation_option, own_game_option, store_argument
from quietmove.tournament.reporting.document import document
from quietmove.tournament.statistics.standings import Comparison
from quietmove.tournament.store.database import Origin
from quietmove.tournament.store.store import Store

MOST_GAMES = 1000  # default number of games to replay
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) ([\w$]+))", re.MULTILINE)
IMPORT = re.compile(r'^import (\{[^}]*\}) from "[^"]*?(\w+)\.js";$', re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*$", re.MULTILINE)
NO_SCRIPT = "<noscript><p>This page needs JavaScript for its tables, charts and boards.</p></noscript>"
SCRIPTS = (
    ("quietmove.addons.web", "static/page.js"),
    ("quietmove.addons.web", "static/drawing.js"),
    ("quietmove.addons.web", "static/overlay.js"),
    ("quietmove.addons.web", "static/picture.js"),
    ("quietmove.addons.web", "static/drag.js"),
    ("quietmove.addons.web", "static/board.js"),
    ("quietmove.addons.web", "static/review_text.js"),
    ("quietmove.addons.web", "static/graph.js"),
    ("quietmove.addons.web", "static/moves.js"),
    ("quietmove.addons.web", "static/variations.js"),
    ("quietmove.addons.web", "static/charts.js"),
    ("quietmove.addons.web", "static/tables.js"),
    ("quietmove.addons.runner.watch", "static/tournament.js"),
    ("quietmove.addons.runner.report", "report.js"),
)
STYLES = (
    ("quietmove.addons.web", "static/style.css"),
    ("quietmove.addons.web", "static/board.css"),
    ("quietmove.addons.web", "static/table.css"),
    ("quietmove.addons.runner.watch", "static/tournaments.css"),
    ("quietmove.addons.runner.report", "report.css"),
)


def html_report(
    store: Store, found: Mapping[str, Any], most_games: int = MOST_GAMES, notation: str | None = None
) -> str:
    """Return the HTML report on a store.

    :param found: the store's document, from :func:`quietmove.tournament.reporting.document.document`.
    :param most_games: the maximum number of games to include for replay.
    :param notation: the notation of moves; by default the tournament's.
    :raises StoreError: if the store cannot be read or is damaged.
    """
    tournament = store.tournament
    found = {**found, "notation": notation or tournament.notation}
    try:
        games = games_document(store, chosen(store.results(), most_games))
    except UnknownGameError:  # show everything except the boards
        games = {"board": None, "games": []}
    style = "\n".join(map(_text, *zip(*STYLES, strict=True)))
    names = [path.rpartition("/")[2].removesuffix(".js") for _, path in SCRIPTS]
    script = bundle(dict(zip(names, map(_text, *zip(*SCRIPTS, strict=True)), strict=True)))
    policy = f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; base-uri 'none'"
    title = _shown(tournament.name)
    answers = "\n".join(f"<p>{_shown(line)}</p>" for line in sentences(tournament, found))
    main = _text("quietmove.addons.runner.watch", "static/tournaments.html").removeprefix('<main class="tournament">')
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header class="top"><h1>{title}</h1></header>
<main class="tournament report">
<section id="answers" aria-label="Answer">{answers}{NO_SCRIPT}</section>
{main.partition("</main>")[0]}
{_text("quietmove.addons.runner.report", "report.html")}
{_compared(tournament, store.origin())}
</main>
<script type="application/json" id="document-data">{_data(found)}</script>
<script type="application/json" id="games-data">{_data(games)}</script>
<script>{script}</script>
</body>
</html>
"""


def bundle(modules: Mapping[str, str]) -> str:
    """Bundle modules into one script, for embedding in a page.

    Supports only what this project's pages use: ``export`` before a function, class or constant, and
    ``import { names } from "path";`` on its own line.

    :param modules: sources by name, such as ``board`` for ``board.js``, each after the modules it imports.
    """
    parts = ['"use strict";', "const modules = {};"]
    done: set[str] = set()
    for name, source in modules.items():
        for _, imported in IMPORT.findall(source):
            assert imported in done, f"{name}.js imports {imported}.js, which is not listed before it"
        exports = EXPORT.findall(source)
        body = IMPORT.sub(lambda found: f"const {found[1].replace(' as ', ': ')} = modules.{found[2]};", source)
        body = EXPORT.sub("", body)
        assert (left := LEFT.search(body)) is None, f"{name}.js: unsupported syntax: {left[0]}"
        parts.append(f"modules.{name} = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();")
        done.add(name)
    return "\n".join(parts)


def sentences(tournament: Tournament, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a tournament's question, then the sentences that answer it.

    :param found: the document from :func:`quietmove.tournament.reporting.document.document`.
    """
    names, rows = tournament.names, found["standings"]
    asked = f"Is {names[0]} or {names[1]} stronger?" if len(names) == 2 else f"Which of {len(names)} engines is best?"
    limits = {str(engine.limit) for engine in tournament.engines}
    limit = f", {limits.pop()} for each engine" if len(limits) == 1 else ""
    planned = found["planned"]
    missing = "" if planned in (None, found["games"]) else f" of {planned:,}"
    yield f"{asked} {tournament.game}, {tournament.format}, {found['games']:,}{missing} games{limit}."
    if found["lines"]:
        yield from found["lines"]
    elif len(names) == 2:
        yield from _answer(found["meetings"])
    elif found["games"]:
        first, second = rows[:2]
        leads = (
            f"{first['name']} leads with {signed(first['elo'])} \u00b1 {fixed(first['error'])} Elo against the average"
        )
        if first["superiority"] is None:
            yield f"{leads}; {second['name']} has not played yet."
        else:
            likely = f"{fixed(100 * first['superiority'])} % likely"
            yield f"{leads}; it is {likely} to be stronger than {second['name']}, which comes second."


def _answer(meetings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for each in meetings:
        if answer := Comparison.of(each["first"], each["second"], each["pentanomial"]):
            yield f"{answer.sentence()}."


def _compared(tournament: Tournament, origin: Origin) -> str:
    """Return HTML listing the engines, settings and machine, and the command that repeats the tournament."""
    engines = "".join(
        f"<tr><td class=name><b>{_shown(engine.name)}</b></td><td>{_shown(str(engine.limit))}</td>"
        f"<td class=note><code>{_shown(join(engine.command) or engine.protocol)}</code></td>"
        f"<td class=note>{_shown(', '.join(map('='.join, engine.options)) or 'default')}</td></tr>"
        for engine in tournament.engines
    )
    settings = {"format": tournament.format, **dict(tournament.settings), "seed": tournament.seed}
    if tournament.time_scale != 1:
        settings["times multiplied by"] = tournament.time_scale
    facts = {
        "Command": f"<code>{_shown(origin.command)}</code>",
        "Settings": _shown(", ".join(f"{name} = {value}" for name, value in settings.items())),
        "Openings": f"{len(tournament.openings):,}",
        "Machine": _shown(origin.machine),
        "Version": f"Quietmove {_shown(origin.version)}",
    }
    return (
        '<section id="compared" aria-labelledby="compared-title"><h2 id="compared-title">Engines and settings</h2>'
        '<div class="scroll" tabindex="0" role="group" aria-label="Engines"><table><thead><tr><th>Engine</th><th>Limit'
        f"</th><th>Command</th><th>Options</th></tr></thead><tbody>{engines}</tbody></table></div><dl>"
        + "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items())
        + "</dl></section>"
    )


def _shown(text: str) -> str:
    return escape(printable(text))


def _data(value: object) -> str:
    """Return JSON that is safe inside a script element: it cannot end the element or start a comment."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _source(text: str) -> str:
    """Return the content security policy source for one inline style or script."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _text(package: str, path: str) -> str:
    return files(package).joinpath(path).read_text(encoding="utf-8")


@click.command(
    epilog=examples(
        "quietmove-tournament report my.sqlite",
        "quietmove-tournament report my.sqlite -o page.html --games 100",
    ),
)
@store_argument
@own_game_option
@click.option("--output", "-o", type=STORE, help="The HTML file.  [default: the store's name with .html]")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@number_option("--games", MOST_GAMES, "Number of games to include for replay; each takes about 2 kB.", 0, 100_000)
@notation_option
def report(
    store: Path,
    output: Path | None,
    force: bool,
    games: int,
    notation: str | None,
) -> None:
    """Write STORE as one HTML file: the result, all tables and charts, and games to replay.

    The file is self-contained and needs no server or network. The tournament may still be running.
    """
    target = output or Path(f"{store.stem}.html")
    with Store.open_to_read(store) as opened:
        found = document(opened.tournament, opened.results(), opened.times())
        require_free([target], [store], force)
        text = html_report(opened, found, games, notation)
    with written_whole([target], GameFileError) as (file,):
        file.write(text.encode("utf-8", errors="backslashreplace"))
    click.echo(f"{target}: {len(text) / 1e6:.1f} MB", err=True)
