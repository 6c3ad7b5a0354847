"""Where a Quick Chat begins: an agent and the first words."""

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.agent_text import start_error_text
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.new_session import NewSessionViewModel, StartPhase
from app.viewmodels.preferences import Preferences
from app.widgets.announcing import announce
from app.widgets.choice_box import ChoiceBox
from app.widgets.composer_edit import ComposerEdit
from app.widgets.touch import TouchLayout
from backend.ids import AgentKey


class QuickStart(QWidget):
    """What is put in stays until a conversation was made of it."""

    def __init__(
        self,
        view_model: NewSessionViewModel,
        preferences: Preferences,
        theme: Theme,
        touch: TouchLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self._theme = theme
        self._touch = touch
        self._said = ""
        self._note = QLabel()
        self._note.setProperty("role", "muted")
        self._note.setWordWrap(True)
        self._agents = ChoiceBox(theme)
        self._agents.setObjectName("quickAgent")
        self._prompt = ComposerEdit(theme, preferences)
        self._prompt.setObjectName("quickPrompt")
        self._problem = QLabel()
        self._problem.setObjectName("quickProblem")
        self._problem.setProperty("role", "danger")
        self._problem.setWordWrap(True)
        self._problem.setTextFormat(Qt.TextFormat.PlainText)
        self._start = QPushButton()
        self._start.setObjectName("startQuickChat")
        self._start.setProperty("role", "primary")
        self._build()
        view_model.changed.connect(self._refresh)
        self._agents.activated.connect(self._choose)
        self._prompt.edited.connect(view_model.set_prompt)
        self._prompt.send_wanted.connect(self._start_now)
        self._start.clicked.connect(self._start_now)
        theme.changed.connect(self._show_icon)
        touch.changed.connect(self._show_touch)
        self._show_icon()
        self._show_touch()
        self._retranslate()

    def focus_editor(self) -> None:
        self._prompt.setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        row = QHBoxLayout()
        row.setSpacing(px(8))
        row.addWidget(self._agents, 1)
        row.addWidget(self._start)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(16), px(16), px(16), px(16))
        column.setSpacing(px(8))
        column.addStretch(1)
        for part in (self._note, self._prompt, self._problem):
            column.addWidget(part)
        column.addLayout(row)

    def _choose(self, index: int) -> None:
        self._view_model.choose_agent(AgentKey(str(self._agents.itemData(index))))

    def _start_now(self) -> None:
        if not self._prompt.composing:
            self._view_model.start()

    def _refresh(self) -> None:
        model = self._view_model
        found = [offer for offer in model.offers if offer.command is not None]
        with QSignalBlocker(self._agents):
            self._agents.clear()
            for offer in found:
                self._agents.addItem(offer.name, offer.key)
            self._agents.setCurrentIndex(self._agents.findData(model.agent))
        self._prompt.show_text(model.prompt)
        self._start.setEnabled(model.can_start and bool(model.prompt.strip()))
        starting = model.phase is StartPhase.STARTING
        self._start.setText(self.tr("Starting…") if starting else self.tr("Start"))
        words = start_error_text(model.error) if model.error is not None else ""
        if model.phase is StartPhase.UNKNOWN:
            words = self.tr("It is not known whether this was started. Start tries again.")
        if model.loaded and not found:
            words = self.tr("No agent was found on this machine.")
        self._problem.setText(words)
        self._problem.setVisible(bool(words))
        if words != self._said:
            self._said = words
            announce(self, words, urgent=True)

    def _show_icon(self) -> None:
        self._start.setIcon(self._theme.button_icon(Icon.SEND, "on_accent"))
        self._start.setIconSize(self._theme.button_icon_size)

    def _show_touch(self) -> None:
        theme, touch = self._theme, self._touch.on
        self._prompt.show_for(touch=touch)
        self._agents.setMinimumHeight(theme.touch_pixels if touch else theme.pixels(30))

    def _retranslate(self) -> None:
        self._note.setText(
            self.tr(
                "A conversation without a project. It is kept for seven days after its last use, "
                "or for good once you pin it."
            )
        )
        self._agents.setAccessibleName(self.tr("Agent"))
        self._agents.view().setAccessibleName(self.tr("Agent"))
        self._prompt.setAccessibleName(self.tr("First message"))
        self._prompt.setPlaceholderText(self.tr("Ask an agent…"))
        self._refresh()
