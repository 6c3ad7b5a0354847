"""The command line before any window: what it imports, whom it raises, what it refuses."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from app import launch, launch_window
from app.launch_options import WindowOptions
from backend.endpoint import DeskEndpoint, write_endpoint
from backend.paths import Home
from backend.secrets import read_or_create_secret
from backend.store.owner_lock import OwnerLock
from tests.helpers.desk_process import DeskProcess
from tests.helpers.shim_process import shim_environment


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    found.create()
    return found


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[WindowOptions]:
    """What would have been opened; nothing is."""
    seen: list[WindowOptions] = []

    def open_nothing(options: WindowOptions) -> int:
        seen.append(options)
        return 0

    monkeypatch.setattr(launch_window, "_open", open_nothing)
    monkeypatch.delenv("XDG_ACTIVATION_TOKEN", raising=False)
    return seen


class WindowDesk:
    """A desk with a window, as far as another start can tell."""

    def __init__(self, home: Home, pid: int) -> None:
        self.requests: list[tuple[str, object]] = []
        self.show_status = 200
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        api = f"http://127.0.0.1:{self._server.server_address[1]}"
        read_or_create_secret(home.desk_token)
        write_endpoint(
            home, DeskEndpoint(api, f"{api}/mcp", pid, str(home.desk_token), "window", "")
        )

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        desk = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(200, {"kind": "window"})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                desk.requests.append((self.path, json.loads(body)))
                self._answer(desk.show_status, {})

            def _answer(self, status: int, body: dict[str, str]) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        return Handler


@pytest.fixture
def window_desk(home: Home) -> Iterator[Callable[[int], WindowDesk]]:
    started: list[WindowDesk] = []

    def start(pid: int) -> WindowDesk:
        started.append(WindowDesk(home, pid))
        return started[-1]

    yield start
    for desk in started:
        desk.stop()


def modules_of(*words: str) -> set[str]:
    """Top-level modules that are loaded after one command."""
    script = (
        "import sys, contextlib, os\n"
        "from app.launch import main\n"
        "os._exit = lambda code: None\n"
        "with contextlib.suppress(SystemExit): main(sys.argv[1:])\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        "sys.stderr.write('\\nMODULES ' + ' '.join(names))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=shim_environment(),
        check=True,
    )
    return set(ended.stderr.rpartition("MODULES ")[2].split())


@pytest.mark.parametrize("words", [("mcp",), ("pending",), ("skip", "x"), ("--version",), ("x",)])
def test_commands_that_start_often_load_the_standard_library_only(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    home = () if words[0] in ("--version", "x") else ("--home", str(tmp_path / "none"))
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = {"app", "backend", *(name.partition(".")[0] for name in bare.stdout.split())}
    assert modules_of(*words, *home) - ours <= sys.stdlib_module_names


def test_serve_and_connect_load_no_qt(tmp_path: Path) -> None:
    for words in (("serve", "--port", "x"), ("connect", "codex", "--print")):
        assert not {"PySide6", "shiboken6", "qasync"} & modules_of(*words)


@pytest.mark.parametrize("words", [["nope"], ["--nope"], ["demo", "extra"], ["--theme", "pink"]])
def test_wrong_words_exit_2(
    words: list[str], opened: list[WindowOptions], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = launch.main(words)
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    assert code == 2
    out, err = capsys.readouterr()
    assert not out
    assert "usage" in err
    assert not opened


def test_help_and_version_are_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert launch.main(["--help"]) == 0
    assert launch.main(["--version"]) == 0
    out, err = capsys.readouterr()
    for word in ("demo", "serve", "mcp", "connect", "pending", "answer", "skip", "kandesk 0"):
        assert word in out
    assert not err


def test_without_a_desk_the_window_opens_with_what_was_asked(
    home: Home, opened: list[WindowOptions], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "token-1")
    monkeypatch.chdir(tmp_path)
    words = ["--home", str(home.root), "--background", "--theme", "dark", "--language", "de"]
    assert launch.main([*words, "--screenshot", "shot.png"]) == 0
    assert opened == [
        WindowOptions(
            home=home,
            background=True,
            screenshot=tmp_path / "shot.png",
            theme="dark",
            language="de",
            activation_token="token-1",  # noqa: S106
        )
    ]


def test_a_stale_endpoint_file_does_not_keep_the_window_from_opening(
    home: Home, opened: list[WindowOptions]
) -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    api = "http://127.0.0.1:9"
    write_endpoint(home, DeskEndpoint(api, api, child.pid, str(home.desk_token), "window", ""))
    assert launch.main(["--home", str(home.root)]) == 0
    assert len(opened) == 1


def test_a_second_start_raises_the_first_window_and_passes_its_token_on(
    home: Home,
    opened: list[WindowOptions],
    window_desk: Callable[[int], WindowDesk],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = window_desk(os.getpid())
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "token-2")
    assert launch.main(["--home", str(home.root)]) == 0
    assert desk.requests == [("/api/v1/desk/show", {"activation_token": "token-2"})]
    assert not opened


def test_a_second_start_in_the_background_leaves_the_focus_alone(
    home: Home, opened: list[WindowOptions], window_desk: Callable[[int], WindowDesk]
) -> None:
    desk = window_desk(os.getpid())
    assert launch.main(["--background", "--home", str(home.root)]) == 0
    assert not desk.requests
    assert not opened


def test_a_window_that_refuses_is_named_by_its_process(
    home: Home,
    opened: list[WindowOptions],
    window_desk: Callable[[int], WindowDesk],
    capsys: pytest.CaptureFixture[str],
) -> None:
    window_desk(os.getpid()).show_status = 500
    assert launch.main(["--home", str(home.root)]) == 1
    assert str(os.getpid()) in capsys.readouterr().err
    assert not opened


def test_serve_hands_over_to_the_window(home: Home, opened: list[WindowOptions]) -> None:
    """product.md, Commands: it drains, releases the lock, exits 0; then the window opens."""
    serve = DeskProcess(home)
    try:
        assert launch.main(["--home", str(home.root)]) == 0
        assert len(opened) == 1
        assert OwnerLock.holder(home.database) is None
        assert serve.process.wait(10) == 0
    finally:
        serve.stop()


def test_a_start_waits_for_a_desk_that_is_just_starting(
    home: Home, opened: list[WindowOptions], window_desk: Callable[[int], WindowDesk]
) -> None:
    lock = OwnerLock.acquire(home.database, kind="window")
    ended: list[int] = []
    starting = threading.Thread(
        target=lambda: ended.append(launch.main(["--home", str(home.root)]))
    )
    starting.start()
    starting.join(0.3)
    assert starting.is_alive()
    desk = window_desk(os.getpid())
    starting.join(10)
    lock.release()
    assert ended == [0]
    assert desk.requests == [("/api/v1/desk/show", {})]
    assert not opened


def test_the_demo_gets_a_home_of_its_own_that_is_thrown_away(
    opened: list[WindowOptions], monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    monkeypatch.setenv("KANDESK_HOME", str(home.root))
    assert launch.main(["demo"]) == 0
    (options,) = opened
    assert options.demo
    assert options.home != home
    assert not options.home.root.exists()


def test_the_demo_uses_a_home_that_is_named(opened: list[WindowOptions], home: Home) -> None:
    assert launch.main(["demo", "--home", str(home.root)]) == 0
    assert (opened[0].home, opened[0].demo) == (home, True)
