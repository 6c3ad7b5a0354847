"""What a store says of every question, read beside the product with plain SQL and plain JSON."""

import json
from dataclasses import dataclass
from typing import Any

from tests.helpers.place import Place, raw

Json = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """One bundle: `statuses` of its rows, what was chosen, and where the answer is."""

    pending_id: str
    statuses: frozenset[str]
    on_its_way: bool
    chosen: tuple[str, ...]
    texts: tuple[str, ...]
    prompts: tuple[str, ...]
    delivery: str | None
    claim_id: str | None
    draft: tuple[str, ...]
    session_id: str
    turn_id: str
    guest: bool
    ended: bool
    """Its session has ended."""

    @property
    def status(self) -> str:
        """The one status of all rows; what differs is told as it is."""
        return "|".join(sorted(self.statuses))


@dataclass(frozen=True)
class Turn:
    """A turn that is reserved for a prompt, or tells that one was given."""

    turn_id: str
    session_id: str
    reserved: bool
    attempted: bool
    carries: str


@dataclass(frozen=True)
class Books:
    entries: dict[str, Entry]
    turns: tuple[Turn, ...]

    def attempted(self, pending_id: str) -> bool:
        """Whether a prompt with this answer counts as given."""
        return any(turn.attempted and turn.carries == pending_id for turn in self.turns)

    def left_behind(self, pending_id: str) -> bool:
        """Whether a newer turn owns the session of the question, or the session has ended.

        False for a question that was not asked yet.
        """
        entry = self.entries.get(pending_id)
        if entry is None:
            return False
        owners = [
            turn.turn_id
            for turn in self.turns
            if turn.session_id == entry.session_id and (turn.attempted or not turn.reserved)
        ]
        return entry.ended or bool(owners and owners[-1] != entry.turn_id)


def read_books(place: Place) -> Books:
    with raw(place) as connection:
        rows = connection.execute(
            "SELECT task_session_id, turn_id, metadata FROM task_session_messages"
            " WHERE type = 'clarification_request' ORDER BY created_at, id"
        ).fetchall()
        deliveries = connection.execute(
            "SELECT pending_id, state, claim_id FROM interaction_deliveries"
        ).fetchall()
        drafts = connection.execute("SELECT pending_id, answers FROM answer_drafts").fetchall()
        turns = connection.execute(
            "SELECT id, task_session_id, metadata FROM task_session_turns"
            " ORDER BY started_at, created_at, id"
        ).fetchall()
        sessions = connection.execute("SELECT id, metadata, state FROM task_sessions").fetchall()
    guests = {str(row[0]) for row in sessions if '"guest"' in str(row[1])}
    ended = {str(row[0]) for row in sessions if row[2] in {"COMPLETED", "FAILED", "CANCELLED"}}
    states = {str(row[0]): (row[1], row[2]) for row in deliveries}
    kept = {str(row[0]): _chosen(json.loads(row[1])) for row in drafts}
    grouped: dict[str, list[tuple[str, str, Json]]] = {}
    for session, turn, metadata in rows:
        read = json.loads(metadata)
        grouped.setdefault(read["pending_id"], []).append((str(session), str(turn), read))
    entries = {
        pending: _entry(pending, found, states.get(pending, (None, None)), kept, guests, ended)
        for pending, found in grouped.items()
    }
    return Books(entries, tuple(_turn(row) for row in turns))


def _entry(
    pending: str,
    rows: list[tuple[str, str, Json]],
    state: tuple[Any, Any],
    drafts: dict[str, tuple[str, ...]],
    guests: set[str],
    ended: set[str],
) -> Entry:
    found = [metadata for _, _, metadata in rows]
    responses = [item["response"] for item in found if item.get("response")]
    return Entry(
        pending_id=pending,
        statuses=frozenset(str(item.get("status") or "pending") for item in found),
        on_its_way=any(item.get("response_delivery_pending") for item in found),
        chosen=_chosen(responses),
        texts=tuple(str(item.get("custom_text") or "") for item in responses),
        prompts=tuple(str(item["question"]["prompt"]) for item in found),
        delivery=state[0],
        claim_id=state[1],
        draft=drafts.get(pending, ()),
        session_id=rows[0][0],
        turn_id=rows[0][1],
        guest=rows[0][0] in guests,
        ended=rows[0][0] in ended,
    )


def _chosen(answers: list[Json]) -> tuple[str, ...]:
    return tuple(option for item in answers for option in item.get("selected_options") or ())


def _turn(row: Any) -> Turn:
    metadata = json.loads(row[2] or "{}")
    return Turn(
        turn_id=str(row[0]),
        session_id=str(row[1]),
        reserved=bool(metadata.get("prompt_dispatch_pending")),
        attempted=bool(metadata.get("prompt_dispatch_attempted")),
        carries=str(metadata.get("prompt_dispatch_clarification_pending_id") or ""),
    )
