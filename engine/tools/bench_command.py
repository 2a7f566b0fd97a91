"""``quietmove bench``: the signature of the search, and what an ordering is worth."""

from __future__ import annotations

import click

from quietmove.command_help import examples

__all__ = ["bench"]


@click.command(
    short_help="Print the signature of the search.", epilog=examples("quietmove bench", "quietmove bench --orderings")
)
@click.option("--depth", type=click.IntRange(1, 60), metavar="N", help="Depth of each search.")
@click.option("--orderings", is_flag=True, help="Compare the orderings on the start position instead, to depth 10.")
def bench(depth: int | None, orderings: bool) -> None:
    """Search a fixed set of positions; the node count is the signature of the search."""
    from quietmove.engine.tools import bench as work

    if orderings:
        compare_orderings(depth or 10)
        return
    report = work.run(depth or work.DEPTH)
    click.echo(f"{report.nodes} nodes, {report.nodes_per_second} nodes a second")
    click.echo(f"Bench: {report.nodes}")


def compare_orderings(depth: int) -> None:
    """Print how many nodes each ordering takes from the start position to ``depth``, beside those of no ordering."""
    from quietmove.engine.search.ordering import ORDERINGS
    from quietmove.engine.tools import bench as work
    from quietmove.engine.values import Settings

    click.echo(f"from the start position to depth {depth}:")
    plain = 0
    for ordering in ORDERINGS:
        nodes = work.run(depth, Settings(ordering=ordering), work.POSITIONS[:1]).nodes
        plain = plain or nodes
        click.echo(f"{ordering:>10} {nodes:>12} nodes {plain / nodes:>6.1f} times fewer than none")
