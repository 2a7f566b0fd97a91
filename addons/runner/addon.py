"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    pages=("quietmove.tournament.hall.author:author_pages",),
    commands={
        "quietmove-tournament": {
            "report": (
                "quietmove.tournament.report_page.page:report",
                "Write a page with everything, for a browser.",
            ),
            "serve": (
                "quietmove.tournament.hall.commands:serve",
                "Run tournaments in the browser.",
            ),
        },
    },
)
