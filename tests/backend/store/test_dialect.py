import sqlite3

import pytest

from backend.store.dialect import (
    Dialect,
    json_assign,
    json_flag,
    json_members,
    json_remove,
    json_string,
    json_text,
    json_true,
)
from backend.store.schema import indexes

SQLITE, POSTGRESQL = Dialect.SQLITE, Dialect.POSTGRESQL


def evaluate(expression: str, document: str, **params: object) -> object:
    connection = sqlite3.connect(":memory:")
    try:
        sql = f"SELECT {expression} FROM (SELECT :document AS metadata)"  # noqa: S608
        return connection.execute(sql, {"document": document, **params}).fetchone()[0]
    finally:
        connection.close()


def ddl(dialect: Dialect, name: str) -> str:
    return next(index.ddl() for index in indexes(dialect) if index.name == name)


def test_the_pending_id_expression_is_the_one_of_the_seed_in_both_dialects() -> None:
    """clarification-response-reliability, Index shape."""
    assert json_text(SQLITE, "metadata", "pending_id") == "json_extract(metadata,'$.pending_id')"
    assert json_text(POSTGRESQL, "metadata", "pending_id") == "metadata::jsonb->>'pending_id'"


def test_the_ordered_index_has_the_keys_and_the_condition_of_the_seed() -> None:
    """K8.6 75, 78."""
    name = "idx_messages_metadata_pending_id_lookup_ordered"
    assert ddl(SQLITE, name) == (
        f"CREATE INDEX IF NOT EXISTS {name} ON task_session_messages("
        "json_extract(metadata,'$.pending_id'), created_at, id)"
        " WHERE json_extract(metadata,'$.pending_id') IS NOT NULL"
    )
    assert ddl(POSTGRESQL, name) == (
        f"CREATE INDEX IF NOT EXISTS {name} ON task_session_messages("
        "(metadata::jsonb->>'pending_id'), created_at, id)"
        " WHERE metadata::jsonb->>'pending_id' IS NOT NULL"
    )


def test_both_dialects_have_the_same_indexes() -> None:
    assert [index.name for index in indexes(SQLITE)] == [
        index.name for index in indexes(POSTGRESQL)
    ]


def test_nested_keys_have_a_path_in_both_dialects() -> None:
    path = ("kandesk", "client", "name")
    assert json_text(SQLITE, "s.metadata", *path) == (
        "json_extract(s.metadata,'$.kandesk.client.name')"
    )
    assert json_text(POSTGRESQL, "s.metadata", *path) == (
        "s.metadata::jsonb#>>'{kandesk,client,name}'"
    )


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('{"f": true}', 1),
        ('{"f": 1}', 1),
        ('{"f": "true"}', 1),
        ('{"f": "1"}', 1),
        ('{"f": false}', 0),
        ('{"f": 0}', 0),
        ('{"f": "yes"}', 0),
        ('{"f": null}', 0),
        ("{}", 0),
    ],
)
def test_flags_are_read_tolerantly(document: str, expected: int) -> None:
    """K1.4; K8.6 68."""
    assert evaluate(json_flag(SQLITE, "metadata", "f"), document) == expected


def test_flags_in_postgresql_compare_the_text() -> None:
    assert json_flag(POSTGRESQL, "metadata", "f") == (
        "COALESCE(metadata::jsonb->>'f','') IN ('true','1')"
    )


def test_assigning_keeps_other_keys_and_makes_the_object_on_the_way() -> None:
    expression = json_assign(
        SQLITE,
        "metadata",
        {
            ("status",): json_string(SQLITE, ":status"),
            ("kandesk", "reason"): json_string(SQLITE, ":reason"),
            ("gone",): json_true(SQLITE),
        },
    )
    assert evaluate(expression, '{"a":1}', status="s", reason="r") == (
        '{"a":1,"status":"s","kandesk":{"reason":"r"},"gone":true}'
    )


def test_assigning_in_postgresql_makes_the_object_on_the_way_first() -> None:
    expression = json_assign(
        POSTGRESQL, "metadata", {("kandesk", "reason"): json_string(POSTGRESQL, ":reason")}
    )
    assert expression == (
        "(jsonb_set(jsonb_set(metadata::jsonb,'{kandesk}',"
        "COALESCE(metadata::jsonb->'kandesk','{}'::jsonb)),"
        "'{kandesk,reason}',to_jsonb(CAST(:reason AS text))))::text"
    )


def test_removing_leaves_the_rest() -> None:
    assert evaluate(json_remove(SQLITE, "metadata", "a", "b"), '{"a":1,"b":2,"c":3}') == '{"c":3}'
    assert json_remove(POSTGRESQL, "metadata", "a", "b") == "(metadata::jsonb - 'a' - 'b')::text"


def test_members_of_a_json_array_are_rows() -> None:
    connection = sqlite3.connect(":memory:")
    rows = connection.execute(
        f"SELECT column1 FROM (VALUES ('a'),('b'),('c')) WHERE"  # noqa: S608
        f" {json_members(SQLITE, 'column1', ':ids')}",
        {"ids": '["a","b"]'},
    ).fetchall()
    connection.close()
    assert [row[0] for row in rows] == ["a", "b"]
    assert json_members(POSTGRESQL, "id", ":ids") == (
        "id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST(:ids AS jsonb))))"
    )
