"""Logs keep what happened and no secret."""

import json
import logging
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from backend.log import configure_logging, hide_secrets
from backend.paths import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    root = logging.getLogger()
    level = root.level
    yield Home(tmp_path)
    for handler in tuple(root.handlers):
        if isinstance(handler.formatter, structlog.stdlib.ProcessorFormatter):
            root.removeHandler(handler)
            handler.close()
    root.setLevel(level)
    structlog.reset_defaults()


def lines(home: Home) -> list[dict[str, object]]:
    text = (home.log_dir / "serve.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_record_is_one_json_line_in_a_private_file(home: Home) -> None:
    configure_logging(home, name="serve", stderr=False)
    structlog.stdlib.get_logger("ours").info("opened", text="zwei\nZeilen", number=3)
    logging.getLogger("theirs").warning("plain %s", "words", extra={"phase": "claim"})
    first, second = lines(home)
    assert second["phase"] == "claim"
    assert (first["event"], first["text"], first["number"]) == ("opened", "zwei\nZeilen", 3)
    assert (second["event"], second["level"]) == ("plain words", "warning")
    if sys.platform != "win32":
        assert stat.S_IMODE((home.log_dir / "serve.jsonl").stat().st_mode) == 0o600


def test_values_under_secret_names_are_hidden(home: Home) -> None:
    configure_logging(home, name="serve", stderr=False)
    log = structlog.stdlib.get_logger("ours")
    log.info("call", token="abc", Authorization="Bearer abc", ticket="abc", pending_id="p")  # noqa: S106
    text = (home.log_dir / "serve.jsonl").read_text("utf-8")
    assert "abc" not in text
    assert '"pending_id": "p"' in text


def test_hiding_leaves_other_values_alone() -> None:
    assert hide_secrets(None, "info", {"event": "x", "count": 1}) == {"event": "x", "count": 1}


def test_a_traceback_on_the_terminal_shows_no_local_variables(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(home, name="serve", stderr=True)
    hidden = "value-" + "of-a-local"
    try:
        _ = len(hidden) / 0
    except ZeroDivisionError:
        logging.getLogger("ours").exception("failed")
    err = capsys.readouterr().err
    assert "ZeroDivisionError" in err
    assert hidden not in err
    assert "╭" not in err


def test_configuring_again_does_not_write_twice(home: Home) -> None:
    configure_logging(home, name="serve", stderr=False)
    configure_logging(home, name="serve", stderr=False)
    logging.getLogger("ours").warning("once")
    assert len(lines(home)) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_full_disk_does_not_print_a_stack_for_every_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = Home(tmp_path)
    home.log_dir.mkdir()
    (home.log_dir / "desk.jsonl").symlink_to("/dev/full")
    configure_logging(home, name="desk", stderr=False)
    logging.getLogger("x").info("a record")
    assert capsys.readouterr().err == ""
