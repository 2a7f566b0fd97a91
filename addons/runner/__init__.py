"""Running tournaments from the browser, and HTML reports on them."""
