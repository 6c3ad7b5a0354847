"""Who asks, from where and since when, and whether anybody still waits for the answer."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.plain_text import plain_tip
from app.resources import Icon
from app.text import age_text, clock_text, workspace_text
from app.theme import Theme
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.clarification_card import Phase
from backend.domain.clarification import Bundle


class OverlayHeader(QWidget):
    """`collapse_wanted` from its button."""

    collapse_wanted = Signal()

    def __init__(self, view_model: ClarificationViewModel, theme: Theme) -> None:
        super().__init__()
        self._view_model = view_model
        self._theme = theme
        self._icon = QLabel()
        self._who = QLabel()
        self._who.setObjectName("questionAsker")
        self._who.setProperty("role", "strong")
        self._where = QLabel()
        self._where.setProperty("role", "muted")
        self._liveness = QLabel()
        self._liveness.setObjectName("questionLiveness")
        self._liveness.setProperty("role", "small")
        self._liveness.setWordWrap(True)
        self._more = QLabel()
        self._more.setObjectName("moreWaiting")
        self._more.setProperty("role", "attention")
        for label in (self._who, self._where, self._liveness, self._more):
            label.setTextFormat(Qt.TextFormat.PlainText)
        for label in (self._who, self._where):
            label.setMinimumWidth(1)
        # Where both do not fit, who asks is worth more than from where.
        self._where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._collapse = QToolButton()
        self._collapse.setObjectName("collapseOverlay")
        self._collapse.clicked.connect(self.collapse_wanted)
        self._arrange()
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def _arrange(self) -> None:
        px = self._theme.pixels
        first = QHBoxLayout()
        first.setSpacing(px(8))
        first.addWidget(self._who)
        first.addWidget(self._where, 1)
        self._texts = QVBoxLayout()
        self._texts.setSpacing(px(1))
        self._texts.addLayout(first)
        self._texts.addWidget(self._liveness)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(px(10))
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._texts, 1)
        row.addWidget(self._more)
        row.addWidget(self._collapse, 0, Qt.AlignmentFlag.AlignTop)

    def refresh(self) -> None:
        """Show what is true now; also called as time goes by."""
        card = self._view_model.card
        if card is None:
            return
        session = self._view_model.session
        age = age_text(card.bundle.created_at, self._view_model.clock.now())
        self._who.setText((session.agent if session is not None else "") or self.tr("An agent"))
        place = workspace_text(session.workspace) if session is not None else ""
        self._where.setText(" · ".join(part for part in (place, age) if part))
        self._where.setToolTip(plain_tip(session.workspace if session is not None else ""))
        self._liveness.setText(self._liveness_words())
        more = self._view_model.more_waiting
        self._more.setVisible(more > 0)
        self._more.setText(self.tr("%n more waiting", "", more))

    @property
    def least_height(self) -> int:
        """What it needs once it is compact."""
        return max(self._collapse.sizeHint().height(), self._icon.sizeHint().height())

    def full_height(self, width: int) -> int:
        """What it needs to say everything."""
        beside = [part for part in (self._icon, self._more, self._collapse) if not part.isHidden()]
        taken = sum(part.sizeHint().width() + self._row.spacing() for part in beside)
        words = self._liveness.heightForWidth(max(width - taken, 80))
        lines = self._who.sizeHint().height() + self._texts.spacing() + words
        return max(self.least_height, lines)

    def set_compact(self, *, compact: bool) -> None:
        """Where there is little height, the question needs it more than these words."""
        self._liveness.setVisible(not compact)
        middle, top = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignTop
        self._row.setAlignment(self._icon, middle if compact else top)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _liveness_words(self) -> str:
        card = self._view_model.card
        if card is None:
            return ""
        if card.phase is Phase.INACTIVE or not card.bundle.answerable:
            return self.tr("This question can no longer be answered.")
        if card.bundle.waiting_calls:
            words = self._patience_words(card.bundle)
        else:
            words = self._callless_words(card.bundle)
        if card.bundle.asked_again_of is not None:
            words += " " + self.tr("It has asked this again; your answer here counts.")
        expires = self._view_model.expires_at
        if expires is not None and expires > (now := self._view_model.clock.now()):
            until = clock_text(expires, now, self.locale())
            words += " " + self.tr(
                "The question expires at %1 unless you begin an answer."
            ).replace("%1", until)
        return words

    def _callless_words(self, bundle: Bundle) -> str:
        if bundle.detached and bundle.hosted:
            return self.tr(
                "The agent stopped waiting; it gets your answer when it calls again, or as its "
                "next prompt."
            )
        if bundle.detached:
            return self.tr(
                "The agent stopped waiting; your answer will be handed over when it calls again."
            )
        if bundle.hosted:
            return self.tr(
                "No call waits right now; the agent gets your answer when it calls, or as its next "
                "prompt."
            )
        return self.tr(
            "No call waits right now; your answer will be handed over when the agent calls."
        )

    def _patience_words(self, bundle: Bundle) -> str:
        if bundle.calls_end_at is None:
            if self._view_model.expire_after is not None:
                return self.tr("The agent is waiting for your answer.")
            return self.tr("The agent is waiting for your answer. There is no time limit.")
        until = clock_text(bundle.calls_end_at, bundle.calls_end_at, self.locale())
        if bundle.hosted:
            return self.tr(
                "The agent waits until %1. It gets a later answer when it calls again, or as its "
                "next prompt."
            ).replace("%1", until)
        return self.tr(
            "The agent waits until %1. An answer after that is kept until it calls again."
        ).replace("%1", until)

    def _show_icons(self) -> None:
        size = self._theme.icon_size(20)
        self._icon.setPixmap(self._theme.icon(Icon.QUESTION, "attention").pixmap(size))
        self._collapse.setIcon(self._theme.icon(Icon.EXPAND))
        self._collapse.setIconSize(self._theme.icon_size(18))

    def _retranslate(self) -> None:
        self._collapse.setAccessibleName(self.tr("Collapse the question"))
        self._collapse.setToolTip(self.tr("Collapse (Esc)"))
        self._icon.setAccessibleName(self.tr("Question"))
        self.refresh()
