"""How statements reach PostgreSQL and what its errors mean."""

import psycopg
import pytest
from psycopg import errors

from backend.errors import AppError, ErrorCode, StorageFailed, TemporarilyUnavailable
from backend.store.named_parameters import numbered
from backend.store.postgres_connection import location_of
from backend.store.postgres_errors import translate


@pytest.mark.parametrize(
    ("sql", "expected", "names"),
    [
        ("SELECT :a, :b, :a", "SELECT $1, $2, $1", ("a", "b")),
        ("a::jsonb->>'x:y' = :p", "a::jsonb->>'x:y' = $1", ("p",)),
        ("'it''s :no' || :yes", "'it''s :no' || $1", ("yes",)),
        ('":no" = :yes', '":no" = $1', ("yes",)),
        ("LIKE '%' || :p || '%'", "LIKE '%' || $1 || '%'", ("p",)),
        ("x #>> '{a,:b}' -- :no\n = :p /* :no */", None, ("p",)),
        ("DO $f$ :no $f$; SELECT :p", "DO $f$ :no $f$; SELECT $1", ("p",)),
        ("CAST(:ids AS jsonb)", "CAST($1 AS jsonb)", ("ids",)),
    ],
)
def test_named_parameters_are_numbered_where_they_are_parameters(
    sql: str, expected: str | None, names: tuple[str, ...]
) -> None:
    found = numbered(sql)
    assert found.names == names
    assert found.sql == (expected or sql.replace(":p", "$1"))


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (errors.QueryCanceled, TemporarilyUnavailable, ErrorCode.TEMPORARILY_UNAVAILABLE),
        (errors.LockNotAvailable, TemporarilyUnavailable, ErrorCode.STORE_BUSY),
        (errors.SerializationFailure, TemporarilyUnavailable, ErrorCode.STORE_BUSY),
        (errors.DeadlockDetected, TemporarilyUnavailable, ErrorCode.STORE_BUSY),
        (errors.TooManyConnections, TemporarilyUnavailable, ErrorCode.STORE_BUSY),
        (errors.ConnectionFailure, TemporarilyUnavailable, ErrorCode.STORE_UNREACHABLE),
        (errors.AdminShutdown, TemporarilyUnavailable, ErrorCode.STORE_UNREACHABLE),
        (errors.CrashShutdown, TemporarilyUnavailable, ErrorCode.STORE_UNREACHABLE),
        (errors.CannotConnectNow, TemporarilyUnavailable, ErrorCode.STORE_UNREACHABLE),
        (psycopg.OperationalError, TemporarilyUnavailable, ErrorCode.STORE_UNREACHABLE),
        (errors.DiskFull, StorageFailed, ErrorCode.STORE_FULL),
        (errors.ReadOnlySqlTransaction, StorageFailed, ErrorCode.STORE_READ_ONLY),
        (errors.InsufficientPrivilege, StorageFailed, ErrorCode.STORE_READ_ONLY),
        (errors.DataCorrupted, StorageFailed, ErrorCode.STORE_CORRUPT),
        (errors.IndexCorrupted, StorageFailed, ErrorCode.STORE_CORRUPT),
        (errors.IoError, StorageFailed, ErrorCode.STORE_UNREACHABLE),
        (errors.InvalidPassword, StorageFailed, ErrorCode.STORE_UNREACHABLE),
        (errors.InvalidCatalogName, StorageFailed, ErrorCode.STORE_UNREACHABLE),
    ],
)
def test_what_the_server_says_is_told_apart_by_what_the_reader_can_do(
    error: type[psycopg.Error], kind: type[AppError], code: ErrorCode
) -> None:
    found = translate(error("what happened"), "postgresql://host/name")
    assert type(found) is kind
    assert found is not None
    assert found.code is code


@pytest.mark.parametrize(
    "error", [errors.UndefinedTable, errors.SyntaxError, errors.UniqueViolation, psycopg.DataError]
)
def test_a_bug_of_ours_stays_a_bug(error: type[psycopg.Error]) -> None:
    assert translate(error("what happened"), "postgresql://host/name") is None


@pytest.mark.parametrize(
    ("conninfo", "expected"),
    [
        ("postgresql://me:secret@db.example:5433/desk", "postgresql://me@db.example:5433/desk"),
        ("host=db.example dbname=desk password=secret", "postgresql://db.example/desk"),
        ("postgresql://me@/desk?host=%2Frun%2Fpg", "postgresql://me@%2Frun%2Fpg/desk"),
        ("postgresql://me@[::1]:5/desk?sslpassword=secret", "postgresql://me@[::1]:5/desk"),
        ("postgresql://a:x@h1:1,[::1]:2/n", "postgresql://a@h1:1,[::1]:2/n"),
        ("host=h1,h2 port=5 dbname=n", "postgresql://h1:5,h2:5/n"),
        ("host=/run/pg dbname=n", "postgresql://%2Frun%2Fpg/n"),
        ("service=s password=x", "postgresql:///?service=s"),
    ],
)
def test_the_place_of_a_database_is_said_without_secrets(conninfo: str, expected: str) -> None:
    assert location_of(conninfo) == expected
