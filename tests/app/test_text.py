"""Every code, status and state has words, and no two that matter are the same."""

import pytest
from PySide6.QtWidgets import QApplication

from app.session_text import session_state_text
from app.text import (
    age_text,
    delivery_text,
    error_text,
    session_title,
    status_text,
    superseded_text,
    workspace_text,
)
from backend.domain.clarification import BundleStatus, Delivery, Withdrawn
from backend.domain.conversation import SessionState
from backend.errors import AppError, ErrorCode

_SECOND = 1_000_000_000


@pytest.mark.parametrize("code", ErrorCode)
def test_every_error_has_words(qapp: QApplication, code: ErrorCode) -> None:
    assert error_text(AppError(code, "detail")).endswith(".")


def test_parameters_stand_in_the_words(qapp: QApplication) -> None:
    error = AppError(ErrorCode.STORE_OWNED, "owned", pid=4242, host="desk", since="09:12")
    text = error_text(error)
    assert "4242" in text
    assert "desk" in text
    assert "%{" not in text


def test_unanswered_skipped_withdrawn_and_moved_on_are_different_words(qapp: QApplication) -> None:
    """P5."""
    words = [
        *(status_text(status) for status in BundleStatus),
        superseded_text(),
        *(status_text(BundleStatus.CANCELLED, reason) for reason in Withdrawn),
    ]
    assert len(set(words)) == len(words) - 1
    assert status_text(BundleStatus.CANCELLED, Withdrawn.SUPERSEDED) == superseded_text()


def test_delivery_is_never_said_in_the_words_of_a_status(qapp: QApplication) -> None:
    deliveries = {delivery_text(delivery) for delivery in Delivery}
    assert len(deliveries) == len(Delivery)
    assert not deliveries & {status_text(status) for status in BundleStatus}


def test_every_session_state_has_words(qapp: QApplication) -> None:
    assert all(session_state_text(state) for state in SessionState)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3, "just now"), (-50, "just now"), (60, "1 minute"), (7199, "1 hour"), (200_000, "2 day")],
)
def test_an_age_is_told_in_its_largest_unit(qapp: QApplication, seconds: int, words: str) -> None:
    now = 10**18
    assert words in age_text(now - seconds * _SECOND, now)


@pytest.mark.parametrize(
    ("folder", "name"),
    [("/home/ann/shop", "shop"), ("C:\\work\\shop\\", "shop"), ("/", "/"), ("", "No project")],
)
def test_a_project_is_called_by_its_folder(qapp: QApplication, folder: str, name: str) -> None:
    assert workspace_text(folder) == name


def test_a_session_without_a_title_is_called_by_its_agent(qapp: QApplication) -> None:
    assert session_title("", "codex") == "codex"
    assert session_title("", "") == "Unnamed agent"
