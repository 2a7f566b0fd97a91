"""Tools built on the engine: analysis, conversion and measurement. The protocol imports none of them."""
