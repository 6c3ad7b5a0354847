"""However many answer at once: what is claimed is settled before more is claimed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from backend.clock import Deadline
from backend.domain.clarification import Delivery
from backend.store.database import Database, Priority, Transaction
from tests.helpers.builders import make_draft, make_question
from tests.helpers.clock import FakeClock
from tests.helpers.desk import HUMAN, make_caller, new_token, open_desk
from tests.helpers.faults import FaultyDatabase
from tests.helpers.place import Place
from tests.helpers.store import YES

CALLERS = 12


class Noted(FaultyDatabase):
    """Notes what each write was for, in the order in which the writer took them."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.taken: list[Priority] = []
        self.waiting = 0

    @asynccontextmanager
    async def writing(
        self, deadline: Deadline | None = None, *, priority: Priority = Priority.NORMAL
    ) -> AsyncIterator[Transaction]:
        self.waiting += 1
        async with super().writing(deadline, priority=priority) as tx:
            self.waiting -= 1
            self.taken.append(priority)
            yield tx


async def test_an_answer_is_not_kept_waiting_by_those_that_came_after_it(
    store_path: Place, clock: FakeClock
) -> None:
    """clarification.md, Budgets: under many callers no delivery ends as unknown."""
    noted: list[Noted] = []

    def note(database: Database) -> Noted:
        noted.append(Noted(database))
        return noted[0]

    async with open_desk(store_path, clock, wrap=note) as desk:
        asked = [
            (
                await desk.asking.open(
                    make_caller(f"k{n}"), make_draft(make_question(prompt=f"{n}?"))
                )
            )
            for n in range(CALLERS)
        ]
        database = noted[0]
        async with database.writing():
            answers = [
                asyncio.create_task(
                    desk.desk.respond(
                        question.pending_id, YES, client_id=HUMAN, claim_token=new_token()
                    )
                )
                for question in asked
            ]
            while database.waiting < CALLERS:
                await asyncio.sleep(0)
            database.taken.clear()
        outcomes = await asyncio.gather(*answers)
    assert {outcome.delivery for outcome in outcomes} == {Delivery.WAITING_FOR_AGENT}
    ahead = 0
    for priority in database.taken:
        ahead += {Priority.CLAIM: 1, Priority.SETTLE: -1}.get(priority, 0)
        # One more is claimed while the answer before it asks for the writer.
        assert ahead <= 2
