"""A button whose words are shown whole, on as many lines as they need."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy

from app.theme import Theme


class WordyButton(QPushButton):
    """Its name for assistive tools is its words; nothing of them is cut off."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAutoDefault(False)
        self.setProperty("role", "wordy")
        self._theme = theme
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = QHBoxLayout(self)
        row.setContentsMargins(*(theme.pixels(n) for n in (12, 6, 12, 6)))
        row.addWidget(self._words)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_words(self, words: str) -> None:
        self._words.setText(words)
        self.setAccessibleName(words)
        self.updateGeometry()

    @property
    def words(self) -> str:
        return self._words.text()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        layout = self.layout()
        around = layout.contentsMargins() if layout is not None else margins
        inside = max(1, width - around.left() - around.right())
        words = self._words.heightForWidth(inside) + around.top() + around.bottom()
        return max(words, self._theme.touch_pixels)

    def sizeHint(self) -> QSize:
        width = self.width() if self.width() > self._theme.pixels(100) else self._theme.pixels(400)
        return QSize(self._theme.pixels(200), self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.pixels(80), self._theme.touch_pixels)
