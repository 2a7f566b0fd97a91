"""`quietmove-tournament verify`."""

from __future__ import annotations

from pathlib import Path

import click

from quietmove.command_help import examples
from quietmove.engine.printable import printable
from quietmove.tournament.running.options import store_argument
from quietmove.tournament.store.store import Store
from quietmove.tournament.store.verify import verify as faults_of

__all__ = ["verify"]

EXIT_FAULT = 1


@click.command(
    epilog=examples("quietmove-tournament verify my.sqlite"),
)
@store_argument
def verify(store: Path) -> int:
    """Check everything in STORE that follows from something else, and print a line for each fault.

    Each game is played again by the rules: its opening, its moves, dice and deals, its clocks, its verdict and its
    score. The columns that the table is counted from are compared with the records, the games with those that the
    format asks for. What only the engines know is not checked: the times themselves, and what they claimed.

    The exit status is 0 if there is no fault, 1 if there is one, 2 if STORE cannot be read.
    """
    faults = 0
    with Store.open_to_read(store) as opened:
        for fault in faults_of(opened):
            faults += 1
            click.echo(printable(fault))
        count = opened.count()
    found = "no fault" if not faults else f"{faults} fault{'s' * (faults > 1)}"
    click.echo(printable(f"{store}: {count} games, {found}"))
    return EXIT_FAULT if faults else 0
