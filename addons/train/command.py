"""``quietmove train``: train an evaluation's weights from games. Each step is a module, listed below."""

from __future__ import annotations

import importlib.util

import click

from quietmove.engine.common.command_line import LazyGroup, examples
from quietmove.engine.common.origin import install_command

STEPS = {  # in the order of training
    "selfplay": ("quietmove.addons.train.selfplay:selfplay", "Play training games."),
    "label": ("quietmove.addons.train.label:label", "Label positions with values."),
    "fit": ("quietmove.addons.train.fit_command:fit", "Fit weights to positions."),
    "calibrate": ("quietmove.addons.train.calibrate:calibrate", "Calibrate a network's constants."),
    "probcut": ("quietmove.addons.train.probcut:probcut", "Fit the parameters of ProbCut."),
    "puzzles": ("quietmove.addons.train.puzzles:puzzles", "Create endgame puzzles."),
    "check": ("quietmove.addons.train.check:check", "Check a file of positions, games or weights."),
}


class NumpyGroup(LazyGroup):
    """A group of commands that need numpy, an optional dependency."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in STEPS and importlib.util.find_spec("numpy") is None:
            raise click.UsageError(f"train needs numpy: {install_command('train')}")
        return super().get_command(ctx, cmd_name)


train = NumpyGroup(
    "train",
    places=STEPS,
    help="Train weights for Othello's evaluations: play games, label positions, fit weights, check files.",
    epilog=examples(
        "quietmove train selfplay games.pos --games 1000",
        "quietmove train label labelled.pos games.pos --weights first.weights",
        "quietmove train fit my.weights labelled.pos",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
)
