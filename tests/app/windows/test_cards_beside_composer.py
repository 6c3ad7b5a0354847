"""A card and the composer of a running agent share a small window, in any language and size."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from app.pseudo_locale import PSEUDO
from app.widgets.overlay_body import OverlayBody
from backend.domain.agents import PermissionOption
from backend.domain.hosted import AgentStatus
from backend.domain.policy import RuleScope
from backend.domain.review import Owner
from backend.ids import TurnId
from tests.helpers.clock import settle
from tests.helpers.desk_builders import make_bundle
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.fake_reviews import make_review
from tests.helpers.hosted_window import HostedWindow, hosted_window
from tests.helpers.waiting import until

WORKING = make_conversation(status=AgentStatus.WORKING, turn_id=TurnId("t1"))
SMALL = (800, 600)


async def ask(window: HostedWindow) -> None:
    window.shown.backend.desk.open(make_bundle(session=WORKING.session_id))
    await until(lambda: window.sees("clarificationOverlay"))


SCOPED: dict[str, object] = {
    "scopes": (RuleScope.THIS_CALL,),
    "decline_scopes": (RuleScope.THIS_CALL,),
}
GATEWAY: dict[str, object] = {
    "owner": Owner.GATEWAY,
    "server_name": "files",
    "options": (
        PermissionOption("once", "Approve", "allow_once"),
        PermissionOption("no", "Decline", "reject_once"),
    ),
    "scopes": tuple(RuleScope),
    "decline_scopes": tuple(RuleScope),
}


async def ask_permission(window: HostedWindow, parts: dict[str, object] | None = None) -> None:
    window.shown.backend.desk.reviews.ask(make_review(WORKING.session_id, **(parts or {})))  # type: ignore[arg-type]
    await until(lambda: window.sees("reviewCard"))


def whole(window: HostedWindow, name: str) -> bool:
    part = window.find(name)
    return part.visibleRegion().boundingRect() == part.rect()


async def enlarge(window: HostedWindow, language: str) -> None:
    """While the card is open, as a human would."""
    window.shown.language.use(language)
    window.shown.theme.set_zoom(2.0)
    for _ in range(3):
        await settle()
        QApplication.sendPostedEvents()
        QApplication.processEvents()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
async def test_a_question_can_be_read_and_answered_at_200_percent(language: str) -> None:
    """window.md, Layout: everything works at 800 x 600 at 200 %."""
    async with hosted_window(WORKING, size=SMALL) as window:
        await ask(window)
        await enlarge(window, language)
        for name in ("submitAnswers", "composerEdit", "sendButton", "stopButton"):
            assert whole(window, name), name
        body = window.shown.window.findChild(OverlayBody)
        assert body is not None
        seen = body.visibleRegion().boundingRect().height()
        assert seen >= body.least_height


@pytest.mark.parametrize("language", ["en", "zh_CN", PSEUDO])
@pytest.mark.parametrize("kind", ["agent", "gateway"])
async def test_a_permission_can_be_decided_at_200_percent(language: str, kind: str) -> None:
    """window.md, Layout: everything works at 800 x 600 at 200 %; no word of a verdict is cut."""
    async with hosted_window(WORKING, size=SMALL) as window:
        await ask_permission(window, GATEWAY if kind == "gateway" else SCOPED)
        await enlarge(window, language)
        for name in ("approveButton", "declineButton", "composerEdit", "sendButton"):
            assert whole(window, name), name
        card = window.find("reviewCard")
        shown = [each for each in card.findChildren(QPushButton) if each.isVisible()]
        assert shown
        for button in shown:
            needs = button.minimumSizeHint() if button.text() else QSize()
            assert button.width() >= needs.width(), f"{button.objectName()} is cut"
            assert button.height() >= button.heightForWidth(button.width()), button.objectName()
        option = window.find("alwaysAllowButton")
        option.setFocus(Qt.FocusReason.TabFocusReason)
        await settle()
        assert option.visibleRegion().boundingRect().height() > option.height() // 2


async def test_the_line_to_write_in_has_its_own_place_where_there_is_room() -> None:
    async with hosted_window(WORKING, size=SMALL) as window:

        def place(name: str) -> QRect:
            part: QWidget = window.find(name)
            return QRect(part.mapTo(window.find("composer"), QPoint()), part.size())

        assert place("composerEdit").bottom() < place("sendButton").top()
        await window.type("kept")
        await enlarge(window, "en")
        assert place("composerEdit").top() < place("sendButton").bottom()
        assert place("composerEdit").right() < place("stopButton").left()
        assert window.edit.hasFocus()
        window.shown.theme.set_zoom(1.0)
        await until(lambda: place("composerEdit").bottom() < place("sendButton").top())
        assert window.edit.toPlainText() == "kept"


async def test_an_open_question_is_named_in_the_language_of_now() -> None:
    """window.md, Accessibility: also for who hears the window."""
    async with hosted_window(WORKING) as window:
        await ask(window)
        before = window.find("overlayCard").accessibleName()
        window.shown.language.use("zh_CN")
        await settle()
        for name in ("overlayCard", "clarificationOverlay"):
            assert "问题" in window.find(name).accessibleName() != before


async def test_an_open_permission_is_named_in_the_language_of_now() -> None:
    async with hosted_window(WORKING) as window:
        await ask_permission(window)
        before = window.find("reviewCard").accessibleName()
        window.shown.language.use("zh_CN")
        await settle()
        assert "许可" in window.find("reviewCard").accessibleName() != before
