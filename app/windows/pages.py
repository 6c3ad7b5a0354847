"""The pages of the centre, of which one is shown."""

from dataclasses import dataclass

from app.theme import Theme
from app.viewmodels.desk import DeskViewModel
from app.windows.chat_page import ChatPage
from app.windows.history_page import HistoryPage
from app.windows.ledger_page import LedgerPage
from app.windows.migration_page import MigrationPage
from app.windows.new_session_page import NewSessionPage
from app.windows.rules_page import RulesPage
from app.windows.server_form import ServerForm
from app.windows.servers_page import ServersPage
from app.windows.starting_page import StartingPage
from app.windows.storage_page import StoragePage
from app.windows.welcome import WelcomePage


@dataclass(frozen=True, slots=True)
class Pages:
    """What the centre can show."""

    starting: StartingPage
    welcome: WelcomePage
    chat: ChatPage
    storage: StoragePage
    migration: MigrationPage
    new_session: NewSessionPage
    history: HistoryPage
    rules: RulesPage
    record: LedgerPage
    servers: ServersPage
    server_form: ServerForm

    @property
    def lists(self) -> tuple[HistoryPage, RulesPage, LedgerPage, ServersPage]:
        """Those that are read and left again."""
        return (self.history, self.rules, self.record, self.servers)


def make_pages(desk: DeskViewModel, theme: Theme, chat: ChatPage) -> Pages:
    return Pages(
        StartingPage(theme),
        WelcomePage(theme),
        chat,
        StoragePage(theme),
        MigrationPage(theme),
        NewSessionPage(desk.new_session, desk.preferences, theme),
        HistoryPage(desk.history, desk.sessions, theme),
        RulesPage(desk.rules, theme),
        LedgerPage(desk.ledger, desk.sessions, theme),
        ServersPage(desk.servers, theme),
        ServerForm(desk.servers, theme),
    )
