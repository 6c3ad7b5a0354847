"""Shown state, without widgets."""
