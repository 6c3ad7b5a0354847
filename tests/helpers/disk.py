"""A small disk of its own, to be filled or broken; the faults are the system's own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_BLOCKS = (1 << 16, 1 << 12, 1)


class SmallDisk:
    """Mounted at `root`. `fill` leaves not one byte, `make_room` gives all of it back."""

    def __init__(self, root: Path, image: Path | None = None) -> None:
        self.root = root
        self._image = image
        self._filler = root / "filler"

    def fill(self, *, leave: int = 0) -> None:
        """Take every byte that is free, but `leave` of them."""
        with self._filler.open("ab", buffering=0) as file:
            for size in _BLOCKS:
                with suppress(OSError):
                    while file.write(bytes(size)):
                        pass
        if leave:
            os.truncate(self._filler, max(0, self._filler.stat().st_size - leave))

    def make_room(self) -> None:
        self._filler.unlink(missing_ok=True)

    def fail(self) -> None:
        """What a kernel does with a file system it no longer trusts: read-only, at once."""
        _run("mount", "-o", "remount,abort", self.root)

    def mount_again(self) -> None:
        """After `fail`: as after a repair and a restart of the machine."""
        assert self._image is not None
        _run("umount", self.root)
        _run("mount", "-o", "loop", self._image, self.root)


@contextmanager
def memory_disk(folder: Path, *, mib: int = 8) -> Iterator[SmallDisk]:
    """A disk in memory, gone afterwards."""
    with _mounted(folder, "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs"):
        yield SmallDisk(folder)


@contextmanager
def real_disk(folder: Path, *, mib: int = 32) -> Iterator[SmallDisk]:
    """A disk in a file, with a file system that can become read-only under open files."""
    image = folder.with_name(f"{folder.name}.image")
    with image.open("wb") as file:
        file.truncate(mib << 20)
    _run("mkfs.ext4", "-q", "-F", image)
    try:
        with _mounted(folder, "-o", "loop", image):
            yield SmallDisk(folder, image)
    finally:
        image.unlink()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder, or the file, as on a disk that is mounted read-only, also for root."""
    with _mounted(folder, "--bind", folder):
        _run("mount", "-o", "remount,bind,ro", folder)
        yield


@contextmanager
def _mounted(folder: Path, *arguments: object) -> Iterator[None]:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("a disk of its own can be mounted by root on Linux only")
    if not folder.exists():
        folder.mkdir()
    _run("mount", *arguments, folder)
    try:
        yield
    finally:
        # What still has a file open there keeps the disk until it ends; its place is free at once.
        _run("umount", "--lazy", folder)


def _run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
