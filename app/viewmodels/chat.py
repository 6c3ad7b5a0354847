"""What a page that shows one conversation needs to know, wherever in the window it is."""

from typing import Protocol

from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.composer import ComposerViewModel
from app.viewmodels.inbox import InboxViewModel
from app.viewmodels.reviews import ReviewsViewModel
from app.viewmodels.sessions import SessionsViewModel
from app.viewmodels.transcript import TranscriptViewModel


class Chat(Protocol):
    """`sessions` knows which conversation is shown; the others follow it."""

    @property
    def sessions(self) -> SessionsViewModel: ...

    @property
    def inbox(self) -> InboxViewModel: ...

    @property
    def transcript(self) -> TranscriptViewModel: ...

    @property
    def clarification(self) -> ClarificationViewModel: ...

    @property
    def reviews(self) -> ReviewsViewModel: ...

    @property
    def composer(self) -> ComposerViewModel: ...

    def load_older(self) -> None: ...

    def load_newer(self) -> None: ...

    def show_end(self) -> None: ...
