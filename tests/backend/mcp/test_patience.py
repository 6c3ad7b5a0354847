"""The table of clients (agents.md, Patience; reference/agents.md section 2)."""

import pytest

from backend.mcp.patience import (
    Transport,
    patience_from_wire,
    patience_of,
    patience_to_wire,
    waiting_limit,
)


@pytest.mark.parametrize(
    ("client", "has_token", "seconds"),
    [
        ("opencode", True, None),
        ("opencode", False, 40),
        ("codex-mcp-client", True, 280),
        ("codex-mcp-client", False, 280),
        ("claude-code", True, 330),
        ("claude-code", False, 280),
        ("gemini-cli-mcp-client", True, 580),
        ("qwen-code-mcp-client", True, None),
        ("qwen-code-mcp-client", False, 280),
        ("something-new", True, None),
        ("something-new", False, 40),
        ("", False, 40),
        ("  Claude Code ", True, 330),
    ],
)
def test_a_call_over_http_ends_20_s_before_its_client_gives_up(
    client: str, *, has_token: bool, seconds: float | None
) -> None:
    assert waiting_limit(client, Transport.HTTP, has_token=has_token) == seconds


def test_the_http_limit_of_claude_does_not_hold_over_stdio() -> None:
    assert waiting_limit("claude-code", Transport.SHIM, has_token=True) is None
    assert waiting_limit("codex-mcp-client", Transport.SHIM, has_token=True) == 280


@pytest.mark.parametrize(
    ("client", "resumes"),
    [("opencode", True), ("qwen-code-mcp-client", True), ("codex-mcp-client", False), ("x", False)],
)
def test_only_clients_that_resume_get_event_ids(client: str, *, resumes: bool) -> None:
    """reference/agents.md, trap 5: ids make Gemini open a stream for every call."""
    assert patience_of(client).resumes is resumes


@pytest.mark.parametrize("left", [None, 0.0, 0.25, 38.125, 580.0])
def test_the_patience_of_a_shims_client_arrives_as_it_was_sent(left: float | None) -> None:
    assert patience_from_wire(patience_to_wire(left), "codex-mcp-client") == left


@pytest.mark.parametrize("value", ["", "٣", " 3", "3\n", "-0", "None", "NONE", "12345678"])
def test_a_patience_of_another_form_counts_as_the_shortest_of_the_client(value: str) -> None:
    assert patience_from_wire(value, "something-new") == 40
    assert patience_from_wire(value, "codex-mcp-client") == 280
