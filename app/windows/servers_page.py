"""Tool servers and what agents may do with each of their tools."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent

from app.models.fact_model import Fact
from app.models.server_facts import ServerFacts, ToolOf
from app.resources import Icon
from app.theme import Theme
from app.viewmodels.servers import ServersViewModel
from app.widgets.list_page import ListPage
from app.widgets.named_button import named_button
from app.widgets.second_step import SecondStep
from app.widgets.tool_policy import ToolPolicyBox
from backend.domain.gateway import Server
from backend.domain.policy import PolicyDecision


class ServersPage(ListPage):
    """`edit_wanted` with the `Server` to change, or None for a new one."""

    edit_wanted = Signal(object)

    def __init__(self, view_model: ServersViewModel, theme: Theme) -> None:
        super().__init__(theme, "servers")
        self._view_model = view_model
        self._facts = ServerFacts(self)
        self._add = named_button("addServer", "primary")
        self.controls.addWidget(self._add)
        self.controls.addStretch(1)
        self._edit = named_button("editServer")
        self._read = named_button("refreshServer")
        self._remove = named_button("removeServer", "danger")
        self._step = SecondStep(theme, "removeServer", self._step_words)
        self._policy = ToolPolicyBox(theme)
        self.panel.add_actions(self._edit, self._read, self._remove)
        self.panel.below.addWidget(self._step)
        self.panel.below.addWidget(self._policy)
        view_model.changed.connect(self._refresh)
        self.list.chosen.connect(self._show_fact)
        self._add.clicked.connect(lambda: self.edit_wanted.emit(None))
        self._edit.clicked.connect(lambda: self.edit_wanted.emit(self._server()))
        self._read.clicked.connect(self._read_again)
        self._remove.clicked.connect(self._ask)
        self._step.confirmed.connect(self._do_remove)
        self._step.cancelled.connect(self._keep)
        self._policy.chosen.connect(self._set_policy)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self.retranslate()

    def open(self) -> None:
        self._view_model.open()

    def refresh_ages(self) -> None:
        """Nothing here has an age."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._step.hide()

    def retranslate(self) -> None:
        super().retranslate()
        self.setAccessibleName(self.tr("Tool servers"))
        self.title.setText(self.tr("Tool servers"))
        self.intro.setText(
            self.tr(
                "MCP servers whose tools agents reach through Kandesk. Kandesk runs each call "
                "itself, as you say here: allow it, ask you, or deny it. Agents you start see the "
                "tools at once; one that runs already may see new ones only once you start it "
                "again."
            )
        )
        self.empty.setText(
            self.tr(
                "No server yet. Add one, and its tools appear here and in agents you start then."
            )
        )
        self.list.setAccessibleName(self.tr("Tool servers and their tools"))
        self._add.setText(self.tr("Add a server…"))
        self._edit.setText(self.tr("Edit…"))
        self._read.setText(self.tr("Read its tools again"))
        self._remove.setText(self.tr("Remove…"))
        self._refresh()

    def _refresh(self) -> None:
        model = self._view_model
        self.list.show_facts(self._facts.facts(model.servers))
        self.show_state(loading=model.loading, more=False, any_rows=bool(model.servers))

    def _server(self) -> Server | None:
        subject = self.list.current.subject if self.list.current is not None else None
        return subject if isinstance(subject, Server) else None

    def _tool(self) -> ToolOf | None:
        subject = self.list.current.subject if self.list.current is not None else None
        return subject if isinstance(subject, ToolOf) else None

    def _show_fact(self, _: Fact | None) -> None:
        server, tool = self._server(), self._tool()
        for button in (self._edit, self._read, self._remove):
            button.setVisible(server is not None)
        self._policy.setVisible(tool is not None)
        self._step.stay_for(server.settings.server_id if server is not None else "")
        if tool is not None:
            self.panel.show_lines(self._facts.title(tool), self._facts.tool_lines(tool))
            self._policy.show_tool(tool.tool)
        elif server is not None:
            self.panel.show_lines(server.settings.name, self._facts.server_lines(server))
            free = not self._view_model.busy(server.settings.server_id)
            for button in (self._edit, self._read, self._remove):
                button.setEnabled(free)
            self._remove.setVisible(self._step.isHidden())

    def _read_again(self) -> None:
        server = self._server()
        if server is not None:
            self._view_model.refresh(server.settings.server_id)

    def _ask(self) -> None:
        server = self._server()
        if server is not None:
            self._remove.hide()
            self._step.open(server.settings.server_id)

    def _keep(self) -> None:
        self._remove.show()
        self._remove.setFocus()

    def _do_remove(self) -> None:
        server = self._server()
        if server is not None:
            self._view_model.remove(server.settings.server_id)
        self.list.forget_choice()
        self._add.setFocus()

    def _set_policy(self, policy: PolicyDecision) -> None:
        of = self._tool()
        if of is not None:
            self._view_model.set_policy(of.server.settings.server_id, of.tool, policy)

    def _step_words(self) -> tuple[str, str]:
        server = self._server()
        name = server.settings.name if server is not None else ""
        words = self.tr(
            "Remove %1? Its open requests are cancelled and its secrets forgotten. "
            "What it did stays in the record."
        )
        return words.replace("%1", name), self.tr("Remove")

    def _show_icons(self) -> None:
        for button, icon, colour in (
            (self._add, Icon.NEW, "on_accent"),
            (self._edit, Icon.EDIT, "text"),
            (self._read, Icon.RELOAD, "text"),
            (self._remove, Icon.DISCARD, "danger"),
        ):
            button.setIcon(self.theme.button_icon(icon, colour))
            button.setIconSize(self.theme.button_icon_size)
