"""What a newcomer sees: what this is, a demo of it, and how an agent gets here."""

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.resources import Icon, pixmap_of_program
from app.theme import Theme
from app.widgets.centred_page import page_label
from app.widgets.copy_line import CopyLine
from backend.api import DeskInfo

AGENTS: Final = (
    ("Claude Code", "claude-code"),
    ("Codex", "codex"),
    ("OpenCode", "opencode"),
    ("Gemini CLI", "gemini"),
    ("Qwen Code", "qwen"),
)
"""Agents by name and by the word `kandesk connect` knows them by."""
_WIDTH: Final = 600


class WelcomePage(QScrollArea):
    """`demo_wanted` for the demo, `new_session_wanted` to start an agent from here."""

    demo_wanted = Signal()
    new_session_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme = theme
        self._picture = QLabel()
        self._title = page_label("title")
        self._lines = [page_label(), page_label(), page_label()]
        self._demo = QPushButton()
        self._demo.setObjectName("tryDemo")
        self._demo.setProperty("role", "primary")
        self._demo_note = page_label("muted")
        self._start = QPushButton()
        self._start.setObjectName("startFromWelcome")
        self._start_note = page_label("muted")
        self._connect_title = page_label("heading")
        self._connect_note = page_label("muted")
        self._commands = [
            CopyLine(theme, f"kandesk connect {key}", wraps=True, large=False) for _, key in AGENTS
        ]
        self._other_note = page_label("small")
        self._server = CopyLine(theme)
        self._address_note = page_label("small")
        self._address = CopyLine(theme)
        self._token_file = ""
        for widget in (self._address, self._address_note, self._server, self._other_note):
            widget.hide()
        self._build()
        self._demo.clicked.connect(self.demo_wanted)
        self._start.clicked.connect(self.new_session_wanted)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self._retranslate()

    def show_info(self, info: DeskInfo) -> None:
        """The commands of this installation, and for other agents where the desk listens."""
        for (_, key), line in zip(AGENTS, self._commands, strict=True):
            line.set_text(f"{info.command} connect {key}")
        self._server.set_text(f"{info.command} mcp")
        self._address.set_text(info.mcp_url)
        self._token_file = info.agent_token_file
        for widget in (self._address, self._address_note, self._server, self._other_note):
            widget.show()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() is QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _build(self) -> None:
        px = self._theme.pixels
        column = QVBoxLayout()
        column.setSpacing(px(8))
        column.addWidget(self._picture)
        column.addSpacing(px(8))
        column.addWidget(self._title)
        for line in self._lines:
            column.addWidget(line)
        column.addSpacing(px(8))
        demo = QHBoxLayout()
        demo.setSpacing(px(12))
        demo.addWidget(self._demo)
        demo.addWidget(self._demo_note, 1)
        column.addLayout(demo)
        start = QHBoxLayout()
        start.setSpacing(px(12))
        start.addWidget(self._start)
        start.addWidget(self._start_note, 1)
        column.addLayout(start)
        column.addSpacing(px(24))
        column.addWidget(self._connect_title)
        column.addWidget(self._connect_note)
        column.addLayout(self._agents())
        column.addSpacing(px(8))
        column.addWidget(self._other_note)
        column.addWidget(self._server)
        column.addWidget(self._address_note)
        column.addWidget(self._address)
        inner = QWidget()
        inner.setLayout(column)
        inner.setMaximumWidth(px(_WIDTH))
        page = QWidget()
        outer = QVBoxLayout(page)
        outer.setContentsMargins(px(32), px(32), px(32), px(32))
        outer.addStretch(1)
        centred = QHBoxLayout()
        centred.addStretch(1)
        centred.addWidget(inner, 100)
        centred.addStretch(1)
        outer.addLayout(centred)
        outer.addStretch(2)
        self.setWidget(page)

    def _agents(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(self._theme.pixels(4))
        grid.setHorizontalSpacing(self._theme.pixels(16))
        grid.setColumnStretch(1, 1)
        for row, ((name, _), command) in enumerate(zip(AGENTS, self._commands, strict=True)):
            grid.addWidget(QLabel(name), row, 0)
            grid.addWidget(command, row, 1)
        return grid

    def _show_icons(self) -> None:
        side = self._theme.pixels(56)
        self._picture.setPixmap(pixmap_of_program(side, self.devicePixelRatioF()))
        self._demo.setIcon(self._theme.button_icon(Icon.DEMO, "on_accent"))
        self._start.setIcon(self._theme.button_icon(Icon.NEW))
        for button in (self._demo, self._start):
            button.setIconSize(self._theme.button_icon_size)

    def _retranslate(self) -> None:
        self._picture.setAccessibleName("Kandesk")
        self._title.setText(self.tr("Every question of your agents, in one place"))
        first, second, third = self._lines
        first.setText(self.tr("Coding agents stop and ask. Their questions wait here for you."))
        second.setText(self.tr("Answer when you are ready. A question waits as long as it takes."))
        third.setText(self.tr("No answer is lost, given twice, or given by accident."))
        self._demo.setText(self.tr("Try the demo"))
        self._demo_note.setText(self.tr("A built-in agent shows all that can wait here."))
        self._start.setText(self.tr("New session…"))
        self._start_note.setText(self.tr("Start an agent of this machine and talk to it here."))
        self._connect_title.setText(self.tr("Connect an agent"))
        self._connect_note.setText(
            self.tr("Run this once in a terminal. It adds Kandesk to the agent's own settings.")
        )
        self._other_note.setText(self.tr("Any other agent: an MCP server with this command,"))
        self._address_note.setText(
            self.tr("or this address, with the token in %1:").replace("%1", self._token_file)
        )
