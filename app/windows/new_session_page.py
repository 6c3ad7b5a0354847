"""The page that starts a conversation with an agent."""

from pathlib import Path

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from app.agent_text import start_error_text
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.new_session import NewSessionViewModel, StartPhase
from app.viewmodels.preferences import Preferences
from app.widgets.agent_choice import AgentChoice
from app.widgets.agent_pickers import AgentPickers
from app.widgets.announcing import announce
from app.widgets.centred_page import CentredPage, page_label
from app.widgets.choice_box import ChoiceBox
from app.widgets.composer_edit import ComposerEdit
from backend.ids import AgentKey


class NewSessionPage(CentredPage):
    """`cancelled` when the human goes back without starting one; what was put in stays."""

    cancelled = Signal()

    def __init__(
        self,
        view_model: NewSessionViewModel,
        preferences: Preferences,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, parent)
        self.setObjectName("newSessionPage")
        self._view_model = view_model
        self._theme = theme
        self._said = ""
        self._title = page_label("title")
        self._agent_label = page_label("heading")
        self._agents = AgentChoice(theme)
        self._choices_label = page_label("heading")
        self._choices = AgentPickers(view_model, theme)
        self._choices.show_for(touch=True)
        self._folder_label = page_label("heading")
        self._folder = ChoiceBox(theme)
        self._folder.setObjectName("sessionFolder")
        self._folder.setEditable(True)
        self._folder.setMinimumHeight(theme.touch_pixels)
        self._folder.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._browse = QPushButton()
        self._browse.setObjectName("browseFolder")
        self._browse.setProperty("target", "large")
        self._prompt_label = page_label("heading")
        self._prompt = ComposerEdit(theme, preferences)
        self._prompt.setObjectName("firstPrompt")
        self._problems = {name: _problem(name) for name in ("agent", "folder", "prompt", "")}
        self._start = QPushButton()
        self._start.setObjectName("startSession")
        self._start.setProperty("role", "primary")
        self._cancel = QPushButton()
        self._cancel.setObjectName("cancelNewSession")
        self._build()
        self._connect()
        self._show_icons()
        self._retranslate()
        self._refresh()

    def open(self) -> None:
        """Show the agents that are here now, with what was put in before."""
        self._view_model.open()
        with QSignalBlocker(self._folder):
            self._folder.clear()
            self._folder.addItems(list(self._view_model.recent_folders()))
        self._refresh()
        first = self._prompt if self._view_model.folder else self._folder
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
            self._refresh()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        folder = QHBoxLayout()
        folder.setSpacing(px(8))
        folder.addWidget(self._folder, 1)
        folder.addWidget(self._browse)
        self.column.addWidget(self._title)
        self.column.addSpacing(px(8))
        agents: list[QWidget] = [self._agent_label, self._agents, self._problems["agent"]]
        for part in agents:
            self.column.addWidget(part)
        self._choices_label.setContentsMargins(0, px(8), 0, 0)
        self.column.addWidget(self._choices_label)
        self.column.addWidget(self._choices)
        self.column.addSpacing(px(8))
        self.column.addWidget(self._folder_label)
        self.column.addLayout(folder)
        self.column.addWidget(self._problems["folder"])
        self.column.addSpacing(px(8))
        prompt: list[QWidget] = [self._prompt_label, self._prompt, self._problems["prompt"]]
        for part in prompt:
            self.column.addWidget(part)
        self.column.addWidget(self._problems[""])
        self.add_buttons(self._cancel, self._start)

    def _connect(self) -> None:
        model = self._view_model
        model.changed.connect(self._refresh)
        self._agents.chosen.connect(lambda key: model.choose_agent(AgentKey(key)))
        self._agents.command_edited.connect(model.set_command)
        self._folder.editTextChanged.connect(model.set_folder)
        self._browse.clicked.connect(self._open_dialog)
        self._prompt.edited.connect(model.set_prompt)
        self._prompt.send_wanted.connect(self._start_now)
        self._start.clicked.connect(self._start_now)
        self._cancel.clicked.connect(self.cancelled)
        self._theme.changed.connect(self._show_icons)

    def _start_now(self) -> None:
        if not self._prompt.composing:
            self._view_model.start()

    def _open_dialog(self) -> None:
        """Not modal for the program: questions go on arriving while it is open."""
        start = self._view_model.folder or str(Path.home())
        dialog = QFileDialog(self, self.tr("Folder of the project"), start)
        dialog.setObjectName("folderDialog")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._folder.setEditText)
        dialog.open()

    def _refresh(self) -> None:
        model = self._view_model
        self._agents.show_choice(model.offers, model.agent, model.command)
        self._choices.refresh()
        self._choices_label.setVisible(not self._choices.blank)
        if self._folder.currentText() != model.folder:
            with QSignalBlocker(self._folder):
                self._folder.setEditText(model.folder)
        self._prompt.show_text(model.prompt)
        starting = model.phase is StartPhase.STARTING
        self._start.setEnabled(model.can_start)
        self._start.setText(self.tr("Starting…") if starting else self.tr("Start"))
        self._show_problem()

    def _show_problem(self) -> None:
        model = self._view_model
        words, field = "", ""
        if model.error is not None:
            words, field = start_error_text(model.error), model.refused_field
        if model.phase is StartPhase.UNKNOWN:
            words, field = (
                self.tr(
                    "It is not known whether this was started. Start tries again and makes "
                    "one conversation."
                ),
                "",
            )
        place = {"command": "agent", "title": ""}.get(field, field)
        for name, label in self._problems.items():
            label.setText(words if name == place else "")
            label.setVisible(bool(words) and name == place)
        if words and words != self._said:
            announce(self, words, urgent=True)
            self.ensureWidgetVisible(self._problems[place])
            # The button that was pressed was off meanwhile, and lost the keyboard.
            at = {"folder": self._folder, "prompt": self._prompt}.get(place, self._start)
            at.setFocus(Qt.FocusReason.OtherFocusReason)
        self._said = words

    def _show_icons(self) -> None:
        self._browse.setIcon(self._theme.button_icon(Icon.FOLDER))
        self._start.setIcon(self._theme.button_icon(Icon.SEND, "on_accent"))
        for button in (self._browse, self._start):
            button.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("New session"))
        self._title.setText(self.tr("New session"))
        self._agent_label.setText(self.tr("Agent"))
        self._choices_label.setText(self.tr("Begin with"))
        self._folder_label.setText(self.tr("Folder"))
        folder = self.tr("Folder the agent works in")
        for part in (self._folder, self._folder.lineEdit(), self._folder.view()):
            if part is not None:
                part.setAccessibleName(folder)
        edit = self._folder.lineEdit()
        if edit is not None:
            edit.setPlaceholderText(self.tr("The project's folder"))
        self._browse.setText(self.tr("Browse…"))
        self._prompt_label.setText(self.tr("First message"))
        self._prompt.setAccessibleName(self.tr("First message"))
        self._prompt.setPlaceholderText(self.tr("What is to be done? (optional)"))
        self._cancel.setText(self.tr("Cancel"))


def _problem(field: str) -> QLabel:
    label = page_label("danger")
    label.setObjectName(f"problem_{field or 'start'}")
    label.hide()
    return label
