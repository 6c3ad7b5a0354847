"""What an agent, a call or a human has seen, on disk before anything else happens."""

import json
import os
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


class Journal:
    """Appends lines that survive a kill of the process that writes them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, who: str, what: str, **more: object) -> None:
        line = json.dumps({"who": who, "what": what, **more}) + "\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def read(self, who: str | None = None, *what: str) -> list[Entry]:
        """All entries, or those of `who`, or only some kinds of those; oldest first."""
        if not self.path.exists():
            return []
        lines = self.path.read_text("utf-8").splitlines()
        entries: list[Entry] = [json.loads(line) for line in lines]
        return [
            entry
            for entry in entries
            if (who is None or entry["who"] == who) and (not what or entry["what"] in what)
        ]
