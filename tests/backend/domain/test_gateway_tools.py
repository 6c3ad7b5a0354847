"""What a downstream server may be called and how its tools are known to agents."""

from dataclasses import replace

import pytest

from backend.domain.gateway import ServerSettings, Transport
from backend.domain.gateway_tools import ToolPolicy, check_server, read_tool, risk_of, tool_of
from backend.domain.policy import PolicyDecision, Risk
from backend.errors import InvalidInput
from backend.ids import ServerId

STDIO = ServerSettings(ServerId("s"), "files", Transport.STDIO, ("server", "--root"))
HTTP = ServerSettings(ServerId("s"), "files", Transport.HTTP, url="https://example.org/mcp")
TOLD = {"name": "write", "description": "Writes.", "inputSchema": {"type": "object"}}


def test_the_risk_is_what_the_annotations_say_and_write_where_they_say_nothing() -> None:
    assert risk_of({}) is Risk.WRITE
    assert risk_of({"readOnlyHint": True}) is Risk.READ
    assert risk_of({"destructiveHint": True}) is Risk.DESTRUCTIVE
    assert risk_of({"readOnlyHint": True, "destructiveHint": True}) is Risk.DESTRUCTIVE
    assert risk_of({"readOnlyHint": "true"}) is Risk.WRITE


def test_a_tool_nobody_spoke_of_asks() -> None:
    definition = read_tool(TOLD)
    assert definition is not None
    tool = tool_of(definition, None)
    assert (tool.policy, tool.changed) == (PolicyDecision.ASK, False)


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Writes anywhere."},
        {"inputSchema": {"type": "object", "required": ["path"]}},
        {"annotations": {"readOnlyHint": True}},
        {"outputSchema": {"type": "object"}},
    ],
)
def test_an_allowed_tool_whose_definition_changed_asks_until_it_is_confirmed(
    change: dict[str, object],
) -> None:
    """T6.2, 58: a changed definition asks again."""
    before, after = read_tool(TOLD), read_tool({**TOLD, **change})
    assert before is not None
    assert after is not None
    said = ToolPolicy(PolicyDecision.ALLOW, before.digest)
    assert tool_of(before, said).policy is PolicyDecision.ALLOW
    changed = tool_of(after, said)
    assert (changed.policy, changed.changed) == (PolicyDecision.ASK, True)


def test_a_denied_tool_stays_denied_whatever_its_definition() -> None:
    after = read_tool({**TOLD, "description": "Reads."})
    assert after is not None
    said = ToolPolicy(PolicyDecision.DENY, "another")
    assert tool_of(after, said).policy is PolicyDecision.DENY


def test_a_tool_that_became_destructive_is_never_allowed_unasked() -> None:
    destructive = read_tool({**TOLD, "annotations": {"destructiveHint": True}})
    assert destructive is not None
    said = ToolPolicy(PolicyDecision.ALLOW, destructive.digest)
    assert tool_of(destructive, said).policy is PolicyDecision.ASK


@pytest.mark.parametrize("name", ["", "a b", "x\n", "a" * 129, "ä", None, 3])
def test_a_tool_no_agent_could_name_is_left_out(name: object) -> None:
    assert read_tool({**TOLD, "name": name}) is None


def test_the_order_of_keys_is_no_change() -> None:
    one = read_tool({"name": "a", "inputSchema": {"type": "object", "title": "x"}})
    other = read_tool({"inputSchema": {"title": "x", "type": "object"}, "name": "a"})
    assert one is not None
    assert other is not None
    assert one.digest == other.digest


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        (replace(STDIO, name="a__b"), "name"),
        (replace(STDIO, name=""), "name"),
        (replace(STDIO, name="Files"), "name"),
        (replace(STDIO, name="a" * 33), "name"),
        (replace(STDIO, command=()), "command"),
        (replace(STDIO, command=("x\0",)), "command[0]"),
        (replace(STDIO, environment={"A B": "x"}), "environment"),
        (replace(STDIO, secrets=("KANDESK_HOME",)), "environment"),
        (replace(STDIO, secrets=("A",), environment={"A": "x"}), "secrets"),
        (replace(STDIO, headers={"X": "y"}), "headers"),
        (replace(HTTP, url="file:///etc/passwd"), "url"),
        (replace(HTTP, url="https://me:word@example.org"), "url"),
        (replace(HTTP, url="http://example.org:99999999/"), "url"),
        (replace(HTTP, headers={"X": "y\nZ: 1"}), "headers"),
        (replace(HTTP, environment={"A": "b"}), "environment"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_the_name_of_the_field(
    settings: ServerSettings, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_server(settings)
    assert refused.value.params["field"] == field


def test_usual_settings_are_taken() -> None:
    check_server(replace(STDIO, secrets=("TOKEN",), environment={"ROOT": "/srv"}))
    check_server(replace(HTTP, secrets=("Authorization",)))
