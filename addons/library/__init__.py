"""The games database, the explorer page, and opening books, including those of other programs."""
