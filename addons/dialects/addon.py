"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    dialects={
        "nboard": ("quietmove.addons.dialects.nboard:NBoard", "The protocol of the NBoard program."),
        "gtp": ("quietmove.addons.dialects.gtp:Gtp", "GTP 2 with GoGui's rules extension."),
    },
    seats={
        "gtp": "quietmove.addons.dialects.gtp_seat:GtpSeat",
        "nboard": "quietmove.addons.dialects.nboard_seat:NBoardSeat",
    },
    hooks={
        "check gtp": "quietmove.addons.dialects.gtp_checks:PROTOCOL",
        "check nboard": "quietmove.addons.dialects.nboard_checks:PROTOCOL",
    },
)
