"""The work of an answer does not grow with what others have asked (P2)."""

from pathlib import Path

import pytest

from backend.ids import PendingId
from backend.store.connection import connect
from tests.backend.store.test_upgrade import converge
from tests.bench.claim.operations import (
    claim,
    finalize,
    identity,
    look_and_claim,
    plain,
    restore,
)
from tests.helpers.store import RowMaker, add_unrelated_history

ORDER = (identity, look_and_claim, restore, claim, finalize)
P = PendingId("p-0")


async def steps_beside(path: Path, others: int) -> dict[str, int]:
    """Steps of SQLite's machine per operation, beside as many open questions and plain rows."""
    converge(path)
    rows = RowMaker(path)
    rows.session()
    rows.turn("turn1")
    rows.question(P)
    if others:
        add_unrelated_history(path, pending=others, others=others)
    connection = connect(path, read_only=False)
    found = {
        operation.__name__: (await plain(connection, operation, P, unit=1))[1]
        for operation in ORDER
    }
    connection.close()
    return found


@pytest.mark.parametrize("operation", [each.__name__ for each in ORDER])
async def test_an_answer_does_the_same_work_beside_many_open_questions(
    tmp_path: Path, operation: str
) -> None:
    """Lookup, claim with guard and session state, restore, finalize; K8.6, 76."""
    alone = await steps_beside(tmp_path / "few.db", 10)
    crowded = await steps_beside(tmp_path / "many.db", 2_000)
    assert crowded[operation] <= 1.2 * alone[operation]
