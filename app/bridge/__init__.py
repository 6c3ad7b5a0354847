"""Where the window meets the backend."""
