"""Who may change a session's turns and questions now (K2.7).

Taken before anything else in a transaction, in one order, so that two never wait for each other.
"""

from collections.abc import Iterable, Sequence

from backend.ids import PendingId, SessionId
from backend.store.database import Statement, Transaction
from backend.store.dialect import Dialect, json_members, row_lock, session_lock
from backend.store.eligibility import pending_id
from backend.store.metadata import encode


async def lock_sessions(tx: Transaction, session_ids: Iterable[SessionId]) -> None:
    """Hold the turn lock and the row of each session until the transaction ends."""
    wanted = sorted(set(session_ids))
    if tx.dialect is not Dialect.SQLITE and wanted:
        await _lock(tx, f"SELECT id FROM task_sessions WHERE {_is_one_of(tx, 'id')}", wanted)


async def lock_bundle(tx: Transaction, pending: PendingId) -> None:
    """Hold the sessions of a bundle; a malformed one may span several."""
    await lock_bundles(tx, [pending])


async def lock_bundles(tx: Transaction, pendings: Iterable[PendingId]) -> None:
    """Hold the sessions of bundles that are changed together."""
    if tx.dialect is Dialect.SQLITE:
        return
    sessions = (
        "SELECT DISTINCT m.task_session_id AS id FROM task_session_messages m"
        f" WHERE {_is_one_of(tx, pending_id(tx.dialect, 'm'))}"
    )
    await _lock(tx, sessions, sorted(set(pendings)))


async def _lock(tx: Transaction, sessions: str, ids: Sequence[str]) -> None:
    """The turn locks in the order of the ids, then the rows as they are once those are held."""
    params = {"ids": encode(ids)}
    in_order = f"({sessions} ORDER BY id OFFSET 0) s"
    rows = f"SELECT id FROM task_sessions WHERE id IN ({sessions}) ORDER BY id"
    await tx.execute_each(
        [
            Statement(f"SELECT {session_lock(tx.dialect, 's.id')} FROM {in_order}", params),
            Statement(f"{rows}{row_lock(tx.dialect)}", params),
        ]
    )


def _is_one_of(tx: Transaction, expression: str) -> str:
    return json_members(tx.dialect, expression, ":ids")
