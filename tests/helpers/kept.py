"""An agent of a scripted desk that works on, and the answers kept for it."""

from dataclasses import dataclass

from backend.clarification.asking import AskCaller, OpenAsk
from backend.domain.clarification import (
    Answered,
    Bundle,
    Delivery,
    Outcome,
    ResponseOutcome,
)
from backend.events import BundleResolved
from backend.ids import PendingId
from tests.helpers.builders import make_answer, make_draft, make_guest, make_question
from tests.helpers.desk import HUMAN, new_token
from tests.helpers.scripted_hosting import Hosted, S
from tests.helpers.waiting import eventually, until

AGENT = AskCaller(make_guest("mcp", client="codex"), "mcp-session", None, S)
LITE = Answered((make_answer("q1", "q1_opt1"),))
PG = Answered((make_answer("q1", "q1_opt2"),))


@dataclass
class Kept:
    """A hosted agent that works, and its calls."""

    hosted: Hosted

    async def ask(self, prompt: str = "Which database?") -> OpenAsk:
        """Ask, and let the call end with a ticket before there is an answer."""
        draft = make_draft(make_question(prompt=prompt))
        return await self.hosted.desk.asking.open(AGENT, draft)

    async def respond(self, asked: OpenAsk, outcome: Outcome = PG) -> ResponseOutcome:
        return await self.hosted.desk.desk.respond(
            asked.pending_id, outcome, client_id=HUMAN, claim_token=new_token()
        )

    async def bundle(self, pending_id: PendingId) -> Bundle:
        return await self.hosted.desk.desk.get_bundle(pending_id)

    async def arrives(self, asked: OpenAsk, delivery: Delivery = Delivery.DELIVERED) -> None:
        """Wait until the answer is there, and the window has heard of it."""

        async def arrived() -> bool:
            return (await self.bundle(asked.pending_id)).delivery is delivery

        await eventually(arrived, seconds=20)
        await until(lambda: self.told(asked)[-1:] == [delivery], seconds=20)

    def told(self, asked: OpenAsk) -> list[Delivery | None]:
        events = [event for event in self.hosted.desk.events if isinstance(event, BundleResolved)]
        return [
            event.bundle.delivery for event in events if event.bundle.pending_id == asked.pending_id
        ]

    @property
    def given(self) -> list[str]:
        return self.hosted.launcher.given

    async def prompted(self, prompts: int) -> None:
        """Wait until there are this many prompts, and no more of them come."""
        await self.hosted.works(prompts)
