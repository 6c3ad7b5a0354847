"""A view model of permissions on a fake desk, with a clock that is moved by hand."""

from PySide6.QtCore import QObject

from app.tasks import WindowTasks
from app.viewmodels.reviews import ReviewsViewModel
from backend.errors import AppError
from backend.ids import ClientId, SessionId
from tests.helpers.clarification_case import deadline_on
from tests.helpers.clock import FakeClock
from tests.helpers.desk_builders import make_session
from tests.helpers.fake_backend import FakeBackend
from tests.helpers.fake_reviews import FakeReviews


class ReviewCase:
    """The view model under test, the desk behind it, and short words for both."""

    def __init__(self, backend: FakeBackend | None = None, owner: QObject | None = None) -> None:
        self.backend = backend or FakeBackend()
        self.clock = FakeClock()
        self.errors: list[AppError] = []
        self.owner = owner or QObject()
        self.tasks = WindowTasks(self.errors.append)
        self.view_model = ReviewsViewModel(
            self.backend,
            clock=self.clock,
            deadline=lambda seconds: deadline_on(self.clock, seconds),
            background=self.tasks,
            client_id=ClientId("window-1"),
            parent=self.owner,
        )
        self.backend.desk.put_session(make_session("s1"))

    @property
    def reviews(self) -> FakeReviews:
        return self.backend.desk.reviews

    async def show(self, session: str = "s1") -> None:
        await self.view_model.load()
        self.view_model.show_session(SessionId(session))
