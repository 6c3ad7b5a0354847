"""`<home>/desk.toml`: what a person may set for a desk. Absent means the defaults.

[store]
database = "postgresql://user@host:5432/name?sslmode=verify-full"

[questions]
expire_after = "30m"
"""

import os
import re
import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from backend.errors import ErrorCode, InvalidInput
from backend.paths import Home
from backend.private_file import unsafe_file
from backend.store.store_location import check_address

MIN_EXPIRY: Final = 5 * 60
MAX_EXPIRY: Final = 24 * 60 * 60
"""Seconds; clarification.md, improvement 12."""
_MAX_BYTES: Final = 65_536
_KEYS: Final = {"store": ("database",), "questions": ("expire_after",)}
_DURATION: Final = re.compile(r"([0-9]{1,6})([smh])")
_UNITS: Final = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class DeskFile:
    """The settings of a desk, checked."""

    database: str = ""
    """The address of a database on a server; empty means the file in the home."""
    expire_after: float | None = None
    """Seconds after which a question expires; None means never."""


def read_desk_file(home: Home) -> DeskFile:
    """The settings of this home. Changes nothing.

    Raises:
        InvalidInput: `setting_invalid`: one line names the file, the key and the limit.
        StorageFailed: `file_unsafe`: it is a link, or others may write it.
    """
    path = home.desk_toml
    text = _read(path)
    if text is None:
        return DeskFile()
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "nested too deep"
        _refuse(path, "", f"is not TOML: {reason}")
    _check_keys(path, found)
    database = _text(path, found, "store", "database")
    expiry = _text(path, found, "questions", "expire_after")
    return DeskFile(database=_address(path, database), expire_after=_duration(path, expiry))


def _address(path: Path, database: str | None) -> str:
    if database is None:
        return ""
    return check_address(database, source=f"{path}: [store] database")


def _duration(path: Path, expiry: str | None) -> float | None:
    if expiry is None:
        return None
    match = _DURATION.fullmatch(expiry)
    if match is None:
        _refuse(path, "[questions] expire_after", 'must be a number with s, m or h, as in "30m"')
    seconds = int(match[1]) * _UNITS[match[2]]
    if not MIN_EXPIRY <= seconds <= MAX_EXPIRY:
        _refuse(
            path, "[questions] expire_after", "must be between 5m and 24h; leave it out for never"
        )
    return float(seconds)


def _read(path: Path) -> str | None:
    """The text, or None where there is no file; never through a link."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        _refuse(path, "", f"cannot be read: {error.strerror}")
    if stat.S_ISLNK(found.st_mode):
        raise unsafe_file(path, "is a symbolic link")
    if not stat.S_ISREG(found.st_mode):
        raise unsafe_file(path, "is not a file")
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            _check_owner(path, os.fstat(file.fileno()))
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        _refuse(path, "", f"cannot be read: {error.strerror}")
    if len(data) > _MAX_BYTES:
        _refuse(path, "", f"has more than {_MAX_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        _refuse(path, "", "is not UTF-8 text")


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Whoever can write it decides where every answer goes."""
    if sys.platform == "win32":
        return
    if found.st_uid not in {os.getuid(), 0}:
        raise unsafe_file(path, "belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise unsafe_file(path, f"may be written by others; run: chmod go-w {path}")


def _check_keys(path: Path, found: Mapping[str, object]) -> None:
    for section, content in found.items():
        if section not in _KEYS:
            known = " and ".join(f"[{name}]" for name in _KEYS)
            _refuse(path, _shown(section), f"is not known; there are {known}")
        if not isinstance(content, Mapping):
            _refuse(path, section, f"must be a table: [{section}]")
        for key in content:
            if key not in _KEYS[section]:
                known = ", ".join(_KEYS[section])
                _refuse(path, f"[{section}] {_shown(key)}", f"is not known; there is {known}")


def _text(path: Path, found: Mapping[str, object], section: str, key: str) -> str | None:
    content = found.get(section)
    value = content.get(key) if isinstance(content, Mapping) else None
    if value is not None and not isinstance(value, str):
        _refuse(path, f"[{section}] {key}", "must be a text in quotes")
    return value


def _shown(key: str) -> str:
    """A key as it can stand in one line."""
    return ascii(key[:40])[1:-1]


def _refuse(path: Path, key: str, reason: str) -> NoReturn:
    where = f"{path}: {key}" if key else str(path)
    raise InvalidInput(ErrorCode.SETTING_INVALID, f"{where} {reason}", setting=where, reason=reason)
