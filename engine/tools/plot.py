"""The option ``--plot``, and figures drawn with matplotlib, which is imported on demand."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from quietmove.engine.common.origin import install_command

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")
WIDTH, HEIGHT = 7.0, 4.8  # inches
DOTS = 150  # resolution of a PNG, in pixels per inch
LETTERS_ACROSS = 92  # characters that fit across a figure of this width


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def require_plots(ctx: click.Context, param: click.Parameter, path: Path | None) -> Path | None:
    """Check that the figure for ``--plot`` can be written to ``path``, and return the path."""
    if path is None:
        return None
    if path.suffix.lower() not in FORMATS:
        raise click.UsageError(f"--plot: must be a file ending in {' or '.join(FORMATS)}, not {str(path)!r}")
    if not path.parent.is_dir():
        raise click.UsageError(f"--plot: the folder {str(path.parent)!r} does not exist")
    if not has_matplotlib():
        raise click.UsageError(f"--plot needs matplotlib: {install_command('plots')}")
    return path


plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path),
    callback=require_plots,
    metavar="FILE",
    help="Draw a figure to FILE, which must end in .svg or .png.",
)


@contextmanager
def figure(file: Path | BinaryIO, kind: str, name: str, title: str, width: float = WIDTH) -> Iterator[Figure]:
    """Open a figure, and save it as ``svg`` or ``png`` at the end of the block. The output is reproducible.

    :param name: the kind of figure; the identifiers in an SVG file depend on it.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": name, "font.size": 10, "axes.axisbelow": True}):
        canvas = Figure(figsize=(width, HEIGHT), layout="constrained")
        yield canvas
        canvas.suptitle(textwrap.fill(title, round(LETTERS_ACROSS * width / WIDTH)), fontsize="medium")
        canvas.savefig(file, format=kind, dpi=DOTS, metadata={"Date": None} if kind == "svg" else {"Software": None})


@contextmanager
def figure_in(path: Path, name: str, title: str, width: float = WIDTH) -> Iterator[Figure]:
    """Open a figure for the path given for ``--plot``, as :func:`figure` does.

    :raises click.UsageError: if the file cannot be written.
    """
    try:
        with figure(path, path.suffix.lower().removeprefix("."), name, title, width) as opened:
            yield opened
    except OSError as error:
        raise click.UsageError(f"--plot: {path}: {error.strerror or error}") from None
