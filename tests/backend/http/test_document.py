"""`GET /api/v1/openapi.json`: what it says and what there is are the same."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from backend.clock import SystemClock
from tests.helpers.door_client import TOKENS, Door, open_door, raw_http
from tests.helpers.http_desk import HttpDesk


async def document(door: Door) -> dict[str, Any]:
    async with raw_http(door, token=TOKENS.desk) as http:
        reply = await http.get("/api/v1/openapi.json")
    assert reply.status_code == 200
    found: dict[str, Any] = reply.json()
    return found


def routes(door: Door) -> set[tuple[str, str]]:
    app: Any = door.server._listener.config.app
    while not isinstance(app, Starlette):
        app = app._app
    return {
        (method.lower(), route.path)
        for route in app.routes
        if isinstance(route, Route) and not route.path.startswith("/mcp")
        for method in route.methods or ()
    }


@pytest.mark.parametrize("debug", [False, True])
async def test_every_route_is_described_and_everything_described_is_a_route(*, debug: bool) -> None:
    async with open_door(SystemClock(), debug=debug) as door:
        described = {
            (method, path)
            for path, methods in (await document(door))["paths"].items()
            for method in methods
        }
        assert described == routes(door)
        assert (("get", "/debug/vars") in described) is debug


async def test_every_operation_says_its_failures_and_needs_the_token(live_door: Door) -> None:
    found = await document(live_door)
    assert found["openapi"] == "3.1.0"
    assert found["components"]["securitySchemes"] == {"desk": {"type": "http", "scheme": "bearer"}}
    assert found["security"] == [{"desk": []}]
    names = set()
    for methods in found["paths"].values():
        for operation in methods.values():
            names.add(operation["operationId"])
            assert {"200", "400", "401", "403", "413", "500"} <= set(operation["responses"])
            for reply in operation["responses"].values():
                assert reply["content"]["application/json"]["schema"]
    assert len(names) == sum(len(methods) for methods in found["paths"].values())


async def test_no_body_has_keys_the_document_does_not_name(live_door: Door) -> None:
    found = await document(live_door)
    for name, schema in found["components"]["schemas"].items():
        if schema.get("type") == "object" and "properties" in schema:
            assert schema["additionalProperties"] is False, name


async def test_the_limits_in_the_document_are_those_that_are_enforced(live_door: Door) -> None:
    schemas = (await document(live_door))["components"]["schemas"]
    assert schemas["AnswerIn"]["properties"]["custom_text"]["maxLength"] == 2_000
    assert schemas["ResponseIn"]["properties"]["reject_reason"]["maxLength"] == 2_000
    assert schemas["QuestionIn"]["properties"]["prompt"]["maxLength"] == 8_000
    assert schemas["RequestIn"]["properties"]["questions"]["maxItems"] == 4
    assert schemas["RequestIn"]["properties"]["context"]["maxLength"] == 32_000


async def test_it_needs_the_desks_token_like_everything(desk: HttpDesk) -> None:
    assert (await desk.agent.get("/api/v1/openapi.json")).status_code == 403
    assert (await desk.http.get("/api/v1/openapi.json")).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("address", ["/api/v1/desk", "/api/v1/clarification/p1/wait"])
async def test_a_method_that_is_not_described_is_refused_and_the_right_one_named(
    desk: HttpDesk, method: str, address: str
) -> None:
    reply = await desk.http.request(method, address)
    assert (reply.status_code, reply.headers["allow"]) == (405, "GET")
