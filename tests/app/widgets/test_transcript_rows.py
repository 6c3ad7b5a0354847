"""Every kind of row: its line, what it opens, its words for those who do not see it."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QInputDevice
from PySide6.QtTest import QTest

from app.models.result_text import MOST
from app.theme import TOUCH_PIXELS
from app.widgets.message_delegate import MessageDelegate
from app.widgets.row_layout import RowLayout
from app.widgets.transcript_view import TranscriptView
from backend.domain.clarification import Delivery
from backend.domain.conversation import Message, SessionKind
from backend.domain.session_notice import SessionNotice
from backend.domain.turn_end import TurnNotice
from tests.helpers.desk_builders import make_message, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.hosted_rows import (
    command_row,
    edit_row,
    every_kind,
    permission_row,
    tool_row,
)
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window


def _put(backend: FakeBackend, *rows: Message) -> None:
    backend.desk.put_session(make_session("s1", kind=SessionKind.HOSTED))
    backend.desk.add_messages(*rows)


async def _view(shown: Shown) -> TranscriptView:
    view = shown.find("transcriptView")
    assert isinstance(view, TranscriptView)
    await until(lambda: view.model().rowCount() > 0)
    view.executeDelayedItemsLayout()
    return view


def _layout(view: TranscriptView, row: int = 0) -> RowLayout:
    delegate = view.itemDelegate()
    assert isinstance(delegate, MessageDelegate)
    return delegate.row_layout(view.model().index(row, 0))


def _words(view: TranscriptView, row: int = 0) -> str:
    """Everything that is painted of a row."""
    layout = _layout(view, row)
    texts = [piece.text for piece in layout.texts]
    return "\n".join(texts + [piece.source.document.toPlainText() for piece in layout.documents])


def _spoken(view: TranscriptView, row: int = 0) -> str:
    return str(view.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole))


async def _open(view: TranscriptView, row: int = 0) -> None:
    before = _words(view, row)
    view.setCurrentIndex(view.model().index(row, 0))
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Return)
    view.executeDelayedItemsLayout()
    assert _words(view, row) != before


async def test_every_kind_of_row_is_painted_and_spoken(backend: FakeBackend) -> None:
    """kandev-app.md b.4: kind, state and content of each are in words."""
    _put(backend, *every_kind())
    async with shown_window(backend) as shown:
        view = await _view(shown)
        for row in range(view.model().rowCount()):
            view.scrollTo(view.model().index(row, 0))
            assert not view.grab().isNull()
            assert view.visualRect(view.model().index(row, 0)).height() > 0
        spoken = [_spoken(view, row) for row in range(view.model().rowCount())]
        for words in (
            "Agent, Status: The agent has started",
            "You: Please make the order total exact.",
            "Agent, Thought: The sum uses floats.",
            "Agent, To-do list, 1 of 3 done: Done: Read the orders module",
            "Agent, Plan: 1. Read",
            "Agent, Read, Done: shop/orders.py",
            "Agent, Search, Running: total(",
            "Agent, Tool, Failed: Look up prices",
            "Agent, Edit, Done: shop/orders.py",
            "Agent, Run, Done: python -m pytest",
            "Agent, Permission, Waiting for you: Push to origin",
            "Agent, Permission, Approved: Push to origin",
            "Agent, Permission, Declined: Push to origin",
            "Agent, Permission, Outcome unknown: Push to origin",
            "Agent, Warning: The context is nearly full.",
            "Agent, Error: The agent has ended by itself.",
            "Agent: A row of the kind “hologram”",
            "Agent: I have made `total` exact",
        ):
            assert any(text.startswith(words) for text in spoken), words


async def test_instructions_hidden_for_the_agent_are_not_shown(backend: FakeBackend) -> None:
    text = "<kandev-system>secret\nrules</kandev-system>\n\nHello <kandev-system>more"
    _put(backend, make_message("u", text, author="user"))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert _words(view).splitlines()[-1] == "Hello"
        assert _spoken(view) == "You: Hello"


async def test_the_agents_own_words_are_never_cut_by_that_rule(backend: FakeBackend) -> None:
    _put(backend, make_message("a", "It sends <kandev-system>x</kandev-system>."))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "<kandev-system>x</kandev-system>" in _words(view)
        assert "<kandev-system>x</kandev-system>" in _spoken(view)


async def test_what_was_attached_is_named(backend: FakeBackend) -> None:
    metadata = {
        "attachments": [{"type": "image", "name": "shot.png"}],
        "context_files": [{"path": "shop/orders.py", "name": ""}],
    }
    _put(backend, make_message("u", "See.", author="user", metadata=metadata))
    async with shown_window(backend) as shown:
        words = _words(await _view(shown))
        assert "shot.png" in words
        assert "shop/orders.py" in words


async def test_a_thought_is_one_line_until_it_is_opened(backend: FakeBackend) -> None:
    text = "First **things** first.\n\n" + "Then the rest. " * 60
    _put(backend, make_message("t", "", kind="thinking", metadata={"thinking": text}))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert not _layout(view).documents
        assert "First things first." in _words(view)
        await _open(view)
        assert "Then the rest." in _words(view)
        await _open(view)
        assert not _layout(view).documents


async def test_a_command_shows_its_end_and_all_of_it_on_demand(backend: FakeBackend) -> None:
    output = "\n".join(f"line {number}" for number in range(1, 101))
    _put(backend, command_row("c", output=output, exit_code=2, status="failed"))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "Failed · exit code 2" in _words(view)
        assert not _layout(view).documents
        await _open(view)
        words = _words(view)
        assert "line 100" in words
        assert "line 88\n" not in words
        assert "Show all 100 lines" in words
        assert "In /home/ann/shop" in words
        show_all = _layout(view).targets[1].rect.center().toPoint()
        place = view.visualRect(view.model().index(0, 0)).topLeft() + show_all
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
        view.executeDelayedItemsLayout()
        assert "line 1\n" in _words(view)
        assert "Show less" in _words(view)


async def test_a_large_output_is_shown_in_part_and_copied_whole(backend: FakeBackend) -> None:
    output = "\n".join(f"line {number}" for number in range(50_000))
    _put(backend, command_row("c", output=output))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        await _open(view)
        delegate = view.itemDelegate()
        assert isinstance(delegate, MessageDelegate)
        view.menu(view.model().index(0, 0), QPoint(0, 0)).actions()[-1].trigger()
        view.executeDelayedItemsLayout()
        words = _words(view)
        assert "Only the last 2000 lines are shown" in words
        assert len(words) < 110_000
        piece = _layout(view).documents[-2]
        assert piece.copied == output


async def test_an_edit_shows_what_changed_line_by_line(backend: FakeBackend) -> None:
    _put(backend, edit_row("e"))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "shop/orders.py +3 -5" in _words(view)
        await _open(view)
        assert "- def total(orders):" in _words(view)
        assert "+ def total(orders: list[Order]) -> Decimal:" in _words(view)
        view.menu(view.model().index(0, 0), QPoint(0, 0)).actions()[0].trigger()
        assert "-def total(orders):" in QGuiApplication.clipboard().text()


async def test_changes_stored_by_another_desk_are_shown_too(backend: FakeBackend) -> None:
    """kandev-app.md b.4: normalized.mutations."""
    mutations = [
        {"type": "patch", "diff": "@@ -1 +1 @@\n-old line\n+new line"},
        {"type": "create", "content": "created line", "new_path": "b.py"},
    ]
    payload = {"kind": "modify_file", "modify_file": {"file_path": "a.py", "mutations": mutations}}
    _put(backend, tool_row("e", "tool_edit", "a.py", normalized=payload))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        await _open(view)
        words = _words(view)
        for line in ("- old line", "+ new line", "b.py  +1 -0", "+ created line"):
            assert line in words


async def test_a_tool_shows_what_it_was_given_where_and_what_it_said(backend: FakeBackend) -> None:
    row = tool_row(
        "t",
        "tool_call",
        "Look up",
        status="in_progress",
        raw_input={"product": "tea"},
        raw_output={"price": 3},
        locations=[{"path": "prices.py", "line": 7}],
    )
    _put(backend, row)
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "Running" in _words(view)
        await _open(view)
        for words in ('"product": "tea"', '"price": 3', "prices.py:7"):
            assert words in _words(view)


@pytest.mark.parametrize(
    ("word", "shown_as"),
    [
        ("pending", "Not started"),
        ("pending_permission", "Waits for permission"),
        ("running", "Running"),
        ("complete", "Done"),
        ("errored", "Failed"),
        ("cancelled", "Cancelled"),
        ("interrupted", "Interrupted"),
        ("expired", "Expired"),
        ("levitating", "levitating"),
    ],
)
async def test_the_state_of_a_tool_is_told_in_words(
    backend: FakeBackend, word: str, shown_as: str
) -> None:
    """kandev-app.md b.4, the values to accept; one nobody knows is shown as it is."""
    _put(backend, tool_row("t", "tool_call", "Do it", status=word))
    async with shown_window(backend) as shown:
        assert shown_as in _words(await _view(shown)).splitlines()


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        ("", "Waiting for you"),
        ("approved", "Approved"),
        ("executed", "Succeeded"),
        ("declined", "Declined"),
        ("cancelled", "Cancelled"),
        ("outcome_unknown", "Outcome unknown"),
    ],
)
async def test_the_verdict_of_a_permission_is_told_in_words(
    backend: FakeBackend, status: str, verdict: str
) -> None:
    _put(backend, permission_row("p", status))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert verdict in _words(view)
        if status:
            await _open(view)
        assert "git push origin main" in _words(view)


@pytest.mark.parametrize(
    ("status", "result", "verdict"),
    [
        ("approved", "accepted", "Approved"),
        ("approved", "indeterminate", "Outcome unknown"),
        ("rejected", "accepted", "Declined"),
        ("expired", "expired", "Expired"),
        ("levitating", "", "Outcome unknown"),
    ],
)
async def test_a_permission_of_another_desk_has_its_verdict_too(
    backend: FakeBackend, status: str, result: str, verdict: str
) -> None:
    """kandev-app.md b.4: status and permission_resolution."""
    metadata = {
        "status": status,
        "options": [{"option_id": "a", "name": "Always allow", "kind": "allow_always"}],
        "permission_resolution": {"result": result, "option_id": "a"},
    }
    _put(backend, make_message("p", "Delete it", kind="permission_request", metadata=metadata))
    async with shown_window(backend) as shown:
        assert f"{verdict} · Always allow" in _words(await _view(shown))


async def test_a_permission_shows_what_came_of_it_and_which_door_decided(
    backend: FakeBackend,
) -> None:
    """tool-review.md: the result behind the status line; a tool's words are never markup."""
    result = '{"deleted": ["<b>a</b>"], "text": "' + "x" * (MOST + 5) + '"}'
    metadata = {
        "status": "approved",
        "permission_resolution": {"result": "accepted", "source": "rule"},
        "kandesk": {"review_status": "executed", "result": result, "error": "exit code 6"},
    }
    _put(backend, make_message("p", "Delete it", kind="permission_request", metadata=metadata))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "by a rule" not in _words(view), "told when it is opened"
        view.setCurrentIndex(view.model().index(0, 0))
        QTest.keyClick(view, Qt.Key.Key_Return)
        await until(lambda: "Decided by a rule" in _words(view))
        words = _words(view)
        assert "Exit code 6" in words
        assert "written by the tool" in words
        assert "<b>a</b>" in words
        assert "are not shown" in words


@pytest.mark.parametrize(
    ("delivery", "words"),
    [
        (Delivery.WAITING_FOR_AGENT, "Approved · saved, waiting for the agent"),
        (Delivery.UNKNOWN, "Approved · saved, delivery not confirmed"),
        (Delivery.DELIVERED, "Approved"),
        (None, "Approved"),
    ],
)
async def test_a_permission_says_where_its_outcome_is_until_its_agent_has_it(
    backend: FakeBackend, delivery: Delivery | None, words: str
) -> None:
    """T1.4: the words of answers."""
    metadata = {"status": "approved", "permission_resolution": {"result": "accepted"}}
    message = make_message("p", "Delete it", kind="permission_request", metadata=metadata)
    _put(backend, replace(message, delivery=delivery))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert words in _words(view)
        assert ("saved" in _words(view)) == ("saved" in words)
        assert f"Permission, {words}" in _spoken(view)


@pytest.mark.parametrize("notice", [*TurnNotice, *SessionNotice])
async def test_what_the_desk_tells_is_in_the_windows_words(
    backend: FakeBackend, notice: TurnNotice | SessionNotice
) -> None:
    metadata = {"variant": "warning", "kandesk": {"notice": notice.value, "detail": "E-42"}}
    _put(backend, make_message("s", "for the store", kind="status", metadata=metadata))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "for the store" not in _words(view)
        if notice not in (TurnNotice.OTHER_STOP, TurnNotice.PROMPT_FAILED):
            assert "E-42" not in _words(view)
            await _open(view)
        assert "E-42" in _words(view)
        assert "for the store" not in _spoken(view)


async def test_an_update_without_a_usable_name_is_called_what_its_agent_called_it(
    backend: FakeBackend,
) -> None:
    own = {"kandesk": {"kind": "Beam-Up", "payload": {"depth": 3}}}
    _put(backend, make_message("o", "Beam-Up", kind="unknown_update", metadata=own))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert _words(view).count("Beam-Up") == 1
        await _open(view)
        assert '"depth": 3' in _words(view)


async def test_output_in_a_code_block_is_shown_without_its_fences(backend: FakeBackend) -> None:
    content = [{"type": "text", "text": "```console\n29 passed\n```"}]
    row = tool_row("t", "tool_execute", "pytest", doing="execute", content=content)
    _put(backend, row)
    async with shown_window(backend) as shown:
        view = await _view(shown)
        await _open(view)
        assert "29 passed" in _words(view)
        assert "```" not in _words(view)


async def test_what_was_too_long_to_be_kept_says_so(backend: FakeBackend) -> None:
    content = [{"type": "text", "text": "the beginning"}]
    _put(backend, tool_row("t", "tool_call", "Big", content=content, truncated=["content"]))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        await _open(view)
        assert "too long to be kept" in _words(view)


async def test_an_error_keeps_what_the_program_wrote_folded(backend: FakeBackend) -> None:
    own = {"kandesk": {"stderr_tail": "MemoryError"}}
    _put(backend, make_message("e", "It has ended.", kind="error", metadata=own))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "It has ended." in _words(view)
        assert "MemoryError" not in _words(view)
        await _open(view)
        assert "MemoryError" in _words(view)


async def test_a_row_nobody_knows_is_named_and_tells_its_data_on_demand(
    backend: FakeBackend,
) -> None:
    """peers.md 40: never silence."""
    _put(backend, make_message("o", "beam", kind="hologram", metadata={"depth": 3}))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "hologram" in _words(view)
        assert "beam" in _words(view)
        assert '"depth": 3' not in _words(view)
        await _open(view)
        assert '"depth": 3' in _words(view)


async def test_a_long_status_is_broken_and_not_cut(backend: FakeBackend) -> None:
    """window.md, Hands: no hover-only information."""
    _put(backend, make_message("s", "very " * 100 + "long", kind="status"))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert _words(view).endswith("long")
        assert len(_layout(view).documents) == 1


async def test_a_title_that_is_cut_is_whole_in_the_opened_row(backend: FakeBackend) -> None:
    title = "Look up " + "a very long name " * 20 + "end"
    _put(backend, tool_row("t", "tool_call", title, raw_input={"a": 1}))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert "end" not in _words(view)
        await _open(view)
        assert title in _words(view)


async def test_what_opens_is_as_tall_as_a_finger_where_fingers_are_used(
    backend: FakeBackend,
) -> None:
    """window.md, Hands: every control at least 44 x 44."""
    _put(backend, *every_kind())
    async with shown_window(backend) as shown:
        view = await _view(shown)
        view.set_touch(touch=True)
        view.executeDelayedItemsLayout()
        targets = [
            target.rect
            for row in range(view.model().rowCount())
            for target in _layout(view, row).targets
        ]
        assert targets
        assert all(min(rect.width(), rect.height()) >= TOUCH_PIXELS for rect in targets)


async def test_a_touch_opens_a_row_and_a_drag_does_not(backend: FakeBackend) -> None:
    _put(backend, command_row("c"))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        finger = QTest.createTouchDevice(QInputDevice.DeviceType.TouchScreen)
        line = _layout(view).targets[0].rect.center().toPoint()
        place = view.viewport().mapTo(shown.window, line)
        QTest.touchEvent(shown.window, finger).press(1, place).commit()
        QTest.touchEvent(shown.window, finger).release(1, place).commit()
        await until(lambda: "29 passed" in _words(view))
        QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=line)
        QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=line + QPoint(60, 0))
        view.executeDelayedItemsLayout()
        assert "29 passed" in _words(view)


async def test_the_name_of_the_agent_stands_where_its_turn_begins(backend: FakeBackend) -> None:
    _put(
        backend,
        make_message("u", "Hello", author="user", created=1),
        tool_row("t", "tool_read", "a.py", created=2),
        make_message("s", "resumed", kind="status", created=3),
        make_message("a", "Done.", created=4),
    )
    async with shown_window(backend) as shown:
        view = await _view(shown)
        named = ["claude-code" in _words(view, row) for row in range(4)]
        assert named == [False, True, False, False]


async def test_rules_at_the_beginning_do_not_hide_what_follows(backend: FakeBackend) -> None:
    _put(backend, make_message("a", "---\nname: x\n---\nbody"))
    async with shown_window(backend) as shown:
        words = _words(await _view(shown))
        assert "name: x" in words
        assert "body" in words


async def test_code_that_was_cut_into_pieces_is_copied_whole(backend: FakeBackend) -> None:
    lines = [f"value_{number} = {number}" for number in range(500)]
    code = "\n".join(lines)
    _put(backend, make_message("a", f"Look:\n\n```python\n{code}\n```\n\nThat is all."))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        layout = _layout(view)
        assert len(layout.documents) > 1
        first, last = layout.documents[0].rect, layout.documents[-1].rect
        assert layout.code_at(first.bottomLeft() + QPoint(40, -12).toPointF()) == code
        assert layout.code_at(last.topLeft() + QPoint(40, 12).toPointF()) == code


async def test_the_menu_holds_whatever_a_press_does(backend: FakeBackend) -> None:
    _put(backend, command_row("c"))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        index = view.model().index(0, 0)
        opening = view.menu(index, QPoint(0, 0)).actions()[-1]
        assert opening.text() == "Open the row"
        opening.trigger()
        view.executeDelayedItemsLayout()
        names = [action.text() for action in view.menu(index, QPoint(0, 0)).actions()]
        assert names[-2:] == ["Close the row", "Show all 31 lines"]


async def test_a_list_of_hundreds_takes_few_documents_and_shows_every_entry(
    backend: FakeBackend,
) -> None:
    """Each change of it lays all of it out again: the window must not stand still for that."""
    todos = [{"text": f"entry {number}", "status": "pending"} for number in range(500)]
    _put(backend, make_message("t", "Updated Todos", kind="todo", metadata={"todos": todos}))
    async with shown_window(backend) as shown:
        view = await _view(shown)
        assert len(_layout(view).documents) < 60
        words = _words(view)
        assert all(f"entry {number}" in words for number in range(500))
        assert "To do · entry 499" in words
