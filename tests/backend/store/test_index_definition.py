import sqlite3

import pytest

from backend.store.definitions import Index
from backend.store.dialect import Dialect
from backend.store.index_definition import same_definition
from backend.store.schema import indexes

NAME = "idx_messages_metadata_pending_id_lookup_ordered"
ORDERED: Index = next(index for index in indexes(Dialect.SQLITE) if index.name == NAME)
NEEDED = ORDERED.ddl()
KEY = "json_extract(metadata,'$.pending_id')"


@pytest.mark.parametrize("index", indexes(Dialect.SQLITE), ids=lambda index: index.name)
def test_every_index_is_accepted_as_sqlite_keeps_it(index: Index) -> None:
    """SQLite keeps the text of a definition but for IF NOT EXISTS."""
    assert same_definition(index.ddl().replace("IF NOT EXISTS ", ""), index.ddl())


@pytest.mark.parametrize(
    "found",
    [
        (
            f"create index {NAME} on task_session_messages"
            " ( JSON_EXTRACT( metadata ,'$.pending_id' ) , created_at,id )\n\t"
            f"where {KEY} is not null;"
        ),
        (
            f'CREATE INDEX "{NAME}" ON "task_session_messages"'
            """(json_extract("metadata",'$.pending_id'), "created_at", "id")"""
            """ WHERE json_extract("metadata",'$.pending_id') IS NOT NULL"""
        ),
        (
            f"CREATE INDEX `{NAME}` ON [task_session_messages]({KEY}, [created_at], `id`)"
            f" WHERE {KEY} IS NOT NULL"
        ),
        (
            f"CREATE INDEX main.{NAME} ON task_session_messages({KEY} ASC, created_at ASC, id asc)"
            f" WHERE {KEY} IS NOT NULL"
        ),
        (
            f"CREATE INDEX {NAME} ON task_session_messages({KEY} COLLATE BINARY,"
            f" created_at COLLATE binary, id) WHERE {KEY} IS NOT NULL"
        ),
        (
            f"CREATE INDEX {NAME} ON task_session_messages(({KEY}), created_at, ((id)))"
            f" WHERE (({KEY} IS NOT NULL))"
        ),
        (
            f"CREATE INDEX {NAME} ON task_session_messages({KEY}, created_at, id) -- pending\n"
            f" WHERE /* only\nquestions */ {KEY} NOT NULL"
        ),
        f"CREATE INDEX {NAME} ON task_session_messages({KEY}, created_at, id) WHERE {KEY} NOTNULL",
    ],
)
def test_a_spelling_that_changes_nothing_is_accepted(found: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE task_session_messages(id, created_at, metadata)")
    connection.execute(found)
    connection.close()
    assert same_definition(found, NEEDED)


@pytest.mark.parametrize(
    "found",
    [
        f"CREATE INDEX {NAME} ON task_session_messages({KEY}, created_at, id)",
        (
            f"CREATE INDEX {NAME} ON task_session_messages({KEY}, id, created_at)"
            f" WHERE {KEY} IS NOT NULL"
        ),
        f"CREATE INDEX {NAME} ON task_session_messages({KEY}, created_at) WHERE {KEY} IS NOT NULL",
        (
            f"CREATE INDEX {NAME} ON task_session_messages({KEY}, created_at DESC, id)"
            f" WHERE {KEY} IS NOT NULL"
        ),
        (
            f"CREATE INDEX {NAME} ON task_session_messages({KEY} COLLATE NOCASE, created_at, id)"
            f" WHERE {KEY} IS NOT NULL"
        ),
        (
            f"CREATE UNIQUE INDEX {NAME} ON task_session_messages({KEY}, created_at, id)"
            f" WHERE {KEY} IS NOT NULL"
        ),
        f"CREATE INDEX {NAME} ON task_session_messages({KEY}, created_at, id) WHERE {KEY} IS NULL",
        (
            f"CREATE INDEX {NAME} ON task_session_messages({KEY}, created_at, id)"
            f" WHERE {KEY} IS NOT NULL AND type = 'clarification_request'"
        ),
        (
            f"CREATE INDEX {NAME} ON task_session_messages"
            "(json_extract(metadata,'$.Pending_id'), created_at, id)"
            " WHERE json_extract(metadata,'$.Pending_id') IS NOT NULL"
        ),
        (
            f"CREATE INDEX {NAME} ON task_session_messages"
            "(metadata->>'$.pending_id', created_at, id)"
            " WHERE metadata->>'$.pending_id' IS NOT NULL"
        ),
        (
            f"CREATE INDEX {NAME} ON task_session_messages"
            "(json_extract((metadata),'$.pending_id' || ''), created_at, id)"
            f" WHERE {KEY} IS NOT NULL"
        ),
        f"CREATE INDEX {NAME} ON task_session_turns({KEY}, created_at, id) WHERE {KEY} IS NOT NULL",
    ],
)
def test_another_meaning_is_told_apart(found: str) -> None:
    assert not same_definition(found, NEEDED)
    assert not same_definition(NEEDED, found)
