"""From words on a command line to an answer of the resolver's shape (K4.1)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.cli.desk_client import Json


class WrongUsage(Exception):
    """The words do not fit the questions."""


@dataclass(slots=True)
class _Draft:
    selected: list[str] = field(default_factory=list)
    text: str = ""
    given: bool = False


class AnswerBuilder:
    """Collects what is said about each open question of one bundle."""

    def __init__(self, bundle: Json) -> None:
        found = bundle.get("questions")
        every = [
            item for item in (found if isinstance(found, list) else []) if isinstance(item, dict)
        ]
        still_open = [item for item in every if item.get("status") in (None, "", "pending")]
        # A closed bundle: the same words again must give the same answer again.
        self._questions = still_open or every
        self._drafts = [_Draft() for _ in self._questions]

    def plain(self, word: str) -> None:
        """A bare word answers the only question: an option where it names one, else a text."""
        at = self._only("a bare answer")
        option = find_option(self._questions[at], word)
        if option is not None:
            self._choose(at, option)
        elif word.isdecimal() and self._questions[at].get("options"):
            raise WrongUsage(f"there is no option {word}")
        else:
            self._write(at, word)

    def option(self, given: str) -> None:
        """`Q=OPT`, or `OPT` where there is one question. Raises `WrongUsage`."""
        at, word = self._split(given)
        option = find_option(self._questions[at], word)
        if option is None:
            name = self._questions[at].get("question_id")
            raise WrongUsage(f"question {name} has no option {word!r}")
        self._choose(at, option)

    def text(self, given: str) -> None:
        """`Q=TEXT`, or `TEXT` where there is one question. Raises `WrongUsage`."""
        at, word = self._split(given)
        self._write(at, word)

    def answers(self) -> list[Json]:
        """One answer per open question, empty for what may be left out and is.

        Raises `WrongUsage` when one is missing.
        """
        missing = [
            str(question.get("question_id"))
            for question, draft in zip(self._questions, self._drafts, strict=True)
            if not draft.given and not question.get("optional")
        ]
        if not any(draft.given for draft in self._drafts):
            missing = [str(question.get("question_id")) for question in self._questions]
        if missing:
            raise WrongUsage(f"no answer given for: {', '.join(missing)}")
        return [
            {
                "question_id": question["question_id"],
                "selected_options": draft.selected,
                "custom_text": draft.text,
            }
            for question, draft in zip(self._questions, self._drafts, strict=True)
        ]

    def _choose(self, at: int, option: str) -> None:
        draft = self._drafts[at]
        draft.given = True
        if option in draft.selected:
            return
        if draft.selected and not self._questions[at].get("multi_select"):
            name = self._questions[at].get("question_id")
            raise WrongUsage(f"question {name} takes one option only")
        draft.selected.append(option)

    def _write(self, at: int, text: str) -> None:
        self._drafts[at].text = text
        self._drafts[at].given = True

    def _only(self, what: str) -> int:
        if len(self._questions) != 1:
            ids = ", ".join(str(question.get("question_id")) for question in self._questions)
            raise WrongUsage(f"{what} needs a single question; name one of: {ids}")
        return 0

    def _split(self, given: str) -> tuple[int, str]:
        name, equals, word = given.partition("=")
        at = self._find_question(name) if equals else None
        if at is not None:
            return at, word
        if equals and len(self._questions) != 1:
            raise WrongUsage(f"there is no open question {name!r}")
        return self._only("an answer without a question id"), given

    def _find_question(self, name: str) -> int | None:
        ids = [question.get("question_id") for question in self._questions]
        if name in ids:
            return ids.index(name)
        return _number(name, len(ids))


def find_option(question: Json, word: str) -> str | None:
    """The id of the option with this id, label or 1-based number, in that order."""
    found = question.get("options")
    options = [
        item for item in (found if isinstance(found, list) else []) if isinstance(item, dict)
    ]
    ids = [str(item.get("option_id")) for item in options]
    labels = [str(item.get("label")) for item in options]
    if word in ids:
        return word
    if word in labels:
        return ids[labels.index(word)]
    folded = [label.casefold() for label in labels]
    if folded.count(word.casefold()) == 1:
        return ids[folded.index(word.casefold())]
    at = _number(word, len(ids))
    return None if at is None else ids[at]


def read_json_answers(text: str) -> list[Json]:
    """Answers as K4.1 writes them: the list itself, or an object with `answers`.

    Raises:
        WrongUsage: it is something else.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WrongUsage(f"--json: {error}") from error
    answers = found.get("answers") if isinstance(found, dict) else found
    if not isinstance(answers, list) or not all(isinstance(item, dict) for item in answers):
        raise WrongUsage('--json takes [{"question_id", "selected_options", "custom_text"}, ...]')
    return answers


def pick_bundle(bundles: Sequence[Json], word: str) -> Json | None:
    """The bundle with this id, or the only one whose id begins so.

    Raises:
        WrongUsage: several begin so.
    """
    for bundle in bundles:
        if bundle.get("pending_id") == word:
            return bundle
    found = [bundle for bundle in bundles if str(bundle.get("pending_id")).startswith(word)]
    if len(found) > 1:
        raise WrongUsage(f"{word} is the beginning of {len(found)} ids; write more of it")
    return found[0] if found else None


def _number(word: str, count: int) -> int | None:
    if word.isascii() and word.isdecimal() and 1 <= int(word) <= count:
        return int(word) - 1
    return None
