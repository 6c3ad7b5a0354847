"""The words for how long a Quick Chat is kept."""

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from backend.domain.conversation import SessionSummary


def kept_text(session: SessionSummary, locale: QLocale | None = None) -> str:
    """Until when it is kept; empty for what is no Quick Chat."""
    if not session.quick_chat:
        return ""
    until = session.kept_until
    if until is None:
        return QCoreApplication.translate("QuickChats", "Pinned")
    date = QDateTime.fromMSecsSinceEpoch(until // 1_000_000).date()
    shown = (locale or QLocale()).toString(date, QLocale.FormatType.ShortFormat)
    return QCoreApplication.translate("QuickChats", "Kept until %1").replace("%1", shown)


def pin_text(*, pinned: bool) -> str:
    """What pressing the pin does."""
    if pinned:
        return QCoreApplication.translate("QuickChats", "Unpin: keep it seven more days")
    return QCoreApplication.translate("QuickChats", "Pin: keep it for good")
