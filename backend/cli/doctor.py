"""`kandesk doctor`: checks what a desk needs and says what to do; changes nothing unasked."""

import argparse
import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from backend.cli.database_option import add_database_option
from backend.cli.doctor_agents import check_agents
from backend.cli.doctor_home import (
    check_desk,
    check_folder,
    check_room,
    check_secrets,
    find_running,
)
from backend.cli.doctor_repair import BACKED_UP, repair
from backend.cli.doctor_store import check_store
from backend.cli.finding import Finding, Level, problem
from backend.clock import Clock, Nanoseconds, SystemClock, parse_timestamp
from backend.desk_file import read_desk_file
from backend.endpoint import read_endpoint
from backend.errors import AppError
from backend.paths import Home, resolve_home
from backend.private_file import write_private
from backend.store.owner_lock import OwnerLock
from backend.store.store_location import DatabaseServer, StoreLocation, store_location

BUDGET: Final = "--budget"
REPAIR_CARDS: Final = "--repair-cards"
_SECRET_BYTES: Final = 32


def main(arguments: Sequence[str]) -> int:
    """One line per check. Exit code 1 when one of them is a problem, or a repair was refused."""
    parser = _parser()
    parsed = parser.parse_args(arguments)
    if parsed.backed_up and not parsed.repair:
        parser.error(f"{BACKED_UP} goes with --repair")
    if parsed.budget is not None and not parsed.repair_cards:
        parser.error(f"{BUDGET} goes with {REPAIR_CARDS}")
    home = resolve_home(parsed.home)
    clock = SystemClock()
    try:
        done = [
            *(_repair(home, clock, parsed) if parsed.repair else ()),
            *(_repair_cards(home, clock, parsed) if parsed.repair_cards else ()),
            *(_rotate_tokens(home, parsed.database) if parsed.rotate_tokens else ()),
        ]
    except (AppError, OSError) as error:
        detail = error.detail if isinstance(error, AppError) else str(error)
        sys.stderr.write(f"kandesk: {detail}\n")
        return 1
    findings = _check(home, clock, parsed.database, full=parsed.full)
    levels = _tell_json(done, findings) if parsed.json else _tell_lines(done, findings)
    return int(Level.PROBLEM in levels)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kandesk doctor", allow_abbrev=False)
    parser.add_argument("--home", metavar="DIR", help="the data folder")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument(
        "--full", action="store_true", help="read every page of the store and every reference"
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="move metadata nobody can read out of the way, after a backup; no desk may run",
    )
    parser.add_argument(
        BACKED_UP,
        action="store_true",
        help="with --repair: you have backed up the store on the server; change it",
    )
    parser.add_argument(
        REPAIR_CARDS,
        action="store_true",
        help="let every card show what became of its permission; no desk may run",
    )
    parser.add_argument(
        BUDGET, metavar="N", type=_budget, help=f"with {REPAIR_CARDS}: at most N cards"
    )
    add_database_option(
        parser, text="the store, where serve was given one: postgresql://USER@HOST:PORT/NAME"
    )
    parser.add_argument(
        "--rotate-tokens",
        action="store_true",
        help="make new tokens; the old ones are worth nothing from then on; no desk may run",
    )
    return parser


def _check(home: Home, clock: Clock, database: str | None, *, full: bool) -> Iterator[Finding]:
    folder = list(check_folder(home))
    yield from folder
    if any(finding.level is Level.PROBLEM for finding in folder):
        return
    yield from check_room(home)
    yield from check_secrets(home)
    desk = find_running(home)
    yield from check_desk(home, desk)
    location = _location(home, database)
    if isinstance(location, Finding):
        yield location
    else:
        since = None if desk is None else _started(home)
        yield from check_store(location, clock, since=since, full=full)
    yield from check_agents()


def _location(home: Home, database: str | None) -> StoreLocation | Finding:
    try:
        return _named_location(home, database)
    except AppError as error:
        return problem("settings", error.detail, f"mend {home.desk_toml}")


def _named_location(home: Home, database: str | None) -> StoreLocation:
    return store_location(home, database or read_desk_file(home).database)


def _started(home: Home) -> Nanoseconds | None:
    endpoint = read_endpoint(home)
    try:
        return None if endpoint is None else parse_timestamp(endpoint.started_at)
    except ValueError:
        return None


def _repair(home: Home, clock: Clock, parsed: argparse.Namespace) -> Iterator[str]:
    location = _named_location(home, parsed.database)
    return repair(home, location, clock, backed_up=parsed.backed_up)


def _budget(text: str) -> int:
    budget = int(text)
    if budget < 1:
        raise ValueError(text)
    return budget


def _repair_cards(home: Home, clock: Clock, parsed: argparse.Namespace) -> Iterator[str]:
    # Imported here: it is the whole desk.
    from backend.cli.doctor_cards import repair_cards

    location = _named_location(home, parsed.database)
    return repair_cards(home, location, clock, database=parsed.database, budget=parsed.budget)


def _rotate_tokens(home: Home, database: str | None) -> Iterator[str]:
    """Both, or neither is told: an agent's token alone would look like a success."""
    if not home.root.is_dir():
        yield "there are no tokens yet"
        return
    server = isinstance(_location(home, database), DatabaseServer)
    lock = OwnerLock.acquire(home.database, kind="command", anywhere=server)
    try:
        for path in (home.desk_token, home.agent_token):
            write_private(path, secrets.token_urlsafe(_SECRET_BYTES))
        yield "the tokens are new; agents connected with kandesk connect need nothing,"
        yield f"those that name a token themselves find the new one in {home.agent_token}"
    finally:
        lock.release()


def _tell_json(done: list[str], findings: Iterator[Finding]) -> set[Level]:
    found = list(findings)
    document = {"done": done, "checks": [finding.to_json() for finding in found]}
    print(json.dumps(document, indent=2))
    return {finding.level for finding in found}


def _tell_lines(done: list[str], findings: Iterator[Finding]) -> set[Level]:
    """Each line at once: reading a large store takes its time."""
    levels = set()
    for line in done:
        print(line, flush=True)
    for finding in findings:
        print(finding.line(), flush=True)
        levels.add(finding.level)
    return levels
