"""A human at the HTTP door: sees what is pending and answers it."""

import asyncio
from types import TracebackType
from typing import Any, Self, cast

import httpx2


class Human:
    """Use as `async with Human(api, token) as human`."""

    def __init__(self, api: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx2.AsyncClient(base_url=api, headers=headers, timeout=45)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def pending(self) -> list[dict[str, Any]]:
        """The Inbox (K3.5)."""
        response = await self._http.get("/api/v1/clarification-inbox")
        response.raise_for_status()
        return cast("list[dict[str, Any]]", response.json()["bundles"])

    async def wait_for(self, count: int = 1, *, seconds: float = 20.0) -> list[dict[str, Any]]:
        """The Inbox once it holds at least `count` bundles."""
        async with asyncio.timeout(seconds):
            while len(found := await self.pending()) < count:
                await asyncio.sleep(0.01)
        return found

    async def respond(self, pending_id: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        response = await self._http.post(f"/api/v1/clarification/{pending_id}/respond", json=body)
        return response.status_code, response.json()

    async def answer(
        self, bundle: dict[str, Any], place: int = 0, text: str = ""
    ) -> dict[str, Any]:
        """Pick option `place` of every question (if it has any) and add `text`."""
        answers = [
            {
                "question_id": item["question_id"],
                "selected_options": [item["options"][place]["option_id"]]
                if item["options"]
                else [],
                "custom_text": text,
            }
            for item in bundle["questions"]
        ]
        status, reply = await self.respond(bundle["pending_id"], {"answers": answers})
        assert status == 200, reply
        return reply
