"""Pictures of the pages about what agents may do, on a fake desk with everything in it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QAbstractItemView

from app.pseudo_locale import PSEUDO
from app.theme import Scheme
from backend.clock import Nanoseconds
from backend.domain.clarification import BundleStatus, Withdrawn
from backend.domain.conversation import SessionKind
from backend.domain.gateway import ServerStatus, Transport
from backend.domain.policy import PolicyDecision, Risk, RuleScope
from backend.domain.review import Door, Owner, ReviewStatus
from backend.ids import ServerId
from tests.helpers.desk_builders import make_bundle, make_question, make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.fake_gateway import make_server, make_settings, make_tool
from tests.helpers.fake_reviews import make_review
from tests.helpers.fake_rules import make_entry, make_rule
from tests.helpers.waiting import until
from tests.helpers.window import Shown, shown_window

SETTLE: Final = 0.3
SIZE: Final = (1180, 780)
SMALL: Final = (800, 600)
_SECOND: Final = 1_000_000_000


def _ago(seconds: float) -> Nanoseconds:
    return Nanoseconds(time.time_ns() - round(seconds * _SECOND))


def full_desk() -> FakeBackend:
    """Closed and open requests, rules that hold and that do not, a record, and servers."""
    backend = FakeBackend()
    desk = backend.desk
    desk.conversations.host(make_conversation())
    for name, title in (("s1", "Exact totals"), ("s2", "Import the old orders")):
        desk.put_session(make_session(name, title=title, kind=SessionKind.HOSTED))
    endings: tuple[tuple[str, ReviewStatus, dict[str, object]], ...] = (
        ("npm run build", ReviewStatus.EXECUTED, {"result": "built in 3.1 s"}),
        ("rm -rf build", ReviewStatus.DECLINED, {"reason": "not this folder"}),
        ("git push --force", ReviewStatus.EXPIRED, {}),
        ("psql -c 'drop table orders'", ReviewStatus.OUTCOME_UNKNOWN, {}),
        ("curl https://example.org", ReviewStatus.FAILED, {"error": "exit code 6"}),
        ("make test", ReviewStatus.CANCELLED, {}),
    )
    for number, (command, status, parts) in enumerate(endings):
        review = desk.reviews.ask(make_review(command=command, at=_ago(600 * number + 90)))
        decided = status not in {ReviewStatus.EXPIRED, ReviewStatus.CANCELLED}
        door: dict[str, object] = {"door": Door.WINDOW.value, "decided_at": _ago(60)}
        desk.reviews.change(review, status, **(door if decided else {}), **parts)
    asked = make_bundle("p1", [make_question("Which database should the new service use?")])
    withdrawn = replace(
        asked, created_at=_ago(1_000), status=BundleStatus.CANCELLED, withdrawn=Withdrawn.BY_HUMAN
    )
    desk.bundles[withdrawn.pending_id] = withdrawn
    desk.rules.now = _ago(0)
    desk.rules.add(
        make_rule(hits=14, last_hit_at=_ago(300), created_at=_ago(90_000)),
        make_rule(
            scope=RuleScope.THIS_TOOL,
            server_id=ServerId("files"),
            tool_name="read_file",
            sample="read_file src/totals.py",
            created_at=_ago(3_000),
            expires_at=_ago(-3_600),
        ),
        make_rule(decision=PolicyDecision.DENY, sample="rm -rf /", created_at=_ago(7_000)),
        make_rule(sample="git commit -am wip", created_at=_ago(9_000), revoked_at=_ago(800)),
    )
    build = make_review(command="npm run build").call
    desk.rules.record(
        make_entry("approval_requested", at=_ago(400), call=build),
        make_entry(
            "approval_resolved",
            at=_ago(380),
            actor="human",
            door=Door.WINDOW.value,
            outcome="success",
            call=build,
        ),
        make_entry("call_completed", at=_ago(370), outcome="executed", call=build),
        make_entry("policy_decision", at=_ago(90), decision="allow", reason="rule", call=build),
    )
    _servers(backend)
    return backend


def _servers(backend: FakeBackend) -> None:
    tools = (
        make_tool("read_file", risk=Risk.READ, policy=PolicyDecision.ALLOW),
        make_tool("write_file", risk=Risk.WRITE),
        make_tool("delete_file", risk=Risk.DESTRUCTIVE, changed=True),
    )
    backend.desk.gateway.put(make_server("files", *tools))
    backend.desk.gateway.put(
        make_server(
            settings=make_settings(
                "search", transport=Transport.HTTP, url="https://search.example/mcp", command=()
            ),
            status=ServerStatus.FAILED,
            detail="connection refused",
        )
    )


class _Album:
    def __init__(self, shown: Shown, folder: Path) -> None:
        self._shown = shown
        self._folder = folder

    async def take(self, name: str) -> None:
        await asyncio.sleep(SETTLE)
        self._shown.window.grab().save(str(self._folder / f"{name}.png"))

    async def in_all_looks(self, name: str) -> None:
        """Light, dark, small in another language, and small with long words twice as large."""
        shown = self._shown
        await self.take(f"{name}-light")
        shown.theme.set_scheme(Scheme.DARK)
        await self.take(f"{name}-dark")
        shown.theme.set_scheme(Scheme.LIGHT)
        shown.window.resize(*SMALL)
        shown.language.use("zh_CN")
        await self.take(f"{name}-800x600-zh_CN")
        shown.language.use(PSEUDO)
        shown.theme.set_zoom(2.0)
        await self.take(f"{name}-800x600-pseudo-200")
        shown.theme.set_zoom(1.0)
        shown.language.use("en")
        shown.window.resize(*SIZE)


async def _page(shown: Shown, album: _Album, name: str, show: Callable[[], None], row: int) -> None:
    show()
    view = shown.find(f"{name}List")
    assert isinstance(view, QAbstractItemView)
    await until(lambda: view.model().rowCount() > row)
    view.setCurrentIndex(view.model().index(row, 0))
    await album.in_all_looks(name)


async def _pages(folder: Path) -> None:
    async with shown_window(full_desk(), width=SIZE[0], height=SIZE[1]) as shown:
        album, view = _Album(shown, folder), shown.view
        await _page(shown, album, "history", view.show_history, 0)
        await _page(shown, album, "rules", view.show_rules, 0)
        await _page(shown, album, "record", view.show_record, 1)
        await _page(shown, album, "servers", view.show_servers, 1)
        view.pages.servers.edit_wanted.emit(None)
        await album.in_all_looks("server-form")


async def _card(folder: Path) -> None:
    backend = full_desk()
    backend.desk.reviews.ask(
        make_review(
            command="psql -c 'update orders set total = 0' && ./publish --everything",
            owner=Owner.AGENT,
            scopes=(RuleScope.THIS_CALL,),
            decline_scopes=(RuleScope.THIS_CALL,),
            at=_ago(20),
        )
    )
    async with shown_window(backend, width=SIZE[0], height=SIZE[1]) as shown:
        album = _Album(shown, folder)
        await until(lambda: shown.find("reviewCard").isVisible())
        await album.in_all_looks("review-card")


async def draw_pages(folder: Path) -> None:
    scenes: tuple[Callable[[Path], Awaitable[None]], ...] = (_pages, _card)
    for scene in scenes:
        await scene(folder)
