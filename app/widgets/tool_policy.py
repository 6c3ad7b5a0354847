"""What agents may do with one tool, and that its definition is the one meant."""

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.models.policy_words import PolicyWords
from app.theme import Theme
from app.widgets.choice_box import ChoiceBox
from app.widgets.named_button import named_button
from backend.domain.gateway import DownstreamTool
from backend.domain.policy import PolicyDecision, Risk


class ToolPolicyBox(QWidget):
    """`chosen` with a `PolicyDecision`, also to confirm the one that was set before."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._tool: DownstreamTool | None = None
        self._words = PolicyWords(self)
        self._label = QLabel()
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._box = ChoiceBox(theme)
        self._box.setObjectName("toolPolicy")
        self._box.setMinimumHeight(theme.touch_pixels)
        self._note = QLabel()
        self._note.setObjectName("toolPolicyNote")
        self._note.setWordWrap(True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._confirm = named_button("confirmDefinition")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.pixels(8))
        grid.addWidget(self._label, 0, 0)
        grid.addWidget(self._box, 0, 1)
        grid.setColumnStretch(2, 1)
        grid.addWidget(self._note, 1, 0, 1, 3)
        grid.addWidget(self._confirm, 2, 0, 1, 3, Qt.AlignmentFlag.AlignLeft)
        self._box.activated.connect(self._choose)
        self._confirm.clicked.connect(self._keep)
        self._retranslate()

    def show_tool(self, tool: DownstreamTool) -> None:
        self._tool = tool
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _choose(self, row: int) -> None:
        self.chosen.emit(PolicyDecision(self._box.itemData(row)))

    def _keep(self) -> None:
        if self._tool is not None:
            self.chosen.emit(self._tool.policy)

    def _retranslate(self) -> None:
        tool = self._tool
        self._label.setText(self.tr("Agents' calls of it"))
        for part in (self._box, self._box.view()):
            part.setAccessibleName(self.tr("What happens when an agent calls this tool"))
        destroys = tool is not None and tool.risk is Risk.DESTRUCTIVE
        with QSignalBlocker(self._box):
            self._box.clear()
            for decision in PolicyDecision:
                if not (destroys and decision is PolicyDecision.ALLOW):
                    self._box.addItem(self._words.decision(decision), decision.value)
            if tool is not None:
                self._box.setCurrentIndex(self._box.findData(tool.policy.value))
        changed = tool is not None and tool.changed
        words = ""
        if changed:
            words = self.tr(
                "The server defines this tool otherwise than when you set this. It asks until you "
                "have read the new definition and confirmed it."
            )
        elif destroys:
            words = self.tr("What may destroy is asked about every time, or denied.")
        self._note.setText(words)
        self._note.setVisible(bool(words))
        self._note.setProperty("role", "attention" if changed else "small")
        self._note.style().unpolish(self._note)
        self._note.style().polish(self._note)
        policy = "" if tool is None else self._words.decision(tool.policy)
        self._confirm.setText(self.tr("Keep “%1” for the new definition").replace("%1", policy))
        self._confirm.setAccessibleDescription(words)
        self._confirm.setVisible(changed)
