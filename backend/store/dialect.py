"""The only place where SQLite and PostgreSQL differ."""

from enum import StrEnum


class Dialect(StrEnum):
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
