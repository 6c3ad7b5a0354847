"""The words for what an agent does and how far it is, so that nothing is told by colour alone."""

from typing import assert_never

from PySide6.QtCore import QCoreApplication, QObject

from app.viewmodels.activity_row import PermissionRow, Step, TodoItem, Verdict
from app.viewmodels.tool_row import Doing, Progress, ToolRow


def doing_text(doing: Doing) -> str:  # noqa: C901 - one word for each
    """The name of a kind of tool, one or two words."""
    match doing:
        case Doing.READ:
            return QCoreApplication.translate("Activity", "Read")
        case Doing.SEARCH:
            return QCoreApplication.translate("Activity", "Search")
        case Doing.EDIT:
            return QCoreApplication.translate("Activity", "Edit")
        case Doing.DELETE:
            return QCoreApplication.translate("Activity", "Delete")
        case Doing.MOVE:
            return QCoreApplication.translate("Activity", "Move")
        case Doing.RUN:
            return QCoreApplication.translate("Activity", "Run")
        case Doing.FETCH:
            return QCoreApplication.translate("Activity", "Fetch")
        case Doing.THINK:
            return QCoreApplication.translate("Activity", "Think")
        case Doing.SUBAGENT:
            return QCoreApplication.translate("Activity", "Subagent")
        case Doing.DESK:
            return "Kandesk"
        case Doing.OTHER:
            return QCoreApplication.translate("Activity", "Tool")
    assert_never(doing)


def progress_text(row: ToolRow) -> str:
    """How far a tool is, with the exit code of a program that failed."""
    if row.progress is None:
        return row.progress_word
    words = _progress_word(row.progress)
    if row.exit_code:
        code = QCoreApplication.translate("Activity", "exit code %1")
        return f"{words} · {code.replace('%1', str(row.exit_code))}"
    return words


def _progress_word(progress: Progress) -> str:
    match progress:
        case Progress.WAITING:
            return QCoreApplication.translate("Activity", "Not started")
        case Progress.NEEDS_PERMISSION:
            return QCoreApplication.translate("Activity", "Waits for permission")
        case Progress.RUNNING:
            return QCoreApplication.translate("Activity", "Running")
        case Progress.DONE:
            return QCoreApplication.translate("Activity", "Done")
        case Progress.FAILED:
            return QCoreApplication.translate("Activity", "Failed")
        case Progress.CANCELLED:
            return QCoreApplication.translate("Activity", "Cancelled")
        case Progress.INTERRUPTED:
            return QCoreApplication.translate("Activity", "Interrupted")
        case Progress.EXPIRED:
            return QCoreApplication.translate("Activity", "Expired")
    assert_never(progress)


def step_state_text(step: Step) -> str:
    match step:
        case Step.OPEN:
            return QCoreApplication.translate("Activity", "To do")
        case Step.STARTED:
            return QCoreApplication.translate("Activity", "In progress")
        case Step.DONE:
            return QCoreApplication.translate("Activity", "Done")
        case Step.CANCELLED:
            return QCoreApplication.translate("Activity", "Cancelled")
    assert_never(step)


def todo_count_text(todos: tuple[TodoItem, ...]) -> str:
    """How much of a list is done."""
    words = QCoreApplication.translate("Activity", "%1 of %2 done")
    done = sum(item.step is Step.DONE for item in todos)
    return words.replace("%1", str(done)).replace("%2", str(len(todos)))


def verdict_text(verdict: Verdict) -> str:
    """What became of a request for permission."""
    match verdict:
        case Verdict.PENDING:
            return QCoreApplication.translate("Activity", "Waiting for you")
        case Verdict.APPROVED:
            return QCoreApplication.translate("Activity", "Approved")
        case Verdict.SUCCEEDED:
            return QCoreApplication.translate("Activity", "Succeeded")
        case Verdict.DECLINED:
            return QCoreApplication.translate("Activity", "Declined")
        case Verdict.CANCELLED:
            return QCoreApplication.translate("Activity", "Cancelled")
        case Verdict.EXPIRED:
            return QCoreApplication.translate("Activity", "Expired")
        case Verdict.FAILED:
            return QCoreApplication.translate("Activity", "Failed")
        case Verdict.UNKNOWN:
            return QCoreApplication.translate("Activity", "Outcome unknown")
    assert_never(verdict)


def decision_text(row: PermissionRow) -> str:
    """How a request for permission stands, by the option's own name, and whether the agent then
    did something else.
    """
    parts = [verdict_text(row.verdict), row.chosen]
    if row.drifted:
        parts.append(QCoreApplication.translate("Activity", "other arguments than asked for"))
    return " · ".join(filter(None, parts))


class Counts(QObject):
    """How many lines there are, in the plural of the language."""

    def all_lines(self, count: int) -> str:
        return self.tr("Show all %n line(s)", "", count)

    def last_lines(self, count: int) -> str:
        return self.tr("Only the last %n line(s) are shown", "", count)

    def first_lines(self, count: int) -> str:
        return self.tr("Only the first %n line(s) are shown", "", count)
