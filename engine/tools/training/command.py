"""``quietmove train``: from games to the weights of the learnt evaluation; one row and one file per step."""

from __future__ import annotations

from quietmove.command_help import examples
from quietmove.lazy_group import LazyGroup

__all__ = ["train"]

STEPS = {  # in the order in which they are used
    "selfplay": "quietmove.engine.tools.training.selfplay_command:selfplay",
    "label": "quietmove.engine.tools.training.label_command:label",
    "fit": "quietmove.engine.tools.training.fit_command:fit",
    "probcut": "quietmove.engine.tools.training.probcut_command:probcut",
    "check": "quietmove.engine.tools.training.check_command:check",
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
