"""Everything about downstream servers that lives as long as the desk, wired together."""

from functools import partial

from backend.domain.review import Owner, ReviewStatus
from backend.events import Event, ReviewChanged
from backend.ids import ReviewId, ServerId
from backend.keyring_secrets import SecretStore
from backend.review.callers import Locate
from backend.review.gateway.calls import GatewayCalls
from backend.review.gateway.executing import Executing
from backend.review.gateway.ports import Connect, Tell
from backend.review.gateway.recovery import GatewayRecovery, cancel_without_server
from backend.review.gateway.registering import Registering
from backend.review.gateway.running import ReviewNews, RunningCalls
from backend.review.gateway.servers import Servers
from backend.review.parts import ReviewParts
from backend.store import gateway_calls


class Gateway:
    """`api` faces the human, `calls` the agents."""

    def __init__(
        self,
        parts: ReviewParts,
        tell: Tell,
        *,
        connect: Connect,
        secrets: SecretStore,
        locate: Locate,
    ) -> None:
        self._parts = parts
        self._tell = tell
        self._news = ReviewNews()
        self._open = False
        running = RunningCalls()
        self.servers = Servers(parts, connect, secrets)
        self._executing = Executing(parts, self.servers, running, tell, self._news)
        self._recovery = GatewayRecovery(parts, self._executing, running)
        self.calls = GatewayCalls(
            parts,
            servers=self.servers,
            running=running,
            tell=tell,
            news=self._news,
            locate=locate,
        )
        self.api = Registering(parts, self.servers, secrets, self._cancel_requests)
        parts.bus.subscribe(self._follow)

    async def begin(self) -> None:
        """Know the servers, and settle what the last run has left; before any door opens."""
        await self._recovery.begin()
        await self.servers.load()
        if self._open:
            self._recovery.go_on()

    def go_on(self) -> None:
        """Run what was approved and never begun, now that everybody is let in."""
        self._open = True
        self._recovery.go_on()

    def is_heard(self, review_id: ReviewId) -> bool:
        """Whether a call of its agent waits for the outcome, or is being told it."""
        return self._news.is_watched(review_id)

    async def close(self) -> None:
        """End every server. A call under way then has an end, though nobody knows which."""
        await self.servers.close()

    def _follow(self, happened: Event) -> None:
        if not isinstance(happened, ReviewChanged):
            return
        review = happened.review
        if review.owner is Owner.GATEWAY:
            self._news.tell(review.review_id)
            if review.status is ReviewStatus.APPROVED:
                self._executing.start(review.review_id)

    async def _cancel_requests(self, server_id: ServerId) -> None:
        async with self._parts.database.reading() as tx:
            found = await gateway_calls.list_of_server(tx, server_id)
        for review_id in found:
            cancel = partial(cancel_without_server, self._parts, review_id)
            if await self._parts.write_at_last(cancel):
                await self._tell(review_id)
