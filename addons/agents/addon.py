"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    needs={"environments": "quietmove.environments", "mcp": "quietmove mcp"},
    commands={
        "quietmove": {
            "mcp": (
                "quietmove.addons.agents.mcp_command:mcp",
                "Serve the games to an assistant over the Model Context Protocol.",
            ),
        },
    },
)
