"""How the games of a tournament are played, and watched in a terminal."""
