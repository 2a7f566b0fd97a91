"""``python -m quietmove.referee`` is ``quietmove-referee``."""

from quietmove.engine.common.entry import end_quietly_when_interrupted

end_quietly_when_interrupted()  # during the imports below

from quietmove.referee.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
