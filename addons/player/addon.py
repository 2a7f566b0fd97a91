"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    dialects={"player": ("quietmove.addons.player.dialect:Player", "The lines of a course's player: I B, R B, B d 3.")},
    seats={"player": "quietmove.addons.player.seat:PlayerSeat"},
)
