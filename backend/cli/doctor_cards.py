"""`kandesk doctor --repair-cards`: cards made to show what became of their permissions."""

import asyncio
from collections.abc import Iterator

from backend.clock import Clock
from backend.paths import Home
from backend.review.projection import Repaired
from backend.runtime import offline_services
from backend.store.store_location import EmbeddedFile, StoreLocation


def repair_cards(
    home: Home, location: StoreLocation, clock: Clock, *, database: str | None, budget: int | None
) -> Iterator[str]:
    """What was done, in lines. Without a `budget` it goes on until every card was looked at.

    Raises:
        StorageFailed: a desk runs, or the store cannot be used.
        TemporarilyUnavailable: the store is locked, or its server is not there.
    """
    if isinstance(location, EmbeddedFile) and not location.is_made:
        yield "no card to repair: there is no store yet"
        return
    # As a start does: whoever owns a store holds a lock there, wherever the rows are.
    home.create()
    done = asyncio.run(_repair(home, clock, database, budget))
    if not done.attempted:
        yield "no card to repair: each shows what became of its permission"
        return
    yield f"looked at {done.attempted} card(s) that showed something else"
    if done.left:
        yield "some show something else still; run kandesk doctor --repair-cards again"


async def _repair(home: Home, clock: Clock, database: str | None, budget: int | None) -> Repaired:
    async with offline_services(home, clock, database) as services:
        return await services.cards.repair(budget)
