"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.addons.runner.author:author_pages",),
    commands={
        "quietmove-tournament": {
            "report": (
                "quietmove.addons.runner.report.page:report",
                "Write a page with everything, for a browser.",
            ),
            "serve": (
                "quietmove.addons.runner.commands:serve",
                "Run tournaments in the browser.",
            ),
        },
    },
)
