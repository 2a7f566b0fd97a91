"""Code that several add-ons share: endgame files, work files and the searches of training commands."""
