"""Who asks for what, where it would run, and in whose words."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.models.policy_words import PolicyWords
from app.models.review_content import description_of, folder_of
from app.models.review_words import ReviewWords
from app.plain_text import plain_tip
from app.resources import Icon
from app.text import age_text
from app.theme import Theme
from app.viewmodels.reviews import ReviewCard
from backend.domain.conversation import SessionSummary
from backend.domain.policy import Risk
from backend.domain.review import Owner, Review, ReviewStatus


class ReviewHeader(QWidget):
    """`refresh` also as time goes by."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._card: ReviewCard | None = None
        self._session: SessionSummary | None = None
        self._now = 0
        self._low = False
        self._texts = ReviewWords(self)
        self._policy = PolicyWords(self)
        self._icon = QLabel()
        self._what = _label("reviewTitle", "strong")
        self._risk = _label("reviewRisk", "small")
        self._where = _label("reviewFolder", "small")
        self._why = _label("reviewDescription", "small")
        self._more = _label("moreReviews", "attention", wraps=False)
        words = QVBoxLayout()
        words.setSpacing(theme.pixels(2))
        for label in (self._what, self._risk, self._where, self._why):
            words.addWidget(label)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.pixels(10))
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        theme.changed.connect(self._show_icon)
        self._show_icon()

    def refresh(
        self, card: ReviewCard, session: SessionSummary | None, *, more: int, now: int
    ) -> None:
        self._card, self._session, self._now = card, session, now
        self._more.setText(self.tr("%n more waiting", "", more))
        self._more.setVisible(more > 0)
        self._show()

    def set_low(self, *, low: bool) -> None:
        """Where there is little height, what the agent says of it is left to the transcript."""
        self._low = low
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        card = self._card
        if card is None:
            return
        review = card.review
        self._what.setText(self._texts.what(review))
        title = self._session.title if self._session is not None else ""
        folder = folder_of(review)
        age = age_text(review.asked_at, self._now)
        waits = review.status is ReviewStatus.PENDING
        expiry = self._texts.expiry(review, self._now) if waits else ""
        place = self.tr("in %1").replace("%1", folder) if folder else ""
        self._where.setText(" · ".join(part for part in (place, title, age, expiry) if part))
        self._show_risk(review)
        self._where.setToolTip(plain_tip(folder))
        why = description_of(review.call)
        self._why.setText(self.tr("The agent says: %1").replace("%1", _short(why)))
        self._why.setToolTip(plain_tip(why))
        self._why.setVisible(bool(why) and not self._low)

    def _show_risk(self, review: Review) -> None:
        """What the call may do, and who would carry it out; a danger is told in the least room."""
        destroys = review.risk is Risk.DESTRUCTIVE
        words = [self._policy.risk(review.risk)]
        if review.owner is Owner.GATEWAY:
            server = self.tr("Kandesk runs it on the server %1")
            words.append(server.replace("%1", review.server_name))
        self._risk.setText(" · ".join(words))
        self._risk.setVisible(destroys or not self._low)
        role = "danger" if destroys else "small"
        if self._risk.property("role") != role:
            self._risk.setProperty("role", role)
            self._risk.style().unpolish(self._risk)
            self._risk.style().polish(self._risk)

    def _show_icon(self) -> None:
        size = self._theme.icon_size()
        self._icon.setPixmap(self._theme.icon(Icon.PERMISSION, "attention").pixmap(size))


def _short(words: str) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"


_LONGEST = 300


def _label(name: str, role: str, *, wraps: bool = True) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wraps)
    if wraps:
        label.setMinimumWidth(1)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label
