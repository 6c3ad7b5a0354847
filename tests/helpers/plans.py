"""The statements a call of the store really runs, and how PostgreSQL would run them."""

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import psycopg
from psycopg.sql import Literal

from backend.store.database import Database, Params, Row, Statement, Transaction
from backend.store.dialect import Dialect
from backend.store.named_parameters import numbered
from backend.store.parameters import storable

T = TypeVar("T")


@dataclass
class Recorder:
    """A transaction that writes down what it is asked to run."""

    tx: Transaction
    statements: list[tuple[str, Params]] = field(default_factory=list)

    @property
    def dialect(self) -> Dialect:
        return self.tx.dialect

    async def fetch_all(self, sql: str, params: Params | None = None) -> Sequence[Row]:
        self.statements.append((sql, params or {}))
        return await self.tx.fetch_all(sql, params)

    async def fetch_one(self, sql: str, params: Params | None = None) -> Row | None:
        self.statements.append((sql, params or {}))
        return await self.tx.fetch_one(sql, params)

    async def execute(self, sql: str, params: Params | None = None) -> int:
        self.statements.append((sql, params or {}))
        return await self.tx.execute(sql, params)

    async def execute_each(self, statements: Sequence[Statement]) -> Sequence[int]:
        self.statements.extend(statements)
        return await self.tx.execute_each(statements)

    async def in_place(
        self, work: Callable[[Transaction], Coroutine[Any, Any, T]], *, last: bool = False
    ) -> T:
        return await work(self)

    def before_commit(self, check: Callable[[], None]) -> None:
        self.tx.before_commit(check)

    def hint(self, workspace_id: str) -> None:
        self.tx.hint(workspace_id)


class _TakenBackError(Exception):
    """Ends a transaction that was only looked at."""


async def statements_of(
    database: Database, call: Callable[[Transaction], Awaitable[object]]
) -> list[tuple[str, Params]]:
    """What a call of the store runs, in a transaction of which nothing stays."""
    found: list[tuple[str, Params]] = []
    with suppress(_TakenBackError):
        async with database.writing() as tx:
            await call(Recorder(tx, found))
            raise _TakenBackError
    assert found
    return found


class Access(NamedTuple):
    """How one table is read: by which index and condition, or whole."""

    table: str
    by: str
    condition: str


def accesses(
    url: str, sql: str, params: Params, *, generic: bool, without: Sequence[str] = ()
) -> list[Access]:
    """Every read of a table in the plan of one statement, its parameters as the driver sends them.

    `generic` is the plan for every value, to which the server changes after a few runs. The
    indexes `without` are taken away first: a server with equally good ones may take either.
    """
    statement = numbered(sql)
    values = [storable(params)[name] for name in statement.names]
    with psycopg.connect(url, cursor_factory=psycopg.RawCursor) as connection:
        for index in without:
            connection.execute(f"DROP INDEX {index}".encode())
        if generic:
            connection.execute("SET plan_cache_mode = force_generic_plan")
            connection.execute(f"PREPARE planned AS {statement.sql}".encode())
            given = ", ".join(Literal(value).as_string(connection) for value in values)
            call = f"EXECUTE planned({given})" if values else "EXECUTE planned"
            explained = connection.execute(f"EXPLAIN (FORMAT JSON) {call}".encode())
        else:
            query = f"EXPLAIN (FORMAT JSON) {statement.sql}".encode()
            explained = connection.execute(query, values)
        found = explained.fetchone()
        connection.rollback()
    assert found is not None
    return list(_accesses(found[0][0]["Plan"], ""))


def _accesses(node: Mapping[str, Any], table: str) -> Iterator[Access]:
    table = node.get("Relation Name", table)
    if "Index Name" in node:
        yield Access(table, node["Index Name"], node.get("Index Cond", ""))
    elif node["Node Type"].endswith("Seq Scan"):
        yield Access(table, "", "")
    for child in node.get("Plans", ()):
        yield from _accesses(child, table)
