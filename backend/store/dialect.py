"""The only place where SQLite and PostgreSQL differ.

One helper writes the expression that reads a JSON key, for index definitions and for every query:
SQLite uses an expression index only where the text is the same (K2.4, K2.5).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

NO_TIME: Final = "1970-01-01T00:00:00.000000000"
"""What `time_key` gives for a moment nobody can read."""

_POSTGRESQL_TYPES: Final = {
    "TEXT": 'TEXT COLLATE "C"',
    "TIMESTAMP": 'TEXT COLLATE "C"',
    "INTEGER": "BIGINT",
    "BIGINT": "BIGINT",
}
_DIGIT: Final = "[0-9]"
_DATE: Final = f"{_DIGIT * 4}-{_DIGIT * 2}-{_DIGIT * 2}[T ]{_DIGIT * 2}:{_DIGIT * 2}:{_DIGIT * 2}"
_DATE_GLOB: Final = f"{_DATE}*"
_DATE_REGEX: Final = f"^{_DATE}"


class Dialect(StrEnum):
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"


def json_text(dialect: Dialect, column: str, *path: str) -> str:
    """Read the value at `path` as SQL text, NULL where there is none."""
    if dialect is Dialect.SQLITE:
        return f"json_extract({column},'$.{'.'.join(path)}')"
    if len(path) == 1:
        return f"{column}::jsonb->>'{path[0]}'"
    return f"{column}::jsonb#>>'{{{','.join(path)}}}'"


def json_flag(dialect: Dialect, column: str, *path: str) -> str:
    """True for the JSON values true, 1, "true" and "1"; false for anything else (K1.4)."""
    value = json_text(dialect, column, *path)
    if dialect is Dialect.SQLITE:
        return f"CAST(COALESCE({value},'') AS TEXT) IN ('true','1')"
    return f"COALESCE({value},'') IN ('true','1')"


def json_true(dialect: Dialect) -> str:
    """The JSON value true, for `json_assign`."""
    return "json('true')" if dialect is Dialect.SQLITE else "'true'::jsonb"


def json_string(dialect: Dialect, expression: str) -> str:
    """A text expression or parameter as a JSON string, for `json_assign`."""
    return expression if dialect is Dialect.SQLITE else f"to_jsonb(CAST({expression} AS text))"


def json_document(dialect: Dialect, expression: str) -> str:
    """A text expression or parameter that holds JSON, as that JSON, for `json_assign`."""
    return f"json({expression})" if dialect is Dialect.SQLITE else f"CAST({expression} AS jsonb)"


def json_assign(dialect: Dialect, column: str, values: Mapping[tuple[str, ...], str]) -> str:
    """The document in `column` with values set; an object on the way is created when missing.

    Paths have one or two keys; values come from `json_string`, `json_true` or `json_document`.
    """
    if dialect is Dialect.SQLITE:
        pairs = ",".join(f"'$.{'.'.join(path)}',{value}" for path, value in values.items())
        return f"json_set({column},{pairs})"
    document = f"{column}::jsonb"
    for parent in dict.fromkeys(path[0] for path in values if len(path) > 1):
        inner = f"COALESCE({column}::jsonb->'{parent}','{{}}'::jsonb)"
        document = f"jsonb_set({document},'{{{parent}}}',{inner})"
    for path, value in values.items():
        document = f"jsonb_set({document},'{{{','.join(path)}}}',{value})"
    return f"({document})::text"


def json_remove(dialect: Dialect, column: str, *keys: str) -> str:
    """The document in `column` without these top-level keys."""
    if dialect is Dialect.SQLITE:
        paths = ",".join(f"'$.{key}'" for key in keys)
        return f"json_remove({column},{paths})"
    without = "".join(f" - '{key}'" for key in keys)
    return f"({column}::jsonb{without})::text"


def json_members(dialect: Dialect, expression: str, parameter: str) -> str:
    """A condition: the expression is one of the texts in a JSON array parameter.

    PostgreSQL must know that the array is short before it has statistics: it would read the whole
    table for the rows of a subquery.
    """
    if dialect is Dialect.SQLITE:
        return f"{expression} IN (SELECT value FROM json_each({parameter}))"
    members = f"SELECT jsonb_array_elements_text(CAST({parameter} AS jsonb))"
    return f"{expression} = ANY(ARRAY({members}))"


def time_key(dialect: Dialect, column: str) -> str:
    """A stored moment as text of one width, so that text order is time order in every row (K6.6).

    Reads our own form and Kandev's three, all in UTC; what is none of them counts as the start of
    time.
    """
    if dialect is Dialect.SQLITE:
        known = f"{column} GLOB '{_DATE_GLOB}'"
        fraction = (
            f"CASE WHEN substr({column},20,1)='.'"
            f" THEN substr(printf('%.9f',CAST('0.'||substr({column},21,9) AS REAL)),2)"
            " ELSE '.000000000' END"
        )
    else:
        known = f"{column} ~ '{_DATE_REGEX}'"
        digits = f"COALESCE(substring({column} from '^.{{19}}[.]([0-9]{{1,9}})'),'')"
        fraction = f"'.'||rpad({digits},9,'0')"
    return (
        f"CASE WHEN {known} THEN substr({column},1,10)||'T'||substr({column},12,8)||{fraction}"
        f" ELSE '{NO_TIME}' END"
    )


def is_text(dialect: Dialect, expression: str) -> str:
    """Whether a JSON value read by `json_text` can be named by a text parameter."""
    return f"typeof({expression})='text'" if dialect is Dialect.SQLITE else "TRUE"


def after_lookup(dialect: Dialect, condition: str) -> str:
    """A condition that is only to be checked on the rows a key of the same WHERE has found.

    PostgreSQL would take it as a way to find rows before it has statistics: it believes that few
    questions are open and reads them all. A partial index is not matched by what is inside.
    """
    return f"({condition})" if dialect is Dialect.SQLITE else f"({condition}) IS TRUE"


def index_key(dialect: Dialect, expression: str) -> str:
    """An expression as a key of an index; PostgreSQL wants it in parentheses."""
    return expression if dialect is Dialect.SQLITE else f"({expression})"


def session_lock(dialect: Dialect, session_id: str) -> str:
    """Holds the session's turn lock until the end of the transaction, once selected (K2.7).

    Nothing for SQLite, whose one writer is the lock.
    """
    if dialect is Dialect.SQLITE:
        return "NULL"
    return f"pg_advisory_xact_lock(hashtextextended('task-session-turn:' || {session_id}, 0))"


def row_lock(dialect: Dialect) -> str:
    """What a SELECT ends with to keep its rows as they are until the end of the transaction."""
    return "" if dialect is Dialect.SQLITE else " FOR UPDATE"


def column_kind(dialect: Dialect, kind: str) -> str:
    """A column's type and constraints, which the schema writes for SQLite.

    PostgreSQL's own timestamps would round nanoseconds away, its INTEGER has 32 bits, and its
    text sorts by the language of the database: only in "C" is text order byte order.
    """
    if dialect is Dialect.SQLITE:
        return kind
    name, _, constraints = kind.partition(" ")
    utc = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
    return " ".join(
        part
        for part in (
            _POSTGRESQL_TYPES[name],
            constraints.replace("DEFAULT CURRENT_TIMESTAMP", f"DEFAULT {utc}"),
        )
        if part
    )


def row_share(dialect: Dialect) -> str:
    """What a SELECT ends with to keep others from changing its rows while the transaction runs."""
    return "" if dialect is Dialect.SQLITE else " FOR SHARE"
