"""Tokens in files: owner-only, never through a link, one for everybody who asks."""

import logging
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from backend.errors import ErrorCode, StorageFailed
from backend.private_file import write_private
from backend.secrets import read_or_create_secret, read_secret

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners are POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_a_new_secret_is_long_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "token"
    secret = read_or_create_secret(path)
    assert len(secret) >= 43
    assert mode(path) == 0o600
    assert read_or_create_secret(path) == secret
    assert read_secret(path) == secret
    assert list(tmp_path.iterdir()) == [path]


def test_all_who_create_it_at_once_get_the_same_secret(tmp_path: Path) -> None:
    path, ready, found = tmp_path / "token", threading.Barrier(8), set()

    def create() -> None:
        ready.wait(10)
        found.add(read_or_create_secret(path))

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(found) == 1
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_a_file_others_can_read_is_mended_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "token"
    path.write_text("secret\n")
    path.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        assert read_secret(path) == "secret"
    assert mode(path) == 0o600
    assert str(path) in caplog.text
    assert "secret" not in caplog.text.replace("backend.secrets", "")


def test_what_cannot_be_trusted_is_refused(tmp_path: Path) -> None:
    real = tmp_path / "real"
    read_or_create_secret(real)
    link, folder, empty, binary = (tmp_path / name for name in ("link", "folder", "empty", "bin"))
    link.symlink_to(real)
    folder.mkdir()
    empty.write_text(" \n")
    binary.write_bytes(b"\xff\xfe")
    for path in (link, folder, empty, binary):
        with pytest.raises(StorageFailed) as refused:
            read_or_create_secret(path)
        assert refused.value.code is ErrorCode.FILE_UNSAFE
        assert str(path) in refused.value.detail


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs two users")
def test_the_file_of_another_user_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    read_or_create_secret(path)
    os.chown(path, 12345, 12345)
    with pytest.raises(StorageFailed, match="another user"):
        read_secret(path)


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "endpoint.json"
    target.mkdir()
    with pytest.raises(OSError, match="endpoint"):
        write_private(target, "text")
    assert list(tmp_path.iterdir()) == [target]
