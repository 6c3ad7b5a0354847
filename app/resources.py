"""Where the window's files are, and the one icon set, coloured by whoever asks."""

import sys
from enum import Enum
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_CHECKOUT = Path(__file__).resolve().parent.parent


class Icon(Enum):
    """Every icon by its meaning; the value is a file in `resources/icons`."""

    INBOX = "inbox"
    QUESTION = "message-circle-question-mark"
    UNKNOWN = "circle-question-mark"
    MENU = "menu"
    MORE = "ellipsis"
    CLOSE = "x"
    CHECK = "check"
    COPY = "copy"
    DISCARD = "trash-2"
    WARNING = "triangle-alert"
    ERROR = "circle-alert"
    INFO = "info"
    ANSWERED = "circle-check"
    SKIPPED = "circle-minus"
    WITHDRAWN = "circle-slash"
    FAILED = "circle-x"
    WAITING = "clock"
    EXPAND = "chevron-down"
    COLLAPSE = "chevron-up"
    PREVIOUS = "chevron-left"
    NEXT = "chevron-right"
    TO_END = "arrow-down"
    FOLDER = "folder"
    AGENT = "bot"
    RETRY = "rotate-ccw"
    RELOAD = "refresh-cw"
    SUBMIT = "corner-down-left"
    SEND = "send"
    NOTE = "sticky-note"
    DEMO = "play"
    CONNECT = "plug"
    DETACHED = "unplug"
    LINK = "external-link"
    HAND_OVER = "hand"
    BOX_TICKED = "square-check"
    BOX_EMPTY = "square"
    RADIO_ON = "circle-dot"
    RADIO_OFF = "circle"
    IN_PROGRESS = "circle-dot-dashed"
    READ = "file-text"
    EDIT = "pencil"
    SEARCH = "search"
    COMMAND = "terminal"
    FETCH = "globe"
    THINKING = "brain"
    TODO = "list-checks"
    PLAN = "clipboard-list"
    TOOL = "wrench"
    PERMISSION = "shield-question-mark"
    NEW = "plus"
    STOP = "circle-stop"
    UP = "arrow-up"
    QUICK_CHAT = "zap"
    PIN = "pin"


def resource_folder(kind: str) -> Path:
    """`resources` or `i18n`: beside the program in a checkout, inside it when installed."""
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen is not None:
        return Path(frozen) / kind
    packaged = Path(__file__).resolve().parent / f"_{kind}"
    return packaged if packaged.is_dir() else _CHECKOUT / kind


def checkout_build_folder() -> Path | None:
    """Where a checkout keeps what it generates; None for an installed program."""
    return _CHECKOUT / "build" if (_CHECKOUT / "pyproject.toml").is_file() else None


def pixmap(icon: Icon, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """`icon` drawn in `colour`, `size` logical pixels wide, sharp at the device's pixel ratio."""
    return _rendered(icon.value, colour, size, ratio)


def icon(which: Icon, colour: str, *, disabled: str | None = None) -> QIcon:
    """An icon for buttons; `disabled` is its colour while it cannot be used."""
    result = QIcon()
    for size in (16, 20, 24, 32, 48):
        result.addPixmap(pixmap(which, colour, size))
        if disabled is not None:
            result.addPixmap(pixmap(which, disabled, size), QIcon.Mode.Disabled)
    return result


def program_icon(count: int = 0, *, badge: str = "#F5A524", badge_text: str = "#231800") -> QIcon:
    """The program's own icon, with a count of what waits for the human."""
    result = QIcon()
    for size in (16, 22, 24, 32, 48, 64, 128, 256):
        picture = pixmap_of_program(size)
        if count:
            _paint_badge(picture, count, badge, badge_text)
        result.addPixmap(picture)
    return result


def pixmap_of_program(size: int, ratio: float = 1.0) -> QPixmap:
    return QPixmap(_rendered("kandesk", "#2F5FD0", size, ratio))


@lru_cache(maxsize=512)
def _rendered(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    source = (resource_folder("resources") / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(source.replace("currentColor", colour).encode()))
    picture = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(picture.rect()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def _paint_badge(picture: QPixmap, count: int, fill: str, text: str) -> None:
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    side = picture.width() * 0.62
    circle = QRectF(picture.width() - side, picture.height() - side, side, side)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawEllipse(circle)
    font = painter.font()
    font.setPixelSize(max(7, round(side * (0.72 if count < 10 else 0.56))))
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(text)
    painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, str(count) if count < 100 else "99+")
    painter.end()
