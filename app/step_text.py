"""What a step of the store's upgrade is called on screen."""

from typing import assert_never

from PySide6.QtCore import QCoreApplication

from backend.events import StoreProgress, StoreStep


def step_text(progress: StoreProgress) -> str:
    """One short sentence; a step of a later version has words of its own kind."""
    if progress.step not in set(StoreStep):
        return QCoreApplication.translate("Steps", "Preparing the store")
    return _known(StoreStep(progress.step))


def position_text(progress: StoreProgress) -> str:
    """Where in the list of steps it is; empty outside it."""
    if not progress.number:
        return ""
    words = QCoreApplication.translate("Steps", "Step %1 of %2")
    return words.replace("%1", str(progress.number)).replace("%2", str(progress.count))


def steps_text(steps: str) -> str:
    """What a start asks to be allowed to do, one line for each kind of step.

    `steps` are a `StoreStep` each, with a subject behind it or not, and commas between them. What
    is no step stays as it is.
    """
    counts: dict[str, int] = {}
    for text in filter(None, steps.split(", ")):
        kind = next((step for step in StoreStep if f"{text} ".startswith(f"{step.value} ")), None)
        words = text if kind is None else _known(kind)
        counts[words] = counts.get(words, 0) + 1
    return "\n".join(
        f"• {words}" + (f" ({count})" if count > 1 else "") for words, count in counts.items()
    )


def _known(step: StoreStep) -> str:
    match step:
        case StoreStep.CONNECT:
            return QCoreApplication.translate("Steps", "Connecting to the database server")
        case StoreStep.BACK_UP:
            return QCoreApplication.translate("Steps", "Copying the store before it changes")
        case StoreStep.BACKUP_SKIPPED:
            return QCoreApplication.translate(
                "Steps", "There is no room for a copy of the store: going on without one"
            )
        case StoreStep.CREATE_TABLES:
            return QCoreApplication.translate("Steps", "Making room for new kinds of things")
        case StoreStep.ADD_COLUMNS:
            return QCoreApplication.translate("Steps", "Adding new fields")
        case StoreStep.CHECK_METADATA:
            return QCoreApplication.translate("Steps", "Checking every message")
        case StoreStep.START_REVISIONS:
            return QCoreApplication.translate("Steps", "Numbering the messages")
        case StoreStep.BUILD_INDEX:
            return QCoreApplication.translate("Steps", "Building an index: answers stay fast")
        case StoreStep.DONE:
            return QCoreApplication.translate("Steps", "The store is ready")
        case _:
            assert_never(step)
