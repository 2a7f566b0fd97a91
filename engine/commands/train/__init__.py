"""``quietmove train``: from games to the weights of the learnt evaluation; one row and one file per step."""

from __future__ import annotations

from quietmove.command_help import examples
from quietmove.lazy_group import LazyGroup

__all__ = ["train"]

STEPS = {  # in the order in which they are used
    "selfplay": "quietmove.engine.commands.train.selfplay:selfplay",
    "label": "quietmove.engine.commands.train.label:label",
    "fit": "quietmove.engine.commands.train.fit:fit",
    "probcut": "quietmove.engine.commands.train.probcut:probcut",
    "check": "quietmove.engine.commands.train.check:check",
}

train = LazyGroup(
    "train",
    places=STEPS,
    help="Make weights for the learnt evaluation of Othello: play games, label positions, fit, check the files.",
    short_help="Make weights for the learnt evaluation of Othello.",
    epilog=examples(
        "quietmove train selfplay games.pos --games 1000",
        "quietmove train label labelled.pos games.pos --weights first.weights",
        "quietmove train fit my.weights labelled.pos",
    ),
    context_settings={"help_option_names": ["-h", "--help"]},
)
