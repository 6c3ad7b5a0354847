"""What the rows of one bundle say, read beside the desk."""

import json
from dataclasses import dataclass
from typing import Any

from backend.store.dialect import json_text
from tests.helpers.place import Place, dialect_of, raw


@dataclass(frozen=True)
class StoredBundle:
    """Its message rows' metadata in order, and its delivery row."""

    rows: tuple[dict[str, Any], ...]
    delivery: dict[str, Any]

    @property
    def status(self) -> str:
        """The one status of all its rows."""
        (status,) = {row["status"] for row in self.rows}
        return str(status)

    @property
    def settled(self) -> bool:
        """Nobody has to deliver it any more."""
        return not any(row.get("response_delivery_pending") for row in self.rows)

    @property
    def responses(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """Options and own words, by question."""
        return {
            row["question_id"]: (
                tuple(row["response"].get("selected_options") or ()),
                str(row["response"].get("custom_text") or ""),
            )
            for row in self.rows
            if row.get("response")
        }


def stored_bundle(place: Place, pending_id: str) -> StoredBundle:
    with raw(place) as connection:
        rows = connection.execute(
            "SELECT metadata FROM task_session_messages"  # noqa: S608
            f" WHERE {json_text(dialect_of(place), 'metadata', 'pending_id')} = ?"
            " ORDER BY created_at, id",
            (pending_id,),
        ).fetchall()
        delivery = connection.execute(
            "SELECT state, outcome, claimed_at FROM interaction_deliveries WHERE pending_id = ?",
            (pending_id,),
        ).fetchone()
    names = ("state", "outcome", "claimed_at")
    return StoredBundle(
        tuple(json.loads(row["metadata"]) for row in rows),
        {name: delivery[name] for name in names} if delivery is not None else {},
    )


def count_rows(place: Place, table: str) -> int:
    with raw(place) as connection:
        return int(connection.execute(f"SELECT COUNT(*) AS n FROM {table}").fetchone()["n"])  # noqa: S608
