"""The catalogs: complete, true to their placeholders, and exchanged while the window runs."""

import ast
import re
import shutil
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication

from app import language
from app.language import (
    Language,
    available,
    best_match,
    compile_all,
    compiled_catalog,
    native_name,
    update_catalogs,
)
from app.pseudo_locale import PSEUDO, pseudo
from app.resources import resource_folder
from app.text import Ages, age_text

_CATALOGS: Final = sorted(resource_folder("i18n").glob("kandesk_*.ts"))
_TRANSLATED: Final = [path for path in _CATALOGS if path.stem != "kandesk_en"]
_PLACEHOLDER: Final = re.compile(r"%(?:n|\d|\{\w+\})|\{\w+\}")
_IDENTICAL: Final = frozenset({"MCP", "OK"})
"""Texts that are the same in every language."""
_SOURCES: Final = sorted(Path(language.__file__).parent.rglob("*.py"))


def _messages(catalog: Path) -> list[ElementTree.Element]:
    return list(ElementTree.parse(catalog).getroot().iter("message"))  # noqa: S314 - our own file


def _forms(message: ElementTree.Element) -> list[str]:
    translation = message.find("translation")
    assert translation is not None
    numerus = translation.findall("numerusform")
    return [form.text or "" for form in numerus] or [translation.text or ""]


@pytest.mark.parametrize("catalog", _CATALOGS, ids=lambda path: path.stem)
def test_the_catalogs_hold_exactly_the_texts_of_the_sources(catalog: Path, tmp_path: Path) -> None:
    copy = tmp_path / catalog.name
    shutil.copy(catalog, copy)
    update_catalogs([copy])
    assert copy.read_text(encoding="utf-8") == catalog.read_text(encoding="utf-8")


@pytest.mark.parametrize("catalog", _TRANSLATED, ids=lambda path: path.stem)
def test_nothing_is_left_untranslated(catalog: Path) -> None:
    wrong = [
        message.findtext("source")
        for message in _messages(catalog)
        if any(
            not form.strip() or (form == message.findtext("source") and form not in _IDENTICAL)
            for form in _forms(message)
        )
    ]
    assert not wrong


@pytest.mark.parametrize("catalog", _CATALOGS, ids=lambda path: path.stem)
def test_no_translation_is_unfinished(catalog: Path) -> None:
    plural_only = catalog.stem == "kandesk_en"
    unfinished = [
        message.findtext("source")
        for message in _messages(catalog)
        if (translation := message.find("translation")) is not None
        and translation.get("type") is not None
        and (message.get("numerus") == "yes" or not plural_only)
    ]
    assert not unfinished


@pytest.mark.parametrize("catalog", _CATALOGS, ids=lambda path: path.stem)
def test_no_placeholder_is_lost(catalog: Path) -> None:
    for message in _messages(catalog):
        source = message.findtext("source") or ""
        wanted = sorted(_PLACEHOLDER.findall(source))
        for form in _forms(message):
            found = sorted(_PLACEHOLDER.findall(form))
            spelled_out = message.get("numerus") == "yes" and set(wanted) - set(found) == {"%n"}
            assert not form or found == wanted or spelled_out, source


def test_english_has_a_singular_and_a_plural() -> None:
    for message in _messages(resource_folder("i18n") / "kandesk_en.ts"):
        if message.get("numerus") == "yes":
            forms = _forms(message)
            assert len(forms) == 2, message.findtext("source")
            assert not any("(s)" in form for form in forms)


@pytest.mark.parametrize("path", _SOURCES, ids=lambda path: path.stem)
def test_no_translated_text_is_put_together_before_it_is_translated(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            position = {"tr": 0, "translate": 1}.get(node.func.attr)
            if position is not None and len(node.args) > position:
                text = node.args[position]
                assert not isinstance(text, ast.JoinedStr | ast.BinOp), f"line {node.lineno}"


def test_the_language_changes_while_the_window_runs(qapp: QApplication) -> None:
    spoken = Language(qapp, "en")
    then, now = 0, 5 * 60 * 10**9
    assert age_text(then, now) == "5 minutes ago"
    spoken.use("zh_CN")
    assert age_text(then, now) == "5 分钟前"
    assert QCoreApplication.translate("Words", "Answered") == "已回答"
    spoken.use("en")
    assert Ages().text(then, 60 * 10**9) == "1 minute ago"


def test_a_language_written_from_right_to_left_turns_the_window_round(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken = Language(qapp, "en")
    monkeypatch.setattr(language, "available", lambda: ("en", "ar"))
    spoken.use("ar")
    assert qapp.layoutDirection() is Qt.LayoutDirection.RightToLeft
    spoken.use("en")
    assert qapp.layoutDirection() is Qt.LayoutDirection.LeftToRight


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("zh_CN", "zh_CN"), ("zh-CN", "zh_CN"), ("xx", "en"), ("en_GB", "en"), (PSEUDO, PSEUDO)],
)
def test_a_locale_finds_the_nearest_catalog(wanted: str, found: str) -> None:
    assert best_match(wanted, available()) == found


def test_every_catalog_compiles(qapp: QApplication) -> None:
    made = {path.stem for path in compile_all()}
    assert made == {f"kandesk_{name}" for name in (*available(), PSEUDO)}


def test_an_unknown_language_has_no_catalog() -> None:
    assert compiled_catalog("xx") is None


def test_a_language_is_named_in_itself() -> None:
    assert "中文" in native_name("zh_CN")


def test_the_pseudo_locale_is_longer_and_keeps_placeholders() -> None:
    text = "Process %{pid} of %1 waits for %n question(s)"
    made = pseudo(text)
    assert len(made) > len(text) * 1.3
    assert sorted(_PLACEHOLDER.findall(made)) == sorted(_PLACEHOLDER.findall(text))
    assert made.startswith("[")
    assert "Process" not in made
