"""`kandesk serve` whose first claim stands still inside its transaction; run as a child process.

usage: python -m tests.flows.faults.desk_that_pauses FOLDER [OPTIONS OF SERVE]

The file `reached` appears in FOLDER when the claim has begun; it goes on once `go` is there.
"""

import sys
import time
from pathlib import Path
from typing import Any

from app.launch import main
from backend.store import claims

_claim = claims.claim


async def paused_claim(*args: Any, **kwargs: Any) -> bool:
    reached = folder / "reached"
    if not reached.exists():
        reached.touch()
        while not (folder / "go").exists():
            # It runs on the thread of the connection.
            time.sleep(0.01)  # noqa: ASYNC251
    return await _claim(*args, **kwargs)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    claims.claim = paused_claim
    sys.exit(main(["serve", *sys.argv[2:]]))
