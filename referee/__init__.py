"""The referee: games between engine processes, judged by rules it knows itself."""
