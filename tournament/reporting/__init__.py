"""What a tournament says afterwards: tables, a page, files of games."""
