"""An add-on that runs tournaments from the browser, and writes HTML reports on them."""
