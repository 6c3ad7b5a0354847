"""Supervised background work."""
