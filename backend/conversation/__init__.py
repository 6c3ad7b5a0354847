"""Sessions with agents this desk runs: admission, queue, turns and dispatch."""
