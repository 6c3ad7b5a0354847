"""Changes a configuration file that belongs to another program: with a backup, in one step."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

_BOM = b"\xef\xbb\xbf"


class ConfigRefused(Exception):
    """The file cannot be changed; nothing was."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file as it was when it was read. `path` is behind all links."""

    path: Path
    data: bytes | None
    """None when there is no such file."""

    @property
    def text(self) -> str:
        """Raises `ConfigRefused` when it is not UTF-8."""
        try:
            return (self.data or b"").removeprefix(_BOM).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigRefused(f"{self.path} is not UTF-8 text") from error

    @property
    def backup(self) -> Path:
        return self.path.with_name(f"{self.path.name}.kandesk-backup")

    def saved(self) -> bytes | None:
        """What stood here before the last change; None when there was no file or no change."""
        try:
            return self.backup.read_bytes()
        except OSError:
            return None

    def encode(self, text: str) -> bytes:
        """`text` as bytes, with a byte order mark where the file has one."""
        mark = _BOM if (self.data or b"").startswith(_BOM) else b""
        return mark + text.encode("utf-8")

    def replace(self, data: bytes | None) -> None:
        """Keep a backup and put `data` in the file's place; None removes the file.

        Raises:
            ConfigRefused: it cannot be written, or it has changed since it was read.
        """
        try:
            self._replace(data)
        except OSError as error:
            raise ConfigRefused(f"{self.path} cannot be written: {error.strerror}") from error

    def _replace(self, data: bytes | None) -> None:
        if self.data is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.backup.unlink(missing_ok=True)
        else:
            if not os.access(self.path, os.W_OK):
                raise ConfigRefused(f"{self.path} is read-only")
            self._write(self.backup, self.data)
        if _read(self.path) != self.data:
            raise ConfigRefused(f"{self.path} has just been changed by another program; try again")
        if data is None:
            self.path.unlink()
        else:
            self._write(self.path, data)

    def _write(self, path: Path, data: bytes) -> None:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if self.data is not None:
                temporary.chmod(self.path.stat().st_mode & 0o7777)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise


def read_config(path: Path) -> ConfigFile:
    """Raises `ConfigRefused` when there is something at `path` that cannot be read."""
    real = Path(os.path.realpath(path))
    try:
        return ConfigFile(real, _read(real))
    except OSError as error:
        raise ConfigRefused(f"{path} cannot be read: {error.strerror}") from error


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
