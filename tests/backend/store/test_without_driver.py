"""The PostgreSQL driver is an extra: a desk on SQLite starts, serves and stops without it."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import asyncio, sys
from importlib.abc import MetaPathFinder
from pathlib import Path

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"psycopg", "psycopg_binary", "keyring"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())

import backend.runtime, backend.cli.serve
from backend.clock import SystemClock
from backend.errors import StorageFailed
from backend.paths import Home
from backend.store import settings
from backend.store.owned import open_store
from backend.store.store_location import DatabaseServer, EmbeddedFile

async def main(folder):
    home = Home(folder)
    home.create()
    store = await open_store(home, EmbeddedFile(home.database), SystemClock(), kind="test")
    async with store.database.reading() as tx:
        print(await settings.get(tx, "nothing"))
    await store.close()
    try:
        server = DatabaseServer("postgresql://a@localhost/b")
        await open_store(home, server, SystemClock(), kind="test")
    except StorageFailed as error:
        print(error.detail)

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_desk_on_sqlite_runs_without_the_driver_and_a_server_asks_for_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "home")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, missing = done.stdout.splitlines()
    assert found == "None"
    assert "kandesk[postgres]" in missing
