"""Hints that something may have changed, told when the change is durable, or may be."""

from collections.abc import Callable

Listener = Callable[[str], None]


class Hints:
    """Hands each scope that may have changed to whoever follows; on the loop, after the commit."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with each scope; it must not raise."""
        self._listeners.append(listener)

    def tell(self, scope: str) -> None:
        for listener in tuple(self._listeners):
            listener(scope)


class TxHints:
    """The scopes one unit of work may have changed, each told once if it ends in `fire`.

    A commit fires, and so does one whose result is not known, once it has ended whichever way; a
    rollback does nothing.
    """

    def __init__(self, hints: Hints) -> None:
        self._hints = hints
        self._scopes: dict[str, None] = {}

    def add(self, scope: str) -> None:
        """Note it before the write; also from the connection's thread."""
        self._scopes[scope] = None

    def fire(self) -> None:
        scopes, self._scopes = self._scopes, {}
        for scope in scopes:
            self._hints.tell(scope)
