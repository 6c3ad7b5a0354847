"""Servers and their tools as lines to read; what a server says of itself is marked as its own."""

import json
import shlex
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject

from app.models.fact_model import Fact
from app.models.policy_words import PolicyWords
from app.resources import Icon
from backend.domain.gateway import DownstreamTool, Server, ServerStatus, Transport
from backend.domain.policy import PolicyDecision, Risk
from backend.errors import AppError, ErrorCode

_LONGEST: Final = 4_000
"""Characters shown of what a server says; it can write what it wants."""
_COLOURS: Final = {
    ServerStatus.OFF: "text_muted",
    ServerStatus.NOT_STARTED: "text_muted",
    ServerStatus.STARTING: "accent",
    ServerStatus.READY: "success",
    ServerStatus.FAILED: "danger",
}
_POLICY_COLOURS: Final = {
    PolicyDecision.ALLOW: "success",
    PolicyDecision.ASK: "text_muted",
    PolicyDecision.DENY: "danger",
}


@dataclass(frozen=True, slots=True)
class ToolOf:
    """A tool and the server it is on."""

    server: Server
    tool: DownstreamTool


class ServerFacts(QObject):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = PolicyWords(self)

    def facts(self, servers: tuple[Server, ...]) -> list[Fact]:
        """Each server, and its tools below it."""
        found: list[Fact] = []
        for server in servers:
            found.append(self._server(server))
            found.extend(self._tool(ToolOf(server, tool)) for tool in server.tools)
        return found

    def server_lines(self, server: Server) -> list[tuple[str, str]]:
        settings = server.settings
        names = [*settings.environment, *settings.headers]
        return [
            (self.tr("State"), self._words.status(server.status)),
            (self.tr("It says"), _cut(server.detail)),
            (self.tr("Reached as"), self._words.transport(settings.transport)),
            (self.tr("Command"), shlex.join(settings.command)),
            (self.tr("Folder"), settings.folder),
            (self.tr("Address"), settings.url),
            (self.tr("Values"), ", ".join(names)),
            (self.tr("Secrets"), ", ".join(settings.secrets)),
            (self.tr("Tools"), self.tr("%n tool(s)", "", len(server.tools))),
        ]

    def tool_lines(self, of: ToolOf) -> list[tuple[str, str]]:
        tool = of.tool
        schema = json.dumps(tool.input_schema, ensure_ascii=False, indent=2, default=str)
        return [
            (self.tr("Risk"), self._words.risk(tool.risk)),
            (self.tr("Agents call it"), f"{of.server.settings.name}__{tool.name}"),
            (self.tr("The server says"), _cut(tool.description)),
            (self.tr("It takes"), _cut(schema)),
        ]

    def title(self, of: ToolOf) -> str:
        return of.tool.title or of.tool.name

    def problem(self, error: AppError) -> tuple[str, str]:
        """The field a server was refused for, and why; the field is empty where it is none."""
        given = str(error.params.get("field", ""))
        field = given.partition("[")[0].partition(".")[0]
        if error.code is ErrorCode.NOT_ACTIVE:
            return "name", self.tr("Another server has this name.")
        match field:
            case "name":
                words = self.tr(
                    "Use a-z, 0-9, - and single _, beginning and ending with a letter or digit."
                )
                return field, self.tr("This name cannot be used.") + " " + words
            case "command":
                return field, self.tr("This command cannot be run.")
            case "url":
                return field, self.tr(
                    "An address begins with http:// or https:// and holds no password."
                )
            case "folder":
                return field, self.tr("This folder cannot be used.")
            case "environment" | "headers":
                return "values", self.tr("A line is NAME=value, with a name that can be used.")
            case "secrets":
                return field, self.tr("A secret has a name of its own and is one line.")
            case _:
                return "", ""

    def _server(self, server: Server) -> Fact:
        settings = server.settings
        how = settings.url if settings.transport is Transport.HTTP else shlex.join(settings.command)
        return Fact(
            key=settings.server_id,
            title=settings.name,
            icon=Icon.CONNECT,
            second=how,
            state=self._words.status(server.status),
            colour=_COLOURS[server.status],
            faded=not settings.enabled,
            subject=server,
        )

    def _tool(self, of: ToolOf) -> Fact:
        tool = of.tool
        parts = [self._words.risk(tool.risk), " ".join(tool.description.split())[:200]]
        state, colour = self._words.decision(tool.policy), _POLICY_COLOURS[tool.policy]
        if tool.changed:
            state, colour = self.tr("Asks: its definition has changed"), "attention"
        return Fact(
            key=f"{of.server.settings.server_id}/{tool.name}",
            title=self.title(of),
            icon=Icon.WARNING if tool.risk is Risk.DESTRUCTIVE else Icon.TOOL,
            second=" · ".join(part for part in parts if part),
            state=state,
            colour=colour,
            subject=of,
        )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
