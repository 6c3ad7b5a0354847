"""How a table and an index are written down, and the statements that make them."""

from dataclasses import dataclass

from backend.store.dialect import Dialect, column_kind


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[tuple[str, str], ...]
    constraints: tuple[str, ...] = ()
    strict: bool = False

    def ddl(self, dialect: Dialect = Dialect.SQLITE) -> str:
        parts = [f"{name} {column_kind(dialect, kind)}" for name, kind in self.columns]
        body = ",\n  ".join([*parts, *self.constraints])
        strict = self.strict and dialect is Dialect.SQLITE
        return f"CREATE TABLE IF NOT EXISTS {self.name} (\n  {body}\n)" + (
            " STRICT" if strict else ""
        )


@dataclass(frozen=True, slots=True)
class Index:
    name: str
    table: str
    keys: str
    where: str = ""
    unique: bool = False

    def ddl(self) -> str:
        kind = "UNIQUE INDEX" if self.unique else "INDEX"
        where = f" WHERE {self.where}" if self.where else ""
        return f"CREATE {kind} IF NOT EXISTS {self.name} ON {self.table}({self.keys}){where}"


def columns(text: str) -> tuple[tuple[str, str], ...]:
    """One column a line: its name, then its type and constraints."""
    lines = (line.strip().rstrip(",") for line in text.strip().splitlines())
    return tuple((name, kind) for name, _, kind in (line.partition(" ") for line in lines))
