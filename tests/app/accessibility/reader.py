"""A human with a screen reader: knows the window by role and name only.

Runs on the system's Python, which has pyatspi, inside a session bus of its own:
usage: /usr/bin/python3 reader.py; each step that was done is a line on stdout.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyatspi  # type: ignore[import-not-found]  # it belongs to the system's Python
from gi.repository import GLib  # type: ignore[import-not-found]  # so does this

PATIENCE = 30.0
CONTROLS = frozenset(
    {
        pyatspi.ROLE_PUSH_BUTTON,
        pyatspi.ROLE_TOGGLE_BUTTON,
        pyatspi.ROLE_RADIO_BUTTON,
        pyatspi.ROLE_CHECK_BOX,
        pyatspi.ROLE_TEXT,
        pyatspi.ROLE_ENTRY,
        pyatspi.ROLE_LIST,
        pyatspi.ROLE_LIST_ITEM,
        pyatspi.ROLE_PAGE_TAB,
        pyatspi.ROLE_MENU_ITEM,
    }
)


def wait_for(what: str, look: Callable[[], Any]) -> Any:
    """What `look` finds; an exit that names `what` after half a minute."""
    ends_at = time.monotonic() + PATIENCE
    while time.monotonic() < ends_at:
        found = None
        # What is looked at may be gone before the look is over.
        with contextlib.suppress(GLib.GError, LookupError, RuntimeError):
            found = look()
        if found:
            return found
        pause(0.05)
    print("\n".join(f"{item.getRoleName()}: {item.name}" for item in everything()), file=sys.stderr)
    sys.exit(f"not found: {what}")


def pause(seconds: float) -> None:
    """Let time pass while events are taken in."""
    loop = GLib.MainLoop()
    GLib.timeout_add(round(seconds * 1000), loop.quit)
    loop.run()


def everything() -> Iterator[Any]:
    """Every accessible of the program that is on the screen, or would be after scrolling."""
    desktop = pyatspi.Registry.getDesktop(0)
    for application in desktop:
        if application is not None and application.name.lower() == "kandesk":
            yield from below(application)


def below(item: Any) -> Iterator[Any]:
    for child in item:
        if child is not None and child.getState().contains(pyatspi.STATE_VISIBLE):
            yield child
            yield from below(child)


def named(role: int, name: str) -> Any:
    return next((i for i in everything() if i.getRole() == role and i.name == name), None)


def containing(words: str) -> Any:
    return next((item for item in everything() if words in item.name), None)


def act(role: int, name: str, done: Callable[[], Any]) -> None:
    """Do the first action of a control until it shows: a fresh card waits for a moment."""

    def attempt() -> bool:
        control = named(role, name)
        if control is None:
            return False
        # The bridge of Qt tells of no change of this state, so what was read before is stale.
        control.clearCache()
        if not control.getState().contains(pyatspi.STATE_ENABLED):
            return False
        control.queryAction().doAction(0)
        pause(0.3)
        return bool(done())

    wait_for(f"{name} to do something", attempt)
    print(f"did {name}", flush=True)


def is_checked(name: str) -> bool:
    option = named(pyatspi.ROLE_RADIO_BUTTON, name)
    return option is not None and option.getState().contains(pyatspi.STATE_CHECKED)


def check_names() -> None:
    nameless = [item.getRoleName() for item in everything() if not item.name and is_control(item)]
    if nameless:
        sys.exit(f"without a name: {nameless}")
    print("every control has a name", flush=True)


def is_control(item: Any) -> bool:
    state = item.getState()
    reachable = state.contains(pyatspi.STATE_FOCUSABLE) and state.contains(pyatspi.STATE_SHOWING)
    return item.getRole() in CONTROLS and reachable


def main() -> None:
    said: list[str] = []
    pyatspi.Registry.registerEventListener(
        lambda event: said.append(str(event.any_data)), "object:announcement"
    )
    wait_for("the window", lambda: named(pyatspi.ROLE_FRAME, "Kandesk"))
    print("window", flush=True)
    wait_for("who asks", lambda: containing("Question from reader in shop"))
    wait_for("it being said", lambda: any("Question from reader in shop" in w for w in said))
    print("question announced", flush=True)
    check_names()
    act(pyatspi.ROLE_RADIO_BUTTON, "PostgreSQL", lambda: is_checked("PostgreSQL"))
    act(pyatspi.ROLE_PUSH_BUTTON, "Submit", lambda: containing("Delivered"))
    print("answered", flush=True)
    field = wait_for("the field", lambda: named(pyatspi.ROLE_TEXT, "Answer in your own words"))
    field.queryEditableText().setTextContents("warehouse 倉庫")
    act(pyatspi.ROLE_PUSH_BUTTON, "Submit", field_is_gone)
    print("answered in own words", flush=True)
    read_history()


def read_history() -> None:
    """What is closed is read, and left again."""
    words = "Questions and permissions that are closed"
    act(pyatspi.ROLE_PUSH_BUTTON, "History", lambda: containing(words))
    check_names()
    wait_for("the question", lambda: containing("Which database?"))
    act(pyatspi.ROLE_PUSH_BUTTON, "Back", lambda: not containing(words))


def field_is_gone() -> bool:
    return named(pyatspi.ROLE_TEXT, "Answer in your own words") is None


if __name__ == "__main__":
    main()
