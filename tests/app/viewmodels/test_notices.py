"""One notice at a time, never doubled, always dismissable."""

from PySide6.QtWidgets import QApplication

from app.viewmodels.notices import Notice, NoticesViewModel, Severity
from backend.errors import Conflict, ErrorCode, TemporarilyUnavailable


def test_the_newest_notice_is_shown_and_the_older_one_after_it(qapp: QApplication) -> None:
    notices = NoticesViewModel()
    notices.show_notice(Notice("first"))
    notices.show_notice(Notice("second"))
    notices.show_notice(Notice("first"))
    assert notices.current == Notice("first")
    notices.dismiss()
    assert notices.current == Notice("second")
    notices.dismiss()
    assert notices.current is None


def test_an_error_is_told_in_words(qapp: QApplication) -> None:
    notices = NoticesViewModel()
    notices.show_error(TemporarilyUnavailable(ErrorCode.STORE_BUSY, "database is locked"))
    assert notices.current is not None
    assert notices.current.severity is Severity.ERROR
    assert "locked" not in notices.current.text


def test_a_thing_that_has_moved_on_is_no_alarm(qapp: QApplication) -> None:
    notices = NoticesViewModel()
    notices.show_error(Conflict(ErrorCode.TICKET_COLLECTED, "collected"))
    assert notices.current is not None
    assert notices.current.severity is Severity.INFO
