"""The backend's thread ends whenever it is told to, however early (product.md, Commands)."""

import asyncio
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.bridge.backend_thread import BackendThread
from app.bridge.client import BackendClient
from backend.paths import Home
from backend.store.owner_lock import OwnerLock


async def test_a_thread_that_is_told_to_stop_while_it_starts_does(
    qapp: QApplication, tmp_path: Path
) -> None:
    """A program that is quit in its first second must not wait for ever for its backend."""
    home = Home(tmp_path / "home")
    backend = BackendThread(home, BackendClient())
    backend.start()
    await asyncio.wait_for(backend.stop(), 20)
    assert OwnerLock.holder(home.database) is None
