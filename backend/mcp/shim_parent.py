"""Notices that the program that started this one is gone, without asking again and again."""

import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable

_POLL_SECONDS = 2.0


def watch_parent(on_gone: Callable[[], None]) -> None:
    """Call `on_gone` from a thread of its own once the present parent has ended."""
    parent = os.getppid()
    threading.Thread(
        target=_watch, args=(parent, on_gone), name="parent watch", daemon=True
    ).start()


def _watch(parent: int, on_gone: Callable[[], None]) -> None:
    _wait_for_end(parent)
    on_gone()


def _wait_for_end(parent: int) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "linux":
            _wait_linux(parent)
        elif sys.platform == "darwin":
            _wait_darwin(parent)
        elif sys.platform == "win32":
            _wait_windows(parent)
    if sys.platform != "win32":
        # Also the way for systems and sandboxes that refuse the calls above.
        pause = threading.Event()
        while os.getppid() == parent:
            pause.wait(_POLL_SECONDS)


if sys.platform == "linux":

    def _wait_linux(parent: int) -> None:
        descriptor = os.pidfd_open(parent)
        try:
            if os.getppid() == parent:
                select.select([descriptor], [], [])
        finally:
            os.close(descriptor)


if sys.platform == "darwin":

    def _wait_darwin(parent: int) -> None:
        queue = select.kqueue()
        event = select.kevent(parent, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        try:
            queue.control([event], 0)
            if os.getppid() == parent:
                queue.control(None, 1)
        finally:
            queue.close()


if sys.platform == "win32":

    def _wait_windows(parent: int) -> None:
        import ctypes

        synchronize, for_ever = 0x00100000, 0xFFFFFFFF
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = kernel.OpenProcess(synchronize, 0, parent)
        if handle:
            kernel.WaitForSingleObject(ctypes.c_void_p(handle), for_ever)
        else:
            threading.Event().wait()
