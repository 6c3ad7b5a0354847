"""MCP servers behind this desk: their tools, each call under its policy, run at most once."""
