"""The Model Context Protocol door."""
