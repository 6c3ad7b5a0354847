"""The headless half: no Qt anywhere below this package."""
