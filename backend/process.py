"""Other processes of this machine, by number. Standard library only."""

import os
import sys


def process_lives(pid: int) -> bool:
    """Whether one of our own processes has this id."""
    if sys.platform == "win32":
        return _lives_on_windows(pid)
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return pid > 0


if sys.platform == "win32":

    def _lives_on_windows(pid: int) -> bool:
        """A signal of zero, the way of POSIX, would end the process here."""
        import ctypes

        query, still_active = 0x1000, 259
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(kernel.OpenProcess(query, 0, pid))
        if not handle:
            return False
        code = ctypes.c_ulong()
        found = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return bool(found) and code.value == still_active
