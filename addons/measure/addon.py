"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    commands={
        "quietmove": {
            "suite": ("quietmove.addons.measure.suite:suite", "Search positions with known values, and compare."),
        },
        "quietmove-referee": {
            "bench": ("quietmove.addons.measure.referee_bench:bench", "Measure the referee's overhead on fast games."),
        },
        "quietmove-tournament": {
            "bench": ("quietmove.addons.measure.tournament_bench:bench", "Measure the coordinator."),
        },
    },
)
