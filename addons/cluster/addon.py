"""What the add-on registers."""

from quietmove.common.addons import Addon

ADDON = Addon(
    hooks={"cluster": "quietmove.addons.cluster.places:open_cluster"},
)
