"""``quietmove train``: from games to the weights of an evaluation; one row and one file per step."""

from __future__ import annotations

import importlib.util

import click

from quietmove.engine.common.command_line import LazyGroup, examples

STEPS = {  # training goes through them in this order
    "selfplay": ("quietmove.addons.train.selfplay:selfplay", "Play games for training."),
    "label": ("quietmove.addons.train.label:label", "Give positions their values."),
    "fit": ("quietmove.addons.train.fit_command:fit", "Fit weights to positions."),
    "calibrate": ("quietmove.addons.train.calibrate:calibrate", "Set the constants of a network."),
    "probcut": ("quietmove.addons.train.probcut:probcut", "Fit the parameters of ProbCut."),
    "puzzles": ("quietmove.addons.train.puzzles:puzzles", "Make endgames to practise."),
    "check": ("quietmove.addons.train.check:check", "Check a file of positions, games or weights."),
}


class NumpyGroup(LazyGroup):
    """Commands that need numpy, which an extra of the package brings."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in STEPS and importlib.util.find_spec("numpy") is None:
            raise click.UsageError("train: numpy is not installed; pip install numpy brings it")
        return super().get_command(ctx, cmd_name)


train = NumpyGroup(
    "train",
    places=STEPS,
    help="Make weights for the evaluations of Othello: play games, label positions, fit, check the files.",
    epilog=examples(
        "quietmove train selfplay games.pos --games 1000",
        "quietmove train label labelled.pos games.pos --weights first.weights",
        "quietmove train fit my.weights labelled.pos",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
)
