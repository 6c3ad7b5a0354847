import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backend.errors import ErrorCode, StorageFailed
from backend.store.owner_lock import LockHolder, OwnerLock, network_file_system

HOLD = """
import sys
from pathlib import Path
from backend.store.owner_lock import OwnerLock
lock = OwnerLock.acquire(Path(sys.argv[1]), kind="serve")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_owner(path: Path) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def refused(path: Path) -> StorageFailed:
    with pytest.raises(StorageFailed) as caught:
        OwnerLock.acquire(path, kind="window")
    return caught.value


def test_the_lock_of_another_program_names_it(path: Path) -> None:
    """product.md: exit 1 naming the pid."""
    with another_owner(path) as process:
        error = refused(path)
        assert error.code is ErrorCode.STORE_OWNED
        assert error.params["pid"] == process.pid
        assert error.params["kind"] == "serve"
        assert error.params["host"]
        assert error.params["since"]
        assert f"process {process.pid} (serve) on {error.params['host']}" in error.detail
        holder = OwnerLock.holder(path)
        assert holder is not None
        assert (holder.pid, holder.kind) == (process.pid, "serve")


def test_an_owner_of_whom_little_is_known_is_told_without_inventing_the_rest() -> None:
    """The text of a lock may not be written yet, and a role may not see who holds it."""
    error = LockHolder(7, "", "", "").refusal("here")
    assert error.detail == "the store here is in use by process 7 (unknown)"
    assert error.params == {"pid": 7, "host": "", "since": "", "kind": ""}


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links cannot be told on this system")
def test_a_lock_that_is_a_link_is_refused_and_its_target_left_alone(path: Path) -> None:
    document = path.with_name("letter.txt")
    document.write_text("dear reader")
    Path(f"{path}.lock").symlink_to(document)
    assert refused(path).code is ErrorCode.STORE_UNREACHABLE
    assert document.read_text() == "dear reader"


def test_a_lock_is_free_once_its_owner_was_killed(path: Path) -> None:
    with another_owner(path) as process:
        process.kill()
        process.wait()
        assert OwnerLock.holder(path) is None
        OwnerLock.acquire(path, kind="window").release()


def test_a_lock_is_held_by_one_even_within_a_program(path: Path) -> None:
    lock = OwnerLock.acquire(path, kind="window")
    assert refused(path).code is ErrorCode.STORE_OWNED
    lock.release()
    lock.release()
    OwnerLock.acquire(path, kind="command").release()


def test_nobody_holds_a_lock_that_was_never_taken(path: Path) -> None:
    assert OwnerLock.holder(path) is None
    assert not list(path.parent.iterdir())


def test_the_lock_follows_the_real_file(path: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real", target_is_directory=True)
    lock = OwnerLock.acquire(link / path.name, kind="window")
    assert refused(tmp_path / "real" / path.name).code is ErrorCode.STORE_OWNED
    lock.release()


def test_the_file_says_who_holds_it_to_its_owner_only(path: Path) -> None:
    lock = OwnerLock.acquire(path, kind="window")
    file = Path(f"{path}.lock")
    assert json.loads(file.read_text())["kind"] == "window"
    assert file.stat().st_mode & 0o077 == 0
    lock.release()
    assert file.read_text() == ""


def test_an_owner_that_has_not_written_its_name_yet_is_still_an_owner(path: Path) -> None:
    lock = OwnerLock.acquire(path, kind="window")
    Path(f"{path}.lock").write_text("")
    assert refused(path).params["pid"] == 0
    assert OwnerLock.holder(path) is not None
    lock.release()


def test_a_folder_that_cannot_hold_the_lock_is_said(tmp_path: Path) -> None:
    assert refused(tmp_path / "none" / "kandesk.db").code is ErrorCode.STORE_UNREACHABLE


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("/home/me/kandesk.db.lock", ""),
        ("/home/me/share/kandesk.db.lock", "nfs4"),
        ("/home/me/my disk/kandesk.db.lock", "cifs"),
        ("/home/me/share2/kandesk.db.lock", ""),
    ],
)
def test_a_network_file_system_is_known_by_its_mount(
    tmp_path: Path, place: str, expected: str
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\n"
        "server:/x /home/me/share nfs4 rw 0 0\n"
        "//server/y /home/me/my\\040disk cifs rw 0 0\n"
        "odd line\n"
    )
    assert network_file_system(Path(place), mounts) == expected


def test_a_store_on_a_network_is_refused_before_anything_is_made(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.store.owner_lock.network_file_system", lambda _: "nfs")
    error = refused(path)
    assert error.code is ErrorCode.STORE_ON_NETWORK
    assert not list(path.parent.iterdir())


def test_without_a_list_of_mounts_every_place_counts_as_local(tmp_path: Path) -> None:
    assert network_file_system(tmp_path, tmp_path / "none") == ""


def test_a_sandbox_whose_whole_disk_is_shared_counts_as_local(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("none / 9p rw 0 0\nC: /mnt/c 9p rw 0 0\n")
    assert network_file_system(Path("/home/me/kandesk.db.lock"), mounts) == ""
    assert network_file_system(Path("/mnt/c/kandesk.db.lock"), mounts) == "9p"


def test_a_lock_whose_file_was_deleted_is_made_again_or_its_next_owner_is_named(path: Path) -> None:
    lock = OwnerLock.acquire(path, kind="serve")
    file = Path(f"{path}.lock")
    lock.check()
    file.unlink()
    lock.check()
    assert refused(path).params["pid"] == os.getpid()
    file.unlink()
    with another_owner(path) as process:
        with pytest.raises(StorageFailed) as caught:
            lock.check()
        assert caught.value.code is ErrorCode.STORE_OWNED
        assert caught.value.params["pid"] == process.pid
    lock.release()


def test_links_in_a_circle_are_refused(path: Path) -> None:
    path.symlink_to(path)
    assert refused(path).code is ErrorCode.STORE_UNREACHABLE
