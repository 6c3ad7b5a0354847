"""Secrets of other programs in the system's keyring. The plugin is loaded at the first use.

What answers is a plugin of the system or of the user: whatever it raises ends in its thread.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Protocol, TypeVar

from backend.errors import ErrorCode, StorageFailed

T = TypeVar("T")

SERVICE: Final = "kandesk"
PATIENCE: Final = 60.0
"""Seconds for a human who is asked to unlock the keyring."""


class SecretStore(Protocol):
    """Where values are kept that are never shown again; `account` names one."""

    async def get(self, account: str) -> str | None:
        """None where there is none.

        Raises:
            StorageFailed: the keyring cannot be read.
        """
        ...

    async def put(self, account: str, value: str) -> None:
        """Raises `StorageFailed`: it cannot be kept."""
        ...

    async def drop(self, account: str) -> None:
        """Nothing when there is none. Raises `StorageFailed`."""
        ...


class SystemKeyring:
    """Implements `SecretStore`."""

    async def get(self, account: str) -> str | None:
        return await _ask(lambda keyring: keyring.get_password(SERVICE, account))

    async def put(self, account: str, value: str) -> None:
        await _ask(lambda keyring: keyring.set_password(SERVICE, account, value))

    async def drop(self, account: str) -> None:
        def delete(keyring: Any) -> None:
            if keyring.get_password(SERVICE, account) is not None:
                keyring.delete_password(SERVICE, account)

        await _ask(delete)


async def _ask(question: Callable[[Any], T]) -> T:
    """Asks on a thread of its own, which may wait for its human longer than anybody here does."""
    plugin = ThreadPoolExecutor(1, "keyring")
    answer: Future[T] = plugin.submit(_load_and_ask, question)
    plugin.shutdown(wait=False)
    told = asyncio.wrap_future(answer)
    await asyncio.wait({told}, timeout=PATIENCE)
    if not told.done():
        told.cancel()
        raise _failed("it did not answer")
    failure = told.exception()
    if failure is not None:
        raise _failed(f"{type(failure).__name__}: {failure}") from failure
    return told.result()


def _load_and_ask(question: Callable[[Any], T]) -> T:
    import keyring

    return question(keyring)


def _failed(why: str) -> StorageFailed:
    line = " ".join(why.split())[:300]
    return StorageFailed(ErrorCode.SECRETS_UNAVAILABLE, f"the keyring cannot be used: {line}")
