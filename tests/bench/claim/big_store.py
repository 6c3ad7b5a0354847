"""A large chat history in the schema of Kandesk: same size and seed, same rows, everywhere.

python -m tests.bench.claim.big_store big.db --messages 904000
python -m tests.bench.claim.big_store - --copy TABLE | psql -c "COPY TABLE FROM STDIN" DB
"""

import argparse
import json
import random
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_OID, uuid5

from backend.clock import Nanoseconds, format_timestamp
from backend.store.definitions import Table
from backend.store.schema import DELIVERIES, MESSAGES, SESSIONS, TABLES, TASKS, TURNS

GENERATOR: Final = 2
"""Raised when other rows come out of the same size and seed."""
OPEN_BUNDLES: Final = 400
_ANSWERED_PER_MESSAGES: Final = 500
_START: Final = 1_735_689_600_000_000_000
_SECOND: Final = 1_000_000_000
_WORDS: Final = tuple(
    word
    for line in (
        "the a to of and in for with on that is be as by it from this are or an at was we",
        "function test error file path return value index query session task agent branch commit",
        "worktree review plan step build fail pass retry timeout cache async await loop thread",
        "signal",
        "widget model view delegate row column schema migration table json text parse render",
        "scroll",
    )
    for word in line.split()
)
_MIX: Final = (
    ("message", "user", 5),
    ("message", "agent", 20),
    ("tool_call", "agent", 42),
    ("thinking", "agent", 13),
    ("status", "system", 8),
    ("log", "system", 7),
    ("todo", "agent", 5),
)

Line = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """What is generated: `messages` rows of history, and open questions beside them."""

    messages: int
    seed: int = 1

    @property
    def sessions(self) -> int:
        return max(OPEN_BUNDLES, self.messages // 23)

    @property
    def answered(self) -> int:
        return self.messages // _ANSWERED_PER_MESSAGES


COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    TASKS.name: ("id", "workspace_id", "title", "created_at", "updated_at"),
    SESSIONS.name: ("id", "task_id", "state", "metadata", "started_at", "updated_at"),
    TURNS.name: (
        *("id", "task_session_id", "task_id", "started_at", "completed_at"),
        *("metadata", "created_at", "updated_at"),
    ),
    MESSAGES.name: (
        *("id", "task_session_id", "task_id", "turn_id", "author_type", "content"),
        *("requests_input", "type", "metadata", "created_at", "updated_at", "revision"),
    ),
    DELIVERIES.name: (
        *("pending_id", "session_id", "question_digest", "state", "outcome"),
        *("claim_id", "client_id", "payload_digest", "reject_reason"),
        *("opened_at", "claimed_at", "settled_at", "updated_at", "ticket_hash"),
    ),
}


def open_id(number: int) -> str:
    """The pending id of open bundle `number`; it is answerable, in a hosted session.

    In no order, as a desk's own ids are: a server that finds ids in the order of the rows takes
    the bare index for the cheaper one.
    """
    return f"{uuid5(NAMESPACE_OID, f'open {number}')}-{number:08d}"


def answered_id(number: int) -> str:
    return f"{uuid5(NAMESPACE_OID, f'answered {number}')}-{number:08d}"


class History:
    """Rows of every table, a session at a time; iterate over `rows` once."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self._random = random.Random(size.seed)  # noqa: S311 - the same rows every time
        self._pool = " ".join(self._random.choices(_WORDS, k=60_000))
        kinds = [(kind, author) for kind, author, share in _MIX for _ in range(share)]
        self._kinds = kinds * 10
        self._random.shuffle(self._kinds)
        self._revision = 0
        self._answered = 0

    def rows(self) -> Iterator[tuple[str, Line]]:
        """(table, values in the order of `COLUMNS`), what is referred to first."""
        lengths = self._lengths()
        every = max(1, self.size.messages // max(1, self.size.answered))
        for number, length in enumerate(lengths):
            yield from self._session(number, length, every)

    def _session(self, number: int, length: int, every: int) -> Iterator[tuple[str, Line]]:
        session, task = self._id(), self._id()
        moment = _START + number * 480 * _SECOND
        asks = number < OPEN_BUNDLES
        state = "WAITING_FOR_INPUT" if asks else "COMPLETED"
        began = format_timestamp(Nanoseconds(moment))
        yield TASKS.name, (task, "/projects/shop", self._text(20, 60), began, began)
        yield SESSIONS.name, (session, task, state, "{}", began, began)
        turn = ""
        for place in range(length):
            moment += int((0.2 + 9 * self._random.random()) * _SECOND)
            now = format_timestamp(Nanoseconds(moment))
            kind, author = self._kinds[self._random.getrandbits(9)]
            if not turn or (kind == "message" and author == "user"):
                turn = self._id()
                yield TURNS.name, (turn, session, task, now, now, "{}", now, now)
            ends = place == length - 1
            if self._revision % every == every - 1 and self._answered < self.size.answered:
                yield from self._answered_bundle(session, task, turn, now)
            if ends and asks:
                yield from self._bundle(open_id(number), (session, task, turn, now), 1 + number % 4)
            else:
                metadata = self._metadata(kind)
                yield (
                    MESSAGES.name,
                    self._message((session, task, turn, now), kind, author, metadata),
                )

    def _answered_bundle(
        self, session: str, task: str, turn: str, now: str
    ) -> Iterator[tuple[str, Line]]:
        number = self._answered
        self._answered += 1
        pending = answered_id(number)
        yield from self._bundle(pending, (session, task, turn, now), 1 + number % 4, answered=True)
        if number % 2:
            claim = f"claim of {pending}"
            digest = f"{self._random.getrandbits(128):032x}"
            yield (
                DELIVERIES.name,
                (
                    *(pending, session, digest, "delivered", "answered"),
                    *(claim, "window", digest, ""),
                    *(now, now, now, now, f"ticket of {pending}"),
                ),
            )

    def _bundle(
        self, pending: str, place: tuple[str, ...], total: int, *, answered: bool = False
    ) -> Iterator[tuple[str, Line]]:
        for index in range(total):
            name = f"q{index + 1}"
            metadata: dict[str, object] = {
                "pending_id": pending,
                "question_id": name,
                "question": {
                    "id": name,
                    "title": self._text(20, 60),
                    "prompt": self._text(60, 200),
                    "options": [
                        {
                            "option_id": f"{name}_opt{option}",
                            "label": self._text(8, 30),
                            "description": self._text(20, 80),
                        }
                        for option in (1, 2, 3)
                    ],
                },
                "question_index": index,
                "question_total": total,
                "context": "",
                "status": "answered" if answered else "pending",
            }
            if answered:
                metadata["response"] = {"question_id": name, "selected_options": [f"{name}_opt1"]}
            text = json.dumps(metadata, separators=(",", ":"))
            yield MESSAGES.name, self._message(place, "clarification_request", "agent", text)

    def _message(self, place: tuple[str, ...], kind: str, author: str, metadata: str) -> Line:
        session, task, turn, now = place
        self._revision += 1
        asks = int(kind == "clarification_request")
        content = self._text(80, 720)
        return (
            *(self._id(), session, task, turn, author, content),
            *(asks, kind, metadata, now, now, self._revision),
        )

    def _metadata(self, kind: str) -> str:
        text, bits = self._text, self._random.getrandbits
        if kind == "tool_call":
            return (
                f'{{"tool_call_id":"toolu_{bits(96):024x}","title":"{text(10, 50)}",'
                f'"status":"complete","args":{{"path":"/shop/{text(8, 30)}.py","limit":{bits(9)}}},'
                f'"output":"{text(40, 900)}","exit_code":0,"duration_ms":{bits(12)}}}'
            )
        if kind == "thinking":
            return f'{{"thinking":"{text(60, 500)}"}}'
        if kind == "todo":
            items = ",".join(f'{{"text":"{text(15, 60)}","done":true}}' for _ in range(1 + bits(2)))
            return f'{{"todos":[{items}]}}'
        return f'{{"stage":"{text(6, 14)}","progress":{bits(6)}}}' if kind == "status" else "{}"

    def _lengths(self) -> list[int]:
        """Sessions of very different lengths: log-normal, then fitted to the total."""
        weights = [self._random.lognormvariate(0, 1.2) for _ in range(self.size.sessions)]
        scale = (self.size.messages - self.size.sessions) / sum(weights)
        lengths = [1 + int(weight * scale) for weight in weights]
        for number in range(self.size.messages - sum(lengths)):
            lengths[number % len(lengths)] += 1
        return lengths

    def _id(self) -> str:
        h = f"{self._random.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def _text(self, low: int, high: int) -> str:
        length = low + int((high - low) * self._random.random())
        start = int(self._random.random() * (len(self._pool) - 1_000))
        return self._pool[start : start + length]


def write_rows(path: Path, size: Size) -> None:
    """A new file with the tables and rows, and no index but those of the tables themselves."""
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-500000"):
        connection.execute(f"PRAGMA {setting}")
    for table in TABLES:
        connection.execute(table.ddl())
    connection.execute("BEGIN")
    waiting: dict[str, list[Line]] = {name: [] for name in COLUMNS}
    for number, (name, row) in enumerate(History(size).rows()):
        waiting[name].append(row)
        if number % 20_000 == 0:
            _flush(connection, waiting)
    _flush(connection, waiting)
    connection.execute("COMMIT")
    connection.close()


def insert_sql(table: str) -> str:
    columns = COLUMNS[table]
    marks = ",".join("?" * len(columns))
    return f"INSERT INTO {table} ({','.join(columns)}) VALUES ({marks})"  # noqa: S608


_ESCAPES: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def copy_line(row: Line) -> str:
    """A row as PostgreSQL's COPY takes it."""
    return "\t".join(str(value).translate(_ESCAPES) for value in row) + "\n"


def copy_lines(size: Size, table: str) -> Iterator[str]:
    """The rows of one table for COPY, columns as in `COLUMNS`."""
    for name, row in History(size).rows():
        if name == table:
            yield copy_line(row)


def _flush(connection: sqlite3.Connection, waiting: dict[str, list[Line]]) -> None:
    for table, lines in waiting.items():
        connection.executemany(insert_sql(table), lines)
        lines.clear()


def _tables(tables: Sequence[Table]) -> list[str]:
    return [table.name for table in tables if table.name in COLUMNS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", help="a new file, or - with --copy")
    parser.add_argument("--messages", type=int, default=904_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--copy", choices=_tables(TABLES), help="rows of one table, to stdout")
    given = parser.parse_args()
    size = Size(given.messages, given.seed)
    began = time.perf_counter()
    if given.copy:
        sys.stdout.writelines(copy_lines(size, given.copy))
    else:
        write_rows(Path(given.path), size)
    print(f"{given.messages:,} messages in {time.perf_counter() - began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
