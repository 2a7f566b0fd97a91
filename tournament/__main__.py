"""``python -m tournament`` is ``quietmove-tournament``."""

from tournament.cli import main

main()
