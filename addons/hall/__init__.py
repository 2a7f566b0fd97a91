"""The class server."""
