"""The tools of other servers where shims find them, also while no desk runs. Standard library only.

The desk writes the file whenever agents may see other tools than before; a shim reads it when it is
asked for its tools, and tells its client when it has changed since.
"""

import json
import logging
from collections.abc import Sequence
from pathlib import Path

from backend.errors import StorageFailed
from backend.private_file import read_private, write_private

Json = dict[str, object]

_log = logging.getLogger(__name__)


class ListingFile:
    """One file of one home; its owner's only."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, tools: Sequence[Json]) -> None:
        """Replace what is there, where it says something else. A disk that takes no file keeps no
        desk from running: shims then list what they knew.
        """
        text = json.dumps(list(tools), separators=(",", ":"))
        try:
            if self._text() == text:
                return
            if tools or self._path.exists():
                write_private(self._path, text)
        except OSError as error:
            _log.warning("shims are not told of the tools: %s", error)

    def read(self) -> list[Json]:
        """What agents may call beside the desk's own tools; nothing where that cannot be told."""
        try:
            found = json.loads(self._text())
        except (ValueError, RecursionError):
            return []
        tools = found if isinstance(found, list) else []
        return [tool for tool in tools if isinstance(tool, dict) and tool.get("name")]

    def stamp(self) -> tuple[int, int]:
        """Another one once the file was written again."""
        try:
            found = self._path.stat()
        except OSError:
            return (0, 0)
        return (found.st_mtime_ns, found.st_ino)

    def _text(self) -> str:
        try:
            return read_private(self._path)
        except (OSError, StorageFailed):
            return ""
