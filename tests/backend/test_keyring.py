"""Secrets in the keyring, through the interface every backend of it has."""

import threading
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring
from keyring.errors import KeyringLocked, PasswordDeleteError

from backend import keyring_secrets
from backend.errors import ErrorCode, StorageFailed
from backend.keyring_secrets import SERVICE, SystemKeyring


class Chest(KeyringBackend):
    """Keeps what it is given in memory; `locked` refuses as one does that nobody unlocks."""

    priority = 1  # pyright: ignore[reportAssignmentType]

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._open()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError(username)

    def _open(self) -> None:
        if self.locked:
            message = "the user closed the prompt"
            raise KeyringLocked(message)


@pytest.fixture
def chest() -> Iterator[Chest]:
    before = keyring.get_keyring()
    chest = Chest()
    keyring.set_keyring(chest)
    yield chest
    keyring.set_keyring(before)


async def test_a_secret_is_kept_read_replaced_and_dropped(chest: Chest) -> None:
    secrets = SystemKeyring()
    assert await secrets.get("mcp/a/TOKEN") is None
    await secrets.put("mcp/a/TOKEN", "one")
    await secrets.put("mcp/a/TOKEN", "two 界")
    assert await secrets.get("mcp/a/TOKEN") == "two 界"
    assert chest.kept == {(SERVICE, "mcp/a/TOKEN"): "two 界"}
    await secrets.drop("mcp/a/TOKEN")
    await secrets.drop("mcp/a/TOKEN")
    assert chest.kept == {}


async def test_a_keyring_nobody_unlocks_is_a_failure_with_its_reason(chest: Chest) -> None:
    chest.locked = True
    secrets = SystemKeyring()
    for deed in (secrets.get("a"), secrets.put("a", "value"), secrets.drop("a")):
        with pytest.raises(StorageFailed) as failed:
            await deed
        assert failed.value.code is ErrorCode.SECRETS_UNAVAILABLE
        assert "closed the prompt" in failed.value.detail
        assert "value" not in failed.value.detail


async def test_where_no_keyring_is_it_says_so() -> None:
    """The library's own answer on a machine without one."""

    before = keyring.get_keyring()
    keyring.set_keyring(Keyring())  # type: ignore[no-untyped-call]
    try:
        with pytest.raises(StorageFailed, match="keyring"):
            await SystemKeyring().put("a", "value")
    finally:
        keyring.set_keyring(before)


async def test_a_keyring_that_does_not_answer_is_given_up(
    chest: Chest, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    monkeypatch.setattr(keyring_secrets, "PATIENCE", 0.05)
    monkeypatch.setattr(chest, "get_password", lambda *_: asked.wait(5))
    try:
        with pytest.raises(StorageFailed, match="did not answer"):
            await SystemKeyring().get("a")
    finally:
        asked.set()
