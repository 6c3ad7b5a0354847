"""Until when a rule holds: chosen here, counted from the moment it is chosen."""

from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.theme import Theme
from app.widgets.choice_box import ChoiceBox
from backend.domain.policy import Rule

HOUR: Final = 3_600.0
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY
_KEEP: Final = "keep"
_NEVER: Final = "never"


class RuleEnd(QWidget):
    """`chosen` with seconds from now, or None for no end."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._has_end = False
        self._label = QLabel()
        self._box = ChoiceBox(theme)
        self._box.setObjectName("ruleEnd")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.pixels(8))
        row.addWidget(self._label)
        row.addWidget(self._box)
        row.addStretch(1)
        self._box.activated.connect(self._choose)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._retranslate()

    def show_rule(self, rule: Rule) -> None:
        """When it ends is told beside; here stands what can be chosen instead."""
        self._has_end = rule.expires_at is not None
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _choose(self, row: int) -> None:
        value = self._box.itemData(row)
        if value != _KEEP:
            self.chosen.emit(None if value == _NEVER else value)

    def _restyle(self) -> None:
        self._box.setMinimumHeight(self._theme.touch_pixels)

    def _retranslate(self) -> None:
        self._label.setText(self.tr("Let it end"))
        words = self.tr("When this rule ends")
        for part in (self._box, self._box.view()):
            part.setAccessibleName(words)
        choices: list[tuple[str, object]] = [(self.tr("never; until you revoke it"), _NEVER)]
        if self._has_end:
            choices.insert(0, (self.tr("as it is"), _KEEP))
        choices += [
            (self.tr("one hour from now"), HOUR),
            (self.tr("one day from now"), DAY),
            (self.tr("one week from now"), WEEK),
        ]
        with QSignalBlocker(self._box):
            self._box.clear()
            for text, value in choices:
                self._box.addItem(text, value)
            self._box.setCurrentIndex(0)
