"""What a conversation ends with: a late answer, and the composer or why there is none."""

from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.agent_text import mode_text
from app.theme import Theme
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.composer import ComposerMode, ComposerViewModel
from app.viewmodels.preferences import Preferences
from app.widgets.composer_box import ComposerBox
from app.widgets.late_answer_form import LateAnswerForm
from app.widgets.overlay_slot import OverlaySlot
from app.widgets.touch import TouchLayout
from backend.ids import SessionId

_ROOMY: Final = 400
_EXPLAINED: Final = frozenset({ComposerMode.GUEST, ComposerMode.NOT_HOSTED})


class ChatFoot(QWidget):
    """Tell it how tall the chat is: where there is little height it says less."""

    def __init__(
        self,
        view_model: ComposerViewModel,
        clarification: ClarificationViewModel,
        preferences: Preferences,
        theme: Theme,
        touch: TouchLayout,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._view_model = view_model
        self._theme = theme
        self._height = 0
        self._wanted_in: SessionId | None = None
        self.composer = ComposerBox(view_model, preferences, theme, touch)
        self.late = LateAnswerForm(clarification, theme, touch)
        self._late_slot = OverlaySlot(self.late, theme, handle="lateAnswerHandle")
        self._line = QLabel()
        self._line.setObjectName("guestLine")
        self._line.setProperty("role", "small")
        self._line.setWordWrap(True)
        self._line.setAlignment(Qt.AlignmentFlag.AlignCenter)
        px = theme.pixels
        self._line.setContentsMargins(px(24), px(8), px(24), px(10))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._late_slot)
        column.addWidget(self.composer)
        column.addWidget(self._line)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        view_model.changed.connect(self._refresh)
        self._refresh()

    def set_chat_height(self, height: int) -> None:
        self._height = height
        self.composer.set_chat_height(height)
        self._late_slot.set_chat_height(height)
        self._refresh()

    def focus_editor(self) -> bool:
        """Put the keyboard where a message is written; False when there is no such place yet.

        While it is being read whether there is one, the keyboard comes when it is known.
        """
        self._wanted_in = self._view_model.session_id
        if self.composer.isVisible():
            self._wanted_in = None
            self.composer.focus_editor()
            return True
        return False

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._refresh()
        super().changeEvent(event)

    def _refresh(self) -> None:
        """It explains; where there is little height a question needs it more."""
        mode = self._view_model.mode
        roomy = self._height >= self._theme.pixels(_ROOMY)
        self._line.setText(mode_text(mode, ""))
        self._line.setVisible(mode in _EXPLAINED and roomy)
        wanted, self._wanted_in = self._wanted_in, None
        if wanted is not None and wanted == self._view_model.session_id:
            if self.composer.isVisible():
                self.composer.focus_editor()
            elif mode is ComposerMode.LOADING:
                self._wanted_in = wanted
