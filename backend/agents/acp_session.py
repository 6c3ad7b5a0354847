"""One session of one agent as it is told over the wire: who hears what, and what is offered now."""

import logging
from dataclasses import replace
from typing import Final

from backend.agents.acp_translate import UpdateReader
from backend.agents.frames import JsonMap
from backend.agents.json_reading import as_map, text_of
from backend.agents.session_options import (
    MODE_CATEGORY,
    MODEL_CATEGORY,
    has_model,
    options_beside,
    read_model,
    read_modes,
    read_options,
)
from backend.clock import Clock, sleep
from backend.conversation.agent_port import AgentListener
from backend.domain.agents import (
    AgentUpdate,
    CommandsChanged,
    ConfigOption,
    ModeChanged,
    OptionsChanged,
    SessionSetup,
    TitleChanged,
    UnknownUpdate,
    UsageChanged,
)

_log = logging.getLogger(__name__)

FOREIGN_PERMISSION: Final = "permission_of_unknown_session"
FOREIGN_FORM: Final = "form_of_unknown_session"
OTHER_FORM: Final = "form_of_unknown_mode"
NO_OPTIONS: Final = "permission_without_options"
UNKNOWN_METHOD: Final = "request_of_unknown_method"
_FOREIGN_UPDATE: Final = "update_of_unknown_session"
_NO_MESSAGE: Final = "line_without_message"
"""Kinds of the rows that tell what an agent should not have sent."""
_MOST_EARLY: Final = 1_000
_QUIET_SECONDS: Final = 0.1
"""Without a word behind the answer to `session/load`: the earlier conversation was told."""
_REPLAY_SECONDS: Final = 5.0
"""How long a prompt waits for that at most."""
_OF_A_SESSION: Final = (CommandsChanged, ModeChanged, OptionsChanged, TitleChanged, UsageChanged)
"""What is true of a session whenever it is told, a replay included."""


class AcpSession:
    """Sorts the updates of a connection and keeps the setup of its one session.

    Before its id is known updates are kept; while an earlier conversation is told again, until the
    first prompt, only what is true of the session now is heard.
    """

    def __init__(self, clock: Clock, listener: AgentListener, agent_session_id: str) -> None:
        self._clock = clock
        self.reader = UpdateReader()
        self._listener = listener
        self._id = agent_session_id
        self._replaying = bool(agent_session_id)
        self._told_at = 0.0
        self._early: list[JsonMap] = []
        self._setup = SessionSetup(agent_session_id)
        self._model_beside: ConfigOption | None = None
        self._told_lately: set[str] = set()

    @property
    def setup(self) -> SessionSetup:
        return self._setup

    def is_ours(self, params: JsonMap) -> bool:
        """Whether a request or an update is for the session that was announced."""
        return bool(self._id) and text_of(params, "sessionId") == self._id

    def update(self, params: JsonMap) -> None:
        """Hand one `session/update` on."""
        if not self._id:
            if len(self._early) < _MOST_EARLY:
                self._early.append(params)
            return
        if not self.is_ours(params):
            self.unusable(_FOREIGN_UPDATE, params)
            return
        self._told_at = self._clock.monotonic()
        update = self.reader.read(as_map(params.get("update")))
        if update is not None and (not self._replaying or isinstance(update, _OF_A_SESSION)):
            self._hear(update)

    def opened(self, result: JsonMap) -> None:
        """The answer to `session/new` or `session/load`: what there is to choose from."""
        self._id = self._id or text_of(result, "sessionId")
        self._told_at = self._clock.monotonic()
        modes, mode = read_modes(result)
        options = read_options(result.get("configOptions"))
        if not has_model(options):
            self._model_beside = read_model(result)
            if self._model_beside is None:
                options = (*options, *options_beside(result))
        # What was told during a replay is older than the answer behind it.
        self._setup = SessionSetup(self._id, modes, mode)
        self._setup = replace(self._setup, options=self._with_model(self._without_mode(options)))
        early, self._early = self._early, []
        for params in early:
            self.update(params)

    async def replayed(self) -> None:
        """Wait for the end of an earlier conversation that is told again.

        Nothing marks it when an agent goes on telling behind its answer to `session/load`.
        """
        end = self._clock.monotonic() + _REPLAY_SECONDS
        while self._replaying:
            left = min(self._told_at + _QUIET_SECONDS, end) - self._clock.monotonic()
            if left <= 0:
                return
            await sleep(self._clock, left)

    def prompted(self) -> None:
        """A prompt goes out: what is told from now on is new, and ids of calls may come again."""
        self._replaying = False
        self._told_lately.clear()
        self.reader.calls.clear()

    def mode_chosen(self, mode: str) -> None:
        self._hear(ModeChanged(mode))

    def option_chosen(self, option_id: str, value: str) -> None:
        """An agent took a value and told nothing more."""
        options = tuple(
            replace(option, current=value) if option.id == option_id else option
            for option in self._setup.options
        )
        self._hear(OptionsChanged(options))

    def options_told(self, options: object) -> None:
        """The agent's own list after a choice."""
        self._hear(OptionsChanged(read_options(options)))

    def find_option(self, option_id: str) -> ConfigOption | None:
        return next((one for one in self._setup.options if one.id == option_id), None)

    def is_model_beside(self, option_id: str) -> bool:
        """Whether this is the model of an agent that tells it in the older way."""
        return self._model_beside is not None and self._model_beside.id == option_id

    def _hear(self, update: AgentUpdate) -> None:
        if isinstance(update, ModeChanged):
            self._setup = replace(self._setup, mode=update.mode)
        elif isinstance(update, OptionsChanged):
            mode = next((one.current for one in update.options if self._is_mode(one)), "")
            if mode and mode != self._setup.mode:
                self._hear(ModeChanged(mode))
            update = OptionsChanged(self._with_model(self._without_mode(update.options)))
            self._setup = replace(self._setup, options=update.options)
        self._listener.updated(update)

    def _is_mode(self, option: ConfigOption) -> bool:
        """Codex and Claude tell their mode in both ways, Codex a change of it in this one only."""
        return option.category == MODE_CATEGORY and bool(self._setup.modes)

    def _without_mode(self, options: tuple[ConfigOption, ...]) -> tuple[ConfigOption, ...]:
        return tuple(option for option in options if not self._is_mode(option))

    def _with_model(self, options: tuple[ConfigOption, ...]) -> tuple[ConfigOption, ...]:
        """The older way's model stays when the agent lists its options anew."""
        if self._model_beside is None:
            return options
        told = next((one for one in options if one.category == MODEL_CATEGORY), None)
        if told is not None:
            if told.id == self._model_beside.id:
                self._model_beside = told
            return options
        return (*options, self._model_beside)

    def unusable(self, kind: str, params: JsonMap) -> None:
        """Something nobody can act on: it is refused, and a row says so."""
        self._tell_once(kind, params)

    def noise(self, line: str) -> None:
        """A line that is no message; `line` is its beginning."""
        self._tell_once(_NO_MESSAGE, {"line": line})

    def _tell_once(self, kind: str, payload: JsonMap) -> None:
        """In each prompt: who does it once may do it without end."""
        if kind in self._told_lately:
            return
        self._told_lately.add(kind)
        _log.warning("an agent sent a %s", kind)
        if self._id and not self._replaying:
            self._hear(UnknownUpdate(kind, payload))
