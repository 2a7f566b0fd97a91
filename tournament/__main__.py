"""``python -m quietmove.tournament`` runs ``quietmove-tournament``."""

from quietmove.engine.common.entry import end_quietly_when_interrupted

end_quietly_when_interrupted()  # before the imports below, which take a while

from quietmove.tournament.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
