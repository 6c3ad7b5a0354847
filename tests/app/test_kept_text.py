"""Until when a Quick Chat is kept is told as the human's language writes dates."""

import dataclasses

import pytest
from PySide6.QtCore import QDate, QDateTime, QLocale, QTime
from PySide6.QtWidgets import QApplication

from app.kept_text import kept_text
from app.language import Language
from backend.clock import Nanoseconds
from backend.domain.conversation import QUICK_CHAT_KEPT
from tests.helpers.desk_builders import make_session


@pytest.mark.parametrize(
    ("locale", "date"),
    [("en_US", "12/7/26"), ("en_GB", "07/12/2026"), ("de_DE", "07.12.26"), ("zh_CN", "2026/12/7")],
)
def test_the_date_is_in_the_humans_locale(qapp: QApplication, locale: str, date: str) -> None:
    """window.md, Languages: dates, numbers and plurals follow it."""
    noon = QDateTime(QDate(2026, 12, 7), QTime(12, 0))
    touched = Nanoseconds(noon.toMSecsSinceEpoch() * 1_000_000 - QUICK_CHAT_KEPT)
    chat = dataclasses.replace(make_session(quick_chat=True), updated_at=touched)
    assert kept_text(chat, QLocale(locale)) == f"Kept until {date}"


def test_without_a_chosen_language_dates_are_as_the_system_writes_them(qapp: QApplication) -> None:
    """Words may be English where no catalog fits; formats are the system's own."""
    before = QLocale()
    try:
        language = Language(qapp)
        if language.name == "en":
            short = QLocale.FormatType.ShortFormat
            assert QLocale().dateFormat(short) == QLocale.system().dateFormat(short)
    finally:
        QLocale.setDefault(before)
