"""`/api/v1/desk`: who runs here, and the second start of the program."""

from typing import Any

from backend.clock import SystemClock
from tests.helpers.door_client import TOKENS, Door, open_door, raw_http


async def _send(door: Door, method: str, path: str, body: object = None) -> Any:
    async with raw_http(door, token=TOKENS.desk) as http:
        return await http.request(method, path, json=body)


async def test_a_desk_says_where_it_listens(live_door: Door) -> None:
    reply = await _send(live_door, "GET", "/api/v1/desk")
    assert reply.json() == {
        "version": "1.2.3",
        "pid": 4242,
        "kind": "window",
        "api": live_door.url,
        "mcp": f"{live_door.url}/mcp",
        "counters": {"clarification_response_timeout_total": {}},
    }


async def test_a_second_start_shows_the_window(live_door: Door) -> None:
    first = await _send(live_door, "POST", "/api/v1/desk/show", {"activation_token": "tok"})
    second = await _send(live_door, "POST", "/api/v1/desk/show")
    assert (first.status_code, second.status_code) == (200, 200)
    assert live_door.shown == ["tok", ""]


async def test_show_refuses_what_it_does_not_know(live_door: Door) -> None:
    reply = await _send(live_door, "POST", "/api/v1/desk/show", {"activation_token": 3})
    assert reply.status_code == 400
    assert live_door.shown == []


async def test_a_window_does_not_hand_over(live_door: Door) -> None:
    reply = await _send(live_door, "POST", "/api/v1/desk/hand-over", {})
    assert reply.status_code == 409
    assert live_door.handed_over == []


async def test_a_serve_hands_over() -> None:
    """product.md, Commands: `kandesk` over a running `serve`."""
    async with open_door(SystemClock(), kind="serve") as door:
        reply = await _send(door, "POST", "/api/v1/desk/hand-over", {})
        assert reply.status_code == 200
        assert door.handed_over == [True]
