"""The whole program with its window; Submit is pressed in it and it dies before the delivery.

usage: python -m tests.crash.window_that_dies HOME PROMPT
"""

import json
import os
import sys
from pathlib import Path

from tests.crash.desk_that_dies import die_before_delivery
from tests.helpers.live_window import live_window
from tests.helpers.qt_loop import qt_loop


async def press_submit(home: Path, prompt: str) -> None:
    async with live_window(home) as window:
        info = window.info
        hello = {
            "api": info.api_url,
            "mcp": info.mcp_url,
            "token_file": info.token_file,
            "pid": os.getpid(),
        }
        print(json.dumps(hello), flush=True)
        await window.shows_card(prompt)
        await window.click("optionButton_2")
        await window.click("submitAnswers")
        await window.shows("neverShown")


if __name__ == "__main__":
    die_before_delivery()
    loop = qt_loop()
    with loop:  # type: ignore[attr-defined]
        loop.run_until_complete(press_submit(Path(sys.argv[1]), sys.argv[2]))
