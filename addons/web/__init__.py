"""The web server and the page Play."""
