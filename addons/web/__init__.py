"""The referee in a browser: games that are played, watched and replayed on a page of this machine."""
