"""Names and values of secrets: what is kept is never shown, only replaced or forgotten."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.resources import Icon
from app.theme import Theme
from app.widgets.named_button import named_button


@dataclass(slots=True)
class _Row:
    widget: QWidget
    name: QLineEdit
    value: QLineEdit
    remove: QPushButton
    kept: str
    """The name under which a value is kept already."""


class SecretRows(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("serverSecrets")
        self._theme = theme
        self._rows: list[_Row] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(theme.pixels(8))
        self._add = named_button("addSecret", "quiet")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.pixels(8))
        column.addLayout(self._column)
        column.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        self._add.clicked.connect(self._add_empty)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def show_names(self, names: tuple[str, ...]) -> None:
        """Those whose values are kept; what was typed before is gone."""
        for row in tuple(self._rows):
            self._drop(row)
        for name in names:
            self._add_row(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name.text().strip() for row in self._rows if row.name.text().strip())

    @property
    def values(self) -> dict[str, str]:
        """Those that are new."""
        return {
            row.name.text().strip(): row.value.text()
            for row in self._rows
            if row.name.text().strip() and row.value.text()
        }

    @property
    def missing(self) -> bool:
        """A name has no value, neither kept nor typed."""
        return any(
            row.name.text().strip() not in ("", row.kept) and not row.value.text()
            for row in self._rows
        )

    def clear_values(self) -> None:
        """They are kept by now, or given up: nothing of them stays in the window."""
        for row in self._rows:
            row.value.clear()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _add_empty(self) -> None:
        self._add_row("").name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _add_row(self, kept: str) -> _Row:
        widget = QWidget()
        row = _Row(widget, QLineEdit(kept), QLineEdit(), named_button("removeSecret"), kept)
        number = len(self._rows) + 1
        row.name.setObjectName(f"secretName_{number}")
        row.value.setObjectName(f"secretValue_{number}")
        row.value.setEchoMode(QLineEdit.EchoMode.Password)
        line = QHBoxLayout(widget)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(self._theme.pixels(8))
        line.addWidget(row.name, 2)
        line.addWidget(row.value, 3)
        line.addWidget(row.remove)
        for part in (row.name, row.value, row.remove):
            part.setMinimumHeight(self._theme.touch_pixels)
        row.remove.setMinimumWidth(self._theme.touch_pixels)
        row.remove.clicked.connect(lambda: self._drop(row))
        self._rows.append(row)
        self._column.addWidget(widget)
        self._show_icons()
        self._retranslate()
        return row

    def _drop(self, row: _Row) -> None:
        row.value.clear()
        self._rows.remove(row)
        self._column.removeWidget(row.widget)
        row.widget.hide()
        row.widget.deleteLater()

    def _show_icons(self) -> None:
        self._add.setIcon(self._theme.button_icon(Icon.NEW))
        for row in self._rows:
            row.remove.setIcon(self._theme.icon(Icon.CLOSE))

    def _retranslate(self) -> None:
        self._add.setText(self.tr("Add a secret"))
        for row in self._rows:
            row.name.setPlaceholderText(self.tr("Name"))
            row.name.setAccessibleName(self.tr("Name of the secret"))
            row.value.setAccessibleName(self.tr("Value of the secret, never shown again"))
            row.value.setPlaceholderText(
                self.tr("Kept. Type to replace it") if row.kept else self.tr("Value")
            )
            row.remove.setAccessibleName(self.tr("Forget this secret"))
            row.remove.setToolTip(self.tr("Forget this secret"))
