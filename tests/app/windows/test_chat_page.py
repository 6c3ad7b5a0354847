"""What lies over and beside a conversation stays where it can be seen."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from backend.clock import Nanoseconds
from backend.domain.agents import ConfigOption, OptionChoice, SessionMode
from backend.domain.hosted import QueuedPrompt
from backend.ids import QueueEntryId
from tests.helpers.desk_builders import make_message
from tests.helpers.fake_conversations import make_conversation
from tests.helpers.hosted_window import HostedWindow, hosted_window
from tests.helpers.waiting import until

QUEUE = tuple(
    QueuedPrompt(QueueEntryId(f"e{place}"), "later", place, Nanoseconds(1)) for place in range(2)
)
CHOICES = make_conversation(
    modes=(SessionMode("ask", "Ask first"), SessionMode("code", "Edit by itself")),
    mode="ask",
    options=(
        ConfigOption("model", "Model", "l", (OptionChoice("l", "Large"), OptionChoice("s", "S"))),
        ConfigOption("think", "Think longer", "true"),
    ),
)


def distance(window: HostedWindow) -> int:
    """From the button that goes to the end down to the end of what it lies over."""
    button, view = window.find("newRowsButton"), window.find("transcriptView")
    return view.height() - button.geometry().bottom()


async def test_the_way_to_the_end_stays_at_the_lower_edge_whatever_takes_room() -> None:
    async with hosted_window() as window:
        for number in range(60):
            window.shown.backend.desk.add_messages(make_message(f"m{number}", "words\n\nwords"))
        view = window.shown.view.pages.chat.transcript
        await until(lambda: view.verticalScrollBar().maximum() > 0)
        view.verticalScrollBar().setValue(0)
        await until(lambda: window.sees("newRowsButton"))
        before, height = distance(window), view.height()
        window.hosted.change(queue=QUEUE)
        await until(lambda: view.height() < height)
        assert distance(window) == before
        window.hosted.change(queue=())
        await until(lambda: view.height() == height)
        assert distance(window) == before


async def test_where_the_composer_is_narrow_choices_have_a_line_of_their_own() -> None:
    async with hosted_window(CHOICES, size=(1180, 780)) as window:

        def top(name: str) -> int:
            return window.find(name).mapTo(window.find("composer"), QPoint()).y()

        def cut() -> bool:
            pickers = window.find("agentPickers")
            last = window.find("agentOption_think")
            assert isinstance(last, QWidget)
            return last.geometry().right() > pickers.rect().right() or (
                last.width() < last.sizeHint().width()
            )

        assert abs(top("agentPickers") - top("sendButton")) < 10
        window.shown.window.resize(440, 780)
        await until(lambda: top("sendButton") - top("agentPickers") > 20)
        assert not cut()
        window.shown.window.resize(1180, 780)
        await until(lambda: abs(top("agentPickers") - top("sendButton")) < 10)
