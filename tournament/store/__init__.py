"""The file of a tournament: written, read and checked."""
