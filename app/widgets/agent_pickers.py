"""What the agent lets people choose: its mode, its model and whatever else it names."""

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSizePolicy, QWidget

from app.plain_text import plain_tip
from app.theme import Theme
from app.viewmodels.picks import Offered, Picks
from app.widgets.choice_box import ChoiceBox, SwitchBox
from backend.domain.agents import ConfigOption, OptionChoice, SessionMode

_MODE = ""


class AgentPickers(QWidget):
    """Shows what is so; a choice goes to the agent and is shown when the agent has taken it."""

    def __init__(self, view_model: Picks, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("agentPickers")
        self._view_model = view_model
        self._theme = theme
        self._touch = False
        self._shape: object = None
        self._boxes: dict[str, QComboBox | QCheckBox] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.pixels(8))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.refresh()

    @property
    def blank(self) -> bool:
        return not self._boxes

    def refresh(self) -> None:
        offered = self._view_model.offered
        shape = None if offered is None else _shape(offered)
        if shape != self._shape:
            self._shape = shape
            self._rebuild(offered)
        if offered is not None:
            self._show_current(offered)
        self.setVisible(bool(self._boxes))

    def show_for(self, *, touch: bool) -> None:
        self._touch = touch
        theme = self._theme
        for box in self._boxes.values():
            box.setMinimumHeight(theme.touch_pixels if touch else theme.pixels(30))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _rebuild(self, offered: Offered | None) -> None:
        for box in self._boxes.values():
            self._row.removeWidget(box)
            box.hide()
            box.deleteLater()
        self._boxes = {}
        while self._row.count():
            self._row.takeAt(0)
        if offered is None:
            return
        if offered.modes:
            self._add(_MODE, self._mode_box(offered.modes))
        for option in offered.options:
            box = self._switch(option) if option.is_switch else self._option_box(option)
            self._add(option.id, box)
        self._row.addStretch(1)
        self.show_for(touch=self._touch)
        self._retranslate()

    def _add(self, key: str, box: QComboBox | QCheckBox) -> None:
        box.setObjectName(f"agentOption_{key}" if key else "agentMode")
        box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._boxes[key] = box
        self._row.addWidget(box)

    def _mode_box(self, modes: tuple[SessionMode, ...]) -> QComboBox:
        choices = tuple(OptionChoice(mode.id, mode.name, mode.description) for mode in modes)
        box = self._combo(choices)
        box.activated.connect(lambda index: self._view_model.set_mode(str(box.itemData(index))))
        return box

    def _option_box(self, option: ConfigOption) -> QComboBox:
        box = self._combo(option.choices)
        box.activated.connect(
            lambda index: self._view_model.set_option(option.id, str(box.itemData(index)))
        )
        return box

    def _combo(self, choices: tuple[OptionChoice, ...]) -> QComboBox:
        box = ChoiceBox(self._theme)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(8)
        box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for place, choice in enumerate(choices):
            grouped = f"{choice.group}: {choice.name}" if choice.group else choice.name
            box.addItem(grouped or choice.value, choice.value)
            box.setItemData(place, plain_tip(choice.description), Qt.ItemDataRole.ToolTipRole)
        return box

    def _switch(self, option: ConfigOption) -> QCheckBox:
        box = SwitchBox(self._theme, option.name)
        box.toggled.connect(
            lambda on: self._view_model.set_option(option.id, "true" if on else "false")
        )
        return box

    def _show_current(self, offered: Offered) -> None:
        current = {option.id: option.current for option in offered.options}
        current[_MODE] = offered.mode
        names = self._names(offered)
        for key, box in self._boxes.items():
            value = current.get(key, "")
            with QSignalBlocker(box):
                if isinstance(box, QComboBox):
                    place = box.findData(value)
                    box.setCurrentIndex(place)
                    # Nothing chosen: it says what would be.
                    box.setPlaceholderText(names.get(key, key) if place < 0 else "")
                else:
                    box.setChecked(value == "true")

    def _names(self, offered: Offered) -> dict[str, str]:
        names = {option.id: option.name for option in offered.options}
        names[_MODE] = self.tr("Mode of the agent")
        return names

    def _retranslate(self) -> None:
        offered = self._view_model.offered
        if offered is None:
            return
        names = self._names(offered)
        for key, box in self._boxes.items():
            box.setAccessibleName(names.get(key, key))
            box.setToolTip(plain_tip(names.get(key, key)))


def _shape(offered: Offered) -> object:
    """What the boxes are made of; what is chosen in them may change without new boxes."""
    return (
        offered.key,
        offered.modes,
        tuple((option.id, option.name, option.choices) for option in offered.options),
    )
