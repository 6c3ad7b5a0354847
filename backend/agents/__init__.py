"""Sessions of agents and how they are told apart."""
