"""Where the home is, and that its files are for their owner only."""

import json
import stat
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from backend.endpoint import DeskEndpoint, read_endpoint, remove_endpoint, write_endpoint
from backend.paths import Home, default_home, resolve_home

ENDPOINT = DeskEndpoint("http://127.0.0.1:1", "http://127.0.0.1:1/mcp", 7, "token", "serve", "now")


def test_the_option_comes_before_the_variable_and_that_before_the_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KANDESK_HOME", raising=False)
    assert resolve_home(None) == default_home()
    monkeypatch.setenv("KANDESK_HOME", str(tmp_path / "variable"))
    assert resolve_home(None).root == tmp_path / "variable"
    assert resolve_home(str(tmp_path / "option")).root == tmp_path / "option"


def test_a_relative_home_is_made_absolute_and_a_tilde_is_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "user"))
    assert resolve_home("desk").root == tmp_path / "desk"
    assert resolve_home("~/desk").root == tmp_path / "user" / "desk"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG folders")
def test_the_platform_folder_follows_xdg_and_ignores_a_relative_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert default_home().root == tmp_path / "data" / "kandesk"
    for useless in ("", "relative/data"):
        monkeypatch.setenv("XDG_DATA_HOME", useless)
        assert default_home().root == tmp_path / ".local" / "share" / "kandesk"


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_a_new_home_is_for_its_owner_only(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "desk")
    home.create()
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    home.create()


def test_the_endpoint_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert read_endpoint(home) is None
    write_endpoint(home, ENDPOINT)
    assert read_endpoint(home) == ENDPOINT
    assert list(tmp_path.iterdir()) == [home.endpoint]


BROKEN = ["", "{", "[]", "{}", '{"api": 1}', '{"pid": "x"}', "\udcff", "[" * 100_000]


@pytest.mark.parametrize("text", [*BROKEN, json.dumps(asdict(ENDPOINT)).replace("7", "Infinity")])
def test_a_broken_endpoint_file_is_no_desk(tmp_path: Path, text: str) -> None:
    home = Home(tmp_path)
    home.endpoint.write_bytes(text.encode("utf-8", "surrogateescape"))
    home.endpoint.chmod(0o600)
    assert read_endpoint(home) is None


def test_only_the_desk_that_wrote_the_endpoint_file_removes_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write_endpoint(home, ENDPOINT)
    remove_endpoint(home, pid=8)
    assert read_endpoint(home) == ENDPOINT
    remove_endpoint(home, pid=7)
    assert read_endpoint(home) is None
    remove_endpoint(home, pid=7)
