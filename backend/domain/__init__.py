"""Pure values and rules: no await, no I/O, no clock."""
