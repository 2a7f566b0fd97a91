"""Classes and clubs: people hand in programs, which are compiled, checked and played against each other."""
