"""What an agent lets people choose, wherever it is chosen: before a conversation or in one."""

from dataclasses import dataclass
from typing import Protocol

from backend.domain.agents import ConfigOption, SessionMode


@dataclass(frozen=True, slots=True)
class Offered:
    """`key` is whose choices these are. An empty `mode` or `current` is the agent's own choice."""

    key: str
    modes: tuple[SessionMode, ...]
    mode: str
    options: tuple[ConfigOption, ...]


class Picks(Protocol):
    """Implemented by the view models that own the choices."""

    @property
    def offered(self) -> Offered | None: ...

    def set_mode(self, mode: str) -> None: ...

    def set_option(self, option_id: str, value: str) -> None: ...
