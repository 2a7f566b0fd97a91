"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    games={
        "capture": "quietmove.addons.games.capture:make_game",
        "einstein": "quietmove.addons.games.einstein.game:make_game",
        "nim": "quietmove.addons.games.nim:make_game",
        "subtraction": "quietmove.addons.games.subtraction:make_game",
        "tree": "quietmove.addons.games.tree.game:make_game",
        "whist": "quietmove.addons.games.whist.game:make_game",
    },
)
