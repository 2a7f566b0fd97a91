"""The games database, the explorer, and conversion of other programs' opening books."""
