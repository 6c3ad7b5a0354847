"""The loopback HTTP door."""
