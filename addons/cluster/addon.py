"""The add-on's registration."""

from quietmove.engine.common.addons import Addon

ADDON = Addon(
    needs={"cluster": "tournaments on several machines"},
    hooks={"cluster": "quietmove.addons.cluster.backends:open_cluster"},
)
