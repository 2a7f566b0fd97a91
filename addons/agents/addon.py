"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    commands={
        "quietmove": {
            "mcp": (
                "quietmove.mcp_command:mcp",
                "Serve the games to an assistant, by the Model Context Protocol.",
            ),
        },
    },
)
