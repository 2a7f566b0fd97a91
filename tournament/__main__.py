"""``python -m tournament`` is ``quietmove-tournament``."""

from quietmove.tournament.cli import main

main()
