"""Tokens and keys in owner-only files. Standard library only."""

import secrets
from pathlib import Path

from backend.private_file import create_private, read_private, unsafe_file

_BYTES = 32


def read_or_create_secret(path: Path) -> str:
    """The secret in `path`; a fresh one of 256 bits when there is no such file.

    Two processes that create it at once end up with the same secret.

    Raises:
        StorageFailed: it is a link, not a file, of another user, or empty.
    """
    try:
        return read_secret(path)
    except FileNotFoundError:
        create_private(path, secrets.token_urlsafe(_BYTES))
        return read_secret(path)


def read_secret(path: Path) -> str:
    """The secret in `path`; a file others can read is mended first, with a warning.

    Raises:
        FileNotFoundError: there is none.
        StorageFailed: as in `read_or_create_secret`.
    """
    text = read_private(path).strip()
    if not text:
        raise unsafe_file(path, "is empty; delete it to get a new one")
    return text
