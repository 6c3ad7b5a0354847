"""The question while it is collapsed: one line that opens it again."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy

from app.resources import Icon
from app.text import workspace_text
from app.theme import Theme
from app.viewmodels.clarification import ClarificationViewModel


class CollapsedBar(QPushButton):
    """44 px whatever the pointer; says how many questions wait and whose they are."""

    def __init__(self, view_model: ClarificationViewModel, theme: Theme) -> None:
        super().__init__()
        self._view_model = view_model
        self._theme = theme
        self.setObjectName("expandOverlay")
        self.setProperty("role", "bar")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._icon = QLabel()
        self._what = QLabel()
        self._what.setProperty("role", "strong")
        self._who = QLabel()
        self._who.setProperty("role", "muted")
        self._chevron = QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(*(theme.pixels(n) for n in (14, 0, 14, 0)))
        row.setSpacing(theme.pixels(10))
        for part in (self._icon, self._what, self._who, self._chevron):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            part.setTextFormat(Qt.TextFormat.PlainText)
            row.addWidget(part, 1 if part is self._who else 0)
        theme.changed.connect(self._restyle)
        self._restyle()

    def refresh(self) -> None:
        card = self._view_model.card
        if card is None:
            return
        session = self._view_model.session
        count = len(card.questions)
        draft = "" if card.sheet.blank else " · " + self.tr("your answer is kept")
        self._what.setText(self.tr("Question waiting"))
        names = [session.agent, workspace_text(session.workspace)] if session is not None else []
        counted = self.tr("%n question(s)", "", count)
        self._who.setText(" · ".join([counted, *filter(None, names)]) + draft)
        self.setAccessibleName(f"{self._what.text()} · {self._who.text()}")
        self.setAccessibleDescription(self.tr("Opens the question again"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    def _restyle(self) -> None:
        size = self._theme.icon_size(20)
        self._icon.setPixmap(self._theme.icon(Icon.QUESTION, "attention").pixmap(size))
        self._chevron.setPixmap(self._theme.icon(Icon.COLLAPSE).pixmap(self._theme.icon_size(18)))
