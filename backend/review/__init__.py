"""Requests of agents to do something: asked, decided once, told at most once."""
