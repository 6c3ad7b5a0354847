"""`--screenshot FILE`: a picture of the settled window, then the end of the program."""

import asyncio
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QWidget

from app.timers import deadline
from app.viewmodels.desk import DeskViewModel

_SECONDS: Final = 30.0
_POLL: Final = 0.05
_SETTLE: Final = 0.4
"""Layout, fonts and the card's first frame need a moment after the last event."""


class ScreenshotFailed(Exception):
    """One line about why there is no picture."""


async def take_screenshot(
    window: QWidget, desk: DeskViewModel, overlay: QWidget, target: Path, *, demo: bool
) -> None:
    """Wait until the lists are filled, for the demo until its question shows; then save.

    Raises:
        ScreenshotFailed: the window did not settle, or the file cannot be written.
    """
    try:
        async with deadline(_SECONDS):
            # No one signal says that a window has settled.
            while not _settled(desk, overlay, demo=demo):  # noqa: ASYNC110
                await asyncio.sleep(_POLL)
            await asyncio.sleep(_SETTLE)
    except TimeoutError as error:
        message = f"the window did not settle within {_SECONDS:.0f} s"
        raise ScreenshotFailed(message) from error
    if not window.grab().save(str(target)):
        message = f"the picture cannot be written to {target}"
        raise ScreenshotFailed(message)


def _settled(desk: DeskViewModel, overlay: QWidget, *, demo: bool) -> bool:
    if not desk.settled:
        return False
    return not demo or (overlay.isVisible() and bool(desk.transcript.rows))
