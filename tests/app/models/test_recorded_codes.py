"""No code of the store is read by people as it is: each has words of its own."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from app.language import Language
from app.models.ledger_words import LedgerWords
from app.models.reason_text import reason_text
from app.models.review_words import ReviewWords
from app.text import status_text, withdrawn_text
from backend.domain.clarification import BundleStatus, Withdrawn
from backend.domain.review import ReviewStatus
from tests.helpers.fake_rules import make_entry

ROOT: Final = Path(__file__).resolve().parents[3]
MODULES: Final = (
    "backend.domain.policy",
    "backend.domain.review",
    "backend.review.deciding",
    "backend.review.opening",
    "backend.review.prompting",
    "backend.review.gateway.calls",
    "backend.review.gateway.recovery",
    "backend.review.gateway.results",
    "backend.store.gateway_calls",
    "backend.store.review_outcomes",
    "backend.store.ruled_calls",
)
NOT_REASONS: Final = frozenset({"permission_request", "gateway", "kandesk"})
CODE: Final = re.compile(r"[a-z]+(_[a-z]+)*\Z")
EVENT: Final = re.compile(r"event_type=\"(\w+)\"|event_of\(\w+, \"(\w+)\"|\"(trust_rule_\w+)\"")


def _reasons() -> Iterator[str]:
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            if name.isupper() and isinstance(value, str) and CODE.match(value):
                yield value


def _event_types() -> Iterator[str]:
    for path in (ROOT / "backend" / "store").glob("*.py"):
        for found in EVENT.findall(path.read_text(encoding="utf-8")):
            yield "".join(found)


@pytest.mark.parametrize("code", sorted(set(_reasons()) - NOT_REASONS))
def test_every_reason_the_desk_records_has_words(code: str) -> None:
    said = reason_text(code)
    assert code not in said or ("_" not in code and code in {"rule", "default"})
    assert "“" not in said


@pytest.mark.parametrize("event_type", sorted(set(_event_types())))
def test_every_line_of_the_record_has_words(event_type: str) -> None:
    assert event_type not in LedgerWords().happened(make_entry(event_type))


def test_what_nobody_has_words_for_is_named_as_a_code() -> None:
    assert reason_text("new_reason") == "the code “new_reason”"
    assert reason_text("") == ""
    assert LedgerWords().happened(make_entry("new_type")) == "An entry of the kind “new_type”"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_all_verdicts_are_told_apart_in_every_language(language: str, qapp: object) -> None:
    """product.md P5: unanswered, denied, skipped, withdrawn, expired and unknown are different."""
    spoken = Language(qapp, language)  # type: ignore[arg-type]
    try:
        words = ReviewWords()
        verdicts = [words.verdict(status) for status in ReviewStatus]
        questions = [status_text(status) for status in BundleStatus]
        questions += [withdrawn_text(reason) for reason in Withdrawn]
        assert len(set(verdicts)) == len(verdicts)
        assert len(set(questions)) == len(questions)
        endings = [words.ending(status) for status in ReviewStatus]
        assert len(set(endings)) == len(endings)
    finally:
        spoken.use("en")
        spoken.deleteLater()


def test_every_language_that_is_shipped_is_walked() -> None:
    shipped = {path.stem.removeprefix("kandesk_") for path in (ROOT / "i18n").glob("*.ts")}
    assert shipped == {"en", "zh_CN"}, "add it to the test of the verdicts"
