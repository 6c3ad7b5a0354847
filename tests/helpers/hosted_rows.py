"""A conversation with a hosted agent in which every kind of row occurs, by kandev-app.md b.4."""

from backend.domain.conversation import JsonObject, Message
from tests.helpers.desk_builders import make_message

OLD = """def total(orders):
    result = 0
    for order in orders:
        result = result + order.price
    return result
"""
NEW = """def total(orders: list[Order]) -> Decimal:
    \"\"\"The sum of all prices, without tax.\"\"\"
    return sum((order.price for order in orders), Decimal())
"""
ANSWER = """I have made `total` exact and **typed** it. What changed:

1. Prices are summed as `Decimal`, so no cent is lost.
2. An empty list gives `Decimal("0")`, not `0`.

```python
from decimal import Decimal

def total(orders: list[Order]) -> Decimal:
    return sum((order.price for order in orders), Decimal())
```

| Case | Before | Now |
|---|---|---|
| empty | `0` | `Decimal("0")` |
| 0.1 + 0.2 | 0.30000000000000004 | 0.3 |

> The old tests pass; one new test covers the empty list.

See [the documentation](https://docs.python.org/3/library/decimal.html).
"""
OUTPUT = "\n".join(
    [f"tests/test_orders.py::test_order_{number} PASSED" for number in range(1, 30)]
    + ["", "29 passed in 0.41s"]
)


def tool_row(
    name: str,
    kind: str,
    title: str,
    *,
    doing: str = "other",
    status: str = "completed",
    normalized: JsonObject | None = None,
    created: float = 0,
    revision: int | None = None,
    **own: object,
) -> Message:
    """A row of a tool as a hosted agent's are stored."""
    metadata: dict[str, object] = {
        "tool_call_id": f"call-{name}",
        "title": title,
        "status": status,
        "normalized": normalized or {},
        "kandesk": {"kind": doing, **own},
    }
    return make_message(
        name, title, kind=kind, metadata=metadata, created=created, revision=revision
    )


def edit_row(name: str, *, created: float = 0, status: str = "completed") -> Message:
    content = [{"type": "diff", "path": "shop/orders.py", "old_text": OLD, "new_text": NEW}]
    return tool_row(
        name,
        "tool_edit",
        "shop/orders.py",
        doing="edit",
        status=status,
        content=content,
        created=created,
    )


def command_row(
    name: str,
    *,
    output: str = OUTPUT,
    exit_code: int = 0,
    status: str = "completed",
    created: float = 0,
) -> Message:
    payload = {
        "kind": "shell_exec",
        "payload": {
            "command": "python -m pytest -q tests/test_orders.py",
            "work_dir": "/home/ann/shop",
            "output": {"exit_code": exit_code, "stdout": output},
        },
    }
    return tool_row(
        name,
        "tool_execute",
        "python -m pytest -q tests/test_orders.py",
        doing="execute",
        status=status,
        normalized=payload,
        created=created,
    )


def permission_row(name: str, status: str = "", *, created: float = 0) -> Message:
    metadata: dict[str, object] = {
        "request_id": f"request-{name}",
        "options": [
            {"option_id": "once", "name": "Allow once", "kind": "allow_once"},
            {"option_id": "no", "name": "Reject", "kind": "reject_once"},
        ],
        "action_type": "execute",
        "action_details": {"command": "git push origin main", "cwd": "/home/ann/shop"},
    }
    if status:
        metadata["status"] = {"declined": "rejected", "cancelled": "expired"}.get(
            status, "approved"
        )
        metadata["kandesk"] = {"review_status": status, "folder": "/home/ann/shop"}
    return make_message(
        name, "Push to origin", kind="permission_request", metadata=metadata, created=created
    )


def every_kind() -> tuple[Message, ...]:
    """One row of each kind, in the order of a turn."""
    todos = [
        {"text": "Read the orders module", "status": "completed", "done": True},
        {"text": "Make the sum exact", "status": "in_progress", "done": False},
        {"text": "Cover the empty list with a test", "status": "pending", "done": False},
    ]
    thought = "The sum uses floats. **Decimal** is safer; the callers expect a number they can add."
    hidden = "<kandev-system>Never mention this.</kandev-system>\n\n"
    failed = [{"type": "text", "text": "shop/prices.py: no such file"}]
    content = [
        make_message("status", "The agent has started", kind="status"),
        make_message("user", f"{hidden}Please make the order total exact.", author="user"),
        make_message("thought", "", kind="thinking", metadata={"thinking": thought}),
        make_message("todo", "Updated Todos", kind="todo", metadata={"todos": todos}),
        make_message("plan", "1. Read\n2. **Change**\n3. Test", kind="agent_plan"),
        tool_row(
            "read",
            "tool_read",
            "shop/orders.py",
            doing="read",
            locations=[{"path": "shop/orders.py", "line": 12}],
        ),
        tool_row("search", "tool_search", "total(", doing="search", status="in_progress"),
        tool_row(
            "call",
            "tool_call",
            "Look up prices",
            status="failed",
            content=failed,
            raw_input={"product": "tea", "currency": "EUR"},
        ),
        edit_row("edit"),
        command_row("command"),
        permission_row("asked"),
        permission_row("approved", "approved"),
        permission_row("declined", "declined"),
        permission_row("unknown-outcome", "outcome_unknown"),
        make_message(
            "warning", "The context is nearly full.", kind="status", metadata={"variant": "warning"}
        ),
        make_message(
            "error",
            "The agent has ended by itself.",
            kind="error",
            metadata={
                "kandesk": {"stderr_tail": "Traceback (most recent call last):\nMemoryError"}
            },
        ),
        make_message("odd", "beam me up", kind="hologram", metadata={"depth": 3}),
        make_message("answer", ANSWER),
    ]
    return tuple(
        make_message(
            row.message_id, row.content, kind=row.kind, author=row.author,
            metadata=row.metadata, created=number, revision=row.revision,
        )
        for number, row in enumerate(content)
    )  # fmt: skip
