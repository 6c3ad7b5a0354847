"""Everything that is painted."""
