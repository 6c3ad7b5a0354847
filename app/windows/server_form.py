"""The page that adds a tool server, or changes one."""

import shlex

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from app.models.policy_words import PolicyWords
from app.models.server_facts import ServerFacts
from app.text import error_text
from app.theme import Theme
from app.viewmodels.servers import SavePhase, ServersViewModel
from app.widgets.announcing import announce
from app.widgets.centred_page import CentredPage, page_label
from app.widgets.choice_box import ChoiceBox, SwitchBox
from app.widgets.growing_edit import GrowingEdit
from app.widgets.secret_rows import SecretRows
from backend.domain.gateway import Server, ServerSettings, Transport
from backend.ids import ServerId, new_id

_FIELDS = ("name", "command", "folder", "url", "values", "secrets", "")


class ServerForm(CentredPage):
    """`left` when the human goes back, saved or not."""

    left = Signal()

    def __init__(self, view_model: ServersViewModel, theme: Theme) -> None:
        super().__init__(theme)
        self.setObjectName("serverForm")
        self._view_model = view_model
        self._theme = theme
        self._facts = ServerFacts(self)
        self._words = PolicyWords(self)
        self._server_id = ServerId("")
        self._new = True
        self._said = ""
        self._title = page_label("title")
        self._labels = {name: page_label("heading") for name in ("transport", *_FIELDS[:-1])}
        self._problems = {name: _problem(name) for name in _FIELDS}
        self._name = _field("serverName", theme)
        self._transport = ChoiceBox(theme)
        self._transport.setObjectName("serverTransport")
        self._transport.setMinimumHeight(theme.touch_pixels)
        self._command = _field("serverCommand", theme)
        self._folder = _field("serverFolder", theme)
        self._url = _field("serverUrl", theme)
        self._values = GrowingEdit(theme, 120)
        self._values.setObjectName("serverValues")
        self._values.setMinimumHeight(theme.touch_pixels)
        self._secrets = SecretRows(theme)
        self._enabled = SwitchBox(theme)
        self._enabled.setObjectName("serverEnabled")
        self._enabled.setMinimumHeight(theme.touch_pixels)
        self._note = page_label("small")
        self._save = QPushButton()
        self._save.setObjectName("saveServer")
        self._save.setProperty("role", "primary")
        self._cancel = QPushButton()
        self._cancel.setObjectName("cancelServer")
        for transport in Transport:
            self._transport.addItem("", transport.value)
        self._build()
        self._transport.currentIndexChanged.connect(self._show_transport)
        self._save.clicked.connect(self._save_now)
        self._cancel.clicked.connect(self._leave)
        view_model.changed.connect(self._refresh)
        view_model.saved.connect(self._after_saving)
        self._retranslate()
        self._show_transport()

    def open(self, server: Server | None) -> None:
        """Show a server's settings, or empty fields for a new one."""
        settings = server.settings if server is not None else None
        self._new = settings is None
        if settings is None:
            settings = ServerSettings(ServerId(new_id()), "", Transport.STDIO)
        self._server_id = settings.server_id
        self._name.setText(settings.name)
        self._transport.setCurrentIndex(self._transport.findData(settings.transport.value))
        self._command.setText(shlex.join(settings.command))
        self._folder.setText(settings.folder)
        self._url.setText(settings.url)
        pairs = {**settings.environment, **settings.headers}
        self._values.setPlainText("\n".join(f"{name}={value}" for name, value in pairs.items()))
        self._secrets.show_names(settings.secrets)
        self._enabled.setChecked(settings.enabled)
        self._said = ""
        self._complain("", "")
        self._view_model.begin_edit()
        self._retranslate()
        self._name.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_corner(self, width: int) -> None:
        """Leave room for the button of the drawer."""
        self._title.setContentsMargins(width // 2 if width else 0, 0, 0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        self.column.addWidget(self._title)
        rows: list[tuple[str, QWidget]] = [
            ("name", self._name),
            ("transport", self._transport),
            ("command", self._command),
            ("url", self._url),
            ("folder", self._folder),
            ("values", self._values),
            ("secrets", self._secrets),
        ]
        for name, widget in rows:
            self._labels[name].setContentsMargins(0, self._theme.pixels(8), 0, 0)
            self.column.addWidget(self._labels[name])
            self.column.addWidget(widget)
            if name in self._problems:
                self.column.addWidget(self._problems[name])
        for part in (self._note, self._enabled, self._problems[""]):
            self.column.addWidget(part)
        self.add_buttons(self._cancel, self._save)

    @property
    def _over_http(self) -> bool:
        return bool(self._transport.currentData() == Transport.HTTP.value)

    def _show_transport(self) -> None:
        http = self._over_http
        for name, widget in (("command", self._command), ("folder", self._folder)):
            self._labels[name].setVisible(not http)
            widget.setVisible(not http)
        self._labels["url"].setVisible(http)
        self._url.setVisible(http)
        self._retranslate()

    def _save_now(self) -> None:
        try:
            command = tuple(shlex.split(self._command.text()))
        except ValueError:
            self._complain("command", self.tr("A quotation mark is missing its other one."))
            return
        pairs = _pairs(self._values.toPlainText())
        if pairs is None:
            self._complain("values", self.tr("Each line is NAME=value."))
            return
        if self._secrets.missing:
            self._complain("secrets", self.tr("A new secret needs its value."))
            return
        http = self._over_http
        settings = ServerSettings(
            server_id=self._server_id,
            name=self._name.text().strip(),
            transport=Transport.HTTP if http else Transport.STDIO,
            command=() if http else command,
            folder="" if http else self._folder.text().strip(),
            url=self._url.text().strip() if http else "",
            environment={} if http else pairs,
            headers=pairs if http else {},
            secrets=self._secrets.names,
            enabled=self._enabled.isChecked(),
        )
        self._view_model.save(settings, self._secrets.values)

    def _leave(self) -> None:
        self._secrets.clear_values()
        self.left.emit()

    def _after_saving(self, server_id: ServerId) -> None:
        if server_id == self._server_id and self.isVisible():
            self._leave()

    def _refresh(self) -> None:
        model = self._view_model
        saving = model.phase is SavePhase.SAVING
        self._save.setEnabled(not saving)
        self._save.setText(self.tr("Connecting…") if saving else self.tr("Save"))
        error = model.error
        if error is None:
            if saving:
                self._complain("", "")
            return
        field, words = self._facts.problem(error)
        self._complain(field, words or error_text(error))

    def _complain(self, field: str, words: str) -> None:
        for name, label in self._problems.items():
            label.setText(words if name == field else "")
            label.setVisible(bool(words) and name == field)
        if words and words != self._said:
            announce(self, words, urgent=True)
            self.ensureWidgetVisible(self._problems[field])
        self._said = words

    def _retranslate(self) -> None:
        http = self._over_http
        title = self.tr("Add a tool server") if self._new else self.tr("Change a tool server")
        self._title.setText(title)
        self.setAccessibleName(title)
        values = self.tr("Headers") if http else self.tr("Environment variables")
        secrets = self.tr("Secret headers") if http else self.tr("Secret environment variables")
        for name, words, widget in (
            ("name", self.tr("Name"), self._name),
            ("transport", self.tr("How it is reached"), self._transport),
            ("command", self.tr("Command"), self._command),
            ("url", self.tr("Address"), self._url),
            ("folder", self.tr("Folder it runs in (optional)"), self._folder),
            ("values", values, self._values),
            ("secrets", secrets, self._secrets),
        ):
            self._labels[name].setText(words)
            widget.setAccessibleName(words)
        self._transport.view().setAccessibleName(self.tr("How it is reached"))
        for row, transport in enumerate(Transport):
            self._transport.setItemText(row, self._words.transport(transport))
        self._name.setPlaceholderText("files")
        self._command.setPlaceholderText("npx -y @modelcontextprotocol/server-filesystem ~/docs")
        self._url.setPlaceholderText("https://example.org/mcp")
        self._values.setPlaceholderText(self.tr("NAME=value, one on each line (optional)"))
        self._enabled.setText(self.tr("Agents may use its tools"))
        self._note.setText(
            self.tr(
                "Secrets are kept in the keyring of this machine and never shown again. "
                "New tools ask you before each call."
            )
        )
        self._cancel.setText(self.tr("Cancel"))
        self._refresh()


def _pairs(text: str) -> dict[str, str] | None:
    """The lines as names and values; None when one is neither empty nor a pair."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            return None
        found[name.strip()] = value
    return found


def _field(name: str, theme: Theme) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setMinimumHeight(theme.touch_pixels)
    return field


def _problem(name: str) -> QLabel:
    label = page_label("danger")
    label.setObjectName(f"serverProblem_{name or 'other'}")
    label.hide()
    return label
