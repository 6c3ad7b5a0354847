"""Why the agent cannot go on, or is doubted, and what can be done about it."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.agent_text import problem_text, telling_line
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.composer import ComposerViewModel
from app.widgets.announcing import announce
from app.widgets.named_button import named_button
from app.widgets.one_line import OneLine
from backend.domain.hosted import AgentProblem, AgentStatus, Conversation

_RUNS: Final = frozenset(
    {AgentStatus.STARTING, AgentStatus.READY, AgentStatus.WORKING, AgentStatus.STOPPING}
)
_LEAST_WORDS: Final = 340
"""Pixels the words keep beside the buttons, or the buttons go below."""


class TroubleBar(QFrame):
    """One trouble at a time; hidden when there is none."""

    def __init__(
        self, view_model: ComposerViewModel, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("troubleBar")
        self.setProperty("tone", "attention")
        self._view_model = view_model
        self._theme = theme
        self._said = ""
        self._narrow = False
        self._icon = QLabel()
        self._words = QLabel()
        self._words.setObjectName("troubleText")
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._reason = OneLine()
        self._reason.setObjectName("troubleReason")
        self._reason.setProperty("role", "small")
        self._details = QPlainTextEdit()
        self._details.setObjectName("troubleDetails")
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._details.hide()
        self._show_details = named_button("troubleDetailsButton")
        self._end = named_button("endAgent")
        self._anew = named_button("startAnew")
        self._take_back = named_button("takeMessageBack")
        self._resume = named_button("resumeAgent")
        self._build()
        self._resume.clicked.connect(self._resume_now)
        self._anew.clicked.connect(self._start_anew)
        self._end.clicked.connect(view_model.end_agent)
        self._take_back.clicked.connect(view_model.withdraw)
        self._show_details.clicked.connect(self._toggle_details)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.refresh()

    def refresh(self) -> None:
        conversation = self._view_model.conversation
        trouble = conversation.trouble if conversation is not None else None
        unsent = self._view_model.unsent is not None
        self.setVisible(trouble is not None or unsent)
        self._retranslate_buttons()
        if conversation is None or (trouble is None and not unsent):
            self._said = ""
            return
        words = self._say(conversation, unsent=unsent)
        self._words.setText(words)
        detail = "" if trouble is None else trouble.detail
        reason = telling_line(detail)
        self._reason.show_text(reason)
        self._reason.setVisible(bool(reason))
        if self._details.toPlainText() != detail:
            self._details.setPlainText(detail)
        running = conversation.status in _RUNS
        problem = None if trouble is None else trouble.problem
        lost = problem is AgentProblem.LOAD_FAILED
        self._show_details.setVisible(bool(detail))
        self._details.setVisible(bool(detail) and not self._details.isHidden())
        self._end.setVisible(running and problem is not AgentProblem.OUTCOME_UNKNOWN)
        self._take_back.setVisible(unsent)
        self._resume.setVisible(not running and not lost)
        self._anew.setVisible(not running and lost)
        self._place_buttons()
        said = f"{words} {reason}".strip()
        if said != self._said:
            self._said = said
            self.setAccessibleName(words)
            self.setAccessibleDescription(reason)
            announce(self, said, urgent=True)

    def set_narrow(self, *, narrow: bool) -> None:
        """Buttons below the words; also where their words leave those too little room."""
        self._narrow = narrow
        self._place_buttons()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def _place_buttons(self) -> None:
        left = self.width() - self._buttons.sizeHint().width()
        below = self._narrow or left < self._theme.pixels(_LEAST_WORDS)
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if below else direction.LeftToRight)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        lines = QVBoxLayout()
        lines.setSpacing(px(2))
        lines.addWidget(self._words)
        lines.addWidget(self._reason)
        words = QHBoxLayout()
        words.setSpacing(px(10))
        words.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        words.addLayout(lines, 1)
        self._buttons = buttons = QHBoxLayout()
        buttons.setSpacing(px(8))
        buttons.addStretch(1)
        for button in (
            self._show_details,
            self._end,
            self._take_back,
            self._anew,
            self._resume,
        ):
            buttons.addWidget(button)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(px(8))
        self._row.addLayout(words, 1)
        self._row.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(14), px(6), px(8), px(6))
        column.addLayout(self._row)
        column.addWidget(self._details)

    def _say(self, conversation: Conversation, *, unsent: bool) -> str:
        trouble = conversation.trouble
        parts = []
        if trouble is not None:
            parts.append(problem_text(trouble.problem, conversation.agent_name))
        if unsent:
            parts.append(self.tr("Your message was not sent; it waits until the agent runs."))
        return " ".join(parts)

    def _resume_now(self) -> None:
        self._view_model.resume()

    def _start_anew(self) -> None:
        self._view_model.resume(anew=True)

    def _toggle_details(self) -> None:
        self._details.setVisible(self._details.isHidden())
        self._retranslate_buttons()

    def _restyle(self) -> None:
        size = self._theme.icon_size(18)
        self._icon.setPixmap(self._theme.icon(Icon.WARNING, "attention").pixmap(size))
        self._details.setFont(self._theme.fixed_font())
        self._details.setFixedHeight(self._theme.pixels(96))

    def _retranslate_buttons(self) -> None:
        closed = self._details.isHidden()
        self._show_details.setText(self.tr("Show details") if closed else self.tr("Hide details"))
        self._resume.setText(self.tr("Resume"))
        self._anew.setText(self.tr("Start anew"))
        self._end.setText(self.tr("Stop agent"))
        self._take_back.setText(self.tr("Take message back"))
        self._details.setAccessibleName(self.tr("Details of the trouble"))
