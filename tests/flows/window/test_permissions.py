"""A permission from an agent's process to a human's click and back, through the whole program."""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from backend.api import DeskApi
from backend.domain.hosted import CUSTOM_AGENT, SessionStart
from backend.domain.review import ReviewStatus
from backend.ids import AdmissionId, SessionId
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

S = SessionId("s1")


async def start(window: LiveWindow, folder: Path, script: str) -> None:
    async def begin(api: DeskApi) -> None:
        await api.conversations.start_session(
            SessionStart(
                session_id=S,
                agent=CUSTOM_AGENT,
                folder=str(folder),
                prompt=script,
                admission_id=AdmissionId("a1"),
                command=scripted_command(),
            )
        )

    await window.parts.client.call(begin)
    await until(lambda: window.parts.desk.sessions.session(S) is not None, seconds=20)
    window.parts.desk.open_session(S)


def said(window: LiveWindow) -> list[str]:
    rows = window.parts.desk.transcript.rows
    return [row.content for row in rows if row.kind == "message" and row.author == "agent"]


def title(window: LiveWindow) -> str | None:
    """Of the card that is shown."""
    card = window.parts.desk.reviews.card
    shown: QWidget | None = window.find("reviewCard")
    return card.review.call.title if card is not None and shown is not None else None


async def test_what_the_human_clicks_is_what_the_agent_hears(tmp_path: Path) -> None:
    """T8.4: approve, then decline, each told once, with its row in the transcript."""
    async with live_window(tmp_path / "home") as window:
        await start(window, tmp_path, "permission Run one\npermission Run two")

        await window.shows("reviewCard")
        await window.armed()
        await window.click("approveButton")
        await until(lambda: any("permission: " in text for text in said(window)), seconds=15)
        await until(lambda: title(window) == "Run two", seconds=15)
        await window.armed()
        await window.click("declineButton")

        await until(lambda: "".join(said(window)).count("permission: ") == 2, seconds=15)
        await until(lambda: window.find("reviewCard") is None)
        rows = [r for r in window.parts.desk.transcript.rows if r.kind == "permission_request"]
        assert [row.metadata["status"] for row in rows] == ["approved", "rejected"]


async def test_a_stopped_turn_takes_the_buttons_away(tmp_path: Path) -> None:
    """T6.3, 65: the agent is told cancelled; the card says that nobody waits."""
    async with live_window(tmp_path / "home") as window:
        await start(window, tmp_path, "permission Run one")
        await window.shows("reviewCard")

        await window.parts.client.call(lambda api: api.conversations.cancel_turn(S))

        reviews = window.parts.desk.reviews
        await until(lambda: reviews.count == 0, seconds=15)
        await until(lambda: window.find("approveButton") is None)
        assert reviews.card is not None
        assert reviews.card.review.status is ReviewStatus.CANCELLED
        await window.click("closeReview")
        assert window.find("reviewCard") is None
