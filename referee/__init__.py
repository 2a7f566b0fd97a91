"""The referee, which runs games between engine processes and applies the rules itself."""
