"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.addons.runner.run_admin:run_admin_pages",),
    commands={
        "quietmove-tournament": {
            "queue": (
                "quietmove.addons.runner.commands:queue",
                "List the runs of a folder, or change their order.",
            ),
            "report": (
                "quietmove.addons.runner.report.page:report",
                "Write a tournament as an HTML page.",
            ),
            "serve": (
                "quietmove.addons.runner.commands:serve",
                "Run tournaments in the browser.",
            ),
        },
    },
)
