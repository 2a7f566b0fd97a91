"""An add-on with a command and a page: a coin decides who plays Black."""

import random
from pathlib import Path

import click

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    commands={"quietmove": {"toss": ("quietmove_toss:toss", "Toss a coin for Black.")}},
    pages=("quietmove_toss:toss_page",),
)


@click.command()
def toss():
    """Toss a coin for Black."""
    click.echo(random.choice(("heads", "tails")))


def toss_page(server):
    from quietmove.addons.web.pages import AddedPages  # a command should not load the web server
    from quietmove.addons.web.routes import Role, Row

    async def answer(request):
        return {"side": random.choice(("heads", "tails"))}

    rows = [Row("GET", "/api/toss", answer, Role.PLAYER)]  # the minimum role
    return AddedPages("/toss", "Toss", "toss", Path(__file__).parent / "static", rows)
