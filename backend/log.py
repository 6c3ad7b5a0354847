"""Log records as JSON lines in the home, and as readable lines where a terminal listens."""

import logging
import logging.handlers
import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from pathlib import Path

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from backend.paths import Home

_MAX_BYTES = 2_000_000
_KEPT = 3
_SECRET_WORDS = ("token", "authorization", "ticket", "secret", "password", "cookie")
_HIDDEN = "[hidden]"
_QUIET = ("mcp", "uvicorn", "asyncio", "httpx2", "httpcore2")
"""Libraries whose everyday records say nothing about the desk."""


class _PrivateRotatingFile(logging.handlers.RotatingFileHandler):
    """A rotating file no other user can read.

    A record that cannot be written is dropped: the desk tells a full disk by its own errors, and
    a stack of every lost record would bury them.
    """

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's spelling
        if not isinstance(sys.exc_info()[1], OSError | UnicodeError):
            super().handleError(record)

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return TextIOWrapper(os.fdopen(descriptor, "ab"), encoding="utf-8")


def configure_logging(home: Home, *, name: str, stderr: bool, level: int = logging.INFO) -> None:
    """Send every record of the process to `<home>/logs/<name>.jsonl`, and to stderr when asked.

    Values under names that sound secret are hidden. Calling it again replaces the handlers.

    Raises:
        OSError: the log folder cannot be written.
    """
    home.log_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    handlers: list[logging.Handler] = [_file_handler(home.log_dir / f"{name}.jsonl")]
    if stderr:
        handlers.append(_stderr_handler())
    root = logging.getLogger()
    for old in tuple(root.handlers):
        if isinstance(old.formatter, structlog.stdlib.ProcessorFormatter):
            root.removeHandler(old)
            old.close()
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)
    for library in _QUIET:
        logging.getLogger(library).setLevel(max(level, logging.WARNING))
    structlog.configure(
        processors=[*_shared(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace the values of names that sound secret."""
    for name in event:
        if any(word in name.lower() for word in _SECRET_WORDS):
            event[name] = _HIDDEN
    return event


def _shared() -> Iterable[Processor]:
    return (
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        hide_secrets,
    )


def _file_handler(path: Path) -> logging.Handler:
    handler = _PrivateRotatingFile(path, maxBytes=_MAX_BYTES, backupCount=_KEPT, encoding="utf-8")
    renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    handler.setFormatter(_formatter(structlog.processors.format_exc_info, renderer))
    return handler


def _stderr_handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    colors = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    # The default formatter prints local variables, tokens among them.
    plain = structlog.dev.plain_traceback
    renderer = structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)
    handler.setFormatter(_formatter(renderer))
    return handler


def _formatter(*last: Processor) -> structlog.stdlib.ProcessorFormatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *_shared()],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    )
