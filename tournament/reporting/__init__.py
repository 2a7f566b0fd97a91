"""Reports on a tournament: tables, a web page and exported games."""
