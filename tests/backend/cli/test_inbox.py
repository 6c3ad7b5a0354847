"""`pending`, `answer` and `skip` against a real desk (product.md, Commands)."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.agents.child_environment import HOSTED_VARIABLE
from backend.cli.inbox import answer
from backend.cli.inbox_door import InboxRefused
from backend.cli.inbox_store import StoreInbox
from backend.paths import Home
from backend.store.owner_lock import OwnerLock
from tests.helpers.desk_process import DeskProcess, run_kandesk
from tests.helpers.program import KANDESK, ROOT, environment
from tests.helpers.shim_process import ShimProcess, result_of

OPTIONS = [{"label": "Postgres"}, {"label": "SQLite"}, {"label": "2"}]
ONE = {"questions": [{"prompt": "Which?", "options": OPTIONS}]}
FREE = {"questions": [{"prompt": "Why?"}]}
MANY = {
    "questions": [
        {"id": "db", "prompt": "Which?", "options": OPTIONS},
        {"id": "tags", "prompt": "What?", "options": OPTIONS, "multi_select": True},
        {"id": "why", "prompt": "Why?"},
    ]
}

_WIPED = f'"env" -u {HOSTED_VARIABLE} "$@"; exit $?'
"""A shell between, which keeps the mark, and a program without it."""


class Desk:
    """One desk and one agent for all tests here; each test asks anew."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self._serve = DeskProcess(self.home)
        self._shim = ShimProcess(self.home, "--no-start", cwd=folder)
        self._shim.initialize()
        self._asked = 0

    def ask(self, arguments: dict[str, Any]) -> str:
        """Ask and return the id of the bundle."""
        before = {bundle["pending_id"] for bundle in self.bundles()}
        self._asked += 1
        self._shim.call(self._asked, arguments, progress="p")
        self._serve.wait_for_questions(len(before) + 1)
        (added,) = {bundle["pending_id"] for bundle in self.bundles()} - before
        return str(added)

    def bundles(self) -> list[dict[str, Any]]:
        found = json.loads(self.run("pending", "--json").stdout)
        assert set(found) == {"bundles", "permissions_waiting"}
        bundles: list[dict[str, Any]] = found["bundles"]
        return bundles

    def run(self, *words: str, text: str = "") -> Any:
        return run_kandesk(self.home, *words, text=text)

    def result(self) -> dict[str, Any]:
        """What the agent got for the last question."""
        found: dict[str, Any] = result_of(self._shim.reply(self._asked))["structuredContent"]
        return found

    def stop(self) -> None:
        self._shim.stop()
        self._serve.stop()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    found = Desk(tmp_path_factory.mktemp("desk"))
    yield found
    found.stop()


def labels(result: dict[str, Any], question: str = "q1") -> list[str]:
    return [option["label"] for option in result["answers"][question]["selected"]]


@pytest.mark.parametrize("word", ["SQLite", "sqlite", "q1_opt2"])
def test_a_bare_word_chooses_the_option_it_names(desk: Desk, word: str) -> None:
    pending_id = desk.ask(ONE)
    ended = desk.run("answer", pending_id, word)
    assert ended.returncode == 0, ended.stderr
    assert labels(desk.result()) == ["SQLite"]
    assert "the agent has it" in ended.stdout


def test_a_number_counts_from_one_unless_an_option_has_that_label(desk: Desk) -> None:
    for word, label in (("1", "Postgres"), ("2", "2"), ("3", "2")):
        assert desk.run("answer", desk.ask(ONE), word).returncode == 0
        assert labels(desk.result()) == [label]


def test_a_bare_word_that_names_no_option_is_a_text(desk: Desk) -> None:
    assert desk.run("answer", desk.ask(ONE), "Oracle, 当然 🦀").returncode == 0
    assert desk.result()["answers"]["q1"] == {"selected": [], "custom_text": "Oracle, 当然 🦀"}


def test_a_beginning_of_the_id_is_enough_when_it_is_the_only_one(desk: Desk) -> None:
    pending_id = desk.ask(FREE)
    assert desk.run("answer", pending_id[:8], "because").returncode == 0
    assert desk.result()["answers"]["q1"]["custom_text"] == "because"


def test_several_questions_are_answered_by_name_or_number(desk: Desk) -> None:
    pending_id = desk.ask(MANY)
    ended = desk.run(
        *("answer", pending_id, "--option", "db=1", "--option", "tags=SQLite"),
        *("--option", "2=Postgres", "--text", "tags=and = more", "--text", "why=a=b"),
    )
    assert ended.returncode == 0, ended.stderr
    result = desk.result()
    assert labels(result, "db") == ["Postgres"]
    assert labels(result, "tags") == ["Postgres", "SQLite"]
    assert result["answers"]["tags"]["custom_text"] == "and = more"
    assert result["answers"]["why"]["custom_text"] == "a=b"


def test_answers_are_read_from_standard_input_as_json(desk: Desk) -> None:
    pending_id = desk.ask(FREE)
    answers = [{"question_id": "q1", "custom_text": "ünï"}]
    assert desk.run("answer", pending_id, "--json", "-", text=json.dumps(answers)).returncode == 0
    assert desk.result()["answers"]["q1"]["custom_text"] == "ünï"


def test_skip_tells_the_agent_why(desk: Desk) -> None:
    assert desk.run("skip", desk.ask(ONE), "--reason", "not now").returncode == 0
    result = desk.result()
    assert (result["status"], result["reject_reason"]) == ("skipped", "not now")
    assert "answers" not in result


def test_the_same_command_again_is_a_retry_and_another_answer_is_refused(desk: Desk) -> None:
    """clarification.md, improvement 2: claimed and replayed."""
    pending_id = desk.ask(ONE)
    first = desk.run("answer", pending_id, "SQLite")
    again = desk.run("answer", pending_id, "SQLite")
    other = desk.run("answer", pending_id, "Postgres")
    assert (first.returncode, again.returncode, other.returncode) == (0, 0, 1)
    assert "somebody else was first" in other.stderr
    assert labels(desk.result()) == ["SQLite"]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("9",),
        ("--option", "db=1"),
        ("--option", "db=MySQL", "--option", "tags=1", "--text", "why=x"),
        ("--option", "db=1", "--option", "db=2", "--option", "tags=1", "--text", "why=x"),
        ("--option", "nope=1"),
        ("--text", "x"),
        ("x", "--text", "why=x"),
        ("--json", "-"),
    ],
)
def test_words_that_do_not_fit_the_questions_exit_2_and_answer_nothing(
    desk: Desk, words: tuple[str, ...]
) -> None:
    pending_id = desk.ask(MANY)
    ended = desk.run("answer", pending_id, *words)
    assert ended.returncode == 2
    assert pending_id in [bundle["pending_id"] for bundle in desk.bundles()]
    assert desk.run("skip", pending_id).returncode == 0


def test_what_the_desk_refuses_exits_1_with_one_line(desk: Desk) -> None:
    pending_id = desk.ask(FREE)
    ended = desk.run("answer", pending_id, "x" * 2001)
    assert ended.returncode == 1
    assert "2000" in ended.stderr.replace(",", "")
    assert len(ended.stderr.splitlines()) == 1
    assert desk.run("skip", pending_id).returncode == 0


def test_an_unknown_id_exits_1(desk: Desk) -> None:
    for words in (("answer", "nope", "x"), ("skip", "nope"), ("skip", "../desk")):
        ended = desk.run(*words)
        assert ended.returncode == 1
        assert len(ended.stderr.splitlines()) == 1


def test_the_list_shows_what_is_needed_to_answer(desk: Desk) -> None:
    pending_id = desk.ask(MANY)
    listed = desk.run("pending").stdout
    assert listed.startswith(pending_id[:8])
    for part in ("db: Which?", "1) Postgres", "tags: What? (several may be chosen)", "why: Why?"):
        assert part in listed
    assert desk.run("skip", pending_id).returncode == 0
    assert desk.run("pending").stdout == "No open questions.\n"


def test_without_a_home_there_is_nothing_to_answer_and_nothing_is_made(tmp_path: Path) -> None:
    home = Home(tmp_path / "none")
    nothing = {"bundles": [], "permissions_waiting": 0}
    assert json.loads(run_kandesk(home, "pending", "--json").stdout) == nothing
    assert run_kandesk(home, "skip", "x").returncode == 1
    assert not home.root.exists()


def test_a_look_without_a_desk_changes_nothing(
    home: Home, start_desk: Callable[..., DeskProcess], start_shim: Callable[..., ShimProcess]
) -> None:
    serve = start_desk()
    shim = start_shim("--no-start")
    shim.call(1, MANY, progress="p")
    serve.wait_for_questions(1)
    running = json.loads(run_kandesk(home, "pending", "--json").stdout)["bundles"][0]
    serve.process.kill()
    serve.process.wait()
    data = home.database.read_bytes()
    alone = json.loads(run_kandesk(home, "pending", "--json").stdout)["bundles"][0]
    assert alone["questions"] == running["questions"]
    assert alone["pending_id"] == running["pending_id"]
    assert home.database.read_bytes() == data
    listed = run_kandesk(home, "pending").stdout
    assert "test client" in listed


@pytest.mark.parametrize(("kind", "says"), [("command", "another command"), ("serve", "a desk")])
def test_who_keeps_the_store_from_a_command_is_said(tmp_path: Path, kind: str, says: str) -> None:
    home = Home(tmp_path / "home")
    home.create()
    lock = OwnerLock.acquire(home.database, kind=kind)
    try:
        with pytest.raises(InboxRefused, match=f"^{says}"):
            StoreInbox(home).respond("p1", {"rejected": True})
    finally:
        lock.release()


@pytest.mark.parametrize("words", [("answer", "x", "1"), ("skip", "x")])
def test_an_agent_a_desk_runs_cannot_answer_itself(tmp_path: Path, words: tuple[str, ...]) -> None:
    """agents.md, Security: also when it has wiped the mark from its own environment."""
    hosted = {**environment(tmp_path), HOSTED_VARIABLE: "1"}
    for command in ([*KANDESK, *words], ["sh", "-c", _WIPED, "sh", *KANDESK, *words]):
        done = subprocess.run(
            command, env=hosted, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "answered by humans" in done.stderr


def test_the_help_shows_how_several_questions_are_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        answer(["--help"])
    assert ended.value.code == 0
    assert "kandesk answer 4f1c --option q1=1 --option q2=1" in capsys.readouterr().out
