"""Registered servers: their secrets, their tools, what runs and what does not."""

from dataclasses import replace

import pytest

from backend.domain.gateway import ServerSettings, ServerStatus, Transport
from backend.domain.policy import PolicyDecision
from backend.errors import Conflict, InvalidInput, NotFound, StorageFailed
from backend.events import ServerChanged
from backend.ids import ServerId
from backend.mcp.gateway_texts import listing
from backend.mcp.listing_file import ListingFile
from backend.review.gateway.results import ReplyKind
from tests.helpers.gateway_case import READ, WRITE, GatewayCase
from tests.helpers.place import Place

SETTINGS = ServerSettings(
    ServerId("id-files"), "files", Transport.STDIO, ("server",), secrets=("TOKEN",)
)


async def test_a_secret_is_kept_in_the_keyring_and_nowhere_else(
    case: GatewayCase, place: Place
) -> None:
    server = await case.gateway.api.save_server(SETTINGS, {"TOKEN": "s3cret"})
    assert server.status is ServerStatus.READY
    assert case.secrets.kept == {"mcp/id-files/TOKEN": "s3cret"}
    assert case.downstream.secrets == [{"TOKEN": "s3cret"}]
    assert "s3cret" not in repr(server)
    assert "s3cret" not in repr([tuple(row) for row in case.table("mcp_servers")])


async def test_without_its_secret_a_server_is_not_started(case: GatewayCase) -> None:
    """A missing secret fails closed, and says which one."""
    await case.gateway.api.save_server(SETTINGS, {"TOKEN": "s3cret"})
    case.secrets.kept.clear()
    case.downstream.connections[-1].closed = True
    server = await case.gateway.api.refresh_server(SETTINGS.server_id)
    assert server.status is ServerStatus.FAILED
    assert "TOKEN" in server.detail
    await case.set_policy(server, "write", PolicyDecision.ALLOW)
    reply = await case.call(path="a")
    assert reply.kind is ReplyKind.FAILED
    assert "TOKEN" in reply.detail
    assert case.downstream.calls == []


async def test_a_keyring_that_cannot_be_used_registers_nothing(case: GatewayCase) -> None:
    case.secrets.broken = True
    with pytest.raises(StorageFailed):
        await case.gateway.api.save_server(SETTINGS, {"TOKEN": "s3cret"})
    assert await case.gateway.api.list_servers() == ()


async def test_a_secret_nobody_named_is_refused_without_being_repeated(case: GatewayCase) -> None:
    with pytest.raises(InvalidInput) as refused:
        await case.gateway.api.save_server(SETTINGS, {"OTHER": "s3cret"})
    assert "s3cret" not in refused.value.detail


async def test_a_server_that_is_removed_leaves_no_secret(case: GatewayCase) -> None:
    await case.gateway.api.save_server(SETTINGS, {"TOKEN": "s3cret"})
    await case.gateway.api.remove_server(SETTINGS.server_id)
    assert case.secrets.kept == {}
    assert case.downstream.connections[-1].closed
    with pytest.raises(NotFound):
        await case.gateway.api.remove_server(SETTINGS.server_id)


async def test_two_servers_cannot_have_one_name(case: GatewayCase) -> None:
    await case.gateway.api.save_server(SETTINGS, {"TOKEN": "s3cret"})
    other = replace(SETTINGS, server_id=ServerId("other"))
    with pytest.raises(Conflict):
        await case.gateway.api.save_server(other, {"TOKEN": "x"})


async def test_a_policy_is_for_the_definition_that_was_seen(case: GatewayCase) -> None:
    server = await case.add()
    with pytest.raises(Conflict):
        await case.gateway.api.set_tool_policy(
            server.settings.server_id, "write", PolicyDecision.ALLOW, definition_digest="old"
        )
    with pytest.raises(NotFound):
        await case.gateway.api.set_tool_policy(
            server.settings.server_id, "nothing", PolicyDecision.DENY, definition_digest="old"
        )


async def test_the_tools_are_known_after_a_restart_before_any_server_runs(
    case: GatewayCase,
) -> None:
    server = await case.add()
    await case.set_policy(server, "write", PolicyDecision.ALLOW)
    started = len(case.downstream.connections)
    await case.dies()
    after = await case.again()
    (known,) = await after.gateway.api.list_servers()
    assert known.status is ServerStatus.NOT_STARTED, "nobody has switched it off"
    assert {tool.name: tool.policy for tool in known.tools}["write"] is PolicyDecision.ALLOW
    assert len(case.downstream.connections) == started
    assert (await after.call(path="a")).kind is ReplyKind.RAN


async def test_a_tool_that_went_and_came_back_is_still_denied(case: GatewayCase) -> None:
    server = await case.set_policy(await case.add(), "write", PolicyDecision.DENY)
    server_id = server.settings.server_id
    case.downstream.tools = [READ]
    await case.gateway.api.refresh_server(server_id)
    assert not case.gateway.calls.knows("files__write")
    case.downstream.tools = [READ, {**WRITE, "description": "another"}]
    await case.gateway.api.refresh_server(server_id)
    assert (await case.call(path="a")).kind is ReplyKind.DENIED


async def test_every_change_is_told_and_what_agents_see_with_it(
    case: GatewayCase, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = ListingFile(tmp_path_factory.mktemp("home") / "agent-tools.json")
    servers = case.gateway.servers
    servers.on_listing_changed(lambda: file.write(listing(servers.list())))
    server = await case.add()
    assert [tool["name"] for tool in file.read()] == [
        "files__write",
        "files__read",
        "files__delete",
    ]
    before = file.stamp()
    await case.set_policy(server, "write", PolicyDecision.DENY)
    assert [tool["name"] for tool in file.read()] == ["files__read", "files__delete"]
    assert file.stamp() != before
    assert any(isinstance(event, ServerChanged) for event in case.events)


async def test_a_server_that_is_switched_off_offers_nothing(case: GatewayCase) -> None:
    server = await case.add()
    off = replace(server.settings, enabled=False)
    assert (await case.gateway.api.save_server(off, {})).status is ServerStatus.OFF
    (known,) = await (await case.again()).gateway.api.list_servers()
    assert known.status is ServerStatus.OFF, "and it stays so"
    assert listing(case.gateway.servers.list()) == []
    with pytest.raises(NotFound):
        await case.open(path="a")
