"""History, rules and the record: reached from the window, read, and left again."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from app.models.ledger_words import LedgerWords
from app.viewmodels.history import PAGE as HISTORY_PAGE
from app.viewmodels.ledger import PAGE as RECORD_PAGE
from app.widgets.facts_panel import FactsPanel
from app.widgets.list_page import ListPage
from app.widgets.touch import TouchMode
from app.windows.main_window import MainWindow
from backend.clock import Nanoseconds
from backend.domain.agents import ToolCallChange
from backend.domain.clarification import BundleStatus, Withdrawn
from backend.domain.policy import PolicyDecision, RuleScope
from backend.domain.review import Door, ReviewStatus
from backend.ids import ReviewId, SessionId
from tests.helpers.clock import START, settle
from tests.helpers.desk_builders import make_bundle, make_question, make_session, moment
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_reviews import make_review
from tests.helpers.fake_rules import make_entry, make_rule
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

SPOKEN = Qt.ItemDataRole.AccessibleTextRole


class Pages:
    """The window, and what stands on the page that is shown."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown

    def page(self, name: str) -> ListPage:
        found = self.shown.find(f"{name}View")
        assert isinstance(found, ListPage)
        return found

    def titles(self, name: str) -> list[str]:
        model = self.page(name).list.model()
        return [str(model.index(row, 0).data()) for row in range(model.rowCount())]

    def lines(self, name: str) -> dict[str, str]:
        found = self.shown.find(f"{name}Details")
        assert isinstance(found, FactsPanel)
        return {key: value.replace("\u200b", "") for key, value in found.lines.items()}

    def choose(self, name: str, row: int) -> None:
        view = self.page(name).list
        view.setCurrentIndex(view.model().index(row, 0))

    def click(self, name: str) -> None:
        button = self.shown.find(name)
        assert isinstance(button, QPushButton)
        assert button.isVisible(), name
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
async def pages(backend: FakeBackend) -> AsyncIterator[Pages]:
    for name in ("s1", "s2"):
        backend.desk.put_session(make_session(name, title=f"Session {name}"))
    async with shown_window(backend) as shown:
        yield Pages(shown)


def has(pages: Pages, name: str, count: int) -> Callable[[], bool]:
    return lambda: len(pages.titles(name)) == count


def at(seconds: float) -> int:
    return moment(seconds)


async def test_history_has_closed_permissions_beside_closed_questions(
    backend: FakeBackend, pages: Pages
) -> None:
    """window.md, Layout: every closed one, with its verdict in words, newest first."""
    desk = backend.desk
    asked = desk.reviews.ask(make_review(command="make", at=at(10)))
    desk.reviews.change(asked, ReviewStatus.DECLINED, reason="not now", door=Door.WINDOW.value)
    desk.open(make_bundle("p1", [make_question("Which colour?")], created=20))
    skipped = make_bundle("p1", [make_question("Which colour?")], created=20)
    desk.change(
        replace(
            skipped,
            status=BundleStatus.CANCELLED,
            withdrawn=Withdrawn.BY_HUMAN,
            questions=tuple(
                replace(row, status=BundleStatus.CANCELLED, revision=row.revision + 9)
                for row in skipped.questions
            ),
        )
    )
    desk.reviews.ask(make_review(command="still open", at=at(30)))

    pages.click("historyButton")
    await until(has(pages, "history", 2))

    assert pages.titles("history") == ["Which colour?", "make"]
    pages.choose("history", 0)
    assert pages.lines("history")["Ended"] == "Withdrawn by you"
    pages.choose("history", 1)
    lines = pages.lines("history")
    assert (lines["Ended"], lines["Because"]) == ("Declined", "not now")
    assert "in this window" in lines["Decided"]
    spoken = pages.page("history").list.model().index(1, 0)
    assert "Declined" in str(spoken.data(Qt.ItemDataRole.AccessibleTextRole))


async def test_a_permission_of_no_project_names_no_folder(
    backend: FakeBackend, pages: Pages
) -> None:
    """A Quick Chat works in a folder of its own, whose name says nothing to anybody."""
    desk = backend.desk
    desk.put_session(make_session("quick", workspace=""))
    asked = desk.reviews.ask(make_review(session_id=SessionId("quick"), folder="/home/ann/6f1c"))
    desk.reviews.change(asked, ReviewStatus.DECLINED, door=Door.WINDOW.value)
    pages.click("historyButton")
    await until(has(pages, "history", 1))
    spoken = str(pages.page("history").list.model().index(0, 0).data(SPOKEN))
    assert "6f1c" not in spoken
    assert "No project" in spoken


async def test_history_leads_to_the_conversation(backend: FakeBackend, pages: Pages) -> None:
    review = backend.desk.reviews.ask(make_review("s2"))
    backend.desk.reviews.change(review, ReviewStatus.CANCELLED)
    pages.shown.desk.open_session(SessionId("s1"))
    pages.shown.view.show_history()
    await until(has(pages, "history", 1))
    pages.choose("history", 0)

    pages.click("historySession")

    assert pages.shown.desk.sessions.current_id == "s2"
    assert pages.shown.view.pages.chat.isVisible()


async def test_history_is_read_page_by_page_in_one_order(
    backend: FakeBackend, pages: Pages
) -> None:
    desk = backend.desk
    for number in range(HISTORY_PAGE + 20):
        review = desk.reviews.ask(make_review(command=f"r{number}", at=at(2 * number)))
        desk.reviews.change(review, ReviewStatus.CANCELLED)
        question = make_question(f"q{number}")
        bundle = make_bundle(f"p{number}", [question], created=2 * number + 1)
        desk.bundles[bundle.pending_id] = replace(bundle, status=BundleStatus.EXPIRED)
    pages.shown.view.show_history()
    model = pages.shown.desk.history
    await until(lambda: bool(model.items) and not model.loading)
    assert len(model.items) < 2 * HISTORY_PAGE + 1
    while model.more:
        model.load_older()
        await until(lambda: not model.loading)

    found = [item.since for item in model.items]
    assert found == sorted(found, reverse=True)
    assert len(found) == 2 * (HISTORY_PAGE + 20)


async def test_history_finds_words_further_back_than_was_read(
    backend: FakeBackend, pages: Pages
) -> None:
    """window.md, Layout: searchable."""
    desk = backend.desk
    for number in range(3 * HISTORY_PAGE):
        command = "git push origin main" if number == 0 else f"make {number}"
        review = desk.reviews.ask(make_review(command=command, at=at(number)))
        desk.reviews.change(review, ReviewStatus.EXECUTED)
    pages.shown.view.show_history()
    await until(lambda: bool(pages.titles("history")))
    field = pages.shown.find("historyFilter")
    assert isinstance(field, QLineEdit)

    QTest.keyClicks(field, "ORIGIN push")

    await until(lambda: pages.titles("history") == ["git push origin main"])
    field.setText("nothing like it")
    assert pages.titles("history") == []


async def test_what_is_closed_while_it_is_shown_is_added(
    backend: FakeBackend, pages: Pages
) -> None:
    review = backend.desk.reviews.ask()
    pages.shown.view.show_history()
    await until(lambda: not pages.shown.desk.history.loading)
    assert pages.titles("history") == []
    backend.desk.reviews.change(review, ReviewStatus.CANCELLED)
    await until(has(pages, "history", 1))


async def test_rules_say_what_to_whom_where_and_how_often(
    backend: FakeBackend, pages: Pages
) -> None:
    """Issue: rules page (list, hits, revoke)."""
    used = Nanoseconds(START)
    backend.desk.rules.add(
        make_rule("old", sample="make", decision=PolicyDecision.DENY),
        make_rule("new", hits=3, last_hit_at=used, scope=RuleScope.THIS_TOOL),
        make_rule("gone", revoked_at=used),
    )
    pages.shown.view.menu.rules_wanted.emit()
    await until(has(pages, "rules", 3))

    assert pages.titles("rules") == ["Allow npm run build", "Refuse make", "Allow npm run build"]
    pages.choose("rules", 0)
    lines = pages.lines("rules")
    assert lines["Folder"] == "/home/ada/shop"
    assert lines["Agent"] == "Codex"
    assert lines["Used"].startswith("used 3 times, last ")
    assert lines["Expires"] == "never; until you revoke it"
    assert "whatever it is given" in lines["Scope"]
    pages.choose("rules", 2)
    assert not pages.shown.find("revokeRule").isVisible()
    assert pages.lines("rules")["State"].startswith("Revoked")


async def test_a_rule_is_revoked_by_a_second_step(backend: FakeBackend, pages: Pages) -> None:
    rule = make_rule()
    backend.desk.rules.add(rule)
    pages.shown.view.show_rules()
    await until(has(pages, "rules", 1))
    pages.choose("rules", 0)
    pages.click("revokeRule")
    assert pages.shown.find("revokeRuleBack").hasFocus(), "the keyboard is on the way back"
    pages.click("revokeRuleBack")
    assert backend.desk.rules.rules[rule.rule_id].revoked_at is None

    pages.click("revokeRule")
    pages.click("revokeRuleConfirm")

    await until(lambda: backend.desk.rules.rules[rule.rule_id].revoked_at is not None)
    await until(lambda: pages.lines("rules")["State"].startswith("Revoked"))
    assert not pages.shown.find("revokeRule").isVisible()


async def test_a_second_step_goes_on_for_its_own_rule_only(
    backend: FakeBackend, pages: Pages
) -> None:
    """A use of the rule does not take it away; another rule is never revoked in its place."""
    rule = make_rule("first")
    backend.desk.rules.add(rule, make_rule("second"))
    pages.shown.view.show_rules()
    await until(has(pages, "rules", 2))
    pages.page("rules").list.choose("first")
    pages.click("revokeRule")
    backend.desk.rules.add(replace(rule, hits=1))
    assert pages.shown.find("revokeRuleConfirm").isVisible()
    pages.page("rules").list.choose("second")
    assert not pages.shown.find("revokeRuleConfirm").isVisible()
    assert pages.shown.find("revokeRule").isVisible()


async def test_the_end_of_a_rule_is_set_and_taken_away(backend: FakeBackend, pages: Pages) -> None:
    """T5.4: a rule may expire; one that was revoked gets no new end."""
    rule = make_rule()
    backend.desk.rules.add(rule)
    pages.shown.view.show_rules()
    await until(has(pages, "rules", 1))
    pages.choose("rules", 0)
    box = pages.shown.find("ruleEnd")
    assert isinstance(box, QComboBox)
    assert pages.lines("rules")["Expires"] == box.itemText(0) == "never; until you revoke it"
    box.activated.emit(box.findText("one day from now"))
    await until(lambda: backend.desk.rules.rules[rule.rule_id].expires_at is not None)
    await until(lambda: box.itemText(0) == "as it is")
    assert "never" not in pages.lines("rules")["Expires"]
    box.activated.emit(box.findText("never; until you revoke it"))
    await until(lambda: backend.desk.rules.rules[rule.rule_id].expires_at is None)
    backend.desk.rules.add(replace(rule, revoked_at=Nanoseconds(START + 1)))
    await until(lambda: not box.isVisible())


async def test_a_rule_made_while_the_page_is_open_appears(
    backend: FakeBackend, pages: Pages
) -> None:
    pages.shown.view.show_rules()
    await until(lambda: pages.shown.desk.rules.loaded)
    backend.desk.rules.add(make_rule())
    assert len(pages.titles("rules")) == 1


async def test_the_record_says_in_words_what_happened(backend: FakeBackend, pages: Pages) -> None:
    """T2, T5.6: plain words for event types; the codes are there to be looked up."""
    backend.desk.rules.record(
        make_entry("policy_decision", decision="ask", reason="default"),
        make_entry("approval_requested"),
        make_entry("approval_resolved", decision="approved", door="window"),
        make_entry("call_failed", reason="tool_execution_outcome_unknown"),
        make_entry("of_a_new_kind"),
    )
    pages.shown.view.show_record()
    await until(has(pages, "record", 5))
    assert pages.titles("record") == [
        "An entry of the kind “of_a_new_kind”",
        "Outcome unknown",
        "Approved",
        "You were asked",
        "To be asked about",
    ]
    pages.choose("record", 4)
    assert pages.lines("record")["Why"] == "the tool's own setting"
    assert pages.lines("record")["Code"] == "policy_decision / default"


async def test_the_record_says_what_was_to_be_run(backend: FakeBackend, pages: Pages) -> None:
    """Beside the kind of tool: which command, in the row and in what is told of it."""
    call = ToolCallChange("c1", title="Run it", raw_input={"command": "make all"})
    backend.desk.rules.record(make_entry("approval_resolved", call=call, tool_name="execute"))
    pages.shown.view.show_record()
    await until(has(pages, "record", 1))
    assert LedgerWords().about(backend.desk.rules.entries[0]).startswith("make all")
    pages.choose("record", 0)
    assert pages.lines("record")["What"] == "make all"


def test_the_record_names_the_desk_and_its_human_by_no_code() -> None:
    words = LedgerWords()
    assert words.actor(make_entry(actor="system")) == "Kandesk"
    assert words.actor(make_entry(actor="window-7", door="window")) == "you"
    assert words.actor(make_entry(actor="codex")) == "codex"


async def test_the_record_of_a_session_or_a_request_is_shown_alone(
    backend: FakeBackend, pages: Pages
) -> None:
    one = ReviewId("review-one")
    backend.desk.rules.record(
        make_entry(review_id=one),
        make_entry(session_id=SessionId("s2")),
        make_entry("call_completed", review_id=one),
    )
    pages.shown.view.show_record()
    await until(has(pages, "record", 3))
    pages.choose("record", 0)
    pages.click("recordOnly")
    await until(has(pages, "record", 2))
    assert pages.shown.find("recordRequest").isVisible()
    pages.click("recordAll")
    await until(has(pages, "record", 3))
    pages.shown.desk.ledger.open(SessionId("s2"))
    await until(has(pages, "record", 1))


async def test_the_record_is_read_page_by_page(backend: FakeBackend, pages: Pages) -> None:
    backend.desk.rules.record(*(make_entry() for _ in range(RECORD_PAGE + 5)))
    pages.shown.view.show_record()
    await until(has(pages, "record", RECORD_PAGE))
    pages.click("recordOlder")
    await until(has(pages, "record", RECORD_PAGE + 5))
    assert not pages.shown.find("recordOlder").isVisible()


async def test_a_page_nobody_looks_at_reads_nothing(backend: FakeBackend, pages: Pages) -> None:
    pages.shown.view.show_record()
    await until(lambda: not pages.shown.desk.ledger.loading)
    QTest.keyClick(pages.page("record"), Qt.Key.Key_Escape)
    assert not pages.page("record").isVisible()
    before = len(backend.desk.rules.calls)
    backend.desk.reviews.ask()
    assert len(backend.desk.rules.calls) == before


async def test_every_button_is_large_enough_for_fingers(backend: FakeBackend, pages: Pages) -> None:
    """window.md, Hands: 44 px."""
    review = backend.desk.reviews.ask()
    backend.desk.reviews.change(review, ReviewStatus.DECLINED)
    pages.shown.touch.set_mode(TouchMode.ON)
    pages.shown.view.show_history()
    await until(has(pages, "history", 1))
    pages.choose("history", 0)
    await settle()
    QApplication.processEvents()
    for button in pages.page("history").findChildren(QPushButton):
        assert button.isHidden() or button.height() >= 44, button.objectName()


@pytest.mark.parametrize("name", ["history", "rules", "record"])
@pytest.mark.parametrize("size", [(1180, 780), (800, 600)])
@pytest.mark.parametrize("language", ["en", "zh_CN", "en_XA"])
async def test_nothing_is_cut_off_and_everything_has_a_name(
    backend: FakeBackend, pages: Pages, name: str, size: tuple[int, int], language: str
) -> None:
    review = backend.desk.reviews.ask()
    backend.desk.reviews.change(review, ReviewStatus.DECLINED, reason="x " * 200)
    backend.desk.rules.add(make_rule(folder=f"/home/{'long' * 60}"))
    backend.desk.rules.record(make_entry())
    window: MainWindow = pages.shown.window
    window.resize(*size)
    pages.shown.language.use(language)
    getattr(pages.shown.view, f"show_{name}")()
    await until(lambda: bool(pages.titles(name)))
    pages.choose(name, 0)
    page = pages.page(name)
    for child in page.findChildren(QWidget):
        if isinstance(child, QPushButton) and child.isVisible():
            assert child.text() or child.accessibleName()
            assert child.width() >= child.minimumSizeHint().width(), child.objectName()
        if isinstance(child, QLabel) and child.isVisible() and child.text():
            assert child.width() > 1
    assert page.minimumSizeHint().width() <= window.width()
    assert page.list.accessibleName()
    assert page.list.height() >= 100
