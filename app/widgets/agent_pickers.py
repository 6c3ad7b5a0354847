"""What the agent lets people choose: its mode, its model and whatever else it names."""

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSizePolicy, QWidget

from app.plain_text import plain_tip
from app.theme import Theme
from app.viewmodels.composer import ComposerViewModel
from app.widgets.choice_box import ChoiceBox, SwitchBox
from backend.domain.agents import ConfigOption, OptionChoice, SessionMode
from backend.domain.hosted import Conversation

_MODE = ""


class AgentPickers(QWidget):
    """Shows what is so; a choice goes to the agent and is shown when the agent has taken it."""

    def __init__(
        self, view_model: ComposerViewModel, theme: Theme, parent: QWidget | None = None
    ) -> None:
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
        conversation = self._view_model.conversation
        shape = None if conversation is None else _shape(conversation)
        if shape != self._shape:
            self._shape = shape
            self._rebuild(conversation)
        if conversation is not None:
            self._show_current(conversation)
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

    def _rebuild(self, conversation: Conversation | None) -> None:
        for box in self._boxes.values():
            self._row.removeWidget(box)
            box.hide()
            box.deleteLater()
        self._boxes = {}
        while self._row.count():
            self._row.takeAt(0)
        if conversation is None:
            return
        if conversation.modes:
            self._add(_MODE, self._mode_box(conversation.modes))
        for option in conversation.options:
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

    def _show_current(self, conversation: Conversation) -> None:
        current = {option.id: option.current for option in conversation.options}
        current[_MODE] = conversation.mode
        for key, box in self._boxes.items():
            value = current.get(key, "")
            with QSignalBlocker(box):
                if isinstance(box, QComboBox):
                    box.setCurrentIndex(box.findData(value))
                else:
                    box.setChecked(value == "true")

    def _retranslate(self) -> None:
        conversation = self._view_model.conversation
        if conversation is None:
            return
        names = {option.id: option.name for option in conversation.options}
        names[_MODE] = self.tr("Mode of the agent")
        for key, box in self._boxes.items():
            box.setAccessibleName(names.get(key, key))
            box.setToolTip(plain_tip(names.get(key, key)))


def _shape(conversation: Conversation) -> object:
    """What the boxes are made of; what is chosen in them may change without new boxes."""
    return (
        conversation.session_id,
        conversation.modes,
        tuple((option.id, option.name, option.choices) for option in conversation.options),
    )
