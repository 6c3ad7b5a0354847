"""A permission from an agent's process to a human's click and back, through the whole program."""

import json
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QWidget

from app.viewmodels.review_choices import Decision
from backend.api import DeskApi
from backend.domain.hosted import CUSTOM_AGENT, SessionStart
from backend.domain.policy import RuleScope
from backend.domain.review import Door, Review, ReviewStatus, Verdict
from backend.ids import AdmissionId, SessionId
from tests.helpers.live_window import LiveWindow, live_window
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import until

S = SessionId("s1")


async def start(window: LiveWindow, folder: Path, script: str, *, session: SessionId = S) -> None:
    async def begin(api: DeskApi) -> None:
        await api.conversations.start_session(
            SessionStart(
                session_id=session,
                agent=CUSTOM_AGENT,
                folder=str(folder),
                prompt=script,
                admission_id=AdmissionId(f"first of {session}"),
                command=scripted_command(),
            )
        )

    await window.parts.client.call(begin)
    await until(lambda: window.parts.desk.sessions.session(session) is not None, seconds=20)
    window.parts.desk.open_session(session)


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


async def test_always_allow_covers_what_waits_only_once_the_human_confirms_it(
    tmp_path: Path,
) -> None:
    """tool-review.md, Decide once: rule and approval together; siblings on confirmation."""
    step = f"permission {_COMMAND}"
    async with live_window(tmp_path / "home") as window:
        await start(window, tmp_path, step, session=SessionId("s2"))
        await until(lambda: window.parts.desk.reviews.count == 1, seconds=20)
        waits = window.parts.desk.reviews.open[0].review_id
        await start(window, tmp_path, step)
        await until(lambda: window.parts.desk.reviews.count == 2, seconds=20)
        await until(lambda: window.parts.desk.reviews.card is not None)
        card = window.parts.desk.reviews.card
        assert card is not None
        assert card.review.scopes == (RuleScope.THIS_CALL,), "never a whole tool of an agent"
        window.parts.desk.reviews.decide(
            Decision(_once(card.review), remember=RuleScope.THIS_CALL, remember_for=3_600.0)
        )
        await window.shows("settleCovered")
        assert window.parts.desk.reviews.count == 1, "nothing is settled by itself"
        await until(lambda: any("permission: " in text for text in said(window)), seconds=20)
        await window.armed()
        await window.click("settleCovered")
        await until(lambda: window.parts.desk.reviews.count == 0, seconds=20)
        other = await window.parts.client.call(lambda api: api.reviews.get_review(waits))
        assert other.verdict is Verdict.ALLOW
        assert other.door == Door.WINDOW.value, "the human has confirmed it here"
        await _read_and_revoke(window)


async def _read_and_revoke(window: LiveWindow) -> None:
    rules = window.parts.desk.rules
    window.parts.view.show_rules()
    await until(lambda: rules.rules != ())
    assert rules.rules[0].expires_at is not None
    rules.revoke(rules.rules[0].rule_id)
    await until(lambda: rules.rules[0].revoked_at is not None)
    page = await window.parts.client.call(lambda api: api.rules.ledger())
    told = {entry.event_type for entry in page.entries}
    assert {"trust_rule_created", "trust_rule_revoked"} <= told


def _once(review: Review) -> str:
    return next(option.id for option in review.options if option.kind == "allow_once")


_COMMAND: Final = json.dumps(
    {
        "toolCall": {
            "toolCallId": "c1",
            "title": "npm run build",
            "kind": "execute",
            "rawInput": {"command": "npm run build"},
        }
    }
)
