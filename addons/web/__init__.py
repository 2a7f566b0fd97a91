"""The referee in a browser: play, watch and replay games on a page served by this machine."""
