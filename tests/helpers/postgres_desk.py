"""`kandesk serve` on a PostgreSQL server, and a human at its HTTP door."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.helpers.program import KANDESK, RunningDesk, running_desk


@asynccontextmanager
async def desk_on(home: Path, url: str, *options: str) -> AsyncIterator[RunningDesk]:
    async with running_desk(home, *KANDESK, "serve", "--database", url, *options) as desk:
        yield desk


@asynccontextmanager
async def http_of(desk: RunningDesk) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {"Authorization": f"Bearer {desk.token}"}
    async with httpx2.AsyncClient(base_url=desk.api, headers=headers, timeout=45) as client:
        yield client


async def open_bundles(http: httpx2.AsyncClient) -> list[dict[str, Any]]:
    reply = await http.get("/api/v1/clarification-inbox")
    return list(reply.json()["bundles"]) if reply.status_code == 200 else []


async def answer(http: httpx2.AsyncClient, bundle: dict[str, Any], claim: str) -> httpx2.Response:
    """Choose the first option of its one question."""
    found = bundle["questions"][0]
    body = {
        "answers": [
            {
                "question_id": found["question_id"],
                "selected_options": [found["options"][0]["option_id"]],
                "custom_text": "",
            }
        ],
        "client_id": "test",
        "claim_id": claim,
    }
    return await http.post(f"/api/v1/clarification/{bundle['pending_id']}/respond", json=body)


def log_of(home: Path) -> list[dict[str, Any]]:
    """Its last line is left out while it is being written."""
    text = (home / "logs" / "serve.jsonl").read_text("utf-8")
    complete, _, _ = text.rpartition("\n")
    return [json.loads(line) for line in complete.splitlines()]


def logged(home: Path, words: str) -> list[str]:
    """When the keeper of the store logged these words."""
    return [
        line["timestamp"]
        for line in log_of(home)
        if line["logger"] == "backend.store.postgres_store" and line["event"].startswith(words)
    ]


async def read_inbox(http: httpx2.AsyncClient) -> httpx2.Response:
    return await http.get("/api/v1/clarification-inbox")


async def has_open(http: httpx2.AsyncClient, count: int = 1) -> bool:
    return len(await open_bundles(http)) == count
