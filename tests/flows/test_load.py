"""Many clients at once: every client gets its own answer, once."""

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.program import RunningDesk, running_desk

CLIENTS = 20
ASKS = 10 if os.environ.get("KANDESK_LONG") == "1" or os.environ.get("CI") else 3


async def one_client(desk: RunningDesk, number: int) -> list[tuple[str, dict[str, Any]]]:
    """Ask one after the other; the prompt of each and what came back for it."""
    got = []
    async with http_client(desk.mcp, desk.agent_token, name=f"client-{number}") as client:
        for turn in range(ASKS):
            name = f"{number}-{turn}"
            result = await ask(
                client, {"questions": [question(f"Who are you, {name}?", f"I am {name}", "Nobody")]}
            )
            got.append((name, result))
    return got


async def answer_in_random_order(desk: RunningDesk, total: int) -> None:
    order = random.Random(7)  # noqa: S311 - reproducible, not secret
    answered: set[str] = set()
    async with Human(desk.api, desk.token) as human:
        while len(answered) < total:
            bundles = [b for b in await human.pending() if b["pending_id"] not in answered]
            order.shuffle(bundles)
            for bundle in bundles[: max(1, len(bundles) // 2)]:
                reply = await human.answer(bundle)
                assert reply["claimed"]
                answered.add(bundle["pending_id"])
            await asyncio.sleep(0)


@pytest.mark.load
@pytest.mark.timeout(300)
async def test_twenty_clients_each_get_their_own_answers_once(tmp_path: Path) -> None:
    """Up to 200 asks from 20 clients, answered in random order."""
    async with running_desk(tmp_path / "home") as desk:
        human = asyncio.create_task(answer_in_random_order(desk, CLIENTS * ASKS))
        results = await asyncio.gather(*(one_client(desk, n) for n in range(CLIENTS)))
        await human
    seen = [pair for client in results for pair in client]
    assert len(seen) == CLIENTS * ASKS
    for name, result in seen:
        (answer,) = result["answers"].values()
        assert [item["label"] for item in answer["selected"]] == [f"I am {name}"]
