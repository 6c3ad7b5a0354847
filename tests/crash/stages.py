"""A store before the scene begins, and as many copies of it as there are moments to die at."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from tests.helpers.place import Place

_FILES = ("kandesk.db", "kandesk.db-wal")


@dataclass
class Stages:
    """Makes stages; `server` is the URL of a PostgreSQL database to make others from, or empty."""

    folder: Path
    server: str
    _count: int = 0

    def make(self, source: "Stage | None" = None) -> "Stage":
        """A stage with an empty store, or with a copy of another one's store and journal."""
        self._count += 1
        folder = self.folder / f"stage{self._count}"
        (folder / "home").mkdir(parents=True)
        database = ""
        if self.server:
            database = self._database(f"stage{self._count}", source.database if source else "")
        stage = Stage(folder, database, self)
        if source is not None:
            for name in ("journal", *(f"home/{name}" for name in _FILES)):
                with suppress(FileNotFoundError):
                    shutil.copy(source.folder / name, folder / name)
        return stage

    def _database(self, name: str, source: str) -> str:
        base, _, own = self.server.rpartition("/")
        created = f"{own}_{name}"
        template = source.rpartition("/")[2] or "template1"
        with psycopg.connect(self.server, autocommit=True) as connection:
            self._disconnect(connection, template)
            make = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
            connection.execute(make.format(sql.Identifier(created), sql.Identifier(template)))
        return f"{base}/{created}"

    @staticmethod
    def _disconnect(connection: psycopg.Connection, name: str) -> None:
        """A killed desk's connections last until the server notices; copies must not wait."""
        end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"
        connection.execute(end, (name,))

    def drop(self, stage: "Stage") -> None:
        shutil.rmtree(stage.folder, ignore_errors=True)
        if stage.database:
            name = stage.database.rpartition("/")[2]
            with psycopg.connect(self.server, autocommit=True) as connection:
                gone = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
                connection.execute(gone.format(sql.Identifier(name)))


@dataclass
class Stage:
    folder: Path
    database: str
    stages: Stages

    @property
    def place(self) -> Place:
        return self.database or self.folder / "home" / "kandesk.db"

    @contextmanager
    def copied(self) -> "Iterator[Stage]":
        copy = self.stages.make(self)
        try:
            yield copy
        finally:
            self.stages.drop(copy)
