"""The composition root of the backend: owns the store, recovers, opens the doors, drains, stops."""

import hashlib
import os
from collections.abc import AsyncIterator, Callable, Container
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from backend.agents.discovery import DEMO_AGENT, FIRST_PROMPT, AgentDiscovery, demo_offer
from backend.agents.hosting import HostingMeans
from backend.agents.launcher import AcpLauncher
from backend.agents.mcp_access import McpAccesses
from backend.agents.started_processes import StartedProcesses
from backend.api import DeskApi, DeskInfo
from backend.clarification.recovery import recover
from backend.clock import Clock, format_timestamp
from backend.desk_file import DeskFile, read_desk_file
from backend.domain.agents import AgentCommand
from backend.domain.hosted import SessionStart
from backend.downstream import gateway_means, list_for_shims
from backend.endpoint import DeskEndpoint, remove_endpoint, write_endpoint
from backend.errors import Conflict, ErrorCode
from backend.events import BackendReady, BackendStopped, Listener, WindowRequested
from backend.http.auth import Tokens
from backend.http.desk_routes import DeskProcess
from backend.http.server import HttpServer
from backend.ids import AdmissionId, ReviewId, SessionId, new_id
from backend.installation import command, shell_command, version
from backend.paths import HOME_VARIABLE, Home
from backend.review.recovery import recover as recover_reviews
from backend.secrets import read_or_create_secret
from backend.services import Services, build_services
from backend.store import settings
from backend.store.database import Database
from backend.store.file_failures import file_failures
from backend.store.owned import OwnedStore, Recover, open_store
from backend.store.store_location import store_location

Kind = Literal["window", "serve"]

VERSION: Final = version()
DEBUG_VARIABLE: Final = "KANDESK_DEBUG"
"""Set to 1 for whoever develops Kandesk: the port then offers `/debug/vars`."""
_PORT_SETTING: Final = "http.port"
_MAX_PORT: Final = 65_535


class Runtime:
    """One running desk. Build it with `open`, end it with `close`."""

    def __init__(
        self,
        *,
        home: Home,
        kind: Kind,
        store: OwnedStore,
        services: Services,
        server: HttpServer,
        tools: McpAccesses,
    ) -> None:
        self._home = home
        self._kind: Kind = kind
        self._store = store
        self._services = services
        self._server = server
        self._tools = tools
        self.api_url = ""
        self.mcp_url = ""

    @classmethod
    async def open(
        cls,
        home: Home,
        clock: Clock,
        *,
        kind: Kind,
        port: int = 0,
        database: str | None = None,
        allow_migration: bool = False,
        listener: Listener,
        on_hand_over: Callable[[], None] | None = None,
        maintenance: bool = True,
    ) -> "Runtime":
        """Own the store, settle what the last run left, then listen.

        Port 0 takes the port of the last run, or any when that is taken. `database` is the address
        of a store on a server; empty, the file in the home; None, what `desk.toml` says. Without
        `allow_migration` an older store on a server is not changed. Without `maintenance` cards are
        repaired once, at the start, and no more.

        Raises:
            StorageFailed: the store cannot be used, or another desk owns it; nothing was changed.
            InvalidInput: `desk.toml` says something that cannot be.
            TemporarilyUnavailable: the store is locked, or its server is not there.
        """
        with file_failures(home.root):
            home.create()
            desk_file = DeskFile() if database == "" else read_desk_file(home)
            store = await open_store(
                home,
                store_location(home, desk_file.database if database is None else database),
                clock,
                kind=kind,
                progress=listener,
                allow_migration=allow_migration,
            )
            services: Services | None = None
            try:
                tools = McpAccesses(_shim(home))
                means, expire_after = _means(home, clock, tools), desk_file.expire_after
                services = _build_services(home, store, clock, expire_after, means)
                runtime = cls._build(home, clock, kind, store, services, tools, on_hand_over)
                services.bus.subscribe(listener)
                await runtime.start(clock, port, maintenance=maintenance)
            except BaseException:
                if services is not None:
                    await services.supervisor.stop()
                await store.close()
                raise
            return runtime

    async def start(self, clock: Clock, port: int, *, maintenance: bool) -> None:
        """Recover, then let everybody in; part of `open`."""
        await self._store.start(_recovery(clock, self._store, self._services))
        await self._services.expiry.start()
        if self._services.hosting is not None:
            self._services.hosting.reviews.expiry.start()
        self._services.cards.start(maintenance=maintenance)
        self._services.supervisor.start(
            self._store.keep(self._services.bus.publish), name="keep the store", repeats=True
        )
        await self.listen(clock, port)
        if self._services.hosting is not None:
            try:
                # Agents find their tools only now that the port listens.
                await self._services.hosting.recovery.go_on()
                if self._services.gateway is not None:
                    self._services.gateway.go_on()
            except BaseException:
                await self._close_doors()
                raise
            self._services.hosting.quick_chats.remove_old()

    @classmethod
    def _build(
        cls,
        home: Home,
        clock: Clock,
        kind: Kind,
        store: OwnedStore,
        services: Services,
        tools: McpAccesses,
        on_hand_over: Callable[[], None] | None,
    ) -> "Runtime":
        tokens = Tokens(
            desk=read_or_create_secret(home.desk_token),
            agent=read_or_create_secret(home.agent_token),
            hosted=tools.session_of,
        )
        server = HttpServer(
            desk=services.desk,
            asking=services.asking,
            permissions=services.permissions,
            gateway=services.gateway,
            supervisor=services.supervisor,
            tokens=tokens,
            clock=clock,
            info=DeskProcess(version=VERSION, pid=os.getpid(), kind=kind),
            on_show=lambda token: services.bus.publish(WindowRequested(token)),
            on_hand_over=on_hand_over,
            on_request=services.wake.look,
            metrics=services.metrics,
            debug=os.environ.get(DEBUG_VARIABLE) == "1",
        )
        return cls(
            home=home,
            kind=kind,
            store=store,
            services=services,
            server=server,
            tools=tools,
        )

    def look(self) -> None:
        """Something happens: see whether the machine has slept since."""
        self._services.wake.look()

    @property
    def desk(self) -> DeskApi:
        return self._services.desk

    async def listen(self, clock: Clock, port: int) -> None:
        """Open the doors and tell where they are.

        Raises:
            Conflict: `port_taken`, the very port that was asked for.
        """
        wanted = port
        if not port:
            async with self._store.database.reading() as tx:
                saved = await settings.get(tx, _PORT_SETTING)
            port = _usable_port(saved)
        bound = await self._server.start(port)
        try:
            await self._tell_where(clock, wanted=wanted, port=port, bound=bound)
        except BaseException:
            await self._server.stop()
            raise

    async def _tell_where(self, clock: Clock, *, wanted: int, port: int, bound: int) -> None:
        if wanted and bound != wanted:
            raise Conflict(
                ErrorCode.PORT_TAKEN,
                f"port {wanted} is taken by another program; choose another one",
                port=wanted,
            )
        if bound != port:
            async with self._store.database.writing() as tx:
                await settings.put(tx, _PORT_SETTING, str(bound))
        self.api_url = f"http://127.0.0.1:{bound}"
        self.mcp_url = f"{self.api_url}/mcp"
        self._services.desk.listens_at(self.api_url, self.mcp_url)
        self._tools.listens_at(self.mcp_url)
        self._home.quit_marker.unlink(missing_ok=True)
        write_endpoint(
            self._home,
            DeskEndpoint(
                api=self.api_url,
                mcp=self.mcp_url,
                pid=os.getpid(),
                token_file=str(self._home.desk_token),
                kind=self._kind,
                started_at=format_timestamp(clock.now()),
            ),
        )
        self._services.bus.publish(BackendReady(self.api_url, self.mcp_url))

    async def start_demo(self) -> None:
        """Begin a conversation with the demo agent, an agent like any other."""
        await self.desk.conversations.start_session(
            SessionStart(
                session_id=SessionId(new_id()),
                agent=DEMO_AGENT,
                folder="",
                prompt=FIRST_PROMPT,
                admission_id=AdmissionId(new_id()),
                title=demo_offer().name,
            )
        )

    async def _close_doors(self) -> None:
        """Nobody finds the port any more, and it listens no more."""
        try:
            await self._server.stop()
        finally:
            with suppress(OSError):
                remove_endpoint(self._home, os.getpid())

    async def close(self, *, deliberate: bool) -> None:
        """Drain, stop listening, close the store and give its lock back.

        `deliberate` leaves the mark that keeps shims from starting the desk again.
        """
        if deliberate:
            # A home that was deleted or became read-only must not keep the desk from closing.
            with suppress(OSError):
                self._home.quit_marker.touch(mode=0o600)
        if self._services.hosting is not None:
            await self._services.hosting.close()
        self._services.asking.draining.set()
        try:
            await self._close_doors()
            if self._services.gateway is not None:
                await self._services.gateway.close()
            await self._services.cards.stop()
            await self._services.supervisor.stop()
        finally:
            await self._store.close()
        self._services.bus.publish(BackendStopped())


def _usable_port(saved: str | None) -> int:
    """A port of an earlier run; 0, any port, where what was saved is none."""
    if saved is None or not (saved.isascii() and saved.isdecimal() and len(saved) <= 5):
        return 0
    port = int(saved)
    return port if port <= _MAX_PORT else 0


def _build_services(
    home: Home,
    store: OwnedStore,
    clock: Clock,
    expire_after: float | None,
    hosting: HostingMeans | None,
) -> Services:
    services = build_services(
        store.database,
        clock,
        ticket_key=read_or_create_secret(home.ticket_key),
        info=_desk_info(home, store.database, expire_after),
        epoch=store.epoch,
        expire_after=expire_after,
        hosting=hosting,
        servers=None if hosting is None else gateway_means(home),
    )
    list_for_shims(home, services.gateway)
    return services


def _means(home: Home, clock: Clock, tools: McpAccesses) -> HostingMeans:
    def quick_folder(session_id: SessionId) -> Path:
        # An id is its caller's own and may hold anything; a folder's name may not.
        name = hashlib.sha256(session_id.encode()).hexdigest()[:16]
        folder = home.quick_chats / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    started = StartedProcesses(home.started_processes)
    return HostingMeans(
        launcher=AcpLauncher(clock, started),
        commands=AgentDiscovery(demo_offer()),
        survivors=started,
        tools=tools,
        quick_folder=quick_folder,
    )


def _shim(home: Home) -> AgentCommand:
    """What an agent starts that reaches no server over HTTP; it never starts a desk."""
    return AgentCommand((*command(), "mcp", "--no-start"), {HOME_VARIABLE: str(home.root)})


def _recovery(clock: Clock, store: OwnedStore, services: Services) -> Recover:
    """What comes before anybody may write, at the start and whenever the store was got back."""

    async def run(database: Database) -> None:
        services.projections.begin(store.epoch)
        hosting = services.hosting
        if hosting is not None:
            await hosting.recovery.begin()
        live: Container[ReviewId] = (
            frozenset() if hosting is None else hosting.reviews.permissions.live()
        )
        await recover_reviews(database, clock, live=live)
        await recover(database, clock, services.bus.publish)
        if services.gateway is not None:
            await services.gateway.begin()
        if hosting is not None:
            await hosting.recovery.finish()

    return run


def _desk_info(home: Home, database: Database, expire_after: float | None) -> DeskInfo:
    return DeskInfo(
        version=VERSION,
        store=database.location,
        api_url="",
        mcp_url="",
        token_file=str(home.desk_token),
        agent_token_file=str(home.agent_token),
        command=shell_command(),
        expire_after=expire_after,
    )


@asynccontextmanager
async def offline_desk(home: Home, clock: Clock) -> AsyncIterator[DeskApi]:
    """The desk for one command while no desk runs. Raises as `offline_services` does."""
    async with offline_services(home, clock) as services:
        yield services.desk


@asynccontextmanager
async def offline_services(
    home: Home, clock: Clock, database: str | None = None
) -> AsyncIterator[Services]:
    """All of a desk for one command while none runs: same lock, same recovery, same resolver.

    `database` is as in `Runtime.open`.

    Raises:
        StorageFailed: a desk owns the store, or it cannot be used.
        InvalidInput: `desk.toml` says something that cannot be.
        TemporarilyUnavailable: the store is locked, or its server is not there.
    """
    location = store_location(home, database or read_desk_file(home).database)
    with file_failures(home.root):
        store = await open_store(home, location, clock, kind="command")
    try:
        services = _build_services(home, store, clock, None, None)
        await store.start(_recovery(clock, store, services))
        yield services
        await services.supervisor.stop()
    finally:
        await store.close()
