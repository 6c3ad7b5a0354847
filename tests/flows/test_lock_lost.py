"""A busy desk whose owner lock is taken from it again and again."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from backend.ids import new_id
from tests.helpers.mcp_clients import http_client, ignore_progress, question
from tests.helpers.place import raw
from tests.helpers.postgres_desk import answer, desk_on, http_of, logged, open_bundles
from tests.helpers.postgres_faults import kill_lock
from tests.helpers.program import RunningDesk
from tests.helpers.waiting import until

pytestmark = pytest.mark.faults

AUDIT = """
CREATE TABLE audit (
  number bigserial PRIMARY KEY, place text, at timestamptz, epoch bigint, new jsonb
);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit (place, at, epoch, new) SELECT TG_TABLE_NAME, clock_timestamp(),
    (SELECT value FROM sequences WHERE name = 'desk_epoch'), to_jsonb(NEW);
  RETURN NULL;
END $$;
"""
AUDITED = (
    "task_session_messages",
    "task_sessions",
    "task_session_turns",
    "tasks",
    "interaction_deliveries",
    "answer_drafts",
    "settings",
    "sequences",
)


def watch_every_write(url: str) -> None:
    """Record each committed change of a row: a write that is rolled back leaves none."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(AUDIT)
        for table in AUDITED:
            connection.execute(
                f"CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON {table}"
                " FOR EACH ROW EXECUTE FUNCTION note()"
            )


def written_while_away(url: str, away: str, back: str) -> Sequence[Any]:
    """What was written between the two moments, but for the count of starts and for recovery.

    That settles, under the new count, where the answers claimed before the loss have gone.
    """
    with raw(url) as connection:
        return connection.execute(
            """
            WITH lost AS (SELECT ?::timestamptz AS at),
            claimed AS (SELECT d.pending_id FROM interaction_deliveries d, lost
             WHERE d.claimed_at::timestamptz <= lost.at),
            before AS (SELECT max(a.epoch) AS epoch FROM audit a, lost WHERE a.at <= lost.at)
            SELECT a.place, a.at, a.epoch, a.new FROM audit a, lost, before
            WHERE a.at > lost.at AND a.at < ?::timestamptz
            AND NOT (a.place = 'sequences' AND a.new->>'name' = 'desk_epoch')
            AND NOT (a.epoch > before.epoch AND CASE a.place
             WHEN 'sequences' THEN a.new->>'name' = 'message_revision'
             WHEN 'interaction_deliveries' THEN a.new->>'pending_id' IN (SELECT * FROM claimed)
             WHEN 'task_session_messages' THEN
              (a.new->>'metadata')::jsonb->>'pending_id' IN (SELECT * FROM claimed)
             ELSE FALSE END)
            ORDER BY a.number
            """,
            (away, back),
        ).fetchall()


def _was_back(home: Path, times: int) -> bool:
    return len(logged(home, "the store is back")) == times


class Crowd:
    """Clients that ask one after the other, and a human who answers everything."""

    def __init__(self, desk: RunningDesk) -> None:
        self.desk = desk
        self.results: dict[str, dict[str, Any]] = {}
        self.answered: dict[str, int] = {}
        self.unavailable = 0
        self.done = asyncio.Event()

    def got_more_than(self, count: int) -> bool:
        return len(self.results) > count

    async def asks(self, number: int, count: int) -> None:
        async with http_client(
            self.desk.mcp, self.desk.agent_token, name=f"client-{number}"
        ) as client:
            for turn in range(count):
                name = f"{number}-{turn}"
                call = {"questions": [question(f"Who, {name}?", f"I am {name}", "Nobody")]}
                self.results[name] = await self._until_it_is_taken(client, call)

    async def _until_it_is_taken(self, client: Any, call: dict[str, Any]) -> dict[str, Any]:
        while True:
            result = await client.call_tool(
                "ask_user_question", call, progress_callback=ignore_progress
            )
            if not result.is_error:
                return dict(result.structured_content)
            assert "unavailable" in str(result.content) or "away" in str(result.content)
            self.unavailable += 1
            await asyncio.sleep(0.1)

    async def answers(self) -> None:
        claims: dict[str, str] = {}
        async with http_of(self.desk) as http:
            while not self.done.is_set():
                for bundle in await open_bundles(http):
                    claim = claims.setdefault(bundle["pending_id"], new_id())
                    reply = await answer(http, bundle, claim)
                    if reply.status_code == 503:
                        assert reply.json()["code"] == "temporarily_unavailable"
                        self.unavailable += 1
                    elif reply.status_code == 200:
                        self.answered[bundle["pending_id"]] = 1
                await asyncio.sleep(0.01)


@pytest.mark.timeout(180)
async def test_while_its_lock_is_lost_a_busy_desk_writes_nothing_and_afterwards_nothing_is_lost(
    tmp_path: Path, postgres_url: str
) -> None:
    """architecture.md, The store: nothing is written until it is back and recovery has run."""
    home, clients, count, losses = tmp_path / "home", 6, 12, 3
    async with desk_on(home, postgres_url) as desk:
        watch_every_write(postgres_url)
        crowd = Crowd(desk)
        human = asyncio.create_task(crowd.answers())
        asking = [asyncio.create_task(crowd.asks(number, count)) for number in range(clients)]
        for loss in range(1, losses + 1):
            done = len(crowd.results)
            await until(partial(crowd.got_more_than, done + 3), seconds=30)
            kill_lock(postgres_url)
            await until(partial(_was_back, home, loss), seconds=30)
        await asyncio.gather(*asking)
        crowd.done.set()
        await human
        assert await desk.terminate() == 0

    assert len(crowd.results) == clients * count
    for name, result in crowd.results.items():
        assert [item["label"] for item in result["answers"]["q1"]["selected"]] == [f"I am {name}"]
    assert crowd.unavailable > 0
    gone, back = logged(home, "the store is away:"), logged(home, "the store is back")
    assert len(gone) == len(back) == losses
    for since, until_then in zip(gone, back, strict=True):
        assert not written_while_away(postgres_url, since, until_then)
    with raw(postgres_url) as connection:
        epochs = [
            row["epoch"] for row in connection.execute("SELECT epoch FROM audit ORDER BY number")
        ]
        states = connection.execute(
            "SELECT state, count(*) AS total FROM interaction_deliveries GROUP BY state"
        ).fetchall()
        twice = connection.execute(
            "SELECT new->>'id' AS id FROM audit WHERE place = 'task_session_messages'"
            " AND (new->>'metadata')::jsonb->>'status' = 'answered'"
            " GROUP BY 1 HAVING count(DISTINCT (new->>'metadata')::jsonb->'response') > 1"
        ).fetchall()
    assert epochs == sorted(epochs)
    assert set(epochs) >= {1, 2, 3, 4}
    assert twice == []
    assert {row["state"]: row["total"] for row in states} == {"delivered": clients * count}
