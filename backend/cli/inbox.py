"""`kandesk pending`, `answer` and `skip`: the Inbox from a script."""

import argparse
import json
import sys
import uuid
from collections.abc import Callable, Sequence

from backend.agents.hosted_around import is_inside_hosted_agent
from backend.cli.desk_client import Json
from backend.cli.inbox_answers import AnswerBuilder, WrongUsage, pick_bundle, read_json_answers
from backend.cli.inbox_door import InboxDoor, InboxRefused, open_door
from backend.cli.inbox_text import clean, list_text, outcome_text, permissions_text
from backend.paths import resolve_home

_CLIENT = "cli"
_ANSWER_EXAMPLES = """\
One question, by the number, the label or the id of an option, or in your own words:
  kandesk answer 4f1c 1
  kandesk answer 4f1c --text q1="neither, use plain files"
Several questions at once; each wants an answer:
  kandesk answer 4f1c --option q1=1 --option q2=1 --option q2=3 --text q3="on Friday"
  echo '[{"question_id": "q1", "selected_options": ["q1_opt1"]}]' | kandesk answer 4f1c --json -
"""


def pending(arguments: Sequence[str]) -> int:
    """List the open questions, oldest first, and say how many permissions wait beside them."""
    parser = _parser("pending")
    parser.add_argument("--json", action="store_true", help="print them as JSON")
    parsed = parser.parse_args(arguments)

    def run() -> int:
        door = open_door(resolve_home(parsed.home))
        bundles, permissions = door.list_open(), door.count_permissions()
        if parsed.json:
            _write(json.dumps({"bundles": bundles, "permissions_waiting": permissions}) + "\n")
        else:
            _write(list_text(bundles) + permissions_text(permissions))
        return 0

    return _guarded(parser, run)


def answer(arguments: Sequence[str]) -> int:
    """Answer every question of one bundle."""
    parser = _parser("answer", _ANSWER_EXAMPLES)
    parser.add_argument("id", metavar="ID", help="as `kandesk pending` shows it")
    parser.add_argument(
        "answer",
        nargs="?",
        metavar="ARG",
        help="an option (number, label or id) or a text, for a single question",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="Q=OPT",
        help="an option of question Q (number or id); may be repeated",
    )
    parser.add_argument(
        "--text",
        action="append",
        default=[],
        metavar="Q=TEXT",
        help="own words for question Q; may be repeated",
    )
    parser.add_argument(
        "--json",
        choices=["-"],
        metavar="-",
        help='read them from standard input: [{"question_id", "selected_options", "custom_text"}]',
    )
    parsed = parser.parse_args(arguments)

    def run() -> int:
        _refuse_agents()
        ways = (parsed.answer is not None, bool(parsed.option or parsed.text), bool(parsed.json))
        if sum(ways) != 1:
            raise WrongUsage("give an answer as ARG, with --option and --text, or with --json -")
        answers = read_json_answers(sys.stdin.read()) if parsed.json else None
        door = open_door(resolve_home(parsed.home))
        bundle = _find(door, parsed.id)
        return _respond(door, bundle, {"answers": answers or _answers(bundle, parsed)})

    return _guarded(parser, run)


def skip(arguments: Sequence[str]) -> int:
    """Refuse to answer one bundle."""
    parser = _parser("skip")
    parser.add_argument("id", metavar="ID", help="as `kandesk pending` shows it")
    parser.add_argument("--reason", default="", help="what the agent is told")
    parsed = parser.parse_args(arguments)

    def run() -> int:
        _refuse_agents()
        door = open_door(resolve_home(parsed.home))
        bundle = _find(door, parsed.id)
        return _respond(door, bundle, {"rejected": True, "reject_reason": parsed.reason})

    return _guarded(parser, run)


def _parser(name: str, examples: str | None = None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"kandesk {name}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=examples,
    )
    parser.add_argument("--home", metavar="DIR", help="the data folder")
    return parser


def _guarded(parser: argparse.ArgumentParser, run: Callable[[], int]) -> int:
    try:
        return run()
    except WrongUsage as error:
        parser.error(str(error))
    except InboxRefused as error:
        sys.stderr.write(f"kandesk: {clean(error, 1000)}\n")
        return 1


def _refuse_agents() -> None:
    """An agent with a shell must not answer itself (agents.md, Security)."""
    if is_inside_hosted_agent():
        raise InboxRefused("an agent runs this command; questions are answered by humans")


def _find(door: InboxDoor, word: str) -> Json:
    bundle = pick_bundle(door.list_open(), word)
    if bundle is None:
        # Not open any more: the resolver tells what became of it, also to a retry.
        bundle = door.find(word)
    if bundle is None:
        raise InboxRefused(f"no open question begins with {word}")
    return bundle


def _answers(bundle: Json, parsed: argparse.Namespace) -> list[Json]:
    builder = AnswerBuilder(bundle)
    if parsed.answer is not None:
        builder.plain(parsed.answer)
    for given in parsed.option:
        builder.option(given)
    for given in parsed.text:
        builder.text(given)
    return builder.answers()


def _respond(door: InboxDoor, bundle: Json, body: Json) -> int:
    pending_id = str(bundle["pending_id"])
    reply = door.respond(
        pending_id, {**body, "client_id": _CLIENT, "claim_id": _claim(pending_id, body)}
    )
    if not reply.get("claimed"):
        raise InboxRefused(f"somebody else was first. {outcome_text(reply)}")
    _write(outcome_text(reply) + "\n")
    return 0


def _claim(pending_id: str, body: Json) -> str:
    """The same for the same command, so that running it again is a retry and not a rival."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([pending_id, body], sort_keys=True)))


def _write(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()
