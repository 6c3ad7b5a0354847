"""A script over HTTP and an operator over MCP answer the same question differently, at once."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from backend.clock import format_timestamp, parse_timestamp
from backend.ids import new_id
from tests.helpers.human import Human
from tests.helpers.mcp_clients import ask, http_client, question
from tests.helpers.place import Place
from tests.helpers.program import KANDESK, RunningDesk, running_desk
from tests.helpers.races import LABELS, LONG, Wish, race, seen, wishes
from tests.helpers.stored import stored_bundle

ROUNDS = 500 if LONG else 30


@dataclass
class Doors:
    """Both doors of one desk, and the agent that asks behind a third."""

    place: Place
    human: Human
    operator: Client
    agent: Client
    won: Counter[str] = field(default_factory=Counter)

    async def over_http(self, pending_id: str, body: dict[str, Any]) -> dict[str, Any]:
        status, reply = await self.human.respond(pending_id, body)
        assert status == 200, reply
        return reply

    async def over_mcp(self, pending_id: str, body: dict[str, Any]) -> dict[str, Any]:
        result = await self.operator.call_tool(
            "answer_question", {"pending_id": pending_id, **body}
        )
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return dict(result.structured_content)

    async def play(self, number: int) -> None:
        """One question, two answers, and what everybody is told."""
        asked = {"questions": [question(f"Round {number}?", *LABELS)]}
        call = asyncio.create_task(ask(self.agent, asked))
        (bundle,) = await self.human.wait_for()
        pending_id = bundle["pending_id"]
        ours, theirs = wishes(number)
        body = {**ours.body(bundle), "client_id": "script", "claim_id": new_id()}
        http, mcp = await race(
            number,
            lambda: self.over_http(pending_id, body),
            lambda: self.over_mcp(pending_id, theirs.body(bundle)),
        )
        winner = self.check_replies(http, mcp, ours, theirs)
        assert seen(await asyncio.wait_for(call, 20)) == winner.result()
        self.check_rows(pending_id, http["response"])
        await self.check_retry(pending_id, body, http)
        assert await self.human.pending() == []

    def check_replies(
        self, http: dict[str, Any], mcp: dict[str, Any], ours: Wish, theirs: Wish
    ) -> Wish:
        """One winner; both tell the same response of the same moment."""
        assert [http["claimed"], mcp["claimed"]].count(True) == 1, (http, mcp)
        assert http["response"] == mcp["response"]
        assert http["status"] == mcp["status"]
        # A question can be answered before the call that asked it has begun to wait.
        assert {http["delivery"], mcp["delivery"]} <= {"delivered", "waiting_for_agent"}
        assert not http["replayed"]
        assert not mcp["replayed"]
        self.won["http" if http["claimed"] else "mcp"] += 1
        return ours if http["claimed"] else theirs

    def check_rows(self, pending_id: str, told: dict[str, Any]) -> None:
        stored = stored_bundle(self.place, pending_id)
        assert stored.status == ("rejected" if told["rejected"] else "answered")
        assert stored.settled
        assert stored.delivery["state"] == "delivered"
        claimed_at = format_timestamp(parse_timestamp(stored.delivery["claimed_at"]))
        assert claimed_at == told["responded_at"]
        assert stored.responses == {
            answer["question_id"]: (tuple(answer["selected_options"]), answer["custom_text"])
            for answer in told["answers"]
        }

    async def check_retry(
        self, pending_id: str, body: dict[str, Any], first: dict[str, Any]
    ) -> None:
        """The same request once more: the winner's is recognized, the loser's loses again."""
        again = await self.over_http(pending_id, body)
        assert again["claimed"] is again["replayed"] is first["claimed"]
        assert again["response"] == first["response"]


async def play_all(desk: RunningDesk, place: Place) -> Counter[str]:
    async with AsyncExitStack() as stack:
        human = await stack.enter_async_context(Human(desk.api, desk.token))
        endpoint = f"{desk.api}/mcp/operator"
        operator = await stack.enter_async_context(http_client(endpoint, desk.token, mode="auto"))
        agent = await stack.enter_async_context(http_client(desk.mcp, desk.agent_token))
        doors = Doors(place, human, operator, agent)
        for number in range(ROUNDS):
            await doors.play(number)
    return doors.won


@pytest.mark.timeout(600)
async def test_one_of_two_doors_wins_and_both_tell_the_same(tmp_path: Path) -> None:
    """K5.3, K5.4, K8.3 A: one guarded claim; the loser is told the winner's response and time."""
    await _play_on(tmp_path / "home", tmp_path / "home" / "kandesk.db")


@pytest.mark.timeout(600)
async def test_one_of_two_doors_wins_on_a_server_too(tmp_path: Path, postgres_url: str) -> None:
    """K2.7, K5.3: the same on PostgreSQL, where two transactions really overlap."""
    await _play_on(tmp_path / "home", postgres_url, "--database", postgres_url)


async def _play_on(home: Path, place: Place, *options: str) -> None:
    async with running_desk(home, *KANDESK, "serve", *options) as desk:
        won = await play_all(desk, place)
    print(f"rounds won: {dict(won)}")
    assert sum(won.values()) == ROUNDS
    assert min(won["http"], won["mcp"]) > 0, "one door never won: this was no race"
